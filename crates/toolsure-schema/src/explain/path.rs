//! Locations of an evaluation, in the schema and in the instance: paths that share common prefixes,
//! written as text only on request.

use smallvec::SmallVec;

use crate::int::{to_u32, to_usize};
use crate::model::SubschemaId;

/// A token of a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'o, 'i> {
    None,
    Index(usize),
    /// A member of the instance.
    Name(&'i str),
    /// A name in the schema.
    Key(&'o str),
}

/// Every step of every path that an evaluation keeps.
#[derive(Debug, Default)]
pub(crate) struct Paths<'o, 'i> {
    /// Step `n + 1` at index `n`.
    steps: Vec<Step<'o, 'i>>,
}

/// A path, identified by its last step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Path(u32);

#[derive(Debug, Clone, Copy)]
struct Step<'o, 'i> {
    from: Path,
    token: Token<'o, 'i>,
    /// The size of the path that ends here.
    extent: Extent,
}

/// Where the evaluation began, or the target of the last reference: after it, the tokens of a path
/// are also those of the location in the document.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Origin {
    pub(crate) sub: SubschemaId,
    pub(crate) path: Path,
}

/// The size of a path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// The approximate length of its text in bytes: nothing is escaped yet.
    pub(super) bytes: usize,
    pub(super) steps: usize,
}

impl<'o, 'i> Paths<'o, 'i> {
    /// No steps yet, and room for some.
    pub(super) fn with_room(steps: usize) -> Self {
        Self {
            steps: Vec::with_capacity(steps),
        }
    }

    /// A path extended by one step; the path itself for `Token::None`.
    pub(super) fn step(&mut self, from: Path, token: Token<'o, 'i>) -> Path {
        let bytes = match token {
            Token::None => return from,
            Token::Index(_) => INDEX,
            Token::Name(name) | Token::Key(name) => name.len(),
        };
        let before = self.extent(from);
        let extent = Extent {
            bytes: before.bytes + 1 + bytes,
            steps: before.steps + 1,
        };
        self.steps.push(Step {
            from,
            token,
            extent,
        });
        Path(to_u32(self.steps.len()))
    }

    /// The size of a path.
    pub(super) fn extent(&self, place: Path) -> Extent {
        self.at(place).map_or(Extent::default(), |step| step.extent)
    }

    /// The approximate length of a path's text in bytes.
    pub(crate) fn length(&self, place: Path) -> usize {
        self.extent(place).bytes
    }

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Keeps the first `count` steps.
    pub(super) fn truncate(&mut self, count: usize) {
        self.steps.truncate(count);
    }

    /// The path as a JSON pointer.
    pub(crate) fn pointer(&self, place: Path) -> String {
        self.pointer_from(Path::default(), place).0
    }

    /// The path as a JSON pointer, and how many bytes of it lead to the origin.
    pub(crate) fn pointer_from(&self, origin: Path, place: Path) -> (String, usize) {
        let mut writer = PointerWriter::default();
        let mut pointer = String::with_capacity(self.length(place));
        writer.write(self, place, "", &mut pointer);
        (pointer, writer.length_of(origin))
    }

    /// The last token of a path; empty for the empty path.
    pub(super) fn last(&self, place: Path) -> String {
        match self.at(place).map(|step| step.token) {
            None | Some(Token::None) => String::new(),
            Some(Token::Index(index)) => index.to_string(),
            Some(Token::Name(name) | Token::Key(name)) => name.to_owned(),
        }
    }

    fn at(&self, place: Path) -> Option<&Step<'o, 'i>> {
        self.steps.get(to_usize(place.0).checked_sub(1)?)
    }
}

/// A part of a text that holds several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextPart {
    start: u32,
    end: u32,
}

impl TextPart {
    /// Everything from `start` on.
    pub(crate) fn from(start: usize, text: &str) -> Self {
        Self {
            start: to_u32(start),
            end: to_u32(text.len()),
        }
    }

    /// Appends it to the text.
    pub(crate) fn push(text: &mut String, part: &str) -> Self {
        let start = text.len();
        text.push_str(part);
        Self::from(start, text)
    }

    /// The part of the text that it was made from.
    pub(crate) fn of(self, text: &str) -> &str {
        let range = to_usize(self.start)..to_usize(self.end);
        text.get(range).unwrap_or_default()
    }
}

/// Writes paths as JSON pointers, one after the other. A path often begins as the one before it, and
/// that part is copied.
#[derive(Debug, Default)]
pub(crate) struct PointerWriter {
    /// The steps of the last path, each with the length of the pointer up to it.
    written: SmallVec<[(Path, usize); SOME]>,
}

impl PointerWriter {
    /// Appends a path as a JSON pointer; `before` is the pointer that was written last.
    pub(crate) fn write(
        &mut self,
        paths: &Paths<'_, '_>,
        place: Path,
        before: &str,
        text: &mut String,
    ) -> TextPart {
        let mut same = self.written.as_slice();
        let mut new: SmallVec<[Path; SOME]> = SmallVec::new();
        let mut next = place;
        while let Some(step) = paths.at(next) {
            // The numbers of the steps of a path rise.
            while let [rest @ .., (last, _)] = same
                && last.0 > next.0
            {
                same = rest;
            }
            if same.last().is_some_and(|(last, _)| *last == next) {
                break;
            }
            new.push(next);
            next = step.from;
        }
        if next == Path::default() {
            // The paths have nothing in common.
            same = &[];
        }
        let (kept, end) = (same.len(), same.last().map_or(0, |(_, end)| *end));
        self.written.truncate(kept);
        let start = text.len();
        text.push_str(before.get(..end).unwrap_or_default());
        for path in new.into_iter().rev() {
            match paths.at(path).map(|step| step.token) {
                None | Some(Token::None) => {}
                Some(Token::Index(index)) => toolsure_json::pointer::push_index(text, index),
                Some(Token::Name(name) | Token::Key(name)) => {
                    toolsure_json::pointer::push(text, name);
                }
            }
            self.written.push((path, text.len() - start));
        }
        TextPart::from(start, text)
    }

    /// The length of the last pointer up to a step of it; 0 if it has no such step.
    pub(crate) fn length_of(&self, step: Path) -> usize {
        let mut written = self.written.iter().rev();
        let found = written.find(|(path, _)| *path == step);
        found.map_or(0, |(_, end)| *end)
    }
}

/// Most paths have at most this many steps.
const SOME: usize = 16;
/// The approximate length of an index in bytes.
const INDEX: usize = 4;
