//! Which subschemas a keyword applies to what, one after the other.

use std::ops::ControlFlow;

use toolgate_json::{Key as _, Node, NodeId};

use super::Flow;
use super::frame::{Child, Frame, Seen, Token};
use super::machine::Machine;
use super::names::Names;
use super::value::At;
use crate::dialect::Keyword;
use crate::int::{to_u32, to_usize, units};
use crate::outline::{Dependency, DocId, Entry, Form, Outline, PatternId, SubId, Target};

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
        names: Names<'o>,
        members: N::Members,
        place: u32,
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
        frame: &Frame<'o, 'i, N>,
        entry: &'o Entry,
    ) -> Flow<Cursor<'o, 'i, N>> {
        let at = frame.at;
        let cursor = match (&entry.form, entry.keyword) {
            (Form::Reference(id), _) => {
                self.purse
                    .pay(self.scopes.length(frame.scope) / LINKS_PER_UNIT)?;
                let target = match self.outline.target(*id) {
                    Target::Static(sub) => sub,
                    Target::Dynamic { initial, name } => self
                        .scopes
                        .bound(self.outline, frame.scope, name)
                        .unwrap_or(initial),
                };
                Cursor::Single(target)
            }
            (Form::List(subs), Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf) => {
                Cursor::Each { subs, next: 0 }
            }
            (Form::One(sub), Keyword::Not | Keyword::If) => Cursor::Single(*sub),
            (Form::One(sub), Keyword::Then) if frame.condition == Some(true) => {
                Cursor::Single(*sub)
            }
            (Form::One(sub), Keyword::Else) if frame.condition == Some(false) => {
                Cursor::Single(*sub)
            }
            (Form::Map(map), Keyword::DependentSchemas) if at.object().is_some() => {
                Cursor::Dependent { map, next: 0 }
            }
            (Form::Dependencies(map), _) if at.object().is_some() => {
                Cursor::Dependencies { map, next: 0 }
            }
            (form, keyword) => match (at.object(), at.array()) {
                (Some(object), _) => {
                    return self.member_cursor(frame, entry, form, keyword, object);
                }
                (_, Some(array)) => self.item_cursor(frame, form, keyword, array),
                _ => Cursor::Done,
            },
        };
        ControlFlow::Continue(cursor)
    }

    fn member_cursor(
        &mut self,
        frame: &Frame<'o, 'i, N>,
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
            (Form::Map(map), Keyword::Properties) => Cursor::Found {
                map,
                names: self.properties(frame.id, frame.sub.doc, entry)?,
                members: object.members(),
                place: 0,
            },
            (Form::Patterns(patterns), _) => Cursor::Patterned {
                patterns,
                members: object.members(),
                current: None,
                place: 0,
                next: 0,
            },
            (Form::One(sub), Keyword::AdditionalProperties) => {
                let names = match outline.entry(frame.sub, Keyword::Properties) {
                    Some(declared) => Some(self.properties(frame.id, frame.sub.doc, declared)?),
                    None => None,
                };
                let patterns = outline.entry(frame.sub, Keyword::PatternProperties);
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
            (Form::One(_), Keyword::UnevaluatedProperties) if frame.seen.all => Cursor::Done,
            (Form::One(sub), Keyword::UnevaluatedProperties) => Cursor::Others {
                sub: *sub,
                members: object.members(),
                place: 0,
                names: None,
                patterns: &[],
                seen: self.marks(&frame.seen, object.len())?,
            },
            (Form::One(sub), Keyword::PropertyNames) => Cursor::Names {
                sub: *sub,
                members: object.members(),
            },
            _ => Cursor::Done,
        })
    }

    fn item_cursor(
        &mut self,
        frame: &Frame<'o, 'i, N>,
        form: &'o Form,
        keyword: Keyword,
        array: N,
    ) -> Cursor<'o, 'i, N> {
        let outline: &'o Outline = self.outline;
        let listed = |keyword| match outline.entry(frame.sub, keyword).map(|entry| &entry.form) {
            Some(Form::List(list)) => Some(list.len()),
            _ => None,
        };
        let mut prefix: &'o [SubId] = &[];
        let mut rest = None;
        let mut skip = 0;
        let mut seen = Vec::new();
        match (form, keyword) {
            (Form::List(list), Keyword::PrefixItems | Keyword::Items) => prefix = list,
            (Form::One(sub), Keyword::Items) => {
                rest = Some(*sub);
                skip = listed(Keyword::PrefixItems).unwrap_or(0);
            }
            (Form::One(sub), Keyword::AdditionalItems) => {
                let Some(tuple) = listed(Keyword::Items) else {
                    return Cursor::Done;
                };
                rest = Some(*sub);
                skip = tuple;
            }
            (Form::One(sub), Keyword::Contains) => rest = Some(*sub),
            (Form::One(_), Keyword::UnevaluatedItems) if frame.seen.all => return Cursor::Done,
            (Form::One(sub), Keyword::UnevaluatedItems) => {
                rest = Some(*sub);
                seen = mark(&frame.seen, array.len());
            }
            _ => return Cursor::Done,
        }
        Cursor::Items {
            items: array.items(),
            index: 0,
            skip,
            prefix,
            rest,
            seen,
        }
    }

    /// The next child of a keyword.
    pub(super) fn next_child(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
    ) -> Flow<Option<Child<'i, N>>> {
        let doc = frame.sub.doc;
        let at = frame.at;
        let same = |sub, token| {
            Some(Child {
                sub,
                at,
                token,
                step: Token::None,
                place: None,
            })
        };
        let child = match &mut frame.cursor {
            Cursor::Done => None,
            Cursor::Single(sub) => {
                let sub = *sub;
                frame.cursor = Cursor::Done;
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
                    && self.member(object, self.text(doc, key))?.is_some()
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
                    && self.member(object, self.text(doc, key))?.is_some()
                {
                    break same(*sub, Token::Key(key));
                }
            },
            Cursor::Items { .. } => self.next_item(&mut frame.cursor)?,
            cursor => self.next_member(cursor, doc, at, frame.track)?,
        };
        ControlFlow::Continue(child)
    }

    fn next_item(&mut self, cursor: &mut Cursor<'o, 'i, N>) -> Flow<Option<Child<'i, N>>> {
        let Cursor::Items {
            items,
            index,
            skip,
            prefix,
            rest,
            seen,
        } = cursor
        else {
            return ControlFlow::Continue(None);
        };
        loop {
            if rest.is_none() && *index >= prefix.len() {
                return ControlFlow::Continue(None);
            }
            let Some(item) = items.next() else {
                return ControlFlow::Continue(None);
            };
            let at = *index;
            *index += 1;
            if at < *skip || seen.get(at) == Some(&true) {
                self.purse.pay(1)?;
                continue;
            }
            let (sub, token) = match prefix.get(at) {
                Some(sub) => (*sub, Token::Index(at)),
                None => match rest {
                    Some(sub) => (*sub, Token::None),
                    None => return ControlFlow::Continue(None),
                },
            };
            return ControlFlow::Continue(Some(Child {
                sub,
                at: At::Value(item),
                token,
                step: Token::Index(at),
                place: Some(to_u32(at)),
            }));
        }
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
                    let name = self.text(doc, *key);
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
            Cursor::Found {
                map,
                names,
                members,
                place,
            } => {
                for (key, value) in members.by_ref() {
                    let own = *place;
                    *place += 1;
                    self.purse.pay(1)?;
                    let declared = names.place(key.text()).and_then(|at| map.get(to_usize(at)));
                    if let Some((node, sub)) = declared {
                        return member(*sub, value, Token::Key(*node), key.text(), own);
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

    fn marks(&mut self, seen: &Seen, count: usize) -> Flow<Vec<bool>> {
        self.purse.pay(units(count))?;
        ControlFlow::Continue(mark(seen, count))
    }
}

/// The places as a list of marks.
fn mark(seen: &Seen, count: usize) -> Vec<bool> {
    let mut marks = vec![false; count];
    for place in &seen.places {
        if let Some(mark) = marks.get_mut(to_usize(*place)) {
            *mark = true;
        }
    }
    marks
}

/// Links of the dynamic scope that one unit of fuel follows.
const LINKS_PER_UNIT: u64 = 8;
