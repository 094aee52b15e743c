//! The keywords with which a schema resource declares its dialect and its id.

use toolsure_json::{Kind, Node as _, View};

use super::{Dialect, Keyword};

/// The value of `$schema`, where it declares a dialect: at the root of a document or of a resource
/// in it.
pub(crate) fn declared_dialect(schema: View<'_>, is_root: bool) -> Option<View<'_>> {
    let has = |keyword: Keyword| schema.member(keyword.name()).is_some();
    let declared = schema.member(Keyword::Schema.name());
    let declared = declared.filter(|uri| uri.kind() == Kind::String)?;
    (is_root || has(Keyword::Id) || has(Keyword::OldId)).then_some(declared)
}

impl Dialect {
    /// The dialect of a schema in another of the dialect `outer`, or of a document's root, for which
    /// `outer` is the default: the one that its `$schema` declares, which counts at the root of a
    /// document or of a resource. `None` if that is not one of the five.
    ///
    /// ```
    /// use toolsure_json::{OwnedDocument, ReadLimits};
    /// use toolsure_syntax::Dialect;
    ///
    /// let text = r#"{"$schema": "http://json-schema.org/draft-07/schema#"}"#;
    /// let document = OwnedDocument::read(text, &ReadLimits::default())?;
    /// let schema = document.document().root();
    /// let of = |is_root| Dialect::of_schema(schema, is_root, Dialect::Draft202012);
    /// assert_eq!(of(true), Some(Dialect::Draft7));
    /// assert_eq!(of(false), Some(Dialect::Draft202012));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn of_schema(schema: View<'_>, is_root: bool, outer: Self) -> Option<Self> {
        match declared_dialect(schema, is_root) {
            None => Some(outer),
            Some(uri) => Self::from_uri(uri.string()),
        }
    }

    /// The keyword that identifies a schema resource: `id` in draft 4, `$id` later.
    ///
    /// ```
    /// use toolsure_syntax::{Dialect, Keyword};
    ///
    /// assert_eq!(Dialect::Draft4.id_keyword(), Keyword::OldId);
    /// assert_eq!(Dialect::Draft6.id_keyword(), Keyword::Id);
    /// ```
    #[must_use]
    pub fn id_keyword(self) -> Keyword {
        match self {
            Self::Draft4 => Keyword::OldId,
            _ => Keyword::Id,
        }
    }
}
