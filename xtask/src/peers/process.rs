//! A server in its own process, which ends with its owner.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// A running server that has reported its address.
#[derive(Debug)]
pub(crate) struct Served {
    child: Child,
    /// The URL of the server.
    pub(crate) url: String,
}

impl Served {
    /// Starts `command` and waits for its line `listening on URL`.
    ///
    /// # Errors
    ///
    /// One line if it cannot be started, or if it ends or prints something else first.
    pub(crate) fn start(command: &mut Command) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("{name}: {e}"))?;
        let mut line = String::new();
        if let Some(output) = child.stdout.as_mut() {
            let read = BufReader::new(output).read_line(&mut line);
            read.map_err(|e| format!("{name}: {e}"))?;
        }
        match line.trim_end().strip_prefix("listening on ") {
            Some(url) => {
                let url = url.to_owned();
                Ok(Self { child, url })
            }
            None => {
                end(&mut child);
                Err(format!("{name} did not say where it listens, but `{line}`"))
            }
        }
    }
}

impl Served {
    /// Starts a server that listens on the port in the variable `PORT`, and waits until it does.
    ///
    /// # Errors
    ///
    /// One line if there is no free port, or if it cannot be started or ends before it listens.
    pub(crate) fn on_port(command: &mut Command) -> Result<Self, String> {
        let name = command.get_program().to_string_lossy().into_owned();
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let address = free.map_err(|e| format!("no free port: {e}"))?;
        command.env("PORT", address.port().to_string());
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("{name}: {e}"))?;
        while TcpStream::connect(address).is_err() {
            let ended = child.try_wait().map_err(|e| format!("{name}: {e}"))?;
            if let Some(status) = ended {
                return Err(format!("{name} ended before it listened: {status}"));
            }
            sleep(LOOK_AGAIN);
        }
        let url = format!("http://{address}/mcp");
        Ok(Self { child, url })
    }

    /// Starts the command line `toolsure` as a guard with further arguments on a free port, and
    /// waits until it listens.
    ///
    /// # Errors
    ///
    /// One line if it cannot be started or ends before it listens.
    pub(crate) fn guard<I: AsRef<OsStr>>(
        toolsure: &mut Command,
        arguments: impl IntoIterator<Item = I>,
    ) -> Result<Self, String> {
        toolsure.args(["guard", "--listen", "127.0.0.1:0"]);
        toolsure.args(["--set", "log.format=json"]).args(arguments);
        toolsure.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = toolsure.spawn().map_err(|e| format!("the guard: {e}"))?;
        let Some(log) = child.stderr.take() else {
            end(&mut child);
            return Err("the guard has no log".to_owned());
        };
        let mut log = BufReader::new(log);
        match address(&mut log) {
            Some(url) => {
                // The guard would block on a full pipe.
                std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
                Ok(Self { child, url })
            }
            None => {
                end(&mut child);
                Err("the guard ended before it listened".to_owned())
            }
        }
    }
}

/// The address from the log line that says where the guard listens.
fn address(log: &mut BufReader<impl Read>) -> Option<String> {
    log.lines().map_while(Result::ok).find_map(|line| {
        let line: serde_json::Value = serde_json::from_str(&line).ok()?;
        let message = line.get("message")?.as_str()?;
        message.strip_prefix("listening on ").map(str::to_owned)
    })
}

impl Drop for Served {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Kills and reaps the process. If it has already ended, it is only reaped.
fn end(child: &mut Child) {
    let _ended = child.kill();
    let _status = child.wait();
}

const LOOK_AGAIN: Duration = Duration::from_millis(20);
