//! Verdicts beside those of two other engines: where they agree with each other, we agree with them.

use serde_json::Value;
use toolsure_schema::Dialect;
use toolsure_testkit::differential::peer_defects;
use toolsure_testkit::engine::{Answer, Engine, Setup};
use toolsure_testkit::ours;
use toolsure_testkit::peers::{Boon, Jsonschema};

use super::target::Target;
use crate::Outcome;
use crate::input::two_texts;
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "peers",
    about: "where the crates `jsonschema` and `boon` agree, so do we",
    run,
    seeds: Seeds::pairs,
    gate: 47_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((schema, instance)) = two_texts(input) else {
        return Ok(());
    };
    // They have no meter: short inputs keep them from taking for ever. They fetch nothing, and
    // take schemas of other dialects by their own rules.
    if input.len() > LONGEST || schema.contains("$schema") || schema.contains("\"$id\"") {
        return Ok(());
    }
    let (Ok(schema_value), Ok(instance_value)) = (
        serde_json::from_str::<Value>(schema),
        serde_json::from_str::<Value>(instance),
    ) else {
        return Ok(());
    };
    let (schema, instance) = (schema_value.to_string(), instance_value.to_string());
    let setup = Setup::new(&schema, Dialect::Draft202012);
    let Ok(mut ours) = ours::compile(&setup) else {
        return Ok(());
    };
    let (Answer::Valid | Answer::Invalid) = ours.check_bytes(instance.as_bytes()) else {
        return Ok(());
    };
    if ours.workspace.fuel_used() > MOST_FUEL {
        return Ok(());
    }
    let ours = ours.check_bytes(instance.as_bytes());
    let mut disagree = Vec::new();
    let peers: [&dyn Engine; 2] = [&Jsonschema::default(), &Boon];
    for peer in peers {
        let Ok(mut compiled) = peer.compile(&setup) else {
            return Ok(());
        };
        let theirs = compiled.check(&instance);
        if theirs == ours {
            return Ok(());
        }
        let known = peer_defects::explain(
            peer.name(),
            Dialect::Draft202012,
            &schema_value,
            &instance_value,
        );
        if known.is_some() {
            return Ok(());
        }
        disagree.push(format!("{} {theirs}", peer.name()));
    }
    Err(format!(
        "ours says {ours}, {}: {schema} on {instance}",
        disagree.join(", ")
    ))
}

/// Bytes of an input.
const LONGEST: usize = 2 << 10;
/// What a check may take of ours, which tells how long it may take theirs.
const MOST_FUEL: u64 = 20_000;
