//! The optimised program, which decides, held against the plain one, which explains, for schemas of
//! every dialect, with embedded resources, anchors and dynamic references.

use toolsure_schema::{Compiler, Dialect, OutputFormat, Verdict, Workspace};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compiler, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "plain",
    about: "the optimised and the plain program give one verdict in each dialect, and only what is invalid has findings",
    run,
    seeds: Seeds::pairs,
    gate: 25_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, instance)) = two_texts(input) else {
        return Ok(());
    };
    let compiler = compiler(schema.as_bytes());
    for dialect in DIALECTS {
        one(&compiler.clone().default_dialect(dialect), schema, instance)
            .map_err(|fault| format!("{dialect}: {fault}"))?;
    }
    Ok(())
}

fn one(compiler: &Compiler, schema: &str, instance: &str) -> Outcome {
    let Ok(schema) = compiler.compile(schema.as_bytes()) else {
        return Ok(());
    };
    let bytes = instance.as_bytes();
    let mut workspace = Workspace::new();
    let Ok(verdict) = schema.check(&mut workspace, bytes) else {
        return Ok(());
    };
    let expected = match verdict {
        Verdict::Valid => true,
        Verdict::Invalid => false,
        Verdict::Undecided(_) => return Ok(()),
    };
    let text = schema.output(&mut workspace, bytes, OutputFormat::List);
    let text = text.map_err(|error| error.to_string())?;
    // The plain program pays more for the same, and says so if the fuel is not enough.
    let undecided = text.starts_with(r#"{"valid":false,"complete":false,"error":"#);
    ensure!(
        undecided || text.starts_with(&format!(r#"{{"valid":{expected}"#)),
        "the plain program contradicts {verdict}: {text}"
    );
    let report = schema.explain(&mut workspace, bytes);
    let report = report.map_err(|error| error.to_string())?;
    ensure!(
        report.verdict == verdict || matches!(report.verdict, Verdict::Undecided(_)),
        "the explanation says {}, the check {verdict}",
        report.verdict
    );
    ensure!(
        !expected || report.findings.is_empty(),
        "{} findings in a valid instance",
        report.findings.len()
    );
    let annotations = schema.annotations(&mut workspace, bytes);
    drop(annotations.map_err(|error| error.to_string())?);
    Ok(())
}

const DIALECTS: [Dialect; 3] = [Dialect::Draft202012, Dialect::Draft201909, Dialect::Draft7];
