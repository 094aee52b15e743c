//! A table of names: which of them is this one?

use toolgate_json::{NameEnds, key_hash};

use crate::int::{to_u32, to_usize};

/// Distinct names with quick lookup; a name's place in the table is its slot.
///
/// Few names are compared one by one, more go through a hash table, and names
/// that were crafted to collide are found by binary search. What stands in the
/// table is compared by the words at its ends; only names of more than 16 bytes
/// are looked at beyond those.
#[derive(Debug, Default)]
pub(crate) struct NameTable {
    names: Box<[Name]>,
    /// All names in a row.
    text: Box<str>,
    lookup: Lookup,
}

/// A name and where its text stands.
#[derive(Debug, Clone, Copy)]
struct Name {
    ends: NameEnds,
    start: u32,
    end: u32,
}

#[derive(Debug, Default)]
enum Lookup {
    #[default]
    Linear,
    /// Slot + 1 by hash, linear probing; 0 is free. The length is a power of two.
    Bytes(Box<[u8]>),
    /// The same for more names than a byte can tell apart.
    Words(Box<[u32]>),
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

    /// The table, its names sorted if they are few, and the place in it of each
    /// slot so far.
    pub(crate) fn finish(self) -> (NameTable, Vec<u32>) {
        let mut sorted: Vec<(&str, usize)> = self.names.into_iter().zip(0..).collect();
        if sorted.len() <= SORTED {
            sorted.sort_unstable();
        }
        let mut places = vec![0; sorted.len()];
        for (place, (_, slot)) in (0..).zip(&sorted) {
            if let Some(slot) = places.get_mut(*slot) {
                *slot = place;
            }
        }
        (NameTable::new(sorted.iter().map(|(name, _)| *name)), places)
    }
}

impl NameTable {
    /// A table of distinct names.
    pub(crate) fn new<'n, I>(names: I) -> Self
    where
        I: IntoIterator<Item = &'n str>,
        I::IntoIter: Clone,
    {
        let names = names.into_iter();
        let mut text = String::with_capacity(names.clone().map(str::len).sum());
        let names = names.map(|name| {
            let start = to_u32(text.len());
            text.push_str(name);
            Name {
                ends: NameEnds::of(name.as_bytes()),
                start,
                end: to_u32(text.len()),
            }
        });
        let names: Box<[Name]> = names.collect();
        let mut table = Self {
            names,
            text: text.into(),
            lookup: Lookup::Linear,
        };
        if table.names.len() > LINEAR {
            table.lookup = table.hashed().unwrap_or_else(|| table.sorted());
        }
        table
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether the names are few enough to be passed over one by one; those of a
    /// table from [`Slots::finish`] are then sorted.
    pub(crate) fn is_short(&self) -> bool {
        self.names.len() <= SORTED
    }

    /// The names in the order of their slots.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.names.iter().map(|name| self.text_of(*name))
    }

    /// The hash of a slot's name.
    pub(crate) fn hash(&self, slot: usize) -> u32 {
        key_hash(self.name(slot))
    }

    /// The name of a slot; empty for no slot.
    pub(crate) fn name(&self, slot: usize) -> &str {
        let name = self.names.get(slot);
        name.map_or("", |name| self.text_of(*name))
    }

    fn text_of(&self, name: Name) -> &str {
        let range = to_usize(name.start)..to_usize(name.end);
        self.text.get(range).unwrap_or_default()
    }

    /// The slot of a name. `hash` is asked for at most once, and only in tables
    /// of more than a few names.
    #[inline]
    pub(crate) fn find(&self, name: &[u8], hash: impl FnOnce(NameEnds) -> u32) -> Option<usize> {
        let ends = NameEnds::of(name);
        match &self.lookup {
            Lookup::Linear => self.scan(ends, name),
            Lookup::Bytes(buckets) => {
                let mask = buckets.len().wrapping_sub(1);
                let mut at = to_usize(hash(ends)) & mask;
                loop {
                    let slot = usize::from(*buckets.get(at)?).checked_sub(1)?;
                    if self.is(self.names.get(slot)?, ends, name) {
                        return Some(slot);
                    }
                    at = (at + 1) & mask;
                }
            }
            Lookup::Words(buckets) => self.probe(buckets, ends, hash(ends), name),
            Lookup::Sorted(slots) => self.search(slots, name),
        }
    }

    /// The slot of a name in a table of sorted names, for a walk over names that
    /// are sorted too; `from` is where it stands, 0 at first. Names in another
    /// order are found as well, but slowly.
    #[inline]
    pub(crate) fn find_next(&self, from: &mut usize, name: &[u8]) -> Option<usize> {
        let ends = NameEnds::of(name);
        let head = ends.head();
        let mut before = 0;
        if let Some(passed) = from.checked_sub(1).and_then(|at| self.names.get(at)) {
            before = passed.ends.head();
            if before > head {
                return self.find_again(from, name);
            }
        }
        while let Some(known) = self.names.get(*from)
            && known.ends.head() <= head
        {
            if known.ends.head() == head {
                if !self.is(known, ends, name) {
                    return self.find_again(from, name);
                }
                *from += 1;
                return Some(*from - 1);
            }
            *from += 1;
        }
        if before == head {
            return self.find_again(from, name);
        }
        None
    }

    /// The slot of a name, wherever it stands.
    #[cold]
    fn find_again(&self, from: &mut usize, name: &[u8]) -> Option<usize> {
        let ends = NameEnds::of(name);
        *from = self
            .names
            .partition_point(|known| known.ends.head() < ends.head());
        let rest = self.names.get(*from..)?.iter();
        let mut same = rest.take_while(|known| known.ends.head() == ends.head());
        same.position(|known| self.is(known, ends, name))
            .map(|at| *from + at)
    }

    /// The slot of a name.
    pub(crate) fn find_text(&self, name: &str) -> Option<usize> {
        self.find(name.as_bytes(), |ends| ends.hash(name.as_bytes()))
    }

    #[inline(never)]
    fn scan(&self, ends: NameEnds, name: &[u8]) -> Option<usize> {
        let mut known = self.names.iter();
        known.position(|known| self.is(known, ends, name))
    }

    #[inline(never)]
    fn probe(&self, buckets: &[u32], ends: NameEnds, hash: u32, name: &[u8]) -> Option<usize> {
        let mask = buckets.len().wrapping_sub(1);
        let mut at = to_usize(hash) & mask;
        loop {
            let slot = to_usize(buckets.get(at)?.checked_sub(1)?);
            if self.is(self.names.get(slot)?, ends, name) {
                return Some(slot);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn search(&self, slots: &[u32], name: &[u8]) -> Option<usize> {
        let place = slots.binary_search_by(|slot| self.name(to_usize(*slot)).as_bytes().cmp(name));
        slots.get(place.ok()?).map(|slot| to_usize(*slot))
    }

    #[inline]
    fn is(&self, known: &Name, ends: NameEnds, name: &[u8]) -> bool {
        known.ends == ends && (ends.is_whole() || self.text_of(*known).as_bytes() == name)
    }

    /// A hash table at most half full, or `None` if some name, in the table or
    /// not, would be looked for in more than [`PROBES`] places.
    fn hashed(&self) -> Option<Lookup> {
        let room = if self.names.len() > BYTE { 3 } else { 2 };
        let size = self.names.len().checked_mul(room)?;
        let size = size.checked_next_power_of_two()?;
        let mask = size - 1;
        let mut buckets = vec![0_u32; size].into_boxed_slice();
        for (slot, name) in (1..).zip(self.names()) {
            let mut at = to_usize(key_hash(name)) & mask;
            let mut probes = 0;
            while *buckets.get(at)? != 0 {
                probes += 1;
                if probes > PROBES {
                    return None;
                }
                at = (at + 1) & mask;
            }
            *buckets.get_mut(at)? = slot;
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
        if self.names.len() > BYTE {
            return Some(Lookup::Words(buckets));
        }
        let bytes = buckets.iter().map(|slot| u8::try_from(*slot).ok());
        Some(Lookup::Bytes(bytes.collect::<Option<_>>()?))
    }

    fn sorted(&self) -> Lookup {
        let mut slots: Vec<(u32, &str)> = (0..).zip(self.names()).collect();
        slots.sort_unstable_by_key(|(_, name)| *name);
        Lookup::Sorted(slots.into_iter().map(|(slot, _)| slot).collect())
    }
}

/// While there are fewer names than this, a new one is compared with each.
const FEW: usize = 24;
/// Up to this many names are compared one by one.
const LINEAR: usize = 3;
/// Up to this many names are sorted, for walks beside sorted members.
const SORTED: usize = 32;
/// As many slots as a byte can number, counted from 1.
const BYTE: usize = 255;
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
        for size in [0, 1, LINEAR, LINEAR + 1, 100, BYTE, BYTE + 1, 5_000] {
            let name = |n| format!("{}name-{n}", "long-".repeat(n % 4));
            let names: Vec<String> = (0..size).map(name).collect();
            let table = table(&names);
            for (slot, name) in names.iter().enumerate() {
                assert_eq!(table.find_text(name), Some(slot), "{name} of {size}");
            }
            for other in ["", "name", "name-5001", "NAME-1", "long-long-long-name-1"] {
                assert_eq!(table.find_text(other), None, "{other} of {size}");
            }
        }
    }

    /// In order, in reverse, and where many names begin alike.
    #[test]
    fn walks_find_the_same() {
        let many = (0..30).map(|n| format!("{}{n}", "beginning".repeat(n % 3)));
        let known: Vec<String> = many.clone().filter(|name| !name.ends_with('7')).collect();
        let mut slots = Slots::default();
        for name in &known {
            slots.slot(name);
        }
        let (table, places) = slots.finish();
        for (name, place) in known.iter().zip(places) {
            assert_eq!(table.name(to_usize(place)), name);
        }
        let mut sorted: Vec<String> = many.chain([String::new(), "z".into()]).collect();
        sorted.sort();
        let reversed = sorted.iter().rev().cloned().collect();
        for names in [sorted, reversed] {
            let mut from = 0;
            for name in &names {
                let found = table.find_next(&mut from, name.as_bytes());
                assert_eq!(found, table.find_text(name), "{name}");
            }
        }
    }

    #[test]
    fn sorted_lookup_agrees() {
        let names: Vec<String> = (0..300).map(|n| format!("{}", n * 7 % 300)).collect();
        let mut table = table(&names);
        table.lookup = table.sorted();
        for (slot, name) in names.iter().enumerate() {
            assert_eq!(table.find_text(name), Some(slot));
        }
        assert_eq!(table.find_text("300"), None);
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
            assert_eq!(table.find_text(name), Some(slot));
        }
        assert_eq!(table.find_text("absent"), None);
    }
}
