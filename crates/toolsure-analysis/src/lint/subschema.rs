//! A subschema as the rules see it: its location and its keywords.

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::reference::hides_siblings;
use toolsure_syntax::{Dialect, Keyword};

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
pub(super) struct Subschema<'a> {
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
    names: u64,
    /// Whether a `$ref` hides the keywords beside it (draft 7 and older).
    has_only_reference: bool,
}

/// A token of a JSON Pointer.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    None,
    Name(&'a str),
    Index(usize),
}

impl<'a> Subschema<'a> {
    /// A subschema at the root, or the one below `parent` that is found at `keyword` and `step`.
    pub(super) fn new(
        view: View<'a>,
        (side, dialect): (Side, Dialect),
        parent: Option<(usize, &Self)>,
        (keyword, step): (&'static str, Step<'a>),
    ) -> Self {
        Self {
            view,
            side,
            dialect,
            parent: parent.map(|(index, _)| index),
            keyword,
            step,
            depth: parent.map_or(0, |(_, parent)| parent.depth.saturating_add(1)),
            names: names(view),
            has_only_reference: hides_siblings(view, dialect),
        }
    }

    /// The keyword's value, if the keyword has a meaning here. A keyword that can reject values has none in
    /// a dialect that lacks it, or beside a reference that hides it. Other members are for readers who do
    /// not ask for the dialect.
    #[inline]
    pub(super) fn get(&self, keyword: &str) -> Option<View<'a>> {
        self.member(keyword).filter(|_| self.has_meaning(keyword))
    }

    /// The value of a member, whatever it means in the dialect.
    #[inline]
    pub(super) fn member(&self, name: &str) -> Option<View<'a>> {
        // Most subschemas do not have the keyword.
        if self.names & bit(name) == 0 {
            return None;
        }
        self.view.member(name)
    }

    fn has_meaning(&self, keyword: &str) -> bool {
        let Some(keyword) = Keyword::from_name(keyword).filter(|keyword| keyword.can_reject())
        else {
            return true;
        };
        let is_hidden = self.has_only_reference && keyword != Keyword::Ref;
        keyword.is_in(self.dialect) && !is_hidden
    }

    #[inline]
    pub(super) fn has(&self, keyword: &str) -> bool {
        self.get(keyword).is_some()
    }

    /// Whether there is a member with this name, whatever it means in the dialect.
    #[inline]
    pub(super) fn has_member(&self, name: &str) -> bool {
        self.member(name).is_some()
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

    /// The types that it allows; `None` if there is no `type`, or if the compiler reports it.
    pub(super) fn type_set(&self) -> Option<TypeSet> {
        self.get("type")?;
        let mut set = TypeSet::NONE;
        for name in self.types() {
            set = set.union(TypeSet::from_name(name)?);
        }
        (!set.is_empty()).then(|| set.in_dialect(self.dialect))
    }

    /// Whether this is the only declared type.
    pub(super) fn is(&self, name: &str) -> bool {
        self.text("type") == Some(name)
    }
}

/// The bits of an object's names.
fn names(view: View<'_>) -> u64 {
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
