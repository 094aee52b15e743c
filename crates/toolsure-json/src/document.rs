//! A parsed document, and views of its values.

mod doubles;

use std::fmt;

use smallvec::SmallVec;

use crate::bits;
use crate::contradiction::note_contradiction;
use crate::hash::key_hash;
use crate::int;
use crate::node::{Key, Kind, Node};
use crate::node_id::NodeId;
use crate::number::Number;
use crate::pointer;
use crate::quote::quote;
use crate::span::Span;
use crate::tape::{NONE, Slot, Tag, Tape, missing};

/// A parsed JSON text: its values, keys and their positions.
///
/// A cheap handle to the memory of a [`Reader`](crate::Reader) or an
/// [`OwnedDocument`](crate::OwnedDocument) and to the source.
///
/// ```
/// use toolsure_json::{Node as _, NodeId, OwnedDocument, ReadLimits};
///
/// let text = OwnedDocument::read(r#"{"size": [1]}"#, &ReadLimits::default())?;
/// let document = text.document();
/// let size = document.root().member("size").ok_or("no size")?;
/// let one = size.item(0).ok_or("no item")?;
/// assert_eq!(document.pointer(one.id()), "/size/0");
/// assert_eq!(document.view(one.id()).raw(), "1");
/// assert_eq!(document.len(), 4); // the object, its key, the array and its item
/// assert!(document.get(NodeId::from_index(4)).is_none());
/// assert_eq!(document.source(), r#"{"size": [1]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Document<'a> {
    tape: &'a Tape,
    source: &'a str,
}

/// One value or key of a document.
///
/// A key's view behaves like a string.
///
/// ```
/// use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
///
/// let text = OwnedDocument::read(r#"{"a": [10]}"#, &ReadLimits::default())?;
/// let root = text.document().root();
/// let list = root.member("a").ok_or("no member")?;
/// assert_eq!((list.raw(), list.span().start), ("[10]", 6));
/// assert_eq!(list.name().map(|name| name.string()), Some("a"));
/// assert_eq!(list.parent().map(|parent| parent.id()), Some(root.id()));
/// assert_eq!(list.document().source(), text.document().source());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct View<'a> {
    document: Document<'a>,
    slot: &'a Slot,
    own: u32,
}

/// The key of a member.
///
/// ```
/// use toolsure_json::{Key as _, Node as _, OwnedDocument, ReadLimits};
///
/// let text = OwnedDocument::read(r#"{"a": 1}"#, &ReadLimits::default())?;
/// for (key, _) in text.document().root().members() {
///     assert_eq!((key.text(), key.view().span().start), ("a", 1));
/// }
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Clone, Copy)]
pub struct KeyView<'a> {
    view: View<'a>,
}

impl<'a> Document<'a> {
    #[inline]
    pub(crate) fn new(tape: &'a Tape, source: &'a str) -> Self {
        Self { tape, source }
    }

    /// The outermost value.
    #[inline]
    #[must_use]
    pub fn root(self) -> View<'a> {
        self.view(NodeId(0))
    }

    /// The value or key with this id; `None` if there is none, which happens only with an id from
    /// another document.
    #[inline]
    #[must_use]
    pub fn get(self, id: NodeId) -> Option<View<'a>> {
        self.at(id.0)
    }

    /// The value or key with this id, for ids from this document.
    ///
    /// For an id from another document, returns whatever is at that index here. If nothing is, that
    /// is a [contradiction](crate::contradictions), and the root is returned.
    #[inline]
    #[must_use]
    pub fn view(self, id: NodeId) -> View<'a> {
        self.at(id.0).unwrap_or_else(|| self.instead())
    }

    /// The root, for an id that does not exist.
    #[cold]
    fn instead(self) -> View<'a> {
        note_contradiction();
        View {
            document: self,
            slot: self.tape.slots.first().unwrap_or(&NOTHING),
            own: 0,
        }
    }

    /// The source text.
    #[must_use]
    pub fn source(self) -> &'a str {
        self.source
    }

    /// The number of values and keys.
    #[must_use]
    #[expect(
        clippy::len_without_is_empty,
        reason = "a document has a root, so it is never empty"
    )]
    pub fn len(self) -> usize {
        self.tape.slots.len()
    }

    /// The JSON Pointer (RFC 6901) of a value, or of the value of a key.
    ///
    /// Takes one step for each item and member that its ancestors have before it.
    #[must_use]
    pub fn pointer(self, id: NodeId) -> String {
        let mut path: SmallVec<[View<'_>; LEVELS]> = SmallVec::new();
        let mut next = Some(self.view(id));
        while let Some(view) = next {
            path.push(view);
            next = view.parent();
        }
        let mut text = String::with_capacity((path.len() - 1) * TOKEN_BYTES);
        for pair in path.windows(2).rev() {
            let [view, parent] = pair else { continue };
            match view.member_key() {
                Some(key) => pointer::push(&mut text, key.text()),
                None => {
                    let before = parent.items().take_while(|item| item.own != view.own);
                    pointer::push_index(&mut text, before.count());
                }
            }
        }
        text
    }

    /// The value that a JSON Pointer (RFC 6901) leads to, if the string is a pointer and leads to
    /// one.
    ///
    /// ```
    /// use toolsure_json::{Node as _, ReadLimits, Reader};
    ///
    /// let mut reader = Reader::new();
    /// let document = reader.read(br#"{"a/b": [true]}"#, &ReadLimits::default())?;
    /// assert!(document.at_pointer("/a~1b/0").is_some_and(|value| value.boolean()));
    /// # Ok::<(), toolsure_json::ReadError>(())
    /// ```
    #[must_use]
    pub fn at_pointer(self, pointer: &str) -> Option<View<'a>> {
        if !pointer::is_valid(pointer) {
            return None;
        }
        pointer::tokens(pointer).try_fold(self.root(), |view, token| {
            if view.slot.tag == Tag::Array {
                view.item(pointer::index(&token)?)
            } else {
                view.member(&token)
            }
        })
    }

    #[inline]
    fn at(self, own: u32) -> Option<View<'a>> {
        Some(View {
            document: self,
            slot: self.tape.slot(own)?,
            own,
        })
    }
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({})", quote(self.source, SHOWN_CHARS))
    }
}

impl<'a> View<'a> {
    /// The node's id in its document.
    #[inline]
    #[must_use]
    pub fn id(self) -> NodeId {
        NodeId(self.own)
    }

    /// The range of the value or key in the source, including quotes and brackets.
    #[inline]
    #[must_use]
    pub fn span(self) -> Span {
        Span {
            start: int::to_usize(self.slot.start),
            end: int::to_usize(self.slot.end),
        }
    }

    /// The document that this is part of.
    #[inline]
    #[must_use]
    pub fn document(self) -> Document<'a> {
        self.document
    }

    /// The source text of the value or key, as written.
    #[must_use]
    pub fn raw(self) -> &'a str {
        let Span { start, end } = self.span();
        let raw = self.document.source.get(start..end);
        raw.unwrap_or_else(missing)
    }

    /// The array or object that directly holds this value or key.
    #[must_use]
    pub fn parent(self) -> Option<View<'a>> {
        let value = if self.slot.tag.is_key() {
            self.document.at(self.own + 1)?
        } else {
            self
        };
        self.document.at(value.slot.c)
    }

    /// The key, if this is the value of a member; `None` for items, for keys
    /// and for the root.
    #[must_use]
    pub fn name(self) -> Option<View<'a>> {
        if self.slot.tag.is_key() {
            return None;
        }
        self.member_key().map(|key| key.view)
    }

    /// The index just after this node and everything in it.
    #[inline]
    fn after(self) -> u32 {
        self.slot.after(self.own)
    }

    /// The key of the member that this is the key or the value of.
    pub(crate) fn member_key(self) -> Option<KeyView<'a>> {
        let own = if self.slot.tag.is_key() {
            self.own
        } else {
            self.own.checked_sub(1)?
        };
        let view = self.document.at(own)?;
        view.slot.tag.is_key().then_some(KeyView { view })
    }
}

impl<'a> Node<'a> for View<'a> {
    type Key = KeyView<'a>;
    type Items = Items<'a>;
    type Members = Members<'a>;

    #[inline]
    fn kind(self) -> Kind {
        self.slot.tag.kind()
    }

    #[inline]
    fn boolean(self) -> bool {
        self.slot.tag == Tag::True
    }

    #[inline]
    fn number(self) -> Number<'a> {
        match self.slot.tag {
            Tag::Small => Number::from_i64(bits::join(self.slot.a, self.slot.b).cast_signed()),
            Tag::Number => Number::from_grammatical(self.raw()),
            _ => Number::from_i64(0),
        }
    }

    #[inline]
    fn number_bytes(self) -> usize {
        match self.slot.tag {
            Tag::Number => Number::long_text(self.raw()),
            _ => 0,
        }
    }

    fn is_integer_literal(self) -> bool {
        self.kind() == Kind::Number && !self.raw().contains(['.', 'e', 'E'])
    }

    #[inline]
    fn string(self) -> &'a str {
        self.document.tape.text(self.slot, self.document.source)
    }

    #[inline]
    fn len(self) -> usize {
        if self.slot.tag.is_container() {
            int::to_usize(self.slot.b)
        } else {
            0
        }
    }

    #[inline]
    fn items(self) -> Items<'a> {
        let left = if self.slot.tag == Tag::Array {
            self.slot.b
        } else {
            0
        };
        Items {
            document: self.document,
            next: self.own + 1,
            left,
        }
    }

    #[inline]
    fn members(self) -> Members<'a> {
        let left = if self.slot.tag == Tag::Object {
            self.slot.b
        } else {
            0
        };
        Members {
            document: self.document,
            next: self.own + 1,
            left,
        }
    }

    fn item(self, index: usize) -> Option<Self> {
        self.items().nth(index)
    }

    fn member(self, name: &str) -> Option<Self> {
        self.member_hashed(name, || key_hash(name))
    }

    fn member_hashed(self, name: &str, hash: impl FnOnce() -> u32) -> Option<Self> {
        let hash = hash();
        self.members()
            .find(|(key, _)| key.hash() == hash && key.bytes() == name.as_bytes())
            .map(|(_, value)| value)
    }

    #[inline]
    fn identity(self) -> usize {
        int::to_usize(self.own)
    }
}

impl fmt::Debug for View<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "View({})", quote(self.raw(), SHOWN_CHARS))
    }
}

impl<'a> KeyView<'a> {
    /// The key as a view, for its id and span.
    #[inline]
    #[must_use]
    pub fn view(self) -> View<'a> {
        self.view
    }
}

impl<'a> Key<'a> for KeyView<'a> {
    #[inline]
    fn text(self) -> &'a str {
        self.view.string()
    }

    #[inline]
    fn bytes(self) -> &'a [u8] {
        let View { document, slot, .. } = self.view;
        document.tape.bytes(slot, document.source)
    }

    #[inline]
    fn hash(self) -> u32 {
        self.view.slot.c
    }

    #[inline]
    fn identity(self) -> usize {
        int::to_usize(self.view.own)
    }
}

impl fmt::Debug for KeyView<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyView({})", quote(self.view.raw(), SHOWN_CHARS))
    }
}

/// The items of an array, in order.
#[derive(Clone, Debug)]
pub struct Items<'a> {
    document: Document<'a>,
    next: u32,
    left: u32,
}

impl<'a> Iterator for Items<'a> {
    type Item = View<'a>;

    #[inline]
    fn next(&mut self) -> Option<View<'a>> {
        if self.left == 0 {
            return None;
        }
        let item = self.document.at(self.next)?;
        self.left -= 1;
        self.next = item.after();
        Some(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (int::to_usize(self.left), Some(int::to_usize(self.left)))
    }
}

impl ExactSizeIterator for Items<'_> {}

/// The members of an object, in source order.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    document: Document<'a>,
    next: u32,
    left: u32,
}

impl<'a> Iterator for Members<'a> {
    type Item = (KeyView<'a>, View<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.left == 0 {
            return None;
        }
        let view = self.document.at(self.next)?;
        let value = self.document.at(self.next + 1)?;
        self.left -= 1;
        self.next = value.after();
        Some((KeyView { view }, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (int::to_usize(self.left), Some(int::to_usize(self.left)))
    }
}

impl ExactSizeIterator for Members<'_> {}

const SHOWN_CHARS: usize = 64;
/// Levels of a value whose pointer needs no allocation.
const LEVELS: usize = 16;
/// The approximate number of bytes in a pointer's token.
const TOKEN_BYTES: usize = 12;

/// What an empty tape would show; a reader never returns one.
static NOTHING: Slot = Slot {
    start: 0,
    end: 0,
    a: 0,
    b: 0,
    c: NONE,
    tag: Tag::Null,
};
