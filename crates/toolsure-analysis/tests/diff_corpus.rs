//! No verdict of the diff on edited schemas of published tools is contradicted by an instance, and it decides
//! more pairs than the canonical form of the `jsonschema` crate.

#![expect(
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking"
)]

#[path = "diff/edits.rs"]
mod edits;

use std::panic::catch_unwind;

use edits::edit;
use jsonschema::canonical::Containment;
use serde_json::{Value, json};
use toolsure_analysis::diff::{Class, Differ, Kind};
use toolsure_schema::{Compiler, Formats, Schema, Workspace};
use toolsure_testkit::differential::instances::instance;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::recorded::recorded;

/// What was found of all pairs.
#[derive(Debug, Default)]
struct Tally {
    pairs: usize,
    /// Both schemas compile, and they differ in their texts.
    compared: usize,
    compatible: usize,
    breaking: usize,
    /// Breaking with a value that proves it.
    proved: usize,
    unknown: usize,
    /// Instances that the old schema accepts.
    accepted: usize,
    contradictions: Vec<String>,
    /// What the canonical forms decide of the same pairs, and where they say the opposite.
    peer_decided: usize,
    peer_opposite: Vec<String>,
    /// What only one of the two decides.
    only_ours: usize,
    only_peer: usize,
}

fn compile(schema: &Value) -> Option<Schema> {
    let compiler = Compiler::new().formats(Formats::Assert);
    compiler.compile(schema.to_string().as_bytes()).ok()
}

fn tool(schema: &Value) -> String {
    json!({"name": "t", "inputSchema": schema}).to_string()
}

/// Whether the new schema accepts what the old accepts, as the canonical forms have it.
fn peer(old: &Value, new: &Value) -> Option<bool> {
    // As ours: formats are asserted, and nothing is fetched.
    let options = || {
        jsonschema::canonical::options()
            .should_validate_formats(true)
            .offline()
    };
    let canonical = |schema: &Value| options().canonicalize(schema).ok();
    let answer = catch_unwind(|| canonical(new)?.covers(&canonical(old)?).ok());
    match answer.ok()?? {
        Containment::Yes => Some(true),
        Containment::No => Some(false),
        _ => None,
    }
}

impl Tally {
    fn compare(&mut self, random: &mut Random, old: &Value, new: &Value, recorded: &[String]) {
        let (Some(before), Some(after)) = (compile(old), compile(new)) else {
            return;
        };
        if old == new {
            return;
        }
        self.compared += 1;
        let differ = Differ::new().open(true);
        let report = differ.diff([tool(old).as_str()], [tool(new).as_str()]);
        // What clients refuse matters to no instance.
        let changes = report.tools.iter().flat_map(|tool| &tool.changes);
        let changes = changes.filter(|change| change.kind != Kind::ToolRefused);
        let class = changes.map(|change| change.class).max();
        let class = class.unwrap_or(Class::Compatible);
        let mut workspace = Workspace::new();
        let mut passes = |schema: &Schema, text: &str| {
            let verdict = schema.check(&mut workspace, text.as_bytes());
            verdict.is_ok_and(toolsure_schema::Verdict::is_valid)
        };
        let changes = report.tools.iter().flat_map(|tool| &tool.changes);
        let mut proved = false;
        for witness in changes.filter_map(|change| change.witness.as_ref()) {
            proved = true;
            if !passes(&before, witness) || passes(&after, witness) {
                self.contradictions
                    .push(format!("{old}\n{new}\n{witness} proves nothing"));
            }
        }
        // That a root says that arguments are objects matters to clients, and not to the peer.
        let is_comparable = old.get("type") == new.get("type");
        let peer = is_comparable.then(|| peer(old, new)).flatten();
        self.peer_decided += usize::from(peer.is_some());
        self.only_ours += usize::from(is_comparable && peer.is_none() && class != Class::Unknown);
        self.only_peer += usize::from(peer.is_some() && class == Class::Unknown);
        let opposite = match class {
            Class::Unknown => {
                self.unknown += 1;
                false
            }
            Class::Breaking => {
                self.breaking += 1;
                self.proved += usize::from(proved);
                peer == Some(true)
            }
            _ => {
                self.compatible += 1;
                let generated: Vec<String> = [old, new]
                    .into_iter()
                    .flat_map(|root| (0..INSTANCES).map(move |_| root))
                    .map(|root| instance(random, root))
                    .filter(Value::is_object)
                    .map(|instance| instance.to_string())
                    .collect();
                for text in recorded.iter().chain(&generated) {
                    if passes(&before, text) {
                        self.accepted += 1;
                        if !passes(&after, text) {
                            self.contradictions
                                .push(format!("called compatible:\n{old}\n{new}\n{text}"));
                        }
                    }
                }
                peer == Some(false)
            }
        };
        if opposite {
            self.peer_opposite.push(format!("{class:?}:\n{old}\n{new}"));
        }
    }
}

/// `TOOLSURE_DIFF_PAIRS` sets the number of pairs (half of the edits change nothing), `TOOLSURE_SEED` begins elsewhere.
#[toolsure_needs::needs("corpus/instances")]
#[test]
fn edits_of_published_schemas_are_never_called_compatible_against_an_instance() {
    let pairs = std::env::var("TOOLSURE_DIFF_PAIRS");
    let pairs: usize = pairs.map_or(400, |text| text.parse().unwrap());
    let seed: u64 = std::env::var("TOOLSURE_SEED").map_or(1, |text| text.parse().unwrap());
    let mut random = Random::new(seed);
    let recorded = recorded().unwrap();
    let schemas: Vec<(Value, Vec<String>)> = recorded
        .iter()
        .filter_map(|one| {
            let texts = one.instances.iter().map(|(text, _)| text.clone());
            Some((serde_json::from_str(&one.schema).ok()?, texts.collect()))
        })
        .collect();
    let donors: Vec<Value> = schemas.iter().map(|(schema, _)| schema.clone()).collect();
    let mut tally = Tally::default();
    while tally.pairs < pairs {
        tally.pairs += 1;
        let (old, instances) = &schemas[random.below(schemas.len())];
        let mut new = old.clone();
        for _ in 0..=random.below(2) {
            edit(&mut random, &mut new, &donors);
        }
        tally.compare(&mut random, old, &new, instances);
    }
    let ours = tally.compatible + tally.breaking;
    println!(
        "{} pairs, {} compared: compatible {}, breaking {} (proved {}), unknown {}; {} instances; \
         decided {ours}, by jsonschema {} (by one of the two only: {} and {}); contradictions {}, opposites {}",
        tally.pairs,
        tally.compared,
        tally.compatible,
        tally.breaking,
        tally.proved,
        tally.unknown,
        tally.accepted,
        tally.peer_decided,
        tally.only_ours,
        tally.only_peer,
        tally.contradictions.len(),
        tally.peer_opposite.len(),
    );
    for one in tally.peer_opposite.iter().take(5) {
        println!("opposite {one}");
    }
    let shown: Vec<&String> = tally.contradictions.iter().take(5).collect();
    assert!(shown.is_empty(), "{shown:#?}");
    assert!(
        tally.peer_opposite.is_empty(),
        "jsonschema says the opposite"
    );
    assert!(tally.compatible > pairs / 20 && tally.accepted > pairs / 20);
    assert!(ours >= tally.peer_decided && ours * 100 >= tally.compared * 99);
}

const INSTANCES: usize = 8;
