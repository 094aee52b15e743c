//! The rules for tool names (2026-07-28, server/tools, "Tool Names").

use std::fmt;

/// How a name breaks the protocol's recommendation. Such a tool still works.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameFault {
    /// It is empty.
    Empty,
    /// It has more than [`LONGEST`](NameFault::LONGEST) characters.
    TooLong {
        /// How many it has.
        characters: usize,
    },
    /// It has a character that is not one of `A-Z a-z 0-9 _ . -`.
    Character(char),
}

impl NameFault {
    /// The maximum number of characters of a name.
    pub const LONGEST: usize = 128;

    /// The first rule that a name breaks.
    ///
    /// ```
    /// use toolsure_analysis::tool::NameFault;
    ///
    /// assert_eq!(NameFault::of("find"), None);
    /// assert_eq!(NameFault::of("find it"), Some(NameFault::Character(' ')));
    /// ```
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        if name.is_empty() {
            return Some(Self::Empty);
        }
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
        if let Some(other) = name.chars().find(|c| !allowed(*c)) {
            return Some(Self::Character(other));
        }
        let characters = name.len();
        (characters > Self::LONGEST).then_some(Self::TooLong { characters })
    }
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the name is empty"),
            Self::TooLong { characters } => {
                write!(
                    f,
                    "the name has {characters} characters, more than {}",
                    Self::LONGEST
                )
            }
            Self::Character(character) => write!(
                f,
                "the name has a `{}`, which is not one of A-Z, a-z, 0-9, `_`, `.` and `-`",
                toolsure_json::quote(character.encode_utf8(&mut [0; 4]), 16)
            ),
        }
    }
}

/// Whether a character is a control character, a line break, has no width or changes the direction of
/// text. A name with one looks like another name, or breaks the lines of logs and terminals.
///
/// ```
/// use toolsure_analysis::tool::is_unseen;
///
/// assert!(['\0', '\n', '\u{202e}', '\u{200b}'].into_iter().all(is_unseen));
/// assert!(!is_unseen(' ') && !is_unseen('é'));
/// ```
#[must_use]
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}')
        || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_judged_at_the_bound() {
        assert_eq!(NameFault::of(&"a".repeat(128)), None);
        assert_eq!(
            NameFault::of(&"a".repeat(129)),
            Some(NameFault::TooLong { characters: 129 })
        );
        assert_eq!(NameFault::of("A.z_0-9"), None);
        assert_eq!(NameFault::of(""), Some(NameFault::Empty));
        assert_eq!(NameFault::of("a b"), Some(NameFault::Character(' ')));
        assert_eq!(NameFault::of("a/é"), Some(NameFault::Character('/')));
    }
}
