//! What work on one value costs, for the executor and the explanation alike.
//!
//! A unit of fuel takes 40 ns at most. `bench/counted/examples/prices` measures what each
//! operation and each format takes per unit; the least times of some runs on one core that others
//! used too, in November 2026:
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

use toolgate_json::{Number, View};

use crate::format::{Format, NumberFormat};
use crate::int::units;

/// Bytes of text that one unit looks at: a comparison, a hash, a count of characters.
pub(crate) const TEXT_PER_UNIT: usize = 32;

/// Remembering a verdict, in work and in memory.
pub(crate) const MEMO: u64 = 4;

/// Branches whose rules, a few masks each, one unit looks at.
const BRANCHES_PER_UNIT: usize = 4;

/// Members that one unit searches for a name.
pub(crate) const MEMBERS_PER_UNIT: u64 = 8;

/// Holding the names of an object against the rules of so many branches.
pub(crate) fn rules(branches: usize) -> u64 {
    units(branches / BRANCHES_PER_UNIT)
}

/// Looking at so many bytes of text.
pub(crate) fn text(count: usize) -> u64 {
    units(count / TEXT_PER_UNIT)
}

/// Operations on one value that are settled by a comparison or two; nodes with fewer
/// than this pay nothing beside their visit.
pub(crate) const CHEAP_PER_UNIT: usize = 4;

/// Reading the digits of a number that is not a machine integer, for one operation.
pub(crate) fn number(number: Number<'_>) -> u64 {
    if number.as_i64().is_some() {
        return 0;
    }
    EXACT + units(number.digits() / DIGITS_PER_UNIT)
}

/// The same for a number of the schema.
pub(crate) fn literal(literal: View<'_>) -> u64 {
    EXACT + units(literal.raw().len() / DIGITS_PER_UNIT)
}

/// Looking up a number among `count` numbers of the schema, the longest of them `longest` bytes
/// long.
pub(crate) fn search(count: usize, longest: usize) -> u64 {
    let Some(steps) = count.checked_ilog2() else {
        return 0;
    };
    (u64::from(steps) + 2) * (EXACT + units(longest / DIGITS_PER_UNIT))
}

/// Dividing two numbers, and reading both: quadratic in their digits.
pub(crate) fn division(found: Number<'_>, divisor: Number<'_>) -> u64 {
    let (found, divisor) = (units(found.digits()), units(divisor.digits()));
    let products = found.saturating_mul(divisor);
    2 * EXACT + found.saturating_add(divisor) / DIVIDED_PER_UNIT + products / PRODUCTS_PER_UNIT
}

/// A format of numbers.
pub(crate) fn number_format(format: NumberFormat, found: Number<'_>) -> u64 {
    let bounds = match format {
        NumberFormat::Float => FLOAT,
        NumberFormat::Double => DOUBLE,
        _ => 0,
    };
    bounds + number(found)
}

/// Checking a text against a format.
pub(crate) fn format(format: Format, text: &str) -> u64 {
    let length = text.len();
    match format {
        // Every character is looked up in several tables of Unicode; longer texts
        // than a host may have are refused unread.
        Format::IdnHostname => 4 + 4 * units(length.min(LONGEST_HOST)),
        Format::IdnEmail => 4 + 4 * units(length.min(LONGEST_MAILBOX)),
        Format::Hostname => {
            let length = length.min(LONGEST_HOST);
            let read = text.as_bytes().get(..length).unwrap_or_default();
            let encoded = read
                .windows(PREFIX.len())
                .any(|window| window.eq_ignore_ascii_case(PREFIX));
            1 + units(if encoded { 3 * length } else { length / 8 })
        }
        // Reading a regular expression is far dearer than a scan.
        Format::Regex => 1 + 4 * units(length),
        Format::Uri | Format::UriReference | Format::Iri | Format::IriReference => {
            2 + units(length / 8)
        }
        Format::Ipv6 => 2 + units(length / 8),
        _ => 1 + units(length / 8),
    }
}

/// Checking a document inside a text.
pub(crate) fn content(text: &str) -> u64 {
    4 + units(text.len() / 8)
}

/// An operation on a number that does not fit a machine integer, beside its digits.
const EXACT: u64 = 2;
/// Digits of such a number that one unit reads.
const DIGITS_PER_UNIT: usize = 6;
/// Digits of both numbers of a division that one unit prepares.
const DIVIDED_PER_UNIT: u64 = 6;
/// Digit products that one unit of fuel pays for.
const PRODUCTS_PER_UNIT: u64 = 64;
/// Comparing a number with the bounds of a `float`, of 39 digits each.
const FLOAT: u64 = 8;
/// Comparing a number with the bounds of a `double`, of 309 digits each.
const DOUBLE: u64 = 40;
/// What an encoded label of a host begins with.
const PREFIX: &[u8] = b"xn--";
/// Bytes of the longest host, and of the longest mailbox, that is read: four for
/// each character that the format allows.
const LONGEST_HOST: usize = 4 * 255;
const LONGEST_MAILBOX: usize = 4 * 320;
