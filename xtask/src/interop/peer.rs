//! The clients of other implementations.

use super::{LEGACY, MODERN};

/// A client.
pub(super) struct Peer {
    /// Its name in the report and in `interop/defects.json`.
    pub(super) name: &'static str,
    /// The versions of the protocol that it speaks.
    pub(super) eras: &'static [&'static str],
    pub(super) script: Script,
}

/// What runs it, under `interop/`.
pub(super) enum Script {
    Javascript(&'static str),
    Python(&'static str),
}

pub(super) const ALL: &[Peer] = &[
    Peer {
        name: "typescript-2",
        eras: &[LEGACY, MODERN],
        script: Script::Javascript("client-v2.mjs"),
    },
    Peer {
        name: "typescript-1",
        eras: &[LEGACY],
        script: Script::Javascript("client-v1.mjs"),
    },
    Peer {
        name: "python",
        eras: &[LEGACY, MODERN],
        script: Script::Python("client.py"),
    },
];
