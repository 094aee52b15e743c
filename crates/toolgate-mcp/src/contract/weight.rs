//! What a compiled schema weighs in memory.

use toolgate_schema::Schema;

/// Bytes that a compiled schema may hold, with the automata that its patterns build
/// when they are first matched, and with what explaining a failure adds. An estimate
/// from above.
pub(super) fn of_schema(schema: &Schema, text: &str) -> usize {
    BASE + schema.memory() + EXPLAINED * text.len()
}

/// What any schema takes.
const BASE: usize = 1 << 10;
/// What an explanation keeps for each byte of the text.
const EXPLAINED: usize = 6;
