//! The metrics of a guard, for `/metrics`.

mod family;
mod process;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use toolsure_guard::{Action, Filter, Record, Side};
use toolsure_mcp::message::Method;
use toolsure_proxy::guard::{Event, UpstreamState};

use family::Family;

/// Every metric of a guard. Counting takes one short lock and does no I/O.
pub(crate) struct Metrics {
    connections: Family,
    connections_total: Family,
    sessions: Family,
    sessions_total: Family,
    messages: Family,
    bytes: Family,
    verdicts: Family,
    rejections: Family,
    given_up: Family,
    fuel: Family,
    duration: Family,
    refused_requests: Family,
    upstream_up: Family,
    upstream_starts: Family,
    upstream_ends: Family,
    upstream_failures: Family,
    stderr: Family,
    notes: Family,
    reloads: Family,
    reload_good: Family,
    audit_lines: Family,
    audit_lost: Family,
    log_lost: Family,
    lost_lines: OnceLock<Arc<AtomicUsize>>,
    telemetry: Family,
    store_up: Family,
    store_losses: Family,
    store_written: Family,
    store_garbled: Family,
    build: Family,
}

impl Metrics {
    pub(crate) fn new() -> Arc<Self> {
        let metrics = Self {
            connections: Family::gauge(
                "toolsure_guard_connections",
                UPSTREAM,
                "Open client connections.",
            ),
            connections_total: Family::counter(
                "toolsure_guard_connections_total",
                UPSTREAM,
                "Client connections that were opened.",
            ),
            sessions: Family::gauge(
                "toolsure_guard_sessions",
                UPSTREAM,
                "Open HTTP sessions of clients before 2026-07-28.",
            ),
            given_up: Family::counter(
                "toolsure_guard_connections_given_up_total",
                &["upstream", "why"],
                "Connections of clients that the guard closed before the answer was complete.",
            ),
            sessions_total: Family::counter(
                "toolsure_guard_sessions_total",
                UPSTREAM,
                "HTTP sessions of clients before 2026-07-28 that were opened.",
            ),
            messages: Family::counter(
                "toolsure_guard_messages_total",
                &["upstream", "from"],
                "Messages received, by the side that sent them.",
            ),
            bytes: Family::counter(
                "toolsure_guard_message_bytes_total",
                &["upstream", "from"],
                "Bytes of the messages received, by the side that sent them.",
            ),
            verdicts: Family::counter(
                "toolsure_guard_verdicts_total",
                &["upstream", "filter", "action", "code"],
                "Verdicts, by filter, action, and code of the reason.",
            ),
            rejections: Family::counter(
                "toolsure_guard_rejections_total",
                &["upstream", "tool", "code"],
                "Messages about a tool that were refused or dropped.",
            ),
            fuel: Family::counter(
                "toolsure_guard_check_fuel_total",
                &["upstream", "filter"],
                "Work of the checks, in units of fuel, the same on every machine.",
            ),
            duration: Family::seconds(
                "mcp_server_operation_duration_seconds",
                &[
                    "upstream",
                    "mcp_method_name",
                    "gen_ai_tool_name",
                    "error_type",
                ],
                "Time from a client's request to its answer.",
            ),
            refused_requests: Family::counter(
                "toolsure_guard_http_rejections_total",
                &["upstream", "status", "why"],
                "HTTP requests that were refused before their message was checked.",
            ),
            upstream_up: Family::gauge(
                "toolsure_guard_upstream_up",
                UPSTREAM,
                "1 if the last use of the server succeeded, otherwise 0.",
            ),
            upstream_starts: Family::counter(
                "toolsure_guard_upstream_starts_total",
                UPSTREAM,
                "Server processes that were started.",
            ),
            upstream_ends: Family::counter(
                "toolsure_guard_upstream_ends_total",
                UPSTREAM,
                "Server processes that ended.",
            ),
            upstream_failures: Family::counter(
                "toolsure_guard_upstream_failures_total",
                UPSTREAM,
                "Failed attempts to start or reach the server.",
            ),
            stderr: Family::counter(
                "toolsure_guard_stderr_bytes_total",
                UPSTREAM,
                "Bytes that server processes wrote to standard error.",
            ),
            notes: Family::counter(
                "toolsure_guard_notes_total",
                &["upstream", "what"],
                "Warnings, by kind.",
            ),
            reloads: Family::counter(
                "toolsure_guard_config_reloads_total",
                &["outcome"],
                "Reloads of the settings, by outcome.",
            ),
            reload_good: Family::gauge(
                "toolsure_guard_config_good",
                &[],
                "1 if the settings that were read last are in force, otherwise 0.",
            ),
            audit_lines: Family::counter(
                "toolsure_guard_audit_lines_total",
                &[],
                "Lines that were written to the audit log.",
            ),
            audit_lost: Family::counter(
                "toolsure_guard_audit_lost_total",
                &[],
                "Lines of the audit log that were lost, because the queue was full or a write failed.",
            ),
            log_lost: Family::counter(
                "toolsure_guard_log_lost_total",
                &[],
                "Lines of the log that were lost, because standard error was not read.",
            ),
            lost_lines: OnceLock::new(),
            telemetry: Family::counter(
                "toolsure_guard_telemetry_total",
                &["signal", "outcome"],
                "Spans and exports of metrics, by outcome.",
            ),
            store_up: Family::gauge(
                "toolsure_guard_store_up",
                &[],
                "1 if the shared store can be used, otherwise 0; absent without a store.",
            ),
            store_losses: Family::counter(
                "toolsure_guard_store_losses_total",
                &[],
                "Times that the shared store was lost, or not reached at the start.",
            ),
            store_written: Family::counter(
                "toolsure_guard_store_written_total",
                &["what"],
                "Writes to the shared store, by kind: rate limits, pins, quarantined tools.",
            ),
            store_garbled: Family::counter(
                "toolsure_guard_store_garbled_total",
                &["what"],
                "Values in the shared store that no guard wrote, and that are ignored.",
            ),
            build: Family::gauge(
                "toolsure_build_info",
                &["version"],
                "Always 1; the label is the version of this build.",
            ),
        };
        metrics.build.set(&[env!("CARGO_PKG_VERSION")], 1);
        metrics.reload_good.set(&[], 1);
        Arc::new(metrics)
    }

    /// Counts an event of one upstream.
    pub(crate) fn event(&self, upstream: &str, event: &Event<'_>) {
        let one = [upstream];
        match event {
            Event::Connected => {
                self.connections.add(&one, 1);
                self.connections_total.add(&one, 1);
            }
            Event::Disconnected { .. } => self.connections.add(&one, -1),
            Event::GivenUp { why } => self.given_up.add(&[upstream, why], 1),
            Event::SessionOpened => {
                self.sessions.add(&one, 1);
                self.sessions_total.add(&one, 1);
            }
            Event::SessionClosed { .. } => self.sessions.add(&one, -1),
            Event::Rejected { status, why } => {
                self.refused_requests
                    .add(&[upstream, &status.to_string(), why], 1);
            }
            Event::Verdict(record) => self.verdict(upstream, record),
            Event::Message { from, bytes } => {
                let labels = [upstream, side(*from)];
                self.messages.add(&labels, 1);
                self.bytes.add(&labels, number(*bytes));
            }
            Event::Upstream(state) => match state {
                UpstreamState::Started => {
                    self.upstream_starts.add(&one, 1);
                    self.upstream_up.set(&one, 1);
                }
                UpstreamState::Ended { .. } => self.upstream_ends.add(&one, 1),
                UpstreamState::Failed(_) => {
                    self.upstream_failures.add(&one, 1);
                    self.upstream_up.set(&one, 0);
                }
                UpstreamState::Gone { .. } => self.upstream_up.set(&one, 0),
                UpstreamState::Here => self.upstream_up.set(&one, 1),
                _ => {}
            },
            Event::Stderr(bytes) => self.stderr.add(&one, number(bytes.len())),
            Event::Note { what, .. } => self.notes.add(&[upstream, what], 1),
            _ => {}
        }
    }

    fn verdict(&self, upstream: &str, record: &Record) {
        let filter = record.filter.name();
        let labels = [upstream, filter, record.action.name(), record.code];
        // A record may stand for several tools of a page, which have no records of their own.
        let number = i64::try_from(record.more.max(1)).unwrap_or(i64::MAX);
        self.verdicts.add(&labels, number);
        if record.fuel > 0 {
            let fuel = i64::try_from(record.fuel).unwrap_or(i64::MAX);
            self.fuel.add(&[upstream, filter], fuel);
        }
        // Tool names that a client makes up get no series.
        let tool = match &record.tool {
            Some(name) if record.listed => name,
            Some(_) => OTHER,
            None => "",
        };
        if matches!(record.action, Action::Refused | Action::Dropped) {
            self.rejections.add(&[upstream, tool, record.code], 1);
        }
        if let Some(elapsed) = record.elapsed {
            let method = record.method.as_deref().unwrap_or_default();
            let method = if method.is_empty() || Method::of(method).is_some() {
                method
            } else {
                OTHER
            };
            let error = match (record.filter, record.action) {
                (Filter::Results, Action::Passed | Action::Altered) => "",
                _ => record.code,
            };
            self.duration
                .observe(&[upstream, method, tool, error], elapsed);
        }
    }

    /// Counts a reload, and records whether its settings are in force.
    pub(crate) fn reload(&self, good: bool) {
        self.reloads.add(&[if good { "good" } else { "bad" }], 1);
        self.reload_good.set(&[], i64::from(good));
    }

    /// Counts a line of the audit log, written or lost.
    pub(crate) fn audit(&self, written: bool) {
        match written {
            true => self.audit_lines.add(&[], 1),
            false => self.audit_lost.add(&[], 1),
        }
    }

    /// Shows this count of lines of the log that were lost.
    pub(crate) fn show_lost_lines(&self, lost: Arc<AtomicUsize>) {
        // There is one log.
        let _once = self.lost_lines.set(lost);
    }

    /// Counts the outcome of spans or of an export of metrics.
    #[cfg_attr(
        not(feature = "otel"),
        expect(dead_code, reason = "nothing is exported")
    )]
    pub(crate) fn telemetry(&self, signal: &str, outcome: &str, count: usize) {
        self.telemetry.add(&[signal, outcome], number(count));
    }

    /// Records whether the store is available.
    #[cfg_attr(
        not(feature = "valkey"),
        expect(dead_code, reason = "nothing is shared")
    )]
    pub(crate) fn store_up(&self, up: bool) {
        self.store_up.set(&[], i64::from(up));
    }

    /// Counts a loss of the store.
    #[cfg_attr(
        not(feature = "valkey"),
        expect(dead_code, reason = "nothing is shared")
    )]
    pub(crate) fn store_lost(&self) {
        self.store_losses.add(&[], 1);
    }

    /// Counts what was written to the store.
    #[cfg_attr(
        not(feature = "valkey"),
        expect(dead_code, reason = "nothing is shared")
    )]
    pub(crate) fn store_written(&self, what: &str, count: usize) {
        if count > 0 {
            self.store_written.add(&[what], number(count));
        }
    }

    /// Counts values in the store that no guard wrote.
    #[cfg_attr(
        not(feature = "valkey"),
        expect(dead_code, reason = "nothing is shared")
    )]
    pub(crate) fn store_garbled(&self, what: &str, count: usize) {
        self.store_garbled.add(&[what], number(count));
    }

    /// All metrics in Prometheus's text format, version 0.0.4.
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(8 << 10);
        if let Some(lost) = self.lost_lines.get() {
            self.log_lost.set(&[], number(lost.load(Ordering::Relaxed)));
        }
        for family in [
            &self.build,
            &self.connections,
            &self.connections_total,
            &self.sessions,
            &self.sessions_total,
            &self.messages,
            &self.bytes,
            &self.verdicts,
            &self.rejections,
            &self.given_up,
            &self.fuel,
            &self.duration,
            &self.refused_requests,
            &self.upstream_up,
            &self.upstream_starts,
            &self.upstream_ends,
            &self.upstream_failures,
            &self.stderr,
            &self.notes,
            &self.reloads,
            &self.reload_good,
            &self.audit_lines,
            &self.audit_lost,
            &self.log_lost,
            &self.telemetry,
            &self.store_up,
            &self.store_losses,
            &self.store_written,
            &self.store_garbled,
        ] {
            family.write(&mut text);
        }
        process::write(&mut text);
        text
    }
}

fn side(side: Side) -> &'static str {
    match side {
        Side::Client => "client",
        Side::Server => "server",
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The conventions' word for a name without a series of its own.
const OTHER: &str = "_OTHER";
const UPSTREAM: &[&str] = &["upstream"];
