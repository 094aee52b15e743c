//! A projected listing has no finding in its profile: the recorded listings, with definitions that nothing
//! refers to, and random schemas.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolsure_analysis::lint::{Finding, Linter, profile};
use toolsure_analysis::project::{Limits, Projector, Relation, StepKind};
use toolsure_analysis::readers::{Consequence, Kind, PROJECTED_FOR, READERS, reader};
use toolsure_schema::Dialect;
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::differential::schemas::schema;

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

/// Whether a finding is about what a projection writes: the input schema, and the name and description of a
/// tool. No provider is told an output schema.
fn is_projected(finding: &Finding) -> bool {
    !finding.pointer.starts_with("/outputSchema") && !OF_THE_LISTING.contains(&finding.rule.code)
}

/// No provider is told an output schema, so none refuses one.
#[test]
fn providers_refuse_no_output_schema() {
    let schema = r##"{"type": ["object", "null"], "properties": {"a": true, "b": {"$ref": "#"}, "c": {"type": ["string", "null"], "format": "date", "pattern": "(?=a)"}, "d": {"enum": [{}, 1]}, "e": {"type": "array"}, "f": {"oneOf": [{}]}}, "anyOf": [{}], "$comment": "c"}"##;
    let tool = format!(
        r#"{{"name": "t", "description": "d", "inputSchema": {{"type": "object", "properties": {{}}}}, "outputSchema": {schema}}}"#
    );
    let providers = READERS
        .iter()
        .filter(|reader| reader.kind == Kind::Provider);
    let mut tried = 0;
    for profile in providers.filter_map(|reader| profile(reader.name)) {
        tried += 1;
        for finding in Linter::only(profile).lint([tool.as_str()]).findings {
            assert!(!finding.pointer.starts_with("/outputSchema"), "{finding:?}");
        }
    }
    assert!(tried > 5, "{tried}");
}

/// A schema with definitions that nothing refers to: rings of references, and what readers refuse.
fn with_dead_definitions(random: &mut Random, schema: &mut Value, other: &Value) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    let keyword = random.pick(&["$defs", "definitions"]);
    let all = members.entry(keyword).or_insert_with(|| json!({}));
    let Some(all) = all.as_object_mut() else {
        return;
    };
    let refused = json!({
        "oneOf": [{"const": {"a": 1}}, {"type": ["object", "null"], "not": {}}, true],
        "patternProperties": {"^(?=a)": {"prefixItems": [{}], "unevaluatedItems": false}},
        "if": {"minProperties": 1}, "then": {"properties": {"b": {"$ref": format!("#/{keyword}/dead_b")}}}, "enum": [1, ""], "x-own": 1,
        "properties": {"$ä": {"pattern": "(?!a)\\p{L}", "maxLength": 100_000, "format": "uri"}},
    });
    all.insert("dead_a".to_owned(), refused);
    let back = format!("#/{keyword}/dead_a");
    all.insert(
        "dead_b".to_owned(),
        json!({"allOf": [{"$ref": back, "minimum": 1}, {"type": "array"}]}),
    );
    all.insert(
        "dead_c".to_owned(),
        other.get("properties").cloned().map_or(
            Value::Bool(true),
            |own| json!({"type": "object", "properties": own}),
        ),
    );
}

/// Whatever nothing refers to, a projected listing has no finding in its profile.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn dead_definitions_leave_no_finding() {
    let mut random = Random::new(11);
    let tools: Vec<Value> = listings()
        .iter()
        .flat_map(|(_, tools)| tools.iter().step_by(20))
        .map(|tool| serde_json::from_str(tool).unwrap())
        .collect();
    let mut wrong = Vec::new();
    for name in PROJECTED_FOR.iter().copied() {
        let Some(profile) = profile(name) else {
            continue;
        };
        let reader = reader(name).unwrap();
        let projector = Projector::new(reader).limits(Limits::without_relations());
        let linter = Linter::only(profile);
        let mut added = 0;
        for tool in &tools {
            let mut tool = tool.clone();
            let other = tools
                .get(random.below(tools.len()))
                .and_then(|one| one.get("inputSchema"));
            let other = other.cloned().unwrap_or_default();
            tool.as_object_mut().unwrap().remove("outputSchema");
            with_dead_definitions(&mut random, tool.get_mut("inputSchema").unwrap(), &other);
            let text = tool.to_string();
            let projection = projector.project([text.as_str()]);
            // A definition that refers to a live one of the other tool does not compile.
            let Some(projected) = projection.projected().next() else {
                continue;
            };
            added += 1;
            assert!(
                !projected.text.contains("dead_"),
                "{name}: {}",
                projected.text
            );
            let findings = linter.lint([projected.text.as_str()]).findings;
            let of_it = findings.iter().filter(|one| is_projected(one));
            wrong.extend(of_it.map(|one| {
                format!(
                    "{name}: {}{}: {} {}",
                    projected.name, one.pointer, one.rule.code, one.message
                )
            }));
        }
        assert!(added > 200, "{name}: {added}");
    }
    let shown: Vec<&String> = wrong.iter().take(20).collect();
    assert!(
        wrong.is_empty(),
        "{} findings, such as {shown:#?}",
        wrong.len()
    );
}

/// Whatever becomes of the root, it keeps its type and the name fits: random schemas of each dialect that
/// servers write, as the root and as a parameter.
#[test]
fn the_root_stays_an_object_and_the_name_fits() {
    let mut random = Random::new(5);
    let names = [
        "find".to_owned(),
        "7zip".to_owned(),
        "a.b".to_owned(),
        "a b".to_owned(),
        "-x".to_owned(),
        "é".repeat(70),
    ];
    let readers = PROJECTED_FOR.iter().filter_map(|name| reader(name));
    let projectors: Vec<(Projector, Linter)> = readers
        .map(|reader| {
            let projector = Projector::new(reader).limits(Limits::without_relations());
            (projector, Linter::only(profile(reader.name).unwrap()))
        })
        .collect();
    let mut all = 0;
    for at in 0..200 {
        let dialect = random.pick(&[Dialect::Draft202012, Dialect::Draft7]);
        let own = schema(&mut random, dialect);
        let mut input = match own {
            Value::Object(own) if at % 2 == 0 => Value::Object(own),
            own => json!({"properties": {"a": own}}),
        };
        let members = input.as_object_mut().unwrap();
        members.insert("type".to_owned(), Value::from("object"));
        members.insert("$schema".to_owned(), Value::from(dialect.uri()));
        let name = names.get(random.below(names.len())).unwrap();
        let tool = json!({"name": name, "inputSchema": input}).to_string();
        for (projector, linter) in &projectors {
            let projection = projector.project([tool.as_str()]);
            let Some(projected) = projection.projected().next() else {
                continue;
            };
            all += 1;
            let written: Value = serde_json::from_str(&projected.text).unwrap();
            let is_object = written.pointer("/inputSchema/type") == Some(&json!("object"));
            let name = projector.reader().name;
            assert!(is_object, "{name}: {tool} became {written}");
            let findings = linter.lint([projected.text.as_str()]).findings;
            let wrong = findings.iter().find(|one| one.rule.code == "TL081");
            assert!(wrong.is_none(), "{name}: {written}");
        }
    }
    assert!(all > 1_000, "{all}");
}

/// Each pattern with lookaround that a recorded input schema has is written otherwise, or dropped: then the
/// description has it, and a call shows what that adds.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn lookarounds_of_the_recorded_listings_are_decided() {
    let has_look = |text: &str| {
        ["(?=", "(?!", "(?<=", "(?<!"]
            .iter()
            .any(|look| text.contains(look))
    };
    let patterns = |text: &str| {
        let mut found = Vec::new();
        let root: Value = serde_json::from_str(text).unwrap();
        let mut todo = vec![&root];
        while let Some(value) = todo.pop() {
            let pattern = value.get("pattern").and_then(Value::as_str);
            found.extend(pattern.filter(|text| has_look(text)).map(str::to_owned));
            let items = value.as_array().into_iter().flatten();
            todo.extend(items.chain(value.as_object().into_iter().flat_map(|all| all.values())));
        }
        found
    };
    let projector = Projector::new(reader("openai").unwrap());
    let listings = listings();
    let tools = listings.iter().flat_map(|(_, tools)| tools);
    let (mut rewritten, mut dropped, mut undecided) = (0, 0, Vec::new());
    for tool in tools.filter(|tool| has_look(tool)) {
        let input: Value = serde_json::from_str(tool).unwrap();
        let before = patterns(&input["inputSchema"].to_string());
        let projection = projector.project([tool.as_str()]);
        let Some(projected) = projection.projected().next() else {
            unreachable!("refused: {tool}");
        };
        let after = patterns(&projected.input.text);
        assert!(after.is_empty(), "{}: {after:?}", projected.name);
        let steps = || projected.input.steps.iter();
        rewritten += steps()
            .filter(|step| step.kind == StepKind::Pattern && has_look(&step.detail))
            .count();
        let is_drop = |step: &&toolsure_analysis::project::Step| {
            step.kind == StepKind::Describe && step.detail == "pattern"
        };
        let own = steps().filter(is_drop).count();
        dropped += own;
        let relation = &projected.input.relation;
        let told = own == 0 || relation.wider().is_some();
        if !before.is_empty() && (!told || matches!(relation, Relation::Undecided { .. })) {
            undecided.push(format!("{}: {relation:?} {before:?}", projected.name));
        }
    }
    println!("{rewritten} written otherwise, {dropped} dropped with a witness");
    assert!(undecided.is_empty(), "{undecided:#?}");
    // One of the dropped forbids two words anywhere: its automaton is no short expression.
    assert_eq!((rewritten, dropped), (25, 3));
}

/// The figures of one reader over the recorded listings.
#[derive(Default)]
struct Figures {
    relations: BTreeMap<&'static str, usize>,
    /// Findings about what is projected, and the tools that the reader does not offer because of them,
    /// without and with the projection.
    findings: [usize; 2],
    lost: [usize; 2],
}

impl Figures {
    fn of(name: &str, open: bool, listings: &[(String, Vec<String>)]) -> Self {
        let projector = Projector::new(reader(name).unwrap()).open(open);
        let linter = profile(name).map(Linter::only);
        let mut figures = Self::default();
        let mut wrong = Vec::new();
        for (listing, tools) in listings {
            let projection = projector.project(tools.iter().map(String::as_str));
            for tool in projection.projected() {
                *figures
                    .relations
                    .entry(tool.input.relation.name())
                    .or_default() += 1;
            }
            figures.lost[1] += tools.len() - projection.projected().count();
            // The open way projects the same.
            let Some(linter) = linter.as_ref().filter(|_| !open) else {
                continue;
            };
            let projected: Vec<&str> = projection
                .projected()
                .map(|one| one.text.as_str())
                .collect();
            let texts = [tools.iter().map(String::as_str).collect(), projected];
            let counts = figures.findings.iter_mut().zip(&mut figures.lost);
            for (is_projection, (texts, (findings, lost))) in
                [false, true].into_iter().zip(texts.into_iter().zip(counts))
            {
                let report = linter.lint(texts);
                let own: Vec<&Finding> = report
                    .findings
                    .iter()
                    .filter(|one| is_projected(one))
                    .collect();
                *findings += own.len();
                wrong.extend(own.iter().filter(|_| is_projection).map(|one| {
                    let tool = one.tool.and_then(|at| projection.projected().nth(at));
                    let tool = tool.map_or("", |tool| &tool.name);
                    let (place, code) = (&one.pointer, one.rule.code);
                    format!("{name}: {listing}/{tool}{place}: {code} {}", one.message)
                }));
                let loses = own.iter().filter(|one| {
                    let consequence = one.consequence;
                    consequence.is_some_and(|one| {
                        one >= Consequence::ToolLost && one != Consequence::ResultLost
                    })
                });
                let tools: BTreeSet<usize> = loses.filter_map(|one| one.tool).collect();
                *lost += tools.len();
            }
        }
        let shown: Vec<&String> = wrong.iter().take(40).collect();
        assert!(wrong.is_empty(), "{} findings: {shown:#?}", wrong.len());
        figures
    }
}

/// The rows of one reader, in the table of the page.
fn rows(name: &str, listings: &[(String, Vec<String>)], total: usize) -> String {
    let mut rows = String::new();
    let mut told = String::new();
    for open in [false, true] {
        let figures = Figures::of(name, open, listings);
        let kinds = [
            "equal",
            "wider",
            "narrower",
            "wider-and-narrower",
            "undecided",
        ];
        let counts = kinds.map(|kind| figures.relations.get(kind).copied().unwrap_or(0));
        let undecided = counts[4];
        assert!(
            undecided * 1_000 <= total * 15,
            "{name}: {undecided} of {total} undecided"
        );
        let refused = figures.lost[1];
        assert!(
            refused * 100 < total,
            "{name}: {refused} of {total} refused"
        );
        let counts = counts.map(|count| count.to_string()).join(" | ");
        match open {
            false => {
                let [[f, g], [l, m]] = [figures.findings, figures.lost];
                rows.push_str(&format!("| `{name}` | {counts} | {f}, {g} | {l}, {m} |\n"));
            }
            true if counts == told => {}
            true => rows.push_str(&format!("| with `--open` | {counts} | | |\n")),
        }
        told = counts;
    }
    rows
}

/// A listing that is projected has no finding in its profile, and few tools are lost. The page of the projection has these figures; `TOOLSURE_WRITE=1` writes them.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn the_page_has_the_figures_of_the_recorded_listings() {
    let head = "| reader | equal | wider | narrower | wider and narrower | undecided | findings: without, with | tools lost: without, with |\n|---|---|---|---|---|---|---|---|\n";
    let listings = listings();
    let total: usize = listings.iter().map(|(_, tools)| tools.len()).sum();
    let listings = &listings;
    let rows: String = std::thread::scope(|scope| {
        let rows = |name| scope.spawn(move || rows(name, listings, total));
        let all: Vec<_> = PROJECTED_FOR.iter().copied().map(rows).collect();
        all.into_iter().map(|rows| rows.join().unwrap()).collect()
    });
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/projection-figures.md"
    );
    let text = std::fs::read_to_string(path).unwrap();
    let (before, rest) = text.split_once(head).unwrap();
    let lines = rest.split_inclusive('\n');
    let after: String = lines.skip_while(|line| line.starts_with('|')).collect();
    let expected = format!("{before}{head}{rows}{after}");
    if std::env::var_os("TOOLSURE_WRITE").is_some() {
        std::fs::write(path, &expected).unwrap();
        return;
    }
    assert_eq!(text, expected, "`TOOLSURE_WRITE=1` writes the figures");
}
