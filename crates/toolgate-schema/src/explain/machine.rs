//! The evaluation itself: a list of frames instead of recursion.
//!
//! A frame takes the keywords of one subschema one after the other. It *judges* a
//! keyword: it asks for the verdicts of the subschemas that the keyword applies, as
//! few as it needs. In a frame that a sink of findings hears of, the sink hears of them
//! at once where each of them must match. Otherwise the frame *tells* after it has
//! judged: where a keyword fails (or the sink wants everything) the same subschemas are
//! gone through again, loud.

use std::ops::ControlFlow;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use toolgate_json::Node;

use super::children::Cursor;
use super::fault::{Fault, has_words, must_all_match};
use super::frame::{Child, Frame, LAST_ROUND, Outcome, Phase, Seen, Tally, Token, Via, is_leaf};
use super::names::Tables;
use super::program::Program;
use super::recall::Told;
use super::scope::{ScopeId, Scopes};
use super::sink::Sink;
use super::trail::{Place, Trail};
use super::value::At;
use super::{DEEPER, Flow, Purse, Stop, broken, or_broken};
use crate::dialect::{Dialect, Keyword};
use crate::execute::{Allowance, Exhausted, Memo};
use crate::int::{to_usize, units};
use crate::outline::{Entry, Form, Outline, Shape, Sub, SubId};

pub(super) struct Machine<'o, 'i, N: Node<'i>> {
    pub(super) program: &'o Program,
    pub(super) outline: &'o Outline,
    pub(super) purse: Purse,
    pub(super) scopes: Scopes,
    pub(super) tables: Tables<'i, N>,
    pub(super) allowance: Allowance,
    /// Verdicts by (subschema in scope, value).
    pub(super) memo: Memo,
    /// What valid ones evaluated, where that was asked.
    pub(super) sets: HashMap<(u32, usize), Rc<Seen>>,
    /// Numbers for subschemas in a scope.
    pub(super) keys: HashMap<(SubId, ScopeId), u32>,
    /// What has been told already: (subschema in scope, value, branch).
    pub(super) told: Told,
    pub(super) branches: u32,
    pub(super) trail: Trail<'i>,
    /// What is wrong, as far as it has been told to a sink that wants no more.
    pub(super) faults: Vec<Fault<'i, N>>,
    /// Whether a branch was cut to leave room for others.
    pub(super) left_out: bool,
}

/// What comes after a step: another frame, or a verdict.
pub(super) enum Next<'o, 'i, N: Node<'i>> {
    Open(Box<Frame<'o, 'i, N>>),
    Done(Outcome),
}

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    pub(super) fn new(program: &'o Program, allowance: Allowance) -> Self {
        let mut memo = Memo::default();
        memo.clear();
        Self {
            program,
            outline: program.outline(),
            purse: Purse::new(allowance.fuel),
            scopes: Scopes::default(),
            tables: Tables::default(),
            allowance,
            memo,
            sets: HashMap::new(),
            keys: HashMap::new(),
            told: Told::default(),
            branches: 0,
            trail: Trail::default(),
            faults: Vec::new(),
            left_out: false,
        }
    }

    pub(super) fn refuel(&mut self, fuel: u64) {
        self.purse = Purse::new(fuel);
    }

    /// Evaluates the whole schema on the whole instance.
    pub(super) fn run<S: Sink>(&mut self, instance: N, loud: bool, sink: &mut S) -> Flow<bool> {
        self.told.clear();
        let mut frame = self.first_frame(self.outline.root, At::Value(instance))?;
        frame.loud = loud;
        self.run_from(frame, sink)
    }

    pub(super) fn run_from<S: Sink>(
        &mut self,
        mut frame: Box<Frame<'o, 'i, N>>,
        sink: &mut S,
    ) -> Flow<bool> {
        let depth = to_usize(self.allowance.depth.saturating_mul(DEEPER));
        let mut waiting: Vec<Box<Frame<'o, 'i, N>>> = Vec::new();
        let mut back = None;
        loop {
            match self.advance(&mut frame, back.take(), sink)? {
                Next::Open(inner) => {
                    if waiting.len() >= depth {
                        return ControlFlow::Break(Stop::Exhausted(Exhausted::Depth {
                            allowed: self.allowance.depth,
                        }));
                    }
                    waiting.push(std::mem::replace(&mut frame, inner));
                }
                Next::Done(outcome) => match waiting.pop() {
                    Some(outer) => {
                        frame = outer;
                        back = Some(outcome);
                    }
                    None => return ControlFlow::Continue(outcome.valid),
                },
            }
        }
    }

    /// A subschema and its keywords, all of them.
    pub(super) fn subschema(&self, id: SubId) -> Flow<(Sub, &'o [Entry])> {
        let outline: &'o Outline = self.outline;
        let sub = or_broken(outline.sub(id))?;
        let entries = or_broken(outline.entries(sub))?;
        if outline.resources.get(sub.resource.index()).is_none() {
            return broken();
        }
        ControlFlow::Continue((sub, entries))
    }

    /// A quiet frame that has not begun.
    pub(super) fn frame(
        &mut self,
        id: SubId,
        scope: ScopeId,
        at: At<'i, N>,
        via: Via,
    ) -> Flow<Box<Frame<'o, 'i, N>>> {
        self.purse.pay(1)?;
        let (sub, entries) = self.subschema(id)?;
        let (scope, work) = self.scopes.enter(self.outline, scope, sub.resource);
        self.purse.pay(work / 8)?;
        let key = self.key(id, scope);
        let rounds = entries
            .iter()
            .map(|entry| Frame::<N>::round_of(entry.keyword));
        let last_round = rounds.max().unwrap_or(0);
        ControlFlow::Continue(Box::new(Frame {
            id,
            key,
            sub,
            entries,
            scope,
            at,
            via,
            loud: false,
            track: last_round == LAST_ROUND,
            phase: Phase::Start,
            round: 0,
            last_round,
            next: 0,
            entry: None,
            cursor: Cursor::Done,
            reports: false,
            unheard: false,
            pending: None,
            tally: Tally::default(),
            holds: true,
            valid: true,
            condition: None,
            contained: None,
            seen: Seen::default(),
            seen_before: None,
            path: Place::default(),
            word: None,
            place: Place::default(),
            steps: 0,
            cap: usize::MAX,
            branch: 0,
            faults: self.faults.len(),
        }))
    }

    /// Takes a frame as far as it gets without another.
    fn advance<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        back: Option<Outcome>,
        sink: &mut S,
    ) -> Flow<Next<'o, 'i, N>> {
        if let Some(outcome) = &back
            && let Some(child) = frame.pending.take()
        {
            self.left_out |= frame.unheard && !outcome.valid;
            self.receive(frame, child, outcome, S::EVERYTHING);
        }
        loop {
            match frame.phase {
                Phase::Start => {
                    if frame.loud && S::EVERYTHING {
                        self.announce(frame, None, |spot| sink.enter(spot))?;
                    }
                    if let Shape::Always(valid) = frame.sub.shape {
                        frame.valid = valid;
                        if frame.loud && !valid {
                            self.fault(frame, None, sink)?;
                        }
                        return ControlFlow::Continue(Next::Done(self.finish(frame, sink)));
                    }
                    frame.phase = Phase::Between;
                }
                Phase::Between => {
                    let Some(entry) = frame.take_entry() else {
                        return ControlFlow::Continue(Next::Done(self.finish(frame, sink)));
                    };
                    self.begin(frame, entry, sink)?;
                    if !frame.loud && !frame.valid {
                        return ControlFlow::Continue(Next::Done(self.finish(frame, sink)));
                    }
                }
                Phase::Judge => {
                    let settled = frame.is_settled(S::EVERYTHING);
                    let child = if settled {
                        None
                    } else {
                        self.next_child(frame)?
                    };
                    let Some(child) = child else {
                        self.conclude(frame, sink)?;
                        if !frame.loud && !frame.valid {
                            return ControlFlow::Continue(Next::Done(self.finish(frame, sink)));
                        }
                        continue;
                    };
                    let verdict = match frame.reports {
                        true => self.reported(frame, &child, sink)?,
                        false => self.verdict(frame, &child)?,
                    };
                    match verdict {
                        Next::Done(outcome) => {
                            self.receive(frame, child, &outcome, S::EVERYTHING);
                        }
                        open => {
                            frame.pending = Some(child);
                            return ControlFlow::Continue(open);
                        }
                    }
                }
                Phase::Tell => {
                    let room = sink.findings() < frame.cap;
                    self.left_out |= !room;
                    let child = match room {
                        true => self.next_child(frame)?,
                        false => None,
                    };
                    let Some(child) = child else {
                        self.close(frame, sink);
                        continue;
                    };
                    if !S::EVERYTHING && self.leaf(child.sub, child.at)? == Some(true) {
                        continue;
                    }
                    if let Some(inner) = self.told_child(frame, &child, sink)? {
                        return ControlFlow::Continue(Next::Open(inner));
                    }
                }
            }
        }
    }

    /// Judges a keyword's own demand and lines up its children.
    fn begin<S: Sink>(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        entry: &'o Entry,
        sink: &mut S,
    ) -> Flow {
        frame.entry = Some(entry);
        frame.tally = Tally::default();
        frame.reports = false;
        if matches!(entry.form, Form::Annotation) && !(frame.loud && S::EVERYTHING) {
            return ControlFlow::Continue(());
        }
        if !frame.loud {
            frame.holds = self.assert(frame.asked(), frame.under_way())?;
            if !frame.holds {
                frame.valid = false;
                return ControlFlow::Continue(());
            }
        } else {
            frame.word = None;
            if S::EVERYTHING {
                self.name_keyword(frame, entry)?;
                self.announce(frame, Some(entry), |spot| sink.enter(spot))?;
            }
            frame.holds = self.assert(frame.asked(), frame.under_way())?;
            if S::EVERYTHING && Frame::<N>::round_of(entry.keyword) == LAST_ROUND {
                frame.seen_before = Some(frame.seen.clone());
            }
        }
        frame.cursor = self.cursor(frame.on(), entry)?;
        if let Cursor::Done = frame.cursor {
            if frame.loud {
                self.conclude(frame, sink)?;
            } else {
                self.note_conclusion(frame, entry, true);
            }
        } else {
            self.purse.pay(1)?;
            frame.reports = frame.loud && !S::EVERYTHING && must_all_match(entry);
            frame.phase = Phase::Judge;
            if frame.reports && !frame.holds {
                self.name_keyword(frame, entry)?;
                self.fault(frame, Some(entry), sink)?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Takes in the verdict of a child.
    pub(super) fn receive(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        child: Child<'i, N>,
        outcome: &Outcome,
        everything: bool,
    ) {
        let Some(entry) = frame.entry else { return };
        let tally = &mut frame.tally;
        if outcome.valid {
            if let (Token::Index(index), Some(slot)) =
                (child.token, tally.first_matched.get_mut(tally.matched))
            {
                *slot = index;
            }
            tally.matched += 1;
        } else {
            tally.failed += 1;
        }
        tally.met += 1;
        if frame.loud && everything && outcome.valid {
            self.note(frame, entry, &child);
        }
        if !frame.track || !outcome.valid || entry.keyword == Keyword::Not {
            return;
        }
        // What was evaluated of a child of the value is not evaluated of the value.
        if let Some(seen) = &outcome.seen
            && child.is_in_place()
        {
            frame.seen.absorb(seen);
        }
        let contains = entry.keyword == Keyword::Contains;
        if let Some(place) = child.place
            && (!contains || frame.sub.rules.dialect == Dialect::Draft202012)
        {
            frame.seen.add(place);
        }
    }

    /// Judges a keyword whose children have been asked.
    fn conclude<S: Sink>(&mut self, frame: &mut Frame<'o, 'i, N>, sink: &mut S) -> Flow {
        let Some(entry) = frame.entry else {
            return ControlFlow::Continue(());
        };
        let tally = &frame.tally;
        let own = frame.holds;
        let holds = own
            && match entry.keyword {
                Keyword::AnyOf => tally.matched > 0,
                Keyword::OneOf => tally.matched == 1,
                Keyword::Not => tally.matched == 0,
                Keyword::If => true,
                Keyword::Contains => {
                    tally.matched > 0 || frame.at.array().is_none() || frame.needs_none()
                }
                _ => tally.failed == 0,
            };
        frame.holds = holds;
        frame.valid &= holds;
        self.note_conclusion(frame, entry, holds);
        frame.phase = Phase::Between;
        frame.cursor = Cursor::Done;
        if !frame.loud {
            return ControlFlow::Continue(());
        }
        if frame.reports {
            self.close(frame, sink);
            return ControlFlow::Continue(());
        }
        if S::EVERYTHING && holds {
            self.annotate(frame, entry, sink)?;
        }
        if !S::EVERYTHING && !holds {
            self.name_keyword(frame, entry)?;
        }
        // `dependencies` may fail by its names or by its subschemas.
        let by_children = own && matches!(entry.form, Form::Dependencies(_));
        if !holds && has_words(entry) && !by_children {
            self.fault(frame, Some(entry), sink)?;
        }
        let descends = match entry.keyword {
            _ if S::EVERYTHING => true,
            Keyword::AnyOf => !holds,
            Keyword::OneOf => !holds && frame.tally.matched == 0,
            _ => false,
        };
        if !descends {
            self.close(frame, sink);
            return ControlFlow::Continue(());
        }
        frame.cursor = match (&entry.form, entry.keyword) {
            (Form::List(subs), Keyword::AnyOf | Keyword::OneOf) if !S::EVERYTHING => {
                let order = self.ranked(frame.at, subs)?.order;
                Cursor::Picked {
                    subs,
                    order: order.into_iter(),
                }
            }
            _ => {
                let after = frame
                    .seen_before
                    .take()
                    .map(|before| std::mem::replace(&mut frame.seen, before));
                let cursor = self.cursor(frame.on(), entry)?;
                if let Some(after) = after {
                    frame.seen = after;
                }
                cursor
            }
        };
        frame.phase = Phase::Tell;
        ControlFlow::Continue(())
    }

    /// Ends a frame.
    fn finish<S: Sink>(&mut self, frame: &mut Frame<'o, 'i, N>, sink: &mut S) -> Outcome {
        if frame.loud && self.faults.len() == frame.faults {
            // No path of a fault needs them. A sink of everything keeps texts of its own.
            self.trail.truncate(frame.steps);
        }
        if frame.loud && S::EVERYTHING {
            sink.leave(frame.valid);
            return Outcome::of(frame.valid);
        }
        if frame.loud && !frame.valid {
            self.note_told(frame);
        }
        let seen = (frame.valid && frame.track).then(|| std::mem::take(&mut frame.seen).finish());
        if !is_leaf(frame.entries) {
            let key = frame.key;
            let identity = frame.at.identity();
            if self.memo.get(key, identity).is_none() {
                self.memo.insert(key, identity, frame.valid);
            }
            if let Some(seen) = &seen {
                // A purse that is empty already stops whatever comes next.
                let _ = self.purse.pay(units(seen.places.len()));
                self.sets.insert((key, identity), Rc::clone(seen));
            }
        }
        Outcome {
            valid: frame.valid,
            seen,
        }
    }
}
