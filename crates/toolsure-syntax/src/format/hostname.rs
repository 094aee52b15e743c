//! Host names of ASCII letters, digits and hyphens.

use super::domain::{MAX_NAME, is_label};
use super::idn;

/// A host name of RFC 1123 section 2.1, without the final dot of a rooted name. Labels with the
/// prefix `xn--` must really encode an IDNA 2008 label (RFC 5891 section 4.4).
pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= MAX_NAME
        && text.split('.').all(|label| {
            is_label(label) && (!idn::has_a_label_prefix(label) || idn::is_a_label(label))
        })
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn hostnames() {
        check(
            Format::Hostname,
            &[
                "a",
                "A",
                "0",
                "localhost",
                "example.com",
                "EXAMPLE.COM",
                "a.b.c.d.e",
                "1and1.example",
                "123.456",
                "192.0.2.1",
                "a-b",
                "a--b",
                "a-1.b-2",
                "r3---sn-4g5e.example",
                "x--y.example",
                "xn--bcher-kva.example",
                "XN--BCHER-KVA.example",
                "xn--Bcher-Kva.example",
                "xn--strae-oqa",
                "xn--fa-hia.de",
                "xn--hxajbheg2az3al.xn--qxam",
                "xn--3e0b707e",
                "xn--5dbqzzl",
                "xn--mgbh0fb",
                "xn--ll-0ea",
                "xn--11b2ezcw70k",
                "xn--1-zhc",
                "www.xn--r8jz45g.jp",
                "xn.example",
                "axn--a.example",
            ],
            &[
                "",
                ".",
                "..",
                "a.",
                ".a",
                "a..b",
                "-a",
                "a-",
                "-",
                "a.-b",
                "a.b-",
                "a_b",
                "_sip._tcp.example",
                "a b",
                "a/b",
                "a:80",
                "a@b",
                "*.example",
                "bücher.example",
                "ａ.example",
                "a。b",
                "a．b",
                "example.com\n",
                "a\0",
                "http://a",
                "[::1]",
                "xn--",
                "xn--a",
                "xn---",
                "xn--bcher-",
                "xn--bcher-kvb",
                "xn--hello-",
                "xn--999999999",
                "xn--0",
                "xn--zzzzzzzz",
                "xn--BCHER-KVA-",
                "xn--ab--cd-8ya",
                "xn--n3h",
                "xn--a-2hc5h",
                "xn--la-0ea",
                "xn--vek",
            ],
        );
    }

    #[test]
    fn names_and_labels_are_as_long_as_the_protocol_lets_them() {
        let label = "a".repeat(63);
        let name = format!("{label}.{label}.{label}.{}", "a".repeat(61));
        assert_eq!(name.len(), 253);
        for format in [Format::Hostname, Format::IdnHostname] {
            assert!(format.accepts(&label));
            assert!(!format.accepts(&format!("{label}a")));
            assert!(format.accepts(&name));
            assert!(!format.accepts(&format!("{name}a")));
            assert!(format.accepts(&format!("{}a", "a.".repeat(126))));
            assert!(!format.accepts(&format!("{}a", "a.".repeat(127))));
        }
    }
}
