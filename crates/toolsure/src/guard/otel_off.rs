//! The guard without the feature `otel`: nothing is exported, and an endpoint is refused.

use std::sync::Arc;
use std::time::Duration;

use toolsure_guard::{Link, Tracer};

use super::config::{Config, Upstream};
use super::metrics::Metrics;
use crate::exit::Failure;

/// Never constructed.
#[derive(Debug)]
pub(super) enum Telemetry {}

/// Never constructed.
#[derive(Debug)]
pub(super) enum Line {}

impl Telemetry {
    pub(super) fn start(config: &Config, _: &Arc<Metrics>) -> Result<Option<Self>, Failure> {
        match config.telemetry.endpoint {
            None => Ok(None),
            Some(_) => Err(Failure::usage(
                "`telemetry.endpoint`: this program was built without the feature `otel`",
            )),
        }
    }

    pub(super) fn line(&self, _: &str, _: &Upstream, _: bool) -> Arc<Line> {
        match *self {}
    }

    pub(super) fn end(&self, _: Duration) {
        match *self {}
    }
}

impl Line {
    pub(super) fn tracer(&self, _: &Link) -> Arc<dyn Tracer> {
        match *self {}
    }

    pub(super) fn disconnected(&self, _: Duration) {
        match *self {}
    }

    pub(super) fn session_closed(&self, _: Duration) {
        match *self {}
    }
}
