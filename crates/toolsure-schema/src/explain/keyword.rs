//! Reports one keyword of a subschema: whether it holds, why it fails, and which subschemas it
//! applies.

use std::ops::ControlFlow;

use toolsure_json::Node;

use super::failure::Failure;
use super::flow::{Flow, Stop, internal_error};
use super::frame::{self, Frame, Matches};
use super::path::Token;
use super::reporter::Reporter;
use super::sink::Sink;
use crate::dialect::Keyword;
use crate::execute::Wanted;
use crate::int::{to_u32, to_usize};
use crate::model::{Entry, Form, SubschemaId};
use crate::plan::{Op, PlainKeyword};

impl<'o, 'i, N: Node<'i>> Reporter<'o, 'i, N> {
    /// Begins a keyword: reports its own message, and queues the subschemas it applies.
    pub(super) fn keyword<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        keyword: PlainKeyword,
        sink: &mut S,
    ) -> Flow {
        let Some(entry) = frame.entries.get(to_usize(keyword.place)) else {
            return internal_error();
        };
        // An operation on the value alone applies no subschemas.
        if matches!(keyword.op, Some(Op::Leaf(_))) && entry.form.has_subschemas() {
            return internal_error();
        }
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
        // For a value that fails, nothing counts as evaluated.
        if is_unevaluated(op) && !frame.valid {
            return ControlFlow::Continue(());
        }
        let failure = match op {
            Op::Leaf(_) => Failure::Own,
            _ => Failure::of(entry.keyword),
        };
        if failure == Failure::Subschemas {
            // It only fails through the subschemas that it applies: the failing ones are the
            // answer.
            let found = self.gather(frame, op, failing(sink))?;
            if !found || self.children.len() > frame.children {
                frame.valid = false;
                self.left_out |= !found;
                self.name_keyword(frame, place, entry)?;
            }
            return ControlFlow::Continue(());
        }
        let holds = self.context.keyword(frame.node, op, frame.at)?;
        if holds == Some(true) {
            return ControlFlow::Continue(());
        }
        frame.valid = false;
        self.name_keyword(frame, place, entry)?;
        if holds.is_none() && failure != Failure::Either {
            self.left_out = true;
            return ControlFlow::Continue(());
        }
        let matches = self.matches(frame, op, entry)?;
        if holds.is_some() && self.has_own_message(frame, op, failure)? {
            self.fault(frame, matches, sink)?;
        }
        if failure == Failure::Either {
            self.left_out |= !self.gather(frame, op, failing(sink))?;
        } else if let (Form::List(subs), Keyword::AnyOf | Keyword::OneOf) =
            (&entry.form, entry.keyword)
            && matches.count == 0
        {
            self.branches(frame, op, subs)?;
        }
        ControlFlow::Continue(())
    }

    /// Queues the branches of a union without a matching one, most plausible first.
    fn branches(&mut self, frame: &mut Frame<'o, 'i, N>, op: Op, subs: &[SubschemaId]) -> Flow {
        let ranking = self.context.ranking(frame.at, subs)?;
        let order = ranking.order(subs.len());
        // The fault was recorded last, and describes the plausible branches.
        if let Some(fault) = self.found.faults.last_mut() {
            fault.ranking = Some(to_u32(self.found.rankings.len()));
            self.found.rankings.push(ranking);
        }
        let found = self.gather(frame, op, Wanted::All)?;
        self.left_out |= !found;
        let branches = self.children.split_off(frame.children);
        for place in order.into_iter().take_while(|_| found) {
            let Some(branch) = branches.get(place) else {
                return internal_error();
            };
            self.children.push(*branch);
        }
        if let Some(keyword) = &mut frame.keyword {
            keyword.branches = Some(subs.len());
        }
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
        match keyword.op {
            Some(op) if is_unevaluated(op) && !frame.valid => return ControlFlow::Continue(()),
            // They bound the number of matches of `contains`.
            Some(_) if matches!(entry.keyword, Keyword::MinContains | Keyword::MaxContains) => {}
            Some(op) => self.left_out |= !self.gather(frame, op, Wanted::All)?,
            None => {}
        }
        let conditional = matches!(entry.keyword, Keyword::Then | Keyword::Else);
        if conditional && self.children.len() == frame.children {
            return ControlFlow::Continue(());
        }
        if entry.keyword == Keyword::If && !self.left_out && self.children.len() == frame.children {
            // It applies its subschema to every value.
            return internal_error();
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
                if self.has_own_message(frame, op, Failure::of(entry.keyword))? {
                    let matches = self.matches(frame, op, entry)?;
                    self.fault(frame, matches, sink)?;
                }
                ControlFlow::Continue(())
            }
            _ => self.annotate(frame, entry, sink),
        }
    }

    /// Adds a keyword to the path.
    fn name_keyword(&mut self, frame: &mut Frame<'o, 'i, N>, place: u32, entry: &'o Entry) -> Flow {
        let name = match entry.keyword {
            Keyword::Unknown => self.context.text(frame.doc, entry.name)?,
            known => known.name(),
        };
        let path = self.found.paths.step(frame.path, Token::Key(name));
        frame.keyword = Some(frame::Keyword {
            entry,
            place,
            path,
            holds: false,
            branches: None,
        });
        self.context.pay(crate::price::text(name.len()))
    }

    /// Whether a failing keyword has a message of its own, in addition to those of the subschemas
    /// it applies.
    fn has_own_message(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        op: Op,
        failure: Failure,
    ) -> Flow<bool> {
        ControlFlow::Continue(match failure {
            Failure::Own => true,
            Failure::Subschemas => false,
            // Because of names or because of subschemas.
            Failure::Either => {
                let names = self.context.evaluator.has_dependents(op, frame.at);
                names.map_break(Stop::from)? == Some(false)
            }
            Failure::Never => return internal_error(),
        })
    }

    /// How many subschemas of a `oneOf`, or items for `contains`, match.
    fn matches(&mut self, frame: &Frame<'o, 'i, N>, op: Op, entry: &Entry) -> Flow<Matches> {
        let mut matches = Matches::default();
        if !matches!(entry.keyword, Keyword::OneOf | Keyword::MinContains) {
            return ControlFlow::Continue(matches);
        }
        let start = self.children.len();
        self.left_out |= !self.gather(frame, op, Wanted::All)?;
        for applied in self.children.drain(start..) {
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

    /// Adds the wanted subschemas that a keyword applies to the children. Returns whether they
    /// could be found: not if that takes too many nested evaluations.
    fn gather(&mut self, frame: &Frame<'o, 'i, N>, op: Op, wanted: Wanted) -> Flow<bool> {
        let evaluator = &mut self.context.evaluator;
        let found = evaluator.applied(frame.node, op, frame.at, wanted, &mut self.children);
        found.map_break(Stop::from)
    }
}

/// The failing subschemas, more of them than the sink holds, because some may nest too deeply to be
/// reported.
fn failing(sink: &impl Sink) -> Wanted {
    Wanted::Failing {
        most: sink.most().saturating_mul(10),
    }
}

/// Whether an operation applies to what the other keywords left unevaluated.
fn is_unevaluated(op: Op) -> bool {
    matches!(op, Op::UnevaluatedItems(_) | Op::UnevaluatedProperties(_))
}
