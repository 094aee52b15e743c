//! Splits URI references, and resolves them against a base (RFC 3986 §5).

/// A URI reference in its five parts (RFC 3986 appendix B). Every string can be split: an invalid
/// reference matches nothing that is registered.
///
/// ```
/// use toolsure_syntax::uri::Parts;
///
/// let parts = Parts::split("other.json?v=1#/$defs/a");
/// assert_eq!(parts.fragment, Some("/$defs/a"));
/// assert!(!parts.is_same_document());
/// assert!(Parts::split("#/$defs/a").is_same_document());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
    /// The fragment, still percent-encoded.
    pub fragment: Option<&'a str>,
}

impl<'a> Parts<'a> {
    /// Splits a reference.
    pub fn split(text: &'a str) -> Self {
        let (text, fragment) = split(text);
        if text.is_empty() {
            return Self {
                scheme: None,
                authority: None,
                path: "",
                query: None,
                fragment,
            };
        }
        let (text, query) = match text.split_once('?') {
            Some((before, query)) => (before, Some(query)),
            None => (text, None),
        };
        let (scheme, rest) = match split_scheme(text) {
            Some((scheme, rest)) => (Some(scheme), rest),
            None => (None, text),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(rest) => match rest.find('/') {
                Some(at) => {
                    let (authority, path) = rest.split_at(at);
                    (Some(authority), path)
                }
                None => (Some(rest), ""),
            },
            None => (None, rest),
        };
        Self {
            scheme,
            authority,
            path,
            query,
            fragment,
        }
    }

    /// Whether it has only a fragment.
    pub fn is_same_document(self) -> bool {
        self.scheme.is_none()
            && self.authority.is_none()
            && self.path.is_empty()
            && self.query.is_none()
    }
}

/// Splits a reference at its first `#`.
///
/// ```
/// use toolsure_syntax::uri;
///
/// assert_eq!(uri::split("a.json#b"), ("a.json", Some("b")));
/// assert_eq!(uri::split("a.json"), ("a.json", None));
/// ```
#[must_use]
pub fn split(reference: &str) -> (&str, Option<&str>) {
    // Most references are a fragment alone.
    if let Some(fragment) = reference.strip_prefix('#') {
        return ("", Some(fragment));
    }
    match reference.split_once('#') {
        Some((before, fragment)) => (before, Some(fragment)),
        None => (reference, None),
    }
}

/// The scheme of a reference (RFC 3986 §3.1) and what follows its colon; `None` for a relative
/// reference (§4.2). Does not check what follows.
///
/// ```
/// use toolsure_syntax::uri;
///
/// assert_eq!(uri::split_scheme("urn:a:b"), Some(("urn", "a:b")));
/// assert_eq!(uri::split_scheme("https:"), Some(("https", "")));
/// assert_eq!(uri::split_scheme("//example.com:80/a"), None);
/// assert_eq!(uri::split_scheme("1st:a"), None);
/// ```
#[must_use]
pub fn split_scheme(reference: &str) -> Option<(&str, &str)> {
    reference.split_once(':').filter(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
    })
}

/// Resolves a reference against a base URI; the result has no fragment (RFC 3986 §5.2.2). With an
/// empty base, the reference stays as it is.
///
/// ```
/// use toolsure_syntax::uri;
///
/// assert_eq!(uri::resolve("https://example.com/a/b", "../c#d"), "https://example.com/c");
/// assert_eq!(uri::resolve("", "c"), "c");
/// ```
#[must_use]
pub fn resolve(base: &str, reference: &str) -> String {
    let r = Parts::split(reference);
    if r.scheme.is_some() || base.is_empty() {
        return compose(r.scheme, r.authority, &without_dots(r.path), r.query);
    }
    let b = Parts::split(base);
    if r.authority.is_some() {
        return compose(b.scheme, r.authority, &without_dots(r.path), r.query);
    }
    if r.path.is_empty() {
        return compose(b.scheme, b.authority, b.path, r.query.or(b.query));
    }
    let merged = if r.path.starts_with('/') {
        without_dots(r.path)
    } else if b.authority.is_some() && b.path.is_empty() {
        without_dots(&format!("/{}", r.path))
    } else {
        let folder = b
            .path
            .rfind('/')
            .map_or("", |at| b.path.get(..=at).unwrap_or(""));
        without_dots(&format!("{folder}{}", r.path))
    };
    compose(b.scheme, b.authority, &merged, r.query)
}

/// Removes `.` and `..` segments (RFC 3986 §5.2.4).
fn without_dots(path: &str) -> String {
    if !path.contains('.') {
        return path.to_owned();
    }
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(usize::from(absolute)).peekable();
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." if last => kept.push(""),
            "." => {}
            ".." => {
                kept.pop();
                if last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    let joined = kept.join("/");
    if absolute {
        format!("/{joined}")
    } else {
        joined
    }
}

fn compose(
    scheme: Option<&str>,
    authority: Option<&str>,
    path: &str,
    query: Option<&str>,
) -> String {
    let mut text = String::with_capacity(path.len() + 32);
    if let Some(scheme) = scheme {
        text.push_str(scheme);
        text.push(':');
    }
    if let Some(authority) = authority {
        text.push_str("//");
        text.push_str(authority);
    }
    text.push_str(path);
    if let Some(query) = query {
        text.push('?');
        text.push_str(query);
    }
    text
}

/// Decodes `%XX` in a fragment (RFC 3986 §2.1); `None` if an escape is invalid or the result is not
/// UTF-8.
///
/// ```
/// use toolsure_syntax::uri;
///
/// assert_eq!(uri::percent_decode("/$defs/a%20b").as_deref(), Some("/$defs/a b"));
/// assert_eq!(uri::percent_decode("%F"), None);
/// ```
#[must_use]
pub fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
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

    /// RFC 3986 §5.4: the base and its normal and abnormal examples, without fragments.
    #[test]
    fn rfc_3986_examples() {
        let base = "http://a/b/c/d;p?q";
        for (reference, expected) in [
            ("g:h", "g:h"),
            ("g", "http://a/b/c/g"),
            ("./g", "http://a/b/c/g"),
            ("g/", "http://a/b/c/g/"),
            ("/g", "http://a/g"),
            ("//g", "http://g"),
            ("?y", "http://a/b/c/d;p?y"),
            ("g?y", "http://a/b/c/g?y"),
            ("#s", "http://a/b/c/d;p?q"),
            (";x", "http://a/b/c/;x"),
            ("", "http://a/b/c/d;p?q"),
            (".", "http://a/b/c/"),
            ("./", "http://a/b/c/"),
            ("..", "http://a/b/"),
            ("../g", "http://a/b/g"),
            ("../..", "http://a/"),
            ("../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
        ] {
            assert_eq!(resolve(base, reference), expected, "{reference}");
        }
        assert_eq!(resolve("", "folder/x.json"), "folder/x.json");
        assert_eq!(resolve("urn:uuid:1", "#a"), "urn:uuid:1");
        assert_eq!(resolve("http://a", "b"), "http://a/b");
    }

    #[test]
    fn percent_decoding() {
        assert_eq!(percent_decode("a%25b%22").as_deref(), Some("a%b\""));
        assert_eq!(percent_decode("%C3%A9").as_deref(), Some("é"));
        for bad in ["%", "%4", "%zz", "%FF"] {
            assert_eq!(percent_decode(bad), None, "{bad}");
        }
    }
}
