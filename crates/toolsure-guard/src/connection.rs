//! The connections of a stage: one to the client, and one or more to servers.

use crate::side::Side;

/// One of a stage's connections to servers. A conversation has one. A translator numbers the
/// connections that it opens from 1. An aggregator has one for each member, in order, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(usize);

impl ConnectionId {
    /// The connection to the server, if there is only one.
    pub const ONLY: Self = Self(1);

    /// The connection with this number.
    #[must_use]
    pub fn new(number: usize) -> Self {
        Self(number)
    }

    /// Its number.
    #[must_use]
    pub fn number(self) -> usize {
        self.0
    }
}

/// Where a message comes from or goes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a conversation has two sides")]
pub enum Connection {
    /// The client.
    Client,
    /// A server.
    Server(ConnectionId),
}

impl Connection {
    /// The side that the connection leads to.
    #[must_use]
    pub fn side(self) -> Side {
        match self {
            Self::Client => Side::Client,
            Self::Server(_) => Side::Server,
        }
    }
}

/// A side's server connection is the only one.
impl From<Side> for Connection {
    fn from(side: Side) -> Self {
        match side {
            Side::Client => Self::Client,
            Side::Server => Self::Server(ConnectionId::ONLY),
        }
    }
}

impl PartialEq<Side> for Connection {
    fn eq(&self, side: &Side) -> bool {
        self.side() == *side
    }
}
