//! Collects names for a table: each once, then sorted.

use std::cmp::Ordering;

use foldhash::{HashMap, HashMapExt as _};
use toolgate_json::NameEnds;

use super::NameTable;
use super::names::SORTED;
use crate::int::{to_u32, to_usize};

/// A name that is going into a table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'n> {
    pub(super) ends: NameEnds,
    pub(super) text: &'n str,
}

impl<'n> Name<'n> {
    pub(super) fn new(text: &'n str) -> Self {
        Self {
            ends: NameEnds::of(text.as_bytes()),
            text,
        }
    }

    /// Compares names by their first bytes, then by the rest.
    fn compare(&self, other: &Self) -> Ordering {
        let heads = self.ends.head().cmp(&other.ends.head());
        heads.then_with(|| self.text.cmp(other.text))
    }

    fn is(&self, other: &Self) -> bool {
        self.ends == other.ends && (self.ends.is_whole() || self.text == other.text)
    }
}

/// Collects names for a table, each once.
#[derive(Debug, Default)]
pub(crate) struct Slots<'n> {
    names: Vec<Name<'n>>,
    /// Slots by name; used once there are more than a few names.
    slot_of: HashMap<&'n str, u32>,
}

impl<'n> Slots<'n> {
    /// An empty collection with room for some names.
    pub(crate) fn with_room(names: usize) -> Self {
        Self {
            names: Vec::with_capacity(names),
            slot_of: HashMap::new(),
        }
    }

    /// The slot of a name, new or known.
    pub(crate) fn slot(&mut self, name: &'n str) -> u32 {
        let next = to_u32(self.names.len());
        let new = Name::new(name);
        if self.names.len() < FEW {
            let known = self.names.iter().position(|known| known.is(&new));
            return known.map(to_u32).unwrap_or_else(|| {
                self.names.push(new);
                next
            });
        }
        if self.slot_of.is_empty() {
            self.slot_of.reserve(self.names.capacity());
            let names = self.names.iter().map(|name| name.text);
            self.slot_of.extend(names.zip(0..));
        }
        *self.slot_of.entry(name).or_insert_with(|| {
            self.names.push(new);
            next
        })
    }

    /// The table, its names sorted if they are few, and the order of the slots in it. `data`
    /// returns the data for the name of a slot.
    pub(crate) fn finish<T>(self, data: impl Fn(usize) -> T) -> (NameTable<T>, Order) {
        let mut order: Vec<u32> = (0..to_u32(self.names.len())).collect();
        let name = |slot: &u32| self.names.get(to_usize(*slot));
        if order.len() <= SORTED {
            order.sort_unstable_by(|a, b| match (name(a), name(b)) {
                (Some(a), Some(b)) => a.compare(b),
                _ => Ordering::Equal,
            });
        }
        let bytes = self.names.iter().map(|name| name.text.len()).sum();
        let slots = order.iter();
        let rows = slots.filter_map(|slot| Some((*name(slot)?, data(to_usize(*slot)))));
        let table = NameTable::laid(rows, self.names.len(), bytes);
        (table, Order(order))
    }
}

/// The collected slot of each name, in table order.
pub(crate) struct Order(Vec<u32>);

impl Order {
    /// The table position of each collected slot.
    pub(crate) fn places(&self) -> Vec<u32> {
        let mut places = vec![0; self.0.len()];
        for (place, slot) in (0..).zip(&self.0) {
            if let Some(known) = places.get_mut(to_usize(*slot)) {
                *known = place;
            }
        }
        places
    }
}

/// While there are fewer names than this, a new one is compared with each of them.
const FEW: usize = 24;
