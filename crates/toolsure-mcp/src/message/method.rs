//! The protocol's methods, of all versions and both directions, and whether a method fits the kind
//! of message that it is in.
//!
//! The same bytes must mean the same to every reader. A program that does not require an `id`, that
//! ignores case (as Go's `encoding/json` does for member names), or that normalises a method before
//! it looks it up must not find a request where others see something to forward.

use std::fmt;

/// A method of the protocol.
///
/// ```
/// use toolsure_mcp::message::{Method, MethodKind};
///
/// let call = Method::of("tools/call").ok_or("no method")?;
/// assert!(call.kind == MethodKind::Request && call.is_request_of_client());
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a row of a table that says who sends what"
)]
pub struct Method {
    /// Its name.
    pub name: &'static str,
    /// The kind of message that it belongs in.
    pub kind: MethodKind,
    /// Who sends it.
    pub sender: Sender,
}

/// The kind of message that a method belongs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC 2.0 has these two")]
pub enum MethodKind {
    /// With an `id`: a response is expected.
    Request,
    /// Without one.
    Notification,
}

/// Who sends a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a session has two sides")]
pub enum Sender {
    /// The client only.
    Client,
    /// The server only.
    Server,
    /// Both.
    Both,
}

impl Method {
    /// The method with exactly this name.
    #[must_use]
    pub fn of(name: &str) -> Option<&'static Self> {
        METHODS.iter().find(|method| method.name == name)
    }

    /// Whether a client sends it as a request.
    #[must_use]
    pub fn is_request_of_client(&self) -> bool {
        self.kind == MethodKind::Request && self.sender != Server
    }
}

/// Why a method does not fit its message.
///
/// ```
/// use toolsure_mcp::message::MethodFault;
///
/// assert_eq!(MethodFault::find("tools/list", true), None);
/// assert_eq!(MethodFault::find("tools/list", false), Some(MethodFault::WithoutId("tools/list")));
/// assert_eq!(MethodFault::find("tools-list", true), Some(MethodFault::Lookalike("tools/list")));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MethodFault {
    /// A request's method in a message without an `id`.
    WithoutId(&'static str),
    /// A notification's method in a message with an `id`.
    WithId,
    /// The name differs from a method's only in case and punctuation.
    Lookalike(&'static str),
    /// The name has characters that no method has: not printable ASCII, `%` or `\`.
    Characters,
}

impl MethodFault {
    /// Finds what is wrong with a method in a message with or without an `id`.
    ///
    /// An unknown method is not a fault here: extensions have their own.
    #[must_use]
    pub fn find(method: &str, has_id: bool) -> Option<Self> {
        if let Some(known) = Method::of(method) {
            return match (known.kind, has_id) {
                (MethodKind::Request, false) => Some(Self::WithoutId(known.name)),
                (MethodKind::Notification, true) => Some(Self::WithId),
                _ => None,
            };
        }
        let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'%' && byte != b'\\';
        if !method.bytes().all(plain) {
            return Some(Self::Characters);
        }
        let alike = |known: &&Method| folded(known.name).eq(folded(method));
        if let Some(known) = METHODS.iter().find(alike) {
            return Some(Self::Lookalike(known.name));
        }
        (has_id && method.starts_with(NOTIFICATIONS)).then_some(Self::WithId)
    }
}

impl fmt::Display for MethodFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::WithoutId(name) => write!(f, "`{name}` is a request and must have an `id`"),
            Self::WithId => f.write_str("a notification must not have an `id`"),
            Self::Lookalike(name) => {
                write!(f, "`method` is not spelled like the method `{name}`")
            }
            Self::Characters => f.write_str("`method` has characters that no method has"),
        }
    }
}

/// Letters and digits in lower case; drops everything else.
fn folded(name: &str) -> impl Iterator<Item = u8> {
    let kept = name.bytes().filter(u8::is_ascii_alphanumeric);
    kept.map(|byte| byte.to_ascii_lowercase())
}

const fn request(name: &'static str, sender: Sender) -> Method {
    Method {
        name,
        kind: MethodKind::Request,
        sender,
    }
}

const fn notification(name: &'static str, sender: Sender) -> Method {
    Method {
        name,
        kind: MethodKind::Notification,
        sender,
    }
}

/// The prefix of the names of notifications.
const NOTIFICATIONS: &str = "notifications/";

use Sender::{Both, Client, Server};

/// The methods of 2024-11-05 to 2026-07-28 and of the tasks extension.
pub const METHODS: &[Method] = &[
    request("tools/call", Client),
    request("tools/list", Client),
    request("ping", Both),
    request("initialize", Client),
    request("server/discover", Client),
    request("subscriptions/listen", Client),
    request("prompts/list", Client),
    request("prompts/get", Client),
    request("resources/list", Client),
    request("resources/templates/list", Client),
    request("resources/read", Client),
    request("resources/subscribe", Client),
    request("resources/unsubscribe", Client),
    request("completion/complete", Client),
    request("logging/setLevel", Client),
    request("tasks/get", Both),
    request("tasks/result", Both),
    request("tasks/list", Both),
    request("tasks/cancel", Both),
    request("tasks/update", Client),
    request("sampling/createMessage", Server),
    request("elicitation/create", Server),
    request("roots/list", Server),
    notification("notifications/cancelled", Both),
    notification("notifications/progress", Both),
    notification("notifications/initialized", Client),
    notification("notifications/roots/list_changed", Client),
    notification("notifications/message", Server),
    notification("notifications/tools/list_changed", Server),
    notification("notifications/prompts/list_changed", Server),
    notification("notifications/resources/list_changed", Server),
    notification("notifications/resources/updated", Server),
    notification("notifications/elicitation/complete", Server),
    notification("notifications/subscriptions/acknowledged", Server),
    notification("notifications/tasks", Server),
    notification("notifications/tasks/status", Both),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_stands_there_once_and_fits_its_own_kind_only() {
        for (at, method) in METHODS.iter().enumerate() {
            assert_eq!(Method::of(method.name), METHODS.get(at), "{}", method.name);
            let has_id = method.kind == MethodKind::Request;
            assert_eq!(MethodFault::find(method.name, has_id), None);
            assert!(MethodFault::find(method.name, !has_id).is_some());
            assert_eq!(method.name.starts_with(NOTIFICATIONS), !has_id);
        }
    }

    #[test]
    fn a_name_that_another_reader_takes_for_a_method_is_a_fault() {
        for method in [
            "Tools/Call",
            "TOOLS/CALL",
            "tools/call/",
            "/tools/call",
            "tools//call",
            "tools.call",
            "toolsCall",
        ] {
            for has_id in [true, false] {
                let found = MethodFault::find(method, has_id);
                assert_eq!(
                    found,
                    Some(MethodFault::Lookalike("tools/call")),
                    "{method}"
                );
            }
        }
        for method in [
            " tools/call",
            "tools/call\0",
            "tools\\call",
            "tools%2Fcall",
            "tools/c\u{430}ll",
            "\u{ff54}ools/call",
            "tools/call\u{fffd}",
        ] {
            let found = MethodFault::find(method, true);
            assert_eq!(found, Some(MethodFault::Characters), "{method}");
        }
        for method in [
            "",
            "vendor/search",
            "x-tools/call",
            "$/other",
            "tools/callback",
        ] {
            assert_eq!(MethodFault::find(method, true), None, "{method}");
            assert_eq!(MethodFault::find(method, false), None, "{method}");
        }
        assert_eq!(MethodFault::find("notifications/vendor", false), None);
        let with_id = MethodFault::find("notifications/vendor", true);
        assert_eq!(with_id, Some(MethodFault::WithId));
    }
}
