//! JSON Pointers and Relative JSON Pointers.

/// A JSON Pointer in its string form: empty, or tokens that each start with `/` and in which `~`
/// occurs only before `0` or `1` (RFC 6901 section 3).
pub(super) fn is_pointer(text: &str) -> bool {
    if !text.is_empty() && !text.starts_with('/') {
        return false;
    }
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        if byte == b'~' && !matches!(bytes.next(), Some(b'0' | b'1')) {
            return false;
        }
    }
    true
}

/// A number of levels to go up, optionally an index to move by if `moves` is set, then a JSON
/// Pointer or `#` (draft-bhutton-relative-json-pointer-00 section 3; this draft, to which dialect
/// 2020-12 refers, added the index, which `#` may follow).
pub(super) fn is_relative(text: &str, moves: bool) -> bool {
    let Some((_, rest)) = split_number(text) else {
        return false;
    };
    let rest = match rest.strip_prefix(['+', '-']) {
        None => rest,
        Some(_) if !moves => return false,
        Some(index) => match split_number(index) {
            Some((number, rest)) if number != "0" => rest,
            _ => return false,
        },
    };
    rest == "#" || is_pointer(rest)
}

/// Splits after a number without leading zeros; `None` if there is none.
fn split_number(text: &str) -> Option<(&str, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 || (digits > 1 && text.starts_with('0')) {
        return None;
    }
    text.split_at_checked(digits)
}

#[cfg(test)]
mod tests {
    use crate::dialect::Dialect;

    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn an_index_moves_since_2020_12_alone() {
        for dialect in Dialect::ALL {
            let format = Format::RelativeJsonPointer.in_dialect(dialect);
            assert_eq!(format.name(), "relative-json-pointer");
            for text in ["1", "0#", "1/a", "0"] {
                assert!(format.accepts(text), "{dialect:?} {text}");
            }
            for text in ["1-1", "0+1#", "2-3/a"] {
                let moves = dialect == Dialect::Draft202012;
                assert_eq!(format.accepts(text), moves, "{dialect:?} {text}");
            }
        }
    }

    #[test]
    fn pointers() {
        check(
            Format::JsonPointer,
            &[
                "",
                "/",
                "//",
                "/a",
                "/a/b",
                "/a//b/",
                "/0",
                "/-",
                "/~0",
                "/~1",
                "/~01",
                "/~10",
                "/~0~1/~1~0",
                "/a b",
                "/%41",
                "/%",
                "/ä",
                "/👍",
                "/\0",
                "/\n",
                "/\"",
                "/\\",
                "/#",
                "/^|`",
            ],
            &[
                "a", "0", "#", "#/a", "#/", "a/b", " /a", "~0", "/~", "/~2", "/~a", "/~~0", "/~/",
                "/a/~", "/~ä", "/~０", "/~-1", "/~\0", "\0",
            ],
        );
    }

    #[test]
    fn relative_pointers() {
        check(
            Format::RelativeJsonPointer,
            &[
                "0",
                "1",
                "10",
                "120",
                "0#",
                "10#",
                "0/",
                "1/a",
                "2/a/b~0/~1",
                "0/0",
                "1//",
                "99999999999999999999999/a",
                "0+1",
                "0-1",
                "1+10/a",
                "0-1#",
                "3-12/~0",
                "0/ä",
            ],
            &[
                "#", "/", "/a", "a", "-1", "+1", "-0", "00", "01", "01/a", "00#", "0##", "0#/a",
                "0#a", "0a", "1~0", "1/~", "1/~2", " 0", "0 ", "1.5", "1e1", "٣", "０", "0+", "0-",
                "0+0", "0+01", "0++1", "0+1-1", "0+1a", "0+#", "0-/a", "+1/a",
            ],
        );
    }
}
