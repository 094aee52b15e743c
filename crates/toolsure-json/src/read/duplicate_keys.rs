//! Duplicate keys: found in linear time, or n log n when hashes collide.

use std::cmp::Ordering;

use crate::bits;
use crate::error::ReadError;
use crate::int;
use crate::tape::{NONE, Tape, missing};

/// The keys of the open objects, innermost last, and memory for comparing them.
#[derive(Debug, Default)]
pub(super) struct OpenKeys {
    open: Vec<Entry>,
    /// For wide objects: a table of positions in `open`, plus 1.
    table: Vec<u32>,
    /// For dropped members: the new index for each old one.
    moved: Vec<u32>,
    /// The keys of members to drop.
    marked: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    hash: u32,
    own: u32,
}

impl OpenKeys {
    /// The address and capacity of each buffer.
    #[cfg(test)]
    pub(super) fn footprint(&self) -> [(usize, usize); 4] {
        [
            (self.open.as_ptr().addr(), self.open.capacity()),
            (self.table.as_ptr().addr(), self.table.capacity()),
            (self.moved.as_ptr().addr(), self.moved.capacity()),
            (self.marked.as_ptr().addr(), self.marked.capacity()),
        ]
    }

    /// Reserves space for the keys that most documents have open at once.
    pub(super) fn reserve(&mut self) {
        self.open.reserve(OPEN);
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
    /// Returns how many members must be dropped, which is 0 unless `keep_last`, and marks their
    /// keys.
    #[inline]
    pub(super) fn end(
        &mut self,
        count: u32,
        keep_last: bool,
        tape: &Tape,
        source: &str,
    ) -> Result<u32, ReadError> {
        let base = self.open.len().checked_sub(int::to_usize(count));
        let marked_before = self.marked.len();
        let mut finder = Finder {
            marked: keep_last.then_some(&mut self.marked),
            tape,
            source,
        };
        let entries = base.and_then(|base| Some((base, self.open.get_mut(base..)?)));
        let Some((base, entries)) = entries else {
            return Err(ReadError::internal(
                0,
                "an object with more keys than were read",
            ));
        };
        if entries.len() <= FEW {
            finder.pairwise(entries)?;
        } else if entries.len() <= MANY {
            finder.by_bits(entries)?;
        } else if !finder.by_table(entries, &mut self.table)? {
            if let Some(marked) = finder.marked.as_deref_mut() {
                marked.truncate(marked_before);
            }
            finder.by_sorting(entries)?;
        }
        self.open.truncate(base);
        Ok(bits::to_offset(self.marked.len() - marked_before))
    }

    /// Removes the marked members from the tape, in one sweep.
    #[inline]
    pub(super) fn drop_marked(&mut self, tape: &mut Tape) -> Result<(), ReadError> {
        if self.marked.is_empty() {
            return Ok(());
        }
        self.sweep(tape)
            .ok_or_else(|| ReadError::internal(0, "a dropped member outside the document"))
    }

    /// `None` if an index does not exist.
    #[cold]
    fn sweep(&mut self, tape: &mut Tape) -> Option<()> {
        self.marked.sort_unstable();
        self.moved.clear();
        let mut marked = self.marked.iter().copied().peekable();
        let mut live: u32 = 0;
        let mut live_from: u32 = 0;
        for own in 0..bits::to_offset(tape.slots.len()) {
            self.moved.push(live);
            let is_marked = marked.next_if_eq(&own).is_some();
            if own < live_from {
                continue;
            }
            if is_marked {
                let value = own + 1;
                live_from = tape.slot(value)?.after(value);
            } else {
                live += 1;
            }
        }
        self.moved.push(live);
        let new_index = |old: u32| self.moved.get(int::to_usize(old)).copied();
        for own in 0..bits::to_offset(tape.slots.len()) {
            let to = new_index(own)?;
            if new_index(own + 1)? == to {
                continue;
            }
            let mut slot = *tape.slot(own)?;
            if !slot.tag.is_key() && slot.c != NONE {
                slot.c = new_index(slot.c)?;
            }
            if slot.tag.is_container() {
                slot.a = new_index(slot.a)?;
            }
            *tape.slots.get_mut(int::to_usize(to))? = slot;
        }
        tape.slots.truncate(int::to_usize(live));
        Some(())
    }
}

struct Finder<'t> {
    /// Where to put the keys to drop; `None` to refuse duplicates.
    marked: Option<&'t mut Vec<u32>>,
    tape: &'t Tape,
    source: &'t str,
}

impl Finder<'_> {
    /// Compares each key with each earlier one.
    #[inline]
    fn pairwise(&mut self, entries: &[Entry]) -> Result<(), ReadError> {
        for (index, later) in entries.iter().enumerate().skip(1) {
            // Compares with all of them before branching, so that the loop has no branches.
            let earlier = entries.iter().take(index);
            if earlier.fold(false, |hit, entry| hit | (entry.hash == later.hash)) {
                self.among(entries, index, later)?;
            }
        }
        Ok(())
    }

    /// Compares each key with the earlier ones if one of those has the same 10 bits of hash.
    #[inline]
    fn by_bits(&mut self, entries: &[Entry]) -> Result<(), ReadError> {
        let mut seen = [0_u64; 16];
        for (index, later) in entries.iter().enumerate() {
            let bit = 1 << (later.hash & 63);
            let word = int::to_usize(later.hash >> 6) % seen.len();
            let Some(word) = seen.get_mut(word) else {
                return Err(ReadError::internal(0, "a hash outside its table"));
            };
            let hit = *word & bit != 0;
            *word |= bit;
            if hit {
                self.among(entries, index, later)?;
            }
        }
        Ok(())
    }

    /// Compares one key with the first `count` keys.
    #[cold]
    fn among(&mut self, entries: &[Entry], count: usize, later: &Entry) -> Result<(), ReadError> {
        // The last equal one; those before it are already marked.
        let mut earlier = entries.iter().take(count).rev();
        match earlier.find(|entry| self.compare(entry, later) == Ordering::Equal) {
            Some(first) => self.found(*first, *later),
            None => Ok(()),
        }
    }

    /// Puts the keys into a hash table. Gives up, returning `false`, when it has probed far more
    /// often than normal hashes require.
    #[cold]
    fn by_table(&mut self, entries: &[Entry], table: &mut Vec<u32>) -> Result<bool, ReadError> {
        let size = (entries.len() * 2).next_power_of_two();
        let mask = size - 1;
        table.clear();
        table.resize(size, 0);
        let mut probes_left = entries.len() * 4 + 64;
        for (index, later) in entries.iter().enumerate() {
            let mut place = int::to_usize(later.hash) & mask;
            loop {
                if probes_left == 0 {
                    return Ok(false);
                }
                probes_left -= 1;
                let Some(slot) = table.get_mut(place) else {
                    return Ok(false);
                };
                let Some(first) = slot.checked_sub(1) else {
                    *slot = bits::to_offset(index + 1);
                    break;
                };
                let Some(first) = entries.get(int::to_usize(first)) else {
                    return Ok(false);
                };
                if self.compare(first, later) == Ordering::Equal {
                    *slot = bits::to_offset(index + 1);
                    self.found(*first, *later)?;
                    break;
                }
                place = (place + 1) & mask;
            }
        }
        Ok(true)
    }

    /// Sorts the keys, so that equal ones are adjacent.
    #[cold]
    fn by_sorting(&mut self, entries: &mut [Entry]) -> Result<(), ReadError> {
        entries.sort_unstable_by(|left, right| {
            self.compare(left, right)
                .then_with(|| left.own.cmp(&right.own))
        });
        // Reports the pair whose second key comes first.
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
            .map_or_else(missing, |slot| self.tape.text(slot, self.source))
    }

    /// Two keys are equal: refuse, or mark the earlier one.
    #[cold]
    fn found(&mut self, first: Entry, later: Entry) -> Result<(), ReadError> {
        let start = |entry: &Entry| {
            let slot = self.tape.slot(entry.own);
            slot.map_or(0, |slot| int::to_usize(slot.start))
        };
        if let Some(marked) = &mut self.marked {
            marked.push(first.own);
            return Ok(());
        }
        let name = self.text(&later);
        Err(ReadError::duplicate(start(&first), start(&later), name))
    }
}

/// The number of keys that space is reserved for at once.
const OPEN: usize = 24;
/// Up to this many keys are compared pairwise.
const FEW: usize = 4;
/// Up to this many keys are told apart by 10 bits of their hashes: most have different bits, and if
/// all have the same, there are 2,016 pairs.
const MANY: usize = 64;

#[cfg(test)]
mod tests {
    use crate::hash_collisions;
    use crate::{DuplicateKeys, Key, Node, OwnedDocument, ReadErrorKind, ReadLimits, equal};

    const KEEP: ReadLimits = ReadLimits {
        bytes: 64 << 20,
        depth: 128,
        nodes: 2_000_000,
        digits: 4_096,
        duplicate_keys: DuplicateKeys::KeepLast,
    };

    fn object(keys: &[String]) -> String {
        let members = keys.iter().enumerate();
        let members: Vec<String> = members.map(|(n, key)| format!("{key}:{n}")).collect();
        format!("{{{}}}", members.join(","))
    }

    fn places(text: &str) -> Option<(usize, usize)> {
        let error = OwnedDocument::read(text, &ReadLimits::default()).err()?;
        assert_eq!(error.kind(), ReadErrorKind::DuplicateKey);
        Some((error.other()?, error.at()))
    }

    /// Every width around a change of method, with the pair at every position.
    #[test]
    fn every_pair_is_found() {
        for width in [2_usize, 3, 4, 5, 6, 20, 63, 64, 65, 66] {
            let keys: Vec<String> = (0..width).map(|n| format!("\"k{n}\"")).collect();
            assert_eq!(places(&object(&keys)), None);
            for later in 1..width {
                for first in (0..later).step_by(later.div_ceil(7)) {
                    let mut keys = keys.clone();
                    keys[later] = keys[first].clone();
                    let text = object(&keys);
                    let at = |index: usize| {
                        keys[..index].iter().map(String::len).sum::<usize>()
                            + (0..index).map(|n| n.to_string().len() + 2).sum::<usize>()
                            + 1
                    };
                    assert_eq!(places(&text), Some((at(first), at(later))), "{text}");
                    let kept = OwnedDocument::read(text, &KEEP).unwrap();
                    let root = kept.document().root();
                    assert_eq!(root.len(), width - 1);
                    assert_eq!(root.members().count(), width - 1);
                    assert_eq!(kept.document().len(), 2 * width - 1);
                }
            }
        }
    }

    /// 50,000 keys with one hash: neither slow nor mistaken.
    #[test]
    fn colliding_keys() {
        let texts = hash_collisions::texts(50_000);
        let mut keys: Vec<String> = texts
            .iter()
            .map(|text| hash_collisions::quoted(text))
            .collect();
        let distinct = OwnedDocument::read(object(&keys), &ReadLimits::default()).unwrap();
        assert_eq!(distinct.document().root().len(), keys.len());

        keys[40_000] = keys[7].clone();
        keys[30_000] = keys[9].clone();
        keys[45_000] = keys[9].clone();
        let text = object(&keys);
        let (first, second) = places(&text).unwrap();
        assert!(text.as_bytes()[first..].starts_with(format!("{}:9,", keys[9]).as_bytes()));
        assert!(text.as_bytes()[second..].starts_with(format!("{}:30000,", keys[9]).as_bytes()));

        let kept = OwnedDocument::read(text, &KEEP).unwrap();
        let root = kept.document().root();
        assert_eq!(root.len(), 49_997);
        let value = root.member(&texts[9]).unwrap();
        assert_eq!(value.number().as_i64(), Some(45_000));
        let value = root.member(&texts[7]).unwrap();
        assert_eq!(value.number().as_i64(), Some(40_000));

        // For few keys, the table is abandoned or never tried.
        for width in [2, 4, 5, 64, 65, 100] {
            let mut keys = keys[..width].to_vec();
            assert_eq!(places(&object(&keys)), None);
            keys[width - 1] = keys[0].clone();
            assert!(places(&object(&keys)).is_some());
        }
    }

    /// The document equals that of the same text without the dropped members.
    #[test]
    fn keep_last() {
        for (text, expect) in [
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#),
            (r#"{"a":1,"b":2,"a":3}"#, r#"{"b":2,"a":3}"#),
            (r#"{"a":1,"a":2,"a":3}"#, r#"{"a":3}"#),
            (
                r#"{"a":{"x":[1,2]},"b":[{}],"a":[3]}"#,
                r#"{"b":[{}],"a":[3]}"#,
            ),
            (
                r#"[{"a":1,"a":[2]},{"b":[]},3]"#,
                r#"[{"a":[2]},{"b":[]},3]"#,
            ),
            (
                r#"{"a":{"b":1,"b":2},"a":{"c":3,"c":4}}"#,
                r#"{"a":{"c":4}}"#,
            ),
            (
                r#"{"a":[{"b":1,"b":2}],"c":{"d":[],"d":{}}}"#,
                r#"{"a":[{"b":2}],"c":{"d":{}}}"#,
            ),
            (
                r#"{"\u0061":1,"a":2,"\\u0061":3}"#,
                r#"{"a":2,"\\u0061":3}"#,
            ),
            (
                r#"{"\n":1,"\u000a":"\t","x":{"\n":"y"}}"#,
                r#"{"\n":"\t","x":{"\n":"y"}}"#,
            ),
        ] {
            let kept = OwnedDocument::read(text, &KEEP).unwrap();
            let plain = OwnedDocument::read(expect, &ReadLimits::default()).unwrap();
            let (kept, plain) = (kept.document(), plain.document());
            assert_eq!(kept.len(), plain.len(), "{text}");
            for index in 0..kept.len() {
                let id = crate::NodeId::from_index(index);
                let (left, right) = (kept.view(id), plain.view(id));
                assert_eq!(left.kind(), right.kind(), "{text} {index}");
                assert_eq!(left.string(), right.string(), "{text} {index}");
                assert_eq!(left.len(), right.len(), "{text} {index}");
                assert_eq!(kept.pointer(id), plain.pointer(id), "{text} {index}");
                assert_eq!(
                    left.parent().map(crate::View::id),
                    right.parent().map(crate::View::id),
                    "{text} {index}"
                );
            }
            let mut meter = crate::Unmetered;
            let same = equal(kept.root(), plain.root(), &mut meter);
            assert!(same.is_continue(), "{text}");
            let names = |view: crate::View<'_>| -> Vec<String> {
                view.members()
                    .map(|(key, _)| key.text().to_owned())
                    .collect()
            };
            assert_eq!(names(kept.root()), names(plain.root()), "{text}");
        }
    }
}
