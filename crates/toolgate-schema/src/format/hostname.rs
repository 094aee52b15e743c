//! Host names of ASCII letters, digits and hyphens.

use super::idn;

/// A host name of RFC 1123 section 2.1, without the final dot of a rooted
/// name. Labels that claim to be encoded (`xn--`) must really encode a label
/// of IDNA 2008 (RFC 5891 section 4.4).
pub(super) fn is_hostname(text: &str) -> bool {
    text.len() <= MAX_NAME
        && text.split('.').all(|label| {
            is_label(label) && (!idn::has_a_label_prefix(label) || idn::is_a_label(label))
        })
}

/// A domain by syntax alone: what RFC 5321 section 4.1.2 calls `Domain`.
pub(super) fn is_domain(text: &str) -> bool {
    text.len() <= MAX_NAME && text.split('.').all(is_label)
}

/// One label: 1 to 63 letters, digits and hyphens, no hyphen at either end.
pub(super) fn is_label(label: &str) -> bool {
    (1..=MAX_LABEL).contains(&label.len())
        && !label.starts_with('-')
        && !label.ends_with('-')
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Octets in a label (RFC 1035 section 2.3.4).
pub(super) const MAX_LABEL: usize = 63;

/// Characters in a name: 255 octets on the wire (RFC 1035 section 2.3.4) are
/// one length octet per label, one for the root, and the labels.
pub(super) const MAX_NAME: usize = 253;
