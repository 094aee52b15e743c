//! Compiling any bytes: strictly, leniently, and as each dialect.

use toolsure_schema::{Dialect, Strictness};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::compiler;
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "compile",
    about: "any bytes compile or are refused by an error of one line; lenient compilation takes what strict compilation takes",
    run,
    seeds: Seeds::schemas,
    gate: 37_000,
};

fn run(input: &[u8]) -> Outcome {
    let strict = compiler(input).compile(input);
    let lenient = compiler(input)
        .strictness(Strictness::Lenient)
        .compile(input);
    if let Err(error) = &strict {
        let message = error.to_string();
        ensure!(
            !message.contains('\n'),
            "an error of several lines: {message:?}"
        );
        ensure!(
            !message.chars().any(char::is_control),
            "control characters: {message:?}"
        );
    }
    ensure!(
        strict.is_err() || lenient.is_ok(),
        "lenient compilation refuses what strict compilation takes: {:?}",
        lenient.err()
    );
    for dialect in [Dialect::Draft4, Dialect::Draft7, Dialect::Draft201909] {
        // No fault and no panic is what counts; any verdict on the schema may be right.
        drop(compiler(input).dialect(dialect).compile(input));
    }
    if let Ok(schema) = strict {
        let memory = schema.memory();
        let bound = (1 << 20) + input.len().saturating_mul(400);
        ensure!(
            memory <= bound,
            "{memory} bytes for a schema of {}",
            input.len()
        );
        // Made of the model again, for those who look for costly places.
        drop(schema.costly_places(1 << 20));
        drop(schema.listing());
    }
    Ok(())
}
