//! The faults of an instance, by the plan.
//!
//! A subschema that fails is gone through keyword by keyword, in the order of the schema; of
//! what a keyword applies only what fails is gone into, and the plan says what that is. An
//! object's members are looked through once for all its keywords (a *survey*). What must fail
//! since nothing else did is not asked for: on the way down to a single fault each level costs
//! its survey and no more.
//!
//! It finds what [`Machine::run`] tells a sink of findings, in the same order. That one serves
//! where the plan cannot answer: for dynamic scopes, and for what `unevaluated*` asks.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::Node;

use super::frame::{Token, Via};
use super::level::{Found, Left, Level, Start};
use super::machine::Machine;
use super::scope::ScopeId;
use super::sink::Sink;
use super::suspects::{List, Survey};
use super::trail::Place;
use super::value::At;
use super::{DEEPER, Flow, Stop};
use crate::execute::Exhausted;
use crate::int::{to_u32, to_usize};
use crate::outline::{Outline, Shape};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// Whether the plan answers every question about this schema.
    pub(super) fn plan_suffices(&self) -> bool {
        self.guide.as_ref().is_some_and(|guide| guide.suffices())
    }

    /// Lets `sink` hear what is wrong with an instance that does not match.
    pub(super) fn sift_all<S: Sink>(&mut self, instance: N, sink: &mut S) -> Flow {
        self.trail.reserve(STEPS);
        self.faults.reserve(FAULTS);
        let deepest = to_usize(self.allowance.depth.saturating_mul(DEEPER));
        let root = Start {
            sub: self.outline.root,
            at: At::Value(instance),
            via: Via {
                keyword: None,
                owner: self.outline.root,
                index: None,
            },
            path: Place::default(),
            place: Place::default(),
            cap: usize::MAX,
            branch: 0,
            unasked: 0,
            heavy: 0,
            fails: true,
        };
        // There is one scope, or the plan could not say what became of each subschema.
        let resource = self.outline.sub(root.sub).resource;
        let (scope, _) = self.scopes.enter(self.outline, ScopeId::EMPTY, resource);
        if let Shape::Always(_) = self.outline.sub(root.sub).shape {
            return self.note_fault(root.fault(), sink);
        }
        let mut listed = List::new();
        let mut levels: SmallVec<[Level<'o, 'i, N>; LEVELS]> = SmallVec::new();
        levels.push(Level::new(self.outline, scope, &root));
        loop {
            let deep = levels.len() > deepest;
            let Some(level) = levels.last_mut() else {
                break;
            };
            match self.go_on(level, &mut listed, sink)? {
                Some(_) if deep => {
                    return ControlFlow::Break(Stop::Exhausted(Exhausted::Depth {
                        allowed: self.allowance.depth,
                    }));
                }
                Some(inner) => levels.push(Level::new(self.outline, scope, &inner)),
                None => {
                    if let Survey::Known { from, .. } = level.survey {
                        listed.truncate(from);
                    }
                    let failed = level.failed;
                    levels.pop();
                    if let Some(outer) = levels.last_mut() {
                        outer.failed |= failed;
                    }
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes a level to the next one below it; nothing if it is at its end.
    fn go_on<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        listed: &mut List<'o, 'i, N>,
        sink: &mut S,
    ) -> Flow<Option<Start<'i, N>>> {
        loop {
            while !matches!(level.left, Left::Nothing)
                && let Some(found) = self.next_failing(level, listed, sink)?
            {
                if let Some(inner) = self.go_into(level, found, sink)? {
                    return ControlFlow::Continue(Some(inner));
                }
            }
            let Some(entry) = level.take_entry() else {
                return ControlFlow::Continue(None);
            };
            level.word = None;
            self.open(level, entry, listed, sink)?;
        }
    }

    /// The level of a child, unless all was told of it already or a fault is all that it is.
    fn go_into<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        found: Found<'i, N>,
        sink: &mut S,
    ) -> Flow<Option<Start<'i, N>>> {
        let Found { child, fails } = found;
        let was_due = std::mem::replace(&mut level.due, false);
        level.failed |= fails;
        if sink.findings() >= level.cap {
            self.left_out = true;
            level.left = Left::Nothing;
            return ControlFlow::Continue(None);
        }
        let outline: &'o Outline = self.outline;
        let shape = outline.sub(child.sub).shape;
        let Some(entry) = level.entry else {
            return ControlFlow::Continue(None);
        };
        let picked = match &level.left {
            Left::Picked { subs, .. } => Some(subs.len()),
            _ => None,
        };
        let mut branch = level.branch;
        if picked.is_some() {
            self.branches += 1;
            branch = self.branches;
        }
        match shape {
            Shape::Always(true) => {
                level.due = was_due;
                return ControlFlow::Continue(None);
            }
            Shape::Always(false) => level.failed = true,
            Shape::Entries { .. } => {
                let shared = self
                    .guide
                    .as_ref()
                    .is_none_or(|guide| guide.is_shared(child.sub));
                let key = (to_u32(child.sub.index()), child.at.identity(), branch);
                if shared && !self.told.insert(key) {
                    level.failed |= !fails && self.fails(child.sub, child.at)?;
                    return ControlFlow::Continue(None);
                }
            }
        }
        self.name_word(level, entry)?;
        let via = Via {
            keyword: Some(entry.keyword),
            owner: level.on.id,
            index: match child.step {
                Token::Index(index) => Some(index),
                _ => None,
            },
        };
        self.purse.pay(1)?;
        let doc = level.on.sub.doc;
        let from = level.word.unwrap_or(level.path);
        let (path, place) = self.step_into(doc, (from, child.token), (level.place, child.step))?;
        let heavy = self.price > HEAVY;
        let ways = level.heavy + u32::from(heavy);
        let mut inner = Start {
            sub: child.sub,
            at: child.at,
            via,
            path,
            place,
            cap: level.cap,
            branch,
            unasked: match (fails, heavy) {
                (false, _) => level.unasked.saturating_sub(1),
                (true, true) => (1 << ways.min(31)) >> ASKED,
                (true, false) => 0,
            },
            heavy: ways,
            fails,
        };
        if let Shape::Always(_) = shape {
            self.note_fault(inner.fault(), sink)?;
            return ControlFlow::Continue(None);
        }
        if let Some(count) = picked {
            inner.cap = inner.cap.min(super::telling::share(sink.findings(), count));
        }
        ControlFlow::Continue(Some(inner))
    }
}

/// Units of work that make an answer worth not asking for twice.
pub(super) const HEAVY: u64 = 16;
/// How many such answers one way may have before it goes down unasked: first one level,
/// then two, four and so on.
pub(super) const ASKED: u32 = 4;
/// Levels that most instances do with.
const LEVELS: usize = 4;
/// Steps of paths and faults that most instances do with.
const STEPS: usize = 16;
const FAULTS: usize = 4;
