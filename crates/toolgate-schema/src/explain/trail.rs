//! Where an evaluation is, in the schema and in the instance: paths that share their
//! beginnings, written as text only when somebody asks.

use std::borrow::Cow;

use smallvec::SmallVec;
use toolgate_json::Node as _;

use super::frame::Token;
use crate::int::{to_u32, to_usize};
use crate::outline::{DocId, Outline};

/// Every step of every path that an evaluation keeps.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trail<'i> {
    /// Step `n + 1` at place `n`.
    steps: Vec<Step<'i>>,
}

/// A path, by its last step.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Place(u32);

#[derive(Debug, Clone, Copy)]
struct Step<'i> {
    from: Place,
    token: Token<'i>,
    /// The document that a [`Token::Key`] stands in.
    doc: DocId,
}

impl<'i> Trail<'i> {
    /// A path and one step more; the same path if there is no step.
    pub(super) fn step(&mut self, from: Place, doc: DocId, token: Token<'i>) -> Place {
        if let Token::None = token {
            return from;
        }
        self.steps.push(Step { from, token, doc });
        Place(to_u32(self.steps.len()))
    }

    /// Bytes of a path, about (nothing in it is escaped yet), and its steps.
    pub(super) fn extent(&self, outline: &Outline, place: Place) -> (usize, usize) {
        let (mut bytes, mut count) = (0, 0);
        let mut next = self.at(place);
        while let Some(step) = next {
            bytes += 1 + match step.token {
                Token::None => 0,
                Token::Index(_) => INDEX,
                Token::Name(name) => name.len(),
                Token::Key(key) => {
                    let key = outline.view(step.doc, key);
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
    pub(crate) fn pointer(&self, outline: &Outline, place: Place) -> String {
        let mut steps: SmallVec<[&Step<'i>; 16]> = SmallVec::new();
        let mut next = self.at(place);
        while let Some(step) = next {
            steps.push(step);
            next = self.at(step.from);
        }
        let mut pointer = String::with_capacity(self.extent(outline, place).0);
        for step in steps.into_iter().rev() {
            toolgate_json::pointer::push(&mut pointer, &text(outline, step));
        }
        pointer
    }

    /// The last token of a path; empty for the whole.
    pub(super) fn last(&self, outline: &Outline, place: Place) -> String {
        self.at(place)
            .map_or_else(String::new, |step| text(outline, step).into_owned())
    }

    fn at(&self, place: Place) -> Option<&Step<'i>> {
        self.steps.get(to_usize(place.0).checked_sub(1)?)
    }
}

fn text<'s>(outline: &'s Outline, step: &Step<'s>) -> Cow<'s, str> {
    match step.token {
        Token::None => Cow::Borrowed(""),
        Token::Index(index) => Cow::Owned(index.to_string()),
        Token::Name(name) => Cow::Borrowed(name),
        Token::Key(key) => {
            Cow::Borrowed(outline.view(step.doc, key).map_or("", |key| key.string()))
        }
    }
}

/// Bytes of an index, about.
const INDEX: usize = 4;
