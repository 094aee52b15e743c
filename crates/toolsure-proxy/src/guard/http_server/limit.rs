//! The limits of the HTTP server that may be reached, and what is said of them.

/// A limit that is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::guard) enum Limit {
    /// Requests in progress.
    Requests,
    /// Open legacy sessions.
    Sessions,
    /// The same, of one caller.
    CallerSessions,
    /// Running children.
    Children,
    /// The same, of one caller.
    CallerChildren,
}

impl Limit {
    /// The status of a request over it: what one caller has too much of is its own concern (RFC 6585, section 4).
    pub(in crate::guard) fn status(self) -> u16 {
        match self {
            Self::Requests | Self::Sessions | Self::Children => 503,
            Self::CallerSessions | Self::CallerChildren => 429,
        }
    }

    /// Its stable code in metrics and logs.
    pub(in crate::guard) fn code(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Sessions => "sessions",
            Self::CallerSessions => "caller-sessions",
            Self::Children => "children",
            Self::CallerChildren => "caller-children",
        }
    }

    /// What is said to the sender of a request over it.
    pub(in crate::guard) fn text(self) -> &'static str {
        match self {
            Self::Requests => "too many requests are in progress (limits.requests)",
            Self::Sessions => "too many sessions are open (limits.sessions)",
            Self::CallerSessions => {
                "too many sessions of this caller are open (limits.caller_sessions): end one with DELETE"
            }
            Self::Children => "too many server processes are running (limits.children)",
            Self::CallerChildren => {
                "too many server processes of this caller are running (limits.caller_children): end a session with DELETE"
            }
        }
    }
}

/// The setting of the limit that is the reason for a refused request
/// ([`Event::Rejected`](super::super::Event::Rejected)), without `limits.`; `None` if that is no limit.
#[must_use]
pub fn limit_of(why: &str) -> Option<&'static str> {
    let found = SETTINGS.iter().find(|(code, _)| *code == why);
    found.map(|(_, setting)| *setting)
}

/// The reasons for a refusal that are limits of this guard, and their settings.
const SETTINGS: [(&str, &str); 8] = [
    ("connections", "connections"),
    ("requests", "requests"),
    ("request-bytes", "message_memory"),
    ("sessions", "sessions"),
    ("caller-sessions", "caller_sessions"),
    ("children", "children"),
    ("caller-children", "caller_children"),
    ("parked", "parked"),
];
