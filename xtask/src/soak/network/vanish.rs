//! Clients that vanish without FIN and RST: `xtask/soak/vanish.py`.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

use serde_json::json;

use super::found::Found;
use super::guard::{Guard, script, within};
use super::request::Request;
use crate::gateways::memory;
use crate::replicas::load;

/// How the clients vanish. Some systems permit neither without `CAP_NET_ADMIN`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// Their system answers what comes later with RST.
    Closed,
    /// Nothing answers.
    Silent,
}

impl How {
    fn word(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Silent => "silent",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Closed => "vanished, RST at the next packet",
            Self::Silent => "vanished, no answer to anything",
        }
    }
}

/// What is waited for after clients have vanished.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Connections.
    Closed,
    /// Connections, sessions and their processes.
    Ended,
}

/// Four clients vanish: one listens in a session, one has a session and is silent, one of 2026-07-28
/// waits for a call, and one listens. `holds` is dropped when the guard holds no connection of them.
pub(super) fn scene(
    guard: &Guard,
    (how, until): (How, Until),
    patience: Duration,
    holds: Sender<()>,
) -> Result<Found, String> {
    let mut found = Found::default();
    let to = guard.address;
    let (listens, silent) = (load::open(to)?, load::open(to)?);
    let processes = [&listens, &silent].map(|session| guard.state(Some(session)));
    let [listens_in, silent_in] = processes;
    let processes = [listens_in?.process, silent_in?.process];
    let requests = [
        ("GET stream", Request::listen(&listens)),
        (
            "idle connection",
            Request::call(Some(&silent), "state", &json!({})),
        ),
        (
            "slow call",
            Request::call(None, "slow", &json!({"seconds": 600})),
        ),
        ("subscription", Request::subscribe()),
    ];
    let mut clients = Clients::start(to.port(), how, requests.each_ref().map(|(_, of)| of))?;
    let known = guard.state(None)?;
    found
        .tally
        .claim(known.slow > 0 && known.listening > 0, || {
            format!("the server knows nothing of the clients: {known:?}")
        });
    let connected = guard.connected(&clients.ports).len();
    found.tally.claim(connected == requests.len(), || {
        format!(
            "only {connected} of {} clients are connected",
            requests.len()
        )
    });
    if let Some(why) = clients.vanish()? {
        found.line(format!("skipped: clients that {}: {why}", how.text()));
        return Ok(found);
    }
    let begun = Instant::now();
    let mut open: HashSet<u16> = clients.ports.iter().copied().collect();
    let mut alive = match until {
        Until::Closed => Vec::new(),
        Until::Ended => processes.to_vec(),
    };
    let mut holds = Some(holds);
    within(patience, || {
        let now = guard.connected(&clients.ports);
        for port in open.difference(&now) {
            let at = clients.ports.iter().position(|own| own == port);
            let what = at
                .and_then(|at| requests.get(at))
                .map_or("", |(name, _)| name);
            found.time(format!("{}: {what} closed", how.text()), begun.elapsed());
        }
        open = now;
        if open.is_empty() {
            holds = None;
        }
        if !alive.is_empty() {
            alive.retain(|process| memory::resident(*process).is_some());
            if alive.is_empty() {
                let what = format!("{}: sessions and processes gone", how.text());
                found.time(what, begun.elapsed());
            }
        }
        open.is_empty() && alive.is_empty()
    });
    found.tally.claim(open.is_empty(), || {
        let text = how.text();
        format!(
            "{} clients that {text} are connected after {patience:?}",
            open.len()
        )
    });
    found.tally.claim(alive.is_empty(), || {
        format!("{how:?}: servers of vanished clients run after {patience:?}: {alive:?}")
    });
    Ok(found)
}

/// The program, and the ports of its connections.
struct Clients {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    ports: Vec<u16>,
}

impl Clients {
    /// Starts the clients and waits until each has an answer, or its begin.
    fn start<const N: usize>(port: u16, how: How, requests: [&Request; N]) -> Result<Self, String> {
        let mut child = Command::new("python3")
            .args(["-I", "-S"])
            .arg(script("vanish.py"))
            .args([&port.to_string(), how.word()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("python3: {e}"))?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let mut clients = Self {
            child,
            input: input.ok_or("vanish.py has no input")?,
            output: BufReader::new(output.ok_or("vanish.py has no output")?),
            ports: Vec::new(),
        };
        let texts = requests.map(|of| String::from_utf8_lossy(&of.bytes()).into_owned());
        let said = clients.next(&json!(texts.as_slice()).to_string())?;
        clients.ports =
            serde_json::from_str(&said).map_err(|e| format!("vanish.py: {e}: `{said}`"))?;
        Ok(clients)
    }

    /// Returns why the clients may not vanish, if so.
    fn vanish(&mut self) -> Result<Option<String>, String> {
        let said = self.next("vanish")?;
        Ok((said != "gone").then_some(said))
    }

    /// Writes a line and reads one.
    fn next(&mut self, line: &str) -> Result<String, String> {
        let failed = |e: std::io::Error| format!("vanish.py: {e}");
        writeln!(self.input, "{line}").map_err(failed)?;
        let mut said = String::new();
        self.output.read_line(&mut said).map_err(failed)?;
        Ok(said.trim_end().to_owned())
    }
}

impl Drop for Clients {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}
