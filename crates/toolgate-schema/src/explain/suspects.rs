//! The members of an object that may fail, as the survey of its plan lists them, keyword by
//! keyword.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::{Key as _, Node};

use super::Flow;
use super::frame::{Child, Token};
use super::level::Level;
use super::machine::Machine;
use super::value::At;
use crate::dialect::Keyword;
use crate::execute::{By, Standing};
use crate::int::to_usize;
use crate::outline::{Entry, Form};
use crate::plan::Target;

/// The suspects of all levels, level after level.
pub(super) type List<'o, 'i, N> = SmallVec<[Listed<'o, 'i, N>; 4]>;

/// The survey of a level's object.
#[derive(Debug, Clone, Copy)]
pub(super) enum Survey {
    /// Not made yet.
    None,
    /// Its suspects are the elements of the list from `from` up to `to`.
    Known {
        from: usize,
        to: usize,
        /// Whether a required member is not there.
        missing: bool,
    },
    /// The plan has none: nothing of it can fail, or not all of it is in the plan.
    Unknown,
}

/// The keywords that look at members, in the order in which suspects are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    Properties,
    Patterns,
    Additional,
    Names,
}

/// A member that may fail.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed<'o, 'i, N> {
    class: Class,
    /// The place among the properties or the patterns of the keyword.
    place: u32,
    name: &'i str,
    /// Of the name as an instance.
    identity: usize,
    pub(super) value: N,
    standing: Standing<'o>,
}

impl Class {
    /// The class of a keyword's suspects.
    pub(super) fn of(keyword: Keyword) -> Option<Self> {
        match keyword {
            Keyword::Properties => Some(Self::Properties),
            Keyword::PatternProperties => Some(Self::Patterns),
            Keyword::AdditionalProperties | Keyword::UnevaluatedProperties => {
                Some(Self::Additional)
            }
            Keyword::PropertyNames => Some(Self::Names),
            _ => None,
        }
    }

    /// Where the suspects of this class begin and end among those of one object.
    pub(super) fn among<N>(
        self,
        listed: &[Listed<'_, '_, N>],
        from: usize,
        to: usize,
    ) -> (usize, usize) {
        let own = listed.get(from..to).unwrap_or_default();
        let before = own.iter().take_while(|one| one.class < self).count();
        let rest = own.iter().skip(before);
        let count = rest.take_while(|one| one.class == self).count();
        (from + before, from + before + count)
    }
}

impl<'o, 'i, N: Node<'i>> Listed<'o, 'i, N> {
    /// What is left to ask; nothing if it fails.
    pub(super) fn open(&self) -> Option<&'o Target> {
        match self.standing {
            Standing::Fails => None,
            Standing::Open(target) => Some(target),
        }
    }

    /// It as a child of its keyword.
    pub(super) fn child(&self, entry: Option<&'o Entry>) -> Option<Child<'i, N>> {
        let place = to_usize(self.place);
        let (sub, token) = match &entry?.form {
            Form::Map(map) => map.get(place).map(|(key, sub)| (*sub, Token::Key(*key)))?,
            Form::Patterns(list) => list
                .get(place)
                .map(|(key, _, sub)| (*sub, Token::Key(*key)))?,
            Form::One(sub) => (*sub, Token::None),
            _ => return None,
        };
        let (at, step) = match self.class {
            Class::Names => (
                At::Name {
                    text: self.name,
                    identity: self.identity,
                },
                Token::None,
            ),
            _ => (At::Value(self.value), Token::Name(self.name)),
        };
        Some(Child {
            sub,
            at,
            token,
            step,
            place: None,
        })
    }
}

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// Surveys an object, once.
    pub(super) fn survey(
        &mut self,
        level: &mut Level<'o, 'i, N>,
        object: N,
        listed: &mut List<'o, 'i, N>,
    ) -> Flow {
        if !matches!(level.survey, Survey::None) {
            return ControlFlow::Continue(());
        }
        level.survey = Survey::Unknown;
        let on = level.on;
        let from = listed.len();
        let Some(guide) = &mut self.guide else {
            return ControlFlow::Continue(());
        };
        let surveyed = guide.survey(on.id, object, &mut self.purse, |suspect| {
            let (class, place) = match suspect.by {
                By::Name => (Class::Properties, 0),
                By::Pattern(place) => (Class::Patterns, place),
                By::Rest => (Class::Additional, 0),
                By::Key => (Class::Names, 0),
            };
            listed.push(Listed {
                class,
                place,
                name: suspect.key.text(),
                identity: suspect.key.identity(),
                value: suspect.value,
                standing: suspect.standing,
            });
        })?;
        let Some(all_there) = surveyed else {
            return ControlFlow::Continue(());
        };
        let to = listed.len();
        level.survey = Survey::Known {
            from,
            to,
            missing: !all_there,
        };
        let Some(own) = listed.get_mut(from..) else {
            return ControlFlow::Continue(());
        };
        if own.iter().any(|one| one.class == Class::Properties)
            && let Some(declared) = self.outline.entry(on.sub, Keyword::Properties)
        {
            let names = self.properties(on.id, on.sub.doc, declared)?;
            for one in own.iter_mut().filter(|one| one.class == Class::Properties) {
                one.place = names.place(one.name).unwrap_or(u32::MAX);
            }
        }
        if to - from > 1 {
            own.sort_by_key(|one| match one.class {
                Class::Properties => (one.class, one.place),
                _ => (one.class, 0),
            });
        }
        ControlFlow::Continue(())
    }
}
