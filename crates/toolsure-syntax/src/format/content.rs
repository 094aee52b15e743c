//! Documents inside strings, which draft 7's content keywords may assert.

use toolsure_json::{ReadLimits, Reader};

/// Whether a string has the `contentEncoding` and the `contentMediaType`: base64 (RFC 4648 §4, with
/// padding), and after decoding, or instead, a JSON text (RFC 8259).
///
/// ```
/// use toolsure_syntax::format::content;
///
/// assert!(content::accepts("e30=", true, true)); // `{}` in base64
/// assert!(!content::accepts("e30", true, false));
/// ```
#[must_use]
pub fn accepts(text: &str, base64: bool, json: bool) -> bool {
    if !base64 {
        return !json || is_json(text.as_bytes());
    }
    match decode(text.as_bytes()) {
        Some(bytes) => !json || is_json(&bytes),
        None => false,
    }
}

fn is_json(text: &[u8]) -> bool {
    Reader::new().read(text, &ReadLimits::default()).is_ok()
}

/// Decodes base64; `None` if it is invalid.
fn decode(text: &[u8]) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let groups = text.len() / 4;
    for (index, group) in text.chunks_exact(4).enumerate() {
        let padding = group.iter().rev().take_while(|byte| **byte == b'=').count();
        if padding > 2 || (padding > 0 && index + 1 < groups) {
            return None;
        }
        let mut word = 0_u32;
        for byte in group.iter().take(4 - padding) {
            word = word << 6 | sextet(*byte)?;
        }
        word <<= 6 * u32::try_from(padding).ok()?;
        let [_, decoded @ ..] = word.to_be_bytes();
        bytes.extend(decoded.iter().take(3 - padding));
    }
    Some(bytes)
}

fn sextet(byte: u8) -> Option<u32> {
    let value = match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_of_rfc_4648() {
        for (text, bytes) in [
            ("", Some("")),
            ("Zg==", Some("f")),
            ("Zm8=", Some("fo")),
            ("Zm9v", Some("foo")),
            ("Zm9vYmFy", Some("foobar")),
            ("Zg=", None),
            ("Zg", None),
            ("Z===", None),
            ("Zg==Zg==", None),
            ("Zm9%", None),
        ] {
            assert_eq!(
                decode(text.as_bytes()).as_deref(),
                bytes.map(str::as_bytes),
                "{text}"
            );
        }
    }

    #[test]
    fn media_types() {
        assert!(accepts("{}", false, true));
        assert!(!accepts("{:}", false, true));
        assert!(accepts("e30=", true, true));
        assert!(!accepts("ezp9", true, true));
        assert!(accepts("ezp9", true, false));
    }
}
