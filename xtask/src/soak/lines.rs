//! A guard for one client on standard input and output, and that client.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::calls::{self, Era, Kind};
use super::clients::{Counts, Disturbances, TOOLS};
use crate::gateways::memory;

/// The guard, and the client's ends of its pipes.
pub(super) struct Lines {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<Value>,
    era: Era,
    /// The next id, and the calls without an answer. Each id must be answered once.
    next: u64,
    waiting: HashMap<u64, (Instant, Kind, u64)>,
}

impl Lines {
    /// Starts a guard with these settings and opens a session.
    ///
    /// # Errors
    ///
    /// One line if it cannot be started or opens no session.
    pub(super) fn start(
        toolsure: &Path,
        config: &Path,
        settings: &[String],
        era: Era,
    ) -> Result<Self, String> {
        let mut command = Command::new(toolsure);
        command.args(["guard", "--quiet", "--config"]).arg(config);
        for setting in settings {
            command.arg("--set").arg(setting);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("the guard: {e}"))?;
        let input = child.stdin.take();
        let lines = child.stdout.take().ok_or("the guard has no output")?;
        let (to, output) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(lines).lines().map_while(Result::ok) {
                // A line that is not JSON answers no call, and is counted as such.
                let _nobody_listens = to.send(serde_json::from_str(&line).unwrap_or_default());
            }
        });
        let mut lines = Self {
            child,
            input,
            output,
            era,
            next: 0,
            waiting: HashMap::new(),
        };
        if era == Era::Legacy {
            lines.write(calls::initialize().to_string().as_bytes())?;
            let answer = lines.output.recv_timeout(PATIENCE);
            let answer = answer.map_err(|_| "the guard opened no session".to_owned())?;
            if answer.pointer("/result/protocolVersion").is_none() {
                return Err(format!("the guard opened no session: {answer}"));
            }
            lines.write(calls::initialized().to_string().as_bytes())?;
        }
        Ok(lines)
    }

    /// The id of the guard's process.
    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }

    /// Calls with `at_once` concurrent calls until `until`, then waits for all answers.
    pub(super) fn run(
        &mut self,
        until: Instant,
        at_once: usize,
        disturbances: &Disturbances,
        ids: &AtomicU64,
    ) -> Counts {
        let mut counts = Counts::default();
        loop {
            let open = Instant::now() < until;
            while open && self.waiting.len() < at_once {
                if let Err(error) = self.call(disturbances, ids) {
                    counts.lost += 1;
                    counts.say(error);
                    return counts;
                }
                counts.calls += 1;
            }
            // Waits a moment after the last answer, in case another one comes.
            let patience = match self.waiting.is_empty() {
                true => AFTERWARDS,
                false => PATIENCE,
            };
            match self.output.recv_timeout(patience) {
                Ok(message) => self.take(&message, disturbances, &mut counts),
                Err(RecvTimeoutError::Timeout) if self.waiting.is_empty() => return counts,
                Err(error) => {
                    let lost = self.waiting.len();
                    counts.lost += u64::try_from(lost).unwrap_or(u64::MAX);
                    counts.say(format!("stdio: {lost} calls without an answer: {error}"));
                    self.waiting.clear();
                    return counts;
                }
            }
        }
    }

    /// Closes the pipe. Checks that the guard ends successfully and leaves no process behind.
    ///
    /// # Errors
    ///
    /// What it did instead.
    pub(super) fn end(mut self) -> Result<(), String> {
        let family = memory::family(self.process());
        drop(self.input.take());
        let begun = Instant::now();
        let status = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK_AGAIN),
                other => return Err(format!("the guard does not end: {other:?}")),
            }
        };
        // The guard reaps its own children; nothing here does.
        let left = family.iter().skip(1).filter(|process| is_alive(**process));
        match (status.success(), left.count()) {
            (true, 0) => Ok(()),
            (_, left) => Err(format!(
                "the guard ended with {status} and left {left} processes"
            )),
        }
    }

    fn call(&mut self, disturbances: &Disturbances, ids: &AtomicU64) -> Result<(), String> {
        let kind = match Kind::of(ids.fetch_add(1, Ordering::Relaxed)) {
            // Without an id, an answer cannot be assigned to its call.
            Kind::Broken(_) => Kind::Invalid,
            kind => kind,
        };
        let id = self.next;
        self.next += 1;
        let tool = TOOLS.get(usize::try_from(id % 3).unwrap_or(0));
        let text = calls::text(self.era, kind, id, tool.copied().unwrap_or_default());
        self.waiting
            .insert(id, (Instant::now(), kind, disturbances.count()));
        self.write(&text)
    }

    fn take(&mut self, message: &Value, disturbances: &Disturbances, counts: &mut Counts) {
        if message.get("method").is_some() {
            return;
        }
        let id = message.get("id").and_then(Value::as_u64);
        match id.and_then(|id| self.waiting.remove(&id)) {
            Some((begun, kind, before)) => {
                counts.latency.record(begun.elapsed());
                let got = calls::judge(kind, message);
                counts.got(got, disturbances.explain(before));
            }
            None => {
                counts.twice += 1;
                counts.say(format!("stdio: an answer that nobody waits for: {message}"));
            }
        }
    }

    fn write(&mut self, text: &[u8]) -> Result<(), String> {
        let input = self.input.as_mut().ok_or("the guard has no input")?;
        let written = input.write_all(&[text, b"\n"].concat());
        written.map_err(|e| format!("stdio: the guard takes nothing: {e}"))
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Whether a process runs and is not a zombie.
fn is_alive(process: u32) -> bool {
    memory::resident(process).is_some()
}

/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(60);
const AFTERWARDS: Duration = Duration::from_millis(200);
const LOOK_AGAIN: Duration = Duration::from_millis(10);
