//! A lookup table of names.

use std::cmp::Ordering;

use toolsure_json::{NameEnds, key_hash};

use crate::int::{to_u32, to_usize};

/// Distinct names with fast lookup, and the data of each; a name's position in the table is its
/// slot.
///
/// A few names are compared one by one, more go into a hash table, and names crafted to collide are
/// found by binary search. A name is compared by the words at its ends; only names of more than 16
/// bytes are read beyond those.
#[derive(Debug)]
pub(crate) struct NameTable<T = ()> {
    rows: Box<[Row<T>]>,
    /// The text of all names, concatenated.
    text: Box<str>,
    lookup: Lookup,
}

/// A name, where its text starts, and its data.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row<T> {
    head: u64,
    tail: u64,
    length: u32,
    start: u32,
    pub(super) data: T,
}

impl<T> Row<T> {
    /// A row for a name, which is appended to the text of all names.
    pub(super) fn new(name: &str, ends: NameEnds, data: T, text: &mut String) -> Self {
        let start = to_u32(text.len());
        text.push_str(name);
        Self {
            head: ends.head(),
            tail: ends.tail(),
            length: to_u32(ends.length()),
            start,
            data,
        }
    }

    /// The name, in the text of all names.
    #[inline]
    pub(super) fn text<'t>(&self, text: &'t str) -> &'t str {
        let start = to_usize(self.start);
        let range = start..start + to_usize(self.length);
        text.get(range).unwrap_or_default()
    }

    /// Compares names by their first bytes, then by the rest.
    pub(super) fn compare(&self, other: &Self, text: &str) -> Ordering {
        let heads = self.head.cmp(&other.head);
        heads.then_with(|| self.text(text).cmp(other.text(text)))
    }

    /// Whether the name has these ends. It is the same name if they are all of it.
    #[inline(always)]
    pub(super) fn has(&self, ends: NameEnds) -> bool {
        self.head == ends.head()
            && self.tail == ends.tail()
            && to_usize(self.length) == ends.length()
    }
}

impl<T> Default for NameTable<T> {
    fn default() -> Self {
        Self {
            rows: Box::default(),
            text: Box::default(),
            lookup: Lookup::Linear,
        }
    }
}

/// A position in a table of sorted names, for a walk over names in the same order.
pub(crate) struct Along<'t, T> {
    table: &'t NameTable<T>,
    /// Starts at the first name whose head is not less than that of the last name searched for.
    rest: &'t [Row<T>],
    /// The head of the name before `rest`; 0 at first.
    passed: u64,
}

impl<'t, T> Along<'t, T> {
    /// The data of a name. Names out of order are found as well, but slowly. `WIDE` is whether the
    /// table has many more names than are searched for.
    #[inline(always)]
    pub(crate) fn find<const WIDE: bool>(&mut self, name: &[u8]) -> Option<&'t T> {
        let ends = NameEnds::of(name);
        let head = ends.head();
        if head <= self.passed {
            return self.table.find_again(name);
        }
        // Several names at once, none of which can be it.
        while WIDE
            && let [_, _, _, last, rest @ ..] = self.rest
            && last.head < head
        {
            self.passed = last.head;
            self.rest = rest;
        }
        while let [known, rest @ ..] = self.rest {
            let other = known.head;
            if other < head {
                self.passed = other;
                self.rest = rest;
                continue;
            }
            if other > head {
                return None;
            }
            if self.table.is(known, ends, name) {
                return Some(&known.data);
            }
            return self.table.find_among(self.rest, name);
        }
        None
    }
}

#[derive(Debug)]
enum Lookup {
    Linear,
    /// Slot + 1 by hash, linear probing; 0 is free. The length is a power of two.
    Bytes(Box<[u8]>),
    /// The same for more names than a byte can number.
    Words(Box<[u32]>),
    /// Slots sorted by name.
    Sorted(Box<[u32]>),
}

impl NameTable {
    /// A table of distinct names without data.
    pub(crate) fn of<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::new(names.into_iter().map(|name| (name, ())))
    }
}

impl<T> NameTable<T> {
    /// A table of distinct names.
    pub(crate) fn new<'n>(names: impl IntoIterator<Item = (&'n str, T)>) -> Self {
        let mut text = String::new();
        let names = names.into_iter();
        let rows = names.map(|(name, data)| {
            let ends = NameEnds::of(name.as_bytes());
            Row::new(name, ends, data, &mut text)
        });
        Self::of_rows(rows.collect(), text)
    }

    /// A table of rows with distinct names; `text` is the text of all names.
    pub(super) fn of_rows(rows: Vec<Row<T>>, text: String) -> Self {
        let mut table = Self {
            rows: rows.into(),
            text: text.into(),
            lookup: Lookup::Linear,
        };
        if table.rows.len() > LINEAR {
            table.lookup = table.hashed().unwrap_or_else(|| table.sorted());
        }
        table
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are so few names that each is searched for in an object, instead of looking up
    /// the object's members in the table.
    pub(crate) fn are_sought(&self) -> bool {
        self.rows.len() <= SOUGHT
    }

    /// Whether there are few enough names for a walk in parallel with sorted members; the names of
    /// a table from [`Slots::finish`](super::Slots::finish) are then sorted.
    pub(crate) fn is_short(&self) -> bool {
        self.rows.len() <= SORTED
    }

    /// The names in slot order.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &str> {
        self.rows.iter().map(|row| row.text(&self.text))
    }

    /// The data of the names in slot order.
    pub(crate) fn data(&self) -> impl ExactSizeIterator<Item = &T> {
        self.rows.iter().map(|row| &row.data)
    }

    /// The mutable data of the names in slot order.
    pub(crate) fn data_mut(&mut self) -> impl ExactSizeIterator<Item = &mut T> {
        self.rows.iter_mut().map(|row| &mut row.data)
    }

    /// The hash of a slot's name.
    pub(crate) fn hash(&self, slot: usize) -> u32 {
        key_hash(self.name(slot))
    }

    /// The name of a slot; empty if the slot does not exist.
    pub(crate) fn name(&self, slot: usize) -> &str {
        self.known_name(slot).unwrap_or("")
    }

    /// The name of a slot, if the slot exists.
    #[inline]
    pub(crate) fn known_name(&self, slot: usize) -> Option<&str> {
        self.rows.get(slot).map(|row| row.text(&self.text))
    }

    /// The data of a name. Calls `hash` at most once, and only if the table has more than a few
    /// names.
    #[inline]
    pub(crate) fn find(&self, name: &[u8], hash: impl FnOnce(NameEnds) -> u32) -> Option<&T> {
        let ends = NameEnds::of(name);
        match &self.lookup {
            Lookup::Linear => self.scan(ends, name),
            Lookup::Bytes(buckets) => {
                let mask = buckets.len().wrapping_sub(1);
                let mut at = to_usize(hash(ends)) & mask;
                loop {
                    let slot = usize::from(*buckets.get(at)?).checked_sub(1)?;
                    let row = self.rows.get(slot)?;
                    if self.is(row, ends, name) {
                        return Some(&row.data);
                    }
                    at = (at + 1) & mask;
                }
            }
            Lookup::Words(buckets) => self.probe(buckets, ends, hash(ends), name),
            Lookup::Sorted(slots) => self.search(slots, name),
        }
    }

    /// Starts a walk over sorted names in parallel with the names of a sorted table.
    #[inline]
    pub(crate) fn along(&self) -> Along<'_, T> {
        Along {
            table: self,
            rest: &self.rows,
            passed: 0,
        }
    }

    /// The data of a name in a table of sorted names, at any position.
    #[inline(never)]
    fn find_again(&self, name: &[u8]) -> Option<&T> {
        let ends = NameEnds::of(name);
        let first = self.rows.partition_point(|known| known.head < ends.head());
        self.find_among(self.rows.get(first..)?, name)
    }

    /// The data of a name among rows whose first ones have the same head.
    #[inline(never)]
    fn find_among<'t>(&'t self, rows: &'t [Row<T>], name: &[u8]) -> Option<&'t T> {
        let ends = NameEnds::of(name);
        let mut same = rows.iter().take_while(|known| known.head == ends.head());
        same.find(|known| self.is(known, ends, name))
            .map(|row| &row.data)
    }

    /// The data of a name.
    pub(crate) fn find_text(&self, name: &str) -> Option<&T> {
        self.find(name.as_bytes(), |ends| ends.hash(name.as_bytes()))
    }

    #[inline(always)]
    fn scan(&self, ends: NameEnds, name: &[u8]) -> Option<&T> {
        let mut known = self.rows.iter();
        known
            .find(|known| self.is(known, ends, name))
            .map(|row| &row.data)
    }

    #[inline(never)]
    fn probe(&self, buckets: &[u32], ends: NameEnds, hash: u32, name: &[u8]) -> Option<&T> {
        let mask = buckets.len().wrapping_sub(1);
        let mut at = to_usize(hash) & mask;
        loop {
            let row = self.rows.get(to_usize(buckets.get(at)?.checked_sub(1)?))?;
            if self.is(row, ends, name) {
                return Some(&row.data);
            }
            at = (at + 1) & mask;
        }
    }

    #[cold]
    fn search(&self, slots: &[u32], name: &[u8]) -> Option<&T> {
        let place = slots.binary_search_by(|slot| self.name(to_usize(*slot)).as_bytes().cmp(name));
        let row = self.rows.get(to_usize(*slots.get(place.ok()?)?));
        row.map(|row| &row.data)
    }

    #[inline(always)]
    fn is(&self, known: &Row<T>, ends: NameEnds, name: &[u8]) -> bool {
        known.has(ends) && (ends.is_whole() || self.is_long(known, name))
    }

    /// Whether two names with equal ends are also equal in the middle.
    #[inline(never)]
    fn is_long(&self, known: &Row<T>, name: &[u8]) -> bool {
        known.text(&self.text).as_bytes() == name
    }

    /// A hash table at most half full, or `None` if the search for some name, present or absent,
    /// would take more than [`PROBES`] steps.
    fn hashed(&self) -> Option<Lookup> {
        if self.rows.len() > BYTE {
            self.buckets(3, |slot| slot).map(Lookup::Words)
        } else {
            // Slots fit in a byte.
            let narrow = |slot| u8::try_from(slot).unwrap_or(u8::MAX);
            self.buckets(2, narrow).map(Lookup::Bytes)
        }
    }

    /// The slots, counted from 1, by hash, with at least `room` buckets for each.
    fn buckets<B: Copy + Default + PartialEq>(
        &self,
        room: usize,
        bucket: impl Fn(u32) -> B,
    ) -> Option<Box<[B]>> {
        let size = self.rows.len().checked_mul(room)?;
        let size = size.checked_next_power_of_two()?;
        let mask = size - 1;
        let free = B::default();
        let mut buckets = vec![free; size].into_boxed_slice();
        for (slot, name) in (1..).zip(self.names()) {
            let mut at = to_usize(key_hash(name)) & mask;
            let mut probes = 0;
            while *buckets.get(at)? != free {
                probes += 1;
                if probes > PROBES {
                    return None;
                }
                at = (at + 1) & mask;
            }
            *buckets.get_mut(at)? = bucket(slot);
        }
        // The search for an absent name ends at the next free bucket, and wraps around the end.
        if self.rows.len() <= PROBES {
            return Some(buckets);
        }
        let mut run = 0;
        for bucket in buckets.iter().chain(buckets.iter().take(PROBES + 1)) {
            run = if *bucket == free { 0 } else { run + 1 };
            if run > PROBES {
                return None;
            }
        }
        Some(buckets)
    }

    fn sorted(&self) -> Lookup {
        let mut slots: Vec<(u32, &str)> = (0..).zip(self.names()).collect();
        slots.sort_unstable_by_key(|(_, name)| *name);
        Lookup::Sorted(slots.into_iter().map(|(slot, _)| slot).collect())
    }
}

/// Up to this many names are searched for in an object.
pub(super) const SOUGHT: usize = 4;
/// Up to this many names are compared one by one.
const LINEAR: usize = 3;
/// Up to this many names are sorted, for walks in parallel with sorted members.
pub(super) const SORTED: usize = 32;
/// The largest number of slots that a byte can hold, counted from 1.
const BYTE: usize = 255;
/// A lookup takes at most this many steps (a table one third full has runs of about 20 at 100,000
/// names).
const PROBES: usize = 64;

#[cfg(test)]
mod tests {
    use super::super::{Slot, Slots};
    use super::*;

    fn table(names: &[String]) -> NameTable<usize> {
        NameTable::new(names.iter().map(String::as_str).zip(0..))
    }

    #[test]
    fn finds_every_name_and_no_other() {
        for size in [0, 1, LINEAR, LINEAR + 1, 100, BYTE, BYTE + 1, 5_000] {
            let name = |n| format!("{}name-{n}", "long-".repeat(n % 4));
            let names: Vec<String> = (0..size).map(name).collect();
            let table = table(&names);
            for (slot, name) in names.iter().enumerate() {
                assert_eq!(table.find_text(name), Some(&slot), "{name} of {size}");
            }
            for other in ["", "name", "name-5001", "NAME-1", "long-long-long-name-1"] {
                assert_eq!(table.find_text(other), None, "{other} of {size}");
            }
        }
    }

    /// Tests names in order, in reverse order, and with common prefixes.
    #[test]
    fn walks_find_the_same() {
        let many = (0..30).map(|n| format!("{}{n}", "beginning".repeat(n % 3)));
        let known: Vec<String> = many.clone().filter(|name| !name.ends_with('7')).collect();
        let mut slots = Slots::default();
        for name in &known {
            slots.slot(name, Slot::at);
        }
        let table = slots.finish();
        for (name, place) in known.iter().zip(table.places()) {
            assert_eq!(table.name(to_usize(place)), name);
        }
        let mut sorted: Vec<String> = many.chain([String::new(), "z".into()]).collect();
        sorted.sort();
        let reversed = sorted.iter().rev().cloned().collect();
        for names in [sorted, reversed] {
            let (mut near, mut wide) = (table.along(), table.along());
            for name in &names {
                let order = |slot: &Slot| slot.order;
                let expected = table.find_text(name).map(order);
                let name = name.as_bytes();
                assert_eq!(near.find::<false>(name).map(order), expected, "{name:?}");
                assert_eq!(wide.find::<true>(name).map(order), expected, "{name:?}");
            }
        }
    }

    #[test]
    fn sorted_lookup_agrees() {
        let names: Vec<String> = (0..300).map(|n| format!("{}", n * 7 % 300)).collect();
        let mut table = table(&names);
        table.lookup = table.sorted();
        for (slot, name) in names.iter().enumerate() {
            assert_eq!(table.find_text(name), Some(&slot));
        }
        assert_eq!(table.find_text("300"), None);
    }

    /// Tests names that do not collide when inserted but leave no free bucket in a long run, so
    /// that the search for an absent name would cross the whole run.
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
            assert_eq!(table.find_text(name), Some(&slot));
        }
        assert_eq!(table.find_text("absent"), None);
    }
}
