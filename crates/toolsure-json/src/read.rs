//! The reader: turns bytes into a tape, in one pass without recursion.

mod ahead;
mod duplicate_keys;
mod edited;
mod number;
mod parsed;
mod part;
mod plain;
mod scalar;
mod stream;
mod string;

use crate::bits;
use crate::document::Document;
use crate::error::{ReadError, ReadErrorKind};
use crate::int;
use crate::limits::{DuplicateKeys, ReadLimits};
use crate::tape::{NONE, Slot, Tag, Tape};
use duplicate_keys::OpenKeys;

pub use ahead::{MemberAhead, MembersAhead};
pub use parsed::Parsed;
pub use scalar::Scalar;
pub use stream::{Mark, Stream};

/// Reads JSON texts into documents, and reuses its memory from one to the next.
///
/// Once a reader has read texts as large as the next one, reading it allocates nothing (an error
/// does). It keeps its memory until it is dropped.
///
/// ```
/// use toolsure_json::{Node as _, ReadLimits, Reader};
///
/// let mut reader = Reader::new();
/// let limits = ReadLimits::default();
/// for text in ["[1]", "[2, 3]"] {
///     let document = reader.read(text.as_bytes(), &limits)?;
///     assert_eq!(document.root().items().next().map(|item| item.raw()), text.get(1..2));
/// }
/// # Ok::<(), toolsure_json::ReadError>(())
/// ```
#[derive(Debug, Default)]
pub struct Reader {
    tape: Tape,
    keys: OpenKeys,
    /// Hashes of the names that a [`Stream`] has seen in the open objects.
    names: Vec<u32>,
}

impl Reader {
    /// A reader that holds no memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one JSON text (RFC 8259).
    ///
    /// The whole of `source` must be UTF-8 and one value with nothing but white space around it.
    /// Costs a few nanoseconds for each byte at worst, whatever the source contains.
    ///
    /// # Errors
    ///
    /// A [`ReadError`] with the position of the first error. Limits are checked before the work
    /// they bound; UTF-8 is checked before everything else except the number of bytes; a duplicate
    /// key is reported when its object ends.
    ///
    /// ```
    /// use toolsure_json::{ReadLimits, Reader};
    ///
    /// let limits = ReadLimits { depth: 1, ..ReadLimits::default() };
    /// let mut reader = Reader::new();
    /// assert!(reader.read(b"[1]", &limits).is_ok());
    /// let refused = reader.read(b"[[1]]", &limits).unwrap_err();
    /// assert_eq!(refused.limit(), Some(("depth", 1)));
    /// assert_eq!(refused.at(), 1);
    /// ```
    pub fn read<'a>(
        &'a mut self,
        source: &'a [u8],
        limits: &ReadLimits,
    ) -> Result<Document<'a>, ReadError> {
        let text = admit(source, limits)?;
        self.fill(text, limits)?;
        Ok(Document::new(&self.tape, text))
    }

    pub(crate) fn into_tape(mut self, text: &str, limits: &ReadLimits) -> Result<Tape, ReadError> {
        self.reserve(text, limits);
        self.fill(text, limits)?;
        self.tape.slots.shrink_to_fit();
        Ok(self.tape)
    }

    fn reserve(&mut self, text: &str, limits: &ReadLimits) {
        let nodes = (text.len() / BYTES_PER_NODE).min(limits.nodes).min(MANY);
        self.tape.slots.reserve(nodes);
        self.keys.reserve();
    }

    fn fill(&mut self, text: &str, limits: &ReadLimits) -> Result<(), ReadError> {
        #[cfg(feature = "count-reads")]
        crate::reads::count();
        self.tape.clear();
        self.keys.clear();
        self.run(text, limits, &mut Nothing)
    }

    fn run(
        &mut self,
        text: &str,
        limits: &ReadLimits,
        earlier: &mut impl Earlier,
    ) -> Result<(), ReadError> {
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
        pass.run(earlier)?;
        self.keys.drop_marked(&mut self.tape)
    }
}

/// The checks that need no parsing: length, byte order mark, UTF-8.
pub(crate) fn admit<'a>(source: &'a [u8], limits: &ReadLimits) -> Result<&'a str, ReadError> {
    admit_bytes(source, limits)?;
    // The fast check does not say where a text is wrong.
    simdutf8::basic::from_utf8(source).or_else(|_| {
        std::str::from_utf8(source)
            .map_err(|error| ReadError::new(ReadErrorKind::InvalidUtf8, error.valid_up_to()))
    })
}

/// As [`admit`], without the UTF-8 check.
pub(crate) fn admit_bytes(source: &[u8], limits: &ReadLimits) -> Result<(), ReadError> {
    let allowed = limits.bytes.min(MAX_INDEX);
    if source.len() > allowed {
        return Err(ReadError::over(
            ReadErrorKind::TooLong,
            allowed,
            "bytes",
            allowed,
        ));
    }
    if source.starts_with(&[0xef, 0xbb, 0xbf]) {
        return Err(ReadError::new(ReadErrorKind::ByteOrderMark, 0));
    }
    Ok(())
}

/// One pass over one source.
#[derive(Debug)]
struct Pass<'r, 's> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    limits: &'r ReadLimits,
    max_nodes: usize,
    tape: &'r mut Tape,
    keys: &'r mut OpenKeys,
    names: &'r mut Vec<u32>,
}

/// The innermost open container; the outer ones are found through the tape.
#[derive(Clone, Copy)]
struct Open {
    /// Its slot, or [`NONE`] outside the root.
    own: u32,
    is_object: bool,
    /// Items or members seen so far.
    count: u32,
    depth: usize,
}

/// What is known of a text from an earlier one.
trait Earlier {
    /// Puts the next value on the tape and moves past it, if it is known. `parent` is the slot of its
    /// container.
    fn copy(&mut self, pass: &mut Pass<'_, '_>, parent: u32) -> bool;

    /// Called after a container that was not copied has been put on the tape.
    #[inline(always)]
    fn opened(&mut self, _: &mut Pass<'_, '_>, _own: u32) {}
}

/// Nothing is known of the text.
struct Nothing;

impl Earlier for Nothing {
    #[inline(always)]
    fn copy(&mut self, _: &mut Pass<'_, '_>, _: u32) -> bool {
        false
    }
}

impl Pass<'_, '_> {
    fn run(&mut self, earlier: &mut impl Earlier) -> Result<(), ReadError> {
        self.skip_space();
        let outermost = Open {
            own: NONE,
            is_object: false,
            count: 0,
            depth: 0,
        };
        self.value(outermost, earlier)?;
        self.finish()
    }

    /// Reads the next value and moves past it. `open` is the enclosing container, which has no
    /// slot.
    fn value(&mut self, mut open: Open, earlier: &mut impl Earlier) -> Result<(), ReadError> {
        loop {
            // A value is expected here.
            match self.peek() {
                _ if earlier.copy(self, open.own) => {}
                Some(b'"') => self.string(open.own)?,
                Some(b'{') => {
                    self.open(&mut open, Tag::Object)?;
                    earlier.opened(self, open.own);
                    if self.peek() != Some(b'}') {
                        self.key("a key or `}`")?;
                        continue;
                    }
                    self.close(&mut open)?;
                }
                Some(b'[') => {
                    self.open(&mut open, Tag::Array)?;
                    earlier.opened(self, open.own);
                    if self.peek() != Some(b']') {
                        continue;
                    }
                    self.close(&mut open)?;
                }
                Some(b'-' | b'0'..=b'9') => self.number(open.own)?,
                Some(b't') => self.word(b"true", Tag::True, open.own)?,
                Some(b'f') => self.word(b"false", Tag::False, open.own)?,
                Some(b'n') => self.word(b"null", Tag::Null, open.own)?,
                _ => return Err(self.unexpected("a value")),
            }
            // A value has ended, and possibly the containers around it.
            loop {
                if open.own == NONE {
                    return Ok(());
                }
                open.count += 1;
                if self.peek() != Some(b',') {
                    self.skip_space();
                }
                match (self.peek(), open.is_object) {
                    (Some(b','), false) => {
                        self.at += 1;
                        self.skip_space();
                        break;
                    }
                    (Some(b','), true) => {
                        self.at += 1;
                        self.skip_space();
                        self.key("a key")?;
                        break;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => self.close(&mut open)?,
                    (_, true) => return Err(self.unexpected("`,` or `}`")),
                    (_, false) => return Err(self.unexpected("`,` or `]`")),
                }
            }
        }
    }

    /// Opens the container whose bracket is next, and skips to its first byte.
    #[inline]
    fn open(&mut self, open: &mut Open, tag: Tag) -> Result<(), ReadError> {
        if open.depth >= self.limits.depth {
            return Err(ReadError::over(
                ReadErrorKind::TooDeep,
                self.at,
                "depth",
                self.limits.depth,
            ));
        }
        let own = bits::to_offset(self.tape.slots.len());
        self.push(Slot {
            start: bits::to_offset(self.at),
            end: 0,
            a: 0,
            b: 0,
            c: open.own,
            tag,
        })?;
        if let Some(outer) = self.tape.slots.get_mut(int::to_usize(open.own)) {
            outer.b = open.count;
        }
        *open = Open {
            own,
            is_object: tag == Tag::Object,
            count: 0,
            depth: open.depth + 1,
        };
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    /// Closes the innermost container; its bracket is next.
    #[inline]
    fn close(&mut self, open: &mut Open) -> Result<(), ReadError> {
        self.at += 1;
        let dropped = if open.is_object {
            self.end_keys(open.count)?
        } else {
            0
        };
        let after = bits::to_offset(self.tape.slots.len());
        let Some(slot) = self.tape.slots.get_mut(int::to_usize(open.own)) else {
            return Err(ReadError::internal(self.at, "a container without a slot"));
        };
        slot.end = bits::to_offset(self.at);
        slot.a = after;
        slot.b = open.count - dropped;
        let outer_own = slot.c;
        let (is_object, count) = self
            .tape
            .slot(outer_own)
            .map_or((false, 0), |outer| (outer.tag == Tag::Object, outer.b));
        *open = Open {
            own: outer_own,
            is_object,
            count,
            depth: open.depth - 1,
        };
        Ok(())
    }

    /// Looks for duplicates among the last `count` keys; returns how many
    /// members are dropped.
    #[inline]
    fn end_keys(&mut self, count: u32) -> Result<u32, ReadError> {
        let keep_last = self.limits.duplicate_keys == DuplicateKeys::KeepLast;
        self.keys.end(count, keep_last, self.tape, self.source)
    }

    /// Reads `true`, `false` or `null`; its first letter is next.
    #[inline(always)]
    fn word<const N: usize>(
        &mut self,
        word: &[u8; N],
        tag: Tag,
        parent: u32,
    ) -> Result<(), ReadError> {
        let start = self.at;
        let found = self.bytes.get(start..).and_then(<[u8]>::first_chunk::<N>);
        if found != Some(word) {
            return Err(self.misspelt(word, tag));
        }
        self.at += N;
        self.push(Slot {
            start: bits::to_offset(start),
            end: bits::to_offset(self.at),
            a: 0,
            b: 0,
            c: parent,
            tag,
        })
    }

    #[cold]
    fn misspelt(&mut self, word: &[u8], tag: Tag) -> ReadError {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let pairs = rest.iter().zip(word);
        self.at += pairs.take_while(|(found, letter)| found == letter).count();
        self.unexpected(match tag {
            Tag::True => "`true`",
            Tag::False => "`false`",
            _ => "`null`",
        })
    }

    fn finish(&mut self) -> Result<(), ReadError> {
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(ReadError::new(ReadErrorKind::TrailingBytes, self.at)
                .expected("the end of the text", self.source));
        }
        Ok(())
    }

    #[inline(always)]
    fn push(&mut self, slot: Slot) -> Result<(), ReadError> {
        if self.tape.slots.len() >= self.max_nodes {
            return Err(ReadError::over(
                ReadErrorKind::TooManyNodes,
                int::to_usize(slot.start),
                "nodes",
                self.max_nodes,
            ));
        }
        self.tape.slots.push(slot);
        Ok(())
    }

    #[inline(always)]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline(always)]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// The error for the byte at `self.at`, or for the end.
    #[cold]
    fn unexpected(&self, expected: &'static str) -> ReadError {
        let kind = if self.at < self.bytes.len() {
            ReadErrorKind::UnexpectedByte
        } else {
            ReadErrorKind::UnexpectedEnd
        };
        ReadError::new(kind, self.at).expected(expected, self.source)
    }
}

/// The most bytes or nodes one document can index; [`NONE`] is not an index.
#[expect(
    clippy::as_conversions,
    reason = "usize is at least 32 bits wide on every target of this crate"
)]
const MAX_INDEX: usize = (NONE - 1) as usize;
/// The approximate number of bytes for each key and value; less than in real documents.
const BYTES_PER_NODE: usize = 6;
/// The number of nodes that space is reserved for at the start.
const MANY: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::Node;

    fn footprint(reader: &Reader) -> Vec<(usize, usize)> {
        let Tape { slots, scratch, .. } = &reader.tape;
        let mut all = reader.keys.footprint().to_vec();
        all.push((slots.as_ptr().addr(), slots.capacity()));
        all.push((scratch.as_ptr().addr(), scratch.capacity()));
        all
    }

    /// The buffers of a warmed-up reader, which are all the memory it has, neither move nor grow.
    /// (An allocator that counts would need `unsafe`.)
    #[test]
    fn warm_buffers_stay() {
        let mut text = String::from("[");
        for index in 0..50 {
            text.push_str(
                r#"{"na\u006de":"x\ty","list":[1,2.5,-3e7,true,null],"deep":{"a":[]}},{"#,
            );
            for key in 0..2 * index {
                text.push_str(&format!("\"key{key}\":{key},"));
            }
            text.push_str("\"last\":\"\"},");
        }
        text.push_str("0]");
        let doubled = text.replace("\"deep\"", "\"list\"").replace("key1", "key");
        let refuse = ReadLimits::default();
        let keep = ReadLimits {
            duplicate_keys: DuplicateKeys::KeepLast,
            ..refuse
        };
        let mut reader = Reader::new();
        reader.read(text.as_bytes(), &refuse).unwrap();
        reader.read(doubled.as_bytes(), &keep).unwrap();
        let warm = footprint(&reader);
        assert!(warm.iter().all(|(_, capacity)| *capacity > 0), "{warm:?}");
        for _ in 0..3 {
            let document = reader.read(text.as_bytes(), &refuse).unwrap();
            assert_eq!(document.root().len(), 101);
            reader.read(doubled.as_bytes(), &keep).unwrap();
            reader.read(b"{\"a\":[1]}", &refuse).unwrap();
            assert_eq!(footprint(&reader), warm);
        }
    }
}
