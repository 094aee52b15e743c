//! What a scope remembers besides tools: which program listed them, what of other lists is held, and whose tasks are whose.

use std::sync::Arc;

use super::{ClientKind, ListSource, Scope};
use crate::caller::VerifiedCaller;

impl Scope {
    /// Which program lists the tools of this scope.
    pub(crate) fn source(&self) -> ListSource {
        self.state().source.clone()
    }

    /// Sets which program lists the tools of this scope, and to what kind of client.
    pub(crate) fn listed_by(&self, server: Option<String>, is_process: bool, client: ClientKind) {
        let mut state = self.state();
        let source = &mut state.source;
        source.server = server.map(Arc::from).or_else(|| source.server.take());
        (source.is_process, source.client) = (is_process, client);
    }

    /// Remembers whether an entry of a list that was just listed is held.
    pub(crate) fn entry_seen(&self, key: String, listed: &str, is_held: bool, is_approved: bool) {
        let mut state = self.of_all_callers().state();
        state.held.seen(key, listed, is_held, is_approved);
    }

    /// A held entry as it was listed, by its name among those of tools.
    pub(crate) fn held_entry(&self, key: &str) -> Option<Arc<str>> {
        self.of_all_callers().state().held.get(key)
    }

    /// The names of the held entries that begin with this prefix.
    pub(crate) fn held_entries(&self, prefix: &str) -> Vec<String> {
        self.of_all_callers().state().held.names(prefix)
    }

    /// Remembers for which caller a task was made.
    pub(crate) fn began_for(&self, task: &str, caller: &Arc<VerifiedCaller>) {
        self.of_all_callers()
            .state()
            .task_owners
            .insert(task, caller);
    }

    /// The caller for whom a task was made.
    pub(crate) fn task_owner(&self, task: &str) -> Option<Arc<VerifiedCaller>> {
        self.of_all_callers().state().task_owners.get(task)
    }
}
