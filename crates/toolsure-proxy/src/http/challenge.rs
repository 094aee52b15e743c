//! The member `resource_metadata` of challenges (`WWW-Authenticate`; RFC 9728, section 5.1).

use std::ops::Range;

/// The URL of the metadata that a challenge names; an empty one counts as none.
pub(super) fn metadata_url(challenge: &[u8]) -> Option<String> {
    let value = values(challenge).next()?;
    let value = challenge.get(value)?;
    let quoted = value
        .strip_prefix(b"\"")
        .map(|rest| rest.strip_suffix(b"\"").unwrap_or(rest));
    let text = match quoted {
        None => value.to_vec(),
        Some(quoted) => {
            let mut bytes = quoted.iter();
            let mut text = Vec::with_capacity(quoted.len());
            while let Some(byte) = bytes.next() {
                text.extend(match byte {
                    b'\\' => bytes.next(),
                    byte => Some(byte),
                });
            }
            text
        }
    };
    String::from_utf8(text).ok().filter(|text| !text.is_empty())
}

/// The challenge with another URL of the metadata wherever it names one; unchanged otherwise. `url`
/// has no characters that must be escaped.
pub(crate) fn with_metadata_url(challenge: &[u8], url: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(challenge.len().saturating_add(url.len()));
    let mut copied = 0;
    for value in values(challenge) {
        out.extend_from_slice(challenge.get(copied..value.start).unwrap_or_default());
        out.push(b'"');
        out.extend_from_slice(url.as_bytes());
        out.push(b'"');
        copied = value.end;
    }
    out.extend_from_slice(challenge.get(copied..).unwrap_or_default());
    out
}

/// The places of the values of `resource_metadata`, quotes included. Text in quoted strings is no
/// member.
fn values(challenge: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    let mut may_begin = true;
    std::iter::from_fn(move || {
        loop {
            let rest = challenge.get(at..)?;
            let first = *rest.first()?;
            let head = rest.get(..NAME.len()).unwrap_or_default();
            if may_begin && head.eq_ignore_ascii_case(NAME) {
                at = at.saturating_add(NAME.len());
                may_begin = false;
                let start = skip_spaces(challenge, at);
                if challenge.get(start) == Some(&b'=') {
                    let start = skip_spaces(challenge, start.saturating_add(1));
                    at = end_of_value(challenge, start);
                    return Some(start..at);
                }
                continue;
            }
            may_begin = matches!(first, b' ' | b'\t' | b',');
            at = match first {
                b'"' => end_of_value(challenge, at),
                _ => at.saturating_add(1),
            };
        }
    })
}

fn skip_spaces(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default().iter();
    let spaces = rest.take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    from.saturating_add(spaces)
}

/// The end of a token or of a quoted string, which may never end.
fn end_of_value(text: &[u8], start: usize) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    let length = match rest.split_first() {
        Some((b'"', quoted)) => {
            let mut is_escaped = false;
            let end = quoted.iter().position(|byte| {
                let ends = *byte == b'"' && !is_escaped;
                is_escaped = *byte == b'\\' && !is_escaped;
                ends
            });
            end.map_or(rest.len(), |end| end.saturating_add(2))
        }
        _ => {
            let end = |byte: &u8| matches!(byte, b' ' | b'\t' | b',');
            rest.iter().position(end).unwrap_or(rest.len())
        }
    };
    start.saturating_add(length)
}

const NAME: &[u8] = b"resource_metadata";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_url_of_the_metadata_is_replaced() {
        for (challenge, url, rewritten) in [
            ("Bearer", None, "Bearer"),
            (
                r#"Bearer resource_metadata="https://a/b", scope="x""#,
                Some("https://a/b"),
                r#"Bearer resource_metadata="u", scope="x""#,
            ),
            (
                r#"Bearer error="x, resource_metadata=\"no\"",Resource_Metadata = https://a"#,
                Some("https://a"),
                r#"Bearer error="x, resource_metadata=\"no\"",Resource_Metadata = "u""#,
            ),
            (
                r#"Basic realm="a", Bearer resource_metadata="h\t\"p", DPoP resource_metadata=b"#,
                Some("ht\"p"),
                r#"Basic realm="a", Bearer resource_metadata="u", DPoP resource_metadata="u""#,
            ),
            (
                "Bearer my_resource_metadata=x",
                None,
                "Bearer my_resource_metadata=x",
            ),
            (
                "Bearer resource_metadata_2=x",
                None,
                "Bearer resource_metadata_2=x",
            ),
            ("resource_metadata", None, "resource_metadata"),
            ("resource_metadata=", None, r#"resource_metadata="u""#),
            (
                r#"Bearer resource_metadata="never ends"#,
                Some("never ends"),
                r#"Bearer resource_metadata="u""#,
            ),
        ] {
            let bytes = challenge.as_bytes();
            assert_eq!(metadata_url(bytes).as_deref(), url, "{challenge}");
            let found = with_metadata_url(bytes, "u");
            assert_eq!(String::from_utf8(found).unwrap(), rewritten, "{challenge}");
        }
    }
}
