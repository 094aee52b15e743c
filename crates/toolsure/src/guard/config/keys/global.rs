//! The keys that apply to the whole guard, section by section.

use toolsure_guard::policy::{
    BadResult, BadTools, CostlySchemas, DriftMode, LegacyValues, Mode, OnUndecided, Output,
    Project, Repair, ResultMembers, TextBlocks, UnknownTool, WideNumbers,
};
use toolsure_schema::Formats;

use super::super::settings::Config;
use super::super::slot::Slot;
use super::super::words::{DriftWord, Words};
use super::key::{Key, fixed, h, live, ms, put, s, setting};
use super::project_for::{NOBODY, PROJECT_FOR, put_project_for};

/// The keys of the network, sessions, policy and schemas, in the order of the reference.
pub(super) const GLOBAL: &[Key<Config>] = &[
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
    fixed(
        "listen.trusted_proxies",
        field!(Texts, listen.trusted_proxies),
        "addresses and networks (`192.0.2.0/24`) of proxies in front whose `X-Forwarded-For` is believed: the client's address is the last one in it that is none of these; it is in the audit log, and `rate.address` and the limits of clients without an authorization count by it",
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
        "policy.unknown_tool",
        word!(UnknownTool, policy.unknown_tool),
        "the answer to a call of a tool that is not listed, or hidden: the JSON-RPC error -32602, as the protocol says and the TypeScript SDK 2, rmcp and the Go SDK do, or a result with `isError`, as the TypeScript SDK 1, the Python SDK and fastmcp do",
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
        "tools whose schemas, description or `_meta` are not those of the lock; `auto` is `refuse` for an upstream with a lock and `off` for others",
    ),
    live(
        "policy.meta_may_change",
        field!(Texts, policy.drift.meta_may_change),
        "members of `_meta` of tools that may differ from the lock: names, in which `*` stands for any characters and `?` for one",
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
];
