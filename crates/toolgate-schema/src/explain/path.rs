//! Where an evaluation is, in the schema and in the instance: paths that share their
//! beginnings, written as text only when somebody asks.

use std::borrow::Cow;

use smallvec::SmallVec;
use toolgate_json::Node as _;

use crate::int::{to_u32, to_usize};
use crate::model::{DocId, Model};

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
    /// The document that a [`Token::Key`] stands in.
    doc: DocId,
}

impl<'i> Paths<'i> {
    /// A path and one step more; the same path if there is no step.
    pub(super) fn step(&mut self, from: Path, doc: DocId, token: Token<'i>) -> Path {
        if let Token::None = token {
            return from;
        }
        self.steps.push(Step { from, token, doc });
        Path(to_u32(self.steps.len()))
    }

    /// Bytes of a path, about (nothing in it is escaped yet), and its steps.
    pub(super) fn extent(&self, model: &Model, place: Path) -> (usize, usize) {
        let (mut bytes, mut count) = (0, 0);
        let mut next = self.at(place);
        while let Some(step) = next {
            bytes += 1 + match step.token {
                Token::None => 0,
                Token::Index(_) => INDEX,
                Token::Name(name) => name.len(),
                Token::Key(key) => {
                    let key = model.view(step.doc, key);
                    key.map_or(0, |key| key.string().len())
                }
            };
            count += 1;
            next = self.at(step.from);
        }
        (bytes, count)
    }

    /// How many steps there are.
    pub(super) fn len(&self) -> usize {
        self.steps.len()
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
        let mut pointer = String::with_capacity(self.extent(model, place).0);
        for step in steps.into_iter().rev() {
            toolgate_json::pointer::push(&mut pointer, &text(model, step));
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
