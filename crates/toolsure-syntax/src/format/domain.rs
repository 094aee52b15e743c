//! The syntax of domains: labels of letters, digits and hyphens, and the lengths that DNS allows.

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

/// Characters in a name: the 255 octets on the wire (RFC 1035 section 2.3.4) include one length
/// octet per label and one for the root.
pub(super) const MAX_NAME: usize = 253;
