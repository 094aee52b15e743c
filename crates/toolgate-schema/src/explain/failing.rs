//! Which of the subschemas that a keyword applies fail, one after the other, by the plan.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::Flow;
use super::frame::{Child, Token};
use super::level::{Found, Left, Level};
use super::machine::Machine;
use super::sink::Sink;
use super::suspects::{Class, List, Listed, Survey};
use super::value::At;
use crate::dialect::Keyword;
use crate::int::to_u32;
use crate::outline::{Form, SubId};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// The next child of the keyword under way that fails, or is to be gone into unasked.
    pub(super) fn next_failing<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        listed: &mut List<'o, 'i, N>,
        sink: &S,
    ) -> Flow<Option<Found<'i, N>>> {
        self.price = 0;
        let at = level.on.at;
        let same = |sub, token| Child {
            sub,
            at,
            token,
            step: Token::None,
            place: None,
        };
        loop {
            let child = match &mut level.left {
                Left::Nothing => return ControlFlow::Continue(None),
                Left::One(sub) => {
                    let child = same(*sub, Token::None);
                    level.left = Left::Nothing;
                    child
                }
                Left::Each { subs, next } => {
                    let index = *next;
                    *next += 1;
                    match subs.get(index) {
                        Some(sub) => same(*sub, Token::Index(index)),
                        None => break,
                    }
                }
                Left::Picked { subs, order } => {
                    if sink.findings() >= level.cap {
                        self.left_out = true;
                        break;
                    }
                    let next = order.next();
                    let branch = next.and_then(|index| Some((index, subs.get(index)?)));
                    let Some((index, sub)) = branch else { break };
                    let child = same(*sub, Token::Index(index));
                    return ControlFlow::Continue(Some(Found { child, fails: true }));
                }
                Left::Suspects { next, end } => {
                    if next >= end {
                        break;
                    }
                    let place = *next;
                    *next += 1;
                    let last = next == end;
                    let Some(one) = listed.get(place).copied() else {
                        break;
                    };
                    match self.suspect(level, one, last, listed)? {
                        Some((child, fails)) => {
                            return ControlFlow::Continue(Some(Found { child, fails }));
                        }
                        None => continue,
                    }
                }
                Left::Items { sub, items, index } => {
                    let sub = *sub;
                    let before = self.purse.left;
                    let asked = match &mut self.guide {
                        Some(guide) if level.unasked == 0 => {
                            guide.first_failing(sub, items, &mut self.purse)?
                        }
                        _ => None,
                    };
                    let item = match asked {
                        Some(found) => found,
                        None => items.next().map(|item| (0, item)),
                    };
                    let Some((passed, item)) = item else { break };
                    let place = *index + passed;
                    *index = place + 1;
                    let child = Child {
                        sub,
                        at: At::Value(item),
                        token: Token::None,
                        step: Token::Index(place),
                        place: Some(to_u32(place)),
                    };
                    if asked.is_some() {
                        self.price = before - self.purse.left;
                        return ControlFlow::Continue(Some(Found { child, fails: true }));
                    }
                    child
                }
                Left::Rare(cursor) => {
                    let doc = level.on.sub.doc;
                    match self.next_of(cursor, doc, at, false)? {
                        Some(child) => child,
                        None => break,
                    }
                }
            };
            if level.goes_unasked(child.at) {
                return ControlFlow::Continue(Some(Found {
                    child,
                    fails: false,
                }));
            }
            let must = matches!(level.left, Left::Nothing) && level.due;
            if (must && self.rest_holds(level, listed)?) || self.fails(child.sub, child.at)? {
                return ControlFlow::Continue(Some(Found { child, fails: true }));
            }
        }
        level.left = Left::Nothing;
        ControlFlow::Continue(None)
    }

    /// What the survey listed, if it fails or is to be gone into unasked.
    fn suspect(
        &mut self,
        level: &Level<'o, 'i, N>,
        one: Listed<'o, 'i, N>,
        last: bool,
        listed: &mut List<'o, 'i, N>,
    ) -> Flow<Option<(Child<'i, N>, bool)>> {
        let Some(child) = one.child(level.entry) else {
            return ControlFlow::Continue(None);
        };
        let Some(target) = one.open() else {
            return ControlFlow::Continue(Some((child, true)));
        };
        if level.goes_unasked(child.at) {
            return ControlFlow::Continue(Some((child, false)));
        }
        if last && level.due && self.rest_holds(level, listed)? {
            return ControlFlow::Continue(Some((child, true)));
        }
        let before = self.purse.left;
        let holds = match &mut self.guide {
            Some(guide) => guide.further(target, one.value, &mut self.purse)?,
            None => true,
        };
        self.price = before - self.purse.left;
        ControlFlow::Continue((!holds).then_some((child, true)))
    }

    /// Whether nothing behind the keyword under way can fail, as far as little work shows.
    pub(super) fn rest_holds(
        &mut self,
        level: &Level<'o, 'i, N>,
        listed: &[Listed<'o, 'i, N>],
    ) -> Flow<bool> {
        if level.round > 0 || level.rounds > 0 {
            return ControlFlow::Continue(false);
        }
        for entry in level.entries.get(level.next..).unwrap_or_default() {
            let holds = match (&entry.form, entry.keyword) {
                _ if !entry.applies() => true,
                (Form::Types(_) | Form::Bound { .. } | Form::Count(_), _) => {
                    self.assert(level.asked(), entry)?
                }
                (Form::Literal, Keyword::Required) => {
                    level.on.at.object().is_none()
                        || matches!(level.survey, Survey::Known { missing: false, .. })
                }
                (_, keyword) => match (Class::of(keyword), level.survey) {
                    (Some(_), _) if level.on.at.object().is_none() => true,
                    (Some(class), Survey::Known { from, to, .. }) => {
                        let (next, end) = class.among(listed, from, to);
                        next == end
                    }
                    _ => false,
                },
            };
            if !holds {
                return ControlFlow::Continue(false);
            }
        }
        ControlFlow::Continue(true)
    }

    /// Whether a value fails a subschema.
    pub(super) fn fails(&mut self, sub: SubId, at: At<'i, N>) -> Flow<bool> {
        let before = self.purse.left;
        if let Some(guide) = &mut self.guide
            && let At::Value(value) = at
            && let Some(valid) = guide.verdict(sub, value, &mut self.purse)?
        {
            self.price = before - self.purse.left;
            return ControlFlow::Continue(!valid);
        }
        self.price = 0;
        if let Some(valid) = self.leaf(sub, at)? {
            return ControlFlow::Continue(!valid);
        }
        let valid = self.judged(sub, at)?;
        ControlFlow::Continue(!valid)
    }
}
