//! Which program listed the tools of a scope, and to what kind of client.

use std::sync::Arc;

/// Which program listed the tools of a scope, and to what kind of client.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListSource {
    /// The name and the version of the server, in one line.
    pub(crate) server: Option<Arc<str>>,
    /// Whether the server is a process, which keeps its program until it ends.
    pub(crate) is_process: bool,
    pub(crate) client: ClientKind,
    /// When the session or the process began, as a number that grows.
    pub(crate) began: u64,
}

/// Servers may list other tools to other kinds of clients.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(crate) struct ClientKind {
    pub(crate) is_modern: bool,
    /// Which of the capabilities that servers look at it has, one bit for each.
    pub(crate) capabilities: u8,
}
