//! The servers that an aggregator presents as one.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Notify, watch};
use toolsure_guard::NodeId;

use crate::guard::bounds::Restart;
use crate::guard::child::Restarts;
use crate::guard::upstream::{Aggregate, AggregateMember, Upstream};

/// The servers of an aggregator.
pub(super) struct Members {
    pub(super) aggregator: NodeId,
    pub(super) aggregate: Arc<Aggregate>,
    /// They only become more.
    present: Mutex<Vec<Present>>,
    /// Those that are gone, and why, until somebody brings them back.
    gone: Mutex<Vec<(usize, String)>>,
    has_gone: Notify,
    /// Those that are added while the hub runs.
    news: Mutex<Option<watch::Receiver<Vec<Arc<AggregateMember>>>>>,
}

struct Present {
    member: Arc<AggregateMember>,
    restarts: Restarts,
}

impl Members {
    pub(super) fn new(
        aggregator: NodeId,
        aggregate: Arc<Aggregate>,
        news: watch::Receiver<Vec<Arc<AggregateMember>>>,
    ) -> Self {
        Self {
            aggregator,
            aggregate,
            present: Mutex::default(),
            gone: Mutex::default(),
            has_gone: Notify::new(),
            news: Mutex::new(Some(news)),
        }
    }

    pub(super) fn add(&self, member: Arc<AggregateMember>) {
        let restarts = Restarts::new(restart(&member));
        self.present().push(Present { member, restarts });
    }

    /// A server is gone. Called under the lock of the hub.
    pub(super) fn add_gone(&self, at: usize, why: String) {
        let gone = self.gone.lock();
        gone.unwrap_or_else(PoisonError::into_inner).push((at, why));
        self.has_gone.notify_one();
    }

    /// Waits until servers are gone.
    pub(super) async fn next_gone(&self) -> Vec<(usize, String)> {
        loop {
            let has_gone = self.has_gone.notified();
            let gone = {
                let gone = self.gone.lock();
                std::mem::take(&mut *gone.unwrap_or_else(PoisonError::into_inner))
            };
            if !gone.is_empty() {
                return gone;
            }
            has_gone.await;
        }
    }

    /// The servers that are added while the hub runs. Only the first call has them.
    pub(super) fn news(&self) -> Option<watch::Receiver<Vec<Arc<AggregateMember>>>> {
        let news = self.news.lock();
        news.unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn count(&self) -> usize {
        self.present().len()
    }

    fn present(&self) -> MutexGuard<'_, Vec<Present>> {
        self.present.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn member(&self, at: usize) -> Option<Arc<AggregateMember>> {
        Some(Arc::clone(&self.present().get(at)?.member))
    }

    /// How long to wait before a server is started again; `None` if it is not.
    pub(super) fn pause(&self, at: usize) -> Option<Duration> {
        let mut present = self.present();
        let Present { member, restarts } = present.get_mut(at)?;
        let restart = restart(member);
        (restart.most > 0).then(|| restarts.next().unwrap_or(restart.window))
    }
}

fn restart(member: &AggregateMember) -> Restart {
    match &member.upstream {
        Upstream::Child { restart, .. } => *restart,
        _ => Restart::default(),
    }
}
