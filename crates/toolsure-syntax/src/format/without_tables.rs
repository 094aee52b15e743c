//! Internationalized names without Unicode tables: whatever cannot be checked is refused.
//!
//! No schema gets here: [`Format::from_name`](super::Format::from_name) finds none of the formats
//! that need the tables. It is for programs that use a [`Format`](super::Format) directly.

/// Refuses every internationalized host name.
pub(super) fn is_hostname(_: &str) -> bool {
    false
}

/// Refuses every internationalized domain.
pub(super) fn is_domain(_: &str) -> bool {
    false
}

/// Whether a label has the prefix of an encoded one.
pub(super) fn has_a_label_prefix(label: &str) -> bool {
    label
        .get(..4)
        .is_some_and(|prefix| prefix.eq_ignore_ascii_case("xn--"))
}

/// Refuses every encoded label.
pub(super) fn is_a_label(_: &str) -> bool {
    false
}
