//! For whom tasks were made.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use crate::caller::VerifiedCaller;

/// The callers for whom tasks were made, by the ids of the tasks.
#[derive(Debug)]
pub(super) struct TaskOwners {
    owners: HashMap<Arc<str>, Arc<VerifiedCaller>>,
    /// The oldest is forgotten first.
    order: VecDeque<Arc<str>>,
    capacity: usize,
}

impl TaskOwners {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            owners: HashMap::new(),
            order: VecDeque::new(),
            capacity,
        }
    }

    /// Remembers a task. If it is said to be another caller's too, it stays that of the first.
    pub(super) fn insert(&mut self, task: &str, caller: &Arc<VerifiedCaller>) {
        if self.owners.contains_key(task) {
            return;
        }
        if self.order.len() >= self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.owners.remove(&oldest);
        }
        let task: Arc<str> = Arc::from(task);
        self.order.push_back(Arc::clone(&task));
        self.owners.insert(task, Arc::clone(caller));
    }

    pub(super) fn get(&self, task: &str) -> Option<Arc<VerifiedCaller>> {
        self.owners.get(task).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_of_the_first_and_the_oldest_is_forgotten() {
        let caller = |subject: &str| {
            Arc::new(VerifiedCaller {
                subject: Some(subject.into()),
                ..VerifiedCaller::default()
            })
        };
        let (ann, ben) = (caller("ann"), caller("ben"));
        let mut owners = TaskOwners::new(2);
        owners.insert("1", &ann);
        owners.insert("1", &ben);
        owners.insert("2", &ben);
        assert_eq!(owners.get("1"), Some(ann.clone()));
        owners.insert("3", &ben);
        let long = "4".repeat(2_048);
        owners.insert(&long, &ben);
        assert_eq!(owners.get(&long), Some(ben.clone()));
        assert_eq!(owners.get("1"), None);
        assert_eq!(owners.get("3"), Some(ben));
        assert_eq!((owners.owners.len(), owners.order.len()), (2, 2));
    }
}
