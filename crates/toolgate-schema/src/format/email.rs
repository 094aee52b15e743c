//! Mailboxes: local part, `@`, and a domain or an address literal.

use super::ascii_set::AsciiSet;
use super::{hostname, idn, ip};

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

/// Splits behind the closing quote of a quoted local part.
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

/// Whether `rest` is the inside of a quoted string and its closing quote, which
/// is the first one not escaped.
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
        None => hostname::is_domain(domain),
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
