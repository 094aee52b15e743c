//! What each keyword asks of a value, where the plan says which subschemas fail.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::Flow;
use super::fault::Fault;
use super::frame::{Token, contains_bounds};
use super::level::{Left, Level};
use super::machine::Machine;
use super::sink::Sink;
use super::suspects::{Class, List, Survey};
use super::value::At;
use crate::dialect::Keyword;
use crate::outline::{Entry, Form, SubId, Target};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// Judges a keyword's own demand and lines up what it applies.
    pub(super) fn open<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        entry: &'o Entry,
        listed: &mut List<'o, 'i, N>,
        sink: &mut S,
    ) -> Flow {
        level.entry = Some(entry);
        let at = level.on.at;
        level.left = match (&entry.form, entry.keyword) {
            (Form::One(one), Keyword::If) => {
                level.on.condition = Some(!self.fails(*one, at)?);
                Left::Nothing
            }
            (Form::One(one), Keyword::Not) => {
                if !self.fails(*one, at)? {
                    self.fail(level, entry, sink)?;
                }
                Left::Nothing
            }
            (Form::One(one), Keyword::Then) if level.on.condition == Some(true) => Left::One(*one),
            (Form::One(one), Keyword::Else) if level.on.condition == Some(false) => Left::One(*one),
            (Form::One(one), Keyword::Contains) => {
                if let Some(array) = at.array() {
                    self.contains(level, entry, array, *one, sink)?;
                }
                Left::Nothing
            }
            (Form::Reference(reference), _) => {
                let target = match self.outline.target(*reference) {
                    Target::Static(sub) => sub,
                    Target::Dynamic { initial, name } => self
                        .scopes
                        .bound(self.outline, level.on.scope, name)
                        .unwrap_or(initial),
                };
                Left::One(target)
            }
            // Of a value that fails nobody can say what was evaluated; `additionalProperties`
            // leaves nothing over.
            (Form::One(_), Keyword::UnevaluatedProperties)
                if level.failed || self.has_additional(level) =>
            {
                Left::Nothing
            }
            (Form::List(subs), Keyword::AllOf) => Left::Each { subs, next: 0 },
            (Form::List(subs), Keyword::AnyOf | Keyword::OneOf) => {
                return self.union(level, entry, subs, listed, sink);
            }
            (Form::One(one), Keyword::Items) if at.array().is_some() => {
                let tuple = self.outline.entry(level.on.sub, Keyword::PrefixItems);
                match (tuple, at) {
                    (None, At::Value(array)) => Left::Items {
                        sub: *one,
                        items: array.items(),
                        index: 0,
                    },
                    _ => Left::Rare(Box::new(self.cursor(level.on, entry)?)),
                }
            }
            (Form::One(_) | Form::Map(_) | Form::Patterns(_), _) => {
                match (Class::of(entry.keyword), at.object()) {
                    (Some(class), Some(object)) => {
                        self.survey(level, object, listed)?;
                        match level.survey {
                            Survey::Known { from, to, .. } => {
                                let (next, end) = class.among(listed, from, to);
                                Left::Suspects { next, end }
                            }
                            // Its node looks at no member: the keyword lets everything through.
                            _ if entry.keyword == Keyword::UnevaluatedProperties
                                && self
                                    .guide
                                    .as_ref()
                                    .is_some_and(|guide| guide.knows(level.on.id)) =>
                            {
                                Left::Nothing
                            }
                            _ => Left::Rare(Box::new(self.cursor(level.on, entry)?)),
                        }
                    }
                    (None, Some(_)) if entry.keyword == Keyword::DependentSchemas => {
                        Left::Rare(Box::new(self.cursor(level.on, entry)?))
                    }
                    (None, None) if at.array().is_some() && entry.applies() => {
                        Left::Rare(Box::new(self.cursor(level.on, entry)?))
                    }
                    _ => Left::Nothing,
                }
            }
            (Form::List(_), _) if at.array().is_some() => {
                Left::Rare(Box::new(self.cursor(level.on, entry)?))
            }
            (Form::Dependencies(_), _) if at.object().is_some() => {
                if !self.assert(level.asked(), entry)? {
                    self.fail(level, entry, sink)?;
                }
                Left::Rare(Box::new(self.cursor(level.on, entry)?))
            }
            (Form::Annotation | Form::List(_) | Form::Dependencies(_), _) => Left::Nothing,
            _ => {
                if self.breaks(level, entry, listed)? {
                    self.fail(level, entry, sink)?;
                }
                Left::Nothing
            }
        };
        ControlFlow::Continue(())
    }

    /// Whether a keyword that applies no other subschema fails.
    fn breaks(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        entry: &'o Entry,
        listed: &mut List<'o, 'i, N>,
    ) -> Flow<bool> {
        if entry.keyword == Keyword::Required
            && let Some(object) = level.on.at.object()
        {
            self.survey(level, object, listed)?;
            if let Survey::Known { missing, .. } = level.survey {
                return ControlFlow::Continue(missing);
            }
        }
        let costly = matches!(entry.form, Form::Pattern(_) | Form::Literal);
        if costly && level.due && self.rest_holds(level, listed)? {
            return ControlFlow::Continue(true);
        }
        let holds = self.assert(level.asked(), entry)?;
        ControlFlow::Continue(!holds)
    }

    /// Judges `anyOf` or `oneOf`; if no branch matches, all are to be gone into.
    fn union<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        entry: &'o Entry,
        subs: &'o [SubId],
        listed: &mut List<'o, 'i, N>,
        sink: &mut S,
    ) -> Flow {
        level.left = Left::Nothing;
        let at = level.on.at;
        let any = entry.keyword == Keyword::AnyOf;
        let mut matched = 0;
        let mut first = [0; 2];
        if !(any && level.due && self.rest_holds(level, listed)?) {
            let most = if any { 1 } else { 2 };
            for (index, sub) in subs.iter().enumerate() {
                if self.fails(*sub, at)? {
                    continue;
                }
                if let Some(slot) = first.get_mut(matched) {
                    *slot = index;
                }
                matched += 1;
                if matched == most {
                    break;
                }
            }
        }
        if matched == 1 {
            return ControlFlow::Continue(());
        }
        self.name_word(level, entry)?;
        let fault = Fault {
            matched,
            first_matched: first,
            ..level.fault()
        };
        level.due = false;
        level.failed = true;
        self.note_fault(fault, sink)?;
        if matched == 0 {
            let order = self.ranked(at, subs)?.order;
            level.left = Left::Picked {
                subs,
                order: order.into_iter(),
            };
        }
        ControlFlow::Continue(())
    }

    /// Judges `contains`, and counts for the bounds beside it.
    fn contains<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        entry: &'o Entry,
        array: N,
        one: SubId,
        sink: &mut S,
    ) -> Flow {
        let (least, most) = contains_bounds(level.entries);
        let mut matched = 0;
        for item in array.items() {
            if matched > most || (matched >= least.max(1) && most == usize::MAX) {
                break;
            }
            matched += usize::from(!self.fails(one, At::Value(item))?);
        }
        level.contained = Some(matched);
        if matched == 0 && least > 0 {
            self.fail(level, entry, sink)?;
        }
        ControlFlow::Continue(())
    }

    fn has_additional(&self, level: &Level<'o, 'i, N>) -> bool {
        let entry = self
            .outline
            .entry(level.on.sub, Keyword::AdditionalProperties);
        entry.is_some()
    }

    /// Notes that the keyword under way fails.
    fn fail<S: Sink>(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        entry: &'o Entry,
        sink: &mut S,
    ) -> Flow {
        level.due = false;
        level.failed = true;
        self.name_word(level, entry)?;
        self.note_fault(level.fault(), sink)
    }

    /// Adds the keyword under way to the path, once.
    pub(super) fn name_word(&mut self, level: &mut Level<'o, 'i, N>, entry: &Entry) -> Flow {
        if level.word.is_some() {
            return ControlFlow::Continue(());
        }
        let token = Token::Key(entry.name);
        level.word = Some(self.trail.step(level.path, level.on.sub.doc, token));
        self.purse.pay(1)
    }
}
