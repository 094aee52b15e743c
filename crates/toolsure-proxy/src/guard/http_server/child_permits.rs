//! Who may start how many children.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits of all children, and those of each caller.
pub(super) struct ChildPermits {
    all: Arc<Semaphore>,
    /// `None` if one caller may have all.
    most_of_one: Option<usize>,
    of_callers: Mutex<OfCallers>,
}

#[derive(Default)]
struct OfCallers {
    of: HashMap<Arc<str>, Arc<Semaphore>>,
    /// How many callers there were after the last clean-up.
    kept: usize,
}

/// The permit of a child, until it has ended.
pub(in crate::guard) struct ChildPermit {
    _of_all: OwnedSemaphorePermit,
    /// `None` for a child that all callers share.
    _of_caller: Option<OwnedSemaphorePermit>,
}

impl ChildPermit {
    pub(super) fn new(
        of_all: OwnedSemaphorePermit,
        of_caller: Option<OwnedSemaphorePermit>,
    ) -> Self {
        Self {
            _of_all: of_all,
            _of_caller: of_caller,
        }
    }
}

impl ChildPermits {
    pub(super) fn new(most: usize, most_of_one: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(most)),
            most_of_one: (most_of_one < most).then_some(most_of_one),
            of_callers: Mutex::default(),
        }
    }

    /// The permits of all children.
    pub(super) fn all(&self) -> Arc<Semaphore> {
        Arc::clone(&self.all)
    }

    /// The permits of one caller; `None` if it may have all.
    pub(super) fn of_caller(&self, caller: &Arc<str>) -> Option<Arc<Semaphore>> {
        let most = self.most_of_one?;
        let mut callers = self
            .of_callers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = callers.of.get(caller) {
            return Some(Arc::clone(own));
        }
        // Those without a child are removed when the number of callers has doubled.
        if callers.of.len() > callers.kept.saturating_mul(2).max(FEW) {
            callers.of.retain(|_, own| Arc::strong_count(own) > 1);
            callers.kept = callers.of.len();
        }
        let own = Arc::new(Semaphore::new(most));
        callers.of.insert(Arc::clone(caller), Arc::clone(&own));
        Some(own)
    }
}

/// So few callers need no clean-up.
const FEW: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_its_own_permits_and_is_forgotten_without_a_child() {
        let permits = ChildPermits::new(4, 2);
        let name = |number: usize| Arc::<str>::from(number.to_string());
        let take = |number| permits.of_caller(&name(number))?.try_acquire_owned().ok();
        let held = [take(0), take(0)];
        assert!(held.iter().all(Option::is_some));
        assert!(take(0).is_none());
        assert!(take(1).is_some());
        for number in 2..1_000 {
            drop(take(number));
        }
        assert!(permits.of_callers.lock().unwrap().of.len() <= 2 * FEW);
        assert!(take(0).is_none());
        drop(held);
        assert!(take(0).is_some());
        assert!(ChildPermits::new(2, 2).of_caller(&name(0)).is_none());
    }
}
