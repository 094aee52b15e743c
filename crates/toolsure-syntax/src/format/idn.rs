//! Internationalized host names: U-labels and A-labels (RFC 5890, RFC 5891).

use super::domain::{self, MAX_LABEL, MAX_NAME};
use super::idna;
use super::punycode::Label;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick, is_nfkc_quick};

/// A host name of U-labels, A-labels and ASCII labels. Labels are separated by a full stop or one
/// of the three characters typed instead of it in East Asia (RFC 3490 section 3.1).
pub(super) fn is_hostname(text: &str) -> bool {
    is_name(text, &['.', '\u{3002}', '\u{FF0E}', '\u{FF61}'])
}

/// As [`is_hostname`], but with only full stops between the labels, as mail addresses require (RFC
/// 6531 section 3.3). Labels need not be normalized: the address is what people write, and the
/// program that looks the domain up normalizes it first (RFC 5891 section 5.2).
pub(super) fn is_domain(text: &str) -> bool {
    if text.len() > MOST_BYTES || is_nfc_quick(text.chars()) == IsNormalized::Yes {
        return is_name(text, &['.']);
    }
    let composed: String = text.nfc().collect();
    is_name(&composed, &['.'])
}

/// Whether `label` has the prefix of an encoded label, in either case.
pub(super) fn has_a_label_prefix(label: &str) -> bool {
    label
        .split_at_checked(PREFIX.len())
        .is_some_and(|(prefix, _)| prefix.eq_ignore_ascii_case(PREFIX))
}

/// Whether an ASCII `label` with that prefix decodes to a U-label, and is the encoding of it (RFC
/// 5891 section 5.3 and 5.4).
pub(super) fn is_a_label(label: &str) -> bool {
    decode(label).is_some_and(|label| {
        let label = label.as_slice();
        !idna::is_right_to_left(label) || idna::meets_bidi_rule(label)
    })
}

fn is_name(text: &str, separators: &[char]) -> bool {
    // No character is shorter encoded than its label is, so the limit on the encoded name bounds
    // the text.
    if text.len() > MOST_BYTES {
        return false;
    }
    let mut octets = 0;
    let mut bidi = false;
    for part in text.split(separators) {
        let Some((label, encoded_len)) = read(part) else {
            return false;
        };
        octets += encoded_len + 1;
        bidi = bidi || idna::is_right_to_left(label.as_slice());
    }
    // There is one separator fewer than labels.
    octets <= MAX_NAME + 1
        && (!bidi
            || text.split(separators).all(|part| {
                read(part).is_some_and(|(label, _)| idna::meets_bidi_rule(label.as_slice()))
            }))
}

/// The characters of one label and the octets of its encoded form, if it follows all rules that
/// concern it alone.
fn read(part: &str) -> Option<(Label, usize)> {
    if !part.is_ascii() {
        let label = Label::from_text(part).filter(|label| is_u_label(label.as_slice()))?;
        let encoded_len = PREFIX.len() + label.encode()?.as_bytes().len();
        return (encoded_len <= MAX_LABEL).then_some((label, encoded_len));
    }
    if !domain::is_label(part) {
        return None;
    }
    let label = if has_a_label_prefix(part) {
        decode(part)?
    } else {
        // Other labels with these hyphens are reserved (RFC 5890 section 2.3.1).
        Label::from_text(part).filter(|label| !has_reserved_hyphens(label.as_slice()))?
    };
    Some((label, part.len()))
}

fn decode(a_label: &str) -> Option<Label> {
    let (_, encoded) = a_label.split_at_checked(PREFIX.len())?;
    let mut lower = [0; MAX_LABEL];
    let lower = lower.get_mut(..encoded.len())?;
    lower.copy_from_slice(encoded.as_bytes());
    lower.make_ascii_lowercase();
    let label = Label::decode(std::str::from_utf8(lower).ok()?)?;
    is_u_label(label.as_slice()).then_some(label)
}

/// RFC 5891 section 4.2, without the bidi rule and the length.
fn is_u_label(label: &[char]) -> bool {
    !label.iter().all(char::is_ascii)
        && label.first() != Some(&'-')
        && label.last() != Some(&'-')
        && !has_reserved_hyphens(label)
        && !idna::begins_with_mark(label)
        && is_normalized(label)
        && idna::allows(label)
}

/// Whether normalization to NFKC changes no character of `label`, which RFC 5892 section 2.2
/// requires of each one, and normalization to NFC leaves the whole unchanged (RFC 5891 section
/// 4.2.1).
fn is_normalized(label: &[char]) -> bool {
    let chars = || label.iter().copied();
    match is_nfkc_quick(chars()) {
        IsNormalized::Yes => true,
        IsNormalized::No => false,
        IsNormalized::Maybe => chars().nfc().eq(chars()),
    }
}

/// Whether the third and fourth characters are both hyphens.
fn has_reserved_hyphens(label: &[char]) -> bool {
    matches!(label, [_, _, '-', '-', ..])
}

/// A text with more bytes than this is longer than any name.
const MOST_BYTES: usize = MAX_NAME * char::MAX.len_utf8();
const PREFIX: &str = "xn--";

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::tests::check;

    #[test]
    fn names_of_many_scripts() {
        check(
            Format::IdnHostname,
            &[
                "example.com",
                "EXAMPLE.com",
                "bücher.example",
                "straße.example",
                "faß.de",
                "παράδειγμα",
                "例え.テスト",
                "한국",
                "россия.рф",
                "ᏣᎳᎩ",
                "𐐨",
                "ɐ",
                "नी.भारत",
                "日本・語",
                "l·l",
                "a̎",
                "xn--bcher-kva.example",
                "XN--BCHER-KVA",
                "a。b．c｡d",
                "xn--3e0b707e.한국",
                "123.example",
                "1ü",
                "ü-ü",
                "א1",
                "אב3",
                "אב٣",
                "עברית.com",
                "ο͵α",
                "͵α",
                "א׳ב",
                "א״",
                "क्\u{200d}ष",
                "क्\u{200c}ष",
                "بي\u{200c}بي",
                "・ァ",
                "〇",
                "་",
            ],
            &[
                "",
                ".",
                "ü.",
                ".ü",
                "ü..ü",
                "。",
                "ü。",
                "-ü",
                "ü-",
                "üa--",
                "ab--ü",
                "ab--cd",
                "a_ü",
                "ü ü",
                "ü/ü",
                "Ü",
                "BÜCHER.example",
                "👍",
                "☃.example",
                "ﬁ",
                "ſ",
                "ⅷ",
                "İ",
                "ǅ",
                "ẞ",
                "ꮳ",
                "\u{212a}",
                "\u{212b}",
                "a\u{30a}",
                "u\u{308}",
                "\u{308}u",
                "\u{903}a",
                "\u{20dd}a",
                "a\u{20d0}",
                "\u{200b}",
                "a\u{200b}b",
                "ü\u{feff}",
                "ü\u{ad}",
                "ü\u{202e}",
                "ü\u{fe0f}",
                "\u{1100}\u{1161}",
                "ü\u{e000}",
                "ü\u{378}",
                "ü\u{10ffff}",
                "ـ",
                "〱",
                "〮",
                "·l",
                "l·",
                "a·a",
                "L·L",
                "ο͵",
                "ο͵a",
                "׳ב",
                "a׳",
                "״",
                "・",
                "a・b",
                "٣۳",
                "ب٣۳",
                "क\u{200d}ष",
                "\u{200d}",
                "\u{200c}",
                "a\u{200c}b",
                "بي\u{200c}",
                "\u{200c}بي",
                "1א",
                "אa",
                "aא",
                "٣א",
                "א3٣",
                "א·",
                "א.1a",
                "1a.א",
                "xn--",
                "xn--a",
                "xn--bcher-kvb",
                "xn--n3h",
                "xn--ü",
                "xn--bücher-kva",
                "xn--hello-",
            ],
        );
    }

    #[test]
    fn the_joining_rule_looks_through_marks() {
        // beh, fatha, non-joiner, fatha, beh; then with alef, which does not join forward.
        assert!(Format::IdnHostname.accepts("\u{628}\u{64e}\u{200c}\u{64e}\u{628}"));
        assert!(!Format::IdnHostname.accepts("\u{627}\u{64e}\u{200c}\u{64e}\u{628}"));
    }

    #[test]
    fn a_name_is_measured_encoded() {
        // 57 times the same letter make 59 octets after the prefix, 58 make 60.
        assert!(Format::IdnHostname.accepts(&"é".repeat(57)));
        assert!(!Format::IdnHostname.accepts(&"é".repeat(58)));
        let label = "é".repeat(57);
        let name = format!("{label}.{label}.{label}.{}", "a".repeat(61));
        assert!(Format::IdnHostname.accepts(&name));
        assert!(!Format::IdnHostname.accepts(&format!("{name}a")));
    }

    #[test]
    fn one_label_from_right_to_left_binds_all_labels() {
        check(
            Format::IdnHostname,
            &[
                "1a.example",
                "a.1",
                "א.example",
                "xn--5dbqzzl.example",
                "א-1.b2",
            ],
            &[
                "א.1",
                "1.א",
                "א.1a",
                "a1.1b.א",
                "1.xn--5dbqzzl",
                "xn--5dbqzzl.1a",
            ],
        );
    }
}
