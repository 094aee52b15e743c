//! The guard without the feature `valkey`: nothing is shared, and settings for a store are refused.

use std::sync::Arc;

use toolsure_guard::Share;
use toolsure_proxy::guard::Clock;

use super::config::Config;
use super::metrics::Metrics;
use super::state::State;
use crate::exit::Failure;

/// Never constructed.
pub(super) enum Store {}

impl Store {
    pub(super) fn start(
        _: &Config,
        _: Clock,
        _: &Arc<Metrics>,
        _: &Arc<State>,
    ) -> Result<Option<Self>, Failure> {
        Ok(None)
    }

    pub(super) fn share(&self) -> &Share {
        match *self {}
    }

    pub(super) async fn end(self) {
        match self {}
    }
}
