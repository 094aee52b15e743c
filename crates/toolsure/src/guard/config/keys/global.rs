//! The keys that apply to the whole guard, section by section.

use toolsure_guard::policy::{
    BadResult, BadTools, CostlySchemas, DriftMode, LegacyValues, Mode, OnUndecided, Output,
    Project, Repair, ResultMembers, TextBlocks, WideNumbers,
};
use toolsure_schema::Formats;

use super::super::settings::Config;
use super::super::slot::Slot;
use super::super::words::{DriftWord, LogFormat, Words};
use super::key::{Key, fixed, h, live, ms, put, s, setting};
use super::project_for::{NOBODY, PROJECT_FOR, put_project_for};

/// The keys, in the order of the reference.
pub(in super::super) const GLOBAL: &[Key<Config>] = &[
    fixed(
        "listen.address",
        field!(Address, listen.address),
        "the address on which the guard serves Streamable HTTP clients; without it, one client on standard input and output",
    ),
    fixed(
        "listen.hosts",
        field!(Texts, listen.hosts),
        "further values of `Host` that are accepted, besides the address and, on a loopback address, `localhost`",
    ),
    fixed(
        "listen.origins",
        field!(Texts, listen.origins),
        "origins such as `https://app.example` whose pages may call from a browser and read the answers (CORS); a request from any other origin is accepted only if the origin's host is an accepted `Host`",
    ),
    fixed(
        "listen.public_url",
        field!(Url, listen.public_url),
        "the URL under which clients know the guard, such as `https://mcp.example.com/mcp`: the resource that tokens are for, and one more accepted `Host`; without it, that is the address that a request is sent to",
    ),
    live(
        "listen.tls_certificate",
        field!(Path, listen.tls_certificate),
        "PEM file with the certificate chain; HTTPS is served with it and `tls_key`; both files are read again by a reload, for new connections",
    ),
    live(
        "listen.tls_key",
        field!(Path, listen.tls_key),
        "PEM file with the certificate's private key",
    ),
    fixed(
        "admin.address",
        field!(Address, admin),
        "where `/healthz`, `/readyz` and `/metrics` are served",
    ),
    live(
        "sessions.keys",
        field!(Secrets, sessions.keys),
        "the keys for the session ids of HTTP clients before 2026-07-28, at most 8, each 32 to 1024 bytes: the first encrypts, all decrypt; `${NAME}` is an environment variable; without keys, the process makes a random one",
    ),
    live(
        "sessions.key_file",
        field!(Path, sessions.key_file),
        "a file with the same, one a line, instead of `keys`; empty lines and lines that begin with `#` are ignored",
    ),
    fixed(
        "sessions.age",
        field!(Time(s(1)..=h(8_760)), sessions.age),
        "how long after it was opened a session may be used",
    ),
    fixed(
        "sessions.bound",
        field!(Flag, sessions.bound),
        "whether a session that was opened with an `Authorization` can be used by that caller only",
    ),
    fixed(
        "shared.store",
        field!(Url, shared.store),
        "the Valkey or Redis server through which replicas share rates and pins: `valkey://HOST:PORT/DATABASE`, or `valkeys://` with TLS; without it each has its own",
    ),
    fixed(
        "shared.user",
        field!(Text, shared.user),
        "the user name for the store; without it, the store's default user",
    ),
    fixed(
        "shared.password",
        field!(Secrets, shared.password),
        "the password; `${NAME}` is an environment variable",
    ),
    fixed(
        "shared.password_file",
        field!(Path, shared.password_file),
        "a file with the same, instead of `password`",
    ),
    fixed(
        "shared.key",
        field!(Secrets, shared.key),
        "the HMAC key under which callers are named in the store, 32 to 1024 bytes, the same in every replica; `${NAME}` is an environment variable",
    ),
    fixed(
        "shared.key_file",
        field!(Path, shared.key_file),
        "a file with the same, instead of `key`",
    ),
    fixed(
        "shared.prefix",
        field!(Text, shared.prefix),
        "what every key in the store begins with; replicas with the same share",
    ),
    fixed(
        "shared.every",
        field!(Time(ms(10)..=s(10)), shared.every),
        "the time between two writes to the store; calls that pass between two writes can exceed a rate",
    ),
    fixed(
        "shared.pins",
        word!(DriftMode, shared.pins),
        "tools of upstreams without a lock that differ from the definition that a replica saw first",
    ),
    fixed(
        "shared.keep_pins",
        field!(Time(h(1)..=h(8_760)), shared.keep_pins),
        "how long a pin is kept after a replica last saw its tool",
    ),
    fixed(
        "shared.quarantine",
        field!(Time(ms(0)..=h(24)), shared.quarantine),
        "how long all replicas refuse a tool after one of them found that it differs from its pin; 0 ms turns quarantine off",
    ),
    live(
        "policy.listing",
        word!(Mode, policy.listing),
        "tools with a schema that is refused: `enforce` does as `bad_tools` says, `audit` only records, `off` does not check",
    ),
    live(
        "policy.arguments",
        word!(Mode, policy.arguments),
        "calls whose arguments break the input schema: `enforce` answers them without the server, `audit` only records, `off` does not check",
    ),
    live(
        "policy.results",
        word!(Mode, policy.results),
        "results that break the output schema: `enforce` does as `bad_result` says, `audit` only records, `off` does not check",
    ),
    live(
        "policy.bad_tools",
        word!(BadTools, policy.bad_tools),
        "a refused tool is left out of the listing, makes the whole listing an error, or passes",
    ),
    live(
        "policy.bad_result",
        word!(BadResult, policy.bad_result),
        "a bad result becomes an error result, loses `structuredContent` and keeps `content`, or passes with the verdict in `_meta`",
    ),
    live(
        "policy.text_blocks",
        word!(TextBlocks, policy.text_blocks),
        "results without `content`, or with structured content that is not an object and no text block: the text is added, they are bad results, or they pass and are recorded",
    ),
    live(
        "policy.result_members",
        word!(ResultMembers, policy.result_members),
        "results with members or blocks that clients cannot read, so that they reject or never deliver the result: optional members are left out, required ones with one possible value are added and other blocks become text, they are bad results, or they pass; lists of prompts, resources and skills follow `listing` and `bad_tools`",
    ),
    live(
        "policy.output",
        word!(Output, policy.output),
        "results without the structured content that the tool's output schema requires: they are bad results, or the only text block becomes the structured content if it is JSON that fits, or the output schema is hidden and not checked",
    ),
    live(
        "policy.elicitation",
        word!(Mode, policy.elicitation),
        "requests for forms whose `requestedSchema` the protocol does not allow: `enforce` refuses them, `audit` only records, `off` does not check",
    ),
    live(
        "policy.wide_numbers",
        word!(WideNumbers, policy.wide_numbers),
        "calls and results with a number that a double cannot hold (`1e400`), which most programs read as infinity: they are refused, or pass",
    ),
    live(
        "policy.on_undecided",
        word!(OnUndecided, policy.on_undecided),
        "what happens when a check reaches its limit before it has a verdict",
    ),
    live(
        "policy.on_unlisted",
        word!(OnUndecided, policy.on_unlisted),
        "what happens to a call when the server's listing cannot be obtained",
    ),
    live(
        "policy.repair",
        word!(Repair, policy.repair),
        "repair the arguments of a call that does not match the input schema, if few changes make it valid: `certain` reads strings as the JSON that they contain (`\"5\"`, `\"[1]\"`), if there is no other way; `all` also leaves out `null` for an optional member, fills in a missing default, and takes the first of several ways; `off` refuses the call with a text for the model; always recorded (`true` is `all`, `false` is `off`)",
    ),
    live(
        "policy.inline_refs",
        field!(Flag, policy.inline_refs),
        "give clients schemas without `$ref` where that is possible in bounds",
    ),
    live(
        "policy.project_for",
        Slot::Word {
            words: &PROJECT_FOR,
            put: put_project_for,
            word: |config| config.project_for.map_or(NOBODY, |profile| profile.name),
        },
        "the provider or client that tools are rewritten for: its listing has the input schemas, names and descriptions that it takes, calls are mapped back, and arguments are checked by the original; `toolsure project --for` shows what it changes",
    ),
    live(
        "policy.costly_schemas",
        word!(CostlySchemas, policy.costly_schemas),
        "how schemas that are costly for clients to check are listed: `simplify` leaves out what is costly, `strip` the schema; calls and results are checked by the original",
    ),
    live(
        "policy.project",
        word!(Project, policy.project),
        "output that is not an object, for clients before 2026-07-28: wrapped as `{\"result\": …}`, dropped (the text stays), or as it is",
    ),
    live(
        "policy.legacy_values",
        word!(LegacyValues, policy.legacy_values),
        "values that are not objects, from a server to a client that are both before 2026-07-28, where no output schema allows them: `enforce` takes them as a breach of the protocol (a bad result if the output schema is one of objects, otherwise left out), `project` does as `project` says; nothing happens if `project` is `off`",
    ),
    live(
        "policy.drift",
        word!(DriftWord, drift),
        "tools whose schemas or description are not those of the lock; `auto` is `refuse` for an upstream with a lock and `off` for others",
    ),
    live(
        "policy.new_tools",
        word!(DriftWord, new_tools),
        "tools that the lock does not have; `auto` as for `drift`",
    ),
    live(
        "policy.stale_for",
        field!(Time(s(0)..=h(24)), policy.stale_for),
        "how long after its time to live a listing may still admit calls; a refusal always asks for a fresh one",
    ),
    live(
        "policy.listed_argument_schemas",
        field!(Flag, policy.listed_argument_schemas),
        "check arguments against the argument schemas that servers list under `_meta` → `toolsure/argument-schema`, besides the input schemas",
    ),
    live(
        "schemas.formats",
        word!(Formats, policy.formats),
        "what `format` does in arguments",
    ),
    live(
        "schemas.result_formats",
        word!(Formats, policy.result_formats),
        "what `format` does in results",
    ),
    setting("schemas.content"),
    setting("schemas.strictness"),
    setting("schemas.dialect"),
    setting("schemas.default_dialect"),
    fixed(
        "schemas.documents",
        field!(Documents, documents),
        "documents that references may resolve to: a file for each URI",
    ),
    setting("schemas.limits.schema_bytes"),
    setting("schemas.limits.schema_nesting"),
    setting("schemas.limits.schema_nodes"),
    setting("schemas.limits.schema_digits"),
    setting("schemas.limits.depth"),
    setting("schemas.limits.subschemas"),
    setting("schemas.limits.plan_nodes"),
    setting("schemas.limits.enum_members"),
    setting("schemas.limits.pattern_bytes"),
    setting("schemas.limits.pattern_depth"),
    setting("schemas.limits.pattern_size"),
    setting("schemas.limits.patterns_size"),
    setting("schemas.limits.registrations"),
    setting("schemas.limits.reference_bytes"),
    setting("schemas.limits.evaluation_depth"),
    live(
        "rate.calls",
        field!(Count(0..=1_000_000), rate.calls),
        "calls of one tool by one caller in each `per`, a call and its continuations (`requestState`) counting once; 0 means no limit",
    ),
    live(
        "rate.per",
        field!(Time(ms(1)..=h(24)), rate.per),
        "the time that `calls` is counted in",
    ),
    live(
        "rate.burst",
        field!(Count(1..=1_000_000), rate.burst),
        "calls that may come at once",
    ),
    live(
        "rate.tool.calls",
        field!(Count(0..=1_000_000), tool_rate.calls),
        "calls of one tool by all clients together in each `rate.tool.per`, so that a client with another token or session has no more; 0 means no limit",
    ),
    live(
        "rate.tool.per",
        field!(Time(ms(1)..=h(24)), tool_rate.per),
        "the time that `rate.tool.calls` is counted in",
    ),
    live(
        "rate.tool.burst",
        field!(Count(1..=1_000_000), tool_rate.burst),
        "calls that may come at once",
    ),
    live(
        "rate.total.calls",
        field!(Count(0..=1_000_000), total_rate.calls),
        "calls of all tools of one server by all clients together in each `rate.total.per`; 0 means no limit",
    ),
    live(
        "rate.total.per",
        field!(Time(ms(1)..=h(24)), total_rate.per),
        "the time that `rate.total.calls` is counted in",
    ),
    live(
        "rate.total.burst",
        field!(Count(1..=1_000_000), total_rate.burst),
        "calls that may come at once",
    ),
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
        "tools of one listing",
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
        "limits.request_bytes",
        field!(Bytes(1 << 10..=1 << 40), bounds.request_bytes),
        "bytes of the bodies of those requests together; over it status 503 and `Retry-After`",
    ),
    fixed(
        "limits.sessions",
        field!(Count(1..=1_000_000), bounds.sessions),
        "open sessions of clients before 2026-07-28 over HTTP",
    ),
    fixed(
        "limits.children",
        field!(Count(1..=10_000), bounds.children),
        "running server processes of one address that is listened on; a request that needs one more gets status 503",
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
        "the longest a client may take to send the head of a request, and a connection to wait for its next one",
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
