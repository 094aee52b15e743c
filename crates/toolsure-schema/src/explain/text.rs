//! The parts of a schema and an instance that findings contain, and how messages write them.

use std::fmt::{self, Display, Formatter};

use toolsure_json::{Kind, quote};

/// The branches of an `anyOf` or `oneOf` that has no matching branch.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Branches {
    /// How many there are.
    pub count: usize,
    /// The indexes of the branches that the value was most plausibly meant for, ranked by constant
    /// properties first and types second; ties are adjacent.
    pub plausible: Vec<usize>,
    /// The constant property that tells the branches apart, if there is one and the value's
    /// property matches none of them.
    pub tag: Option<Tag>,
}

/// A property whose constant value tells the branches of a union apart.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tag {
    /// Its name.
    pub property: String,
    /// The first values that branches expect.
    pub expected: Vec<String>,
    /// How many more values branches expect.
    pub more: usize,
    /// The value that was probably meant.
    pub closest: Option<String>,
    /// The value.
    pub found: FoundValue,
}

/// A value that was found in the instance.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundValue {
    /// Its type.
    pub kind: Kind,
    /// Its JSON text, truncated.
    pub text: String,
}

impl Display for Tag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` must be ", quote(&self.property, SHOWN))?;
        write_members(&self.expected, self.more, f)?;
        write_found(&self.found, f)?;
        write_closest(self.closest.as_deref(), f)
    }
}

impl Display for FoundValue {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Null => f.write_str("null"),
            kind => {
                kind.fmt(f)?;
                f.write_str(" ")?;
                write_name(&self.text, f)
            }
        }
    }
}

// why: a `write!` inside another one takes longer than what it writes, so the most frequent parts of
// a message have functions.

/// Writes what was found.
pub(super) fn write_found(found: &FoundValue, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str(", found ")?;
    found.fmt(f)
}

/// Writes a foreign text in backticks.
pub(super) fn write_name(name: &str, f: &mut Formatter<'_>) -> fmt::Result {
    f.write_str("`")?;
    quote(name, SHOWN).fmt(f)?;
    f.write_str("`")
}

/// Writes the missing properties as one group.
pub(crate) fn write_missing(
    missing: &[String],
    more: usize,
    f: &mut impl fmt::Write,
) -> fmt::Result {
    let one = missing.len() == 1 && more == 0;
    f.write_str(if one {
        "missing property "
    } else {
        "missing properties "
    })?;
    for (index, name) in missing.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}`{}`", quote(name, SHOWN))?;
    }
    match more {
        0 => Ok(()),
        more => write!(f, ", … ({more} more)"),
    }
}

pub(super) fn write_members(members: &[String], more: usize, f: &mut Formatter<'_>) -> fmt::Result {
    if members.len() != 1 {
        f.write_str("one of ")?;
    }
    for (index, member) in members.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        f.write_str(separator)?;
        quote(member, SHOWN).fmt(f)?;
    }
    match more {
        0 => Ok(()),
        more => write!(f, ", … ({more} more)"),
    }
}

pub(super) fn write_closest(closest: Option<&str>, f: &mut Formatter<'_>) -> fmt::Result {
    match closest {
        Some(member) => write!(f, ", did you mean {}?", quote(member, SHOWN)),
        None => Ok(()),
    }
}

pub(super) fn write_none(branches: &Branches, f: &mut Formatter<'_>) -> fmt::Result {
    match branches.count {
        1 => f.write_str("does not match the only branch"),
        count => write!(f, "matches none of the {count} branches"),
    }
}

pub(super) fn write_tag(branches: &Branches, f: &mut Formatter<'_>) -> fmt::Result {
    match &branches.tag {
        Some(tag) => write!(f, ": {tag}"),
        None => Ok(()),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) struct Alternatives<'t>(pub(crate) &'t [&'static str]);

impl Display for Alternatives<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let last = self.0.len().saturating_sub(1);
        for (index, name) in self.0.iter().enumerate() {
            match index {
                0 => {}
                index if index == last => f.write_str(" or ")?,
                _ => f.write_str(", ")?,
            }
            f.write_str(name)?;
        }
        Ok(())
    }
}

/// A count with its noun.
pub(super) struct Count(
    pub(super) u64,
    pub(super) &'static str,
    pub(super) &'static str,
);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let noun = if self.0 == 1 { self.1 } else { self.2 };
        write!(f, "{} {noun}", self.0)
    }
}

/// Maximum number of characters of a foreign string that a message repeats.
pub(crate) const SHOWN: usize = 64;
