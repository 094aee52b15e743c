//! From a subschema to those it applies: their verdicts, by the guide where it knows
//! them, and frames for those that must be evaluated or told of.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::Flow;
use super::children::Cursor;
use super::frame::{Child, Frame, Outcome, Token, Via};
use super::machine::{Machine, Next};
use super::scope::ScopeId;
use super::sift::{ASKED, HEAVY};
use super::sink::{Silence, Sink};
use super::value::At;
use crate::dialect::Keyword;
use crate::outline::SubId;

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// The verdict of one subschema, by itself.
    pub(super) fn judged(&mut self, id: SubId, at: At<'i, N>) -> Flow<bool> {
        let frame = self.first_frame(id, at)?;
        match self.known(&frame) {
            Some(outcome) => ControlFlow::Continue(outcome.valid),
            None => self.run_from(frame, &mut Silence),
        }
    }

    /// A quiet frame where an evaluation begins.
    pub(super) fn first_frame(&mut self, id: SubId, at: At<'i, N>) -> Flow<Box<Frame<'o, 'i, N>>> {
        let via = Via {
            keyword: None,
            owner: id,
            index: None,
        };
        self.frame(id, ScopeId::EMPTY, at, via)
    }

    /// The verdict of a child, if it takes no frame; else the frame that finds it.
    pub(super) fn verdict(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        child: &Child<'i, N>,
    ) -> Flow<Next<'o, 'i, N>> {
        if let Some(valid) = self.at_once(frame, child)? {
            return ControlFlow::Continue(Next::Done(Outcome { valid, seen: None }));
        }
        let inner = self.child_frame(frame, child)?;
        ControlFlow::Continue(match self.known(&inner) {
            Some(outcome) => Next::Done(outcome),
            None => Next::Open(inner),
        })
    }

    /// The verdict of a child that the guide knows or that looks at the value alone.
    pub(super) fn at_once(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        child: &Child<'i, N>,
    ) -> Flow<Option<bool>> {
        let asks_more = frame.track && child.is_in_place();
        let before = self.purse.left;
        if !asks_more
            && let Some(guide) = &mut self.guide
            && let At::Value(value) = child.at
            && let Some(valid) = guide.verdict(child.sub, value, &mut self.purse)?
        {
            self.price = before - self.purse.left;
            return ControlFlow::Continue(Some(valid));
        }
        self.price = 0;
        self.leaf(child.sub, child.at)
    }

    /// Takes in the verdict of a child that has all the words if it fails: then a loud
    /// frame for it, unless it is told already.
    pub(super) fn sift<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        child: Child<'i, N>,
        outcome: &Outcome,
        sink: &S,
    ) -> Flow<Option<Box<Frame<'o, 'i, N>>>> {
        self.receive(frame, child, outcome, S::EVERYTHING);
        if outcome.valid {
            return ControlFlow::Continue(None);
        }
        if sink.findings() >= frame.cap {
            self.left_out = true;
            frame.cursor = Cursor::Done;
            return ControlFlow::Continue(None);
        }
        self.name_once(frame)?;
        let inner = self.told_child(frame, &child, sink)?;
        ControlFlow::Continue(inner.map(|mut inner| {
            // That it fails is counted already.
            frame.tally.failed -= 1;
            let heavy = self.price > HEAVY;
            inner.heavy = frame.heavy + u32::from(heavy);
            inner.unasked = if heavy {
                (1 << inner.heavy.min(31)) >> ASKED
            } else {
                0
            };
            inner
        }))
    }

    /// A loud frame for a child of which nobody has asked whether it fails.
    pub(super) fn unasked<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        child: &Child<'i, N>,
        sink: &S,
    ) -> Flow<Option<Box<Frame<'o, 'i, N>>>> {
        let small = child
            .at
            .node()
            .is_none_or(|node| !node.kind().is_container());
        if frame.unasked == 0 || frame.track || small || sink.findings() >= frame.cap {
            return ControlFlow::Continue(None);
        }
        self.name_once(frame)?;
        let inner = self.told_child(frame, child, sink)?;
        ControlFlow::Continue(inner.map(|mut inner| {
            inner.unasked = frame.unasked - 1;
            inner.heavy = frame.heavy;
            inner
        }))
    }

    fn name_once(&mut self, frame: &mut Frame<'o, 'i, N>) -> Flow {
        match frame.entry {
            Some(entry) if frame.word.is_none() => self.name_keyword(frame, entry),
            _ => ControlFlow::Continue(()),
        }
    }

    /// A loud frame for a child, unless a sink of findings has heard them.
    pub(super) fn told_child<S: Sink>(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        child: &Child<'i, N>,
        sink: &S,
    ) -> Flow<Option<Box<Frame<'o, 'i, N>>>> {
        let mut inner = self.child_frame(frame, child)?;
        if !S::EVERYTHING && !self.is_news(frame, &mut inner) {
            return ControlFlow::Continue(None);
        }
        self.make_loud(frame, child, &mut inner, sink.findings())?;
        ControlFlow::Continue(Some(inner))
    }

    /// A quiet frame for a child.
    fn child_frame(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        child: &Child<'i, N>,
    ) -> Flow<Box<Frame<'o, 'i, N>>> {
        let via = Via {
            keyword: frame.entry.map(|entry| entry.keyword),
            owner: frame.id,
            index: match child.step {
                Token::Index(index) => Some(index),
                _ => None,
            },
        };
        let mut inner = self.frame(child.sub, frame.scope, child.at, via)?;
        let negated = frame
            .entry
            .is_some_and(|entry| entry.keyword == Keyword::Not);
        inner.track |= child.is_in_place() && frame.track && !negated;
        ControlFlow::Continue(inner)
    }
}
