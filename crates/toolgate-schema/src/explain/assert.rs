//! What keywords ask of the value itself, by the operations that the optimised program has.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::frame::is_leaf;
use super::machine::Machine;
use super::value::At;
use super::{Flow, Stop, broken, or_broken};
use crate::dialect::Keyword;
use crate::execute::{self, Exhausted};
use crate::int::{to_usize, units};
use crate::outline::{Form, Outline, PatternId, Shape, Sub, SubId};

/// What a keyword is asked of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'i, N> {
    /// The subschema that has the keyword.
    pub(super) sub: Sub,
    pub(super) at: At<'i, N>,
    /// How many items the `contains` beside it matched.
    pub(super) contained: Option<usize>,
}

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// Whether the own demand of a keyword holds, by its place among those of its subschema;
    /// those that only apply other subschemas demand nothing.
    pub(super) fn assert(&mut self, on: Asked<'i, N>, place: usize) -> Flow<bool> {
        let outline: &'o Outline = self.outline;
        let Some(entry) = or_broken(outline.entries(on.sub))?.get(place) else {
            return broken();
        };
        // Every form is named, so that one that is forgotten cannot hold of everything.
        match (&entry.form, entry.keyword) {
            (Form::Count(count), Keyword::MinContains) => ControlFlow::Continue(
                on.contained
                    .is_none_or(|contained| units(contained) >= *count),
            ),
            (Form::Count(count), Keyword::MaxContains) => ControlFlow::Continue(
                on.contained
                    .is_none_or(|contained| units(contained) <= *count),
            ),
            (
                Form::Types(_)
                | Form::Literal
                | Form::Bound { .. }
                | Form::Count(_)
                | Form::Flag(_)
                | Form::Pattern(_)
                | Form::Format(_)
                | Form::Content(_)
                | Form::Dependencies(_),
                _,
            ) => self.operate(on.sub, place, on.at),
            (
                Form::Annotation
                | Form::One(_)
                | Form::List(_)
                | Form::Map(_)
                | Form::Patterns(_)
                | Form::Reference(_),
                _,
            ) => ControlFlow::Continue(true),
        }
    }

    /// Whether the operation of a keyword holds.
    pub(super) fn operate(&mut self, sub: Sub, place: usize, at: At<'i, N>) -> Flow<bool> {
        let Shape::Entries { start, .. } = sub.shape else {
            return broken();
        };
        let entry = to_usize(start) + place;
        let assertions = self.program.assertions();
        let fuel = &mut self.purse.left;
        let answer = match at {
            At::Value(node) => execute::assert(assertions, entry, node, fuel),
            At::Name { text, .. } => execute::assert_name(assertions, entry, text, fuel),
        };
        answer.map_break(|why| match why {
            Exhausted::Fuel { .. } => self.purse.run_dry(),
            other => Stop::Exhausted(other),
        })
    }

    /// The verdict of a subschema that looks at the value alone, without a frame;
    /// nothing if it looks further.
    pub(super) fn leaf(&mut self, id: SubId, at: At<'i, N>) -> Flow<Option<bool>> {
        let (sub, entries) = self.subschema(id)?;
        if let Shape::Always(valid) = sub.shape {
            return ControlFlow::Continue(Some(valid));
        }
        if !is_leaf(entries) {
            return ControlFlow::Continue(None);
        }
        self.purse.pay(1)?;
        let on = Asked {
            sub,
            at,
            contained: None,
        };
        for (place, entry) in entries.iter().enumerate() {
            if !matches!(entry.form, Form::Annotation) && !self.assert(on, place)? {
                return ControlFlow::Continue(Some(false));
            }
        }
        ControlFlow::Continue(Some(true))
    }

    /// Whether a pattern matches somewhere in a text.
    pub(super) fn matches(&mut self, pattern: PatternId, text: &str) -> Flow<bool> {
        let Some(pattern) = self.outline.patterns.get(pattern.index()) else {
            return broken();
        };
        match pattern.matches(text, &mut self.purse.left) {
            Some(matched) => ControlFlow::Continue(matched),
            None => ControlFlow::Break(self.purse.run_dry()),
        }
    }
}
