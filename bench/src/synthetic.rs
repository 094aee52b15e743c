//! Our own workloads, so that the benchmark runs without anything beside the repository.

use toolsure_testkit::differential::random::Random;

use crate::workload::{Set, Workload};

/// Flat arguments, a union, a long array, and a deep tree.
#[must_use]
pub fn sets() -> Vec<Set> {
    let mut random = Random::new(2106);
    vec![
        flat(&mut random),
        union(&mut random),
        array(&mut random),
        deep(&mut random),
    ]
}

fn set(name: &str, schema: &str, valid: Vec<String>, invalid: Vec<String>) -> Set {
    Set {
        name: name.to_owned(),
        origin: "synthetic",
        schemas: vec![Workload {
            schema: schema.to_owned(),
            valid,
            invalid,
        }],
    }
}

/// What a tool call most often looks like: a small object of scalars.
fn flat(random: &mut Random) -> Set {
    let schema = r#"{"type":"object","properties":{
        "query":{"type":"string","minLength":1,"description":"What to look for"},
        "limit":{"type":"integer","minimum":1,"maximum":100,"default":20},
        "order":{"type":"string","enum":["asc","desc","relevance"]},
        "include":{"type":"array","items":{"type":"string"},"maxItems":10},
        "since":{"type":["string","null"]},"exact":{"type":"boolean"}},
        "required":["query"],"additionalProperties":false}"#;
    let one = |random: &mut Random, limit: usize| {
        let order = random.pick(&["asc", "desc", "relevance"]);
        format!(
            r#"{{"query":"report {}","limit":{limit},"order":"{order}","include":["title","body"],"since":null,"exact":{}}}"#,
            random.below(10_000),
            random.chance(50)
        )
    };
    let valid = (0..200).map(|n| one(random, 1 + n % 100)).collect();
    let invalid = (0..200).map(|n| one(random, 101 + n)).collect();
    set("synthetic-flat", schema, valid, invalid)
}

/// Tagged alternatives, as `oneOf` of objects.
fn union(random: &mut Random) -> Set {
    let shapes = ["circle", "square", "line", "text", "group", "image"];
    let branches: Vec<String> = shapes
        .iter()
        .enumerate()
        .map(|(at, shape)| {
            format!(
                r##"{{"type":"object","properties":{{"kind":{{"const":"{shape}"}},"p{at}":{{"type":"number"}},"id":{{"type":"string","pattern":"^[a-z0-9-]+$"}}}},"required":["kind","p{at}"]}}"##
            )
        })
        .collect();
    let schema = format!(
        r#"{{"type":"object","properties":{{"shapes":{{"type":"array","items":{{"oneOf":[{}]}}}}}},"required":["shapes"]}}"#,
        branches.join(",")
    );
    let one = |random: &mut Random, right: bool| {
        let shapes: Vec<String> = (0..8)
            .map(|_| {
                let at = random.below(shapes.len());
                let shape = shapes.get(at).copied().unwrap_or_default();
                let at = if right { at } else { at + 1 };
                format!(
                    r#"{{"kind":"{shape}","p{at}":{}.5,"id":"s-{}"}}"#,
                    random.below(90),
                    random.below(999)
                )
            })
            .collect();
        format!(r#"{{"shapes":[{}]}}"#, shapes.join(","))
    };
    let valid = (0..100).map(|_| one(random, true)).collect();
    let invalid = (0..100).map(|_| one(random, false)).collect();
    set("synthetic-union", &schema, valid, invalid)
}

/// Thousands of small records, as a data tool returns them.
fn array(random: &mut Random) -> Set {
    let schema = r#"{"type":"array","items":{"type":"object","properties":{
        "id":{"type":"integer"},"name":{"type":"string","maxLength":40},
        "tags":{"type":"array","items":{"type":"string"},"uniqueItems":true},
        "score":{"type":"number","minimum":0}},"required":["id","name"]}}"#;
    let one = |random: &mut Random, last: &str| {
        let mut records: Vec<String> = (0..1_000)
            .map(|id| {
                format!(
                    r#"{{"id":{id},"name":"record {}","tags":["a","b{}"],"score":{}.25}}"#,
                    random.below(100_000),
                    random.below(9),
                    random.below(100)
                )
            })
            .collect();
        records.push(last.to_owned());
        format!("[{}]", records.join(","))
    };
    let valid = (0..4)
        .map(|_| one(random, r#"{"id":1,"name":"last"}"#))
        .collect();
    let invalid = (0..4)
        .map(|_| one(random, r#"{"id":"1","name":"last"}"#))
        .collect();
    set("synthetic-array", schema, valid, invalid)
}

/// A recursive schema over a tree.
fn deep(random: &mut Random) -> Set {
    let schema = r##"{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{
        "value":{"type":"integer"},"kids":{"type":"array","items":{"$ref":"#/$defs/node"}}},
        "required":["value"],"unevaluatedProperties":false}}}"##;
    let one = |random: &mut Random, leaf: &str| {
        let mut tree = leaf.to_owned();
        for _ in 0..20 {
            tree = format!(
                r#"{{"value":{},"kids":[{{"value":{}}},{tree}]}}"#,
                random.below(1_000),
                random.below(1_000)
            );
        }
        tree
    };
    let valid = (0..50).map(|_| one(random, r#"{"value":1}"#)).collect();
    let invalid = (0..50)
        .map(|_| one(random, r#"{"value":1,"x":2}"#))
        .collect();
    set("synthetic-deep", schema, valid, invalid)
}
