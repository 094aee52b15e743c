//! What other implementations said on the wire, through our projections and
//! checks: equal where theirs should be ours, with a note where it should not.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::collections::HashMap;
use std::sync::Arc;

use crate::support::{at, code, json, same, shared};
use toolsure_json::Node as _;
use toolsure_mcp::catalog::{Listing, ToolSet};
use toolsure_mcp::check::Checker;
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::Message;
use toolsure_mcp::project::{Projection, TextFallback};

/// Requests and their answers, by line.
fn exchanges(text: &str) -> Vec<(String, String)> {
    let mut open = HashMap::new();
    let mut exchanges = Vec::new();
    for line in text.lines().filter(|line| line.len() > 2) {
        let (from, message) = line.split_at(2);
        let document = json(message);
        match Message::decode(document.document().root()).unwrap() {
            Message::Request(request) if from == "> " => {
                open.insert(request.id.key(), message.to_owned());
            }
            Message::Result(outcome) => {
                exchanges.push((open.remove(&outcome.id.key()).unwrap(), message.to_owned()));
            }
            Message::Error(Some(id), _) => {
                exchanges.push((open.remove(&id.key()).unwrap(), message.to_owned()));
            }
            _ => {}
        }
    }
    exchanges
}

fn method(request: &str) -> String {
    let document = json(request);
    document
        .document()
        .root()
        .member("method")
        .unwrap()
        .string()
        .to_owned()
}

fn list(exchanges: &[(String, String)]) -> Listing {
    let answer = exchanges
        .iter()
        .find(|(request, _)| method(request) == "tools/list");
    Listing::read(answer.unwrap().1.as_str()).unwrap()
}

fn tools(listing: &Listing) -> ToolSet {
    let mut set = ToolSet::new();
    set.add(listing, &SchemaStore::new()).unwrap();
    assert!(set.isolated().is_empty(), "{:?}", set.isolated());
    set
}

/// The modern recording, told to a legacy reader, is the legacy recording.
#[toolsure_needs::needs("peers")]
#[test]
fn the_modern_recording_projected_is_the_legacy_one() {
    let (modern, legacy) = (
        shared("peers/peer-ts240-modern.jsonl"),
        shared("peers/peer-ts240-legacy.jsonl"),
    );
    let (modern, legacy) = (exchanges(&modern), exchanges(&legacy));
    let (natural, theirs) = (list(&modern), list(&legacy));
    let projection = Projection::to(Era::V2025_11_25).text(TextFallback::NonObject);
    let told = projection.list(&natural);
    let ours = Listing::read(told.text.as_str()).unwrap();
    let (ours, theirs, natural) = (tools(&ours), tools(&theirs), tools(&natural));
    assert_eq!(ours.len(), theirs.len());
    for theirs in theirs.tools() {
        let ours = ours.tool(theirs.name()).unwrap();
        assert!(
            same(ours.text(), theirs.text()),
            "{}\n{}",
            ours.text(),
            theirs.text()
        );
    }
    let calls = |exchanges: &[(String, String)]| -> Vec<(String, String, String)> {
        let called = exchanges
            .iter()
            .filter(|(request, _)| method(request) == "tools/call");
        called
            .map(|(request, answer)| {
                let request = json(request);
                let part =
                    |pointer: &str| at(request.document(), pointer).unwrap_or("{}").to_owned();
                (
                    part("/params/name"),
                    part("/params/arguments"),
                    answer.clone(),
                )
            })
            .collect()
    };
    let (modern, legacy) = (calls(&modern), calls(&legacy));
    let mut compared = 0;
    for (name, arguments, answer) in &modern {
        let Some((_, _, theirs)) = legacy
            .iter()
            .find(|(n, a, _)| n == name && same(a, arguments))
        else {
            continue;
        };
        let document = json(answer);
        let Some(result) = document.document().at_pointer("/result") else {
            // The unknown tool: an error in both.
            assert!(answer.contains("-32602") && theirs.contains("-32602"));
            continue;
        };
        let tool = natural.tool(json(name).document().root().string()).unwrap();
        let told = projection
            .result(Some(tool), Era::V2026_07_28, result)
            .unwrap();
        let (ours, theirs) = (json(&told.text), json(theirs));
        for member in ["content", "structuredContent", "isError", "resultType"] {
            let pointer = format!("/result/{member}");
            let (ours, theirs) = (
                at(ours.document(), &pointer),
                at(theirs.document(), &pointer),
            );
            match (ours, theirs) {
                (Some(ours), Some(theirs)) => {
                    assert!(same(ours, theirs), "{name} {member}: {ours} {theirs}")
                }
                (ours, theirs) => assert_eq!(ours, theirs, "{name} {member}"),
            }
        }
        compared += 1;
    }
    eprintln!("{compared} results compared");
    assert!(compared >= 15);
}

/// What TS 2.4.0 accepted and refused as a server, we accept and refuse; its
/// results match its schemas.
#[toolsure_needs::needs("peers")]
#[test]
fn recorded_calls_and_results_are_judged_as_the_peer_did() {
    for (file, era) in [
        ("peers/peer-ts240-modern.jsonl", Era::V2026_07_28),
        ("peers/peer-ts240-legacy.jsonl", Era::V2025_11_25),
    ] {
        let text = shared(file);
        let exchanges = exchanges(&text);
        let set = tools(&list(&exchanges));
        let mut checker = Checker::new();
        let mut judged = 0;
        for (request, answer) in exchanges
            .iter()
            .filter(|(request, _)| method(request) == "tools/call")
        {
            let call = checker.check_call_message(&set, request.as_bytes());
            let refused_input = answer.contains("Input validation error");
            let expected = match (refused_input, answer.contains("-32602")) {
                (true, _) => "arguments-invalid",
                (_, true) => "tool-unknown",
                _ => "pass",
            };
            assert_eq!(code(&call), expected, "{request}");
            let request = json(request);
            let name = request
                .document()
                .at_pointer("/params/name")
                .unwrap()
                .string();
            if let Some(tool) = set.tool(name) {
                let result =
                    checker.check_result_message(&Arc::clone(tool), era, answer.as_bytes());
                assert_eq!(code(&result), "pass", "{answer}");
            }
            judged += 1;
        }
        assert!(judged >= 15, "{judged}");
    }
}

/// The reference implementation of SEP-2106: its list is read whole, and its results match its
/// schemas. Notes: it sends natural arrays to a 2025-11-25 reader, which its era cannot carry, and it
/// takes arguments that its own `additionalProperties: false` forbids.
#[toolsure_needs::needs("peers")]
#[test]
fn the_reference_recording_is_read_and_its_faults_are_found() {
    let text = shared("peers/ref-sep834-2025-11-25.jsonl");
    let exchanges = exchanges(&text);
    let listing = list(&exchanges);
    let set = tools(&listing);
    assert!(set.len() >= 10);
    let mut checker = Checker::new();
    let (mut refused, mut wrapped) = (Vec::new(), 0);
    for (request, answer) in exchanges
        .iter()
        .filter(|(request, _)| method(request) == "tools/call")
    {
        let call = checker.check_call_message(&set, request.as_bytes());
        let document = json(request);
        let name = document
            .document()
            .at_pointer("/params/name")
            .unwrap()
            .string();
        let theirs = answer.contains("MCP error -32602");
        if call.refusal().is_some() != theirs {
            refused.push((
                code(&call),
                at(document.document(), "/params/arguments")
                    .unwrap_or("{}")
                    .to_owned(),
            ));
        }
        if let Some(tool) = set.tool(name) {
            let result = checker.check_result_message(tool, Era::V2025_11_25, answer.as_bytes());
            assert_eq!(code(&result), "pass", "{answer}");
            let answer = json(answer);
            let result = answer.document().at_pointer("/result").unwrap();
            let told = Projection::to(Era::V2025_11_25)
                .result(Some(tool), Era::V2025_11_25, result)
                .unwrap();
            wrapped += usize::from(!told.lost.is_empty());
        }
    }
    assert_eq!(refused.len(), 1, "{refused:?}");
    assert!(refused[0].1.contains("\"extra\":true"), "{refused:?}");
    assert!(wrapped >= 4, "{wrapped}");
    let whole = shared("peers/ref-sep834-tools-list.json");
    assert!(Listing::read(whole).unwrap().isolated().is_empty());
}
