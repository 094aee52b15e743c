//! Which subschemas a keyword applies to which items of an array.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::children::{Cursor, On, mark};
use super::frame::{Child, Token};
use super::machine::Machine;
use super::value::At;
use super::{Flow, or_broken};
use crate::dialect::Keyword;
use crate::int::to_u32;
use crate::outline::{Entry, Form, Outline, SubId};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// The items that a keyword looks at.
    pub(super) fn item_cursor(
        &mut self,
        on: On<'_, 'i, N>,
        form: &'o Form,
        keyword: Keyword,
        array: N,
    ) -> Flow<Cursor<'o, 'i, N>> {
        let outline: &'o Outline = self.outline;
        let beside = or_broken(outline.entries(on.sub))?;
        let listed = |keyword| match Entry::find(beside, keyword).map(|entry| &entry.form) {
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
                    return ControlFlow::Continue(Cursor::Done);
                };
                rest = Some(*sub);
                skip = tuple;
            }
            (Form::One(sub), Keyword::Contains) => rest = Some(*sub),
            (Form::One(_), Keyword::UnevaluatedItems) if on.has_seen_all() => {
                return ControlFlow::Continue(Cursor::Done);
            }
            (Form::One(sub), Keyword::UnevaluatedItems) => {
                rest = Some(*sub);
                seen = mark(on.seen, array.len());
            }
            _ => return ControlFlow::Continue(Cursor::Done),
        }
        ControlFlow::Continue(Cursor::Items {
            items: array.items(),
            index: 0,
            skip,
            prefix,
            rest,
            seen,
        })
    }

    /// The next item of a keyword.
    pub(super) fn next_item(
        &mut self,
        cursor: &mut Cursor<'o, 'i, N>,
    ) -> Flow<Option<Child<'i, N>>> {
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
}
