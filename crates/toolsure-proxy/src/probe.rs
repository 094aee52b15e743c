//! A `server/discover` that a process did not survive.
//!
//! Servers that do not know the method should answer with an error. Some end instead, at once or
//! when the next line arrives; others hang. A process that ends while its first `server/discover`
//! is unanswered is therefore started again, once, and opened with `initialize` alone. Sessions and
//! the guard follow this rule.

use toolsure_mcp::message::{METHOD_NOT_FOUND, write};

/// The first `server/discover` that a process got, by its id.
#[derive(Debug, Default)]
pub(crate) enum Probe<Id> {
    #[default]
    Unsent,
    Unanswered(Id),
    /// It was answered, or the process was started again because of it.
    Settled,
}

impl<Id: PartialEq> Probe<Id> {
    /// Notes that a `server/discover` was sent.
    pub(crate) fn sent(&mut self, id: Id) {
        if matches!(self, Self::Unsent) {
            *self = Self::Unanswered(id);
        }
    }

    /// Notes an answer of the server. Returns whether it is the answer to the probe.
    pub(crate) fn answered(&mut self, id: &Id) -> bool {
        let is_its_answer = matches!(self, Self::Unanswered(probe) if probe == id);
        if is_its_answer {
            *self = Self::Settled;
        }
        is_its_answer
    }

    pub(crate) fn is_unanswered(&self) -> bool {
        matches!(self, Self::Unanswered(_))
    }

    /// The probe that the process has ended at; `None` if it was answered. Only the first end can
    /// be due to it.
    pub(crate) fn ended_process(&mut self) -> Option<Id> {
        match std::mem::replace(self, Self::Settled) {
            Self::Unanswered(id) => Some(id),
            _ => None,
        }
    }
}

/// The answer of a server that does not know the method, in place of one that gives none. Clients
/// of both eras then open a session with `initialize`.
pub(crate) fn unknown_method(id: &str) -> String {
    let text = "the server does not answer `server/discover`; open a session with `initialize`";
    let data = r#"{"code":"server-timeout"}"#;
    write::error(id, METHOD_NOT_FOUND, text, Some(data))
}
