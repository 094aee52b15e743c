//! The kinds of errors in an instance: one for each way a keyword fails, with its message. A
//! message is one line, in lower case, without a full stop; foreign text is quoted by `quote` and
//! truncated.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};

use toolsure_json::{Node, quote};

use super::excerpt::{cut, found, show};
use super::text::{
    Alternatives, Branches, Count, FoundValue, SHOWN, write_closest, write_found, write_members,
    write_missing, write_name, write_none, write_tag,
};
use crate::dialect::Keyword;
use crate::execute::ValueOrName;
use crate::model::{DocumentId, Entry, Form, Model};

/// Why a keyword does not hold, with what it expected and what it found.
///
/// Strings from the schema or the instance are truncated to a few dozen characters; values are JSON
/// text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FindingKind {
    /// `type`: the value has another type.
    Type {
        /// The names of the allowed types.
        expected: Cow<'static, [&'static str]>,
        /// The value.
        found: FoundValue,
    },
    /// `const`: the value is a different one.
    Const {
        /// The one allowed value.
        expected: String,
        /// The value.
        found: FoundValue,
    },
    /// `enum`: the value is not a member.
    Enum {
        /// The first members.
        expected: Vec<String>,
        /// How many members there are beyond these.
        more: usize,
        /// The member that was probably meant.
        closest: Option<String>,
        /// The value.
        found: FoundValue,
    },
    /// `minimum`, `exclusiveMinimum`: the number is too small.
    Minimum {
        /// The bound.
        limit: String,
        /// Whether the bound itself is excluded.
        exclusive: bool,
        /// The value.
        found: FoundValue,
    },
    /// `maximum`, `exclusiveMaximum`: the number is too large.
    Maximum {
        /// The bound.
        limit: String,
        /// Whether the bound itself is excluded.
        exclusive: bool,
        /// The value.
        found: FoundValue,
    },
    /// `multipleOf`: the number is not a multiple.
    MultipleOf {
        /// The divisor.
        divisor: String,
        /// The value.
        found: FoundValue,
    },
    /// `minLength`: the string has too few characters.
    MinLength {
        /// The minimum number of characters.
        least: u64,
        /// The count found.
        count: usize,
        /// The value.
        found: FoundValue,
    },
    /// `maxLength`: the string has too many characters.
    MaxLength {
        /// The maximum number of characters.
        most: u64,
        /// The count found.
        count: usize,
        /// The value.
        found: FoundValue,
    },
    /// `pattern`: the regular expression matches nowhere.
    Pattern {
        /// The regular expression.
        pattern: String,
        /// The value.
        found: FoundValue,
    },
    /// `format`: the value does not have the format.
    Format {
        /// The format's name.
        format: &'static str,
        /// The value.
        found: FoundValue,
    },
    /// `contentEncoding`, `contentMediaType`, if they assert.
    Content {
        /// The encoding or media type.
        expected: &'static str,
        /// The value.
        found: FoundValue,
    },
    /// `minItems`: the array is too short.
    MinItems {
        /// The minimum number of items.
        least: u64,
        /// The count found.
        count: usize,
    },
    /// `maxItems`: the array is too long.
    MaxItems {
        /// The maximum number of items.
        most: u64,
        /// The count found.
        count: usize,
    },
    /// `uniqueItems`: two items are equal.
    UniqueItems {
        /// The index of the first of them.
        first: usize,
        /// The index of the second.
        second: usize,
    },
    /// `contains`: no item matches.
    Contains,
    /// `minContains`: too few items match `contains`.
    MinContains {
        /// The minimum number of matching items.
        least: u64,
        /// The count found.
        count: usize,
    },
    /// `maxContains`: too many items match `contains`.
    MaxContains {
        /// The maximum number of matching items.
        most: u64,
    },
    /// `minProperties`: the object has too few members.
    MinProperties {
        /// The minimum number of members.
        least: u64,
        /// The count found.
        count: usize,
    },
    /// `maxProperties`: the object has too many members.
    MaxProperties {
        /// The maximum number of members.
        most: u64,
        /// The count found.
        count: usize,
    },
    /// `required`: members are missing.
    Required {
        /// The first missing names.
        missing: Vec<String>,
        /// How many names are missing beyond these.
        more: usize,
    },
    /// `dependentRequired`, `dependencies`: members that another one needs are missing.
    DependentRequired {
        /// The member that needs them.
        present: String,
        /// The first missing names.
        missing: Vec<String>,
        /// How many names are missing beyond these.
        more: usize,
    },
    /// `additionalProperties` or `unevaluatedProperties` allows no such member.
    UnexpectedProperty {
        /// The member's name.
        name: String,
        /// The declared name that was probably meant.
        closest: Option<String>,
    },
    /// `properties` or `patternProperties` forbids the member.
    ForbiddenProperty {
        /// The member's name.
        name: String,
    },
    /// `items`, `additionalItems`, `unevaluatedItems` allow no such item.
    UnexpectedItem {
        /// The item's index.
        index: usize,
    },
    /// `propertyNames` allows no name at all.
    ForbiddenName,
    /// `anyOf`: no branch matches.
    AnyOf(Branches),
    /// `oneOf`: no branch matches.
    OneOf(Branches),
    /// `oneOf`: more than one branch matches.
    OneOfMany {
        /// The indexes of the first two branches that match.
        matched: [usize; 2],
    },
    /// `not`: the value matches the subschema.
    Not {
        /// The value.
        found: FoundValue,
    },
    /// A `false` schema, which nothing matches.
    Never {
        /// The value.
        found: FoundValue,
    },
}

impl FindingKind {
    /// Describes a failing keyword from the keyword and the value alone; `None` for keywords that
    /// need more.
    pub(super) fn of_value<'i, N: Node<'i>>(
        model: &Model,
        doc: DocumentId,
        entry: &Entry,
        at: ValueOrName<'i, N>,
    ) -> Option<Self> {
        let literal = || match entry.form {
            Form::Literal | Form::Bound { .. } => model.view(doc, entry.value).map(show),
            _ => None,
        };
        let limit = || match entry.form {
            Form::Count(limit) => Some(limit),
            _ => None,
        };
        let exclusive = || match entry.form {
            Form::Bound { exclusive } => Some(exclusive),
            _ => None,
        };
        let count = at.len();
        Some(match entry.keyword {
            Keyword::Type => Self::Type {
                expected: match entry.form {
                    Form::Types(types) => types.names(),
                    _ => return None,
                },
                found: found(at),
            },
            Keyword::Const => Self::Const {
                expected: literal()?,
                found: found(at),
            },
            Keyword::MultipleOf => Self::MultipleOf {
                divisor: literal()?,
                found: found(at),
            },
            Keyword::Minimum | Keyword::ExclusiveMinimum => Self::Minimum {
                limit: literal()?,
                exclusive: exclusive()?,
                found: found(at),
            },
            Keyword::Maximum | Keyword::ExclusiveMaximum => Self::Maximum {
                limit: literal()?,
                exclusive: exclusive()?,
                found: found(at),
            },
            Keyword::MinLength => Self::MinLength {
                least: limit()?,
                count: at.string().chars().count(),
                found: found(at),
            },
            Keyword::MaxLength => Self::MaxLength {
                most: limit()?,
                count: at.string().chars().count(),
                found: found(at),
            },
            Keyword::MinItems => Self::MinItems {
                least: limit()?,
                count,
            },
            Keyword::MaxItems => Self::MaxItems {
                most: limit()?,
                count,
            },
            Keyword::MinProperties => Self::MinProperties {
                least: limit()?,
                count,
            },
            Keyword::MaxProperties => Self::MaxProperties {
                most: limit()?,
                count,
            },
            Keyword::Pattern => Self::Pattern {
                pattern: match entry.form {
                    Form::Pattern(pattern) => cut(model.patterns.get(pattern.index())?.as_str()),
                    _ => return None,
                },
                found: found(at),
            },
            Keyword::Format => Self::Format {
                format: match entry.form {
                    Form::Format(format) => format.name(),
                    _ => return None,
                },
                found: found(at),
            },
            Keyword::ContentEncoding | Keyword::ContentMediaType => Self::Content {
                expected: match entry.form {
                    Form::Content(content) => content.name(),
                    _ => return None,
                },
                found: found(at),
            },
            // The others need more than that, fail through the subschemas they apply, or do not fail.
            // An assertion that is missing here makes its reports incomplete, which tests find.
            _ => return None,
        })
    }
}

impl Display for FindingKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { expected, found } => {
                f.write_str("expected ")?;
                Alternatives(expected).fmt(f)?;
                write_found(found, f)
            }
            Self::Const { expected, found } => {
                write!(f, "must be {}, found {found}", quote(expected, SHOWN))
            }
            Self::Enum {
                expected,
                more,
                closest,
                found,
            } => {
                if expected.is_empty() {
                    return write!(f, "expected nothing, found {found}");
                }
                f.write_str("must be ")?;
                write_members(expected, *more, f)?;
                write_found(found, f)?;
                write_closest(closest.as_deref(), f)
            }
            Self::Minimum {
                limit,
                exclusive,
                found,
            } => {
                let word = if *exclusive { "above" } else { "at least" };
                write!(f, "expected {word} {}, found {found}", quote(limit, SHOWN))
            }
            Self::Maximum {
                limit,
                exclusive,
                found,
            } => {
                let word = if *exclusive { "below" } else { "at most" };
                write!(f, "expected {word} {}, found {found}", quote(limit, SHOWN))
            }
            Self::MultipleOf { divisor, found } => write!(
                f,
                "expected a multiple of {}, found {found}",
                quote(divisor, SHOWN)
            ),
            Self::MinLength {
                least,
                count,
                found,
            } => write!(
                f,
                "expected at least {}, found {count} in {found}",
                Count(*least, "character", "characters")
            ),
            Self::MaxLength { most, count, found } => write!(
                f,
                "expected at most {}, found {count} in {found}",
                Count(*most, "character", "characters")
            ),
            Self::Pattern { pattern, found } => write!(
                f,
                "expected a match of pattern `{}`, found {found}",
                quote(pattern, SHOWN)
            ),
            Self::Format { format, found } => {
                write!(f, "expected format {format}, found {found}")
            }
            Self::Content { expected, found } => {
                write!(f, "expected {expected} content, found {found}")
            }
            Self::MinItems { least, count } => write!(
                f,
                "expected at least {}, found {count}",
                Count(*least, "item", "items")
            ),
            Self::MaxItems { most, count } => write!(
                f,
                "expected at most {}, found {count}",
                Count(*most, "item", "items")
            ),
            Self::UniqueItems { first, second } => {
                write!(
                    f,
                    "expected distinct items, found items {first} and {second} equal"
                )
            }
            Self::Contains => f.write_str("expected an item that matches `contains`, found none"),
            Self::MinContains { least, count } => write!(
                f,
                "expected at least {} matching `contains`, found {count}",
                Count(*least, "item", "items")
            ),
            Self::MaxContains { most } => write!(
                f,
                "expected at most {} matching `contains`, found more",
                Count(*most, "item", "items")
            ),
            Self::MinProperties { least, count } => write!(
                f,
                "expected at least {}, found {count}",
                Count(*least, "property", "properties")
            ),
            Self::MaxProperties { most, count } => write!(
                f,
                "expected at most {}, found {count}",
                Count(*most, "property", "properties")
            ),
            Self::Required { missing, more } => write_missing(missing, *more, f),
            Self::DependentRequired {
                present,
                missing,
                more,
            } => {
                write_missing(missing, *more, f)?;
                write!(f, ", needed beside `{}`", quote(present, SHOWN))
            }
            Self::UnexpectedProperty { name, closest } => {
                f.write_str("unexpected property ")?;
                write_name(name, f)?;
                match closest {
                    Some(name) => write!(f, ", did you mean `{}`?", quote(name, SHOWN)),
                    None => Ok(()),
                }
            }
            Self::ForbiddenProperty { name } => {
                write!(f, "property `{}` is not allowed here", quote(name, SHOWN))
            }
            Self::UnexpectedItem { index } => write!(f, "unexpected item {index}"),
            Self::ForbiddenName => f.write_str("no property name is allowed here"),
            Self::AnyOf(branches) => {
                write_none(branches, f)?;
                write_tag(branches, f)
            }
            Self::OneOf(branches) => {
                write_none(branches, f)?;
                if branches.count > 1 {
                    f.write_str(", expected exactly one")?;
                }
                write_tag(branches, f)
            }
            Self::OneOfMany {
                matched: [first, second],
            } => write!(
                f,
                "expected to match exactly one branch, matches {first} and {second}"
            ),
            Self::Not { found } => write!(f, "found {found}, which `not` forbids"),
            Self::Never { found } => write!(f, "expected nothing, found {found}"),
        }
    }
}
