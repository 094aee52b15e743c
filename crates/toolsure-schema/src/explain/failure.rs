//! Why a keyword fails: for a reason of its own or through the subschemas it applies.

use crate::dialect::Keyword;

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
    pub(super) fn of(keyword: Keyword) -> Self {
        match keyword {
            Keyword::AnyOf | Keyword::OneOf | Keyword::Not | Keyword::Contains => Self::Own,
            Keyword::DependentRequired | Keyword::Dependencies => Self::Either,
            // `then` and `else` fail, and the others only hold subschemas.
            Keyword::If | Keyword::Defs | Keyword::Definitions | Keyword::ContentSchema => {
                Self::Never
            }
            _ if keyword.is_in_place() || keyword.layout().is_some() => Self::Subschemas,
            _ if keyword.can_reject() => Self::Own,
            _ => Self::Never,
        }
    }
}
