//! The state of this process's guards, for `/healthz` and `/readyz`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use toolsure_guard::{Guard, ToolState, ToolsStatus};

use crate::render::count_of;

/// The upstreams, and whether they can accept calls.
pub(super) struct State {
    inner: Mutex<Inner>,
}

struct Inner {
    upstreams: BTreeMap<String, Served>,
    /// When each last refused a request because of a limit, by the limit's code.
    limits: BTreeMap<(String, &'static str), Instant>,
    started: bool,
    draining: bool,
    /// `None` without a shared store; the inner value says what is wrong with it, if anything.
    store: Option<Option<String>>,
}

/// An upstream.
#[derive(Clone, Default)]
pub(super) struct Served {
    /// Why it cannot be used; `None` if it can.
    pub(super) fault: Option<String>,
    /// Its guard, once it has started.
    pub(super) guard: Option<Guard>,
    /// The file with the approved definitions of its tools.
    pub(super) lock: Option<PathBuf>,
}

impl Served {
    /// Its tools, and what happens to them.
    pub(super) fn tools(&self) -> ToolsStatus {
        self.guard.as_ref().map(Guard::tools).unwrap_or_default()
    }

    /// Its state in one line.
    fn shown(&self) -> String {
        if let Some(why) = &self.fault {
            return why.clone();
        }
        let ToolsStatus { tools, older, .. } = self.tools();
        let mut line = "ready".to_owned();
        let held = tools.iter().filter(|tool| tool.state == ToolState::Held);
        match held.count() {
            0 => {}
            held => line.push_str(&format!("; {} held for approval", count_of(held, "tool"))),
        }
        match older.iter().map(|older| older.lists).sum() {
            0 => {}
            1_usize => line.push_str("; 1 session runs an older program"),
            lists => line.push_str(&format!("; {lists} sessions run an older program")),
        }
        line
    }
}

impl State {
    /// The state before anything has started.
    pub(super) fn new<'n>(names: impl Iterator<Item = &'n String>) -> Self {
        Self {
            inner: Mutex::new(Inner {
                upstreams: names
                    .map(|name| (name.clone(), Served::default()))
                    .collect(),
                limits: BTreeMap::new(),
                started: false,
                draining: false,
                store: None,
            }),
        }
    }

    /// Adds an upstream.
    pub(super) fn add(&self, name: &str) {
        self.with(|inner| inner.upstreams.insert(name.to_owned(), Served::default()));
    }

    /// Removes the upstreams that `is_kept` does not keep.
    pub(super) fn keep(&self, is_kept: impl Fn(&String) -> bool) {
        self.with(|inner| inner.upstreams.retain(|name, _| is_kept(name)));
    }

    /// Records that all guards listen.
    pub(super) fn started(&self) {
        self.with(|inner| inner.started = true);
    }

    /// Records that no more calls are accepted.
    pub(super) fn draining(&self) {
        self.with(|inner| inner.draining = true);
    }

    /// Records that an upstream can be used.
    pub(super) fn up(&self, name: &str) {
        self.with(|inner| {
            if let Some(served) = inner.upstreams.get_mut(name) {
                served.fault = None;
            }
        });
    }

    /// Records that an upstream cannot be used; `why` is one line, escaped.
    pub(super) fn down(&self, name: &str, why: String) {
        self.with(|inner| {
            if let Some(served) = inner.upstreams.get_mut(name) {
                served.fault = Some(why);
            }
        });
    }

    /// Records that a request or a connection was refused because of a limit, by the limit's code.
    pub(super) fn limited(&self, name: &str, code: &'static str) {
        self.with(|inner| {
            let key = (name.to_owned(), code);
            inner.limits.insert(key, Instant::now())
        });
    }

    /// The limits that were reached in the last minute, with the names of the guards.
    pub(super) fn limits(&self) -> Vec<(String, &'static str)> {
        self.with(|inner| inner.limits_within(RECENT))
    }

    /// Whether calls can be accepted, and a line for each upstream.
    ///
    /// A process with several upstreams is ready while one of them can be used. If a load balancer
    /// removed it because of one, the others would be gone too. The same holds for limits other than that of
    /// connections: sessions whose servers are processes here would be lost with it.
    pub(super) fn readiness(&self) -> (bool, String) {
        self.with(|inner| {
            if !inner.started {
                return (false, "starting\n".to_owned());
            }
            if inner.draining {
                return (false, "draining\n".to_owned());
            }
            let mut reached = inner.limits_within(FULL);
            if let Some((name, _)) = reached.iter().find(|(_, code)| *code == CONNECTIONS) {
                return (false, format!("{name}: too many connections\n"));
            }
            // What one caller has too much of does not concern others.
            reached.retain(|(_, code)| !code.starts_with("caller-"));
            let reached = reached.iter();
            let reached = reached.map(|(name, code)| {
                format!("{name}: the limit of {code} is reached, and requests are refused\n")
            });
            let lines = inner
                .upstreams
                .iter()
                .map(|(name, served)| format!("{name}: {}\n", served.shown()));
            let mut served = inner.upstreams.values();
            let ready = served.any(|served| served.fault.is_none());
            (ready, lines.chain(reached).collect())
        })
    }

    /// Sets the guard of an upstream, and its lock file.
    pub(super) fn serves(&self, name: &str, guard: &Guard, lock: Option<&Path>) {
        self.with(|inner| {
            let served = inner.upstreams.entry(name.to_owned()).or_default();
            served.guard = Some(guard.clone());
            served.lock = lock.map(Path::to_owned);
        });
    }

    /// The upstreams, by name.
    pub(super) fn upstreams(&self) -> BTreeMap<String, Served> {
        self.with(|inner| inner.upstreams.clone())
    }

    /// Records the state of the store that is shared with other guards; `None` if it works.
    #[cfg_attr(
        not(feature = "valkey"),
        expect(dead_code, reason = "nothing is shared")
    )]
    pub(super) fn store(&self, fault: Option<String>) {
        self.with(|inner| inner.store = Some(fault));
    }

    /// The text of `/healthz`. A process that has lost its store is healthy.
    pub(super) fn health(&self) -> String {
        self.with(|inner| match &inner.store {
            None => "ok\n".to_owned(),
            Some(None) => "ok\nstore: ready\n".to_owned(),
            Some(Some(why)) => format!("ok\nstore: {why}; guards work without it\n"),
        })
    }

    fn with<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        act(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Inner {
    fn limits_within(&mut self, time: Duration) -> Vec<(String, &'static str)> {
        self.limits.retain(|_, at| at.elapsed() < RECENT);
        let recent = self.limits.iter().filter(|(_, at)| at.elapsed() < time);
        recent.map(|(key, _)| key.clone()).collect()
    }
}

/// The code of the limit of connections.
const CONNECTIONS: &str = "connections";
/// How long a process is not ready after it refused a connection.
const FULL: Duration = Duration::from_secs(10);
/// How long the page shows that a limit was reached.
const RECENT: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ready_from_the_start_to_the_drain_while_one_upstream_is() {
        let names = ["a".to_owned(), "b".to_owned()];
        let state = State::new(names.iter());
        assert_eq!(state.readiness(), (false, "starting\n".to_owned()));
        state.started();
        assert_eq!(state.readiness(), (true, "a: ready\nb: ready\n".to_owned()));
        state.down("a", "refused".to_owned());
        assert_eq!(
            state.readiness(),
            (true, "a: refused\nb: ready\n".to_owned())
        );
        state.down("b", "refused".to_owned());
        assert!(!state.readiness().0);
        state.up("a");
        assert!(state.readiness().0);
        state.add("c");
        state.keep(|name| name != "c");
        assert!(!state.readiness().1.contains('c'));
        state.limited("b", "children");
        state.limited("b", "caller-children");
        assert_eq!(
            state.readiness(),
            (
                true,
                "a: ready\nb: refused\nb: the limit of children is reached, and requests are refused\n"
                    .to_owned()
            )
        );
        assert_eq!(state.limits().len(), 2);
        state.limited("b", "connections");
        assert_eq!(
            state.readiness(),
            (false, "b: too many connections\n".to_owned())
        );
        state.with(|inner| inner.limits.clear());
        assert_eq!(state.health(), "ok\n");
        #[cfg(feature = "valkey")]
        {
            state.store(Some("refused".to_owned()));
            assert_eq!(
                state.health(),
                "ok\nstore: refused; guards work without it\n"
            );
            assert!(state.readiness().0);
            state.store(None);
            assert_eq!(state.health(), "ok\nstore: ready\n");
        }
        state.draining();
        assert_eq!(state.readiness(), (false, "draining\n".to_owned()));
    }
}
