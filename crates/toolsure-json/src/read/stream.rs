//! Reads value by value, for a caller that checks values as they pass and keeps none.
//!
//! Everything returns `None` as soon as the text is not plain and well-formed. [`Reader::read`]
//! reports what is wrong with it, if anything is, by reading it again from the start, so only one
//! place knows why a text may be refused. Unless a function says otherwise, the pass ends with its
//! first `None`.

use super::plain::plain_end;
use super::{MAX_INDEX, Nothing, Open, Pass, Reader, Scalar, admit};
use crate::document::{Document, View};
use crate::error::ReadError;
use crate::hash::key_hash_bytes;
use crate::limits::{DuplicateKeys, ReadLimits};
use crate::node::{Key as _, Kind};
use crate::tape::NONE;

/// One pass over a text, value by value; see [`Reader::stream`].
///
/// It is positioned before a value, before a key, or after a value; the caller calls the method
/// that fits.
///
/// ```
/// use toolsure_json::{Key as _, Kind, ReadLimits, Reader};
///
/// let mut reader = Reader::new();
/// let limits = ReadLimits::default();
/// let text = br#"{"list": [1], "name": "x", "open": true}"#;
/// let mut stream = reader.stream(text, &limits)?.ok_or("not offered")?;
/// let mut raw = Vec::new();
/// let names = stream.names();
/// let mut more = stream.open(Kind::Object).ok_or("no object")?;
/// while more {
///     let key = stream.key().ok_or("no key")?;
///     stream.note(key.bytes()); // or `stream.note_hash(key.hash())`
///     let before = stream.mark();
///     raw.push(stream.value().ok_or("no value")?.raw().to_owned());
///     stream.reset(before);
///     let passed = match stream.kind() {
///         Some(Kind::String) => stream.string(),
///         Some(Kind::Boolean) => stream.word(),
///         _ => stream.skip(),
///     };
///     passed.ok_or("no value")?;
///     more = stream.after(Kind::Object).ok_or("no end")?;
/// }
/// assert_eq!(raw, ["[1]", r#""x""#, "true"]);
/// assert_eq!(stream.distinct(names), Some(()));
/// assert_eq!(stream.at(), stream.source().len());
/// assert_eq!(stream.finish(), Some(()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Stream<'r, 's> {
    pass: Pass<'r, 's>,
    /// The number of open arrays and objects.
    depth: usize,
    /// The number of values and keys so far.
    nodes: usize,
}

/// A position in a [`Stream`] to return to.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    at: usize,
    depth: usize,
    nodes: usize,
    names: usize,
}

impl Reader {
    /// Starts to read a text value by value, with the same limits as [`read`](Self::read).
    ///
    /// `None` if this is not supported: for [`KeepLast`](crate::DuplicateKeys::KeepLast), which
    /// must see all members of an object before it knows which ones count.
    ///
    /// # Errors
    ///
    /// Those of `read` that need no parsing: length, byte order mark, UTF-8.
    ///
    /// ```
    /// use toolsure_json::{Kind, Node, ReadLimits, Reader};
    ///
    /// let mut reader = Reader::new();
    /// let limits = ReadLimits::default();
    /// let mut stream = reader.stream(b"[1, 2]", &limits)?.ok_or("not offered")?;
    /// assert_eq!(stream.kind(), Some(Kind::Array));
    /// let mut more = stream.open(Kind::Array).ok_or("no array")?;
    /// let mut sum = 0;
    /// while more {
    ///     sum += stream.scalar().ok_or("no scalar")?.number().as_i64().ok_or("long")?;
    ///     more = stream.after(Kind::Array).ok_or("no array")?;
    /// }
    /// assert_eq!((sum, stream.finish()), (3, Some(())));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn stream<'r, 's>(
        &'r mut self,
        source: &'s [u8],
        limits: &'r ReadLimits,
    ) -> Result<Option<Stream<'r, 's>>, ReadError> {
        let text = admit(source, limits)?;
        if limits.duplicate_keys == DuplicateKeys::KeepLast {
            return Ok(None);
        }
        self.names.clear();
        let mut pass = Pass {
            source: text,
            bytes: text.as_bytes(),
            at: 0,
            limits,
            max_nodes: limits.nodes.min(MAX_INDEX),
            tape: &mut self.tape,
            keys: &mut self.keys,
            names: &mut self.names,
        };
        pass.skip_space();
        Ok(Some(Stream {
            pass,
            depth: 0,
            nodes: 0,
        }))
    }
}

impl<'s> Stream<'_, 's> {
    /// The text that is being read.
    #[must_use]
    pub fn source(&self) -> &'s str {
        self.pass.source
    }

    /// The current position in the text, in bytes.
    #[inline(always)]
    #[must_use]
    pub fn at(&self) -> usize {
        self.pass.at
    }

    /// The kind of the next value, by its first byte.
    #[inline(always)]
    pub fn kind(&self) -> Option<Kind> {
        kind_of(self.pass.peek()?)
    }

    /// Passes the next value if it is neither an array nor an object nor a string with escapes.
    /// Otherwise the position does not change.
    #[inline(always)]
    pub fn scalar(&mut self) -> Option<Scalar<'s>> {
        let mut found = Scalar {
            kind: self.kind()?,
            yes: false,
            small: 0,
            source: self.pass.source,
            start: self.pass.at,
            end: 0,
        };
        match found.kind {
            Kind::String => self.plain_string()?,
            Kind::Number => {
                let Ok(small) = self.pass.number_text() else {
                    self.pass.at = found.start;
                    return None;
                };
                found.yes = small.is_some();
                found.small = small.unwrap_or_default();
                self.nodes += 1;
            }
            Kind::Boolean => {
                found.yes = self.pass.peek() == Some(b't');
                self.word()?;
            }
            Kind::Null => self.word()?,
            Kind::Array | Kind::Object => return None,
        }
        found.end = self.pass.at;
        Some(found)
    }

    /// The value at a position found by looking ahead, if it is neither an array nor an object nor
    /// a string with escapes. The position does not change.
    #[inline]
    pub(super) fn scalar_at(&mut self, at: usize) -> Option<Scalar<'s>> {
        let (here, nodes) = (self.pass.at, self.nodes);
        self.pass.at = at;
        let found = self.scalar();
        (self.pass.at, self.nodes) = (here, nodes);
        found
    }

    /// Continues after a key and its colon.
    #[inline]
    pub(super) fn pass_key(&mut self, at: usize) {
        self.pass.at = at;
        self.nodes += 1;
    }

    /// The key between two positions, quotes included.
    #[inline(always)]
    pub(super) fn key_at(&self, start: usize, end: usize) -> Scalar<'s> {
        Scalar {
            kind: Kind::String,
            yes: false,
            small: 0,
            source: self.pass.source,
            start,
            end,
        }
    }

    /// The text that is being read, in bytes.
    #[inline]
    pub(super) fn bytes(&self) -> &'s [u8] {
        self.pass.bytes
    }

    /// Passes the next string.
    #[inline(always)]
    pub fn string(&mut self) -> Option<()> {
        match self.plain_string() {
            Some(()) => Some(()),
            None => self.escaped_string(),
        }
    }

    /// Passes the next string, which may have escapes.
    #[cold]
    #[inline(never)]
    fn escaped_string(&mut self) -> Option<()> {
        let start = self.pass.at;
        if self.pass.peek() != Some(b'"') {
            return None;
        }
        self.pass.at = plain_end(self.pass.bytes, start + 1);
        self.pass.with_escapes(start, |_| ()).ok()?;
        self.nodes += 1;
        Some(())
    }

    /// Passes the next string, if it has no escapes; otherwise the position does not change.
    #[inline(always)]
    fn plain_string(&mut self) -> Option<()> {
        if self.pass.peek() != Some(b'"') {
            return None;
        }
        let end = plain_end(self.pass.bytes, self.pass.at + 1);
        if self.pass.bytes.get(end) != Some(&b'"') {
            return None;
        }
        self.pass.at = end + 1;
        self.nodes += 1;
        Some(())
    }

    /// Passes the next `true`, `false` or `null`.
    #[inline(always)]
    pub fn word(&mut self) -> Option<()> {
        let rest = self.pass.bytes.get(self.pass.at..)?;
        self.pass.at += match rest.first_chunk::<4>()? {
            b"true" | b"null" => 4,
            b"fals" if rest.get(4) == Some(&b'e') => 5,
            _ => return None,
        };
        self.nodes += 1;
        Some(())
    }

    /// The current position, to return to later.
    #[inline]
    pub fn mark(&self) -> Mark {
        Mark {
            at: self.pass.at,
            depth: self.depth,
            nodes: self.nodes,
            names: self.pass.names.len(),
        }
    }

    /// Returns to a position, also after a `None`.
    #[inline]
    pub fn reset(&mut self, mark: Mark) {
        self.pass.at = mark.at;
        self.depth = mark.depth;
        self.nodes = mark.nodes;
        self.pass.names.truncate(mark.names);
    }

    /// Passes the next value, of any kind.
    #[inline]
    pub fn skip(&mut self) -> Option<()> {
        match self.kind()? {
            Kind::String => self.string(),
            Kind::Number => {
                self.nodes += 1;
                self.pass.number_text().ok().map(|_| ())
            }
            Kind::Boolean | Kind::Null => self.word(),
            Kind::Array => self.skip_inside(Kind::Array),
            Kind::Object => self.skip_inside(Kind::Object),
        }
    }

    /// Passes an array or object. Recurses, up to a depth limit of its own.
    #[inline(never)]
    fn skip_inside(&mut self, kind: Kind) -> Option<()> {
        if self.depth >= DEEPEST {
            return None;
        }
        let floor = self.names();
        let mut more = self.open(kind)?;
        while more {
            if kind == Kind::Object {
                let name = self.key()?;
                self.note(name.bytes());
            }
            self.skip()?;
            more = self.after(kind)?;
        }
        self.distinct(floor)
    }

    /// Enters the next array or object. Returns whether a first item or key follows; if not, it has
    /// already left it again.
    #[inline(always)]
    pub fn open(&mut self, kind: Kind) -> Option<bool> {
        let (begin, end) = brackets(kind)?;
        if self.pass.peek() != Some(begin) || self.depth >= self.pass.limits.depth {
            return None;
        }
        self.nodes += 1;
        self.pass.at += 1;
        self.pass.skip_space();
        if self.pass.peek()? == end {
            self.pass.at += 1;
            return Some(false);
        }
        self.depth += 1;
        Some(true)
    }

    /// Continues after an item or a member's value. Returns whether another item or key follows; if
    /// not, it has left the array or object.
    #[inline(always)]
    pub fn after(&mut self, kind: Kind) -> Option<bool> {
        let (_, end) = brackets(kind)?;
        if self.pass.peek() != Some(b',') {
            self.pass.skip_space();
        }
        let byte = self.pass.peek()?;
        if byte == b',' {
            self.pass.at += 1;
            self.pass.skip_space();
            return Some(true);
        }
        if byte != end {
            return None;
        }
        self.pass.at += 1;
        self.depth = self.depth.checked_sub(1)?;
        Some(false)
    }

    /// Passes a key without escapes, and its colon.
    #[inline(always)]
    pub fn key(&mut self) -> Option<Scalar<'s>> {
        let start = self.pass.at;
        self.plain_string()?;
        let key = self.key_at(start, self.pass.at);
        if self.pass.peek() != Some(b':') {
            self.pass.skip_space();
            if self.pass.peek() != Some(b':') {
                return None;
            }
        }
        self.pass.at += 1;
        self.pass.skip_space();
        Some(key)
    }

    /// Where a new object's names begin among the recorded names.
    #[inline(always)]
    pub fn names(&self) -> usize {
        self.pass.names.len()
    }

    /// Records a name of the innermost object, to be compared with the others.
    #[inline(always)]
    pub fn note(&mut self, name: &[u8]) {
        self.note_hash(key_hash_bytes(name));
    }

    /// The same for a name whose [`key_hash`](crate::key_hash) is known.
    #[inline(always)]
    pub fn note_hash(&mut self, hash: u32) {
        self.pass.names.push(hash);
    }

    /// Forgets the names recorded from `floor` on; `None` unless they are certainly different.
    #[inline(always)]
    pub fn distinct(&mut self, floor: usize) -> Option<()> {
        if self.pass.names.len() <= floor + 1 {
            self.pass.names.truncate(floor);
            return Some(());
        }
        self.distinct_among(floor)
    }

    #[inline(never)]
    fn distinct_among(&mut self, floor: usize) -> Option<()> {
        let names = self.pass.names.get_mut(floor..)?;
        let same = if names.len() <= FEW {
            let pairs = names.iter().zip(1..);
            pairs
                .into_iter()
                .any(|(name, next)| names.get(next..).unwrap_or_default().contains(name))
        } else {
            names.sort_unstable();
            names.windows(2).any(|pair| pair.first() == pair.last())
        };
        self.pass.names.truncate(floor);
        (!same).then_some(())
    }

    /// Reads the next value, of any kind, into the reader's memory. Its ids and identities are its
    /// own, not those of a document of the whole text.
    #[inline(never)]
    pub fn value(&mut self) -> Option<View<'_>> {
        let pass = &mut self.pass;
        pass.max_nodes = pass.limits.nodes.min(MAX_INDEX).checked_sub(self.nodes)?;
        pass.tape.clear();
        pass.keys.clear();
        let outermost = Open {
            own: NONE,
            is_object: false,
            count: 0,
            depth: self.depth,
        };
        pass.value(outermost, &mut Nothing).ok()?;
        self.nodes += pass.tape.slots.len();
        Some(Document::new(pass.tape, pass.source).root())
    }

    /// Ends the pass after the outermost value; `None` if more text follows, or if there were too
    /// many values.
    #[inline]
    pub fn finish(mut self) -> Option<()> {
        self.pass.skip_space();
        let within = self.nodes <= self.pass.limits.nodes.min(MAX_INDEX);
        (within && self.pass.at == self.pass.bytes.len()).then_some(())
    }
}

/// The kind of the values that begin with this byte.
#[inline(always)]
pub(super) fn kind_of(byte: u8) -> Option<Kind> {
    *KINDS.get(usize::from(byte))?
}

/// The kind of the values that begin with each byte.
static KINDS: [Option<Kind>; 256] = kinds();

const fn kinds() -> [Option<Kind>; 256] {
    let mut table = [None; 256];
    let mut rest: &mut [Option<Kind>] = &mut table;
    let mut byte = 0_u8;
    while let [first, others @ ..] = rest {
        *first = match byte {
            b'"' => Some(Kind::String),
            b'{' => Some(Kind::Object),
            b'[' => Some(Kind::Array),
            b'-' | b'0'..=b'9' => Some(Kind::Number),
            b't' | b'f' => Some(Kind::Boolean),
            b'n' => Some(Kind::Null),
            _ => None,
        };
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
}

/// The brackets around values of this kind.
#[inline(always)]
const fn brackets(kind: Kind) -> Option<(u8, u8)> {
    match kind {
        Kind::Array => Some((b'[', b']')),
        Kind::Object => Some((b'{', b'}')),
        _ => None,
    }
}

/// The depth of arrays and objects up to which recursion passes them.
const DEEPEST: usize = 256;
/// Up to this many names are compared pairwise.
const FEW: usize = 8;
