//! One keyword of a subschema: whether it holds, what is wrong with it, and what it applies.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::fault::{has_message, must_all_match};
use super::frame::{self, Frame, Matches};
use super::path::Token;
use super::reporter::Reporter;
use super::sink::{MOST_FINDINGS, Sink};
use super::{Flow, Stop, internal_error};
use crate::dialect::Keyword;
use crate::execute::{Applied, Wanted};
use crate::int::to_usize;
use crate::model::{Entry, Form};
use crate::plan::{Op, PlainKeyword};

impl<'o, 'i, N: Node<'i>> Reporter<'o, 'i, N> {
    /// Begins a keyword: reports what it says itself, and lines up the subschemas below it.
    pub(super) fn keyword<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        keyword: PlainKeyword,
        sink: &mut S,
    ) -> Flow {
        let Some(entry) = frame.entries.get(to_usize(keyword.place)) else {
            return internal_error();
        };
        if S::EVERYTHING {
            return self.all(frame, keyword, entry, sink);
        }
        match keyword.op {
            Some(op) => self.failing(frame, (keyword.place, op), entry, sink),
            None => ControlFlow::Continue(()),
        }
    }

    /// Reports a keyword to a sink of findings, if it fails.
    fn failing<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        (place, op): (u32, Op),
        entry: &'o Entry,
        sink: &mut S,
    ) -> Flow {
        // Nothing counts as evaluated for a value that fails.
        if is_unevaluated(op) && !frame.valid {
            return ControlFlow::Continue(());
        }
        let must_all_match = must_all_match(entry);
        let fails_below = must_all_match
            && matches!(op, Op::Object(_) | Op::Array(_))
            && !matches!(entry.form, Form::Dependencies(_));
        if fails_below {
            // It fails by members or items alone: those that fail are the answer.
            let found = self.failing_below(frame, op)?;
            if found.as_ref().is_some_and(Vec::is_empty) {
                return ControlFlow::Continue(());
            }
            frame.valid = false;
            self.name_keyword(frame, place, entry)?;
            self.left_out |= found.is_none();
            frame.children = found.unwrap_or_default().into_iter();
            return ControlFlow::Continue(());
        }
        let holds = self.context.keyword(frame.node, op, frame.at)?;
        if holds == Some(true) {
            return ControlFlow::Continue(());
        }
        frame.valid = false;
        self.name_keyword(frame, place, entry)?;
        if holds.is_none() && !must_all_match {
            self.left_out = true;
            return ControlFlow::Continue(());
        }
        let matches = self.matches(frame, op, entry)?;
        if holds.is_some() && self.has_own_message(frame, op, entry)? {
            self.fault(frame, matches, sink)?;
        }
        let union = match entry.keyword {
            Keyword::AnyOf => true,
            Keyword::OneOf => matches.count == 0,
            _ => false,
        };
        if !must_all_match && !union {
            return ControlFlow::Continue(());
        }
        let found = self.failing_below(frame, op)?;
        self.left_out |= found.is_none();
        let mut children = found.unwrap_or_default();
        if let (true, Form::List(subs)) = (union, &entry.form) {
            let order = self.context.order(frame.at, subs)?;
            children = order
                .into_iter()
                .filter_map(|place| children.get(place).copied())
                .collect();
            if let Some(keyword) = &mut frame.keyword {
                keyword.branches = Some(subs.len());
            }
        }
        frame.children = children.into_iter();
        ControlFlow::Continue(())
    }

    /// Reports a keyword to a sink of everything.
    fn all<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        keyword: PlainKeyword,
        entry: &'o Entry,
        sink: &mut S,
    ) -> Flow {
        let applied = match keyword.op {
            Some(op) if is_unevaluated(op) && !frame.valid => return ControlFlow::Continue(()),
            // They count what `contains` applies.
            Some(_) if matches!(entry.keyword, Keyword::MinContains | Keyword::MaxContains) => {
                Vec::new()
            }
            Some(op) => self.applied(frame, op)?,
            None => Vec::new(),
        };
        if matches!(entry.keyword, Keyword::Then | Keyword::Else) && applied.is_empty() {
            return ControlFlow::Continue(());
        }
        self.name_keyword(frame, keyword.place, entry)?;
        self.announce(frame, |spot| sink.enter(spot))?;
        let holds = match keyword.op {
            Some(op) => match self.context.keyword(frame.node, op, frame.at)? {
                Some(holds) => holds,
                None => return ControlFlow::Break(Stop),
            },
            None => true,
        };
        frame.valid &= holds;
        if let Some(under_way) = &mut frame.keyword {
            under_way.holds = holds;
        }
        match keyword.op {
            Some(op) if !holds => {
                if self.has_own_message(frame, op, entry)? {
                    let matches = self.matches(frame, op, entry)?;
                    self.fault(frame, matches, sink)?;
                }
            }
            _ => self.annotate(frame, entry, &applied, sink)?,
        }
        frame.children = applied.into_iter();
        ControlFlow::Continue(())
    }

    /// Adds a keyword to the path.
    fn name_keyword(&mut self, frame: &mut Frame<'o, 'i, N>, place: u32, entry: &'o Entry) -> Flow {
        let context = &mut self.context;
        let length = match entry.keyword {
            Keyword::Unknown => context.text(frame.doc, entry.name)?.len(),
            known => known.name().len(),
        };
        let path = context
            .paths
            .step(frame.path, frame.doc, Token::Key(entry.name), length);
        frame.keyword = Some(frame::Keyword {
            entry,
            place,
            path,
            holds: false,
            branches: None,
        });
        context.pay(crate::price::text(length))
    }

    /// Whether a keyword that fails says something itself, beside what the subschemas say
    /// that it applies.
    fn has_own_message(&mut self, frame: &Frame<'o, 'i, N>, op: Op, entry: &Entry) -> Flow<bool> {
        if !matches!(entry.form, Form::Dependencies(_)) {
            return ControlFlow::Continue(has_message(entry));
        }
        // `dependencies` may fail by its names or by its subschemas.
        let names = self.context.evaluator.has_dependents(op, frame.at);
        ControlFlow::Continue(has_message(entry) && names.map_break(Stop::from)? == Some(false))
    }

    /// How many subschemas of a `oneOf`, or items of a `contains`, match.
    fn matches(&mut self, frame: &Frame<'o, 'i, N>, op: Op, entry: &Entry) -> Flow<Matches> {
        let mut matches = Matches::default();
        if !matches!(entry.keyword, Keyword::OneOf | Keyword::MinContains) {
            return ControlFlow::Continue(matches);
        }
        for applied in self.applied(frame, op)? {
            let at = frame.at.part(applied.to);
            if self.context.subschema(applied.node, at)? == Some(true) {
                if let Some(first) = matches.first.get_mut(matches.count) {
                    *first = to_usize(applied.place);
                }
                matches.count += 1;
            }
        }
        ControlFlow::Continue(matches)
    }

    /// The subschemas that a keyword applies and that fail; nothing if it takes too many
    /// nested evaluations to find them.
    fn failing_below(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        op: Op,
    ) -> Flow<Option<Vec<Applied<'i, N>>>> {
        let evaluator = &mut self.context.evaluator;
        let found = evaluator.applied(frame.node, op, frame.at, FAILING);
        found.map_break(Stop::from)
    }

    /// The subschemas that a keyword applies; none if it takes too many nested evaluations
    /// to find them.
    fn applied(&mut self, frame: &Frame<'o, 'i, N>, op: Op) -> Flow<Vec<Applied<'i, N>>> {
        let evaluator = &mut self.context.evaluator;
        let found = evaluator.applied(frame.node, op, frame.at, Wanted::All);
        let found = found.map_break(Stop::from)?;
        self.left_out |= found.is_none();
        ControlFlow::Continue(found.unwrap_or_default())
    }
}

/// More than any report holds, since some of them may nest too deeply to be reported.
const FAILING: Wanted = Wanted::Failing {
    most: 10 * MOST_FINDINGS,
};

/// Whether an operation looks at what the other keywords left.
fn is_unevaluated(op: Op) -> bool {
    matches!(op, Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_))
}
