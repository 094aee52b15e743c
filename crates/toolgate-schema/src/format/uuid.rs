//! UUIDs in their text form (RFC 4122 section 3).

/// Whether `text` is 32 hex digits of either case, in groups of 8, 4, 4, 4 and
/// 12 joined by hyphens. Any version and variant will do.
pub(super) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}
