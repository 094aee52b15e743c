//! What a schema has of what readers limit. Lint counts it in a published schema, projection in the one that
//! it writes.

use crate::readers::{LONG_ENUM, Limit};

/// The sums over the subschemas of a schema.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sizes {
    properties: usize,
    levels: usize,
    /// The characters of names and of constants.
    text: usize,
    members: usize,
    members_text: usize,
    longest: usize,
}

/// An `enum`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EnumSize {
    pub(crate) members: usize,
    /// The characters of its strings.
    pub(crate) text: usize,
}

impl EnumSize {
    /// The size of an `enum` with this number of members, of which these are strings.
    pub(crate) fn of<'s>(members: usize, strings: impl Iterator<Item = &'s str>) -> Self {
        Self {
            members,
            text: strings.fold(0, |sum, text| sum.saturating_add(text.chars().count())),
        }
    }

    /// Its text, if it counts on its own.
    fn own_text(self) -> usize {
        match self.members > LONG_ENUM {
            true => self.text,
            false => 0,
        }
    }
}

impl Sizes {
    /// A subschema that is inside so many properties.
    pub(crate) fn add_level(&mut self, level: usize) {
        self.levels = self.levels.max(level);
    }

    pub(crate) fn add_properties(&mut self, properties: usize) {
        self.properties = self.properties.saturating_add(properties);
    }

    /// The name of a property or a definition, or a constant.
    pub(crate) fn add_text(&mut self, text: &str) {
        self.text = self.text.saturating_add(text.chars().count());
    }

    pub(crate) fn add_enum(&mut self, own: EnumSize) {
        self.members = self.members.saturating_add(own.members);
        self.members_text = self.members_text.saturating_add(own.text);
        self.longest = self.longest.max(own.own_text());
    }

    /// What it has of what a limit is about, the maximum, and what that is in words; `None` if it has no more,
    /// or if the limit is not about one schema.
    pub(crate) fn over(&self, limit: Limit) -> Option<(usize, usize, &'static str)> {
        let (found, most, what) = match limit {
            Limit::Properties(most) => (self.properties, most, "properties"),
            Limit::Depth(most) => (self.levels, most, "levels of properties"),
            Limit::EnumMembers(most) => (self.members, most, "enum members"),
            Limit::EnumText(most) => {
                let what = "characters in an enum of more than 250 members";
                (self.longest, most, what)
            }
            Limit::Text(most) => {
                let text = self.text.saturating_add(self.members_text);
                (text, most, "characters in names, enums and constants")
            }
            _ => return None,
        };
        (found > most).then_some((found, most, what))
    }
}

/// The keywords whose members have names that count.
pub(crate) const NAMED: [&str; 3] = ["properties", "$defs", "definitions"];
