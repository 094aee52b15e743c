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
    pub(super) path: Path,
}

/// The size of a path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// The approximate length of its text in bytes: nothing is escaped yet.
    pub(super) bytes: usize,
    pub(super) steps: usize,
}

impl<'o, 'i> Paths<'o, 'i> {
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

    /// The number of steps.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Reserves room for more steps.
    pub(super) fn reserve(&mut self, count: usize) {
        self.steps.reserve(count);
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
        let mut steps: SmallVec<[&Step<'o, 'i>; 16]> = SmallVec::new();
        let mut next = place;
        let mut behind = None;
        while let Some(step) = self.at(next) {
            if next == origin {
                behind = Some(steps.len());
            }
            steps.push(step);
            next = step.from;
        }
        let behind = behind.unwrap_or(steps.len());
        let mut pointer = String::with_capacity(self.extent(place).bytes);
        let mut start = 0;
        for (left, step) in steps.into_iter().enumerate().rev() {
            match step.token {
                Token::None => {}
                Token::Index(index) => toolsure_json::pointer::push_index(&mut pointer, index),
                Token::Name(name) | Token::Key(name) => {
                    toolsure_json::pointer::push(&mut pointer, name);
                }
            }
            if left >= behind {
                start = pointer.len();
            }
        }
        (pointer, start)
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

/// The approximate length of an index in bytes.
const INDEX: usize = 4;
