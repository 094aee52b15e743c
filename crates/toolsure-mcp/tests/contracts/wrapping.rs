//! Wrapped schemas allow what the natural ones allowed: by random schemas of
//! four dialects with references of all kinds, and on every real tool.

use crate::support::random::{Random, Ways, schema, value};
use crate::support::{at, json, listing, shared_files, tool};
use toolsure_json::Node as _;
use toolsure_mcp::catalog::{Listing, ToolSet};
use toolsure_mcp::contract::{OutputShape, SchemaStore};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{Lost, OutputPolicy, Projection};
use toolsure_schema::{Schema, Verdict, Workspace};

const INPUT: &str = r#"{"type":"object"}"#;

fn listed(output: &str) -> (String, Vec<Lost>) {
    let listing = listing(&[&tool("t", INPUT, Some(output))]);
    let told = Projection::to(Era::V2025_11_25).list(&listing);
    let document = json(&told.text);
    let schema = at(document.document(), "/result/tools/0/outputSchema");
    (
        schema
            .unwrap_or_else(|| unreachable!("{}", told.text))
            .to_owned(),
        told.lost,
    )
}

/// A value is valid by the projected schema if and only if it was valid by the original.
#[test]
fn wrapping_keeps_verdicts() {
    let mut workspace = Workspace::new();
    let (mut compared, mut refused, mut wrapped, mut enclosed, mut valid) = (0, 0, 0, 0, 0);
    for seed in 0..10_000_u64 {
        let mut random = Random::new(seed);
        let ways = Ways::ALL[usize::try_from(seed % 4).unwrap()];
        let natural = schema(&mut random, ways);
        let root = json(&natural);
        if root
            .document()
            .root()
            .member("properties")
            .is_some_and(|p| {
                p.members()
                    .any(|(_, v)| v.kind() == toolsure_json::Kind::Null)
            })
        {
            continue;
        }
        let (after, lost) = listed(&natural);
        let before = match (
            Schema::compile(natural.as_bytes()),
            Schema::compile(after.as_bytes()),
        ) {
            (Err(_), Err(_)) => {
                refused += 1;
                continue;
            }
            (Ok(before), Ok(after)) => (before, after),
            (before, after_compiled) => {
                unreachable!("{natural}\n{before:?}\n{after}\n{after_compiled:?}")
            }
        };
        let is_wrapped = lost.iter().any(|lost| matches!(lost, Lost::Wrapped { .. }));
        let is_enclosed = lost
            .iter()
            .any(|lost| matches!(lost, Lost::Enclosed { .. }));
        wrapped += u32::from(is_wrapped);
        enclosed += u32::from(is_enclosed);
        for _ in 0..24 {
            let value = value(&mut random, 3);
            let sent = if is_wrapped {
                format!("{{\"result\":{value}}}")
            } else {
                value.clone()
            };
            let was = before.0.check(&mut workspace, value.as_bytes()).unwrap();
            let is = before.1.check(&mut workspace, sent.as_bytes()).unwrap();
            if matches!(was, Verdict::Undecided(_)) || matches!(is, Verdict::Undecided(_)) {
                continue;
            }
            assert_eq!(
                was, is,
                "\nbefore {natural}\nafter  {after}\nvalue  {value}"
            );
            compared += 1;
            valid += u32::from(was.is_valid());
        }
    }
    eprintln!(
        "{compared} verdicts, {valid} valid; {wrapped} wrapped, {enclosed} enclosed, {refused} refused before and after"
    );
    assert!(compared > 50_000 && valid > 10_000 && wrapped > 1_000 && enclosed > 50);
}

/// The wrapper requires its member, and checks it by the original schema.
#[test]
fn the_wrapper_asks_for_its_member() {
    let (after, _) =
        listed(r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":["array","null"]}"#);
    assert_eq!(
        after,
        r#"{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"result":{"type":["array","null"]}},"required":["result"]}"#
    );
    let schema = Schema::compile(after.as_bytes()).unwrap();
    let mut workspace = Workspace::new();
    for (value, expected) in [
        ("{}", false),
        ("null", false),
        (r#"{"result":null}"#, true),
        (r#"{"result":{}}"#, false),
    ] {
        assert_eq!(
            schema
                .check(&mut workspace, value.as_bytes())
                .unwrap()
                .is_valid(),
            expected
        );
    }
}

/// Every tool of the corpus becomes a contract. Readers of 2025-03-26 and 2025-11-25 see all of
/// them, and a tool compiles for them if and only if it did before.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn every_real_tool_becomes_a_contract_and_wraps() {
    let (mut tools, mut wrapped, mut uncompilable) = (0, 0, 0);
    for (name, text) in shared_files("corpus/listings", "json") {
        let listing = Listing::read(text.as_str()).unwrap();
        assert!(
            listing.isolated().is_empty(),
            "{name}: {:?}",
            listing.isolated()
        );
        let store = SchemaStore::new();
        let mut natural = ToolSet::new();
        natural.add(&listing, &store).unwrap();
        for era in [Era::V2025_03_26, Era::V2025_11_25] {
            let told = Projection::to(era).list(&listing);
            let read = Listing::read(told.text.as_str()).unwrap();
            let mut seen = ToolSet::new();
            seen.add(&read, &store).unwrap();
            assert_eq!(seen.len(), natural.len(), "{name} for {era}");
            for (before, after) in natural.tools().zip(seen.tools()) {
                assert_eq!(
                    before.verify().is_ok(),
                    after.verify().is_ok(),
                    "{name} {}",
                    before.name()
                );
                let shape = after.output_shape();
                assert!(
                    matches!(shape, OutputShape::None | OutputShape::Object),
                    "{name} {}",
                    before.name()
                );
                wrapped += u32::from(
                    before.output_shape() == OutputShape::Other && shape == OutputShape::Object,
                );
            }
        }
        // Untouched where nothing is to be said otherwise.
        let same = Projection::to(Era::V2025_11_25)
            .output(OutputPolicy::Drop)
            .list(&listing);
        if same.lost.is_empty() {
            assert_eq!(same.text, text, "{name}");
        }
        tools += natural.len();
        uncompilable += natural.uncompilable().count();
    }
    eprintln!(
        "{tools} tools, {wrapped} wrapped, {uncompilable} with a schema that does not compile"
    );
}
