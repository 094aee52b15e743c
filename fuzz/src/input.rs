//! The parts of an input, and what the targets make of them.

use toolsure_schema::{Compiler, Formats, Limits, Schema};

/// The separator of the parts of an input.
pub const SEPARATOR: u8 = 0;

/// The parts of an input, of which a target uses the first few.
pub fn parts(input: &[u8]) -> impl Iterator<Item = &[u8]> {
    input.split(|byte| *byte == SEPARATOR)
}

/// The first two parts as text; nothing if there are fewer or they are not text.
#[must_use]
pub fn two_texts(input: &[u8]) -> Option<(&str, &str)> {
    let mut parts = parts(input).map(std::str::from_utf8);
    Some((parts.next()?.ok()?, parts.next()?.ok()?))
}

/// Several texts as one input.
#[must_use]
pub fn join<T: AsRef<[u8]>>(parts: &[T]) -> Vec<u8> {
    let mut input = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        if index > 0 {
            input.push(SEPARATOR);
        }
        input.extend_from_slice(part.as_ref());
    }
    input
}

/// The compiler of the targets: fuel for at most some 20 ms, so that a run sees many inputs.
/// Formats are asserted for every second length of schema.
#[must_use]
pub fn compiler(schema: &[u8]) -> Compiler {
    let formats = match schema.len() % 2 {
        0 => Formats::Assert,
        _ => Formats::Annotate,
    };
    Compiler::new().formats(formats).limits(Limits {
        fuel: 1_000_000,
        ..Limits::default()
    })
}

/// The schema, if it compiles.
#[must_use]
pub fn compile(schema: &[u8]) -> Option<Schema> {
    compiler(schema).compile(schema).ok()
}
