//! A server in a process of its own, ended with its owner.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running server that said where it listens.
#[derive(Debug)]
pub(crate) struct Served {
    child: Child,
    /// The address it printed.
    pub(crate) url: String,
}

impl Served {
    /// Starts `command` and waits for its line `listening on URL`.
    ///
    /// # Errors
    ///
    /// One line if it cannot be started, or ends or says something else first.
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

impl Drop for Served {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends the process and collects it. One that has ended already is only collected.
fn end(child: &mut Child) {
    let _ended = child.kill();
    let _status = child.wait();
}
