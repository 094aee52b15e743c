//! The memory that checks reuse.

use std::cell::RefCell;

use toolsure_schema::Workspace;

thread_local! {
    /// One for each thread. No check runs Python code, so checks are never nested.
    static WORKSPACE: RefCell<Workspace> = RefCell::new(Workspace::new());
}

/// Runs `work` with this thread's workspace.
pub(crate) fn with<T>(work: impl FnOnce(&mut Workspace) -> T) -> T {
    WORKSPACE.with_borrow_mut(work)
}
