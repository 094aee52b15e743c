//! Projections of the recorded listings: each lints clean in its profile, and no sampled instance
//! contradicts what is claimed.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use serde_json::Value;
use toolsure_analysis::lint::{Linter, profile};
use toolsure_analysis::project::{Limits, Projector, Relation, SchemaProjection};
use toolsure_analysis::readers::{PROJECTED_FOR, reader};
use toolsure_json::{OwnedDocument, ReadLimits, Unmetered, equal};
use toolsure_schema::{Compiler, Formats, Schema, Verdict, Workspace};
use toolsure_testkit::differential::instances::instance;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::providers::read_nullable;
use toolsure_testkit::recorded::{Recorded, recorded};

/// Rules about the number of tools in a listing, and of parameters in all of them: no rewriting of
/// tools mends those.
const OF_THE_LISTING: [&str; 2] = ["TL095", "TL102"];

fn listings() -> Vec<(String, Vec<String>)> {
    let mut files: Vec<_> =
        std::fs::read_dir(toolsure_testkit::place::shared().join("corpus/listings"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
    files.sort();
    let tools = |path: &std::path::PathBuf| {
        let value: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let tools = value
            .get("tools")
            .and_then(Value::as_array)
            .unwrap()
            .clone();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, tools.iter().map(Value::to_string).collect())
    };
    files.iter().map(tools).collect()
}

#[toolsure_needs::needs("corpus/listings")]
#[test]
fn every_projection_of_the_recorded_listings_lints_clean_in_its_profile() {
    let only = std::env::var("TOOLSURE_PROFILE").ok();
    let mut wrong = Vec::new();
    for name in PROJECTED_FOR.iter().copied() {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let Some(profile) = profile(name) else {
            continue;
        };
        // How a projection relates to its original is another test's matter.
        let limits = Limits {
            instances: 0,
            pairs: 1,
            ..Limits::default()
        };
        let projector = Projector::new(reader(name).unwrap()).limits(limits);
        let linter = Linter::only(profile);
        let mut refused = 0;
        let mut count = 0;
        for (listing, tools) in listings() {
            let projection = projector.project(tools.iter().map(String::as_str));
            for tool in &projection.tools {
                count += 1;
                if let Err(tool) = tool {
                    refused += 1;
                    println!("{name}: {listing}: {tool}");
                }
            }
            let texts = projection.projected().map(|tool| tool.text.as_str());
            for finding in linter.lint(texts).findings {
                // No provider is told an output schema, and none is projected.
                let output = finding.pointer.starts_with("/outputSchema");
                if !output && !OF_THE_LISTING.contains(&finding.rule.code) {
                    let tool = finding.tool.and_then(|at| projection.projected().nth(at));
                    let tool = tool.map_or("", |tool| &tool.name);
                    wrong.push(format!(
                        "{name}: {listing}/{tool}{}: {} {}",
                        finding.pointer, finding.rule.code, finding.message
                    ));
                }
            }
        }
        println!("{name}: {count} tools, {refused} refused");
        assert!(
            refused * 100 < count,
            "{name}: {refused} of {count} refused"
        );
    }
    if std::env::var_os("TOOLSURE_SHOW").is_some() {
        println!("{wrong:#?}");
    }
    let shown: Vec<&String> = wrong.iter().take(40).collect();
    assert!(
        wrong.is_empty(),
        "{} findings, such as {shown:#?}",
        wrong.len()
    );
}

/// What became of the samples of one profile.
#[derive(Debug, Default)]
struct Tally {
    relations: BTreeMap<&'static str, usize>,
    pairs: usize,
    /// Pairs in which the original accepts and the projection has a form for it, or not.
    expressed: usize,
    narrowed: usize,
    /// Pairs in which the projection accepts and the original, mapped back, does or not.
    accepted: usize,
    widened: usize,
    wrong: Vec<String>,
}

struct Case {
    name: String,
    original: Value,
    compiled: Schema,
    published: Schema,
    plain: Value,
    projection: SchemaProjection,
    instances: Vec<String>,
}

fn case(recorded: &Recorded, projector: &Projector, is_gemini: bool) -> Option<Case> {
    let compiler = Compiler::new().formats(Formats::Assert);
    let compiled = compiler.compile(recorded.schema.as_bytes()).ok()?;
    let projection = projector.project_schema(&recorded.schema).ok()?;
    let mut plain: Value = serde_json::from_str(&projection.text).unwrap();
    if is_gemini {
        plain = read_nullable(&plain);
    }
    let published = compiler.compile(plain.to_string().as_bytes()).unwrap();
    Some(Case {
        name: recorded.name.clone(),
        original: serde_json::from_str(&recorded.schema).unwrap(),
        compiled,
        published,
        plain,
        projection,
        instances: recorded
            .instances
            .iter()
            .map(|(text, _)| text.clone())
            .collect(),
    })
}

/// `None` for a text that cannot be read.
fn verdict(schema: &Schema, workspace: &mut Workspace, text: &str) -> Option<Verdict> {
    schema.check(workspace, text.as_bytes()).ok()
}

fn read(text: &str) -> OwnedDocument {
    OwnedDocument::read(text, &ReadLimits::default()).unwrap()
}

fn same(one: &str, other: &str) -> bool {
    let (one, other) = (read(one), read(other));
    equal(
        one.document().root(),
        other.document().root(),
        &mut Unmetered,
    ) == ControlFlow::Continue(true)
}

impl Tally {
    /// One instance of each side, held against the claims.
    fn hold(&mut self, case: &Case, workspace: &mut Workspace, original: &str, published: &str) {
        self.pairs += 1;
        let (relation, mapping) = (&case.projection.relation, &case.projection.mapping);
        if verdict(&case.compiled, workspace, original) == Some(Verdict::Valid) {
            let there = mapping.forward(read(original).document().root()).unwrap();
            let back = mapping.back(read(&there).document().root()).unwrap();
            let fits = verdict(&case.published, workspace, &there) == Some(Verdict::Valid);
            if fits && same(&back, original) {
                self.expressed += 1;
            } else {
                self.narrowed += 1;
                if relation.keeps_all() {
                    self.wrong.push(format!(
                        "{}: called {}: {original} cannot be said ({there}, {back})",
                        case.name,
                        relation.name()
                    ));
                }
            }
        }
        if verdict(&case.published, workspace, published) == Some(Verdict::Valid) {
            let back = mapping.back(read(published).document().root()).unwrap();
            if verdict(&case.compiled, workspace, &back) == Some(Verdict::Valid) {
                self.accepted += 1;
            } else {
                self.widened += 1;
                if relation.adds_none() {
                    self.wrong.push(format!(
                        "{}: called {}: {published} is refused as {back}",
                        case.name,
                        relation.name()
                    ));
                }
            }
        }
    }
}

/// Holds `pairs` sampled pairs against the claims of one profile.
fn sample(name: &str, recorded: &[Recorded], pairs: usize, seed: u64) -> Tally {
    let projector = Projector::new(reader(name).unwrap());
    let mut tally = Tally::default();
    let mut random = Random::new(seed);
    let mut workspace = Workspace::new().fuel(1_000_000);
    let inputs: Vec<&Recorded> = recorded
        .iter()
        .filter(|one| one.name.ends_with("/input"))
        .collect();
    let each = pairs.div_ceil(inputs.len()).max(1);
    // A short run looks at a part of the schemas.
    let every = inputs.len().div_ceil(pairs).max(1);
    for one in inputs.iter().step_by(every) {
        let Some(case) = case(one, &projector, name == "gemini") else {
            continue;
        };
        *tally
            .relations
            .entry(case.projection.relation.name())
            .or_default() += 1;
        witnesses(&case, &mut workspace);
        for at in 0..each {
            let original = match case.instances.get(at) {
                Some(text) => text.clone(),
                None => instance(&mut random, &case.original).to_string(),
            };
            let published = instance(&mut random, &case.plain).to_string();
            tally.hold(&case, &mut workspace, &original, &published);
        }
    }
    tally
}

/// A witness proves what it is said to prove.
fn witnesses(case: &Case, workspace: &mut Workspace) {
    let (relation, mapping) = (&case.projection.relation, &case.projection.mapping);
    if let Some(witness) = relation.wider() {
        let back = mapping.back(read(witness).document().root()).unwrap();
        assert_eq!(
            verdict(&case.published, workspace, witness),
            Some(Verdict::Valid),
            "{}: {witness}",
            case.name
        );
        assert_eq!(
            verdict(&case.compiled, workspace, &back),
            Some(Verdict::Invalid),
            "{}: {witness}",
            case.name
        );
    }
    if let Some(witness) = relation.narrower() {
        let there = mapping.forward(read(witness).document().root()).unwrap();
        assert_eq!(
            verdict(&case.compiled, workspace, witness),
            Some(Verdict::Valid),
            "{}: {witness}",
            case.name
        );
        let back = mapping.back(read(&there).document().root()).unwrap();
        let fits = verdict(&case.published, workspace, &there) == Some(Verdict::Valid);
        assert!(!fits || !same(&back, witness), "{}: {witness}", case.name);
    }
    if let Relation::Undecided { why, .. } = relation {
        assert!(!why.is_empty());
    }
}

/// `TOOLSURE_PROJECTION_PAIRS` sets the number of pairs for the readers together.
#[toolsure_needs::needs("corpus/instances")]
#[test]
fn no_sampled_instance_contradicts_a_claim() {
    let pairs = std::env::var("TOOLSURE_PROJECTION_PAIRS");
    let pairs: usize = pairs.map_or(2_700, |text| text.parse().unwrap());
    let only = std::env::var("TOOLSURE_PROFILE").ok();
    let seed: u64 = std::env::var("TOOLSURE_SEED").map_or(0, |text| text.parse().unwrap());
    let recorded = recorded().unwrap();
    let mut wrong = Vec::new();
    for (at, name) in (0_u64..).zip(PROJECTED_FOR.iter().copied()) {
        if only.as_deref().is_some_and(|only| only != name) {
            continue;
        }
        let tally = sample(name, &recorded, pairs / PROJECTED_FOR.len(), seed + at);
        println!(
            "{name}: {} pairs, {:?}, expressed {}, not expressed {}, accepted {}, refused {}, contradicted {}",
            tally.pairs,
            tally.relations,
            tally.expressed,
            tally.narrowed,
            tally.accepted,
            tally.widened,
            tally.wrong.len()
        );
        assert!(tally.expressed > 0 && tally.accepted > 0);
        wrong.extend(tally.wrong.into_iter().map(|one| format!("{name}: {one}")));
    }
    let shown: Vec<&String> = wrong.iter().take(20).collect();
    assert!(
        wrong.is_empty(),
        "{} claims contradicted, such as {shown:#?}",
        wrong.len()
    );
}
