//! JSON Pointers and Relative JSON Pointers.

/// A JSON Pointer in its string form: empty, or `/`-led tokens in which `~`
/// stands only before `0` or `1` (RFC 6901 section 3).
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

/// A number of levels to go up, then either a JSON Pointer or `#`.
pub(super) fn is_relative(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let levels = text.len() - rest.len();
    if levels == 0 || (levels > 1 && text.starts_with('0')) {
        return false;
    }
    rest == "#" || is_pointer(rest)
}
