//! The small vocabulary that schemas and instances share, so that instances often match.

/// The property names of schemas and instances.
pub const NAMES: [&str; 9] = ["a", "b", "c", "foo", "bar", "", "x/y", "~t", "é"];

/// The names of the members that decide unions and conditions.
pub const DECIDING: [&str; 2] = ["a", "b"];

/// The strings in schemas and instances.
pub const STRINGS: [&str; 12] = [
    "", "a", "ab", "abc", "foo", "é", "😀", "12", "1", "b\n", "true", "A-b",
];

/// The numbers in schemas and instances, as JSON text.
pub const NUMBERS: [&str; 17] = [
    "0",
    "1",
    "2",
    "3",
    "4",
    "-1",
    "-2",
    "10",
    "1.0",
    "1.5",
    "2.5",
    "-0.5",
    "0.0",
    "1e2",
    "9007199254740992",
    "-3.0",
    "7",
];

/// The patterns in schemas. Every engine supports them.
pub const PATTERNS: [&str; 14] = [
    "^a",
    "b$",
    "^[a-z]+$",
    "\\d",
    "^.{2,3}$",
    "[^a]",
    "a|b",
    "^\\w*$",
    "\\S",
    "^(foo|bar)$",
    "^\\p{L}",
    "o{2}",
    "^$",
    "[0-9]",
];

/// The type names.
pub const TYPES: [&str; 7] = [
    "null", "boolean", "integer", "number", "string", "array", "object",
];
