//! Requests that have no answer yet: those that servers have, and those that the client has.

use crate::message::Renamed;
use crate::renumber::RequestOrigin;

/// A request on its way to one server.
#[derive(Debug)]
pub(super) struct Sending {
    pub(super) route: usize,
    pub(super) role: Role,
    /// What else is changed in it for this server.
    pub(super) renamed: Renamed,
}

/// A request that a server has not answered yet.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) route: usize,
    pub(super) role: Role,
}

/// How the answer to a request shows that it created a task.
#[derive(Clone, Copy, Debug)]
pub(super) enum TaskMade {
    /// It creates no task.
    No,
    /// By its `resultType` (2026-07-28).
    Tagged,
    /// By its member `task`, which the request asked for (2025-11-25).
    Requested,
}

/// Why a server was asked.
#[derive(Debug)]
pub(super) enum Role {
    /// The client asked this server.
    Whole(RequestOrigin, TaskMade),
    /// Its answer is one part of a merged answer.
    Part(i64),
    /// One server after the other is asked whether it owns a URI or a task.
    Search(i64),
    /// A stream of changes.
    Listen(i64),
    /// Opens a session with the parameters with which the client opened its own.
    Open,
    /// A message of the client that is sent again; its answer is ignored.
    Quiet,
}

/// A request of a server that the client has not answered yet.
#[derive(Debug)]
pub(super) struct ServerRequest {
    pub(super) route: usize,
    pub(super) origin: RequestOrigin,
}
