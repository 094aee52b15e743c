//! Lowers keywords that inspect one value and none of its children.

use toolsure_json::{Kind, Node as _, Number, Unmetered, View};

use super::builder::NodeBuilder;
use super::collection::length;
use super::lowering::Lowering;
use crate::dialect::Keyword;
use crate::error::CompileError;
use crate::int::{to_u32, to_usize};
use crate::model::{ContentUse, Entry, Form, FormatUse, Subschema, SubschemaId, TypeSet};
use crate::plan::{EnumPlan, Leaf, Length, Literal, NumberLiteral, Slots};
use crate::price;

impl Lowering<'_> {
    /// Adds the operation of a keyword that inspects the value alone. Returns whether it is such a
    /// keyword.
    pub(super) fn leaf(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        entry: &Entry,
        builder: &mut NodeBuilder,
    ) -> Result<bool, CompileError> {
        match (&entry.form, entry.keyword) {
            (Form::Types(types), _) => builder.require_types(*types),
            (Form::Literal, Keyword::Const) => {
                let literal = self.literal(sub, entry);
                let Some(view) = self.plan.literal(literal) else {
                    return Err(self.internal_error(id));
                };
                if !self.plain {
                    builder.require_types(types_of(view));
                }
                if self.plain || !matches!(view.kind(), Kind::Null) {
                    let index = to_u32(self.plan.literals.len());
                    self.plan.literals.push(literal);
                    builder.leaf(Leaf::Const(index));
                }
            }
            (Form::Literal, Keyword::Enum) => self.enumeration(id, sub, entry, builder)?,
            (Form::Literal, Keyword::MultipleOf) => {
                let number = self.number(sub, entry);
                builder.leaf(Leaf::MultipleOf(number));
            }
            (Form::Bound { exclusive }, Keyword::Minimum | Keyword::ExclusiveMinimum) => {
                let number = self.number(sub, entry);
                builder.leaf(Leaf::Minimum {
                    number,
                    exclusive: *exclusive,
                });
            }
            (Form::Bound { exclusive }, Keyword::Maximum | Keyword::ExclusiveMaximum) => {
                let number = self.number(sub, entry);
                builder.leaf(Leaf::Maximum {
                    number,
                    exclusive: *exclusive,
                });
            }
            // Every string is at least this long.
            (Form::Count(0), Keyword::MinLength) => {}
            (Form::Count(count), Keyword::MinLength) => {
                builder.leaf(Leaf::MinLength(Length::new(*count)));
            }
            (Form::Count(count), Keyword::MaxLength) => {
                builder.leaf(Leaf::MaxLength(Length::new(*count)));
            }
            (Form::Pattern(pattern), _) => builder.leaf(Leaf::Pattern(*pattern)),
            (Form::Format(FormatUse::Text(format)), _) => {
                builder.leaf(Leaf::Format(*format));
            }
            (Form::Content(content), keyword) => {
                // One operation for both keywords, added for the encoding if there is one.
                let beside = self.model.entries(sub)?;
                let sibling = |keyword| match Entry::find(beside, keyword) {
                    Some(Entry {
                        form: Form::Content(content),
                        ..
                    }) => Some(*content),
                    _ => None,
                };
                let base64 = sibling(Keyword::ContentEncoding) == Some(ContentUse::Base64);
                let json = sibling(Keyword::ContentMediaType) == Some(ContentUse::Json);
                if self.plain {
                    let json = *content == ContentUse::Json;
                    let base64 = base64 || !json;
                    builder.leaf(Leaf::Content { base64, json });
                    return Ok(true);
                }
                let first = keyword == Keyword::ContentEncoding || !base64;
                if first
                    && *content
                        == (if base64 {
                            ContentUse::Base64
                        } else {
                            ContentUse::Json
                        })
                {
                    builder.leaf(Leaf::Content { base64, json });
                }
            }
            (Form::Format(FormatUse::Number(format)), _) => {
                builder.leaf(Leaf::NumberFormat(*format));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn number(&mut self, sub: Subschema, entry: &Entry) -> u32 {
        let literal = self.literal(sub, entry);
        let integer = self
            .plan
            .literal(literal)
            .and_then(|view| view.number().as_i64());
        let index = to_u32(self.plan.numbers.len());
        let number = integer.map_or(NumberLiteral::Other(literal), NumberLiteral::Integer);
        self.plan.numbers.push(number);
        index
    }

    /// Sorts the members of an `enum` by type.
    fn enumeration(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        entry: &Entry,
        builder: &mut NodeBuilder,
    ) -> Result<(), CompileError> {
        let doc = to_u32(sub.doc.index());
        self.table_rows += self
            .model
            .view(sub.doc, entry.value)
            .map_or(0, |view| view.len());
        let Some(text) = self.plan.docs.get(to_usize(doc)).cloned() else {
            return Err(self.internal_error(id));
        };
        let mut members = EnumPlan::default();
        let text = text.document().view(entry.value);
        let mut strings = Slots::with_room(text.len(), text.items().map(length).sum());
        let mut integers = Vec::new();
        let mut numbers: Vec<(Number<'_>, Literal)> = Vec::new();
        let mut compound = Vec::new();
        let mut types = TypeSet::NONE;
        for view in text.items() {
            types = types.union(types_of(view));
            let literal = Literal {
                doc,
                node: view.id(),
            };
            match view.kind() {
                Kind::Null => members.null = true,
                Kind::Boolean if view.boolean() => members.yes = true,
                Kind::Boolean => members.no = true,
                Kind::String => {
                    strings.slot(view.string(), |_| ());
                }
                Kind::Number => match view.number().as_i64() {
                    Some(integer) => integers.push(integer),
                    None => numbers.push((view.number(), literal)),
                },
                Kind::Array | Kind::Object => {
                    members.most_values = members.most_values.max(values(view));
                    compound.push((hash(view), literal));
                }
            }
        }
        integers.sort_unstable();
        integers.dedup();
        numbers.sort_by(|(a, _), (b, _)| a.compare(b));
        compound.sort_by_key(|(hash, _)| *hash);
        members.strings = strings.finish();
        members.integers = integers.into();
        let longest = numbers
            .iter()
            .filter_map(|(_, literal)| self.plan.literal(*literal));
        let longest = longest.map(|view| view.raw().len()).max().unwrap_or(0);
        members.number_price = price::search(numbers.len(), longest);
        members.numbers = numbers.into_iter().map(|(_, literal)| literal).collect();
        members.compound = compound.into();
        if !self.plain {
            builder.require_types(types);
        }
        let scalars = TypeSet::NULL.union(TypeSet::BOOLEAN);
        let both = !types.contains(TypeSet::BOOLEAN) || (members.yes && members.no);
        if self.plain || !(scalars.contains(types) && both) {
            let index = to_u32(self.plan.enums.len());
            self.plan.enums.push(members);
            builder.leaf(Leaf::Enum(index));
        }
        Ok(())
    }
}

/// The types equal to a literal's; a number has both number types, because `1` equals `1.0`.
fn types_of(view: View<'_>) -> TypeSet {
    match view.kind() {
        Kind::Null => TypeSet::NULL,
        Kind::Boolean => TypeSet::BOOLEAN,
        Kind::Number => TypeSet::NUMBER,
        Kind::String => TypeSet::STRING,
        Kind::Array => TypeSet::ARRAY,
        Kind::Object => TypeSet::OBJECT,
    }
}

/// The hash of a literal. It is not metered, because the schema's size bounds it.
fn hash(view: View<'_>) -> u64 {
    match toolsure_json::hash_value(view, &mut Unmetered) {
        std::ops::ControlFlow::Continue(hash) => hash,
        std::ops::ControlFlow::Break(never) => match never {},
    }
}

/// The number of values in a literal, not metered either.
fn values(view: View<'_>) -> usize {
    match toolsure_json::count_values(view, usize::MAX, &mut Unmetered) {
        std::ops::ControlFlow::Continue(count) => count,
        std::ops::ControlFlow::Break(never) => match never {},
    }
}
