//! Definitions that somebody approved: lock files and candidates for them, and what changed between two of them.

mod compare;
mod file;
mod other_clients;
mod server;
mod texts;

use std::path::{Path, PathBuf};

pub(crate) use compare::{Comparison, compare};
pub(crate) use file::{Candidate, LockFile, shown};
pub(crate) use server::{LockedServer, approval, digest, is_tool_name, one_line, own_name, pin_of};
pub(crate) use texts::texts_beyond;

/// The file in which a review leaves what may be approved.
pub(crate) fn candidate_of(lock: &Path) -> PathBuf {
    lock.with_extension("candidate.json")
}
