//! Why a keyword fails: for a reason of its own or through the subschemas it applies; and what a
//! finding says if the keyword and the value are enough to know it.

use toolgate_json::Node;

use super::excerpt::{cut, found, show};
use super::kind::FindingKind;
use crate::dialect::Keyword;
use crate::execute::ValueOrName;
use crate::model::{ContentUse, DocumentId, Entry, Form, FormatUse, Model};

/// Why a keyword fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// It never does: it asserts nothing, or another keyword reads it.
    Never,
    /// For a reason of its own, which has a message. The subschemas it applies need not match.
    Own,
    /// Only because a subschema that it applies fails: all of them must match.
    Subschemas,
    /// For either reason.
    Either,
}

impl Failure {
    /// Why a keyword fails, if it does.
    pub(super) const fn of(keyword: Keyword) -> Self {
        match keyword {
            Keyword::Unknown
            | Keyword::OldId
            | Keyword::Id
            | Keyword::Schema
            | Keyword::Anchor
            | Keyword::RecursiveAnchor
            | Keyword::DynamicAnchor
            | Keyword::Vocabulary
            | Keyword::Comment
            | Keyword::Defs
            | Keyword::Definitions
            | Keyword::If
            | Keyword::ContentSchema
            | Keyword::Title
            | Keyword::Description
            | Keyword::Default
            | Keyword::Examples
            | Keyword::Deprecated
            | Keyword::ReadOnly
            | Keyword::WriteOnly => Self::Never,
            Keyword::Type
            | Keyword::Enum
            | Keyword::Const
            | Keyword::MultipleOf
            | Keyword::Maximum
            | Keyword::ExclusiveMaximum
            | Keyword::Minimum
            | Keyword::ExclusiveMinimum
            | Keyword::MaxLength
            | Keyword::MinLength
            | Keyword::Pattern
            | Keyword::MaxItems
            | Keyword::MinItems
            | Keyword::UniqueItems
            | Keyword::Contains
            | Keyword::MaxContains
            | Keyword::MinContains
            | Keyword::MaxProperties
            | Keyword::MinProperties
            | Keyword::Required
            | Keyword::AnyOf
            | Keyword::OneOf
            | Keyword::Not
            | Keyword::Format
            | Keyword::ContentEncoding
            | Keyword::ContentMediaType => Self::Own,
            Keyword::Ref
            | Keyword::RecursiveRef
            | Keyword::DynamicRef
            | Keyword::DependentSchemas
            | Keyword::PrefixItems
            | Keyword::Items
            | Keyword::AdditionalItems
            | Keyword::Properties
            | Keyword::PatternProperties
            | Keyword::AdditionalProperties
            | Keyword::PropertyNames
            | Keyword::AllOf
            | Keyword::Then
            | Keyword::Else
            | Keyword::UnevaluatedItems
            | Keyword::UnevaluatedProperties => Self::Subschemas,
            Keyword::DependentRequired | Keyword::Dependencies => Self::Either,
        }
    }
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
                    Form::Format(FormatUse::Text(format)) => format.name(),
                    Form::Format(FormatUse::Number(format)) => format.name(),
                    _ => return None,
                },
                found: found(at),
            },
            Keyword::ContentEncoding | Keyword::ContentMediaType => Self::Content {
                expected: match entry.form {
                    Form::Content(ContentUse::Base64) => "base64",
                    Form::Content(ContentUse::Json) => "application/json",
                    _ => return None,
                },
                found: found(at),
            },
            // They need more than the keyword and the value.
            Keyword::Enum
            | Keyword::UniqueItems
            | Keyword::Contains
            | Keyword::MinContains
            | Keyword::MaxContains
            | Keyword::Required
            | Keyword::DependentRequired
            | Keyword::Dependencies
            | Keyword::AnyOf
            | Keyword::OneOf
            | Keyword::Not => return None,
            // They fail through the subschemas they apply.
            Keyword::Ref
            | Keyword::RecursiveRef
            | Keyword::DynamicRef
            | Keyword::DependentSchemas
            | Keyword::PrefixItems
            | Keyword::Items
            | Keyword::AdditionalItems
            | Keyword::Properties
            | Keyword::PatternProperties
            | Keyword::AdditionalProperties
            | Keyword::PropertyNames
            | Keyword::AllOf
            | Keyword::If
            | Keyword::Then
            | Keyword::Else
            | Keyword::UnevaluatedItems
            | Keyword::UnevaluatedProperties => return None,
            // They do not fail.
            Keyword::Unknown
            | Keyword::OldId
            | Keyword::Id
            | Keyword::Schema
            | Keyword::Anchor
            | Keyword::RecursiveAnchor
            | Keyword::DynamicAnchor
            | Keyword::Vocabulary
            | Keyword::Comment
            | Keyword::Defs
            | Keyword::Definitions
            | Keyword::ContentSchema
            | Keyword::Title
            | Keyword::Description
            | Keyword::Default
            | Keyword::Examples
            | Keyword::Deprecated
            | Keyword::ReadOnly
            | Keyword::WriteOnly => return None,
        })
    }
}
