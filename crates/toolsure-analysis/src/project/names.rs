//! Names of tools and properties that a profile accepts.

use std::collections::{HashMap, HashSet};

use toolsure_json::hash_bytes;

use crate::readers::NameRule;

/// The requirements for names of tools.
#[derive(Debug, Clone, Copy)]
pub(super) struct ToolName {
    /// The maximum number of characters.
    pub(super) longest: usize,
    /// The characters that it may have; any if there is no rule.
    pub(super) rule: Option<&'static NameRule>,
}

impl ToolName {
    fn takes(&self, index: usize, c: char) -> bool {
        self.rule.is_none_or(|rule| rule.takes(index, c))
    }

    /// Whether a name can stay.
    pub(super) fn fits(&self, name: &str) -> bool {
        !name.is_empty()
            && name.chars().count() <= self.longest
            && name.chars().enumerate().all(|(at, c)| self.takes(at, c))
    }

    /// A name that fits: the beginning of the old one and eight digits of its hash. It depends on the name
    /// alone, not on the other tools and their order, so that a call by it never reaches another tool.
    pub(super) fn shorten(&self, name: &str) -> String {
        // `_` goes before a character that may stand anywhere but first, and for an empty name.
        let first = name.chars().next().unwrap_or('0');
        let mut plain = String::new();
        if !self.takes(0, first) && self.takes(1, first) {
            plain.push('_');
        }
        let others = name.chars().map(|c| if self.takes(1, c) { c } else { '_' });
        plain.extend(others);
        with_digits(&plain, hash_bytes(name.as_bytes()), self.longest)
    }
}

/// The tools of a listing by name, to find short names that two of them would have.
pub(super) struct ToolNames<'n> {
    rule: Option<ToolName>,
    /// The original of each published name; `None` if there are several.
    originals: HashMap<String, Option<&'n str>>,
}

impl<'n> ToolNames<'n> {
    pub(super) fn new(rule: Option<ToolName>, names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut found = Self {
            rule,
            originals: HashMap::new(),
        };
        for name in names {
            let published = found.short(name).unwrap_or_else(|| name.to_owned());
            let known = found.originals.entry(published).or_insert(Some(name));
            *known = known.filter(|known| *known == name);
        }
        found
    }

    /// The short name, even if another tool has it.
    fn short(&self, name: &str) -> Option<String> {
        let rule = self.rule.as_ref().filter(|rule| !rule.fits(name))?;
        Some(rule.shorten(name))
    }

    /// The short name of a tool whose name cannot stay; `None` if it can.
    ///
    /// # Errors
    ///
    /// The short name, if another tool has it, or would get it.
    pub(super) fn published(&self, name: &str) -> Result<Option<String>, String> {
        match self.short(name) {
            Some(short) if self.originals.get(&short) != Some(&Some(name)) => Err(short),
            short => Ok(short),
        }
    }
}

/// Whether providers accept a property name: 1 to 64 of `A-Z a-z 0-9 _ . -`.
pub(super) fn is_property_name(name: &str) -> bool {
    let takes = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    (1..=PROPERTY).contains(&name.len()) && name.chars().all(takes)
}

/// A property name that providers accept and that is not taken: with digits only if it must differ.
pub(super) fn property(name: &str, taken: &HashSet<String>) -> String {
    let takes = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-');
    let plain: String = name
        .chars()
        .map(|c| if takes(c) { c } else { '_' })
        .collect();
    if is_property_name(&plain) && !taken.contains(&plain) {
        return plain;
    }
    let mut hash = hash_bytes(name.as_bytes());
    loop {
        let name = with_digits(&plain, hash, PROPERTY);
        if !taken.contains(&name) {
            return name;
        }
        hash = hash.wrapping_add(1);
    }
}

/// The beginning of a name and eight digits, `longest` characters at most.
fn with_digits(plain: &str, hash: u64, longest: usize) -> String {
    let digits = format!("{:08x}", hash & 0xffff_ffff);
    let room = longest.saturating_sub(digits.len() + 1);
    let head: String = plain.chars().take(room).collect();
    if head.is_empty() {
        digits
    } else {
        format!("{head}_{digits}")
    }
}

/// Characters of a property's name.
const PROPERTY: usize = 64;
