//! The guard of these scenes, its server, and what it holds.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde_json::json;
use toolsure_testkit::place;

use super::request::Request;
use crate::build;
use crate::gateways::memory;
use crate::peers;
use crate::replicas::guards::Replica;
use crate::shared::watch::metric;
use crate::soak::scene::{Held, KEY, held};

/// Where a guard in front of a program is reached.
pub(super) struct Guard {
    pub(super) address: SocketAddr,
    /// Its port for metrics and health.
    pub(super) admin: SocketAddr,
    /// The file with the ids of processes that servers left behind.
    left: PathBuf,
}

/// What the guard holds at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct AtRest {
    pub(super) held: Held,
    pub(super) sessions: u64,
    pub(super) connections: u64,
}

/// What a process of the server says of itself.
#[derive(Debug, serde::Deserialize)]
pub(super) struct State {
    /// Its id.
    pub(super) process: u32,
    /// Calls that it has not answered yet.
    pub(super) slow: u64,
    /// Clients that listen.
    pub(super) listening: u64,
}

impl Guard {
    /// Builds and starts everything. The guard ends when its process is dropped.
    ///
    /// # Errors
    ///
    /// One line if something cannot be built or started.
    pub(super) fn start(settings: &[String]) -> Result<(Self, Replica), String> {
        let toolsure = build::binary("toolsure")?;
        let folder = build::target()?.join("soak/network");
        peers::fresh(&folder)?;
        let prelude = place::workspace().join("crates/toolsure-proxy/tests/guard/prelude.py");
        let server = place::text(&prelude)? + &place::text(&script("server.py"))?;
        let [left, at, keys, config] =
            ["left", "server.py", "keys", "guard.toml"].map(|name| folder.join(name));
        let shapes = peers::shapes();
        let mut command = ["python3", "-I", "-S"].map(str::to_owned).to_vec();
        command.extend([&at, &shapes, &left].map(|path| path.display().to_string()));
        let text = format!(
            "[upstreams.server]\ncommand = {}\nrestarts = 1000\n",
            json!(command)
        );
        for (path, text) in [(&at, &*server), (&keys, KEY), (&config, &text)] {
            std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        }
        let config = config.display().to_string();
        let replica = Replica::start_with(&toolsure, &["--config", &config], &keys, settings)?;
        let guard = Self {
            address: replica.address,
            admin: replica.admin,
            left,
        };
        // Starts the program that all modern clients share.
        guard.state(None)?;
        Ok((guard, replica))
    }

    /// Asks the process of a session, or without one that of all modern clients.
    pub(super) fn state(&self, session: Option<&str>) -> Result<State, String> {
        let reply = Request::call(session, "state", &json!({})).ask(self.address)?;
        let message = reply.message();
        let text = message.pointer("/result/content/0/text");
        let text = text.and_then(serde_json::Value::as_str);
        let state = text.and_then(|text| serde_json::from_str(text).ok());
        state.ok_or_else(|| format!("no state: {} {}", reply.status, reply.body))
    }

    /// The processes that servers left behind and that still run.
    pub(super) fn left_behind(&self) -> Vec<u32> {
        let text = std::fs::read_to_string(&self.left).unwrap_or_default();
        let processes = text.lines().filter_map(|line| line.parse().ok());
        processes
            .filter(|process| memory::resident(*process).is_some())
            .collect()
    }

    /// Which of the clients with these ports are connected, as the system of the guard sees it.
    pub(super) fn connected(&self, ports: &[u16]) -> HashSet<u16> {
        let table = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
        let own = self.address.port();
        let port = |field: Option<&str>| {
            let (_, port) = field?.rsplit_once(':')?;
            u16::from_str_radix(port, 16).ok()
        };
        let client = |row: &str| {
            let mut fields = row.split_whitespace().skip(1);
            let (local, client) = (port(fields.next())?, port(fields.next())?);
            let is_open = fields.next()? == ESTABLISHED;
            (local == own && is_open && ports.contains(&client)).then_some(client)
        };
        table.lines().filter_map(client).collect()
    }
}

/// What a guard holds now.
pub(super) fn at_rest(guard: &Replica) -> AtRest {
    let (sessions, connections) = (
        metric(guard, "toolsure_guard_sessions{"),
        metric(guard, "toolsure_guard_connections{"),
    );
    // The connection that the metrics came over is closed by then.
    let held = held(&[("", guard.process())], A_MOMENT);
    AtRest {
        held: held.first().copied().unwrap_or_default(),
        sessions,
        connections,
    }
}

/// A file in `xtask/soak`.
pub(super) fn script(name: &str) -> PathBuf {
    place::workspace().join("xtask/soak").join(name)
}

/// Waits until something is so, for at most `limit`. Returns whether it is.
pub(super) fn within(limit: Duration, mut so: impl FnMut() -> bool) -> bool {
    let begun = Instant::now();
    loop {
        if so() {
            return true;
        }
        if begun.elapsed() > limit {
            return false;
        }
        std::thread::sleep(LOOK_AGAIN);
    }
}

/// The state of a connection in the system's table.
const ESTABLISHED: &str = "01";
const A_MOMENT: Duration = Duration::from_millis(100);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
