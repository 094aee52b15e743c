//! Internationalized host names: U-labels and A-labels (RFC 5890, RFC 5891).

use super::hostname::{self, MAX_LABEL, MAX_NAME};
use super::idna;
use super::punycode::Label;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A host name of U-labels, A-labels and ASCII labels. Labels are separated by
/// a full stop or one of the three characters typed for it in East Asia
/// (RFC 3490 section 3.1).
pub(super) fn is_hostname(text: &str) -> bool {
    is_name(text, &['.', '\u{3002}', '\u{FF0E}', '\u{FF61}'])
}

/// The same with full stops alone between the labels, as mail addresses have it
/// (RFC 6531 section 3.3).
pub(super) fn is_domain(text: &str) -> bool {
    is_name(text, &['.'])
}

/// Whether `label` begins as an encoded label does, in either case.
pub(super) fn has_a_label_prefix(label: &str) -> bool {
    label
        .split_at_checked(PREFIX.len())
        .is_some_and(|(prefix, _)| prefix.eq_ignore_ascii_case(PREFIX))
}

/// Whether an ASCII `label` with that prefix stands for a U-label, and is the
/// encoding of it (RFC 5891 section 5.3 and 5.4).
pub(super) fn is_a_label(label: &str) -> bool {
    decode(label).is_some_and(|label| {
        let label = label.as_slice();
        !idna::is_right_to_left(label) || idna::meets_bidi_rule(label)
    })
}

fn is_name(text: &str, separators: &[char]) -> bool {
    // No character is shorter encoded than its label is, so the limit on the
    // encoded name bounds the text.
    if text.len() > MAX_NAME * char::MAX.len_utf8() {
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
    // One separator less than labels.
    octets <= MAX_NAME + 1
        && (!bidi
            || text.split(separators).all(|part| {
                read(part).is_some_and(|(label, _)| idna::meets_bidi_rule(label.as_slice()))
            }))
}

/// The characters of one label and the octets of its encoded form, if it is a
/// label by all rules that regard it alone.
fn read(part: &str) -> Option<(Label, usize)> {
    if !part.is_ascii() {
        let label = Label::from_text(part).filter(|label| is_u_label(label.as_slice()))?;
        let encoded_len = PREFIX.len() + label.encode()?.as_bytes().len();
        return (encoded_len <= MAX_LABEL).then_some((label, encoded_len));
    }
    if !hostname::is_label(part) {
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
    let is_its_encoding = label.encode()?.as_bytes() == lower;
    (is_its_encoding && is_u_label(label.as_slice())).then_some(label)
}

/// RFC 5891 section 4.2, but for the bidi rule and the length.
fn is_u_label(label: &[char]) -> bool {
    !label.iter().all(char::is_ascii)
        && label.first() != Some(&'-')
        && label.last() != Some(&'-')
        && !has_reserved_hyphens(label)
        && !idna::begins_with_mark(label)
        && idna::allows(label)
        && is_nfc(label)
}

fn is_nfc(label: &[char]) -> bool {
    let chars = || label.iter().copied();
    match is_nfc_quick(chars()) {
        IsNormalized::Yes => true,
        IsNormalized::No => false,
        IsNormalized::Maybe => chars().nfc().eq(chars()),
    }
}

/// Whether the third and fourth characters are both hyphens.
fn has_reserved_hyphens(label: &[char]) -> bool {
    matches!(label, [_, _, '-', '-', ..])
}

const PREFIX: &str = "xn--";
