//! The servers, guards and store that the clients call, and the disturbances during the calls.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use super::calls::{self, Era, Got, Kind};
use super::clients::{Disturbances, TOOLS};
use super::lines::Lines;
use crate::build;
use crate::gateways::memory;
use crate::peers::{self, Served};
use crate::replicas::guards::Replica;
use crate::replicas::http::Connection;
use crate::shared::server::{self, PASSWORD, Server};

/// An HTTP server that can be killed and started again at its address.
struct Restarting {
    program: PathBuf,
    port: u16,
    served: Option<Served>,
}

impl Restarting {
    fn start(program: &Path) -> Result<Self, String> {
        let free = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let mut server = Self {
            program: program.to_owned(),
            port: free.map_err(|e| format!("a free port: {e}"))?.port(),
            served: None,
        };
        server.again()?;
        Ok(server)
    }

    fn again(&mut self) -> Result<(), String> {
        self.served = None;
        let mut command = Command::new(&self.program);
        command.arg("--http").env("PORT", self.port.to_string());
        self.served = Some(Served::start(&mut command)?);
        Ok(())
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }
}

/// Everything that runs.
pub(super) struct Scene {
    toolsure: PathBuf,
    config: PathBuf,
    /// The two servers by URL in the listing of three, and the one with its own guard.
    servers: Vec<Restarting>,
    pub(super) store: Result<Server, String>,
    pub(super) aggregate: Replica,
    pub(super) direct: Replica,
    pub(super) lines: Vec<Lines>,
    settings: Vec<String>,
    reloads: u64,
}

/// The resources that a guard holds at rest.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) kib: u64,
    pub(super) descriptors: u64,
    pub(super) children: u64,
}

impl Scene {
    /// Builds and starts everything.
    ///
    /// # Errors
    ///
    /// One line if something cannot be built or started.
    pub(super) fn start() -> Result<Self, String> {
        let fixture = build::binary("everything-server")?;
        let toolsure = build::binary("toolsure")?;
        let folder = build::target()?.join("soak");
        peers::fresh(&folder)?;
        for (name, text) in [("password", PASSWORD), ("keys", KEY)] {
            write(&folder.join(name), text)?;
        }
        let servers = (0..3).map(|_| Restarting::start(&fixture));
        let servers: Vec<Restarting> = servers.collect::<Result<_, _>>()?;
        let store = server::program().and_then(|program| Server::start(&program, &folder));
        let mut settings = vec!["times.grace=500ms".to_owned()];
        if let Ok(store) = &store {
            settings.extend([
                format!("shared.store={}", store.url()),
                format!("shared.password_file={}", folder.join("password").display()),
                format!("shared.key_file={}", folder.join("keys").display()),
                "shared.every=50ms".to_owned(),
                "rate.calls=1000000".to_owned(),
                "rate.per=1s".to_owned(),
                "rate.burst=1000000".to_owned(),
            ]);
        }
        let config = folder.join("guard.toml");
        let urls: Vec<String> = servers.iter().map(Restarting::url).collect();
        let [a, b, direct] = urls.as_slice() else {
            return Err("there are not three servers".to_owned());
        };
        write(
            &config,
            &format!(
                "{}[upstreams.a]\nurl = \"{a}\"\n[upstreams.b]\nurl = \"{b}\"\n[upstreams.c]\ncommand = [\"{}\"]\nrestarts = 1000\n",
                policy(0),
                fixture.display()
            ),
        )?;
        let keys = folder.join("keys");
        let named = config.display().to_string();
        let aggregate = Replica::start_with(&toolsure, &["--config", &named], &keys, &settings)?;
        let direct = Replica::start_with(&toolsure, &["--upstream", direct], &keys, &settings)?;
        let lines =
            [Era::Modern, Era::Legacy].map(|era| Lines::start(&toolsure, &config, &settings, era));
        Ok(Self {
            lines: lines.into_iter().collect::<Result<_, _>>()?,
            toolsure,
            config,
            servers,
            store,
            aggregate,
            direct,
            settings,
            reloads: 0,
        })
    }

    /// The guards: names and process ids.
    pub(super) fn guards(&self) -> Vec<(&'static str, u32)> {
        let names = ["stdio, three servers", "stdio, three servers, older client"];
        let mut guards = vec![
            ("HTTP, three servers", self.aggregate.process()),
            ("HTTP, one server", self.direct.process()),
        ];
        guards.extend(names.into_iter().zip(self.lines.iter().map(Lines::process)));
        guards
    }
}

/// What the controller of a run needs while other threads call `lines`.
pub(super) struct Controls<'a> {
    servers: &'a mut Vec<Restarting>,
    store: Option<&'a mut Server>,
    aggregate: &'a mut Replica,
    direct: &'a mut Replica,
    toolsure: &'a Path,
    config: &'a Path,
    settings: &'a [String],
    reloads: &'a mut u64,
}

impl Scene {
    /// The stdio clients, and what the controller needs.
    pub(super) fn split(&mut self) -> (&mut Vec<Lines>, Controls<'_>) {
        let controls = Controls {
            servers: &mut self.servers,
            store: self.store.as_mut().ok(),
            aggregate: &mut self.aggregate,
            direct: &mut self.direct,
            toolsure: &self.toolsure,
            config: &self.config,
            settings: &self.settings,
            reloads: &mut self.reloads,
        };
        (&mut self.lines, controls)
    }
}

impl Controls<'_> {
    /// Causes the next disturbance and returns its name.
    ///
    /// # Errors
    ///
    /// One line if something does not come back.
    pub(super) fn disturb(
        &mut self,
        turn: usize,
        disturbances: &Disturbances,
    ) -> Result<&'static str, String> {
        match turn % KINDS {
            0 => {
                *self.reloads += 1;
                let text = std::fs::read_to_string(self.config).map_err(|e| e.to_string())?;
                let (old, new) = (policy(*self.reloads - 1), policy(*self.reloads));
                write(self.config, &text.replace(&old, &new))?;
                self.aggregate.reload()?;
                self.direct.reload()?;
                Ok("settings read again")
            }
            1 => {
                let family = memory::family(self.aggregate.process());
                // Another child each time: the one for modern clients, or one of a session.
                let children = family.get(1..).unwrap_or_default();
                let child = children.get(turn / KINDS % children.len().max(1));
                disturbances.begin();
                if let Some(child) = child {
                    let killed = Command::new("kill")
                        .args(["-9", &child.to_string()])
                        .status();
                    killed.map_err(|e| format!("kill: {e}"))?;
                }
                self.settle(disturbances)?;
                Ok("process of a server killed")
            }
            2 => {
                if let Some(store) = &mut self.store {
                    store.kill();
                    std::thread::sleep(AWAY);
                    store.again()?;
                    return Ok("store killed and back");
                }
                Ok("no store")
            }
            3 => {
                let lines = Lines::start(self.toolsure, self.config, self.settings, Era::Legacy)?;
                lines.end()?;
                Ok("client on stdio came and left")
            }
            _ => {
                disturbances.begin();
                let count = self.servers.len().max(1);
                if let Some(server) = self.servers.get_mut(turn / KINDS % count) {
                    server.served = None;
                    std::thread::sleep(AWAY);
                    server.again()?;
                }
                self.settle(disturbances)?;
                Ok("server over HTTP killed and back")
            }
        }
    }

    /// Waits until every server can be called through its guard.
    fn settle(&self, disturbances: &Disturbances) -> Result<(), String> {
        let aggregated = TOOLS.map(|tool| (self.aggregate.address, tool));
        for (guard, tool) in aggregated
            .into_iter()
            .chain([(self.direct.address, "get-weather")])
        {
            let begun = Instant::now();
            while !answers(guard, tool) {
                if begun.elapsed() > PATIENCE {
                    return Err(format!("{tool} is not back within {PATIENCE:?}"));
                }
                std::thread::sleep(LOOK_AGAIN);
            }
        }
        disturbances.end();
        Ok(())
    }
}

fn answers(guard: std::net::SocketAddr, tool: &str) -> bool {
    let text = calls::text(Era::Modern, Kind::Valid, 1, tool);
    let headers = calls::headers(Era::Modern, tool, None);
    let reply = Connection::open(guard)
        .and_then(|mut connection| connection.request("POST", "/mcp", &headers, &text));
    reply.is_ok_and(|reply| calls::judge(Kind::Valid, &reply.message()) == Got::Right)
}

/// What each guard holds after waiting for `patience`.
pub(super) fn held(guards: &[(&'static str, u32)], patience: Duration) -> Vec<Held> {
    std::thread::sleep(patience);
    let one = |process: u32| Held {
        kib: memory::resident(process).unwrap_or(0),
        descriptors: std::fs::read_dir(format!("/proc/{process}/fd"))
            .map_or(0, |entries| u64::try_from(entries.count()).unwrap_or(0)),
        children: u64::try_from(memory::family(process).len().saturating_sub(1)).unwrap_or(0),
    };
    guards.iter().map(|(_, process)| one(*process)).collect()
}

/// The first part of the settings. Each reload changes it, but not the verdicts on these calls.
fn policy(reloads: u64) -> String {
    let results = if reloads.is_multiple_of(2) {
        "enforce"
    } else {
        "audit"
    };
    format!("[policy]\nresults = \"{results}\"\n")
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// The number of kinds of disturbances.
const KINDS: usize = 5;
pub(super) const KEY: &str = "a key that ids are sealed with, of 32 bytes or more";
/// How long something that was killed stays down.
const AWAY: Duration = Duration::from_millis(700);
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(60);
