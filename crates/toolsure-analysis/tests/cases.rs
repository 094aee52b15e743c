//! The listings of public reports: for which reader lint finds what, by tool, and what an upgrade breaks.

use serde_json::Value;
use toolsure_analysis::diff::{Class, Limits, diff};
use toolsure_analysis::lint::{Linter, profile};

/// Listing, profile, and the tools with a finding of a rule.
const ROWS: &[(&str, &str, &str, &[&str])] = &[
    ("lookahead-pattern", "openai", "TL093", &["open_doc"]),
    ("lookahead-pattern", "vscode", "TL093", &["open_doc"]),
    ("lookahead-pattern", "clients", "TL093", &["open_doc"]),
    ("lookahead-pattern", "anthropic", "TL093", &[]),
    (
        "zod-email-and-unicode-class",
        "openai",
        "TL093",
        &["invite"],
    ),
    (
        "zod-email-and-unicode-class",
        "gemini",
        "TL093",
        &["invite"],
    ),
    (
        "not-format-and-named-group",
        "openai",
        "TL093",
        &["query_rows"],
    ),
    (
        "not-format-and-named-group",
        "openai-strict",
        "TL098",
        &["query_rows"],
    ),
    (
        "not-format-and-named-group",
        "openai-strict",
        "TL087",
        &["query_rows"],
    ),
    (
        "draft07-output-schema",
        "claude-code",
        "TL107",
        &["count_rows"],
    ),
    (
        "draft07-output-schema",
        "claude-desktop",
        "TL107",
        &["count_rows"],
    ),
    ("draft07-output-schema", "clients", "TL107", &["count_rows"]),
    ("draft07-output-schema", "openai", "TL107", &[]),
    (
        "object-without-properties",
        "openai",
        "TL105",
        &["list_all"],
    ),
    (
        "object-without-properties",
        "copilot-cli",
        "TL105",
        &["list_all"],
    ),
    (
        "object-without-properties",
        "lm-studio",
        "TL105",
        &["list_all"],
    ),
    ("object-without-properties", "", "TL105", &["list_all"]),
    ("type-beside-anyof", "kimi", "TL100", &["attach", "batch"]),
    ("llama-repetition-bounds", "llama-cpp", "TL089", &["crawl"]),
    ("llama-repetition-bounds", "lm-studio", "TL089", &["crawl"]),
    (
        "gemini-tool-names",
        "gemini",
        "TL081",
        &["7zip_list", "-dash", "x"],
    ),
    ("gemini-tool-names", "openai", "TL081", &["a.b", "x"]),
    ("draft07-tuple", "anthropic", "TL107", &["read_lines"]),
    ("draft07-tuple", "claude-code", "TL107", &["read_lines"]),
    ("draft07-tuple", "clients", "TL107", &["read_lines"]),
    ("draft07-tuple-and-definitions", "xai", "TL106", &["browse"]),
    ("root-conditional", "anthropic", "TL080", &["pay_allof"]),
    (
        "directory-readiness",
        "claude-directory",
        "TL108",
        &["get_row"],
    ),
    (
        "parameter-name-and-integer-enum",
        "anthropic",
        "TL082",
        &["query"],
    ),
    (
        "parameter-name-and-integer-enum",
        "gemini",
        "TL089",
        &["enumints"],
    ),
    ("x-mcp-header-for-gemini", "gemini", "TL087", &["route"]),
    ("gemini-unused-defs", "gemini", "TL087", &["me"]),
    ("gemini-unused-defs", "gemini", "TL085", &[]),
    ("enum-on-wrong-branch", "", "TL042", &["pick"]),
    ("untyped-parameter", "", "TL061", &["start_run"]),
    ("null-title", "", "TL010", &["n"]),
    ("null-icons", "", "TL010", &["n"]),
    ("null-execution", "", "TL010", &["n"]),
    ("null-meta", "", "TL010", &["n"]),
    ("icon-without-src", "cursor", "TL010", &["n"]),
    ("null-annotations", "", "TL010", &["n"]),
    ("null-hints", "claude-code", "TL010", &["n"]),
    ("null-description", "", "TL010", &["n"]),
    ("null-members", "typescript-sdk", "TL010", &["nulls"]),
];

#[toolsure_needs::needs("cases/listings")]
#[test]
fn reported_listings_have_findings_for_their_readers() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/listings");
    let mut wrong = Vec::new();
    for (file, name, code, expected) in ROWS {
        let text = std::fs::read_to_string(folder.join(format!("{file}.json"))).unwrap();
        let listing: Value = serde_json::from_str(&text).unwrap();
        let tools = listing["tools"].as_array().unwrap();
        let texts: Vec<String> = tools.iter().map(Value::to_string).collect();
        let linter = match *name {
            "" => Linter::new(),
            name => Linter::only(profile(name).unwrap()),
        };
        let report = linter.lint(texts.iter().map(String::as_str));
        let own = report.findings.iter().filter(|one| one.rule.code == *code);
        let mut found: Vec<usize> = own.filter_map(|one| one.tool).collect();
        found.sort_unstable();
        found.dedup();
        let names: Vec<&str> = found
            .iter()
            .map(|at| tools[*at]["name"].as_str().unwrap())
            .map(|name| if name.len() > 60 { "x" } else { name })
            .collect();
        if names != *expected {
            wrong.push(format!("{file} {name} {code}: {names:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Pair of listings, the worst class, and a part of the first message of that class.
const UPGRADES: &[(&str, Class, &str)] = &[
    (
        "00-execution-and-annotations",
        Class::Compatible,
        "the `execution` is new",
    ),
    ("01-exclusive-int", Class::Compatible, "the same calls"),
    ("02-format-dialect", Class::Compatible, "the same calls"),
    ("03-root-lost", Class::Breaking, "clients refuse the tool"),
    ("03b-root-gained", Class::Compatible, "the same calls"),
    ("04-task-required", Class::Breaking, "is now required"),
    ("06-shared-witness", Class::Breaking, "are now refused"),
    (
        "06b-shared-witness",
        Class::Breaking,
        "is no longer accepted",
    ),
    (
        "07-also-string",
        Class::Compatible,
        "may now also be of type string",
    ),
    ("08-open-object", Class::Compatible, "`b` is new"),
    ("09-default", Class::Warning, "mean something else"),
    ("10-closed", Class::Compatible, "are now refused"),
    ("11-pattern-wider", Class::Compatible, "`pattern` was"),
    ("12-required-with-default", Class::Breaking, "has a default"),
    ("13-safe-int", Class::Compatible, "a double holds exactly"),
    (
        "14-output-renamed",
        Class::Breaking,
        "`result` is renamed to `search_results`?",
    ),
];

#[toolsure_needs::needs("cases/upgrades")]
#[test]
fn reported_upgrades_have_their_class() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/upgrades");
    let tools = |name: String| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        let listing: Value = serde_json::from_str(&text).unwrap();
        let tools = listing["tools"].as_array().unwrap();
        tools.iter().map(Value::to_string).collect::<Vec<_>>()
    };
    let mut wrong = Vec::new();
    for (name, class, message) in UPGRADES {
        let old = tools(format!("{name}.old.json"));
        let new = tools(format!("{name}.new.json"));
        let (old, new) = (old.iter(), new.iter());
        let limits = Limits::default();
        let report = diff(old.map(String::as_str), new.map(String::as_str), &limits);
        let changes = report.tools.iter().flat_map(|tool| &tool.changes);
        let mut worst = changes.filter(|one| Some(one.class) == report.class());
        let is_told = worst.any(|one| one.message.contains(message));
        // Each line has an instance of its own, or none.
        let changes = report.tools.iter().flat_map(|tool| &tool.changes);
        let mut shown: Vec<&str> = changes.filter_map(|one| one.witness.as_deref()).collect();
        let count = shown.len();
        shown.sort_unstable();
        shown.dedup();
        if report.class() != Some(*class) || !is_told || shown.len() < count {
            wrong.push(format!("{name}: {report:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
