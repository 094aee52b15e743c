//! Collects names for a table: each once, then sorted.

use std::collections::hash_map::Entry;
use std::hash::BuildHasher as _;

use foldhash::{HashMap, HashMapExt as _};
use toolsure_json::NameEnds;

use super::names::{Row, SORTED};
use super::{NameTable, Slot};
use crate::int::{to_u32, to_usize};

/// Collects names for a table, each once, and the data of each.
#[derive(Debug)]
pub(crate) struct Slots<T> {
    rows: Vec<Row<T>>,
    /// The text of all names, concatenated.
    text: String,
    /// Slots by the hash of the name; used once there are more than a few names.
    slot_of: HashMap<u64, u32>,
}

impl<T> Slots<T> {
    /// An empty collection with room for some names, which have that many bytes together.
    pub(crate) fn with_room(names: usize, bytes: usize) -> Self {
        Self {
            rows: Vec::with_capacity(names),
            text: String::with_capacity(bytes),
            slot_of: HashMap::new(),
        }
    }

    /// The slot of a name. `data` returns the data of a new name for its slot.
    pub(crate) fn slot(&mut self, name: &str, data: impl FnOnce(u32) -> T) -> u32 {
        self.amend(name, data, |_| {})
    }

    /// The slot of a name, after `change` was applied to its data.
    pub(crate) fn amend(
        &mut self,
        name: &str,
        data: impl FnOnce(u32) -> T,
        change: impl FnOnce(&mut T),
    ) -> u32 {
        let ends = NameEnds::of(name.as_bytes());
        let slot = self.find(name, ends);
        match self.rows.get_mut(slot) {
            Some(known) => change(&mut known.data),
            None => {
                let mut new = data(to_u32(slot));
                change(&mut new);
                self.rows.push(Row::new(name, ends, new, &mut self.text));
            }
        }
        to_u32(slot)
    }

    /// The slot of a name, or the next free one for a new name.
    fn find(&mut self, name: &str, ends: NameEnds) -> usize {
        let Self {
            rows,
            text,
            slot_of,
        } = self;
        let next = rows.len();
        let is_it = |row: &Row<T>| row.has(ends) && (ends.is_whole() || row.text(text) == name);
        let scan = || rows.iter().position(is_it).unwrap_or(next);
        if next < FEW {
            return scan();
        }
        if slot_of.is_empty() {
            slot_of.reserve(rows.capacity());
            for (slot, row) in (0..).zip(&*rows) {
                let hash = slot_of.hasher().hash_one(row.text(text));
                slot_of.insert(hash, slot);
            }
        }
        match slot_of.entry(slot_of.hasher().hash_one(name)) {
            Entry::Vacant(free) => {
                free.insert(to_u32(next));
                next
            }
            Entry::Occupied(known) => {
                let slot = to_usize(*known.get());
                // Two names may have the same hash.
                match rows.get(slot).is_some_and(is_it) {
                    true => slot,
                    false => scan(),
                }
            }
        }
    }

    /// The table, its names sorted if they are few.
    pub(crate) fn finish(self) -> NameTable<T> {
        let Self {
            mut rows,
            text,
            slot_of,
        } = self;
        drop(slot_of);
        if rows.len() <= SORTED {
            rows.sort_unstable_by(|a, b| a.compare(b, &text));
        }
        NameTable::of_rows(rows, text)
    }
}

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Self::with_room(0, 0)
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
