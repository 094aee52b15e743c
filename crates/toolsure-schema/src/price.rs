//! The prices of work on one value, used by the executor and the explanation.
//!
//! A unit of fuel takes at most 40 ns. `bench/counted/examples/prices` measures what each operation
//! and each format takes per unit. The table shows the minimum times of several runs in November
//! 2026, on one core that other processes used too:
//!
//! | operations | ns per unit |
//! |---|---|
//! | `minimum`, `maximum`, `multipleOf` | 7 to 39 |
//! | `const`, `enum` | 2 to 25 |
//! | `minLength`, `maxLength` | 2 to 20 |
//! | `pattern` | 1 to 14 |
//! | formats of texts | 1 to 36 |
//! | formats of numbers | 11 to 36 |
//! | content of strings | 15 to 39 |
//! | `properties`, `additionalProperties`, `patternProperties`, `propertyNames` | 1 to 27 |
//! | `required`, `minProperties`, `maxProperties`, `dependent*`, `dependencies` | under 1 to 20 |
//! | `items`, `prefixItems`, `contains` and their counts | 2 to 20 |
//! | `uniqueItems` | 6 to 34 |
//! | `anyOf`, `oneOf`, `not`, `if`, `$ref`, memo | 2 to 25 |
//! | `unevaluatedItems`, `unevaluatedProperties` | 5 to 17 |

use toolsure_json::{Number, View};

use crate::format::{Format, NumberFormat};
use crate::int::units;

/// Bytes of text that one unit pays for: a comparison, a hash, a count of characters.
pub(crate) const TEXT_PER_UNIT: usize = 32;

/// The price of evaluating a subschema, or a keyword of the plain program, for a value.
pub(crate) const VISIT: u64 = 1;

/// The price of looking for a verdict in the memo.
pub(crate) const RECALL: u64 = 1;

/// The price of remembering a verdict, in work and in memory.
pub(crate) const MEMO: u64 = 4;

/// The price of finding the branches that an object leaves, besides the search for its members; and
/// that of asking which of a few names it has.
pub(crate) const SELECT: u64 = 1;

/// The price of a step of an explanation, in units of a check.
pub(crate) const PLAIN_UNIT: u64 = 4;

/// The price of visiting `count` members, items or branches, besides reading names.
#[inline(always)]
pub(crate) fn visits(count: usize) -> u64 {
    units(count)
}

/// The price of searching for a name among `count` members.
#[inline]
pub(crate) fn member(count: usize, name: &str) -> u64 {
    units(count) / MEMBERS_PER_UNIT + text(name.len())
}

/// The price of comparing items by one string in each, besides what was paid for walking the item:
/// finding the string under its name, and reading it.
#[inline]
pub(crate) fn key(name: &str, value: &str) -> u64 {
    2 + text(name.len()) + text(value.len())
}

/// The price of asking what the presence of one name requires: the `required` names, besides the
/// search for them.
#[inline]
pub(crate) fn dependent(required: usize) -> u64 {
    1 + units(required)
}

/// The price of testing the names of an object against the rules of `branches` branches.
pub(crate) fn rules(branches: usize) -> u64 {
    units(branches / BRANCHES_PER_UNIT)
}

/// The price of reading `count` bytes of text.
#[inline(always)]
pub(crate) fn text(count: usize) -> u64 {
    // This build only measures the cost of metering.
    if cfg!(toolsure_unmetered) {
        return 0;
    }
    units(count / TEXT_PER_UNIT)
}

/// The number of operations decided by a comparison or two that one unit pays for; a node with
/// fewer pays only for its visit.
pub(crate) const CHEAP_PER_UNIT: usize = 4;

/// The price of reading the digits of a number that is not a machine integer, for one operation.
pub(crate) fn number(number: Number<'_>) -> u64 {
    if number.as_i64().is_some() {
        return 0;
    }
    EXACT + units(number.digits() / DIGITS_PER_UNIT)
}

/// The same for a number in the schema.
pub(crate) fn literal(literal: View<'_>) -> u64 {
    EXACT + units(literal.raw().len() / DIGITS_PER_UNIT)
}

/// The price of looking up a number among `count` numbers in the schema, the longest of which has
/// `longest` bytes.
pub(crate) fn search(count: usize, longest: usize) -> u64 {
    let Some(steps) = count.checked_ilog2() else {
        return 0;
    };
    (u64::from(steps) + 2) * (EXACT + units(longest / DIGITS_PER_UNIT))
}

/// The price of dividing two numbers and reading both: quadratic in their digits.
pub(crate) fn division(found: Number<'_>, divisor: Number<'_>) -> u64 {
    let (found, divisor) = (units(found.digits()), units(divisor.digits()));
    let products = found.saturating_mul(divisor);
    2 * EXACT + found.saturating_add(divisor) / DIVIDED_PER_UNIT + products / PRODUCTS_PER_UNIT
}

/// The price of a number format.
pub(crate) fn number_format(format: NumberFormat, found: Number<'_>) -> u64 {
    bounds_of(format).unwrap_or(DOUBLE) + number(found)
}

/// The price of comparing a number with the bounds of a format. `None` for a format that is missing
/// here, with which the check below does not compile.
const fn bounds_of(format: NumberFormat) -> Option<u64> {
    Some(match format {
        NumberFormat::Float => FLOAT,
        NumberFormat::Double => DOUBLE,
        NumberFormat::Int8
        | NumberFormat::Int16
        | NumberFormat::Int32
        | NumberFormat::Int64
        | NumberFormat::UInt8
        | NumberFormat::UInt16
        | NumberFormat::UInt32
        | NumberFormat::UInt64 => 0,
        _ => return None,
    })
}

/// The price of checking a string against a format.
pub(crate) fn format(format: Format, text: &str) -> u64 {
    let length = text.len();
    match work_of(format) {
        Some(FormatWork::Scan) => 1 + units(length / 8),
        Some(FormatWork::Parts) => 2 + units(length / 8),
        Some(FormatWork::Hostname) => {
            let length = length.min(LONGEST_HOST);
            let read = text.as_bytes().get(..length).unwrap_or_default();
            let encoded = read
                .windows(PREFIX.len())
                .any(|window| window.eq_ignore_ascii_case(PREFIX));
            1 + units(if encoded { 3 * length } else { length / 8 })
        }
        Some(FormatWork::Parse) => 1 + 4 * units(length),
        Some(FormatWork::Tables { longest }) => 4 + 4 * units(length.min(longest)),
        None => 4 + 4 * units(length),
    }
}

/// What checking a string against a format takes.
#[derive(Clone, Copy)]
enum FormatWork {
    /// Reading it once.
    Scan,
    /// The same, for several parts with rules of their own.
    Parts,
    /// Reading a host, and decoding its labels if they are encoded.
    Hostname,
    /// Parsing a regular expression, which costs far more than a scan.
    Parse,
    /// Looking up every character in several Unicode tables. Longer strings are refused without
    /// reading them.
    Tables { longest: usize },
}

/// What checking a format takes; `None` for a format that is missing here, with which the check
/// below does not compile.
const fn work_of(format: Format) -> Option<FormatWork> {
    Some(match format {
        Format::DateTime
        | Format::Date
        | Format::Time
        | Format::Duration
        | Format::Email
        | Format::Ipv4
        | Format::UriTemplate
        | Format::JsonPointer
        | Format::RelativeJsonPointer
        | Format::RelativeJsonPointerWithoutIndex
        | Format::Uuid => FormatWork::Scan,
        Format::Uri | Format::UriReference | Format::Iri | Format::IriReference | Format::Ipv6 => {
            FormatWork::Parts
        }
        Format::Hostname => FormatWork::Hostname,
        Format::Regex => FormatWork::Parse,
        Format::IdnHostname => FormatWork::Tables {
            longest: LONGEST_HOST,
        },
        Format::IdnEmail => FormatWork::Tables {
            longest: LONGEST_MAILBOX,
        },
        _ => return None,
    })
}

// why: `Format` is non-exhaustive, so a match on it has an arm for formats that do not exist yet.
const _: () = {
    let mut formats: &[Format] = &Format::ALL;
    while let [first, rest @ ..] = formats {
        assert!(work_of(*first).is_some(), "a format has no price");
        formats = rest;
    }
    let mut formats: &[NumberFormat] = &NumberFormat::ALL;
    while let [first, rest @ ..] = formats {
        assert!(bounds_of(*first).is_some(), "a number format has no price");
        formats = rest;
    }
};

/// The price of checking a document inside a string.
pub(crate) fn content(text: &str) -> u64 {
    4 + units(text.len() / 8)
}

/// The price of an operation on a number that does not fit a machine integer, in addition to its
/// digits.
const EXACT: u64 = 2;
/// Digits of such a number that one unit pays for.
const DIGITS_PER_UNIT: usize = 6;
/// Digits of both operands of a division whose preparation one unit pays for.
const DIVIDED_PER_UNIT: u64 = 6;
/// Digit products that one unit pays for.
const PRODUCTS_PER_UNIT: u64 = 64;
/// The price of comparing a number with the bounds of a `float`, of 39 digits each.
const FLOAT: u64 = 8;
/// The price of comparing a number with the bounds of a `double`, of 309 digits each.
const DOUBLE: u64 = 40;
/// The prefix of an encoded label of a host.
const PREFIX: &[u8] = b"xn--";
/// The maximum number of bytes of a host, and of a mailbox, that are read: four for each character
/// that the format allows.
const LONGEST_HOST: usize = 4 * 255;
const LONGEST_MAILBOX: usize = 4 * 320;
/// Branches whose rules, a few masks each, one unit pays for.
const BRANCHES_PER_UNIT: usize = 4;
/// Members whose search for a name one unit pays for.
const MEMBERS_PER_UNIT: u64 = 32;
