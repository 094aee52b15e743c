//! The check whether an address is public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is a global unicast address that embeds no other address.
///
/// It refuses loopback, private, shared (carrier-grade NAT), link-local, unique-local, multicast,
/// unspecified, broadcast, reserved, documentation and benchmarking addresses, and all addresses
/// that embed another one: IPv4-mapped and IPv4-compatible ones, NAT64 (`64:ff9b::/96`,
/// `64:ff9b:1::/48`), 6to4 and Teredo.
///
/// ```
/// assert!(toolsure_fetch::is_public("93.184.215.14".parse().unwrap()));
/// assert!(!toolsure_fetch::is_public("169.254.169.254".parse().unwrap()));
/// assert!(!toolsure_fetch::is_public("::ffff:93.184.215.14".parse().unwrap()));
/// ```
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    let within = |(network, length): &(Ipv4Addr, u32)| {
        let shift = 32_u32.saturating_sub(*length);
        bits.checked_shr(shift) == network.to_bits().checked_shr(shift)
    };
    !REFUSED_V4.iter().any(within)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let within = |(network, length): &(Ipv6Addr, u32)| {
        let shift = 128_u32.saturating_sub(*length);
        bits.checked_shr(shift) == network.to_bits().checked_shr(shift)
    };
    within(&GLOBAL_V6) && !REFUSED_V6.iter().any(within)
}

const fn v4(a: u8, b: u8, c: u8) -> Ipv4Addr {
    Ipv4Addr::new(a, b, c, 0)
}

const fn v6(a: u16, b: u16, c: u16) -> Ipv6Addr {
    Ipv6Addr::new(a, b, c, 0, 0, 0, 0, 0)
}

/// IPv4 networks that are not public, with their prefix lengths (RFC 6890 and its registry).
const REFUSED_V4: [(Ipv4Addr, u32); 15] = [
    (v4(0, 0, 0), 8),
    (v4(10, 0, 0), 8),
    (v4(100, 64, 0), 10),
    (v4(127, 0, 0), 8),
    (v4(169, 254, 0), 16),
    (v4(172, 16, 0), 12),
    (v4(192, 0, 0), 24),
    (v4(192, 0, 2), 24),
    (v4(192, 88, 99), 24),
    (v4(192, 168, 0), 16),
    (v4(198, 18, 0), 15),
    (v4(198, 51, 100), 24),
    (v4(203, 0, 113), 24),
    (v4(224, 0, 0), 4),
    (v4(240, 0, 0), 4),
];

/// Global unicast. Mapped, compatible, NAT64, link-local, unique-local and multicast addresses are
/// not in it.
const GLOBAL_V6: (Ipv6Addr, u32) = (v6(0x2000, 0, 0), 3);

/// Networks in [`GLOBAL_V6`] that are not public.
const REFUSED_V6: [(Ipv6Addr, u32); 5] = [
    // Protocol assignments: Teredo, benchmarking, ORCHID.
    (v6(0x2001, 0, 0), 23),
    (v6(0x2001, 0x0db8, 0), 32),
    // 6to4.
    (v6(0x2002, 0, 0), 16),
    (v6(0x3fff, 0, 0), 20),
    // The former 6bone.
    (v6(0x3ffe, 0, 0), 16),
];

#[cfg(test)]
mod tests {
    use super::is_public;

    #[test]
    fn only_public_addresses_are_public() {
        for text in [
            "8.8.8.8",
            "93.184.215.14",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.0.1",
            "172.32.0.1",
            "192.0.1.1",
            "198.17.0.1",
            "198.20.0.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "2001:4860:4860::8888",
            "2001:200::1",
        ] {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.8.8.8",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:8.8.8.8",
            "::ffff:127.0.0.1",
            "::8.8.8.8",
            "::127.0.0.1",
            "64:ff9b::808:808",
            "64:ff9b::7f00:1",
            "64:ff9b:1::7f00:1",
            "100::1",
            "2001::1",
            "2001:0:7f00:1::",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2002:808:808::1",
            "3fff::1",
            "3ffe::1",
            "fc00::1",
            "fd00::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
            "5f00::1",
        ] {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
