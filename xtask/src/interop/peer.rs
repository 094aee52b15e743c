//! The other implementations.

/// The protocol versions that represent the two eras.
pub(super) const LEGACY: &str = "2025-11-25";
pub(super) const MODERN: &str = "2026-07-28";

/// Another implementation, in one of the roles.
pub(super) struct Peer {
    /// Its name in the report and in `interop/defects.json`.
    pub(super) name: &'static str,
    pub(super) role: Role,
    /// The protocol versions that it supports.
    pub(super) eras: &'static [&'static str],
    pub(super) script: Script,
}

/// The role of the peer; the other side is ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It calls our server.
    Client,
    /// It serves our client, and projects results for each client's era.
    Server,
    /// It serves our client, and wraps output that is not an object for clients of both eras.
    WrappingServer,
}

/// The script that runs it, under `interop/`.
pub(super) enum Script {
    Javascript(&'static str),
    Python(&'static str),
}

pub(super) const ALL: &[Peer] = &[
    Peer {
        name: "typescript-2-client",
        role: Role::Client,
        eras: &[LEGACY, MODERN],
        script: Script::Javascript("client-v2.mjs"),
    },
    Peer {
        name: "typescript-1-client",
        role: Role::Client,
        eras: &[LEGACY],
        script: Script::Javascript("client-v1.mjs"),
    },
    Peer {
        name: "python-client",
        role: Role::Client,
        eras: &[LEGACY, MODERN],
        script: Script::Python("client.py"),
    },
    Peer {
        name: "typescript-2-server",
        role: Role::Server,
        eras: &[LEGACY, MODERN],
        script: Script::Javascript("server-v2.mjs"),
    },
    Peer {
        name: "python-server",
        role: Role::Server,
        eras: &[LEGACY, MODERN],
        script: Script::Python("server.py"),
    },
    Peer {
        name: "fastmcp-server",
        role: Role::WrappingServer,
        eras: &[LEGACY, MODERN],
        script: Script::Python("server_fastmcp.py"),
    },
];
