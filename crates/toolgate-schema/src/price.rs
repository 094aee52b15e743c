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

use toolgate_json::{Number, View};

use crate::format::{Format, NumberFormat};
use crate::int::units;

/// Bytes of text that one unit pays for: a comparison, a hash, a count of characters.
pub(crate) const TEXT_PER_UNIT: usize = 32;

/// The price of remembering a verdict, in work and in memory.
pub(crate) const MEMO: u64 = 4;

/// Branches whose rules, a few masks each, one unit pays for.
const BRANCHES_PER_UNIT: usize = 4;

/// Members whose search for a name one unit pays for.
pub(crate) const MEMBERS_PER_UNIT: u64 = 32;

/// The price of testing the names of an object against the rules of `branches` branches.
pub(crate) fn rules(branches: usize) -> u64 {
    units(branches / BRANCHES_PER_UNIT)
}

/// The price of reading `count` bytes of text.
pub(crate) fn text(count: usize) -> u64 {
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
    let bounds = match format {
        NumberFormat::Float => FLOAT,
        NumberFormat::Double => DOUBLE,
        _ => 0,
    };
    bounds + number(found)
}

/// The price of checking a string against a format.
pub(crate) fn format(format: Format, text: &str) -> u64 {
    let length = text.len();
    match format {
        // Every character is looked up in several Unicode tables; strings longer than a host may be
        // are refused without reading them.
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
        // Parsing a regular expression costs far more than a scan.
        Format::Regex => 1 + 4 * units(length),
        Format::Uri | Format::UriReference | Format::Iri | Format::IriReference => {
            2 + units(length / 8)
        }
        Format::Ipv6 => 2 + units(length / 8),
        _ => 1 + units(length / 8),
    }
}

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
