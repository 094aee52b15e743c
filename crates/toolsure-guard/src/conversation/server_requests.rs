//! Requests of the server that have no answer yet, oldest first.

use std::collections::{BTreeMap, HashMap};

use crate::id::IdKey;

/// The ids of the server's open requests, in the order they came.
#[derive(Debug, Default)]
pub(super) struct ServerRequests {
    numbers: HashMap<IdKey, u64>,
    order: BTreeMap<u64, IdKey>,
    next: u64,
}

impl ServerRequests {
    pub(super) fn len(&self) -> usize {
        self.numbers.len()
    }

    pub(super) fn contains(&self, key: &IdKey) -> bool {
        self.numbers.contains_key(key)
    }

    /// Adds an id; an id that is already there becomes the youngest.
    pub(super) fn insert(&mut self, key: IdKey) {
        self.remove(&key);
        self.order.insert(self.next, key.clone());
        self.numbers.insert(key, self.next);
        self.next += 1;
    }

    /// Removes an id. Returns whether it was there.
    pub(super) fn remove(&mut self, key: &IdKey) -> bool {
        let number = self.numbers.remove(key);
        number.is_some_and(|number| self.order.remove(&number).is_some())
    }

    /// Forgets the oldest id.
    pub(super) fn forget_oldest(&mut self) {
        if let Some((_, key)) = self.order.pop_first() {
            self.numbers.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_goes_first_and_each_is_there_once() {
        let mut requests = ServerRequests::default();
        for key in [1, 2, 3, 1] {
            requests.insert(IdKey::Number(key));
        }
        assert_eq!(requests.len(), 3);
        requests.forget_oldest();
        assert!(!requests.contains(&IdKey::Number(2)));
        requests.remove(&IdKey::Number(3));
        requests.insert(IdKey::Number(4));
        requests.forget_oldest();
        assert!(!requests.contains(&IdKey::Number(1)) && requests.contains(&IdKey::Number(4)));
        requests.forget_oldest();
        requests.forget_oldest();
        assert_eq!(requests.len(), 0);
    }
}
