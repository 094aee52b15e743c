//! Looks ahead in a text that is read again afterwards.

use super::plain::plain_end;
use super::stream::kind_of;
use super::{Scalar, Stream};
use crate::int;
use crate::node::Kind;

/// The members of the next object, found by quotes, commas and brackets alone; see
/// [`Stream::members_ahead`].
///
/// Does not check whether the text is well-formed; if it is not, nothing about the result is
/// certain. Each member takes a step for each eight bytes of its key and its strings, and one for
/// each other byte.
#[derive(Clone, Debug)]
pub struct MembersAhead<'s> {
    bytes: &'s [u8],
    /// Where the last member's value begins, or `{` if there was none yet.
    at: usize,
    is_first: bool,
    /// How many more bytes inside members it may read.
    inside: usize,
}

/// A member found by looking ahead.
#[derive(Clone, Copy, Debug)]
pub struct MemberAhead<'s> {
    key: &'s [u8],
    /// Where its key begins, and where its value begins.
    start: usize,
    at: usize,
}

impl<'s> MemberAhead<'s> {
    /// Its key, which has no escapes.
    #[inline]
    #[must_use]
    pub fn key(&self) -> &'s [u8] {
        self.key
    }
}

impl<'s> Stream<'_, 's> {
    /// Passes the next key and its colon, if they belong to a member found by looking ahead in the
    /// same text. Returns the key.
    #[inline]
    pub fn known_key(&mut self, member: &MemberAhead<'s>) -> Option<Scalar<'s>> {
        if self.at() != member.start {
            return None;
        }
        self.pass_key(member.at);
        Some(self.key_at(member.start, member.start + member.key.len() + 2))
    }

    /// The kind of the member's value, by its first byte.
    #[inline]
    #[must_use]
    pub fn kind_of(&self, member: &MemberAhead<'s>) -> Option<Kind> {
        kind_of(*self.bytes().get(member.at)?)
    }

    /// The member's value, if it is neither an array nor an object nor a string with escapes. The
    /// position does not change.
    #[inline]
    pub fn scalar_of(&mut self, member: &MemberAhead<'s>) -> Option<Scalar<'s>> {
        self.scalar_at(member.at)
    }

    /// Looks ahead at the members of the next object, and at no more than `inside` bytes of the
    /// arrays and objects among them. The position does not change.
    ///
    /// `None` if the next value is not an object.
    ///
    /// ```
    /// use toolsure_json::{Kind, Node, ReadLimits, Reader};
    ///
    /// let mut reader = Reader::new();
    /// let limits = ReadLimits::default();
    /// let text = br#"{"size": [1, "}"], "kind": "a"}"#;
    /// let mut stream = reader.stream(text, &limits)?.ok_or("not offered")?;
    /// let mut members = stream.members_ahead(100).ok_or("no object")?;
    /// let first = members.next().ok_or("no sense")?.ok_or("no member")?;
    /// let second = members.next().ok_or("no sense")?.ok_or("no member")?;
    /// assert_eq!((first.key(), second.key()), (&b"size"[..], &b"kind"[..]));
    /// assert_eq!(stream.scalar_of(&second).map(|kind| kind.string()), Some("a"));
    /// assert_eq!(stream.kind_of(&second), Some(Kind::String));
    /// assert_eq!(members.at(), 27); // the last value
    /// assert!(members.next().ok_or("no sense")?.is_none());
    ///
    /// assert_eq!(stream.open(Kind::Object), Some(true));
    /// let key = stream.known_key(&first).ok_or("another key")?;
    /// assert_eq!((key.string(), stream.kind()), ("size", Some(Kind::Array)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn members_ahead(&self, inside: usize) -> Option<MembersAhead<'s>> {
        let members = MembersAhead {
            bytes: self.bytes(),
            at: self.at(),
            is_first: true,
            inside,
        };
        (members.bytes.get(members.at) == Some(&b'{')).then_some(members)
    }
}

impl<'s> MembersAhead<'s> {
    /// The next member: `Some(None)` after the last, `None` if the text makes no sense, a key has
    /// escapes, or members contain more bytes than allowed.
    #[inline]
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator could not tell the end from a text that makes no sense"
    )]
    pub fn next(&mut self) -> Option<Option<MemberAhead<'s>>> {
        let bytes = self.bytes;
        let start = if self.is_first {
            let first = space_end(bytes, self.at + 1);
            if bytes.get(first) == Some(&b'}') {
                return Some(None);
            }
            first
        } else {
            let end = value_end(bytes, self.at, &mut self.inside)?;
            let behind = space_end(bytes, end);
            match bytes.get(behind)? {
                b',' => space_end(bytes, behind + 1),
                b'}' => return Some(None),
                _ => return None,
            }
        };
        if bytes.get(start) != Some(&b'"') {
            return None;
        }
        let end = plain_end(bytes, start + 1);
        if bytes.get(end) != Some(&b'"') {
            return None;
        }
        let key = bytes.get(start + 1..end)?;
        let colon = space_end(bytes, end + 1);
        if bytes.get(colon) != Some(&b':') {
            return None;
        }
        let at = space_end(bytes, colon + 1);
        (self.at, self.is_first) = (at, false);
        Some(Some(MemberAhead { key, at, start }))
    }

    /// The current position in the text, in bytes.
    #[inline]
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }
}

#[inline]
fn space_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(b' ' | b'\n' | b'\r' | b'\t') = bytes.get(at) {
        at += 1;
    }
    at
}

/// Where the value that begins at `start` ends.
#[inline]
fn value_end(bytes: &[u8], start: usize, inside: &mut usize) -> Option<usize> {
    match bytes.get(start)? {
        b'"' => Some(string_end(bytes, start)? + 1),
        b'{' | b'[' => {
            let last = start.saturating_add(*inside).min(bytes.len());
            let end = brackets_end(bytes.get(..last)?, start)?;
            *inside -= end - start;
            Some(end)
        }
        _ => {
            let mut at = start;
            while !matches!(bytes.get(at)?, b',' | b'}' | b' ' | b'\n' | b'\r' | b'\t') {
                at += 1;
            }
            Some(at)
        }
    }
}

/// Where the array or object that begins at `start` ends.
#[inline(never)]
pub(super) fn brackets_end(bytes: &[u8], start: usize) -> Option<usize> {
    // Between these, brackets of the other kind are balanced.
    let opening = *bytes.get(start)?;
    let closing = opening.wrapping_add(2);
    let (mut at, mut depth, mut is_quoted) = (start, 0_usize, false);
    loop {
        let block = bytes.get(at..)?.first_chunk::<BLOCK>();
        if let Some(block) = block.map(|block| Brackets::of(*block, opening, closing))
            && !block.has_escapes
        {
            let quoted = block.quoted ^ if is_quoted { u32::from(u16::MAX) } else { 0 };
            let mut marks = (block.opening | block.closing) & !quoted;
            while marks != 0 {
                let mark = marks & marks.wrapping_neg();
                if block.opening & mark != 0 {
                    depth += 1;
                } else {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at + int::to_usize(mark.trailing_zeros()) + 1);
                    }
                }
                marks ^= mark;
            }
            is_quoted = quoted >> (BLOCK - 1) != 0;
            at += BLOCK;
            continue;
        }
        let end = at + BLOCK;
        while at < end {
            match *bytes.get(at)? {
                b'\\' if is_quoted => at += 1,
                b'"' => is_quoted = !is_quoted,
                byte if byte == opening && !is_quoted => depth += 1,
                byte if byte == closing && !is_quoted => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }
}

/// Where the brackets of one kind are in a block of bytes, the lowest bit for the first byte.
struct Brackets {
    opening: u32,
    closing: u32,
    /// The bytes in strings, if none is open before the block: opening quotes and what follows them.
    quoted: u32,
    has_escapes: bool,
}

impl Brackets {
    #[inline(always)]
    fn of(block: [u8; BLOCK], opening: u8, closing: u8) -> Self {
        let text = wide::u8x16::new(block);
        let places = |byte| text.simd_eq(wide::u8x16::splat(byte)).to_bitmask();
        let mut quoted = places(b'"');
        for shift in [1, 2, 4, 8] {
            quoted ^= quoted << shift;
        }
        Self {
            opening: places(opening),
            closing: places(closing),
            quoted: quoted & u32::from(u16::MAX),
            has_escapes: places(b'\\') != 0,
        }
    }
}

/// The closing quote of the string that begins at `start`.
#[inline]
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        at = plain_end(bytes, at);
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The bytes that are searched for brackets at once.
const BLOCK: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::{Kind, Node as _};
    use crate::{NodeId, ReadLimits, Reader};

    /// At each position of a block, the end of a container is where the reader finds it.
    #[test]
    fn containers_end_where_they_should() {
        let part = r#"[{"a\\":"\"}"},"{[\"",[],["]\\"],{"}":[{}],"\u007b":1}, "é}"]"#;
        for length in 0..40 {
            let space = " ".repeat(length);
            let text =
                format!(r#"[{space}{part},"{space}\\",{{"{space}]":{part}{space}}},{part}]"#);
            let mut reader = Reader::new();
            let document = reader.read(text.as_bytes(), &ReadLimits::default());
            let document = document.expect("it is JSON");
            for node in (0..document.len()).map(|index| document.view(NodeId::from_index(index))) {
                if matches!(node.kind(), Kind::Array | Kind::Object) {
                    let span = node.span();
                    let end = brackets_end(text.as_bytes(), span.start);
                    assert_eq!(end, Some(span.end), "{text}");
                    let cut = text.as_bytes().get(..span.end - 1).unwrap_or_default();
                    assert_eq!(brackets_end(cut, span.start), None, "{text}");
                }
            }
        }
    }
}
