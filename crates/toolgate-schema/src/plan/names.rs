//! A table of names: which of them is this one?

use toolgate_json::key_hash;

use crate::int::{to_u32, to_usize};

/// Distinct names with quick lookup; a name's place in the table is its slot.
///
/// Few names are compared one by one, more go through a hash table, and names
/// that were crafted to collide are found by binary search.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    names: Box<[Name]>,
    lookup: Lookup,
}

/// A name and the first of its bytes as a word.
#[derive(Debug)]
struct Name {
    head: u64,
    hash: u32,
    text: Box<str>,
}

#[derive(Debug, Default)]
enum Lookup {
    #[default]
    Linear,
    /// Slot + 1 by hash, linear probing; 0 is free. The length is a power of two.
    Hashed { buckets: Box<[u32]>, mask: u32 },
    /// Slots sorted by name.
    Sorted(Box<[u32]>),
}

/// Names being collected into a table, each once.
#[derive(Debug, Default)]
pub(crate) struct Slots<'n> {
    names: Vec<&'n str>,
    /// Of all names, once there are more than a few.
    slot_of: std::collections::HashMap<&'n str, u32>,
}

impl<'n> Slots<'n> {
    /// The slot of a name, new or known.
    pub(crate) fn slot(&mut self, name: &'n str) -> u32 {
        let next = to_u32(self.names.len());
        if self.names.len() < FEW {
            let known = self.names.iter().position(|known| *known == name);
            return known.map(to_u32).unwrap_or_else(|| {
                self.names.push(name);
                next
            });
        }
        if self.slot_of.is_empty() {
            self.slot_of.extend(self.names.iter().copied().zip(0..));
        }
        *self.slot_of.entry(name).or_insert_with(|| {
            self.names.push(name);
            next
        })
    }

    pub(crate) fn finish(self) -> NameTable {
        NameTable::new(self.names)
    }
}

impl NameTable {
    /// A table of distinct names.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let names = names.into_iter().map(|text| Name {
            head: head(text),
            hash: key_hash(text),
            text: text.into(),
        });
        let names: Box<[Name]> = names.collect();
        let lookup = if names.len() <= LINEAR {
            Lookup::Linear
        } else {
            hashed(&names).unwrap_or_else(|| sorted(&names))
        };
        Self { names, lookup }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The names in the order of their slots.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| &*name.text)
    }

    /// The hash of a slot's name.
    pub(crate) fn hash(&self, slot: u32) -> u32 {
        self.names.get(to_usize(slot)).map_or(0, |name| name.hash)
    }

    /// The name of a slot; empty for no slot.
    pub(crate) fn name(&self, slot: u32) -> &str {
        self.names.get(to_usize(slot)).map_or("", |name| &name.text)
    }

    /// The slot of a name. `guess` is tried first: members tend to come in the
    /// schema's order. `hash` is asked for at most once.
    #[inline]
    pub(crate) fn find(&self, name: &str, guess: u32, hash: impl FnOnce() -> u32) -> Option<u32> {
        let head = head(name);
        if self.is(guess, head, name) {
            return Some(guess);
        }
        match &self.lookup {
            Lookup::Linear => self
                .names
                .iter()
                .position(|known| known.is(head, name))
                .map(to_u32),
            Lookup::Hashed { buckets, mask } => {
                let mut at = hash() & mask;
                loop {
                    let slot = buckets.get(to_usize(at)).copied()?.checked_sub(1)?;
                    if self.is(slot, head, name) {
                        return Some(slot);
                    }
                    at = (at + 1) & mask;
                }
            }
            Lookup::Sorted(slots) => {
                let place = slots.binary_search_by(|slot| self.name(*slot).cmp(name));
                slots.get(place.ok()?).copied()
            }
        }
    }

    #[inline]
    fn is(&self, slot: u32, head: u64, name: &str) -> bool {
        self.names
            .get(to_usize(slot))
            .is_some_and(|known| known.is(head, name))
    }
}

impl Name {
    #[inline]
    fn is(&self, head: u64, name: &str) -> bool {
        // The head says all about a name of up to eight bytes, given its length.
        self.head == head
            && self.text.len() == name.len()
            && (name.len() <= 8 || *self.text == *name)
    }
}

/// The first eight bytes of a name; of a shorter name of known length, all of it.
#[inline]
fn head(name: &str) -> u64 {
    let bytes = name.as_bytes();
    if let Some(first) = bytes.first_chunk::<8>() {
        return u64::from_le_bytes(*first);
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32;
    }
    match *bytes {
        [a] => u64::from(a),
        [a, b] => u64::from(a) | u64::from(b) << 8,
        [a, b, c] => u64::from(a) | u64::from(b) << 8 | u64::from(c) << 16,
        _ => 0,
    }
}

/// A hash table at most a third full, or `None` if some name, in the table or
/// not, would be looked for in more than [`PROBES`] places.
fn hashed(names: &[Name]) -> Option<Lookup> {
    let size = names.len().checked_mul(3)?.checked_next_power_of_two()?;
    let mask = u32::try_from(size - 1).ok()?;
    let mut buckets = vec![0_u32; size].into_boxed_slice();
    for (slot, name) in (1..).zip(names) {
        let mut at = name.hash & mask;
        let mut probes = 0;
        while *buckets.get(to_usize(at))? != 0 {
            probes += 1;
            if probes > PROBES {
                return None;
            }
            at = (at + 1) & mask;
        }
        *buckets.get_mut(to_usize(at))? = slot;
    }
    // A name that is not there is looked for up to the next free place, and the
    // search goes round the end.
    let mut run = 0;
    for bucket in buckets.iter().chain(buckets.iter().take(PROBES + 1)) {
        run = if *bucket == 0 { 0 } else { run + 1 };
        if run > PROBES {
            return None;
        }
    }
    Some(Lookup::Hashed { buckets, mask })
}

fn sorted(names: &[Name]) -> Lookup {
    let mut slots: Vec<(u32, &str)> = (0..).zip(names.iter().map(|name| &*name.text)).collect();
    slots.sort_unstable_by_key(|(_, name)| *name);
    Lookup::Sorted(slots.into_iter().map(|(slot, _)| slot).collect())
}

/// While there are fewer names than this, a new one is compared with each.
const FEW: usize = 24;
/// Up to this many names are compared one by one.
const LINEAR: usize = 16;
/// A lookup takes at most this many steps (a table a third full has runs of about
/// 20 at 100,000 names).
const PROBES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn table(names: &[String]) -> NameTable {
        NameTable::new(names.iter().map(String::as_str))
    }

    #[test]
    fn finds_every_name_and_no_other() {
        for size in [0, 1, LINEAR, LINEAR + 1, 100, 5_000] {
            let names: Vec<String> = (0..size).map(|n| format!("name-{n}")).collect();
            let table = table(&names);
            for (slot, name) in names.iter().enumerate() {
                let found = table.find(name, 0, || key_hash(name));
                assert_eq!(found, Some(to_u32(slot)), "{name} of {size}");
            }
            for other in ["", "name", "name-5001", "NAME-1"] {
                assert_eq!(
                    table.find(other, 3, || key_hash(other)),
                    None,
                    "{other} of {size}"
                );
            }
        }
    }

    #[test]
    fn sorted_lookup_agrees() {
        let names: Vec<String> = (0..300).map(|n| format!("{}", n * 7 % 300)).collect();
        let mut table = table(&names);
        table.lookup = sorted(&table.names);
        for (slot, name) in names.iter().enumerate() {
            assert_eq!(table.find(name, 0, || 0), Some(to_u32(slot)));
        }
        assert_eq!(table.find("300", 0, || 0), None);
    }

    /// Names that go in without a collision but leave no free place in a row: a
    /// name that is not there would be looked for along all of them.
    #[test]
    fn crafted_runs_are_sorted_instead() {
        let mut homes: Vec<Option<String>> = vec![None; 81];
        let mask = 255;
        for n in 0.. {
            let name = format!("n{n}");
            let home = to_usize(key_hash(&name) & mask);
            if let Some(slot @ None) = homes.get_mut(home) {
                *slot = Some(name);
            } else if homes.iter().all(Option::is_some) {
                break;
            }
        }
        let names: Vec<String> = homes.into_iter().flatten().collect();
        let table = table(&names);
        assert!(matches!(table.lookup, Lookup::Sorted(_)));
        for (slot, name) in names.iter().enumerate() {
            assert_eq!(table.find(name, 0, || key_hash(name)), Some(to_u32(slot)));
        }
        assert_eq!(table.find("absent", 0, || key_hash("absent")), None);
    }
}
