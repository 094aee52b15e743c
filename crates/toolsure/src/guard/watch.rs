//! Turns the events of one upstream into metrics, audit lines, log lines and readiness.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::Value;
use toolsure_guard::{Act, Action, Link, Record, Tracer};
use toolsure_json::quote;
use toolsure_proxy::guard::{Event, Observer, UpstreamState, limit_of};

use super::audit::Audit;
use super::log;
use super::metrics::Metrics;
use super::otel::Line;
use super::recent::Recent;
use super::state::State;

/// The observer of one upstream.
pub(super) struct Watch {
    name: String,
    shared: Arc<Shared>,
    stderr: Mutex<Vec<u8>>,
    /// What was logged about listed tools.
    listed: Mutex<Logged>,
    /// Exports telemetry, if there is a collector.
    line: Option<Arc<Line>>,
}

/// Digests of what was logged.
#[derive(Default)]
struct Logged {
    digests: HashSet<u64>,
    hasher: RandomState,
}

/// What all observers write to.
pub(super) struct Shared {
    pub(super) metrics: Arc<Metrics>,
    pub(super) state: Arc<State>,
    pub(super) recent: Arc<Recent>,
    pub(super) audit: Option<Audit>,
    /// Whether the audit log records passes too.
    pub(super) passes: AtomicBool,
}

impl Watch {
    pub(super) fn new(name: &str, shared: Arc<Shared>, line: Option<Arc<Line>>) -> Self {
        Self {
            name: name.to_owned(),
            shared,
            stderr: Mutex::default(),
            listed: Mutex::default(),
            line,
        }
    }

    fn verdict(&self, record: &Record) {
        let passed = record.action == Action::Passed;
        if let Some(audit) = &self.shared.audit
            && (!passed || self.shared.passes.load(Ordering::Relaxed))
        {
            let time = format!("\"{}\"", log::now());
            let upstream = Value::from(self.name.as_str()).to_string();
            audit.line(record.to_json_with(&[("time", &time), ("upstream", &upstream)]));
        }
        if passed {
            tracing::debug!(
                upstream = self.name,
                filter = record.filter.name(),
                "passed"
            );
            return;
        }
        self.shared.recent.note(&self.name, record);
        if record.code == Act::ApprovalNeeded.code() {
            let detail = record.detail.as_deref().unwrap_or_default();
            tracing::warn!(target: log::APPROVAL, upstream = self.name, "{detail}");
            return;
        }
        // Each client lists the tools, and what is wrong with one is the same each time.
        if record.method.as_deref() == Some("tools/list")
            && record.tool.is_some()
            && !self.is_new(record)
        {
            tracing::debug!(
                upstream = self.name,
                filter = record.filter.name(),
                code = record.code,
                tool = record.tool.as_deref(),
                "the same as in an earlier list"
            );
            return;
        }
        let shown = |text: &str| quote(text, SHOWN).to_string();
        let tool = record.tool.as_deref().map(shown);
        let method = record.method.as_deref().map(shown);
        let peer = record.peer.as_deref();
        let caller = peer.and_then(|peer| peer.caller.as_deref()).map(shown);
        // The pointer of the whole value is empty.
        let shown = |place: &String| match place.starts_with(' ') {
            true => format!("(root){place}"),
            false => place.clone(),
        };
        let places: Vec<String> = record.places.iter().map(shown).collect();
        let places = places.join("; ");
        tracing::info!(
            upstream = self.name,
            filter = record.filter.name(),
            code = record.code,
            blame = record.blame.map(|blame| blame.name()),
            caller,
            method,
            tool,
            places = (!places.is_empty()).then_some(places),
            detail = record.detail,
            more = (record.more > 0).then_some(record.more),
            "{}",
            record.action.name(),
        );
    }

    /// Whether nothing equal was logged about a listed tool.
    fn is_new(&self, record: &Record) -> bool {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if listed.digests.len() == LISTED {
            listed.digests.clear();
        }
        let what = (
            record.code,
            record.tool.as_deref(),
            record.detail.as_deref(),
            record.digest,
            &record.places,
            record.action.name(),
        );
        let digest = listed.hasher.hash_one(what);
        listed.digests.insert(digest)
    }

    fn upstream(&self, state: &UpstreamState<'_>) {
        let upstream = self.name.as_str();
        match state {
            UpstreamState::Started => {
                self.shared.state.up(upstream);
                tracing::info!(upstream, "the server was started");
            }
            UpstreamState::Ended { how } => tracing::info!(upstream, how, "the server ended"),
            UpstreamState::Failed(fault) => {
                self.shared.state.down(upstream, fault.to_string());
                tracing::error!(upstream, %fault, "the server cannot be used");
            }
            // It was logged where it was noticed.
            UpstreamState::Gone { how } => self.shared.state.down(upstream, (*how).to_owned()),
            UpstreamState::Here => self.shared.state.up(upstream),
            _ => {}
        }
    }

    /// Logs the standard error of the server, line by line.
    fn stderr(&self, bytes: &[u8]) {
        let mut kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            kept.extend_from_slice(part);
            if part.ends_with(b"\n") || kept.len() >= LINE_BYTES {
                let line = String::from_utf8_lossy(&kept);
                let line = quote(line.trim_end(), LINE_BYTES).to_string();
                tracing::info!(target: "server", upstream = self.name, "{line}");
                kept.clear();
            }
        }
    }
}

impl Observer for Watch {
    fn observe(&self, event: &Event<'_>) {
        self.shared.metrics.event(&self.name, event);
        match event {
            Event::Verdict(record) => self.verdict(record),
            Event::Upstream(state) => self.upstream(state),
            Event::Stderr(bytes) => self.stderr(bytes),
            Event::Note { what, detail } => {
                tracing::warn!(upstream = self.name, what, "{detail}");
            }
            Event::Detail { what, detail } => {
                tracing::debug!(upstream = self.name, what, "{detail}");
            }
            Event::Rejected { status, why } => {
                if limit_of(why).is_some() {
                    self.shared.state.limited(&self.name, why);
                }
                tracing::info!(upstream = self.name, status, why, "a request was refused");
            }
            Event::GivenUp { why } => {
                tracing::info!(upstream = self.name, why, "a connection was closed");
            }
            Event::Disconnected { lasted } => {
                if let Some(line) = &self.line {
                    line.disconnected(*lasted);
                }
            }
            Event::SessionClosed { lasted } => {
                if let Some(line) = &self.line {
                    line.session_closed(*lasted);
                }
            }
            _ => {}
        }
    }

    fn tracer(&self, link: &Link) -> Option<Arc<dyn Tracer>> {
        self.line.as_ref().map(|line| line.tracer(link))
    }
}

/// Maximum characters of an untrusted name in a log line.
const SHOWN: usize = 128;
/// How many findings about listed tools of one upstream are remembered; after them each is logged again.
const LISTED: usize = 4_096;
/// Maximum bytes of a line of a server's standard error in the log; longer lines are split.
const LINE_BYTES: usize = 2_048;
