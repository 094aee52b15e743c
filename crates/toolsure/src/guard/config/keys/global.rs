//! The keys that apply to the whole guard, section by section.

use std::sync::LazyLock;

use toolsure_guard::policy::DriftMode;
use toolsure_guard::policy::settings::{self, Setting};

use super::super::settings::Config;
use super::super::slot::Slot;
use super::super::words::Words;
use super::key::{Key, fixed, h, live, ms, put, s, setting};
use super::project_for::{NOBODY, PROJECT_FOR, put_project_for};

/// The keys of the network, sessions and the store, in the order of the reference.
pub(super) const NETWORK: &[Key<Config>] = &[
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
        "listen.tls_client_ca",
        field!(Path, listen.tls_client_ca),
        "PEM file with the certificate authorities of clients: a client certificate of one of them is a way to authenticate; its names are the DNS names and URIs among its subject alternative names, and `sha256:` with its digest",
    ),
    fixed(
        "listen.open",
        field!(Flag, listen.open),
        "whether everybody who reaches an address that is not a loopback address may use the guard; without it, such an address needs `[auth]` or `tls_client_ca`",
    ),
    live(
        "auth.tokens",
        field!(Pairs, auth.tokens),
        "bearer tokens: a table of names, each with `sha256:` and the hexadecimal SHA-256 digest of a token, or with several digests, separated by spaces; `${NAME}` is an environment variable",
    ),
    live(
        "auth.issuer",
        field!(Url, auth.issuer),
        "the issuer of JSON Web Tokens (`iss`), and the authorization server that clients are sent to",
    ),
    live(
        "auth.keys_url",
        field!(Url, auth.keys_url),
        "the issuer's key set (JWKS); without it, where the issuer's metadata say (`/.well-known/openid-configuration`, `/.well-known/oauth-authorization-server`)",
    ),
    live(
        "auth.audiences",
        field!(Texts, auth.audiences),
        "the audiences of which tokens must have one (`aud`); without it, `listen.public_url`",
    ),
    live(
        "auth.algorithms",
        field!(Texts, auth.algorithms),
        "the signature algorithms of tokens; without it, all of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384 and EdDSA",
    ),
    live(
        "auth.leeway",
        field!(Time(s(0)..=s(600)), auth.leeway),
        "how much the clocks of the issuer and of the guard may differ",
    ),
    live(
        "auth.groups_claim",
        field!(Text, auth.groups_claim),
        "the claim with the caller's groups, an array of strings or a string; without it, `groups`",
    ),
    live(
        "auth.tls_ca",
        field!(Path, auth.tls_ca),
        "PEM file with certificate authorities that are trusted for the issuer, besides the platform's",
    ),
    live(
        "auth.header",
        field!(Text, auth.header),
        "the header in which a proxy of `listen.trusted_proxies` names the user that it has authenticated, such as `X-Forwarded-User`; from others it is removed",
    ),
    fixed(
        "admin.address",
        field!(Address, admin),
        "where the page of the guard, `/healthz`, `/readyz` and `/metrics` are served",
    ),
    fixed(
        "admin.token",
        field!(Text, admin_token),
        "`sha256:` and the hexadecimal SHA-256 digest of a token with which changes of tools can be approved and rejected on the page; without it the page only shows them",
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
];

/// The choices of a policy that are one field each.
static CHOICES: LazyLock<Vec<Key<Config>>> = LazyLock::new(|| {
    let all = settings::ALL.iter();
    let key = |it: &'static Setting| {
        live(
            it.name(),
            Slot::Choice(it, |config: &mut Config| &mut config.policy),
            it.meaning(),
        )
    };
    all.map(key).collect()
});

/// Those of one section.
pub(super) fn choices(section: &'static str) -> impl Iterator<Item = &'static Key<Config>> + Clone {
    let keys = CHOICES.iter();
    keys.filter(move |key| key.name.starts_with(section))
}

/// The other keys of the policy.
pub(super) const POLICY: &[Key<Config>] = &[
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
        "policy.max_result_bytes",
        field!(Bytes(0..=1 << 30), policy.max_result_bytes),
        "maximum bytes of a result of a tool; a tool whose `_meta` has a larger `anthropic/maxResultSizeChars` may have that many characters; 0 means no limit",
    ),
    live(
        "policy.stale_for",
        field!(Time(s(0)..=h(24)), policy.stale_for),
        "how long after its time to live a listing may still admit calls; a refusal always asks for a fresh one",
    ),
];

/// The other keys of schemas.
pub(super) const SCHEMAS: &[Key<Config>] = &[
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
