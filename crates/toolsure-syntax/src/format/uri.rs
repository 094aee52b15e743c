//! URIs and IRIs and references to them (RFC 3986 and RFC 3987).
//!
//! Only the grammar is checked: nothing is decoded, normalized or resolved,
//! and no scheme's own rules are applied.

use super::ascii_set::AsciiSet;
use super::ip;
use crate::uri::split_scheme;

/// `URI`: with a scheme, in ASCII.
pub(super) fn is_uri(text: &str) -> bool {
    is_absolute(text, Alphabet::Ascii)
}

/// `URI-reference`: a URI or a relative reference, in ASCII.
pub(super) fn is_uri_reference(text: &str) -> bool {
    is_reference(text, Alphabet::Ascii)
}

/// `IRI`: with a scheme, in Unicode.
pub(super) fn is_iri(text: &str) -> bool {
    is_absolute(text, Alphabet::Unicode)
}

/// `IRI-reference`: an IRI or a relative reference, in Unicode.
pub(super) fn is_iri_reference(text: &str) -> bool {
    is_reference(text, Alphabet::Unicode)
}

/// Whether `c` is one of the characters that an IRI allows but a URI does not (`ucschar`).
pub(super) fn is_ucs_char(c: char) -> bool {
    matches!(
        c,
        '\u{A0}'..='\u{D7FF}'
            | '\u{F900}'..='\u{FDCF}'
            | '\u{FDF0}'..='\u{FFEF}'
            | '\u{10000}'..='\u{1FFFD}'
            | '\u{20000}'..='\u{2FFFD}'
            | '\u{30000}'..='\u{3FFFD}'
            | '\u{40000}'..='\u{4FFFD}'
            | '\u{50000}'..='\u{5FFFD}'
            | '\u{60000}'..='\u{6FFFD}'
            | '\u{70000}'..='\u{7FFFD}'
            | '\u{80000}'..='\u{8FFFD}'
            | '\u{90000}'..='\u{9FFFD}'
            | '\u{A0000}'..='\u{AFFFD}'
            | '\u{B0000}'..='\u{BFFFD}'
            | '\u{C0000}'..='\u{CFFFD}'
            | '\u{D0000}'..='\u{DFFFD}'
            | '\u{E1000}'..='\u{EFFFD}'
    )
}

/// Whether `c` is one of the characters that an IRI allows only in its query (`iprivate`).
pub(super) fn is_private_char(c: char) -> bool {
    matches!(
        c,
        '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{FFFFD}' | '\u{100000}'..='\u{10FFFD}'
    )
}

/// Takes what follows a `%`: two hex digits.
pub(super) fn take_percent_digits(chars: &mut std::str::Chars<'_>) -> bool {
    let mut digit = || chars.next().is_some_and(|c| c.is_ascii_hexdigit());
    digit() && digit()
}

/// Which characters represent themselves.
#[derive(Clone, Copy, PartialEq)]
enum Alphabet {
    Ascii,
    Unicode,
}

/// The parts that allow different characters.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    UserInfo,
    RegisteredName,
    Path,
    Query,
    Fragment,
}

impl Part {
    /// The ASCII characters that represent themselves.
    fn ascii(self) -> AsciiSet {
        match self {
            Self::RegisteredName => PLAIN,
            Self::UserInfo => PLAIN_AND_COLON,
            Self::Path => PATH,
            Self::Query | Self::Fragment => QUERY,
        }
    }
}

fn is_absolute(text: &str, alphabet: Alphabet) -> bool {
    split_scheme(text).is_some_and(|(_, rest)| is_hierarchy(rest, alphabet))
}

fn is_reference(text: &str, alphabet: Alphabet) -> bool {
    match split_scheme(text) {
        Some((_, rest)) => is_hierarchy(rest, alphabet),
        // The first segment of a relative path cannot have a colon.
        None => {
            let segment = text.split(['/', '?', '#']).next();
            !segment.is_some_and(|segment| segment.contains(':')) && is_hierarchy(text, alphabet)
        }
    }
}

/// Everything after the scheme: authority, path, query and fragment.
fn is_hierarchy(text: &str, alphabet: Alphabet) -> bool {
    let (text, fragment) = text.split_once('#').unwrap_or((text, ""));
    let (text, query) = text.split_once('?').unwrap_or((text, ""));
    let (authority, path) = match text.strip_prefix("//") {
        None => ("", text),
        Some(rest) => match rest.find('/').and_then(|at| rest.split_at_checked(at)) {
            Some((authority, path)) => (authority, path),
            None => (rest, ""),
        },
    };
    is_authority(authority, alphabet)
        && is_made_of(path, Part::Path, alphabet)
        && is_made_of(query, Part::Query, alphabet)
        && is_made_of(fragment, Part::Fragment, alphabet)
}

fn is_authority(authority: &str, alphabet: Alphabet) -> bool {
    let (user, host) = authority.split_once('@').unwrap_or(("", authority));
    if !is_made_of(user, Part::UserInfo, alphabet) {
        return false;
    }
    match host.strip_prefix('[') {
        Some(literal) => literal.split_once(']').is_some_and(|(address, port)| {
            is_ip_literal(address) && (port.is_empty() || is_port(port))
        }),
        None => match host.find(':').and_then(|at| host.split_at_checked(at)) {
            Some((name, port)) => is_made_of(name, Part::RegisteredName, alphabet) && is_port(port),
            None => is_made_of(host, Part::RegisteredName, alphabet),
        },
    }
}

/// A colon and any number of digits, including none.
fn is_port(port: &str) -> bool {
    port.strip_prefix(':')
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What brackets may contain: an IPv6 address or an `IPvFuture`.
fn is_ip_literal(address: &str) -> bool {
    match address.strip_prefix(['v', 'V']) {
        Some(future) => future.split_once('.').is_some_and(|(version, rest)| {
            !version.is_empty()
                && version.bytes().all(|byte| byte.is_ascii_hexdigit())
                && !rest.is_empty()
                && rest.chars().all(|c| PLAIN_AND_COLON.has(c))
        }),
        None => ip::is_v6(address),
    }
}

fn is_made_of(text: &str, part: Part, alphabet: Alphabet) -> bool {
    let ascii = part.ascii();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let fits = if c.is_ascii() {
            ascii.has(c) || (c == '%' && take_percent_digits(&mut chars))
        } else {
            alphabet == Alphabet::Unicode
                && (is_ucs_char(c) || (part == Part::Query && is_private_char(c)))
        };
        if !fits {
            return false;
        }
    }
    true
}

/// `unreserved` and `sub-delims`: allowed in every part.
const PLAIN: AsciiSet = AsciiSet::ALPHANUMERIC.and(AsciiSet::of(b"-._~!$&'()*+,;="));

/// `pchar` without percent-encoding, plus the slashes between segments.
const PATH: AsciiSet = PLAIN.and(AsciiSet::of(b":@/"));

const QUERY: AsciiSet = PATH.and(AsciiSet::of(b"?"));

const PLAIN_AND_COLON: AsciiSet = PLAIN.and(AsciiSet::of(b":"));

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    const ABSOLUTE: &[&str] = &[
        "a:",
        "a:b",
        "A+1.-:b",
        "a:/",
        "a://",
        "a:///",
        "a://b",
        "a:?",
        "a:#",
        "a:?#",
        "a:b?c#d",
        "a:b?c?d/e",
        "a:b#c?d/e",
        "a:b:c",
        "a:@",
        "a:/b//c",
        "http://example.com",
        "http://example.com:",
        "http://example.com:80",
        "http://example.com:99999999999",
        "http://user@example.com",
        "http://user:pass:word@example.com/",
        "http://@example.com",
        "http://:80",
        "http://192.0.2.1",
        "http://999.1",
        "http://[::1]",
        "http://[::1]:80/a",
        "http://[v1.a]",
        "http://[VfF.:]",
        "http://u@[::ffff:192.0.2.1]",
        "http://a%20b",
        "http://%C3%BC:1",
        "http://example.com/%7Euser/a;b=c,d!$&'()*+",
        "urn:example:a:b",
        "tag:a@b,2024:c",
        "mailto:a@b",
        "data:,a%2Cb",
        "file:///etc/hosts",
    ];

    const RELATIVE: &[&str] = &[
        "", "/", "//", "///", "a", "a/b", "./a:b", "a/b:c", "../a", "?", "?a:b", "#", "#a:b",
        "//a", "//a:80/b", "//[::1]", "a?b#c", "%41", "@", "a@b", ";a", "a;b=c", "/a:b", "1",
        "1.2/a:b",
    ];

    const NEITHER: &[&str] = &[
        ":",
        ":a",
        "1a:b",
        "-a:b",
        "+a:b",
        "a_b:c",
        "a b:c",
        "%61:b",
        "a:b c",
        "a:b\\c",
        "a:<b>",
        "a:{b}",
        "a:b|c",
        "a:b^c",
        "a:b`c",
        "a:\"b\"",
        "a:b[c]",
        "a:[b",
        "a:b]c",
        "a:%",
        "a:%4",
        "a:%4g",
        "a:%g4",
        "a:%%41",
        "a:b#c#d",
        "a:b##",
        "a:#b[",
        "a:?b[0]=c",
        "http://a:b",
        "http://a:8 0",
        "http://a:-1",
        "http://a:80:80",
        "http://[::1",
        "http://::1]",
        "http://::1",
        "http://[]",
        "http://[::1]a",
        "http://[::1]80",
        "http://[::g]",
        "http://[1.2.3.4]",
        "http://[v.a]",
        "http://[v1.]",
        "http://[v1a]",
        "http://[vg.a]",
        "http://[v1.%41]",
        "http://[::1%25eth0]",
        "http://[fe80::1%eth0]",
        "http://[[::1]]",
        "http://a@b@c",
        "http://a[@b",
        "http://a]@b",
        "http://a@[b]",
        "http://a\\b",
        "a:\0",
        "a:\n",
        "a:\u{7f}",
        "//a:b",
        "a\\b",
        "[a]",
        "<a>",
        "#a#b",
        "//[",
        "//]",
    ];

    /// Allowed in IRIs everywhere except in the scheme, in URIs nowhere.
    const UNICODE: &[&str] = &[
        "a:ü",
        "a://ü",
        "a://ü@ü:1/ü?ü#ü",
        "a:\u{a0}",
        "a:\u{d7ff}",
        "a:\u{f900}",
        "a:\u{fdcf}",
        "a:\u{fdf0}",
        "a:\u{ffef}",
        "a:\u{10000}",
        "a:\u{1fffd}",
        "a:\u{e1000}",
        "a:👍",
        "a:?\u{e000}",
        "a:?\u{10fffd}",
    ];

    const NOT_EVEN_UNICODE: &[&str] = &[
        "ü:a",
        "aü:b",
        "a:\u{80}",
        "a:\u{9f}",
        "a:\u{e000}",
        "a:#\u{e000}",
        "a://\u{f8ff}",
        "a:\u{fdd0}",
        "a:\u{fdef}",
        "a:\u{fff0}",
        "a:\u{fffd}",
        "a:\u{ffff}",
        "a:\u{1fffe}",
        "a:\u{e0001}",
        "a:\u{f0000}",
        "a:?\u{ffffe}",
        "a:?\u{10ffff}",
        "a:ü ü",
        "a:%ü",
        "http://a:８０",
        "http://[::１]",
    ];

    #[test]
    fn with_a_scheme() {
        for format in [Format::Uri, Format::Iri] {
            check(format, ABSOLUTE, RELATIVE);
            check(format, &[], NEITHER);
            check(format, &[], NOT_EVEN_UNICODE);
        }
        check(Format::Uri, &[], UNICODE);
        check(Format::Iri, UNICODE, &[]);
    }

    #[test]
    fn with_or_without_a_scheme() {
        for format in [Format::UriReference, Format::IriReference] {
            check(format, ABSOLUTE, NEITHER);
            check(format, RELATIVE, NOT_EVEN_UNICODE);
        }
        let relative: Vec<&str> = UNICODE
            .iter()
            .map(|text| text.strip_prefix("a:").unwrap_or(text))
            .collect();
        check(Format::UriReference, &[], UNICODE);
        check(Format::UriReference, &[], &relative);
        check(Format::IriReference, UNICODE, &[]);
        check(Format::IriReference, &relative, &[]);
    }
}
