//! Inlining keeps every verdict.

use toolsure_analysis::inline::{InlineLimits, inline};
use toolsure_schema::{Verdict, Workspace};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compile, compiler, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "inline",
    about: "a schema without references gives the verdicts of the one that it was made from",
    run,
    seeds: Seeds::pairs,
    gate: 57_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, instance)) = two_texts(input) else {
        return Ok(());
    };
    let limits = InlineLimits::default();
    let Ok(inlined) = inline(
        schema.as_bytes(),
        compiler(schema.as_bytes()).parser(),
        &limits,
    ) else {
        return Ok(());
    };
    let bound = limits.output_bytes(schema.len());
    let length = inlined.text.len();
    ensure!(length <= bound, "{length} bytes where {bound} are allowed");
    let Some(before) = compile(schema.as_bytes()) else {
        return Ok(());
    };
    // Formats as for the original, whatever the length.
    let after = compiler(schema.as_bytes()).compile(inlined.text.as_bytes());
    let after = after.map_err(|error| format!("does not compile: {error}: {}", inlined.text))?;
    let mut workspace = Workspace::new();
    let (Ok(one), Ok(other)) = (
        before.check(&mut workspace, instance.as_bytes()),
        after.check(&mut workspace, instance.as_bytes()),
    ) else {
        return Ok(());
    };
    let undecided = |verdict| matches!(verdict, Verdict::Undecided(_));
    ensure!(
        one == other || undecided(one) || undecided(other),
        "{one} before, {other} inlined: {}",
        inlined.text
    );
    Ok(())
}
