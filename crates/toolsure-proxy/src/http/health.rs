//! Tracks whether an endpoint can be reached. After a failed connection, the endpoint is probed
//! until it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::{Client, Url};

use crate::fault::Fault;

/// Called when an endpoint cannot be reached any more, and when it can again.
pub(crate) trait Watcher: Send + Sync + 'static {
    /// The endpoint cannot be reached.
    fn lost(&self, fault: &Fault);
    /// The endpoint answers again.
    fn reached(&self);
}

/// The known state of one endpoint; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    lost: Arc<AtomicBool>,
}

impl Health {
    /// Records an answer of any status.
    pub(super) fn reached(&self, watcher: Option<&Arc<dyn Watcher>>) {
        // Usually the endpoint was not lost, and the check avoids a write.
        if self.lost.load(Ordering::Acquire)
            && self.lost.swap(false, Ordering::AcqRel)
            && let Some(watcher) = watcher
        {
            watcher.reached();
        }
    }

    /// Records that the endpoint could not be reached, and probes it until it can be, or until
    /// nothing else holds this state. Does nothing without a watcher.
    pub(super) fn lost(
        &self,
        fault: &Fault,
        (client, url): (&Client, &Url),
        watcher: Option<&Arc<dyn Watcher>>,
    ) {
        let Some(watcher) = watcher else { return };
        if self.lost.swap(true, Ordering::AcqRel) {
            return;
        }
        watcher.lost(fault);
        let (health, watcher) = (self.clone(), Arc::clone(watcher));
        let (client, url) = (client.clone(), url.clone());
        tokio::spawn(async move {
            while health.lost.load(Ordering::Acquire) && Arc::strong_count(&health.lost) > 1 {
                tokio::time::sleep(PAUSE).await;
                // Any answer will do: a server need not support HEAD.
                let asked = client.head(url.clone()).timeout(PAUSE).send();
                if asked.await.is_ok() {
                    health.reached(Some(&watcher));
                }
            }
        });
    }
}

/// The pause between two probes, and the timeout of each.
const PAUSE: Duration = Duration::from_secs(5);
