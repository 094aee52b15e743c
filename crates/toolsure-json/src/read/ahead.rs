//! Looks ahead in a text that is read again afterwards.

use super::plain::plain_end;
use super::stream::kind_of;
use super::{Scalar, Stream};
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
fn brackets_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    let mut open = 0_usize;
    loop {
        match *BRACKETS.get(usize::from(*bytes.get(at)?))? {
            0 => {}
            1 => at = string_end(bytes, at)?,
            2 => open += 1,
            _ => {
                open = open.checked_sub(1)?;
                if open == 0 {
                    return Some(at + 1);
                }
            }
        }
        at += 1;
    }
}

/// 1 for a quote, 2 for an opening bracket, 3 for a closing one, 0 for every other byte.
static BRACKETS: [u8; 256] = brackets();

const fn brackets() -> [u8; 256] {
    let mut table = [0; 256];
    let mut rest: &mut [u8] = &mut table;
    let mut byte = 0_u8;
    while let [first, others @ ..] = rest {
        *first = match byte {
            b'"' => 1,
            b'{' | b'[' => 2,
            b'}' | b']' => 3,
            _ => 0,
        };
        byte = byte.wrapping_add(1);
        rest = others;
    }
    table
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
