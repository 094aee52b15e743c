//! What findings say, one line each: lower case, no full stop, foreign text
//! through `quote` and cut.

use std::fmt::{self, Display, Formatter};

use toolgate_json::{Kind, quote};

use super::finding::Finding;
use crate::explain::kind::{Branches, FindingKind, Found, Tag};

impl Display for FindingKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Type { expected, found } => {
                write!(f, "expected {}, found {found}", Alternatives(expected))
            }
            Self::Const { expected, found } => {
                write!(f, "must be {}, found {found}", quote(expected, SHOWN))
            }
            Self::Enum {
                expected,
                more,
                closest,
                found,
            } => {
                if expected.is_empty() {
                    return write!(f, "expected nothing, found {found}");
                }
                f.write_str("must be ")?;
                write_members(expected, *more, f)?;
                write!(f, ", found {found}")?;
                write_closest(closest.as_deref(), f)
            }
            Self::Minimum {
                limit,
                exclusive,
                found,
            } => {
                let word = if *exclusive { "above" } else { "at least" };
                write!(f, "expected {word} {}, found {found}", quote(limit, SHOWN))
            }
            Self::Maximum {
                limit,
                exclusive,
                found,
            } => {
                let word = if *exclusive { "below" } else { "at most" };
                write!(f, "expected {word} {}, found {found}", quote(limit, SHOWN))
            }
            Self::MultipleOf { divisor, found } => write!(
                f,
                "expected a multiple of {}, found {found}",
                quote(divisor, SHOWN)
            ),
            Self::MinLength {
                least,
                count,
                found,
            } => write!(
                f,
                "expected at least {}, found {count} in {found}",
                Count(*least, "character", "characters")
            ),
            Self::MaxLength { most, count, found } => write!(
                f,
                "expected at most {}, found {count} in {found}",
                Count(*most, "character", "characters")
            ),
            Self::Pattern { pattern, found } => write!(
                f,
                "expected a match of pattern `{}`, found {found}",
                quote(pattern, SHOWN)
            ),
            Self::Format { format, found } => {
                write!(f, "expected format {format}, found {found}")
            }
            Self::Content { expected, found } => {
                write!(f, "expected {expected} content, found {found}")
            }
            Self::MinItems { least, count } => write!(
                f,
                "expected at least {}, found {count}",
                Count(*least, "item", "items")
            ),
            Self::MaxItems { most, count } => write!(
                f,
                "expected at most {}, found {count}",
                Count(*most, "item", "items")
            ),
            Self::UniqueItems { first, second } => {
                write!(
                    f,
                    "expected distinct items, found items {first} and {second} equal"
                )
            }
            Self::Contains => f.write_str("expected an item that matches `contains`, found none"),
            Self::MinContains { least, count } => write!(
                f,
                "expected at least {} matching `contains`, found {count}",
                Count(*least, "item", "items")
            ),
            Self::MaxContains { most } => write!(
                f,
                "expected at most {} matching `contains`, found more",
                Count(*most, "item", "items")
            ),
            Self::MinProperties { least, count } => write!(
                f,
                "expected at least {}, found {count}",
                Count(*least, "property", "properties")
            ),
            Self::MaxProperties { most, count } => write!(
                f,
                "expected at most {}, found {count}",
                Count(*most, "property", "properties")
            ),
            Self::Required { missing, more } => write_missing(missing, *more, f),
            Self::DependentRequired {
                present,
                missing,
                more,
            } => {
                write_missing(missing, *more, f)?;
                write!(f, ", needed beside `{}`", quote(present, SHOWN))
            }
            Self::UnexpectedProperty { name, closest } => {
                write!(f, "unexpected property `{}`", quote(name, SHOWN))?;
                match closest {
                    Some(name) => write!(f, ", did you mean `{}`?", quote(name, SHOWN)),
                    None => Ok(()),
                }
            }
            Self::ForbiddenProperty { name } => {
                write!(f, "property `{}` is not allowed here", quote(name, SHOWN))
            }
            Self::UnexpectedItem { index } => write!(f, "unexpected item {index}"),
            Self::ForbiddenName => f.write_str("no property name is allowed here"),
            Self::AnyOf(branches) => {
                write_none(branches, f)?;
                write_tag(branches, f)
            }
            Self::OneOf(branches) => {
                write_none(branches, f)?;
                if branches.count > 1 {
                    f.write_str(", expected exactly one")?;
                }
                write_tag(branches, f)
            }
            Self::OneOfMany {
                matched: [first, second],
            } => write!(
                f,
                "expected to match exactly one branch, matches {first} and {second}"
            ),
            Self::Not { found } => write!(f, "found {found}, which `not` forbids"),
            Self::Never { found } => write!(f, "expected nothing, found {found}"),
        }
    }
}

impl Display for Tag {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` must be ", quote(&self.property, SHOWN))?;
        write_members(&self.expected, self.more, f)?;
        write!(f, ", found {}", self.found)?;
        write_closest(self.closest.as_deref(), f)
    }
}

impl Display for Found {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.kind {
            Kind::Null => f.write_str("null"),
            kind => write!(f, "{kind} `{}`", quote(&self.text, SHOWN)),
        }
    }
}

/// A finding with its place.
pub(super) fn write_finding(finding: &Finding, f: &mut Formatter<'_>) -> fmt::Result {
    if let Some(name) = &finding.property_name {
        write!(f, "property name `{}`: ", quote(name, SHOWN))?;
    }
    write!(f, "{} (at ", finding.kind)?;
    match finding.instance_location.as_str() {
        "" => f.write_str("the root")?,
        place => write!(f, "{}", quote(place, PLACE))?,
    }
    f.write_str(")")
}

/// Missing properties, in one group.
pub(super) fn write_missing(
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

fn write_members(members: &[String], more: usize, f: &mut Formatter<'_>) -> fmt::Result {
    if members.len() != 1 {
        f.write_str("one of ")?;
    }
    for (index, member) in members.iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        write!(f, "{separator}{}", quote(member, SHOWN))?;
    }
    match more {
        0 => Ok(()),
        more => write!(f, ", … ({more} more)"),
    }
}

fn write_closest(closest: Option<&str>, f: &mut Formatter<'_>) -> fmt::Result {
    match closest {
        Some(member) => write!(f, ", did you mean {}?", quote(member, SHOWN)),
        None => Ok(()),
    }
}

fn write_none(branches: &Branches, f: &mut Formatter<'_>) -> fmt::Result {
    match branches.count {
        1 => f.write_str("does not match the only branch"),
        count => write!(f, "matches none of the {count} branches"),
    }
}

fn write_tag(branches: &Branches, f: &mut Formatter<'_>) -> fmt::Result {
    match &branches.tag {
        Some(tag) => write!(f, ": {tag}"),
        None => Ok(()),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub(super) struct Alternatives<'t>(pub(super) &'t [&'static str]);

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
struct Count(u64, &'static str, &'static str);

impl Display for Count {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let noun = if self.0 == 1 { self.1 } else { self.2 };
        write!(f, "{} {noun}", self.0)
    }
}

/// Characters of one foreign text that a message repeats.
pub(super) const SHOWN: usize = 64;
/// Characters of a place that a message repeats.
pub(super) const PLACE: usize = 200;
