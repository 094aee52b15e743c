//! Guards that share only a key file.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::Value;

use super::http::request;

/// One guard.
pub(crate) struct Replica {
    child: Child,
    pub(crate) address: SocketAddr,
    pub(crate) admin: SocketAddr,
    log: Receiver<Value>,
}

impl Replica {
    /// Starts a guard and waits until it is ready.
    ///
    /// # Errors
    ///
    /// One line if it cannot be started.
    pub(crate) fn start(toolsure: &Path, upstream: &str, keys: &Path) -> Result<Self, String> {
        Self::start_with(toolsure, &["--upstream", upstream], keys, &[])
    }

    /// Starts a guard with these arguments for its server, and with more settings, `KEY=VALUE`.
    ///
    /// # Errors
    ///
    /// As [`start`](Self::start).
    pub(crate) fn start_with(
        toolsure: &Path,
        server: &[&str],
        keys: &Path,
        settings: &[String],
    ) -> Result<Self, String> {
        let mut command = Command::new(toolsure);
        command
            .args(["guard", "--listen", "127.0.0.1:0"])
            .args(["--set", "admin.address=127.0.0.1:0"])
            .args(["--set", "log.format=json", "--set", "times.drain=20s"])
            .arg("--set")
            .arg(format!("sessions.key_file={}", keys.display()));
        for setting in settings {
            command.arg("--set").arg(setting);
        }
        let mut child = command
            .args(server)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| format!("the guard: {e}"))?;
        let lines = child.stderr.take().ok_or("the guard has no log")?;
        let (to, log) = channel();
        // Reads to the end, because the guard would block on a full pipe.
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                let _nobody_listens = to.send(serde_json::from_str(&line).unwrap_or_default());
            }
        });
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut replica = Self {
            child,
            address: nowhere,
            admin: nowhere,
            log,
        };
        replica.until("ready")?;
        Ok(replica)
    }

    /// Reads the log up to a line with this message, and takes addresses from it.
    fn until(&mut self, wanted: &str) -> Result<(), String> {
        loop {
            let line = self.log.recv_timeout(PATIENCE);
            let line = line.map_err(|_| format!("the guard did not say `{wanted}`"))?;
            let text = |name: &str| line.get(name).and_then(Value::as_str).unwrap_or_default();
            let at = |text: &str| {
                text.parse::<SocketAddr>()
                    .map_err(|e| format!("{text}: {e}"))
            };
            match text("message") {
                "admin" => self.admin = at(text("address"))?,
                message if message == wanted => return Ok(()),
                message => {
                    if let Some(url) = message.strip_prefix("listening on http://") {
                        self.address = at(url.split('/').next().unwrap_or_default())?;
                    }
                }
            }
        }
    }

    /// Makes it reload its settings, and waits until it has.
    pub(crate) fn reload(&mut self) -> Result<(), String> {
        self.signal("-HUP")?;
        self.until("the settings were read again")
    }

    /// The id of its process.
    pub(crate) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Kills it immediately.
    pub(crate) fn kill(&mut self) -> Result<(), String> {
        self.child.kill().map_err(|e| format!("kill: {e}"))
    }

    /// Asks it to end, as a platform does.
    pub(crate) fn terminate(&self) -> Result<(), String> {
        self.signal("-TERM")
    }

    fn signal(&self, signal: &str) -> Result<(), String> {
        let status = Command::new("kill")
            .args([signal, &self.child.id().to_string()])
            .status()
            .map_err(|e| format!("kill: {e}"))?;
        status
            .success()
            .then_some(())
            .ok_or_else(|| format!("kill: {status}"))
    }

    /// Waits for it to end. Returns whether it succeeded.
    pub(crate) fn ended_well(&mut self) -> Result<bool, String> {
        let status = self.child.wait().map_err(|e| format!("wait: {e}"))?;
        Ok(status.success())
    }

    /// The number of messages that it received from clients.
    pub(crate) fn messages(&self) -> u64 {
        let metrics = request(self.admin, "GET", "/metrics", &[], "").unwrap_or_default();
        let lines = metrics.body.lines();
        let own = lines.filter(|line| {
            line.starts_with("toolsure_guard_messages_total") && line.contains("client")
        });
        own.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
            .sum()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(60);
