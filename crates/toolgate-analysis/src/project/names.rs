//! Names of tools and properties that a profile accepts.

use std::collections::HashSet;

use toolgate_json::hash_bytes;

/// The requirements for names of tools.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolName {
    /// The maximum number of characters.
    pub(super) longest: usize,
    /// Whether all characters must be letters, digits, `_` and `-`.
    pub(super) plain: bool,
}

impl ToolName {
    fn takes(&self, c: char) -> bool {
        !self.plain || c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
    }

    /// Whether a name can stay.
    pub(super) fn fits(&self, name: &str) -> bool {
        !name.is_empty()
            && name.chars().count() <= self.longest
            && name.chars().all(|c| self.takes(c))
    }

    /// A name that fits and is not taken: the beginning of the old one and, if needed, eight digits of its
    /// hash.
    pub(super) fn shorten(&self, name: &str, taken: &HashSet<String>) -> String {
        let plain: String = name
            .chars()
            .map(|c| if self.takes(c) { c } else { '_' })
            .collect();
        unique(&plain, name, self.longest, taken)
    }
}

/// Whether providers accept a property name: 1 to 64 of `A-Z a-z 0-9 _ . -`.
pub(super) fn is_property_name(name: &str) -> bool {
    let takes = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=PROPERTY).contains(&name.len()) && name.chars().all(takes)
}

/// A property name that providers accept and that is not taken.
pub(super) fn property(name: &str, taken: &HashSet<String>) -> String {
    let takes = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let plain: String = name
        .chars()
        .map(|c| if takes(c) { c } else { '_' })
        .collect();
    unique(&plain, name, PROPERTY, taken)
}

/// `plain`, cut to `longest`, and different from the names that are taken.
fn unique(plain: &str, original: &str, longest: usize, taken: &HashSet<String>) -> String {
    if !plain.is_empty() && plain.chars().count() <= longest && !taken.contains(plain) {
        return plain.to_owned();
    }
    let mut hash = hash_bytes(original.as_bytes());
    loop {
        let digits = format!("{:08x}", hash & 0xffff_ffff);
        let room = longest.saturating_sub(digits.len() + 1);
        let head: String = plain.chars().take(room).collect();
        let name = if head.is_empty() {
            digits
        } else {
            format!("{head}_{digits}")
        };
        if !taken.contains(&name) {
            return name;
        }
        hash = hash.wrapping_add(1);
    }
}

/// Characters of a property's name.
const PROPERTY: usize = 64;
