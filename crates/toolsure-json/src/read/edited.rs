//! Reads an edited text: what the edits do not touch keeps its part of the earlier tape.

use smallvec::SmallVec;

use super::{Earlier, Pass, Reader};
use crate::bits;
use crate::error::ReadError;
use crate::int;
use crate::limits::ReadLimits;
use crate::read::{Parsed, admit_bytes};
use crate::span::Span;
use crate::tape::{NONE, Slot, Tag, Tape};

impl Parsed {
    /// This text with replacements, read within the same limits into the memory of `reader`. Values that no
    /// replacement touches are copied, not parsed again, so the work is a copy of the text and its tape, and
    /// the parsing of the members around each replacement.
    ///
    /// Members that were dropped when the text was read (see [`DuplicateKeys`](crate::DuplicateKeys)) do not count toward the
    /// limit of nodes.
    ///
    /// The replacements must be in order. One that begins before the end of another is not made.
    ///
    /// # Errors
    ///
    /// As [`Reader::parse`], if the new text is not JSON.
    ///
    /// ```
    /// use toolsure_json::{Node as _, ReadLimits, Reader, Span};
    ///
    /// let parsed = Box::new(Reader::new()).parse(br#"{"a":[1,2],"b":3}"#.to_vec(), &ReadLimits::default());
    /// let Ok(parsed) = parsed else { panic!("it is JSON") };
    /// let end = Span { start: 16, end: 16 };
    /// let Ok(edited) = parsed.edited(Box::default(), &[(end, r#","c":4"#)]) else { panic!("it is JSON") };
    /// assert_eq!(edited.document().source(), r#"{"a":[1,2],"b":3,"c":4}"#);
    /// assert!(edited.document().root().member("c").is_some_and(|c| c.raw() == "4"));
    /// ```
    pub fn edited(
        &self,
        mut reader: Box<Reader>,
        edits: &[(Span, &str)],
    ) -> Result<Self, (Vec<u8>, ReadError)> {
        let mut part = Unedited::new(&self.reader.tape);
        let source = part.write(&self.source, edits);
        let limits = self.limits;
        let is_admitted = admit_bytes(source.as_bytes(), &limits).is_ok();
        if is_admitted && reader.fill_edited(&source, &mut part, &limits).is_ok() {
            return Ok(Self {
                source,
                reader,
                limits,
            });
        }
        // Read whole, it is refused for the same reason as any text.
        reader.parse(source.into_bytes(), &limits)
    }
}

impl Reader {
    fn fill_edited(
        &mut self,
        text: &str,
        part: &mut Unedited<'_>,
        limits: &ReadLimits,
    ) -> Result<(), ReadError> {
        self.tape.clear();
        self.keys.clear();
        // The strings with escapes on the earlier tape keep their places.
        self.tape.scratch.push_str(&part.tape.scratch);
        self.tape.has_long_numbers = part.tape.has_long_numbers;
        self.tape.slots.reserve(part.tape.slots.len());
        self.run(text, limits, part)
    }
}

/// The parts of an earlier text that are in the edited one.
struct Unedited<'t> {
    tape: &'t Tape,
    edits: SmallVec<[Moved; FEW]>,
    /// The first edit that is not passed yet.
    next: usize,
    /// The first slot of the earlier tape that is not passed yet.
    slot: u32,
    /// The open containers that edits touch: their slots on the new tape and on the earlier one.
    open: SmallVec<[(u32, u32); FEW]>,
}

/// A replacement's range in both texts.
struct Moved {
    earlier: Span,
    now: Span,
}

impl<'t> Unedited<'t> {
    fn new(tape: &'t Tape) -> Self {
        Self {
            tape,
            edits: SmallVec::new(),
            next: 0,
            slot: 0,
            open: SmallVec::new(),
        }
    }

    /// Makes the replacements, and remembers where they are.
    fn write(&mut self, source: &str, edits: &[(Span, &str)]) -> String {
        let added: usize = edits.iter().map(|(_, text)| text.len()).sum();
        let mut out = String::with_capacity(source.len() + added);
        let mut at = 0;
        for (earlier, text) in edits {
            let Some(kept) = source.get(at..earlier.start) else {
                continue;
            };
            if earlier.end < earlier.start || !source.is_char_boundary(earlier.end) {
                continue;
            }
            out.push_str(kept);
            let start = out.len();
            out.push_str(text);
            let end = out.len();
            self.edits.push(Moved {
                earlier: *earlier,
                now: Span { start, end },
            });
            at = earlier.end;
        }
        out.push_str(source.get(at..).unwrap_or_default());
        out
    }

    /// Where a place of the new text is in the earlier one; `None` inside a replacement.
    fn place(&mut self, at: usize) -> Option<usize> {
        while self
            .edits
            .get(self.next)
            .is_some_and(|edit| edit.now.end <= at)
        {
            self.next += 1;
        }
        if self
            .edits
            .get(self.next)
            .is_some_and(|edit| edit.now.start <= at)
        {
            return None;
        }
        let passed = self
            .next
            .checked_sub(1)
            .and_then(|last| self.edits.get(last));
        Some(passed.map_or(at, |edit| at - edit.now.end + edit.earlier.end))
    }

    /// The value that begins at a place of the earlier text.
    fn value_at(&mut self, place: usize) -> Option<(u32, Slot)> {
        loop {
            let slot = *self.tape.slot(self.slot)?;
            let start = int::to_usize(slot.start);
            if start >= place {
                return (start == place && !slot.tag.is_key()).then_some((self.slot, slot));
            }
            self.slot = match int::to_usize(slot.end) <= place {
                true => slot.after(self.slot),
                false => self.slot + 1,
            };
        }
    }

    /// Whether the container of a value is that of the earlier one, so that both are at the same depth.
    fn is_in_place(&mut self, parent: u32, earlier: u32) -> bool {
        if parent == NONE {
            return earlier == NONE;
        }
        while self.open.last().is_some_and(|(own, _)| *own > parent) {
            self.open.pop();
        }
        self.open.last() == Some(&(parent, earlier))
    }
}

impl Earlier for Unedited<'_> {
    fn copy(&mut self, pass: &mut Pass<'_, '_>, parent: u32) -> bool {
        let Some(place) = self.place(pass.at) else {
            return false;
        };
        let Some((own, slot)) = self.value_at(place) else {
            return false;
        };
        if !self.is_in_place(parent, slot.c) {
            return false;
        }
        let new = bits::to_offset(pass.tape.slots.len());
        let end = int::to_usize(slot.end);
        let is_edited = (self.edits.get(self.next)).is_some_and(|edit| edit.earlier.start < end);
        if is_edited {
            if slot.tag.is_container() {
                self.open.push((new, own));
            }
            return false;
        }
        // Digits may follow a number, so it is parsed.
        let ends_itself = slot.tag.is_container() || slot.tag.kind() == Tag::String.kind();
        let after = slot.after(own);
        let part = self
            .tape
            .slots
            .get(int::to_usize(own)..int::to_usize(after));
        let Some(part) = part.filter(|_| ends_itself) else {
            return false;
        };
        if pass.max_nodes - pass.tape.slots.len() < part.len() {
            return false;
        }
        let slots = new.wrapping_sub(own);
        let bytes = bits::to_offset(pass.at).wrapping_sub(slot.start);
        pass.tape.slots.extend(part.iter().map(|slot| Slot {
            start: slot.start.wrapping_add(bytes),
            end: slot.end.wrapping_add(bytes),
            a: match slot.tag.is_container() {
                true => slot.a.wrapping_add(slots),
                false => slot.a,
            },
            c: match slot.tag.is_key() {
                true => slot.c,
                false => slot.c.wrapping_add(slots),
            },
            ..*slot
        }));
        if let Some(root) = pass.tape.slots.get_mut(int::to_usize(new)) {
            root.c = parent;
        }
        pass.at += end - int::to_usize(slot.start);
        self.slot = after;
        true
    }
}

/// Edits and open containers that need no memory of their own.
const FEW: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::DuplicateKeys;

    type Outcome = Result<Parsed, (Vec<u8>, ReadError)>;

    fn parse(text: &str, limits: &ReadLimits) -> Outcome {
        Box::new(Reader::new()).parse(text.as_bytes().to_vec(), limits)
    }

    /// The values, keys and their places, or the error.
    fn shown(outcome: &Outcome) -> String {
        let parsed = match outcome {
            Ok(parsed) => parsed,
            Err((text, error)) => return format!("{text:?} {error:?}"),
        };
        let Tape { slots, .. } = &parsed.reader.tape;
        let text = |slot: &Slot| {
            let text = parsed.reader.tape.text(slot, &parsed.source);
            let hash = slot.tag.is_key().then_some(slot.c);
            match slot.tag {
                Tag::Escaped | Tag::EscapedKey => {
                    let place = (slot.start, slot.end, slot.tag, hash.unwrap_or(slot.c));
                    format!("{place:?}{text}")
                }
                _ => format!("{slot:?}"),
            }
        };
        slots.iter().map(text).collect()
    }

    fn limits(depth: usize, nodes: usize, duplicate_keys: DuplicateKeys) -> ReadLimits {
        ReadLimits {
            depth,
            nodes,
            duplicate_keys,
            ..ReadLimits::default()
        }
    }

    fn compare(parsed: &Parsed, edits: &[(Span, &str)]) {
        let edited = parsed.edited(Box::default(), edits);
        let mut whole = String::new();
        let mut at = 0;
        for (span, text) in edits.iter().filter(|(span, _)| span.start <= span.end) {
            if span.start >= at {
                whole.push_str(parsed.source.get(at..span.start).unwrap());
                whole.push_str(text);
                at = span.end;
            }
        }
        whole.push_str(parsed.source.get(at..).unwrap());
        let expected = parse(&whole, &parsed.limits);
        assert_eq!(shown(&edited), shown(&expected), "{whole}");
    }

    /// Each replacement of each range, alone and together with another one.
    #[test]
    fn an_edited_text_is_what_it_is_when_read_whole() {
        for text in [
            r#"{"a":[1,"x"],"b":{"c":true,"d":[{}]},"a\n":"\t"}"#,
            r#" [[], {"a" : 1, "a":[2]}, "\u00e9\"", -1.5e3 ]"#,
        ] {
            for limits in [
                limits(4, 100, DuplicateKeys::KeepLast),
                limits(4, 16, DuplicateKeys::Refuse),
                limits(3, 14, DuplicateKeys::KeepLast),
            ] {
                let Ok(parsed) = parse(text, &limits) else {
                    continue;
                };
                for start in 0..=text.len() {
                    for end in start..=text.len() {
                        for with in ["", "1", ",", r#","c":[2]"#, r#""\\":0,"#, "[", "]", "{}"] {
                            compare(&parsed, &[(Span { start, end }, with)]);
                        }
                    }
                    let later = Span {
                        start: start + (text.len() - start) / 2,
                        end: start + (text.len() - start) / 2 + 1,
                    };
                    let at = Span { start, end: start };
                    for (first, second) in [("[", "]"), ("", "[]"), ("1,", ""), ("[", ",1]")] {
                        if later.end <= text.len() {
                            compare(&parsed, &[(at, first), (later, second)]);
                            compare(&parsed, &[(later, first), (at, second)]);
                        }
                    }
                }
            }
        }
    }

    /// A value that an edit puts into another container is deeper than before.
    #[test]
    fn a_limit_of_depth_holds_for_what_is_moved() {
        let text = r#"{"a":{"b":[1]}}"#;
        for (depth, is_read) in [(3, false), (4, true)] {
            let limits = limits(depth, 100, DuplicateKeys::Refuse);
            let Ok(parsed) = parse(text, &limits) else {
                panic!("{text}");
            };
            let place = |at| Span { start: at, end: at };
            let edits = [(place(5), "["), (place(14), "]")];
            assert_eq!(parsed.edited(Box::default(), &edits).is_ok(), is_read);
            compare(&parsed, &edits);
        }
    }

    #[test]
    fn what_no_edit_touches_is_not_parsed_again() {
        let text = r#"{"a":[[1,"x"]],"b":{"c":"y"}}"#;
        let Ok(parsed) = parse(text, &ReadLimits::default()) else {
            panic!("{text}");
        };
        let mut unedited = Unedited::new(&parsed.reader.tape);
        let end = text.len() - 2;
        let edited = unedited.write(text, &[(Span { start: end, end }, r#","d":0"#)]);
        let mut reader = Reader::new();
        let mut pass = Pass {
            source: &edited,
            bytes: edited.as_bytes(),
            at: 5,
            limits: &ReadLimits::default(),
            max_nodes: 100,
            tape: &mut reader.tape,
            keys: &mut reader.keys,
            names: &mut reader.names,
        };
        unedited.open.push((0, 0));
        assert!(unedited.copy(&mut pass, 0));
        assert_eq!(pass.at, 14);
        assert_eq!(pass.tape.slots.len(), 4);
        pass.at = 19;
        assert!(!unedited.copy(&mut pass, 0));
    }
}
