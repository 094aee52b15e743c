//! A projection's claim about how it relates to the original, held against values.

use toolsure_analysis::project::{Projector, Relation};
use toolsure_analysis::readers::{PROJECTED_FOR, reader};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_schema::{Schema, Verdict, Workspace};
use toolsure_testkit::providers::read_nullable;

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{compile, compiler, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "project",
    about: "what a projection says of itself (equal, wider, narrower) holds for every value, and its witnesses prove it",
    run,
    seeds: Seeds::pairs,
    gate: 13_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, instance)) = two_texts(input) else {
        return Ok(());
    };
    let Some(original) = compile(schema.as_bytes()) else {
        return Ok(());
    };
    let name = PROJECTED_FOR.get(input.len() % PROJECTED_FOR.len().max(1));
    let Some(reader) = name.and_then(|name| reader(name)) else {
        return Err("there are no readers".to_owned());
    };
    let projector = Projector::new(reader)
        .open(true)
        .compiler(compiler(schema.as_bytes()));
    let Ok(projected) = projector.project_schema(schema) else {
        return Ok(());
    };
    // Gemini's `nullable` is not a keyword of JSON Schema.
    let text = match reader.name {
        "gemini" => serde_json::from_str(&projected.text)
            .map(|value| read_nullable(&value).to_string())
            .map_err(|error| format!("not JSON: {error}: {}", projected.text))?,
        _ => projected.text.clone(),
    };
    let published = compiler(schema.as_bytes()).compile(text.as_bytes());
    let published =
        published.map_err(|error| format!("does not compile: {error}: {}", projected.text))?;
    let relation = &projected.relation;
    let fault = |what: &str, value: &str| {
        format!(
            "{}: {relation:?}, but {what} {value}: {}",
            reader.name, projected.text
        )
    };
    let back = |value: &str| -> Option<String> {
        let document = OwnedDocument::read(value, &ReadLimits::default()).ok()?;
        projected.mapping.back(document.document().root())
    };
    let forward = |value: &str| -> Option<String> {
        let document = OwnedDocument::read(value, &ReadLimits::default()).ok()?;
        projected.mapping.forward(document.document().root())
    };
    if let Some(witness) = relation.wider() {
        let returned = back(witness).ok_or_else(|| fault("not mapped back", witness))?;
        ensure!(
            verdict(&published, witness) != Some(false),
            "{}",
            fault("refused", witness)
        );
        ensure!(
            verdict(&original, &returned) != Some(true),
            "{}",
            fault("accepted", witness)
        );
    }
    if let Some(witness) = relation.narrower() {
        ensure!(
            verdict(&original, witness) != Some(false),
            "{}",
            fault("the original refuses", witness)
        );
        if let Some(sent) = forward(witness) {
            let accepted = verdict(&published, &sent) == Some(true);
            let same = back(&sent).is_some_and(|text| same_json(&text, witness));
            ensure!(
                !(accepted && same),
                "{}",
                fault("it can be expressed:", witness)
            );
        }
    }
    // Only objects are arguments.
    if !instance.trim_start().starts_with('{') {
        return Ok(());
    }
    if matches!(relation, Relation::Equal | Relation::Narrower { .. })
        && verdict(&published, instance) == Some(true)
        && let Some(returned) = back(instance)
    {
        ensure!(
            verdict(&original, &returned) != Some(false),
            "{}",
            fault("the original refuses", &returned)
        );
    }
    if relation.keeps_all()
        && verdict(&original, instance) == Some(true)
        && let Some(sent) = forward(instance)
    {
        ensure!(
            verdict(&published, &sent) != Some(false),
            "{}",
            fault("cannot be expressed:", instance)
        );
    }
    Ok(())
}

/// The verdict, if there is one.
fn verdict(schema: &Schema, instance: &str) -> Option<bool> {
    match schema.check(&mut Workspace::new(), instance.as_bytes()) {
        Ok(Verdict::Valid) => Some(true),
        Ok(Verdict::Invalid) => Some(false),
        Ok(Verdict::Undecided(_)) | Err(_) => None,
    }
}

fn same_json(one: &str, other: &str) -> bool {
    let value = |text| serde_json::from_str::<serde_json::Value>(text).ok();
    value(one).is_some() && value(one) == value(other)
}
