//! A line of the audit log: what the guard found and did, without secrets.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use toolsure_json::{has_secret, json_string, push_json_string, quote};
use toolsure_mcp::era::Era;

use crate::caller::VerifiedCaller;
use crate::fault::{Act, Party};
use crate::id::IdKey;
use crate::lock::Digest;
use crate::side::Side;

/// One verdict, as plain data.
///
/// It contains names, places and codes, and what a [`Recording`](crate::policy::Recording) takes of arguments and
/// results, which by default is nothing: the data of a caller may be secret, and logs are kept for long.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The time, on the clock that is passed in.
    pub at: Duration,
    /// The sender of the message.
    pub from: Side,
    /// Which filter decided.
    pub filter: Filter,
    /// What happened to the message.
    pub action: Action,
    /// A stable code: `passed`, or the violation.
    pub code: &'static str,
    /// Who must act, if something is wrong.
    pub blame: Option<Party>,
    /// The method of the message, or of the request that it answers.
    pub method: Option<Cow<'static, str>>,
    /// The id of the request.
    pub id: Option<IdKey>,
    /// The tool.
    pub tool: Option<Arc<str>>,
    /// What a request other than a call is about.
    pub about: Option<Box<About>>,
    /// The era in which the message was read.
    pub era: Option<Era>,
    /// Where in the arguments or the result, and at which keyword; at most [`Record::PLACES`].
    pub places: Vec<String>,
    /// One line of detail.
    pub detail: Option<String>,
    /// The digest of the definition of the tool, or of another entry, that was compared with a lock and
    /// differs.
    pub digest: Option<Digest>,
    /// Units of work that the check used.
    pub fuel: u64,
    /// The time from the request to this answer.
    pub elapsed: Option<Duration>,
    /// The peer on the client's side, if the transport knows it.
    pub peer: Option<Arc<Peer>>,
    /// If the record names no tool: how many more tools of a page have the same finding as tools with
    /// records of their own.
    pub more: u64,
    /// The arguments of the call, or what is recorded of them, as JSON text.
    pub arguments: Option<Box<str>>,
    /// The same of its result.
    pub result: Option<Box<str>>,
    /// Whether the server lists the tool. Other names can be anything that a caller wrote.
    pub listed: bool,
}

/// What a request is about, as a record has it: a member of its line. It has no secret, as far as texts show.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct About {
    /// The name of the member: `prompt`, `uri` or `task`.
    pub member: &'static str,
    /// The server's name of the prompt, the URI, or the id of the task, in one line of bounded length.
    pub text: Box<str>,
}

impl About {
    pub(crate) fn new(member: &'static str, text: &str) -> Self {
        let text = without_secret(text);
        Self {
            member,
            text: text.into(),
        }
    }
}

/// A name or a URI as records have it.
pub(crate) fn without_secret(text: &str) -> String {
    let start = text.char_indices().nth(ABOUT).map(|(end, _)| end);
    let start = start.and_then(|end| text.get(..end)).unwrap_or(text);
    if !has_secret(start) {
        return quote(text, ABOUT).to_string();
    }
    // Without what may be a password in it, the path of a URI still says what was read.
    let path = start.split(['?', '#']).next().unwrap_or_default();
    match path.len() < start.len() && !has_secret(path) {
        true => format!("{}?(secret)", quote(path, ABOUT)),
        false => "(secret)".to_owned(),
    }
}

/// The peer on the client's side of a message, as far as the transport knows. It contains no secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the transport that makes one must say all of it"
)]
pub struct Peer {
    /// The caller: the subject of a token, or a digest of it; never the token.
    pub caller: Option<Arc<str>>,
    /// The session, under a name that gives no access.
    pub session: Option<Arc<str>>,
    /// The network address that the message came from: `IP:PORT`, or the `IP` that a proxy reports.
    pub address: Option<Arc<str>>,
    /// Who the caller is, if the transport has verified it. Not part of a record's line, which has
    /// [`caller`](Self::caller).
    pub verified: Option<Arc<VerifiedCaller>>,
}

impl Peer {
    /// What of the address one client cannot change: an IPv4 address, or the first 64 bits of an IPv6 address.
    /// `None` without an address of these kinds.
    #[must_use]
    pub fn network(&self) -> Option<IpAddr> {
        let address = self.address.as_deref()?;
        let socket = address.parse().map(|socket: SocketAddr| socket.ip());
        let ip = socket.or_else(|_| address.parse::<IpAddr>()).ok()?;
        Some(match ip.to_canonical() {
            IpAddr::V4(ip) => IpAddr::V4(ip),
            IpAddr::V6(ip) => IpAddr::V6(Ipv6Addr::from_bits(ip.to_bits() >> 64 << 64)),
        })
    }
}

/// A filter, as records and metrics name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// Whether it is a message, and within the limits.
    Envelope,
    /// Whether it belongs to the conversation: ids, order, time.
    Tracking,
    /// Whether a listed tool may be listed.
    Admission,
    /// Whether a tool still is as it was pinned.
    Drift,
    /// Whether a tool is within its rate limit.
    Rate,
    /// Whether arguments keep the contract.
    Arguments,
    /// Whether a result keeps the contract.
    Results,
}

impl Filter {
    /// The name in a log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Envelope => "envelope",
            Self::Tracking => "tracking",
            Self::Admission => "admission",
            Self::Drift => "drift",
            Self::Rate => "rate",
            Self::Arguments => "arguments",
            Self::Results => "results",
        }
    }
}

/// What happened to a message, or to the part of it that a record is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Action {
    /// It was passed on unchanged.
    Passed,
    /// It has a violation and was passed on all the same.
    Reported,
    /// It was passed on altered.
    Altered,
    /// It was not passed on, and its sender or reader got an answer.
    Refused,
    /// It was not passed on, and nobody waits for an answer.
    Dropped,
}

impl Action {
    /// The name in a log.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Reported => "reported",
            Self::Altered => "altered",
            Self::Refused => "refused",
            Self::Dropped => "dropped",
        }
    }
}

impl Record {
    /// The maximum number of places in a record.
    pub const PLACES: usize = 4;

    pub(crate) fn new(at: Duration, from: Side, filter: Filter, action: Action) -> Self {
        Self {
            at,
            from,
            filter,
            action,
            code: PASSED,
            blame: None,
            method: None,
            id: None,
            tool: None,
            about: None,
            era: None,
            places: Vec::new(),
            detail: None,
            digest: None,
            fuel: 0,
            elapsed: None,
            peer: None,
            more: 0,
            arguments: None,
            result: None,
            listed: false,
        }
    }

    /// The record of a request whose caller was not let in ([`Policy::admits`](crate::Policy::admits)), before its
    /// message was read.
    #[must_use]
    pub fn not_admitted(at: Duration, peer: Arc<Peer>) -> Self {
        let mut record = Self::new(at, Side::Client, Filter::Admission, Action::Refused);
        record.code = Act::NotAllowed.code();
        record.blame = Some(Act::NotAllowed.by());
        record.detail = Some("no rule is for the caller".to_owned());
        record.peer = Some(peer);
        record
    }

    /// One line of JSON, without a line break.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.to_json_with(&[])
    }

    /// The same with members before the record's own, each a name and JSON text: for example the time of
    /// day or the name of the upstream.
    #[must_use]
    pub fn to_json_with(&self, members: &[(&str, &str)]) -> String {
        let mut line = Line(String::from("{"));
        for (name, value) in members {
            line.raw(name, value);
        }
        line.raw("atMs", &self.at.as_millis().to_string());
        if let Some(peer) = &self.peer {
            let parts = [
                ("caller", &peer.caller),
                ("session", &peer.session),
                ("address", &peer.address),
            ];
            for (name, part) in parts {
                if let Some(part) = part {
                    line.text(name, &cut(part));
                }
            }
        }
        line.text("from", self.from.name());
        line.text("filter", self.filter.name());
        line.text("action", self.action.name());
        line.text("code", self.code);
        if let Some(blame) = self.blame {
            line.text("blame", blame.name());
        }
        if let Some(method) = &self.method {
            line.text("method", &cut(method));
        }
        if let Some(id) = &self.id {
            line.raw("id", &shown_id(id));
        }
        if let Some(tool) = &self.tool {
            // A name that the server does not have can be anything.
            match self.listed {
                true => line.text("tool", &cut(tool)),
                false => line.text("tool", &cut(&without_secret(tool))),
            }
        }
        if let Some(about) = &self.about {
            line.text(about.member, &about.text);
        }
        if let Some(era) = self.era {
            line.text("version", era.version());
        }
        if !self.places.is_empty() {
            let places: Vec<String> = self.places.iter().map(|p| json_string(p)).collect();
            line.raw("places", &format!("[{}]", places.join(",")));
        }
        if let Some(detail) = &self.detail {
            line.text("detail", detail);
        }
        if let Some(digest) = &self.digest {
            line.text("digest", &digest.to_string());
        }
        for (name, value) in [("arguments", &self.arguments), ("result", &self.result)] {
            if let Some(value) = value {
                line.raw(name, value);
            }
        }
        if self.more > 0 {
            line.raw("more", &self.more.to_string());
        }
        if self.fuel > 0 {
            line.raw("fuel", &self.fuel.to_string());
        }
        if let Some(elapsed) = self.elapsed {
            line.raw("elapsedUs", &elapsed.as_micros().to_string());
        }
        line.0.push('}');
        line.0
    }
}

/// An object that is being written.
struct Line(String);

impl Line {
    fn text(&mut self, name: &str, value: &str) {
        self.raw(name, &json_string(value));
    }

    fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        push_json_string(&mut self.0, name);
        // Writing to a string cannot fail.
        let _ = write!(self.0, ":{value}");
    }
}

/// Shortens a foreign text to one bounded line.
fn cut(text: &str) -> String {
    quote(text, SHOWN).to_string()
}

/// An id as JSON text, bounded.
fn shown_id(id: &IdKey) -> String {
    match id {
        IdKey::Number(number) => number.to_string(),
        IdKey::Text(text) => json_string(&cut(text)),
        IdKey::Other(number) => json_string(&cut(number)),
    }
}

/// The code if nothing is wrong.
pub(crate) const PASSED: &str = "passed";
/// Maximum characters of a foreign text that a record repeats.
const SHOWN: usize = 128;
/// The same of what a request is about: URIs are longer than names.
const ABOUT: usize = 1_024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_one_line_of_json() {
        let mut record = Record::new(
            Duration::from_millis(1500),
            Side::Client,
            Filter::Arguments,
            Action::Refused,
        );
        record.code = "arguments-invalid";
        record.blame = Some(Party::Client);
        record.method = Some("tools/call".into());
        record.id = Some(IdKey::Text("a\n\"b".into()));
        record.tool = Some("greet\u{202e}".into());
        record.era = Some(Era::V2026_07_28);
        record.places = vec!["/limit minimum".to_owned()];
        record.fuel = 12;
        record.elapsed = Some(Duration::from_micros(7));
        record.peer = Some(Arc::new(Peer {
            caller: Some("user@issuer".into()),
            session: None,
            address: Some("127.0.0.1:5".into()),
            verified: None,
        }));
        let line = record.to_json_with(&[("time", "\"now\"")]);
        assert_eq!(
            line,
            r#"{"time":"now","atMs":1500,"caller":"user@issuer","address":"127.0.0.1:5","from":"client","filter":"arguments","action":"refused","code":"arguments-invalid","blame":"client","method":"tools/call","id":"a\\n\"b","tool":"greet\\u{202e}","version":"2026-07-28","places":["/limit minimum"],"fuel":12,"elapsedUs":7}"#
        );
        assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok());
    }

    #[test]
    fn what_a_request_is_about_has_no_secret_and_is_bounded() {
        let long = format!("file:///{}", "a".repeat(2_000));
        for (uri, expected) in [
            ("file:///data/a%20b", "file:///data/a%20b"),
            ("demo://x\n{y}", "demo://x\\n{y}"),
            ("db://t/rows?token=hunter2hunter2", "db://t/rows?(secret)"),
            ("https://ann:hunter2@db.example/t", "(secret)"),
            ("", ""),
        ] {
            assert_eq!(&*About::new("uri", uri).text, expected);
        }
        assert!(About::new("uri", &long).text.chars().count() <= ABOUT + 1);
    }

    #[test]
    fn an_unlisted_tool_with_a_secret_for_a_name_is_not_recorded() {
        let mut record = Record::new(
            Duration::ZERO,
            Side::Client,
            Filter::Admission,
            Action::Refused,
        );
        for (name, listed, expected) in [
            (
                "ghp_0123456789abcdefghijABCDEFGHIJ456789",
                false,
                "(secret)",
            ),
            ("greet", false, "greet"),
            ("greet", true, "greet"),
        ] {
            record.tool = Some(name.into());
            record.listed = listed;
            let line = record.to_json_with(&[]);
            assert!(line.contains(&format!(r#""tool":"{expected}""#)), "{line}");
        }
    }

    #[test]
    fn clients_of_one_network_are_one() {
        let network = |address: &str| {
            let peer = Peer {
                caller: None,
                session: None,
                address: Some(address.into()),
                verified: None,
            };
            peer.network().map(|ip| ip.to_string())
        };
        for (address, expected) in [
            ("192.0.2.1:80", Some("192.0.2.1")),
            ("192.0.2.1", Some("192.0.2.1")),
            ("[::ffff:192.0.2.1]:80", Some("192.0.2.1")),
            ("[2001:db8::1:2]:80", Some("2001:db8::")),
            ("2001:db8:0:1:2::3", Some("2001:db8:0:1::")),
            ("unix", None),
        ] {
            assert_eq!(network(address).as_deref(), expected, "{address}");
        }
    }
}
