//! Whether an endpoint can be reached, as far as is known: when a request finds nobody, the
//! endpoint is asked from time to time until somebody is there again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::{Client, Url};

use crate::fault::Fault;

/// Called when an endpoint cannot be reached any more, and when it can again.
pub(crate) trait Watcher: Send + Sync + 'static {
    /// It cannot be reached.
    fn lost(&self, fault: &Fault);
    /// It answers.
    fn reached(&self);
}

/// What is known of one endpoint; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Health {
    lost: Arc<AtomicBool>,
}

impl Health {
    /// There was an answer, of whatever status.
    pub(super) fn reached(&self, watcher: Option<&Arc<dyn Watcher>>) {
        // Mostly it was not lost, and nothing is written.
        if self.lost.load(Ordering::Acquire)
            && self.lost.swap(false, Ordering::AcqRel)
            && let Some(watcher) = watcher
        {
            watcher.reached();
        }
    }

    /// The endpoint could not be reached. Probes it until it can be, or no watcher is left.
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
                // Any answer will do: a server need not know the method.
                let asked = client.head(url.clone()).timeout(PAUSE).send();
                if asked.await.is_ok() {
                    health.reached(Some(&watcher));
                }
            }
        });
    }
}

/// Between two looks, and the longest that one takes.
const PAUSE: Duration = Duration::from_secs(5);
