//! The ids and references of schemas, read from their text: ids, anchors, fragments and JSON
//! pointers.
//!
//! A [`Parser`](crate::Parser) resolves every reference of a schema and refuses it if one cannot be
//! resolved. This module has the parts, for programs that rewrite or inspect a schema that may be
//! invalid.

mod resources;

use foldhash::HashMap;
use std::borrow::Cow;
use toolsure_json::{Key as _, Kind, Node as _, NodeId, View, pointer};

use crate::dialect::{Dialect, Keyword};
use crate::uri;

pub use resources::{Resources, Target};

/// What the fragment of a reference names inside a schema resource.
///
/// ```
/// use toolsure_syntax::reference::Fragment;
///
/// assert_eq!(Fragment::parse(""), Some(Fragment::Root));
/// assert_eq!(Fragment::parse("/$defs/a%20b"), Some(Fragment::Pointer("/$defs/a b".into())));
/// assert_eq!(Fragment::parse("name"), Some(Fragment::Anchor("name".into())));
/// assert_eq!(Fragment::parse("/a~2"), None); // no escape of RFC 6901
/// assert_eq!(Fragment::parse("%FF"), None); // not UTF-8
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "core §8.2 and RFC 6901 leave no other kind of fragment"
)]
pub enum Fragment<'a> {
    /// The resource's root.
    Root,
    /// A JSON pointer (RFC 6901) from the resource's root.
    Pointer(Cow<'a, str>),
    /// An anchor of the resource.
    Anchor(Cow<'a, str>),
}

impl<'a> Fragment<'a> {
    /// Reads a fragment, without its `#`, and decodes `%XX`. `None` if the decoded text is
    /// not UTF-8, or begins with `/` and is not a JSON pointer.
    #[must_use]
    pub fn parse(text: &'a str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::Root);
        }
        let text = if text.contains('%') {
            Cow::Owned(uri::percent_decode(text)?)
        } else {
            Cow::Borrowed(text)
        };
        if !text.starts_with('/') {
            return Some(Self::Anchor(text));
        }
        pointer::is_valid(&text).then_some(Self::Pointer(text))
    }
}

/// The value that a JSON pointer leads to from `root`. `member` looks up a member of an object,
/// with an index if the caller has one.
///
/// ```
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits, View};
/// use toolsure_syntax::reference::follow;
///
/// let document = OwnedDocument::read(r#"{"a": [1, 2]}"#, &ReadLimits::default())?;
/// let root = document.document().root();
/// assert_eq!(follow(root, "/a/1", View::member).map(|value| value.raw()), Some("2"));
/// assert!(follow(root, "/a/01", View::member).is_none());
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
pub fn follow<'a>(
    root: View<'a>,
    pointer: &str,
    mut member: impl FnMut(View<'a>, &str) -> Option<View<'a>>,
) -> Option<View<'a>> {
    pointer::tokens(pointer).try_fold(root, |view, token| match view.kind() {
        Kind::Array => view.item(pointer::index(&token)?),
        _ => member(view, &token),
    })
}

/// An index of the wide objects and arrays that JSON pointers pass through, so that many pointers
/// into one container cost no more than its size.
#[derive(Debug, Default)]
pub struct PointerIndex {
    members: HashMap<(usize, NodeId), HashMap<Box<str>, NodeId>>,
    items: HashMap<(usize, NodeId), Vec<NodeId>>,
}

impl PointerIndex {
    /// An empty index.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// One step of a pointer: the member or item that a token names. If the caller has several
    /// documents, `document` is the number of the one that `view` is in.
    ///
    /// ```
    /// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
    /// use toolsure_syntax::reference::PointerIndex;
    ///
    /// let document = OwnedDocument::read(r#"{"a": {"b": 7}}"#, &ReadLimits::default())?;
    /// let mut index = PointerIndex::new();
    /// let a = index.step(0, document.document().root(), "a").unwrap();
    /// assert_eq!(index.step(0, a, "b").map(|value| value.raw()), Some("7"));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    pub fn step<'v>(&mut self, document: usize, view: View<'v>, token: &str) -> Option<View<'v>> {
        let key = (document, view.id());
        match view.kind() {
            Kind::Object if view.len() <= NARROW => view.member(token),
            Kind::Object => {
                let index = self.members.entry(key).or_insert_with(|| {
                    let members = view.members();
                    members
                        .map(|(key, value)| (key.text().into(), value.id()))
                        .collect()
                });
                index.get(token).map(|id| view.document().view(*id))
            }
            Kind::Array => {
                let at = pointer::index(token)?;
                if view.len() <= NARROW {
                    return view.item(at);
                }
                let items = self.items.entry(key);
                let items = items.or_insert_with(|| view.items().map(View::id).collect());
                items.get(at).map(|id| view.document().view(*id))
            }
            _ => None,
        }
    }
}

/// The id and the anchors of a schema.
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_syntax::Dialect;
/// use toolsure_syntax::reference::Identity;
///
/// let text = r#"{"$id": "https://example.com/a", "$anchor": "top"}"#;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let identity = Identity::of(document.document().root(), Dialect::Draft202012);
/// assert_eq!(identity.uri, Some("https://example.com/a"));
/// assert_eq!(identity.anchors().collect::<Vec<_>>(), [("top", false)]);
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Identity<'a> {
    /// Its id without fragment, to be resolved against the base URI around it. It makes the schema
    /// a resource, and is the base URI of the references in it.
    pub uri: Option<&'a str>,
    /// The fragment of its id, which names an anchor in draft 7 and older.
    pub id_anchor: Option<&'a str>,
    /// `$anchor`.
    pub anchor: Option<&'a str>,
    /// `$dynamicAnchor`.
    pub dynamic_anchor: Option<&'a str>,
    /// `$recursiveAnchor: true`. It counts at the root of a resource only.
    pub recursive_anchor: bool,
}

impl<'a> Identity<'a> {
    /// The id and the anchors of a schema in a dialect. Values of the wrong type are ignored, and
    /// so are keywords that a `$ref` hides (draft 7 and older).
    #[must_use]
    pub fn of(schema: View<'a>, dialect: Dialect) -> Self {
        let value = |keyword: Keyword| {
            let lookup = || schema.member(keyword.name());
            keyword.is_in(dialect).then(lookup).flatten()
        };
        let text = |keyword| {
            let value = value(keyword).filter(|value| value.kind() == Kind::String);
            value.map(|value| value.string())
        };
        let mut identity = Self {
            anchor: text(Keyword::Anchor),
            dynamic_anchor: text(Keyword::DynamicAnchor),
            recursive_anchor: value(Keyword::RecursiveAnchor).is_some_and(|flag| flag.boolean()),
            ..Self::default()
        };
        if let Some(id) = text(dialect.id_keyword()).filter(|_| !hides_siblings(schema, dialect)) {
            let (before, fragment) = uri::split(id);
            let names_anchors = dialect <= Dialect::Draft7;
            identity.uri = Some(before).filter(|before| !before.is_empty());
            identity.id_anchor = fragment.filter(|name| names_anchors && !name.is_empty());
        }
        identity
    }

    /// Its anchors, and whether each is dynamic.
    pub fn anchors(self) -> impl Iterator<Item = (&'a str, bool)> {
        let fixed = self.id_anchor.into_iter().chain(self.anchor);
        let fixed = fixed.map(|name| (name, false));
        fixed.chain(self.dynamic_anchor.map(|name| (name, true)))
    }
}

/// Whether a schema has a `$ref` that makes its dialect ignore all keywords next to it (draft 7 and
/// older).
///
/// ```
/// use toolsure_json::{OwnedDocument, ReadLimits};
/// use toolsure_syntax::Dialect;
/// use toolsure_syntax::reference::hides_siblings;
///
/// let text = r##"{"$ref": "#/$defs/a", "minLength": 2}"##;
/// let document = OwnedDocument::read(text, &ReadLimits::default())?;
/// let schema = document.document().root();
/// assert!(hides_siblings(schema, Dialect::Draft7));
/// assert!(!hides_siblings(schema, Dialect::Draft201909));
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[must_use]
pub fn hides_siblings(schema: View<'_>, dialect: Dialect) -> bool {
    let reference = || schema.member(Keyword::Ref.name());
    dialect.ref_hides_siblings() && reference().is_some_and(|text| text.kind() == Kind::String)
}

/// Containers with up to this many children are searched without an index.
const NARROW: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    /// Fragments that the crates of the workspace once parsed differently.
    #[test]
    fn one_meaning_for_each_fragment() {
        let text = r#"{"$defs": {"a b": {"a": 1}, "c/d": true, "e~f": {"e": 3}, "g%h": {"g": 4}, "": {}}, "list": [6, false]}"#;
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let root = document.document().root();
        for (reference, expected) in [
            ("#/$defs/a%20b", Some(r#"{"a": 1}"#)),
            ("#/$defs/a b", Some(r#"{"a": 1}"#)),
            ("#/%24defs/a%20b", Some(r#"{"a": 1}"#)),
            ("#/$defs/c~1d", Some("true")),
            ("#/$defs/c%7E1d", Some("true")),
            ("#/$defs/e~0f", Some(r#"{"e": 3}"#)),
            ("#/$defs/g%25h", Some(r#"{"g": 4}"#)),
            ("#/$defs/g%h", None),
            ("#/$defs/", Some("{}")),
            ("#/$defs/e~2f", None),
            ("#/list/1", Some("false")),
            ("#/list/01", None),
            ("#/list/2", None),
            ("#/list/0", None),
            ("#anchor", None),
            ("other.json#/list/1", None),
        ] {
            let found = Resources::of(root).resolve(root, reference).schema();
            assert_eq!(found.map(|found| found.raw()), expected, "{reference}");
        }
        for whole in ["", "#"] {
            let found = Resources::of(root).resolve(root, whole);
            assert!(matches!(found, Target::Schema(found) if found.id() == root.id()));
        }
    }

    #[test]
    fn wide_containers_are_indexed() {
        let members: Vec<String> = (0..100).map(|n| format!("\"m{n}\": {n}")).collect();
        let text = format!(
            "{{\"o\": {{{}}}, \"a\": [{}]}}",
            members.join(","),
            "0,".repeat(99) + "9"
        );
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let root = document.document().root();
        let mut index = PointerIndex::new();
        let object = index.step(0, root, "o").unwrap();
        let array = index.step(0, root, "a").unwrap();
        for _ in 0..2 {
            assert_eq!(
                index.step(0, object, "m42").map(|one| one.raw()),
                Some("42")
            );
            assert!(index.step(0, object, "m100").is_none());
            assert_eq!(index.step(0, array, "99").map(|one| one.raw()), Some("9"));
            assert!(index.step(0, array, "099").is_none());
        }
    }

    #[test]
    fn names_by_dialect() {
        let text = r##"{"id": "old#i", "$id": "new#n", "$anchor": "a", "$dynamicAnchor": "d",
            "$recursiveAnchor": true}"##;
        let document = OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let of = |dialect| {
            let identity = Identity::of(document.document().root(), dialect);
            let anchors: Vec<&str> = identity.anchors().map(|(name, _)| name).collect();
            (identity.uri, anchors, identity.recursive_anchor)
        };
        assert_eq!(of(Dialect::Draft4), (Some("old"), vec!["i"], false));
        assert_eq!(of(Dialect::Draft7), (Some("new"), vec!["n"], false));
        assert_eq!(of(Dialect::Draft201909), (Some("new"), vec!["a"], true));
        assert_eq!(
            of(Dialect::Draft202012),
            (Some("new"), vec!["a", "d"], false)
        );
    }
}
