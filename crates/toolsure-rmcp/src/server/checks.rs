//! What a layer does with messages: its options, and the state that its handlers share.
//!
//! Calls and results are in `call`, lists in `list`.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::CacheScope;
use toolsure_mcp::check::PendingTasks;
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{OutputPolicy, Projection, TextFallback};

use super::contracts::Contracts;
use super::event::{Observer, ServerEvent};
use crate::checkers::{CheckOptions, Checkers};

/// Checks and projects messages as a layer's options say. Clones share their state.
#[derive(Clone)]
pub(super) struct Checks {
    pub(super) options: Options,
    pub(super) shared: Arc<Shared>,
}

#[derive(Clone)]
pub(super) struct Options {
    pub(super) output: OutputPolicy,
    pub(super) text: TextFallback,
    pub(super) caching: Option<(u64, CacheScope)>,
    pub(super) fixed: bool,
    pub(super) observer: Observer,
    pub(super) check: CheckOptions,
}

pub(super) struct Shared {
    pub(super) checkers: Checkers,
    pub(super) contracts: Contracts,
    pub(super) tasks: Mutex<PendingTasks>,
}

impl Checks {
    /// Without contracts or tasks.
    pub(super) fn new(options: Options, store: SchemaStore) -> Self {
        let check = options.check.clone();
        let shared = Shared {
            contracts: Contracts::new(store, check.engine.is_some()),
            checkers: Checkers::new(check),
            tasks: Mutex::new(PendingTasks::new(TASKS)),
        };
        Self {
            options,
            shared: Arc::new(shared),
        }
    }

    pub(super) fn projection(&self, reader: Era) -> Projection {
        Projection::to(reader)
            .output(self.options.output)
            .text(self.options.text)
    }

    pub(super) fn emit_event(&self, event: &ServerEvent<'_>) {
        (self.options.observer)(event);
    }

    pub(super) fn tasks(&self) -> MutexGuard<'_, PendingTasks> {
        let tasks = self.shared.tasks.lock();
        tasks.unwrap_or_else(PoisonError::into_inner)
    }
}

/// The maximum number of tasks whose tool is remembered.
pub(super) const TASKS: usize = 65_536;
