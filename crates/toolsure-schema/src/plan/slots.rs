//! Collects names for a table: each once, then sorted.

use foldhash::{HashMap, HashMapExt as _};

use super::name::Name;
use super::names::SORTED;
use super::{NameTable, Slot};
use crate::int::{to_u32, to_usize};

/// Collects names for a table, each once, and the data of each.
#[derive(Debug)]
pub(crate) struct Slots<'n, T> {
    names: Vec<(Name<'n>, T)>,
    /// Slots by name; used once there are more than a few names.
    slot_of: HashMap<&'n str, usize>,
}

impl<'n, T> Slots<'n, T> {
    /// An empty collection with room for some names.
    pub(crate) fn with_room(names: usize) -> Self {
        Self {
            names: Vec::with_capacity(names),
            slot_of: HashMap::new(),
        }
    }

    /// The slot of a name. `data` returns the data of a new name for its slot.
    pub(crate) fn slot(&mut self, name: &'n str, data: impl FnOnce(u32) -> T) -> u32 {
        self.amend(name, data, |_| {})
    }

    /// The slot of a name, after `change` was applied to its data.
    pub(crate) fn amend(
        &mut self,
        name: &'n str,
        data: impl FnOnce(u32) -> T,
        change: impl FnOnce(&mut T),
    ) -> u32 {
        let slot = self.find(name);
        match self.names.get_mut(slot) {
            Some((_, known)) => change(known),
            None => {
                let mut new = data(to_u32(slot));
                change(&mut new);
                self.names.push((Name::new(name), new));
            }
        }
        to_u32(slot)
    }

    /// The slot of a name, or the next free one for a new name.
    fn find(&mut self, name: &'n str) -> usize {
        let next = self.names.len();
        if next < FEW {
            let new = Name::new(name);
            let known = self.names.iter().position(|(known, _)| known.is(&new));
            return known.unwrap_or(next);
        }
        if self.slot_of.is_empty() {
            self.slot_of.reserve(self.names.capacity());
            let names = self.names.iter().map(|(name, _)| name.text);
            self.slot_of.extend(names.zip(0..));
        }
        *self.slot_of.entry(name).or_insert(next)
    }

    /// The table, its names sorted if they are few.
    pub(crate) fn finish(self) -> NameTable<T> {
        let Self { mut names, slot_of } = self;
        drop(slot_of);
        let count = names.len();
        if count <= SORTED {
            names.sort_unstable_by(|(a, _), (b, _)| a.compare(b));
        }
        let bytes = names.iter().map(|(name, _)| name.text.len()).sum();
        NameTable::laid(names.into_iter(), count, bytes)
    }
}

impl<T> Default for Slots<'_, T> {
    fn default() -> Self {
        Self::with_room(0)
    }
}

impl NameTable<Slot> {
    /// The position in the table of each name, in the order in which they were collected.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.len()];
        for (place, slot) in (0..).zip(self.data()) {
            if let Some(known) = places.get_mut(to_usize(slot.order)) {
                *known = place;
            }
        }
        places
    }
}

/// While there are fewer names than this, a new one is compared with each of them.
const FEW: usize = 24;
