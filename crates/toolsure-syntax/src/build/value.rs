//! Decodes each keyword's value, and checks that it has the shape that the dialect's metaschema
//! allows.

use foldhash::{HashSet, HashSetExt as _};
use toolsure_json::{Kind, Node as _, View};

use super::ModelBuilder;
use super::reader::Reader;
use crate::closest::closest;
use crate::dialect::{Dialect, Keyword};
use crate::error::CompileError;
use crate::format::{Format, NumberFormat};
use crate::limits::LimitName;
use crate::model::{ContentUse, Dependency, Form, FormatUse, Subschema, TypeSet};
use crate::options::{Content, Strictness, Warning};

/// The result of checking a value's shape: the decoded form, or `None` if the keyword is left out
/// (lenient mode only).
pub(super) type Checked = Result<Option<Form>, CompileError>;

impl ModelBuilder<'_> {
    /// Decodes one keyword.
    pub(super) fn form(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        match r.keyword {
            Keyword::Unknown => {
                self.check_unknown(r, value);
                Ok(Some(Form::Annotation))
            }
            Keyword::Default => Ok(Some(Form::Annotation)),
            Keyword::Const => Ok(Some(Form::Literal)),
            Keyword::OldId | Keyword::Id => self.id(r, value),
            Keyword::Schema | Keyword::Comment | Keyword::Title | Keyword::Description => {
                self.text(r, value, "a string")
            }
            Keyword::ContentEncoding | Keyword::ContentMediaType => self.content(r, value),
            Keyword::Anchor | Keyword::DynamicAnchor => self.anchor(r, value),
            Keyword::Ref | Keyword::DynamicRef | Keyword::RecursiveRef => self.reference(r, value),
            Keyword::RecursiveAnchor
            | Keyword::Deprecated
            | Keyword::ReadOnly
            | Keyword::WriteOnly => match value.kind() {
                Kind::Boolean => Ok(Some(Form::Annotation)),
                _ => self.wrong(r, value, "a boolean"),
            },
            Keyword::UniqueItems => match value.kind() {
                Kind::Boolean => Ok(Some(Form::Flag(value.boolean()))),
                _ => self.wrong(r, value, "a boolean"),
            },
            Keyword::Vocabulary => match value.kind() {
                Kind::Object => Ok(Some(Form::Annotation)),
                _ => self.wrong(r, value, "an object of booleans"),
            },
            Keyword::Examples => match value.kind() {
                Kind::Array => Ok(Some(Form::Annotation)),
                _ => self.wrong(r, value, "an array"),
            },
            Keyword::Type => self.types(r, value),
            Keyword::Enum => self.members(r, value),
            Keyword::MultipleOf => {
                let zero = toolsure_json::Number::from_i64(0);
                if value.kind() == Kind::Number && value.number().compare(&zero).is_gt() {
                    Ok(Some(Form::Literal))
                } else {
                    self.wrong(r, value, "a number above 0")
                }
            }
            Keyword::Maximum | Keyword::Minimum => self.bound(r, value),
            Keyword::ExclusiveMaximum | Keyword::ExclusiveMinimum => self.exclusive(r, value),
            Keyword::MaxLength
            | Keyword::MinLength
            | Keyword::MaxItems
            | Keyword::MinItems
            | Keyword::MaxContains
            | Keyword::MinContains
            | Keyword::MaxProperties
            | Keyword::MinProperties => self.count(r, value),
            Keyword::Pattern => {
                if value.kind() == Kind::String {
                    let pattern = self.known_pattern(r, value, value.string())?;
                    Ok(pattern.map(Form::Pattern))
                } else {
                    self.wrong(r, value, "a regular expression in a string")
                }
            }
            Keyword::Format => self.format(r, value),
            Keyword::Required => self.required(r, value),
            Keyword::DependentRequired | Keyword::Dependencies => self.dependencies(r, value),
            Keyword::Defs
            | Keyword::Definitions
            | Keyword::Properties
            | Keyword::DependentSchemas => self.map(r, value),
            Keyword::PatternProperties => self.patterns(r, value),
            Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf | Keyword::PrefixItems => {
                self.list(r, value)
            }
            Keyword::Items if value.kind() == Kind::Array && self.has_tuples(r) => {
                self.list(r, value)
            }
            Keyword::Items
            | Keyword::AdditionalItems
            | Keyword::UnevaluatedItems
            | Keyword::Contains
            | Keyword::AdditionalProperties
            | Keyword::PropertyNames
            | Keyword::UnevaluatedProperties
            | Keyword::Not
            | Keyword::If
            | Keyword::Then
            | Keyword::Else
            | Keyword::ContentSchema => self.one(r, value),
        }
    }

    fn has_tuples(&self, r: &Reader<'_>) -> bool {
        r.sub.rules.dialect <= Dialect::Draft201909
    }

    pub(super) fn wrong(&mut self, r: &Reader<'_>, value: View<'_>, expected: &str) -> Checked {
        self.refuse(r.sub, value, r.name, expected, None)?;
        Ok(None)
    }

    /// In lenient mode, warns about a keyword that JSON Schema never had but that authors rely on.
    /// A schema is never refused for it.
    fn check_unknown(&mut self, r: &Reader<'_>, value: View<'_>) {
        if self.options.strictness == Strictness::Lenient
            && r.name == NULLABLE
            && value.kind() == Kind::Boolean
            && value.boolean()
        {
            let error = self.invalid(r.sub, value, r.name, EXPECTED_NULL, None);
            self.warnings.push(Warning::new(error));
        }
    }

    fn text(&mut self, r: &Reader<'_>, value: View<'_>, expected: &str) -> Checked {
        if value.kind() == Kind::String {
            Ok(Some(Form::Annotation))
        } else {
            self.wrong(r, value, expected)
        }
    }

    fn id(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        let fragment = value
            .string()
            .split_once('#')
            .map_or("", |(_, fragment)| fragment);
        if r.sub.rules.dialect >= Dialect::Draft201909 && !fragment.is_empty() {
            return self.wrong(r, value, "a URI reference without fragment");
        }
        self.text(r, value, "a URI reference in a string")
    }

    fn anchor(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        let colon = r.sub.rules.dialect == Dialect::Draft201909;
        let name = value.string();
        let good = name.starts_with(|c: char| c.is_ascii_alphabetic() || (c == '_' && !colon))
            && name.chars().all(|c| {
                c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') || (c == ':' && colon)
            });
        if good {
            Ok(Some(Form::Annotation))
        } else {
            self.wrong(r, value, "a plain name (letters, digits, `-`, `_`, `.`)")
        }
    }

    fn reference(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::String {
            return self.wrong(r, value, "a URI reference in a string");
        }
        self.check_reference_length(r.sub, value)?;
        Ok(Some(Form::Reference(self.add_ref(
            r.id,
            r.keyword,
            value.id(),
        ))))
    }

    pub(super) fn check_reference_length(
        &self,
        sub: Subschema,
        value: View<'_>,
    ) -> Result<(), CompileError> {
        let allowed = self.options.limits.reference_bytes;
        if value.string().len() > allowed {
            let place = self.place(sub.doc, value.id());
            return Err(CompileError::limit_reached(
                LimitName::ReferenceBytes,
                allowed,
                place,
            ));
        }
        Ok(())
    }

    fn types(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        let mut set = TypeSet::NONE;
        let (names, single) = match value.kind() {
            Kind::String => (None, Some(value)),
            Kind::Array => (Some(value.items()), None),
            _ => return self.wrong(r, value, EXPECTED_TYPE),
        };
        for name in names.into_iter().flatten().chain(single) {
            let one = (name.kind() == Kind::String).then(|| TypeSet::from_name(name.string()));
            let Some(one) = one.flatten() else {
                let near = closest(name.string(), TypeSet::NAMES);
                self.refuse(r.sub, name, r.name, EXPECTED_TYPE, near)?;
                return Ok(None);
            };
            let repeated =
                set.contains(one) && !(one == TypeSet::INTEGER && set.contains(TypeSet::NUMBER));
            if repeated {
                self.refuse(r.sub, name, r.name, "an array of distinct types", None)?;
            }
            set = set.union(one);
        }
        if set.is_empty() {
            return self.wrong(r, value, "a type or a non-empty array of types");
        }
        Ok(Some(Form::Types(set.in_dialect(r.sub.rules.dialect))))
    }

    fn members(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::Array {
            return self.wrong(r, value, "an array");
        }
        let allowed = self.options.limits.enum_members;
        if value.len() > allowed {
            let place = self.place(r.sub.doc, value.id());
            return Err(CompileError::limit_reached(
                LimitName::EnumMembers,
                allowed,
                place,
            ));
        }
        // Draft 4 says MUST here, draft 6 only SHOULD.
        if r.sub.rules.dialect == Dialect::Draft4 && value.is_empty() {
            return self.wrong(r, value, "a non-empty array (draft 4)");
        }
        Ok(Some(Form::Literal))
    }

    fn bound(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::Number {
            return self.wrong(r, value, "a number");
        }
        let sibling = match r.keyword {
            Keyword::Maximum => Keyword::ExclusiveMaximum,
            _ => Keyword::ExclusiveMinimum,
        };
        let exclusive = r.sub.rules.dialect == Dialect::Draft4
            && r.view
                .member(sibling.name())
                .is_some_and(|flag| flag.boolean());
        Ok(Some(Form::Bound { exclusive }))
    }

    fn exclusive(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if r.sub.rules.dialect > Dialect::Draft4 {
            return match value.kind() {
                Kind::Number => Ok(Some(Form::Bound { exclusive: true })),
                Kind::Boolean => self.wrong(
                    r,
                    value,
                    "a number (a boolean is draft 4, which this schema does not declare)",
                ),
                _ => self.wrong(r, value, "a number"),
            };
        }
        let partner = match r.keyword {
            Keyword::ExclusiveMaximum => Keyword::Maximum,
            _ => Keyword::Minimum,
        };
        match value.kind() {
            Kind::Boolean if r.view.member(partner.name()).is_some() => Ok(Some(Form::Annotation)),
            Kind::Boolean => self.wrong(r, value, "beside the bound that it makes exclusive"),
            _ => self.wrong(r, value, "a boolean (draft 4)"),
        }
    }

    fn count(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        let number = value.number();
        let negative = number.is_negative();
        if value.kind() != Kind::Number || !number.is_integer() || negative {
            return self.wrong(r, value, "a non-negative integer");
        }
        // A count that does not fit is larger than any real count.
        let count = number.as_i64().and_then(|count| u64::try_from(count).ok());
        Ok(Some(Form::Count(count.unwrap_or(u64::MAX))))
    }

    fn format(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::String {
            return self.wrong(r, value, "a string");
        }
        let name = value.string();
        let dialect = r.sub.rules.dialect;
        let formats = self.options.formats;
        let text = Format::from_name(name)
            .filter(|_| formats.asserts_text() || r.sub.rules.asserts_format)
            .map(|format| FormatUse::Text(format.in_dialect(dialect)));
        let number = || NumberFormat::from_name(name).map(FormatUse::Number);
        let known = text.or_else(|| formats.asserts_numbers().then(number).flatten());
        Ok(Some(known.map_or(Form::Annotation, Form::Format)))
    }

    fn content(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        let asserts =
            self.options.content == Content::Assert && r.sub.rules.dialect == Dialect::Draft7;
        let known = asserts
            .then(|| ContentUse::from_name(value.string()))
            .flatten();
        match (value.kind(), known) {
            (Kind::String, Some(content)) => Ok(Some(Form::Content(content))),
            _ => self.text(r, value, "a string"),
        }
    }

    fn required(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if r.sub.rules.dialect == Dialect::Draft4 && value.kind() == Kind::Array && value.is_empty()
        {
            return self.wrong(r, value, EXPECTED_NAMES_DRAFT_4);
        }
        match self.names(r, value)? {
            true => Ok(Some(Form::Literal)),
            false => Ok(None),
        }
    }

    /// Whether a value is an array of distinct strings.
    fn names(&mut self, r: &Reader<'_>, value: View<'_>) -> Result<bool, CompileError> {
        const EXPECTED: &str = "an array of strings";
        if value.kind() != Kind::Array {
            self.refuse(r.sub, value, r.name, EXPECTED, None)?;
            return Ok(false);
        }
        for name in value.items() {
            if name.kind() != Kind::String {
                self.refuse(r.sub, name, r.name, EXPECTED, None)?;
                return Ok(false);
            }
        }
        if let Some(again) = first_repeated(value) {
            self.refuse(r.sub, again, r.name, "an array of distinct strings", None)?;
        }
        Ok(true)
    }

    fn dependencies(&mut self, r: &Reader<'_>, value: View<'_>) -> Checked {
        if value.kind() != Kind::Object {
            return self.wrong(r, value, "an object");
        }
        let mut found = Vec::with_capacity(value.len());
        for (key, value) in value.members() {
            let dependency =
                if value.kind() == Kind::Array || r.keyword == Keyword::DependentRequired {
                    if r.sub.rules.dialect == Dialect::Draft4 && value.is_empty() {
                        self.refuse(r.sub, value, r.name, EXPECTED_NAMES_DRAFT_4, None)?;
                    }
                    if !self.names(r, value)? {
                        continue;
                    }
                    Dependency::Names(value.id())
                } else {
                    Dependency::Schema(self.child(r, value)?)
                };
            found.push((key.view().id(), dependency));
        }
        Ok(Some(Form::Dependencies(found.into())))
    }
}

/// The first string of an array of strings that repeats an earlier one.
fn first_repeated(names: View<'_>) -> Option<View<'_>> {
    if names.len() <= FEW {
        let before = |at| names.items().take(at);
        let mut places = names.items().enumerate();
        let repeats = |at, name: View<'_>| before(at).any(|one| one.string() == name.string());
        return places.find_map(|(at, name)| repeats(at, name).then_some(name));
    }
    let mut before = HashSet::with_capacity(names.len());
    names.items().find(|name| !before.insert(name.string()))
}

/// OpenAPI 3.0's keyword for values that may be null.
const NULLABLE: &str = "nullable";
const EXPECTED_NULL: &str = "`null` among the types, since JSON Schema has no such keyword";
/// Arrays of up to this many names are compared pair by pair.
const FEW: usize = 8;
const EXPECTED_NAMES_DRAFT_4: &str = "a non-empty array of strings (draft 4)";
const EXPECTED_TYPE: &str =
    "one of array, boolean, integer, null, number, object and string, or an array of them";
