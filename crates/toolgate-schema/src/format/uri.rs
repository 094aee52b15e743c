//! URIs and IRIs and references to them (RFC 3986 and RFC 3987).
//!
//! Only the grammar is checked: nothing is decoded, normalized or resolved,
//! and no scheme's own rules are applied.

use super::ascii_set::AsciiSet;
use super::ip;

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

/// Whether `c` is one of the characters an IRI has beyond a URI (`ucschar`).
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

/// Whether `c` is one of the characters an IRI has only in its query
/// (`iprivate`).
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

/// Which characters stand for themselves.
#[derive(Clone, Copy, PartialEq)]
enum Alphabet {
    Ascii,
    Unicode,
}

/// The parts whose characters differ.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    UserInfo,
    RegisteredName,
    Path,
    Query,
    Fragment,
}

impl Part {
    /// The ASCII characters that stand for themselves.
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
    match text.split_once(':') {
        Some((scheme, rest)) => is_scheme(scheme) && is_hierarchy(rest, alphabet),
        None => false,
    }
}

fn is_reference(text: &str, alphabet: Alphabet) -> bool {
    // A colon before any `/`, `?` or `#` ends a scheme: the first segment of a
    // relative path has none.
    match text
        .find([':', '/', '?', '#'])
        .and_then(|at| text.split_at_checked(at))
    {
        Some((scheme, rest)) if rest.starts_with(':') => {
            is_scheme(scheme)
                && rest
                    .strip_prefix(':')
                    .is_some_and(|rest| is_hierarchy(rest, alphabet))
        }
        _ => is_hierarchy(text, alphabet),
    }
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// Everything behind the scheme: authority, path, query and fragment.
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

/// A colon and any number of digits, even none.
fn is_port(port: &str) -> bool {
    port.strip_prefix(':')
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What may stand in brackets: an IPv6 address or an `IPvFuture`.
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

/// `unreserved` and `sub-delims`: at home in every part.
const PLAIN: AsciiSet = AsciiSet::ALPHANUMERIC.and(AsciiSet::of(b"-._~!$&'()*+,;="));

/// `pchar` but for percent-encoding, with the slashes between segments.
const PATH: AsciiSet = PLAIN.and(AsciiSet::of(b":@/"));

const QUERY: AsciiSet = PATH.and(AsciiSet::of(b"?"));

const PLAIN_AND_COLON: AsciiSet = PLAIN.and(AsciiSet::of(b":"));
