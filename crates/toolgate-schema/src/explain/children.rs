//! Which subschemas a keyword applies to what, one after the other.

use std::ops::ControlFlow;

use toolgate_json::{Key as _, Node, NodeId};

use super::frame::{Child, Frame, Seen, Token};
use super::machine::Machine;
use super::names::Names;
use super::scope::ScopeId;
use super::value::At;
use super::{Flow, broken, or_broken};
use crate::dialect::Keyword;
use crate::int::{to_usize, units};
use crate::outline::{Dependency, DocId, Entry, Form, Outline, PatternId, Sub, SubId, Target};

/// What a keyword is applied to, and what those before it came to.
#[derive(Debug, Clone, Copy)]
pub(super) struct On<'f, 'i, N> {
    /// The subschema that has the keyword.
    pub(super) id: SubId,
    pub(super) sub: Sub,
    pub(super) scope: ScopeId,
    pub(super) at: At<'i, N>,
    /// What `if` came to.
    pub(super) condition: Option<bool>,
    /// What was evaluated so far, where somebody asks.
    pub(super) seen: Option<&'f Seen>,
}

/// A member that `properties` names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared<'i, N> {
    /// The place of its name in the keyword.
    order: u32,
    /// Its place among the members.
    place: u32,
    name: &'i str,
    value: N,
}

/// A keyword's children, as far as they have been given out.
pub(super) enum Cursor<'o, 'i, N: Node<'i>> {
    Done,
    /// One subschema for the value itself.
    Single(SubId),
    /// Several for the value itself.
    Each {
        subs: &'o [SubId],
        next: usize,
    },
    /// The same, some of them, in another order.
    Picked {
        subs: &'o [SubId],
        order: std::vec::IntoIter<usize>,
    },
    /// `properties`, where the object has more members than it names.
    Declared {
        map: &'o [(NodeId, SubId)],
        next: usize,
    },
    /// `properties`, where it names more than the object has.
    Found {
        map: &'o [(NodeId, SubId)],
        found: std::vec::IntoIter<Declared<'i, N>>,
    },
    /// `patternProperties`.
    Patterned {
        patterns: &'o [(NodeId, PatternId, SubId)],
        members: N::Members,
        current: Option<(&'i str, N)>,
        place: u32,
        next: usize,
    },
    /// `additionalProperties` and `unevaluatedProperties`.
    Others {
        sub: SubId,
        members: N::Members,
        place: u32,
        names: Option<Names<'o>>,
        patterns: &'o [(NodeId, PatternId, SubId)],
        seen: Vec<bool>,
    },
    /// `propertyNames`.
    Names {
        sub: SubId,
        members: N::Members,
    },
    /// `dependentSchemas`.
    Dependent {
        map: &'o [(NodeId, SubId)],
        next: usize,
    },
    /// The subschemas of `dependencies`.
    Dependencies {
        map: &'o [(NodeId, Dependency)],
        next: usize,
    },
    /// Whatever looks at items.
    Items {
        items: N::Items,
        index: usize,
        skip: usize,
        prefix: &'o [SubId],
        rest: Option<SubId>,
        seen: Vec<bool>,
    },
}

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// The children of a keyword; `Done` for one that has none here.
    pub(super) fn cursor(
        &mut self,
        on: On<'_, 'i, N>,
        entry: &'o Entry,
    ) -> Flow<Cursor<'o, 'i, N>> {
        let at = on.at;
        let cursor = match (&entry.form, entry.keyword) {
            (Form::Reference(id), _) => {
                self.purse
                    .pay(self.scopes.length(on.scope) / LINKS_PER_UNIT)?;
                let target = match self.outline.targets.get(id.index()).copied() {
                    None => return broken(),
                    Some(Target::Static(sub)) => sub,
                    Some(Target::Dynamic { initial, name }) => self
                        .scopes
                        .bound(self.outline, on.scope, name)
                        .unwrap_or(initial),
                };
                Cursor::Single(target)
            }
            (Form::List(subs), Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf) => {
                Cursor::Each { subs, next: 0 }
            }
            (Form::One(sub), Keyword::Not | Keyword::If) => Cursor::Single(*sub),
            (Form::One(sub), Keyword::Then) if on.condition == Some(true) => Cursor::Single(*sub),
            (Form::One(sub), Keyword::Else) if on.condition == Some(false) => Cursor::Single(*sub),
            (Form::Map(map), Keyword::DependentSchemas) if at.object().is_some() => {
                Cursor::Dependent { map, next: 0 }
            }
            (Form::Dependencies(map), _) if at.object().is_some() => {
                Cursor::Dependencies { map, next: 0 }
            }
            (form, keyword) => match (at.object(), at.array()) {
                (Some(object), _) => {
                    return self.member_cursor(on, entry, form, keyword, object);
                }
                (_, Some(array)) => self.item_cursor(on, form, keyword, array)?,
                _ => Cursor::Done,
            },
        };
        ControlFlow::Continue(cursor)
    }

    fn member_cursor(
        &mut self,
        on: On<'_, 'i, N>,
        entry: &'o Entry,
        form: &'o Form,
        keyword: Keyword,
        object: N,
    ) -> Flow<Cursor<'o, 'i, N>> {
        let outline: &'o Outline = self.outline;
        ControlFlow::Continue(match (form, keyword) {
            (Form::Map(map), Keyword::Properties) if map.len() <= object.len() => {
                Cursor::Declared { map, next: 0 }
            }
            (Form::Map(map), Keyword::Properties) => {
                let names = self.properties(on.id, on.sub.doc, entry)?;
                self.purse.pay(units(object.len()))?;
                let members = object.members().zip(0..);
                let mut found: Vec<_> = members
                    .filter_map(|((key, value), place)| {
                        let order = names.place(key.text())?;
                        Some(Declared {
                            order,
                            place,
                            name: key.text(),
                            value,
                        })
                    })
                    .collect();
                found.sort_unstable_by_key(|one| one.order);
                Cursor::Found {
                    map,
                    found: found.into_iter(),
                }
            }
            (Form::Patterns(patterns), _) => Cursor::Patterned {
                patterns,
                members: object.members(),
                current: None,
                place: 0,
                next: 0,
            },
            (Form::One(_), Keyword::UnevaluatedProperties) if on.has_seen_all() => Cursor::Done,
            (Form::One(sub), Keyword::UnevaluatedProperties) if on.seen.is_some() => {
                Cursor::Others {
                    sub: *sub,
                    members: object.members(),
                    place: 0,
                    names: None,
                    patterns: &[],
                    seen: self.marks(on.seen, object.len())?,
                }
            }
            // Where nobody notes what was evaluated, no other subschema can have evaluated
            // anything, so that the two keywords say the same.
            (Form::One(sub), Keyword::AdditionalProperties | Keyword::UnevaluatedProperties) => {
                let names = match or_broken(outline.entry(on.sub, Keyword::Properties))? {
                    Some(declared) => Some(self.properties(on.id, on.sub.doc, declared)?),
                    None => None,
                };
                let patterns = or_broken(outline.entry(on.sub, Keyword::PatternProperties))?;
                Cursor::Others {
                    sub: *sub,
                    members: object.members(),
                    place: 0,
                    names,
                    patterns: match patterns.map(|entry| &entry.form) {
                        Some(Form::Patterns(patterns)) => patterns,
                        _ => &[],
                    },
                    seen: Vec::new(),
                }
            }
            (Form::One(sub), Keyword::PropertyNames) => Cursor::Names {
                sub: *sub,
                members: object.members(),
            },
            _ => Cursor::Done,
        })
    }

    /// The next child of a keyword.
    pub(super) fn next_child(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
    ) -> Flow<Option<Child<'i, N>>> {
        self.next_of(&mut frame.cursor, frame.sub.doc, frame.at, frame.track)
    }

    /// The next child of a keyword; `places` says whether anybody asks for its place.
    pub(super) fn next_of(
        &mut self,
        cursor: &mut Cursor<'o, 'i, N>,
        doc: DocId,
        at: At<'i, N>,
        places: bool,
    ) -> Flow<Option<Child<'i, N>>> {
        let same = |sub, token| {
            Some(Child {
                sub,
                at,
                token,
                step: Token::None,
                place: None,
            })
        };
        let child = match cursor {
            Cursor::Done => None,
            Cursor::Single(sub) => {
                let sub = *sub;
                *cursor = Cursor::Done;
                same(sub, Token::None)
            }
            Cursor::Each { subs, next } => {
                let index = *next;
                *next += 1;
                subs.get(index)
                    .and_then(|sub| same(*sub, Token::Index(index)))
            }
            Cursor::Picked { subs, order } => order.next().and_then(|index| {
                let sub = subs.get(index)?;
                same(*sub, Token::Index(index))
            }),
            Cursor::Dependent { map, next } => loop {
                let Some((key, sub)) = map.get(*next) else {
                    break None;
                };
                *next += 1;
                let key = *key;
                if let Some(object) = at.object()
                    && self.member(object, self.name_of(doc, key)?)?.is_some()
                {
                    break same(*sub, Token::Key(key));
                }
            },
            Cursor::Dependencies { map, next } => loop {
                let Some((key, dependency)) = map.get(*next) else {
                    break None;
                };
                *next += 1;
                let key = *key;
                if let (Dependency::Schema(sub), Some(object)) = (dependency, at.object())
                    && self.member(object, self.name_of(doc, key)?)?.is_some()
                {
                    break same(*sub, Token::Key(key));
                }
            },
            Cursor::Items { .. } => self.next_item(cursor)?,
            cursor => self.next_member(cursor, doc, at, places)?,
        };
        ControlFlow::Continue(child)
    }

    fn next_member(
        &mut self,
        cursor: &mut Cursor<'o, 'i, N>,
        doc: DocId,
        at: At<'i, N>,
        places: bool,
    ) -> Flow<Option<Child<'i, N>>> {
        let member = |sub, value, token, name, place| {
            ControlFlow::Continue(Some(Child {
                sub,
                at: At::Value(value),
                token,
                step: Token::Name(name),
                place: Some(place),
            }))
        };
        match cursor {
            Cursor::Declared { map, next } => {
                let Some(object) = at.object() else {
                    return ControlFlow::Continue(None);
                };
                while let Some((key, sub)) = map.get(*next) {
                    *next += 1;
                    let name = self.name_of(doc, *key)?;
                    // Only who keeps book of what was evaluated wants the place.
                    let found = if places {
                        let found = self.placed_member(object, name)?;
                        found.map(|(place, value)| (Some(place), value))
                    } else {
                        self.member(object, name)?.map(|value| (None, value))
                    };
                    if let Some((place, value)) = found {
                        return ControlFlow::Continue(Some(Child {
                            sub: *sub,
                            at: At::Value(value),
                            token: Token::Key(*key),
                            step: Token::Key(*key),
                            place,
                        }));
                    }
                }
            }
            Cursor::Found { map, found } => {
                for one in found {
                    if let Some((node, sub)) = map.get(to_usize(one.order)) {
                        return member(*sub, one.value, Token::Key(*node), one.name, one.place);
                    }
                }
            }
            Cursor::Patterned {
                patterns,
                members,
                current,
                place,
                next,
            } => loop {
                let Some((name, value)) = *current else {
                    let Some((key, value)) = members.next() else {
                        break;
                    };
                    self.purse.pay(1)?;
                    *current = Some((key.text(), value));
                    *next = 0;
                    continue;
                };
                let Some((key, pattern, sub)) = patterns.get(*next) else {
                    *current = None;
                    *place += 1;
                    continue;
                };
                *next += 1;
                if self.matches(*pattern, name)? {
                    return member(*sub, value, Token::Key(*key), name, *place);
                }
            },
            Cursor::Others {
                sub,
                members,
                place,
                names,
                patterns,
                seen,
            } => {
                for (key, value) in members.by_ref() {
                    let own = *place;
                    *place += 1;
                    self.purse.pay(1)?;
                    let name = key.text();
                    let mut covered = seen.get(to_usize(own)) == Some(&true)
                        || names
                            .as_ref()
                            .is_some_and(|names| names.place(name).is_some());
                    for (_, pattern, _) in *patterns {
                        covered = covered || self.matches(*pattern, name)?;
                    }
                    if !covered {
                        return member(*sub, value, Token::None, name, own);
                    }
                }
            }
            Cursor::Names { sub, members } => {
                if let Some((key, _)) = members.next() {
                    return ControlFlow::Continue(Some(Child {
                        sub: *sub,
                        at: At::Name {
                            text: key.text(),
                            identity: key.identity(),
                        },
                        token: Token::None,
                        step: Token::None,
                        place: None,
                    }));
                }
            }
            _ => {}
        }
        ControlFlow::Continue(None)
    }

    fn marks(&mut self, seen: Option<&Seen>, count: usize) -> Flow<Vec<bool>> {
        self.purse.pay(units(count))?;
        ControlFlow::Continue(mark(seen, count))
    }
}

impl<N> On<'_, '_, N> {
    pub(super) fn has_seen_all(&self) -> bool {
        self.seen.is_some_and(|seen| seen.all)
    }
}

/// The places as a list of marks.
pub(super) fn mark(seen: Option<&Seen>, count: usize) -> Vec<bool> {
    let mut marks = vec![false; count];
    for place in seen.map_or(&[][..], |seen| &seen.places) {
        if let Some(mark) = marks.get_mut(to_usize(*place)) {
            *mark = true;
        }
    }
    marks
}

/// Links of the dynamic scope that one unit of fuel follows.
const LINKS_PER_UNIT: u64 = 8;
