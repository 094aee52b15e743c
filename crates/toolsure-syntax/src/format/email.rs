//! Mailboxes: local part, `@`, and a domain or an address literal.

use super::ascii_set::AsciiSet;
use super::{domain, idn, ip};

/// An ASCII mailbox (RFC 5321 section 4.1.2).
pub(super) fn is_mailbox(text: &str) -> bool {
    is_address(text, false)
}

/// A mailbox with Unicode in the local part and the domain (RFC 6531
/// section 3.3).
pub(super) fn is_internationalized_mailbox(text: &str) -> bool {
    is_address(text, true)
}

fn is_address(text: &str, unicode: bool) -> bool {
    let split = if text.starts_with('"') {
        split_quoted(text)
    } else {
        text.split_once('@')
    };
    let Some((local, domain)) = split else {
        return false;
    };
    if local.len() > MAX_LOCAL {
        return false;
    }
    let local_fits = match local.strip_prefix('"') {
        Some(quoted) => is_quoted_rest(quoted, unicode),
        None => local.split('.').all(|atom| {
            !atom.is_empty()
                && atom
                    .chars()
                    .all(|c| ATOM.has(c) || (unicode && !c.is_ascii()))
        }),
    };
    local_fits && is_domain_or_literal(domain, unicode)
}

/// Splits after the closing quote of a quoted local part.
fn split_quoted(text: &str) -> Option<(&str, &str)> {
    let mut escaped = true; // The opening quote does not close.
    for (at, byte) in text.bytes().enumerate().take(MAX_LOCAL) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => {
                let (local, rest) = text.split_at_checked(at + 1)?;
                return Some((local, rest.strip_prefix('@')?));
            }
            _ => {}
        }
    }
    None
}

/// Whether `rest` is the inside of a quoted string followed by its closing quote, which is the
/// first unescaped one.
fn is_quoted_rest(rest: &str, unicode: bool) -> bool {
    let Some(inside) = rest.strip_suffix('"') else {
        return false;
    };
    let mut chars = inside.chars();
    while let Some(c) = chars.next() {
        let fits = match c {
            '"' => false,
            '\\' => matches!(chars.next(), Some(' '..='~')),
            ' '..='~' => true,
            _ => unicode && !c.is_ascii(),
        };
        if !fits {
            return false;
        }
    }
    true
}

fn is_domain_or_literal(domain: &str, unicode: bool) -> bool {
    match domain.strip_prefix('[') {
        Some(literal) => literal.strip_suffix(']').is_some_and(is_address_literal),
        None if unicode => idn::is_domain(domain),
        None => domain::is_domain(domain),
    }
}

/// An IPv4 address, or `IPv6:` and an IPv6 address. The third form of the RFC
/// needs a registered tag, and no other tag is registered.
fn is_address_literal(literal: &str) -> bool {
    match literal.split_at_checked(IPV6_TAG.len()) {
        Some((tag, address)) if tag.eq_ignore_ascii_case(IPV6_TAG) => ip::is_v6(address),
        _ => ip::is_v4(literal),
    }
}

/// Octets in a local part, quotes included (RFC 5321 section 4.5.3.1.1).
const MAX_LOCAL: usize = 64;

/// `atext` (RFC 5322 section 3.2.3).
const ATOM: AsciiSet = AsciiSet::ALPHANUMERIC.and(AsciiSet::of(b"!#$%&'*+-/=?^_`{|}~"));

const IPV6_TAG: &str = "IPv6:";

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn mailboxes() {
        check(
            Format::Email,
            &[
                "a@b",
                "user@example.com",
                "first.last@sub.example.com",
                "user+tag@example.com",
                "!#$%&'*+-/=?^_`{|}~@example.com",
                "1@2",
                "user@1and1.example",
                "user@xn--bcher-kva.example",
                "user@r3---sn.example",
                "\"\"@example.com",
                "\" \"@example.com",
                "\"a.b\"@example.com",
                "\".\"@example.com",
                "\"a..b.\"@example.com",
                "\"a@b\"@example.com",
                "\"a\\\"b\"@example.com",
                "\"a\\\\\"@example.com",
                "\"a\\ b\"@example.com",
                "\"<>,:;[]()\"@example.com",
                "user@[192.0.2.1]",
                "user@[IPv6:2001:db8::1]",
                "user@[ipv6:::]",
                "user@[IPv6:::ffff:192.0.2.1]",
                "USER@EXAMPLE.COM",
                "0@0.0",
            ],
            &[
                "user",
                "@",
                "user@",
                "@example.com",
                "user@@example.com",
                "us@er@example.com",
                ".user@example.com",
                "user.@example.com",
                "us..er@example.com",
                ".@example.com",
                "us er@example.com",
                "us,er@example.com",
                "us(er)@example.com",
                "us\"er@example.com",
                "\"user@example.com",
                "\"user\"x@example.com",
                "\"us\"er\"@example.com",
                "\"@example.com",
                "\"a\\\"@example.com",
                "\"a\\\u{7f}\"@example.com",
                "\"a\tb\"@example.com",
                "\"a\nb\"@example.com",
                "\"ü\"@example.com",
                "\"a\".b@example.com",
                "a.\"b\"@example.com",
                "user@example..com",
                "user@.example.com",
                "user@example.com.",
                "user@-example.com",
                "user@example-.com",
                "user@exa_mple.com",
                "user@exa mple.com",
                "user@example.com:25",
                "user@[192.0.2.256]",
                "user@[192.0.2]",
                "user@[192.0.2.1",
                "user@192.0.2.1]",
                "user@[2001:db8::1]",
                "user@[IPv6:192.0.2.1]",
                "user@[IPv6:2001:db8::1%eth0]",
                "user@[]",
                "user@[x:y]",
                "User <user@example.com>",
                "<user@example.com>",
                "ü@example.com",
                "user@bücher.example",
                "mailto:user@example.com ",
                "user@example.com\0",
            ],
        );
    }

    #[test]
    fn internationalized_mailboxes() {
        check(
            Format::IdnEmail,
            &[
                // A label with accents and syllables that are not composed.
                "user@bu\u{308}cher.example",
                "user@\u{1109}\u{1175}\u{11AF}.test",
                "user@e\u{301}.\u{e9}",
                "user@example.com",
                "jörg@bücher.example",
                "用户@例子.广告",
                "अजय@डाटा.भारत",
                "квіточка@пошта.укр",
                "χρήστης@παράδειγμα.ελ",
                "Dörte@sörensen.example",
                "\"jö rg\"@bücher.example",
                "👍@example.com",
                "user@xn--bcher-kva.example",
                "jörg@[192.0.2.1]",
                "jörg@[IPv6:::1]",
            ],
            &[
                "jörg",
                "@bücher.example",
                "jörg@",
                "jö rg@bücher.example",
                ".jörg@bücher.example",
                "jö..rg@bücher.example",
                "jörg@bücher。example",
                "jörg@BÜCHER.example",
                "jörg@👍.example",
                "Dörte@Sörensen.example",
                "jörg@-ü.example",
                "jörg@xn--a.example",
                "\"jörg@bücher.example",
                "\"\\ü\"@example.com",
                "jörg@[١٩٢.0.2.1]",
                "\"j\u{1}\"@bücher.example",
            ],
        );
    }

    #[test]
    fn parts_are_as_long_as_the_protocol_lets_them() {
        let domain = format!("{0}.{0}.{0}.{1}", "d".repeat(63), "d".repeat(61));
        for (local, domain, fits) in [
            ("l".repeat(64), "b", true),
            ("l".repeat(65), "b", false),
            (format!("\"{}\"", " ".repeat(62)), "b", true),
            (format!("\"{}\"", " ".repeat(63)), "b", false),
            ("l".to_owned(), domain.as_str(), true),
            ("l".to_owned(), &format!("{domain}d"), false),
            ("l".to_owned(), &"d".repeat(64), false),
        ] {
            let text = format!("{local}@{domain}");
            assert_eq!(Format::Email.accepts(&text), fits, "{text}");
            assert_eq!(Format::IdnEmail.accepts(&text), fits, "{text}");
        }
        assert!(Format::IdnEmail.accepts(&format!("{}@b", "ü".repeat(32))));
        assert!(!Format::IdnEmail.accepts(&format!("{}@b", "ü".repeat(33))));
    }
}
