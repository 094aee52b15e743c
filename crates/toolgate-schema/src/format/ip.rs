//! IP addresses in their usual text forms.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Four decimal octets without leading zeros (RFC 2673 section 3.2; a leading
/// zero is refused because readers disagree on whether it means octal).
pub(super) fn is_v4(text: &str) -> bool {
    text.len() <= V4_MAX && text.parse::<Ipv4Addr>().is_ok()
}

/// Eight groups of one to four hex digits, one run of zeros written `::` at
/// most, the last two groups also as an IPv4 address (RFC 4291 section 2.2).
/// Zone names and prefix lengths are not part of an address.
pub(super) fn is_v6(text: &str) -> bool {
    text.len() <= V6_MAX && text.parse::<Ipv6Addr>().is_ok()
}

/// Length of `255.255.255.255`.
const V4_MAX: usize = 15;

/// Length of six full groups with their colons and a full IPv4 address.
const V6_MAX: usize = 6 * 5 + V4_MAX;
