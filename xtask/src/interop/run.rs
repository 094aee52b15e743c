//! One client with one server.

use super::peer::{LEGACY, MODERN, Role};

/// What is between client and server.
#[derive(Clone, Copy)]
pub(super) enum Between {
    Nothing,
    /// The guard, in front of the server on this transport.
    Guard(&'static str),
    /// The same with `--translate`: the server is called in the other era.
    Translator(&'static str),
}

/// One client with one server.
pub(super) struct Run<'a> {
    pub(super) peer: &'a str,
    pub(super) era: &'a str,
    pub(super) transport: &'a str,
    pub(super) role: Role,
    pub(super) between: Between,
}

impl Run<'_> {
    /// The protocol version that the server is called with.
    pub(super) fn behind(&self) -> &str {
        match self.between {
            Between::Translator(_) if self.era == MODERN => LEGACY,
            Between::Translator(_) => MODERN,
            Between::Nothing | Between::Guard(_) => self.era,
        }
    }

    /// The protocol version that the peer speaks.
    pub(super) fn spoken(&self) -> &str {
        match self.role {
            Role::Client => self.era,
            Role::Server | Role::WrappingServer => self.behind(),
        }
    }
}
