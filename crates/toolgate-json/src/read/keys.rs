//! Duplicate keys: found in linear time, or n log n when hashes collide.

use std::cmp::Ordering;

use crate::error::ReadError;
use crate::int;
use crate::tape::Tape;

/// The keys of the objects that are open, innermost last, and memory to
/// compare them in.
#[derive(Debug, Default)]
pub(super) struct Keys {
    open: Vec<Entry>,
    /// For wide objects: a table of positions in `open`, plus 1.
    table: Vec<u32>,
    /// For dropped members: each old index's new one.
    moved: Vec<u32>,
    /// The keys of members that are to be dropped.
    marked: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    own: u32,
}

impl Keys {
    /// Where each buffer is and how much it holds.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> [(usize, usize); 4] {
        [
            (self.open.as_ptr().addr(), self.open.capacity()),
            (self.table.as_ptr().addr(), self.table.capacity()),
            (self.moved.as_ptr().addr(), self.moved.capacity()),
            (self.marked.as_ptr().addr(), self.marked.capacity()),
        ]
    }

    pub(super) fn clear(&mut self) {
        self.open.clear();
        self.marked.clear();
    }

    #[inline(always)]
    pub(super) fn push(&mut self, hash: u32, own: u32) {
        self.open.push(Entry { hash, own });
    }

    /// Ends the innermost object, which has `count` keys.
    ///
    /// Returns how many members are to be dropped, which is 0 unless
    /// `keep_last`, and marks their keys.
    #[inline]
    pub(super) fn end(
        &mut self,
        count: u32,
        keep_last: bool,
        tape: &Tape,
        source: &str,
    ) -> Result<u32, ReadError> {
        let base = self.open.len().saturating_sub(int::wide(count));
        let marked_before = self.marked.len();
        let mut finder = Finder {
            marked: keep_last.then_some(&mut self.marked),
            tape,
            source,
        };
        if let Some(entries) = self.open.get_mut(base..) {
            if entries.len() <= NARROW {
                finder.pairwise(entries)?;
            } else if !finder.by_table(entries, &mut self.table)? {
                if let Some(marked) = finder.marked.as_deref_mut() {
                    marked.truncate(marked_before);
                }
                finder.by_sorting(entries)?;
            }
        }
        self.open.truncate(base);
        Ok(int::narrow(self.marked.len() - marked_before))
    }

    /// Takes the members that were marked off the tape, in one sweep.
    #[inline]
    pub(super) fn drop_marked(&mut self, tape: &mut Tape) {
        if !self.marked.is_empty() {
            self.sweep(tape);
        }
    }

    #[cold]
    fn sweep(&mut self, tape: &mut Tape) {
        self.marked.sort_unstable();
        self.moved.clear();
        let mut marked = self.marked.iter().copied().peekable();
        let mut live: u32 = 0;
        let mut live_from: u32 = 0;
        for own in 0..int::narrow(tape.slots.len()) {
            self.moved.push(live);
            let is_marked = marked.next_if_eq(&own).is_some();
            if own < live_from {
                continue;
            }
            if is_marked {
                let value = own + 1;
                live_from = tape.slot(value).map_or(value, |slot| slot.after(value));
            } else {
                live += 1;
            }
        }
        self.moved.push(live);
        let new_index = |old: u32| self.moved.get(int::wide(old)).copied().unwrap_or(old);
        for own in 0..int::narrow(tape.slots.len()) {
            let to = new_index(own);
            if new_index(own + 1) == to {
                continue;
            }
            let Some(mut slot) = tape.slot(own).copied() else {
                continue;
            };
            if !slot.tag.is_key() {
                slot.c = new_index(slot.c);
            }
            if slot.tag.is_container() {
                slot.a = new_index(slot.a);
            }
            if let Some(place) = tape.slots.get_mut(int::wide(to)) {
                *place = slot;
            }
        }
        tape.slots.truncate(int::wide(live));
    }
}

struct Finder<'t> {
    /// Where to put what is dropped; `None` to refuse.
    marked: Option<&'t mut Vec<u32>>,
    tape: &'t Tape,
    source: &'t str,
}

impl Finder<'_> {
    /// Compares each hash with each earlier one.
    #[inline]
    fn pairwise(&mut self, entries: &[Entry]) -> Result<(), ReadError> {
        for (index, later) in entries.iter().enumerate().skip(1) {
            let earlier = entries.iter().take(index);
            // Looks at all of them first: this way it runs without branches.
            let hit = earlier
                .clone()
                .fold(false, |hit, entry| hit | (entry.hash == later.hash));
            if hit {
                // The last equal one: those before it are marked already.
                let found = earlier
                    .rev()
                    .find(|entry| self.compare(entry, later) == Ordering::Equal);
                if let Some(first) = found {
                    self.found(*first, *later)?;
                }
            }
        }
        Ok(())
    }

    /// Puts the keys into a hash table. Gives up, with `false`, when it has
    /// probed far more often than honest hashes make it.
    #[cold]
    fn by_table(&mut self, entries: &[Entry], table: &mut Vec<u32>) -> Result<bool, ReadError> {
        let size = (entries.len() * 2).next_power_of_two();
        let mask = size - 1;
        table.clear();
        table.resize(size, 0);
        let mut probes_left = entries.len() * 4 + 64;
        for (index, later) in entries.iter().enumerate() {
            let mut place = int::wide(later.hash) & mask;
            loop {
                if probes_left == 0 {
                    return Ok(false);
                }
                probes_left -= 1;
                let Some(cell) = table.get_mut(place) else {
                    return Ok(false);
                };
                let first = cell
                    .checked_sub(1)
                    .and_then(|first| entries.get(int::wide(first)));
                let Some(first) = first else {
                    *cell = int::narrow(index + 1);
                    break;
                };
                if self.compare(first, later) == Ordering::Equal {
                    *cell = int::narrow(index + 1);
                    self.found(*first, *later)?;
                    break;
                }
                place = (place + 1) & mask;
            }
        }
        Ok(true)
    }

    /// Sorts the keys, so that equal ones stand together.
    #[cold]
    fn by_sorting(&mut self, entries: &mut [Entry]) -> Result<(), ReadError> {
        entries.sort_unstable_by(|left, right| {
            self.compare(left, right)
                .then_with(|| left.own.cmp(&right.own))
        });
        // The pair to report is the one whose second key comes first.
        let mut report: Option<(Entry, Entry)> = None;
        for pair in entries.windows(2) {
            let [first, later] = pair else { continue };
            if self.compare(first, later) != Ordering::Equal {
                continue;
            }
            if self.marked.is_some() {
                self.found(*first, *later)?;
            } else if report.is_none_or(|(_, known)| later.own < known.own) {
                report = Some((*first, *later));
            }
        }
        match report {
            Some((first, later)) => self.found(first, later),
            None => Ok(()),
        }
    }

    /// By hash, then by text.
    #[inline]
    fn compare(&self, left: &Entry, right: &Entry) -> Ordering {
        left.hash
            .cmp(&right.hash)
            .then_with(|| self.text(left).cmp(self.text(right)))
    }

    fn text(&self, entry: &Entry) -> &str {
        self.tape
            .slot(entry.own)
            .map_or("", |slot| self.tape.text(slot, self.source))
    }

    /// Two keys are equal: refuse, or mark the earlier one.
    #[cold]
    fn found(&mut self, first: Entry, later: Entry) -> Result<(), ReadError> {
        let start = |entry: &Entry| {
            let slot = self.tape.slot(entry.own);
            slot.map_or(0, |slot| int::wide(slot.start))
        };
        if let Some(marked) = &mut self.marked {
            marked.push(first.own);
            return Ok(());
        }
        let name = self.text(&later);
        Err(ReadError::duplicate(start(&first), start(&later), name))
    }
}

/// Up to this many keys are compared pairwise.
const NARROW: usize = 12;
