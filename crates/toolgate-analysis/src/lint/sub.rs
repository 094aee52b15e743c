//! A subschema as the rules see it: its location and its keywords.

use toolgate_json::{Key as _, Kind, Node as _, View};
use toolgate_syntax::{Dialect, Keyword};

/// One of a tool's schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
}

impl Side {
    pub(super) fn member(self) -> &'static str {
        match self {
            Self::Input => "inputSchema",
            Self::Output => "outputSchema",
        }
    }
}

/// A subschema and its location.
pub(super) struct Sub<'a> {
    pub(super) view: View<'a>,
    pub(super) side: Side,
    pub(super) dialect: Dialect,
    /// The index of the parent schema; `None` for a root.
    pub(super) parent: Option<usize>,
    /// The keyword that contains it; empty for a root.
    pub(super) keyword: &'static str,
    /// Its name or index under the keyword.
    pub(super) step: Step<'a>,
    pub(super) depth: usize,
    /// One bit for each of its members' names, see [`bit`].
    pub(super) names: u64,
}

/// A token of a JSON Pointer.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

impl<'a> Sub<'a> {
    /// The keyword's value.
    #[inline]
    pub(super) fn get(&self, keyword: &str) -> Option<View<'a>> {
        // Most subschemas do not have the keyword.
        if self.names & bit(keyword) == 0 {
            return None;
        }
        self.view.member(keyword)
    }

    #[inline]
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.get(keyword).is_some()
    }

    /// The keyword's value, if it is a string.
    pub(super) fn text(&self, keyword: &str) -> Option<&'a str> {
        let value = self.get(keyword)?;
        (value.kind() == Kind::String).then(|| value.string())
    }

    pub(super) fn is_root(&self) -> bool {
        self.parent.is_none()
    }

    /// Its name, if it describes a property.
    pub(super) fn property(&self) -> Option<&'a str> {
        match self.step {
            Step::Name(name) if self.keyword == "properties" => Some(name),
            _ => None,
        }
    }

    /// Whether it applies to the same value as its parent schema.
    pub(super) fn in_place(&self) -> bool {
        Keyword::from_name(self.keyword).is_some_and(Keyword::is_in_place)
    }

    /// The declared types; empty if there is no (well-formed) `type`.
    pub(super) fn types(&self) -> Vec<&'a str> {
        match self.get("type") {
            Some(one) if one.kind() == Kind::String => vec![one.string()],
            Some(many) => many.items().map(|one| one.string()).collect(),
            None => Vec::new(),
        }
    }

    /// Whether this is a declared type.
    pub(super) fn has_type(&self, name: &str) -> bool {
        self.get("type").is_some_and(|value| match value.kind() {
            Kind::String => value.string() == name,
            _ => value.items().any(|one| one.string() == name),
        })
    }

    /// Whether this is the only declared type.
    pub(super) fn is(&self, name: &str) -> bool {
        self.text("type") == Some(name)
    }
}

/// The bits of an object's names.
pub(super) fn names(view: View<'_>) -> u64 {
    view.members()
        .fold(0, |bits, (key, _)| bits | bit(key.text()))
}

/// One of 64 bits for a name, chosen by its length and its ends, so that it is free for a constant.
#[inline]
fn bit(name: &str) -> u64 {
    let end = |byte: Option<&u8>| u32::from(byte.copied().unwrap_or_default());
    let length = u32::try_from(name.len()).unwrap_or(u32::MAX);
    let bytes = name.as_bytes();
    let mixed = length
        .wrapping_add(end(bytes.first()).wrapping_mul(7))
        .wrapping_add(end(bytes.last()).wrapping_mul(13));
    1_u64.rotate_left(mixed)
}
