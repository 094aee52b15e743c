//! What the two sides of a conversation have negotiated: transports, protocol version, kind of client.

use toolsure_json::{Node as _, View, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::Request;

use crate::scope::{ClientKind, Scope};

/// The transport of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the protocol has these two transports"
)]
pub enum Carrier {
    /// Lines.
    #[default]
    Stdio,
    /// Streamable HTTP.
    Http,
}

/// The transports on both sides of a conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a transport that makes one must set every field"
)]
pub struct Link {
    /// What carries the client's messages.
    pub client: Carrier,
    /// What carries the server's messages.
    pub server: Carrier,
    /// The protocol version that the transport names (`MCP-Protocol-Version`), or that was negotiated
    /// earlier, if the session continues one from elsewhere.
    pub version: Option<String>,
}

/// What the two sides have negotiated so far.
#[derive(Debug)]
pub(super) struct Negotiation {
    link: Link,
    /// Settled by `initialize`, or by the transport.
    era: Option<Era>,
    /// Whether the server has answered `initialize` with a session.
    opened: bool,
    /// The version of the client's session, if it was negotiated with more servers than this one.
    client_version: Option<Era>,
    /// Whether a request declared a version itself.
    modern: bool,
    /// What kind of client it is, as its last request says.
    client_kind: ClientKind,
}

impl Negotiation {
    /// Nothing but what the transports say.
    pub(super) fn new(link: Link) -> Self {
        let era = link.version.as_deref().map(nearest);
        Self {
            link,
            era: era.filter(|era| era.has_sessions()),
            opened: false,
            client_version: None,
            modern: era.is_some_and(Era::declares_version),
            client_kind: ClientKind::default(),
        }
    }

    /// Whether the client's messages come over HTTP.
    pub(super) fn has_http_client(&self) -> bool {
        self.link.client == Carrier::Http
    }

    /// Whether the server's messages come over HTTP.
    pub(super) fn has_http_server(&self) -> bool {
        self.link.server == Carrier::Http
    }

    /// Whether HTTP headers may repeat parts of calls.
    pub(super) fn mirrors_headers(&self) -> bool {
        self.has_http_client() || self.has_http_server()
    }

    /// The version that `initialize` settled, or the transport named.
    pub(super) fn era(&self) -> Option<Era> {
        self.era
    }

    /// Whether the server has opened a session.
    pub(super) fn is_open(&self) -> bool {
        self.opened
    }

    /// Whether the client accepts no requests, because it declares its version in each of its own.
    pub(super) fn is_modern(&self) -> bool {
        self.era.is_none() && self.modern
    }

    /// Sets the version of the client's session, which is that of several servers.
    pub(super) fn set_client_version(&mut self, version: Era) {
        self.client_version = Some(version);
    }

    /// Reads what a request declares of its client (2026-07-28).
    pub(super) fn declare(&mut self, request: &Request<'_>) {
        self.modern = true;
        let meta = request.params.and_then(|params| params.member("_meta"));
        let own = meta.and_then(|meta| meta.member(CLIENT));
        self.client_kind = client_kind(own, true);
    }

    /// Reads what an `initialize` declares of its client.
    pub(super) fn initialize(&mut self, request: &Request<'_>) {
        let own = request.params.and_then(|it| it.member("capabilities"));
        self.client_kind = client_kind(own, false);
        self.client_version = None;
    }

    /// Reads the server's answer to `initialize`, which opens a session.
    pub(super) fn open(&mut self, result: View<'_>) {
        let version = result.member("protocolVersion").map_or("", |v| v.string());
        // No later era has `initialize`.
        self.era = Some(nearest(version).min(Era::V2025_11_25));
        self.opened = true;
    }

    /// The era of messages that do not belong to a request with its own declaration.
    pub(super) fn settled(&self) -> Era {
        match self.era {
            Some(era) => self.client_version.map_or(era, |client| client.min(era)),
            None if self.modern => Era::NEWEST,
            None => Era::NEWEST_WITH_SESSIONS,
        }
    }

    /// Remembers in a scope which program lists the tools; `info` is what it says of itself.
    pub(super) fn listed_by(&self, scope: &Scope, info: Option<View<'_>>) {
        let text = |name: &str| {
            let text = info.and_then(|info| info.member(name));
            text.map_or("", |text| text.string())
        };
        let server = format!("{} {}", text("name"), text("version"));
        let server = Some(server.trim()).filter(|server| !server.is_empty());
        let server = server.map(|server| quote(server, SHOWN).to_string());
        let is_process = self.link.server == Carrier::Stdio;
        scope.listed_by(server, is_process, self.client_kind);
    }
}

/// The era of a version that may be unknown: the newest era that is not newer than the version.
fn nearest(version: &str) -> Era {
    let older = |era: &Era| era.version() <= version;
    let mut eras = Era::ALL.into_iter().rev();
    eras.find(older).unwrap_or(Era::V2024_11_05)
}

/// What kind of client has these capabilities.
fn client_kind(capabilities: Option<View<'_>>, is_modern: bool) -> ClientKind {
    let has = |path: &&[&str]| {
        let mut names = path.iter();
        names
            .try_fold(capabilities?, |at, name| at.member(name))
            .map(drop)
    };
    let bits = CAPABILITIES
        .iter()
        .fold(0, |bits, path| (bits << 1) | u8::from(has(path).is_some()));
    ClientKind {
        is_modern,
        capabilities: bits,
    }
}

/// The capabilities of clients that decide which tools servers list.
const CAPABILITIES: [&[&str]; 6] = [
    &["roots"],
    &["sampling"],
    &["elicitation"],
    &["elicitation", "url"],
    &["tasks"],
    &["extensions"],
];
/// Maximum characters of a server's name and version.
const SHOWN: usize = 128;
/// The member of `_meta` with the capabilities of a client (2026-07-28).
const CLIENT: &str = "io.modelcontextprotocol/clientCapabilities";
