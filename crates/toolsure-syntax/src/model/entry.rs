//! One keyword of a subschema, with its value decoded.

use toolsure_json::NodeId;

use super::id::{PatternId, ReferenceId, SubschemaId};
use super::types::TypeSet;
use crate::dialect::Keyword;
use crate::format::{Format, NumberFormat};

/// One keyword of one subschema.
#[derive(Debug)]
#[non_exhaustive]
pub struct Entry {
    /// The keyword, or [`Keyword::Unknown`].
    pub keyword: Keyword,
    /// The member's name in the document.
    pub name: NodeId,
    /// The member's value in the document.
    pub value: NodeId,
    /// The value, decoded.
    pub form: Form,
}

/// A keyword's value, decoded. Literals stay in the document, at [`Entry::value`].
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new form means to it"
)]
pub enum Form {
    /// Asserts nothing here: an annotation, or a keyword that a sibling reads.
    Annotation,
    /// The value itself is the operand: `const`, `enum`, `multipleOf`, `required`.
    Literal,
    /// A numeric bound, inclusive or exclusive.
    Bound {
        /// Whether the number itself is out of bounds.
        exclusive: bool,
    },
    /// A non-negative integer.
    Count(u64),
    /// `uniqueItems`, `$recursiveAnchor`.
    Flag(bool),
    /// `type`.
    Types(TypeSet),
    /// `pattern`.
    Pattern(PatternId),
    /// A `format` that asserts.
    Format(FormatUse),
    /// `contentEncoding` or `contentMediaType` that asserts (draft 7).
    Content(ContentUse),
    /// A subschema.
    One(SubschemaId),
    /// An array of subschemas.
    List(Box<[SubschemaId]>),
    /// Subschemas by name; the name is the key node.
    Map(Box<[(NodeId, SubschemaId)]>),
    /// Subschemas by pattern; the key node and its pattern.
    Patterns(Box<[(NodeId, PatternId, SubschemaId)]>),
    /// `dependencies`: by name, either a subschema or an array of names.
    Dependencies(Box<[(NodeId, Dependency)]>),
    /// `$ref`, `$dynamicRef`, `$recursiveRef`.
    Reference(ReferenceId),
}

impl Form {
    /// Whether it has subschemas, or refers to one.
    ///
    /// ```
    /// use toolsure_syntax::model::Form;
    ///
    /// assert!(!Form::Count(3).has_subschemas());
    /// assert!(Form::List(Box::default()).has_subschemas());
    /// ```
    #[must_use]
    #[inline]
    pub fn has_subschemas(&self) -> bool {
        match self {
            Self::One(_)
            | Self::List(_)
            | Self::Map(_)
            | Self::Patterns(_)
            | Self::Dependencies(_)
            | Self::Reference(_) => true,
            Self::Annotation
            | Self::Literal
            | Self::Bound { .. }
            | Self::Count(_)
            | Self::Flag(_)
            | Self::Types(_)
            | Self::Pattern(_)
            | Self::Format(_)
            | Self::Content(_) => false,
        }
    }
}

/// What a name in `dependencies` or `dependentRequired` requires.
#[derive(Debug, Clone, Copy)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new dependency means to it"
)]
pub enum Dependency {
    /// A subschema that the object must match.
    Schema(SubschemaId),
    /// An array node with the names of members that must exist.
    Names(NodeId),
}

/// A format that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new kind of format means to it"
)]
pub enum FormatUse {
    /// A format of strings.
    Text(Format),
    /// A format of numbers.
    Number(NumberFormat),
}

impl FormatUse {
    /// The value of `format`.
    ///
    /// ```
    /// use toolsure_syntax::format::Format;
    /// use toolsure_syntax::model::FormatUse;
    ///
    /// assert_eq!(FormatUse::Text(Format::Uuid).name(), "uuid");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Text(format) => format.name(),
            Self::Number(format) => format.name(),
        }
    }
}

/// An encoding or a media type that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "every user of a model must decide what a new content means to it"
)]
pub enum ContentUse {
    /// `contentEncoding: base64` (RFC 4648 §4).
    Base64,
    /// `contentMediaType: application/json`.
    Json,
}

impl ContentUse {
    /// The encoding or media type with that name, ignoring case.
    ///
    /// ```
    /// use toolsure_syntax::model::ContentUse;
    ///
    /// assert_eq!(ContentUse::from_name("BASE64"), Some(ContentUse::Base64));
    /// assert_eq!(ContentUse::from_name("text/html"), None);
    /// ```
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let mut known = [Self::Base64, Self::Json].into_iter();
        known.find(|known| name.eq_ignore_ascii_case(known.name()))
    }

    /// Its name, in lower case.
    ///
    /// ```
    /// use toolsure_syntax::model::ContentUse;
    ///
    /// assert_eq!(ContentUse::Json.name(), "application/json");
    /// ```
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Base64 => "base64",
            Self::Json => "application/json",
        }
    }
}

impl Entry {
    /// The entry for a keyword among those of one subschema.
    ///
    /// ```
    /// use toolsure_syntax::model::Entry;
    /// use toolsure_syntax::{Keyword, Parser};
    ///
    /// let model = Parser::default().parse(br#"{"minimum": 1}"#)?;
    /// let entries = model.entries(model.sub(model.root)?)?;
    /// assert!(Entry::find(entries, Keyword::Minimum).is_some());
    /// assert!(Entry::find(entries, Keyword::Maximum).is_none());
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn find(entries: &[Self], keyword: Keyword) -> Option<&Self> {
        entries.iter().find(|entry| entry.keyword == keyword)
    }

    /// The reference, if the keyword is one.
    ///
    /// ```
    /// use toolsure_syntax::{Keyword, Parser};
    ///
    /// let model = Parser::default().parse(br##"{"$ref": "#/$defs/a", "$defs": {"a": true}}"##)?;
    /// let root = model.sub(model.root)?;
    /// let reference = model.entry(root, Keyword::Ref)?.and_then(|entry| entry.reference());
    /// assert!(reference.is_some());
    /// # Ok::<(), toolsure_syntax::CompileError>(())
    /// ```
    #[must_use]
    pub fn reference(&self) -> Option<ReferenceId> {
        match self.form {
            Form::Reference(id) => Some(id),
            _ => None,
        }
    }
}
