//! The keys of one upstream, `[upstreams.NAME]`, and of one rule for tools, `[[tools]]`.

use std::time::Duration;

use toolsure_guard::policy::{BadResult, LongResults, Mode, Output, Repair};
use toolsure_schema::Formats;

use super::super::caller_rule::CallerRule;
use super::super::slot::Slot;
use super::super::tool_rule::ToolRule;
use super::super::upstream::Upstream;
use super::super::words::{AuthorizationWord, TranslateWord, Words};
use super::key::{Key, fixed, live, put, put_some};

/// The keys of an upstream, in the order of the reference.
pub(in super::super) const UPSTREAM: &[Key<Upstream>] = &[
    fixed(
        "command",
        field!(Texts, command),
        "the program that is the server, and its arguments; this or `url`",
    ),
    fixed(
        "env",
        field!(Pairs, env),
        "environment variables of the program, besides the guard's own; `${NAME}` is one of the guard's",
    ),
    fixed(
        "dir",
        field!(Path, dir),
        "the folder that the program runs in",
    ),
    fixed(
        "restarts",
        field!(Count(0..=1_000), restarts),
        "how many times in `restart_window` the program is started again when it ends by itself; the guard ends with it instead if it is the only server of a client on standard input and output",
    ),
    fixed(
        "restart_window",
        field!(Time(Duration::from_secs(1)..=DAY), restart_window),
        "the time that `restarts` is counted in",
    ),
    fixed(
        "url",
        field!(Url, url),
        "the server's Streamable HTTP endpoint; this or `command`",
    ),
    fixed(
        "headers",
        field!(Pairs, headers),
        "headers of every request to `url`; `${NAME}` is an environment variable",
    ),
    fixed(
        "tls_ca",
        field!(Path, tls_ca),
        "PEM file with certificate authorities that are trusted for `url`, besides the platform's",
    ),
    fixed(
        "listen",
        field!(Address, listen),
        "an address of its own for the clients of this upstream, instead of `listen.address`",
    ),
    fixed(
        "path",
        field!(Text, path),
        "the URL path under which clients reach the upstream on that address",
    ),
    fixed(
        "public_url",
        field!(Url, public_url),
        "as `listen.public_url`, for that address",
    ),
    fixed(
        "prefix",
        field!(Text, prefix),
        "the prefix of the names of its tools and prompts, if upstreams share one listing; by default the upstream's name and `_`",
    ),
    fixed(
        "translate",
        word!(TranslateWord, translate),
        "`legacy-clients` lets clients of 2025-11-25 and older use a server of 2026-07-28, `modern-clients` lets clients of 2026-07-28 use a server of 2025-11-25 or older, `off` passes each era on as it is",
    ),
    fixed(
        "authorization",
        word!(AuthorizationWord, authorization),
        "the `Authorization` that the server at `url` gets, unless `headers` has one: `caller` is the caller's, `none` is none, `auto` is `none` if the guard authenticates callers (a token is for one audience) and `caller` if it does not",
    ),
    live(
        "lock",
        field!(Path, lock),
        "the lock file with the approved definitions that the server is held to, which `toolsure lock approve` writes; of a file for several servers, the part with the name of the upstream",
    ),
];

/// The keys of a rule for tools, in the order of the reference.
pub(in super::super) const TOOL: &[Key<ToolRule>] = &[
    live(
        "match",
        field!(Text, pattern),
        "the tools' names; `*` is any text, `?` any one character, and `[]{}()|!\\^$+,` and spaces are refused",
    ),
    live(
        "listing",
        optional_word!(Mode, rule.listing),
        "as `policy.listing`",
    ),
    live(
        "arguments",
        optional_word!(Mode, rule.arguments),
        "as `policy.arguments`",
    ),
    live(
        "results",
        optional_word!(Mode, rule.results),
        "as `policy.results`",
    ),
    live(
        "bad_result",
        optional_word!(BadResult, rule.bad_result),
        "as `policy.bad_result`",
    ),
    live(
        "output",
        optional_word!(Output, rule.output),
        "as `policy.output`",
    ),
    live(
        "repair",
        optional_word!(Repair, rule.repair),
        "as `policy.repair`",
    ),
    live(
        "formats",
        optional_word!(Formats, rule.formats),
        "as `schemas.formats`",
    ),
    live(
        "result_formats",
        optional_word!(Formats, rule.result_formats),
        "as `schemas.result_formats`",
    ),
    live(
        "argument_schema",
        field!(Path, argument_schema),
        "a file with an argument schema that arguments must match besides the input schema",
    ),
    live(
        "argument_schema_text",
        field!(Text, argument_schema_text),
        "the same as JSON text, instead of a file",
    ),
    live(
        "argument_schema_only",
        field!(MaybeFlag, rule.argument_schema_only),
        "the argument schema replaces the input schema, also in lists",
    ),
    live(
        "hidden",
        field!(MaybeFlag, rule.hidden),
        "the tool is not listed and cannot be called",
    ),
    live(
        "max_result_bytes",
        field!(Bytes(0..=1 << 30), rule.max_result_bytes),
        "as `policy.max_result_bytes`, whatever the tool says in `_meta`; 0 leaves the general bound",
    ),
    live(
        "long_results",
        optional_word!(LongResults, rule.long_results),
        "as `policy.long_results`",
    ),
    live(
        "calls",
        field!(Count(0..=1_000_000), rate.calls),
        "as `rate.calls`; 0 leaves the general rate",
    ),
    live(
        "per",
        field!(Time(Duration::from_millis(1)..=DAY), rate.per),
        "as `rate.per`",
    ),
    live(
        "burst",
        field!(Count(1..=1_000_000), rate.burst),
        "as `rate.burst`",
    ),
];

/// The keys of a rule for callers, in the order of the reference.
pub(in super::super) const CALLER: &[Key<CallerRule>] = &[
    live(
        "name",
        field!(Text, name),
        "the rule's name, for `--explain-access`",
    ),
    live(
        "token",
        field!(Text, rule.token),
        "the name of a static token (`auth.tokens`); here and in the next five, `*` is any text and `?` any one character, and a caller must match all that are set",
    ),
    live(
        "subject",
        field!(Text, rule.subject),
        "the subject of a JSON Web Token (`sub`), or the user that a proxy names (`auth.header`)",
    ),
    live(
        "group",
        field!(Text, rule.group),
        "one of the groups in the token (`auth.groups_claim`)",
    ),
    live(
        "scope",
        field!(Text, rule.scope),
        "one of the scopes of the token (`scope`, `scp`)",
    ),
    live(
        "issuer",
        field!(Text, rule.issuer),
        "the issuer of the token (`iss`)",
    ),
    live(
        "certificate",
        field!(Text, rule.certificate),
        "one of the names of the client certificate (`listen.tls_client_ca`)",
    ),
    live(
        "upstreams",
        field!(Texts, upstreams),
        "the upstreams that the rule is for; without it, all",
    ),
    live(
        "tools",
        field!(MaybeTexts, tools),
        "the tools that these callers may use: names as clients know them, in which `*` is any text and `?` any one character, or `@readOnlyHint`, `@destructiveHint`, `@idempotentHint`, `@openWorldHint` for those with the annotation (with the protocol's defaults); after `!`, those that they may not use; a list with `!` only is all others",
    ),
    live(
        "prompts",
        field!(MaybeTexts, prompts),
        "the same for prompts, without annotations",
    ),
    live(
        "resources",
        field!(MaybeTexts, resources),
        "the same for resources and skills, by their URIs, and resource templates, by their URI templates",
    ),
    live(
        "arguments",
        optional_word!(Mode, rule.arguments),
        "as `policy.arguments`, for these callers",
    ),
    live(
        "results",
        optional_word!(Mode, rule.results),
        "as `policy.results`, for these callers",
    ),
    live(
        "calls",
        field!(Count(0..=1_000_000), rate.calls),
        "as `rate.calls`, for each of these callers; 0 leaves the general rate",
    ),
    live(
        "per",
        field!(Time(Duration::from_millis(1)..=DAY), rate.per),
        "as `rate.per`",
    ),
    live(
        "burst",
        field!(Count(1..=1_000_000), rate.burst),
        "as `rate.burst`",
    ),
];

const DAY: Duration = Duration::from_secs(86_400);
