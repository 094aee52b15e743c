//! A schema read and checked but not yet optimised: every subschema with its
//! keywords decoded and its references turned into indexes.
//!
//! `admit` and `resolve` write it; `lower` turns it into a plan, and `explain`
//! evaluates it as it stands, keyword by keyword, to say why an instance failed.

mod reach;
mod types;

use std::collections::HashMap;
use std::sync::Arc;

use toolgate_json::{NodeId, OwnedDocument, View};
use toolgate_pattern::Pattern;

pub(crate) use types::TypeSet;

use crate::dialect::{Keyword, Rules};
use crate::error::Place;
use crate::format::{Format, NumberFormat};
use crate::int::{to_u32, to_usize};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(u32);

        impl $name {
            /// The index as a number.
            pub(crate) fn index(self) -> usize {
                to_usize(self.0)
            }

            /// The id of the element at `index`.
            pub(crate) fn new(index: usize) -> Self {
                Self(to_u32(index))
            }
        }
    )*};
}

ids! {
    /// A document of an outline: the schema, then what it refers to.
    DocId;
    /// A subschema of an outline.
    SubId;
    /// A schema resource: a document root or a subschema with its own id.
    ResourceId;
    /// A reference of an outline.
    RefId;
    /// A distinct regular expression of an outline.
    PatternId;
    /// A name that a dynamic reference looks up in the dynamic scope.
    ScopeName;
}

/// A whole schema, resolved.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) docs: Vec<Doc>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) subs: Vec<Sub>,
    pub(crate) entries: Vec<Entry>,
    pub(crate) patterns: Vec<Arc<Pattern>>,
    /// Where each reference leads, by [`RefId`].
    pub(crate) targets: Vec<Target>,
    /// How many [`ScopeName`]s there are.
    pub(crate) scope_names: usize,
    pub(crate) root: SubId,
}

/// One document: its text and the subschemas found in it.
#[derive(Debug)]
pub(crate) struct Doc {
    /// The URI it was found under; empty for the schema itself.
    pub(crate) uri: String,
    pub(crate) text: OwnedDocument,
}

/// A schema resource.
#[derive(Debug)]
pub(crate) struct Resource {
    /// Its base URI without fragment; empty if it has none.
    pub(crate) uri: String,
    pub(crate) root: SubId,
    /// Its anchors; dynamic ones are marked.
    pub(crate) anchors: HashMap<String, Anchor>,
    /// `$recursiveAnchor: true` at its root (2019-09).
    pub(crate) recursive: bool,
    /// What it binds in the dynamic scope when it is entered.
    pub(crate) scope: Vec<(ScopeName, SubId)>,
}

/// A named subschema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Anchor {
    pub(crate) sub: SubId,
    pub(crate) dynamic: bool,
}

/// One subschema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sub {
    pub(crate) doc: DocId,
    pub(crate) node: NodeId,
    pub(crate) resource: ResourceId,
    pub(crate) rules: Rules,
    pub(crate) shape: Shape,
}

/// What a subschema is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// A boolean schema.
    Always(bool),
    /// A run of [`Outline::entries`].
    Entries {
        /// Index of the first.
        start: u32,
        /// Index behind the last.
        end: u32,
    },
}

/// One keyword of one subschema.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) keyword: Keyword,
    /// The member's name in the document.
    pub(crate) name: NodeId,
    /// The member's value in the document.
    pub(crate) value: NodeId,
    pub(crate) form: Form,
}

/// A keyword's value, decoded. Literals stay in the document, at [`Entry::value`].
#[derive(Debug)]
pub(crate) enum Form {
    /// Asserts nothing here: an annotation, or a keyword that a sibling reads.
    Annotation,
    /// The value itself is the operand: `const`, `enum`, `multipleOf`, `required`.
    Literal,
    /// A number that bounds, itself included or not.
    Bound { exclusive: bool },
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
    One(SubId),
    /// An array of subschemas.
    List(Box<[SubId]>),
    /// Subschemas by name; the name is the key node.
    Map(Box<[(NodeId, SubId)]>),
    /// Subschemas by pattern; the key node and its pattern.
    Patterns(Box<[(NodeId, PatternId, SubId)]>),
    /// `dependencies`: by name, either a subschema or an array of names.
    Dependencies(Box<[(NodeId, Dependency)]>),
    /// `$ref`, `$dynamicRef`, `$recursiveRef`.
    Reference(RefId),
}

/// What a name in `dependencies` or `dependentRequired` brings with it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Dependency {
    /// A subschema that the object must match.
    Schema(SubId),
    /// An array node of names that must be there.
    Names(NodeId),
}

/// A format that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormatUse {
    Text(Format),
    Number(NumberFormat),
}

/// An encoding or a media type that is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ContentUse {
    /// `contentEncoding: base64` (RFC 4648 §4).
    Base64,
    /// `contentMediaType: application/json`.
    Json,
}

impl ContentUse {
    /// The encoding or media type of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        if name.eq_ignore_ascii_case("base64") {
            Some(Self::Base64)
        } else if name.eq_ignore_ascii_case("application/json") {
            Some(Self::Json)
        } else {
            None
        }
    }
}

/// Where a reference leads.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target {
    /// Always to the same subschema.
    Static(SubId),
    /// To the outermost resource of the dynamic scope that binds the name.
    Dynamic {
        /// Where it leads when nothing binds the name.
        initial: SubId,
        name: ScopeName,
    },
}

impl Target {
    /// Where it leads when nothing in the dynamic scope says otherwise.
    pub(crate) fn initial(self) -> SubId {
        match self {
            Self::Static(sub) | Self::Dynamic { initial: sub, .. } => sub,
        }
    }
}

/// The answer for an index that no table holds; ids are only made for elements
/// that exist, so nothing ever reads it.
fn nowhere() -> Sub {
    Sub {
        doc: DocId(0),
        node: NodeId::from_index(0),
        resource: ResourceId(0),
        rules: Rules::DEFAULT,
        shape: Shape::Always(false),
    }
}

impl Outline {
    /// The subschema with that id.
    pub(crate) fn sub(&self, id: SubId) -> Sub {
        self.subs.get(id.index()).copied().unwrap_or_else(nowhere)
    }

    /// The keywords of a subschema.
    pub(crate) fn entries(&self, sub: Sub) -> &[Entry] {
        match sub.shape {
            Shape::Always(_) => &[],
            Shape::Entries { start, end } => self
                .entries
                .get(to_usize(start)..to_usize(end))
                .unwrap_or(&[]),
        }
    }

    /// One keyword of a subschema, if it has it.
    pub(crate) fn entry(&self, sub: Sub, keyword: Keyword) -> Option<&Entry> {
        self.entries(sub)
            .iter()
            .find(|entry| entry.keyword == keyword)
    }

    /// Where a reference leads.
    pub(crate) fn target(&self, id: RefId) -> Target {
        self.targets
            .get(id.index())
            .copied()
            .unwrap_or(Target::Static(self.root))
    }

    /// Turns a reference into an annotation. Answers whether the subschema had it.
    pub(crate) fn drop_reference(&mut self, sub: SubId, reference: RefId) -> bool {
        let shape = self.subs.get(sub.index()).map(|sub| sub.shape);
        let Some(Shape::Entries { start, end }) = shape else {
            return false;
        };
        let own = self.entries.get_mut(to_usize(start)..to_usize(end));
        let mut own = own.into_iter().flatten();
        let entry = own.find(|entry| matches!(entry.form, Form::Reference(id) if id == reference));
        match entry {
            Some(entry) => {
                entry.form = Form::Annotation;
                true
            }
            None => false,
        }
    }

    /// A node of a subschema's document.
    pub(crate) fn view(&self, doc: DocId, node: NodeId) -> Option<View<'_>> {
        self.docs
            .get(doc.index())
            .map(|doc| doc.text.document().view(node))
    }

    /// A place in a document, for an error.
    pub(crate) fn place(&self, doc: DocId, node: NodeId) -> Place {
        place(&self.docs, doc, node)
    }

    /// Every subschema that `sub` applies to the instance itself ("in place"), a
    /// dynamic reference standing for where it leads when nothing is bound.
    pub(crate) fn in_place(&self, sub: Sub) -> Vec<SubId> {
        self.applied(sub, true)
    }

    /// The same without dynamic references.
    pub(crate) fn statically_in_place(&self, sub: Sub) -> Vec<SubId> {
        self.applied(sub, false)
    }

    fn applied(&self, sub: Sub, dynamic: bool) -> Vec<SubId> {
        let mut found = Vec::new();
        for entry in self.entries(sub) {
            match (&entry.form, entry.keyword) {
                (Form::Reference(id), _) => match self.target(*id) {
                    Target::Dynamic { .. } if !dynamic => {}
                    target => found.push(target.initial()),
                },
                (Form::List(list), Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf) => {
                    found.extend(list.iter().copied());
                }
                (Form::One(sub), Keyword::Not | Keyword::If) => found.push(*sub),
                // Without `if` they are never evaluated (2020-12 core §10.2.2).
                (Form::One(one), Keyword::Then | Keyword::Else)
                    if self.entry(sub, Keyword::If).is_some() =>
                {
                    found.push(*one);
                }
                (Form::Map(map), Keyword::DependentSchemas) => {
                    found.extend(map.iter().map(|(_, sub)| *sub));
                }
                (Form::Dependencies(map), _) => {
                    found.extend(map.iter().filter_map(|(_, dependency)| match dependency {
                        Dependency::Schema(sub) => Some(*sub),
                        Dependency::Names(_) => None,
                    }));
                }
                _ => {}
            }
        }
        found
    }
}

/// A place in a document, for an error.
pub(crate) fn place(docs: &[Doc], doc: DocId, node: NodeId) -> Place {
    let Some(doc) = docs.get(doc.index()) else {
        return Place::default();
    };
    let document = doc.text.document();
    let span = document.view(node).span();
    Place {
        pointer: document.pointer(node),
        span: Some(span.start..span.end),
        document: doc.uri.clone(),
    }
}
