//! One verdict and one price, however an instance is represented and its members are ordered.

use serde_json::Value;
use toolsure_json::{DuplicateKeys, OwnedDocument, ReadLimits};
use toolsure_schema::Dialect;
use toolsure_schema::{OutputFormat, Schema, Verdict, Workspace};
use toolsure_testkit::engine::Setup;
use toolsure_testkit::ours::Ours;
use toolsure_testkit::plain;

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compile, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "check",
    about: "same verdict and fuel from bytes, documents and values, in every member order; less fuel never changes a verdict to the other one; explanations agree",
    run,
    seeds: Seeds::pairs,
    gate: 13_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema_text, instance)) = two_texts(input) else {
        return Ok(());
    };
    let Some(schema) = compile(schema_text.as_bytes()) else {
        return Ok(());
    };
    let mut workspace = Workspace::new();
    let Ok(verdict) = schema.check(&mut workspace, instance.as_bytes()) else {
        return Ok(());
    };
    let fuel = workspace.fuel_used();
    let same = |what: &str, other: Verdict, paid: u64| -> Outcome {
        ensure!(
            other == verdict && paid == fuel,
            "bytes: {verdict} for {fuel}, {what}: {other} for {paid}"
        );
        Ok(())
    };
    let document = read(instance)?;
    let root = document.document().root();
    let from_document = schema.check(&mut workspace, root);
    same("document", from_document, workspace.fuel_used())?;
    // A value cannot hold two members of one name.
    let once = ReadLimits {
        duplicate_keys: DuplicateKeys::Refuse,
        ..ReadLimits::default()
    };
    if OwnedDocument::read(instance, &once).is_err() {
        return Ok(());
    }
    let Ok(value) = serde_json::from_str::<Value>(instance) else {
        return Ok(());
    };
    let from_value = schema.check(&mut workspace, &value);
    same("value", from_value, workspace.fuel_used())?;
    let mut reversed = String::new();
    write_reversed(&value, &mut reversed);
    let other = schema.check(&mut workspace, reversed.as_bytes());
    let other = other.map_err(|error| format!("reversed: {error}"))?;
    same("reversed members", other, workspace.fuel_used())?;
    budgets(&schema, instance, verdict, fuel)?;
    explanations(schema, schema_text, instance, verdict)
}

fn read(instance: &str) -> Result<OwnedDocument, String> {
    OwnedDocument::read(instance, &ReadLimits::default())
        .map_err(|error| format!("bytes are checked, but the document says: {error}"))
}

/// A smaller budget ends in the same verdict or in none.
fn budgets(schema: &Schema, instance: &str, verdict: Verdict, fuel: u64) -> Outcome {
    if matches!(verdict, Verdict::Undecided(_)) {
        return Ok(());
    }
    for budget in [fuel, fuel.saturating_sub(1), fuel / 2, fuel / 7] {
        let mut workspace = Workspace::new().fuel(budget);
        let Ok(other) = schema.check(&mut workspace, instance.as_bytes()) else {
            continue;
        };
        let undecided = matches!(other, Verdict::Undecided(_));
        ensure!(
            if budget >= fuel {
                other == verdict
            } else {
                undecided || other == verdict
            },
            "{verdict} for {fuel}, but {other} with a budget of {budget}"
        );
    }
    Ok(())
}

/// What explains a verdict agrees with it.
fn explanations(schema: Schema, text: &str, instance: &str, verdict: Verdict) -> Outcome {
    let mut ours = Ours {
        schema,
        workspace: Workspace::new(),
    };
    for format in OutputFormat::ALL {
        let output = ours
            .schema
            .output(&mut ours.workspace, instance.as_bytes(), format);
        let output = output.map_err(|error| error.to_string())?;
        ensure!(
            serde_json::from_str::<Value>(&output).is_ok(),
            "output in {} is not JSON: {output}",
            format.name()
        );
    }
    let decided = match verdict {
        Verdict::Valid => true,
        Verdict::Invalid => false,
        Verdict::Undecided(_) => return Ok(()),
    };
    // A finding's subschema is found through a reference to it, which a schema with names of its
    // own may lead elsewhere.
    if ["$id", "$schema", "\"id\"", "$vocabulary", "$anchor"]
        .iter()
        .any(|name| text.contains(name))
    {
        return Ok(());
    }
    let mut setup = Setup::new(text, Dialect::Draft202012);
    setup.formats = text.len().is_multiple_of(2);
    plain::hold(&mut ours, &setup, instance, decided)
}

/// Writes a value with the members of each object in reverse order.
fn write_reversed(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_reversed(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().rev().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(name.clone()).to_string());
                out.push(':');
                write_reversed(value, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}
