//! The table of settings, one row for each.

use super::setting::{Setting, Slot};
use super::words::Choice;
use crate::limits::{Limits, NODES_MOST};

/// The name of the setting that registers documents.
pub(super) const DOCUMENTS: &str = "documents";
/// The common prefix of the limits on reading an instance.
pub(super) const INSTANCE: &str = "limits.instance.";

/// Every setting, in the order of the reference.
pub static ALL: &[Setting] = &[
    Setting {
        name: "formats",
        help: "what `format` does",
        slot: Slot::Choice(Choice::Formats),
    },
    Setting {
        name: "content",
        help: "what `contentEncoding` and `contentMediaType` do in draft 7",
        slot: Slot::Choice(Choice::Content),
    },
    Setting {
        name: "strictness",
        help: "what happens to a keyword whose value its dialect forbids",
        slot: Slot::Choice(Choice::Strictness),
    },
    Setting {
        name: "dialect",
        help: "the dialect of every schema, whatever its `$schema` declares",
        slot: Slot::Choice(Choice::Dialect),
    },
    Setting {
        name: "default_dialect",
        help: "the dialect of schemas that declare none",
        slot: Slot::Choice(Choice::DefaultDialect),
    },
    Setting {
        name: DOCUMENTS,
        help: "documents that references may resolve to, by URI",
        slot: Slot::Documents,
    },
    bytes(
        "limits.schema_bytes",
        "bytes of one schema document",
        64 << 20,
        |limits| long(limits.model.schema_bytes),
        |limits, value| limits.model.schema_bytes = short(value),
    ),
    count(
        "limits.schema_nesting",
        "arrays and objects open at the same time in a schema document, data included",
        512,
        |limits| long(limits.model.schema_nesting),
        |limits, value| limits.model.schema_nesting = short(value),
    ),
    count(
        "limits.schema_nodes",
        "values and member names in one schema document",
        NODES_MOST,
        |limits| long(limits.model.schema_nodes),
        |limits, value| limits.model.schema_nodes = short(value),
    ),
    count(
        "limits.schema_digits",
        "digits of one number in a schema document",
        DIGITS_MOST,
        |limits| long(limits.model.schema_digits),
        |limits, value| limits.model.schema_digits = short(value),
    ),
    count(
        "limits.depth",
        "nested subschemas",
        DEPTH_MOST,
        |limits| long(limits.model.depth),
        |limits, value| limits.model.depth = short(value),
    ),
    count(
        "limits.subschemas",
        "subschemas of a schema and of all documents it reaches",
        TABLE_MOST,
        |limits| long(limits.model.subschemas),
        |limits, value| limits.model.subschemas = short(value),
    ),
    count(
        "limits.plan_nodes",
        "compiled subschemas, one for each dynamic scope; 16 names or enum members count as one",
        TABLE_MOST,
        |limits| long(limits.plan_nodes),
        |limits, value| limits.plan_nodes = short(value),
    ),
    count(
        "limits.enum_members",
        "members of one `enum`",
        TABLE_MOST,
        |limits| long(limits.model.enum_members),
        |limits, value| limits.model.enum_members = short(value),
    ),
    bytes(
        "limits.pattern_bytes",
        "the text of one regular expression",
        1 << 20,
        |limits| long(limits.model.pattern_bytes),
        |limits, value| limits.model.pattern_bytes = short(value),
    ),
    count(
        "limits.pattern_depth",
        "groups inside groups of one regular expression",
        PATTERN_DEPTH_MOST,
        |limits| long(limits.model.pattern_depth),
        |limits, value| limits.model.pattern_depth = short(value),
    ),
    bytes(
        "limits.pattern_size",
        "estimated compiled bytes of one regular expression",
        64 << 20,
        |limits| long(limits.model.pattern_size),
        |limits, value| limits.model.pattern_size = short(value),
    ),
    bytes(
        "limits.patterns_size",
        "estimated compiled bytes of all regular expressions of a schema",
        1 << 30,
        |limits| long(limits.model.patterns_size),
        |limits, value| limits.model.patterns_size = short(value),
    ),
    count(
        "limits.registrations",
        "documents registered with one compiler",
        1 << 16,
        |limits| long(limits.model.registrations),
        |limits, value| limits.model.registrations = short(value),
    ),
    bytes(
        "limits.reference_bytes",
        "the text of one reference or identifier",
        1 << 20,
        |limits| long(limits.model.reference_bytes),
        |limits, value| limits.model.reference_bytes = short(value),
    ),
    count(
        "limits.fuel",
        "units of work of one check, 10 to 40 ns each",
        FUEL_MOST,
        |limits| limits.fuel,
        |limits, value| limits.fuel = value,
    ),
    count(
        "limits.evaluation_depth",
        "nested subschema evaluations of one check",
        LEVELS_MOST,
        |limits| u64::from(limits.evaluation_depth),
        |limits, value| limits.evaluation_depth = u32::try_from(value).unwrap_or(u32::MAX),
    ),
    bytes(
        "limits.instance.bytes",
        "bytes of one instance",
        1 << 30,
        |limits| long(limits.instance.bytes),
        |limits, value| limits.instance.bytes = short(value),
    ),
    count(
        "limits.instance.depth",
        "arrays and objects open at the same time in an instance",
        512,
        |limits| long(limits.instance.depth),
        |limits, value| limits.instance.depth = short(value),
    ),
    count(
        "limits.instance.nodes",
        "values and member names in one instance",
        NODES_MOST,
        |limits| long(limits.instance.nodes),
        |limits, value| limits.instance.nodes = short(value),
    ),
    count(
        "limits.instance.digits",
        "digits of one number in an instance",
        DIGITS_MOST,
        |limits| long(limits.instance.digits),
        |limits, value| limits.instance.digits = short(value),
    ),
    Setting {
        name: "limits.instance.duplicate_keys",
        help: "what happens when an object of an instance has two members with the same name",
        slot: Slot::Choice(Choice::DuplicateKeys),
    },
];

/// A limit on a count.
const fn count(
    name: &'static str,
    help: &'static str,
    most: u64,
    get: fn(&Limits) -> u64,
    put: fn(&mut Limits, u64),
) -> Setting {
    number(name, help, false, most, get, put)
}

/// A limit on bytes.
const fn bytes(
    name: &'static str,
    help: &'static str,
    most: u64,
    get: fn(&Limits) -> u64,
    put: fn(&mut Limits, u64),
) -> Setting {
    number(name, help, true, most, get, put)
}

const fn number(
    name: &'static str,
    help: &'static str,
    bytes: bool,
    most: u64,
    get: fn(&Limits) -> u64,
    put: fn(&mut Limits, u64),
) -> Setting {
    Setting {
        name,
        help,
        slot: Slot::Number {
            bytes,
            least: 1,
            most,
            get,
            put,
        },
    }
}

fn long(value: usize) -> u64 {
    crate::int::units(value)
}

fn short(value: u64) -> usize {
    crate::int::count(value)
}

/// Nested subschemas: reading, resolving and lowering recurse no deeper than a JSON text can nest.
const DEPTH_MOST: u64 = 512;
/// Patterns are parsed without recursion; deeper ones match more slowly than a caller expects.
const PATTERN_DEPTH_MOST: u64 = 512;
/// Table rows: far fewer than a 32-bit index allows.
const TABLE_MOST: u64 = 1 << 24;
/// Long division is quadratic in the digits: 64 Ki digits take seconds.
const DIGITS_MOST: u64 = 1 << 16;
/// Hours of work, at 10 to 40 ns for each unit: as much as the largest instance may need.
const FUEL_MOST: u64 = 1_000_000_000_000;
/// A level takes about 720 bytes of stack: less than 1 MiB in all.
const LEVELS_MOST: u64 = 1_000;
