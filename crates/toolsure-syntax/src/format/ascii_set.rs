//! Sets of ASCII characters, built at compile time; a membership test is one shift.

/// A set of ASCII characters; no other character is ever in it.
#[derive(Clone, Copy)]
pub(super) struct AsciiSet(u128);

impl AsciiSet {
    /// Letters of both cases and digits.
    pub(super) const ALPHANUMERIC: Self =
        Self::of(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");

    /// The characters of `text`.
    pub(super) const fn of(text: &[u8]) -> Self {
        let mut set = 0;
        let mut rest = text;
        while let Some((first, tail)) = rest.split_first() {
            let mut bit = 1;
            let mut byte = 0;
            while byte < *first {
                bit <<= 1;
                byte += 1;
            }
            set |= bit;
            rest = tail;
        }
        Self(set)
    }

    /// The union of two sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `c` is in the set.
    pub(super) fn has(self, c: char) -> bool {
        c.is_ascii() && self.0 >> u32::from(c) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::AsciiSet;

    #[test]
    fn a_set_has_its_characters_and_no_others() {
        let set = AsciiSet::of(b"\0~").and(AsciiSet::of(b"\x7f-"));
        for c in ['\0', '~', '\x7f', '-'] {
            assert!(set.has(c), "{c:?}");
        }
        for c in ['\x01', '}', ',', '\u{80}', '\u{FE}', '\u{10FFFF}'] {
            assert!(!set.has(c), "{c:?}");
        }
        assert!(
            ('\0'..='\u{7F}').all(|c| AsciiSet::ALPHANUMERIC.has(c) == c.is_ascii_alphanumeric())
        );
    }
}
