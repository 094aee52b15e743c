//! What keywords ask of the value itself, each written as the specification says it.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use toolgate_json::{Kind, Node};

use super::frame::is_leaf;
use super::machine::Machine;
use super::value::At;
use super::{Flow, broken};
use crate::dialect::Keyword;
use crate::format::content;
use crate::int::units;
use crate::outline::{
    ContentUse, Dependency, DocId, Entry, Form, FormatUse, Outline, PatternId, Shape, Sub, SubId,
};
use crate::price;

/// What a keyword is asked of.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'i, N> {
    /// The subschema that has the keyword.
    pub(super) sub: Sub,
    pub(super) at: At<'i, N>,
    /// How many items the `contains` beside it matched.
    pub(super) contained: Option<usize>,
}

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// Whether a keyword's own demand holds; those that only apply other
    /// subschemas demand nothing.
    pub(super) fn assert(&mut self, on: Asked<'i, N>, entry: &'o Entry) -> Flow<bool> {
        let at = on.at;
        let kind = at.kind();
        let doc = on.sub.doc;
        // Every form is named, so that one that is forgotten cannot hold of everything.
        let holds = match (&entry.form, entry.keyword) {
            (Form::Types(types), _) => match at {
                At::Value(node) => types.admits(node, kind),
                At::Name { .. } => types.contains(crate::outline::TypeSet::STRING),
            },
            (Form::Literal, Keyword::Const) => return self.equals(doc, entry.value, at),
            (Form::Literal, Keyword::Enum) => return self.is_member(doc, entry, at),
            (Form::Literal, Keyword::MultipleOf) if kind == Kind::Number => {
                let (found, divisor) = (at.number(), self.number(doc, entry)?);
                self.purse.pay(price::division(found, divisor))?;
                found.is_multiple_of(divisor)
            }
            (Form::Bound { exclusive }, keyword) if kind == Kind::Number => {
                let (found, bound) = (at.number(), self.number(doc, entry)?);
                self.purse.pay(price::number(found))?;
                self.purse.pay(price::number(bound))?;
                let order = found.compare(&bound);
                let beyond = match keyword {
                    Keyword::Minimum | Keyword::ExclusiveMinimum => Ordering::Greater,
                    _ => Ordering::Less,
                };
                order == beyond || (order == Ordering::Equal && !exclusive)
            }
            (Form::Count(count), keyword) => return self.count(on, keyword, *count),
            (Form::Flag(true), Keyword::UniqueItems) => match at.array() {
                Some(array) => toolgate_json::first_duplicate(array, &mut self.purse)?.is_none(),
                None => true,
            },
            (Form::Pattern(pattern), _) if kind == Kind::String => {
                return self.matches(*pattern, at.string());
            }
            (Form::Format(FormatUse::Text(format)), _) if kind == Kind::String => {
                self.purse.pay(price::format(*format, at.string()))?;
                format.accepts(at.string())
            }
            (Form::Format(FormatUse::Number(format)), _) if kind == Kind::Number => {
                self.purse.pay(price::number_format(*format, at.number()))?;
                format.accepts(at.number())
            }
            (Form::Content(content), _) if kind == Kind::String => {
                self.purse.pay(price::content(at.string()))?;
                let encoding = self.outline.entry(on.sub, Keyword::ContentEncoding);
                let encoded = matches!(
                    encoding.map(|entry| &entry.form),
                    Some(Form::Content(ContentUse::Base64))
                );
                match content {
                    ContentUse::Base64 => content::accepts(at.string(), true, false),
                    ContentUse::Json => content::accepts(at.string(), encoded, true),
                }
            }
            (Form::Literal, Keyword::Required) => {
                return self.has_all(doc, entry.value, at);
            }
            (Form::Dependencies(map), _) => {
                let Some(object) = at.object() else {
                    return YES;
                };
                for (name, dependency) in map {
                    if let Dependency::Names(needed) = dependency
                        && self.member(object, self.text(doc, *name))?.is_some()
                        && !self.has_all(doc, *needed, at)?
                    {
                        return NO;
                    }
                }
                true
            }
            // About values of another type, or about no value of its own.
            (Form::Literal, Keyword::MultipleOf)
            | (
                Form::Bound { .. }
                | Form::Flag(_)
                | Form::Pattern(_)
                | Form::Format(_)
                | Form::Content(_)
                | Form::Annotation
                | Form::One(_)
                | Form::List(_)
                | Form::Map(_)
                | Form::Patterns(_)
                | Form::Reference(_),
                _,
            ) => true,
            (Form::Literal, _) => return broken(),
        };
        ControlFlow::Continue(holds)
    }

    /// The verdict of a subschema that looks at the value alone, without a frame;
    /// nothing if it looks further.
    pub(super) fn leaf(&mut self, id: SubId, at: At<'i, N>) -> Flow<Option<bool>> {
        let outline: &'o Outline = self.outline;
        let sub = outline.sub(id);
        let entries = match sub.shape {
            Shape::Always(valid) => return ControlFlow::Continue(Some(valid)),
            Shape::Entries { .. } => outline.entries(sub),
        };
        if !is_leaf(entries) {
            return ControlFlow::Continue(None);
        }
        self.purse.pay(1)?;
        let on = Asked {
            sub,
            at,
            contained: None,
        };
        for entry in entries {
            if !matches!(entry.form, Form::Annotation) && !self.assert(on, entry)? {
                return ControlFlow::Continue(Some(false));
            }
        }
        ControlFlow::Continue(Some(true))
    }

    fn count(&mut self, on: Asked<'i, N>, keyword: Keyword, count: u64) -> Flow<bool> {
        let at = on.at;
        let found = match (keyword, at.kind()) {
            (Keyword::MinLength | Keyword::MaxLength, Kind::String) => {
                self.purse.pay_text(at.string())?;
                at.string().chars().count()
            }
            (Keyword::MinItems | Keyword::MaxItems, Kind::Array)
            | (Keyword::MinProperties | Keyword::MaxProperties, Kind::Object) => at.len(),
            (Keyword::MinContains | Keyword::MaxContains, Kind::Array) => match on.contained {
                Some(contained) => contained,
                None => return YES,
            },
            (
                Keyword::MinLength
                | Keyword::MaxLength
                | Keyword::MinItems
                | Keyword::MaxItems
                | Keyword::MinProperties
                | Keyword::MaxProperties
                | Keyword::MinContains
                | Keyword::MaxContains,
                _,
            ) => return YES,
            _ => return broken(),
        };
        let found = units(found);
        ControlFlow::Continue(match keyword {
            Keyword::MinLength
            | Keyword::MinItems
            | Keyword::MinProperties
            | Keyword::MinContains => found >= count,
            _ => found <= count,
        })
    }

    pub(super) fn equals(
        &mut self,
        doc: DocId,
        literal: toolgate_json::NodeId,
        at: At<'i, N>,
    ) -> Flow<bool> {
        let Some(literal) = self.outline.view(doc, literal) else {
            return broken();
        };
        match at {
            At::Value(node) => toolgate_json::equal(literal, node, &mut self.purse),
            At::Name { text, .. } => {
                self.purse.pay_text(text)?;
                ControlFlow::Continue(literal.kind() == Kind::String && literal.string() == text)
            }
        }
    }

    pub(super) fn is_member(&mut self, doc: DocId, entry: &'o Entry, at: At<'i, N>) -> Flow<bool> {
        if at.kind() == Kind::String {
            self.purse.pay_text(at.string())?;
            let names = self.names(doc, entry)?;
            return ControlFlow::Continue(names.place(at.string()).is_some());
        }
        let Some(members) = self.outline.view(doc, entry.value) else {
            return broken();
        };
        for member in members.items() {
            if member.kind() == at.kind() && self.equals(doc, member.id(), at)? {
                return YES;
            }
        }
        self.purse.pay(units(members.len() / 8))?;
        NO
    }

    fn has_all(&mut self, doc: DocId, names: toolgate_json::NodeId, at: At<'i, N>) -> Flow<bool> {
        let Some(object) = at.object() else {
            return YES;
        };
        let Some(names) = self.outline.view(doc, names) else {
            return broken();
        };
        for name in names.items() {
            if self.member(object, name.string())?.is_none() {
                return NO;
            }
        }
        YES
    }

    /// Whether a pattern matches somewhere in a text.
    pub(super) fn matches(&mut self, pattern: PatternId, text: &str) -> Flow<bool> {
        let Some(pattern) = self.outline.patterns.get(pattern.index()) else {
            return broken();
        };
        match pattern.matches(text, &mut self.purse.left) {
            Some(matched) => ControlFlow::Continue(matched),
            None => ControlFlow::Break(self.purse.run_dry()),
        }
    }

    fn number(&self, doc: DocId, entry: &Entry) -> Flow<toolgate_json::Number<'o>> {
        let outline: &'o Outline = self.outline;
        match outline.view(doc, entry.value) {
            Some(view) => ControlFlow::Continue(view.number()),
            None => broken(),
        }
    }
}

const YES: Flow<bool> = ControlFlow::Continue(true);
const NO: Flow<bool> = ControlFlow::Continue(false);
