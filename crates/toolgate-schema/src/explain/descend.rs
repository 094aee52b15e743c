//! From a subschema to those it applies: their verdicts, and frames for those that must be
//! evaluated.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::Flow;
use super::frame::{Child, Frame, Outcome, Token, Via};
use super::machine::{Machine, Next};
use super::scope::ScopeId;
use super::sink::Sink;
use super::value::At;
use crate::dialect::Keyword;
use crate::outline::{Shape, SubId};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
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
        if let Some(valid) = self.leaf(child.sub, child.at)? {
            return ControlFlow::Continue(Next::Done(Outcome::of(valid)));
        }
        self.quiet_child(frame, child)
    }

    fn quiet_child(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        child: &Child<'i, N>,
    ) -> Flow<Next<'o, 'i, N>> {
        let inner = self.child_frame(frame, child)?;
        ControlFlow::Continue(match self.known(&inner) {
            Some(outcome) => Next::Done(outcome),
            None => Next::Open(inner),
        })
    }

    /// The verdict of a child that must match: the sink hears what fails in it.
    pub(super) fn reported<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        child: &Child<'i, N>,
        sink: &S,
    ) -> Flow<Next<'o, 'i, N>> {
        let leaf = self.leaf(child.sub, child.at)?;
        if leaf == Some(true) {
            return ControlFlow::Continue(Next::Done(Outcome::of(true)));
        }
        frame.unheard = sink.findings() >= frame.cap;
        if frame.unheard {
            let next = match leaf {
                Some(valid) => Next::Done(Outcome::of(valid)),
                None => self.quiet_child(frame, child)?,
            };
            if let Next::Done(outcome) = &next {
                self.left_out |= !outcome.valid;
            }
            return ControlFlow::Continue(next);
        }
        let mut inner = self.child_frame(frame, child)?;
        inner.branch = frame.branch;
        // A boolean schema says something else to each keyword that applies it.
        if !matches!(inner.sub.shape, Shape::Always(_))
            && let Some(outcome) = leaf.map(Outcome::of).or_else(|| self.known(&inner))
            && (outcome.valid || self.is_told(&inner))
        {
            return ControlFlow::Continue(Next::Done(outcome));
        }
        if let Some(entry) = frame.entry
            && frame.word.is_none()
        {
            self.name_keyword(frame, entry)?;
        }
        self.make_loud(frame, child, &mut inner, sink.findings())?;
        ControlFlow::Continue(Next::Open(inner))
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
