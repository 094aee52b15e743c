//! The keys of rates, limits, times and records, section by section.

use toolsure_guard::policy::Recorded;

use super::super::settings::Config;
use super::super::slot::Slot;
use super::super::words::{LogFormat, Words};
use super::key::{Key, fixed, h, live, ms, put, rate_burst, rate_per, s};

/// The keys, in the order of the reference.
pub(super) const LIMITS: &[Key<Config>] = &[
    live(
        "rate.calls",
        field!(Count(0..=1_000_000), rate.calls),
        "calls of one tool by one caller in each `per`, a call and its continuations (`requestState`) counting once; 0 means no limit",
    ),
    rate_per("rate.per", |config| &mut config.rate.per),
    rate_burst("rate.burst", |config| &mut config.rate.burst),
    live(
        "rate.tool.calls",
        field!(Count(0..=1_000_000), tool_rate.calls),
        "calls of one tool by all clients together in each `rate.tool.per`, so that a client with another token or session has no more; 0 means no limit",
    ),
    rate_per("rate.tool.per", |config| &mut config.tool_rate.per),
    rate_burst("rate.tool.burst", |config| &mut config.tool_rate.burst),
    live(
        "rate.total.calls",
        field!(Count(0..=1_000_000), total_rate.calls),
        "calls of all tools of one server by all clients together in each `rate.total.per`; 0 means no limit",
    ),
    rate_per("rate.total.per", |config| &mut config.total_rate.per),
    rate_burst("rate.total.burst", |config| &mut config.total_rate.burst),
    live(
        "rate.address.calls",
        field!(Count(0..=1_000_000), address_rate.calls),
        "calls of all tools behind one listener from one network address in each `rate.address.per`, so that a client with another token or session has no more; of an IPv6 address the first 64 bits count; behind a proxy see `listen.trusted_proxies`; 0 means no limit",
    ),
    rate_per("rate.address.per", |config| &mut config.address_rate.per),
    rate_burst("rate.address.burst", |config| {
        &mut config.address_rate.burst
    }),
    fixed(
        "limits.message",
        field!(Bytes(1 << 10..=1 << 30), bounds.message_bytes),
        "one message: a line, a body, the data of one event",
    ),
    live(
        "limits.depth",
        field!(Count(8..=10_000), policy.limits.depth),
        "how deep a message may be nested",
    ),
    live(
        "limits.nodes",
        field!(Count(1_000..=100_000_000), policy.limits.nodes),
        "values and keys in one message",
    ),
    live(
        "limits.pending",
        field!(Count(1..=1_000_000), policy.limits.pending),
        "requests of one client that wait for their answers",
    ),
    live(
        "limits.parked",
        field!(Count(1..=100_000), policy.limits.parked),
        "calls of one client that wait for the server's listing, or requests that look for their server",
    ),
    live(
        "limits.parked_bytes",
        field!(Bytes(1 << 10..=1 << 30), policy.limits.parked_bytes),
        "bytes of those calls",
    ),
    live(
        "limits.pages",
        field!(Count(1..=100_000), policy.limits.pages),
        "pages of one listing",
    ),
    live(
        "limits.tools",
        field!(Count(1..=1_000_000), policy.limits.tools),
        "tools of one page of a listing",
    ),
    live(
        "limits.listing",
        field!(Bytes(1 << 10..=1 << 30), policy.limits.listing_bytes),
        "bytes of one listing",
    ),
    live(
        "limits.tool_lists",
        field!(Bytes(1 << 10..=1 << 30), policy.limits.tool_list_bytes),
        "bytes of all listings that are known at a time",
    ),
    live(
        "limits.tasks",
        field!(Count(1..=1_000_000), policy.limits.tasks),
        "tasks of one client whose results are awaited",
    ),
    live(
        "limits.scopes",
        field!(Count(1..=1_000_000), policy.limits.scopes),
        "callers whose listings are known at a time",
    ),
    live(
        "limits.fuel",
        field!(Count(1_000..=1_000_000_000), fuel),
        "work of one check, in the engine's units; the same on every machine",
    ),
    fixed(
        "limits.head",
        field!(Bytes(1 << 10..=1 << 20), bounds.head_bytes),
        "the head of an HTTP request; a longer head gets status 431",
    ),
    fixed(
        "limits.connections",
        field!(Count(1..=1_000_000), bounds.connections),
        "open connections of clients; further ones wait for a second, then get status 503 and `Retry-After`, and `/readyz` says so",
    ),
    fixed(
        "limits.session_streams",
        field!(Count(1..=1_000), bounds.session_streams),
        "streams that one session listens on with GET; one more ends the oldest",
    ),
    fixed(
        "limits.caller_streams",
        field!(Count(1..=1_000_000), bounds.caller_streams),
        "streams that all sessions of one caller listen on, by `Authorization`, or without one by address; one more ends the oldest",
    ),
    fixed(
        "limits.requests",
        field!(Count(1..=1_000_000), bounds.requests),
        "HTTP requests in progress, event streams included",
    ),
    fixed(
        "limits.message_memory",
        field!(Bytes(1 << 10..=1 << 40), bounds.memory_bytes),
        "bytes of messages in memory between HTTP clients and servers; requests may use half of them, and get status 503 and `Retry-After` beyond; at the limit servers are not read, and if that lasts, the clients that read slowest are closed",
    ),
    fixed(
        "limits.caller_memory",
        field!(Bytes(1 << 10..=1 << 40), bounds.caller_memory_bytes),
        "the part of `message_memory` that one caller may use, by `Authorization`, or without one by address",
    ),
    fixed(
        "limits.sessions",
        field!(Count(1..=1_000_000), bounds.sessions),
        "open sessions of clients before 2026-07-28 over HTTP",
    ),
    fixed(
        "limits.caller_sessions",
        field!(Count(0..=1_000_000), bounds.caller_sessions),
        "those of one caller, by `Authorization`, or without one by address: one more ends its longest idle one, or gets status 429; 0 is half of `limits.sessions`",
    ),
    fixed(
        "limits.children",
        field!(Count(1..=10_000), bounds.children),
        "running server processes of one address that is listened on; one more ends a session that has been idle for a minute, or its request gets status 503",
    ),
    fixed(
        "limits.caller_children",
        field!(Count(0..=10_000), bounds.caller_children),
        "those that serve one caller alone, by `Authorization`, or without one by address: one more ends its session that is idle longest, and at least for a minute, or gets status 429; 0 is half of `limits.children`",
    ),
    fixed(
        "limits.events",
        field!(Count(1..=100_000), bounds.waiting_events),
        "events that wait for a slow reader before its server is held back",
    ),
    live(
        "times.call",
        field!(Time(ms(100)..=h(24)), call_timeout),
        "the longest a request may wait for its answer; a progress notification restarts it",
    ),
    live(
        "times.list",
        field!(Time(ms(100)..=h(1)), policy.list_timeout),
        "the longest a page of the guard's own `tools/list` may take",
    ),
    fixed(
        "times.head",
        field!(Time(ms(100)..=h(1)), times.head),
        "the longest a client may take to send the head of a request, and a new connection to wait for its first one",
    ),
    fixed(
        "times.reuse",
        field!(Time(ms(100)..=h(1)), times.reuse),
        "the longest a connection may wait for its next request, at least `times.head`; proxies in front must close theirs earlier",
    ),
    fixed(
        "times.body",
        field!(Time(ms(100)..=h(1)), times.body),
        "the longest a client may take to send the body of a request",
    ),
    fixed(
        "times.write",
        field!(Time(ms(100)..=h(1)), times.write),
        "the longest a client may leave sent data unread",
    ),
    fixed(
        "times.keepalive",
        field!(Time(ms(100)..=h(1)), times.keepalive),
        "how long an event stream to a client may be silent before it gets a comment, and a connection before it is probed; below the idle limit of every load balancer in front",
    ),
    fixed(
        "times.idle",
        field!(Time(s(1)..=h(168)), times.idle),
        "a session without a message of its client is ended after this; open streams do not count; an idle one may end after a minute if another needs its place",
    ),
    fixed(
        "times.notify",
        field!(Time(ms(100)..=h(1)), times.notify),
        "the longest a server may take to accept a notification or an answer",
    ),
    fixed(
        "times.drain",
        field!(Time(ms(0)..=h(1)), times.drain),
        "after SIGTERM, the longest that open requests are waited for",
    ),
    fixed(
        "times.grace",
        field!(Time(ms(0)..=h(1)), times.grace),
        "after closing a server's input, and again after SIGTERM, the wait before the next, stronger step",
    ),
    fixed(
        "times.after_exit",
        field!(Time(ms(0)..=h(1)), times.after_exit),
        "after the process of a server has ended, the longest that requests wait without a message while a process that it left behind holds its output; any message shows that the server lives on",
    ),
    live(
        "log.level",
        field!(Text, log.level),
        "what is logged on standard error: a level (`error`, `warn`, `info`, `debug`, `trace`), or levels by module (`info,toolsure_proxy=debug`)",
    ),
    fixed(
        "log.format",
        word!(LogFormat, log.format),
        "lines for people, or one JSON object per line",
    ),
    fixed(
        "audit.file",
        field!(Path, audit.file),
        "where one JSON line per verdict is appended; reopened at a reload",
    ),
    fixed(
        "audit.max_size",
        field!(Bytes(64 << 10..=1 << 40), audit.max_bytes),
        "the file is rotated to `FILE.1` before it grows over this",
    ),
    fixed(
        "audit.keep",
        field!(Count(0..=1_000), audit.keep),
        "rotated files that are kept",
    ),
    live(
        "audit.passes",
        field!(Flag, audit.passes),
        "whether what passes is recorded too",
    ),
    live(
        "audit.arguments",
        word!(Recorded, policy.recording.arguments),
        "what is recorded of the arguments of calls: `none`, the `names` of their members, or, `full`, all values but secret ones, in at most 4 KiB",
    ),
    live(
        "audit.results",
        word!(Recorded, policy.recording.results),
        "the same of results: of their structured content, or without one of their content",
    ),
    live(
        "audit.secrets",
        field!(Texts, policy.recording.secrets),
        "JSON pointers into arguments and results, in which the part `*` stands for any name or index: what is there is a secret, besides members with names such as `apiKey`, texts that look like a key, and places of schemas with the format `password` or `secret` or with `writeOnly`",
    ),
    fixed(
        "telemetry.endpoint",
        field!(Url, telemetry.endpoint),
        "the OTLP/HTTP endpoint of an OpenTelemetry collector, such as `http://127.0.0.1:4318`; `OTEL_EXPORTER_OTLP_ENDPOINT` where it is not set",
    ),
    fixed(
        "telemetry.sample",
        field!(Count(0..=100), telemetry.sample),
        "the percentage of traces started by the guard that are exported; a client's own decision takes precedence, and at 100 `OTEL_TRACES_SAMPLER` decides",
    ),
];
