//! Where an evaluation is, in the schema and in the instance: paths that share their
//! beginnings, written as text only when somebody asks.

use std::borrow::Cow;

use smallvec::SmallVec;
use toolgate_json::Node as _;

use crate::int::{to_u32, to_usize};
use crate::model::{DocumentId, Model};

/// A part of a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'i> {
    None,
    Index(usize),
    /// A member of the instance.
    Name(&'i str),
    /// A name in the schema.
    Key(toolgate_json::NodeId),
}

/// Every step of every path that an evaluation keeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Paths<'i> {
    /// Step `n + 1` at index `n`.
    steps: Vec<Step<'i>>,
}

/// A path, by its last step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Path(u32);

#[derive(Debug, Clone, Copy)]
struct Step<'i> {
    from: Path,
    token: Token<'i>,
    /// The document that a [`Token::Key`] is in.
    doc: DocumentId,
    /// The size of the path that ends here.
    extent: Extent,
}

/// The size of a path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extent {
    /// Bytes of its text, about: nothing in it is escaped yet.
    pub(super) bytes: usize,
    pub(super) steps: usize,
}

impl<'i> Paths<'i> {
    /// A path and one step more; the same path if there is no step. `key` is the length of
    /// a [`Token::Key`] in bytes.
    pub(super) fn step(
        &mut self,
        from: Path,
        doc: DocumentId,
        token: Token<'i>,
        key: usize,
    ) -> Path {
        let bytes = match token {
            Token::None => return from,
            Token::Index(_) => INDEX,
            Token::Name(name) => name.len(),
            Token::Key(_) => key,
        };
        let before = self.extent(from);
        let extent = Extent {
            bytes: before.bytes + 1 + bytes,
            steps: before.steps + 1,
        };
        self.steps.push(Step {
            from,
            token,
            doc,
            extent,
        });
        Path(to_u32(self.steps.len()))
    }

    /// The size of a path.
    pub(super) fn extent(&self, place: Path) -> Extent {
        self.at(place).map_or(Extent::default(), |step| step.extent)
    }

    /// How many steps there are.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Makes room for so many steps more.
    pub(super) fn reserve(&mut self, count: usize) {
        self.steps.reserve(count);
    }

    /// Forgets the steps behind the first so many.
    pub(super) fn truncate(&mut self, count: usize) {
        self.steps.truncate(count);
    }

    /// The path as a JSON pointer.
    pub(crate) fn pointer(&self, model: &Model, place: Path) -> String {
        let mut steps: SmallVec<[&Step<'i>; 16]> = SmallVec::new();
        let mut next = self.at(place);
        while let Some(step) = next {
            steps.push(step);
            next = self.at(step.from);
        }
        let mut pointer = String::with_capacity(self.extent(place).bytes);
        for step in steps.into_iter().rev() {
            match step.token {
                Token::Index(index) => toolgate_json::pointer::push_index(&mut pointer, index),
                _ => toolgate_json::pointer::push(&mut pointer, &text(model, step)),
            }
        }
        pointer
    }

    /// The last token of a path; empty for the whole.
    pub(super) fn last(&self, model: &Model, place: Path) -> String {
        self.at(place)
            .map_or_else(String::new, |step| text(model, step).into_owned())
    }

    fn at(&self, place: Path) -> Option<&Step<'i>> {
        self.steps.get(to_usize(place.0).checked_sub(1)?)
    }
}

fn text<'s>(model: &'s Model, step: &Step<'s>) -> Cow<'s, str> {
    match step.token {
        Token::None => Cow::Borrowed(""),
        Token::Index(index) => Cow::Owned(index.to_string()),
        Token::Name(name) => Cow::Borrowed(name),
        Token::Key(key) => Cow::Borrowed(model.view(step.doc, key).map_or("", |key| key.string())),
    }
}

/// Bytes of an index, about.
const INDEX: usize = 4;
