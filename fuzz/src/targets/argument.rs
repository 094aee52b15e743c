//! Argument schemas: any bytes are read or refused, and checks are bounded.

use toolsure_mcp::argument::{Answer, ArgumentSchema, MOST_DIAGNOSES};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{join, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "argument",
    about: "any argument schema is read or refused, and defaults that are filled in are accepted",
    run,
    seeds,
    gate: 66_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, arguments)) = two_texts(input) else {
        return Ok(());
    };
    let schema = match ArgumentSchema::read(schema.as_bytes()) {
        Ok(schema) => schema,
        Err(error) => {
            let message = error.to_string();
            ensure!(
                !message.contains('\n'),
                "an error of several lines: {message:?}"
            );
            return Ok(());
        }
    };
    ensure!(
        schema.diagnoses().len() <= 3 * MOST_DIAGNOSES,
        "{} diagnoses",
        schema.diagnoses().len()
    );
    let Ok(answer) = schema.check_bytes(arguments.as_bytes()) else {
        return Ok(());
    };
    let Ok(document) = toolsure_json::OwnedDocument::read(arguments, &schema.limits().arguments)
    else {
        return Err("checked, but not read".to_owned());
    };
    let root = document.document().root();
    if let (Answer::Accepted, Some(filled)) = (&answer, schema.with_defaults(root)) {
        let after = schema
            .check_bytes(filled.as_bytes())
            .map_err(|error| error.to_string())?;
        ensure!(
            matches!(after, Answer::Accepted),
            "{after:?} with defaults: {filled}"
        );
    }
    drop(schema.deprecated_used(root));
    Ok(())
}

fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    SCHEMAS
        .iter()
        .flat_map(|schema| {
            ARGUMENTS
                .iter()
                .map(move |arguments| join(&[schema, arguments]))
        })
        .collect()
}

const SCHEMAS: &[&str] = &[
    r#"{"q":{"type":"string","required":true,"minLength":3},"limit":{"type":"integer","maximum":9}}"#,
    r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"number","minimum":1}}},"required":["a"]}"#,
    r#"{"schemaVersion":"2026-11-21","o":{"type":"object","properties":{"b":{"type":"boolean","default":true}}},
        "p":{"type":"string","pattern":"^a+$"},"e":{"enum":["1",2],"isArray":true},"d":{"deprecated":true}}"#,
    r#"{"schemaVersion":"2025-10-09","n":{"type":"float","minimum":0.5,"description":"d"}}"#,
];

const ARGUMENTS: &[&str] = &[
    "{}",
    r#"{"q":"abc","limit":5.0}"#,
    r#"{"a":[1,2,0],"b":null}"#,
    r#"{"o":{},"p":"aaa","e":[1,"2"],"d":1}"#,
    r#"{"n":1e3}"#,
    "[]",
];
