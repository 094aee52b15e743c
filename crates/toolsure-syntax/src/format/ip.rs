//! IP addresses in their usual text forms.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Four decimal octets without leading zeros (RFC 2673 section 3.2; a leading
/// zero is refused because readers disagree on whether it means octal).
pub(super) fn is_v4(text: &str) -> bool {
    text.len() <= V4_MAX && text.parse::<Ipv4Addr>().is_ok()
}

/// Eight groups of one to four hex digits, where at most one run of zeros is written `::`, and the
/// last two groups may be an IPv4 address (RFC 4291 section 2.2). Zone names and prefix lengths are
/// not part of an address.
pub(super) fn is_v6(text: &str) -> bool {
    text.len() <= V6_MAX && text.parse::<Ipv6Addr>().is_ok()
}

/// Length of `255.255.255.255`.
const V4_MAX: usize = 15;

/// Length of six full groups with their colons and a full IPv4 address.
const V6_MAX: usize = 6 * 5 + V4_MAX;

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn version_4() {
        check(
            Format::Ipv4,
            &[
                "0.0.0.0",
                "255.255.255.255",
                "127.0.0.1",
                "192.0.2.10",
                "1.20.200.255",
            ],
            &[
                "256.0.0.1",
                "0.0.0.999",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.",
                ".1.2.3",
                "1..2.3",
                "01.2.3.4",
                "1.2.3.00",
                "1.2.3.004",
                "0x1.2.3.4",
                "1.2.3.4/8",
                "1.2.3.4:80",
                "-1.2.3.4",
                "+1.2.3.4",
                "1.2.3.a",
                "1,2,3,4",
                "١.2.3.4",
                "16909060",
                "0x7f000001",
                "::1",
                "1.2.3.1e1",
                "1.2. 3.4",
                "1.2.3.4\n",
                "localhost",
            ],
        );
    }

    #[test]
    fn version_6() {
        check(
            Format::Ipv6,
            &[
                "::",
                "::1",
                "1::",
                "1:2:3:4:5:6:7:8",
                "2001:DB8::ff00:42:8329",
                "2001:0db8::0000",
                "1::8",
                "1:2:3:4:5:6:7::",
                "::2:3:4:5:6:7:8",
                "1:2::4:5:6:7:8",
                "1:2:3::8",
                "::192.0.2.1",
                "::ffff:192.0.2.1",
                "1:2:3:4:5:6:192.0.2.1",
                "1::6:192.0.2.1",
                "64:ff9b::192.0.2.33",
                "fe80::1",
                "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
                "ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
            ],
            &[
                ":",
                ":::",
                "1",
                "1:",
                ":1",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1:2:3:4::5:6:7:8",
                "1::2::3",
                "1:::2",
                "12345::",
                "::12345",
                "::00001",
                "::g",
                "::%1",
                "fe80::1%eth0",
                "::1/128",
                "[::1]",
                "::-1",
                "::+1",
                "::192.0.2",
                "::192.0.2.1.1",
                "::192.0.2.256",
                "::192.0.2.01",
                "192.0.2.1::",
                "::192.0.2.1:1",
                "1:2:3:4:5:6:7:192.0.2.1",
                "1:2:3:4:5:192.0.2.1",
                "192.0.2.1",
                "::1 ",
                "::１",
                "00ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255",
            ],
        );
    }
}
