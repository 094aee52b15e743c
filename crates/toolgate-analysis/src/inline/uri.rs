//! URI references against a base (RFC 3986 §5), as far as identifiers need it.

/// A reference before and behind its first `#`.
pub(super) fn split(reference: &str) -> (&str, Option<&str>) {
    match reference.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (reference, None),
    }
}

/// Resolves a reference without fragment; an empty base leaves it as it is.
pub(super) fn resolve(base: &str, reference: &str) -> String {
    if base.is_empty() || scheme(reference).is_some() {
        return tidy(reference);
    }
    if reference.is_empty() {
        return base.to_owned();
    }
    let (scheme, rest) = match scheme(base) {
        Some(at) => base.split_at(at + 1),
        None => ("", base),
    };
    if reference.starts_with("//") {
        return tidy(&format!("{scheme}{reference}"));
    }
    let authority_end = match rest.strip_prefix("//") {
        Some(after) => 2 + after.find(['/', '?']).unwrap_or(after.len()),
        None => 0,
    };
    let (authority, path) = rest.split_at(authority_end);
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    if reference.starts_with('?') {
        return format!("{scheme}{authority}{path}{reference}");
    }
    if reference.starts_with('/') {
        return tidy(&format!("{scheme}{authority}{reference}"));
    }
    let folder = path.rfind('/').and_then(|at| path.get(..=at));
    let folder = match folder {
        Some(folder) => folder,
        None if authority.is_empty() => "",
        None => "/",
    };
    tidy(&format!("{scheme}{authority}{folder}{reference}"))
}

/// Removes the dot segments of the path (RFC 3986 §5.2.4).
fn tidy(uri: &str) -> String {
    let start = scheme(uri).map_or(0, |at| at + 1);
    let (scheme, rest) = uri.split_at(start);
    let authority_end = match rest.strip_prefix("//") {
        Some(after) => 2 + after.find(['/', '?']).unwrap_or(after.len()),
        None => 0,
    };
    let (authority, rest) = rest.split_at(authority_end);
    let (path, query) = match rest.find('?') {
        Some(at) => rest.split_at(at),
        None => (rest, ""),
    };
    if !path.contains('.') {
        return uri.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(usize::from(absolute)).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    let root = if absolute { "/" } else { "" };
    format!("{scheme}{authority}{root}{}{query}", kept.join("/"))
}

/// Where the colon of the scheme stands.
fn scheme(text: &str) -> Option<usize> {
    let at = text.find([':', '/', '?'])?;
    let name = text.get(..at)?;
    let valid = text.get(at..)?.starts_with(':')
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    valid.then_some(at)
}

/// Decodes `%XX`; `None` if that is malformed or not UTF-8 then.
pub(super) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
            let value = digit(rest.next())? * 16 + digit(rest.next())?;
            bytes.push(u8::try_from(value).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_against_bases() {
        for (base, reference, expected) in [
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "./g/.", "http://a/b/c/g/"),
            ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
            ("http://a/b/c/d;p?q", "/g", "http://a/g"),
            ("http://a/b/c/d;p?q", "//g", "http://g"),
            ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
            ("http://a/b/c/d;p?q", "g:h", "g:h"),
            ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
            ("http://a", "b", "http://a/b"),
            ("", "folder/x.json", "folder/x.json"),
            ("folder/x.json", "y.json", "folder/y.json"),
            ("urn:uuid:1", "", "urn:uuid:1"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{base} {reference}");
        }
        assert_eq!(split("a#b#c"), ("a", Some("b#c")));
        assert_eq!(percent_decode("a%25%C3%A9").as_deref(), Some("a%é"));
        assert_eq!(percent_decode("%f"), None);
        assert_eq!(percent_decode("%ff"), None);
    }
}
