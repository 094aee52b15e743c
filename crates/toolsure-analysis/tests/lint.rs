//! The lint rules on data: what each must find and what it must leave alone.

use serde_json::{Map, Value, json};
use toolsure_analysis::lint::{
    Linter, ListPage, PROFILES, RULES, Report, Severity, apply, profile, rule,
};
use toolsure_schema::{Compiler, Limits, Workspace};

/// Everything on.
fn linter() -> Linter {
    let linter = PROFILES.iter().fold(Linter::new(), Linter::profile);
    // Some profiles turn rules off.
    let rules = RULES.iter().filter(|rule| rule.on_by_default);
    rules.fold(linter, Linter::deny)
}

fn lint(tools: &[String]) -> Report {
    linter().lint(tools.iter().map(String::as_str))
}

/// The tools that a case stands for; text keeps what a JSON reader would lose.
fn tools(shape: &str, case: &Value) -> Vec<String> {
    let tool = |schema: &str| {
        format!(
            "{{\"name\": \"case_tool\", \"description\": \"a tool\", \"inputSchema\": {schema}}}"
        )
    };
    match (shape, case) {
        ("tool", Value::String(text)) if text.starts_with('{') => vec![text.clone()],
        ("listing", Value::Array(tools)) => tools.iter().map(Value::to_string).collect(),
        ("schema", Value::String(big)) => vec![tool(&hostile(big))],
        ("schema", schema) => vec![tool(&schema.to_string())],
        ("property", schema) => vec![tool(&format!(
            "{{\"type\": \"object\", \"properties\": {{\"value\": {schema}}}}}"
        ))],
        (_, tool) => vec![tool.to_string()],
    }
}

fn hostile(name: &str) -> String {
    match name {
        "!pattern" => format!(
            "{{\"type\": \"object\", \"properties\": {{\"a\": {{\"pattern\": \"{}\"}}}}}}",
            "a".repeat(9_000)
        ),
        _ => format!(
            "{{\"type\": \"object\", \"not\": {}{{}}{}}}",
            "{\"not\": ".repeat(90),
            "}".repeat(90)
        ),
    }
}

fn codes(report: &Report) -> Vec<&'static str> {
    report
        .findings
        .iter()
        .map(|finding| finding.rule.code)
        .collect()
}

#[test]
fn every_rule_finds_its_hits_and_nothing_in_its_misses() {
    let cases: Value = serde_json::from_str(include_str!("lint/cases.json")).unwrap();
    let mut wrong = Vec::new();
    for (code, case) in cases.as_object().unwrap() {
        let shape = case["as"].as_str().unwrap();
        for (kind, expected) in [("hit", true), ("miss", false)] {
            let list = case[kind].as_array().unwrap();
            assert!(list.len() >= 2, "{code} has too few cases");
            for one in list {
                let linter = match case["profile"].as_str() {
                    Some(name) => Linter::only(profile(name).unwrap()),
                    None => linter(),
                };
                let report = match shape {
                    "page" => {
                        let text = one["result"].to_string();
                        let page = ListPage {
                            method: one["method"].as_str().unwrap_or("tools/list"),
                            text: &text,
                            is_cached: one["cached"] == true,
                        };
                        linter.lint_with_pages([], &[page])
                    }
                    _ => {
                        let tools = tools(shape, one);
                        linter.lint(tools.iter().map(String::as_str))
                    }
                };
                // A code may be followed by the reader that its cases are about.
                let code = code.split(' ').next().unwrap();
                let found = codes(&report).contains(&code);
                if found != expected {
                    wrong.push(format!("{code} {kind}: {one}: {:?}", codes(&report)));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_rule_has_cases_and_a_page() {
    let cases: Value = serde_json::from_str(include_str!("lint/cases.json")).unwrap();
    let elsewhere = ["TL014", "TL015", "TL083", "TL094", "TL095", "TL102"];
    for one in &RULES {
        assert!(
            cases.get(one.code).is_some() || elsewhere.contains(&one.code),
            "{} has no cases",
            one.code
        );
        let strict = profile("strict").unwrap();
        let when = match one.on_by_default {
            true => "on by default",
            false if strict.has(one) => "on with `--profile strict`",
            false => "on with the profile of a reader that it is about",
        };
        let head = format!("# {} {}\n\n{}, {when}\n", one.code, one.name, one.severity);
        assert!(one.page.starts_with(&head), "{}: {}", one.code, one.page);
        assert!(
            one.page.contains("## Why") && one.page.contains("## Fix"),
            "{}",
            one.code
        );
        assert!(one.summary().contains("should"), "{}", one.page);
        assert_eq!(rule(one.name).map(|rule| rule.code), Some(one.code));
    }
    let mut codes: Vec<&str> = RULES.iter().map(|rule| rule.code).collect();
    codes.dedup();
    assert_eq!(codes.len(), RULES.len());
    assert!(codes.is_sorted());
}

#[test]
fn sizes_are_reported_over_their_bounds_only() {
    let tool = |name: &str, words: usize| {
        format!(
            "{{\"name\": \"{name}\", \"description\": \"{}\", \"inputSchema\": {{\"type\": \"object\"}}}}",
            "word ".repeat(words)
        )
    };
    for (words, tool_size, description) in
        [(100, false, false), (300, false, true), (3_000, true, true)]
    {
        let found = codes(&lint(&[tool("a", words)]));
        assert_eq!(found.contains(&"TL015"), tool_size, "{words}");
        assert_eq!(found.contains(&"TL083"), description, "{words}");
        assert!(!found.contains(&"TL014"));
    }
    let many: Vec<String> = (0..100).map(|n| tool(&format!("t{n}"), 300)).collect();
    assert!(codes(&lint(&many)).contains(&"TL014"));
    let values: Vec<String> = (0..1_001).map(|n| n.to_string()).collect();
    for (count, expected) in [(1_000, false), (1_001, true)] {
        let text = format!(
            "{{\"name\": \"a\", \"inputSchema\": {{\"type\": \"object\", \"properties\": {{\"p\": {{\"enum\": [{}]}}}}}}}}",
            values[..count].join(",")
        );
        assert_eq!(codes(&lint(&[text])).contains(&"TL094"), expected);
    }
}

/// A safe fix leaves a tool that is still read, and that its rule has no more to say about.
#[test]
fn safe_fixes_mend_what_they_are_for() {
    for (schema, mended) in [
        (
            r#"{"type": "number", "minimum": 0, "exclusiveMinimum": true}"#,
            r#"{"type": "number", "exclusiveMinimum": 0}"#,
        ),
        (
            r#"{"type": "number", "exclusiveMaximum": true, "maximum": 9}"#,
            r#"{"type": "number", "exclusiveMaximum": 9}"#,
        ),
        (
            r#"{"type": "integer", "exclusiveMaximum": false}"#,
            r#"{"type": "integer"}"#,
        ),
        (
            r#"{"items": [{"type": "string"}], "additionalItems": false}"#,
            r#"{"prefixItems": [{"type": "string"}], "items": false}"#,
        ),
        (
            r#"{"type": "object", "properties": {}, "required": [], "propertyNames": {"type": "string"}}"#,
            r#"{"type": "object", "properties": {}}"#,
        ),
        (
            r#"{"title": "Value", "type": "string"}"#,
            r#"{"type": "string"}"#,
        ),
        (
            r#"{"type": "string", "default": null}"#,
            r#"{"type": "string"}"#,
        ),
        // As PHP writes empty objects.
        (
            r#"{"type": "object", "properties": [], "required": {}}"#,
            r#"{"type": "object", "properties": {}}"#,
        ),
        (
            r#"{"type": "array", "items": []}"#,
            r#"{"type": "array", "items": {}}"#,
        ),
    ] {
        let whole = |schema: &str| {
            format!(
                "{{\"name\": \"x\", \"inputSchema\": {{\"type\": \"object\", \"properties\": {{\"value\": {schema}}}}}}}"
            )
        };
        let mut text = whole(schema);
        for _ in 0..4 {
            let report = lint(std::slice::from_ref(&text));
            let safe = report.findings.iter().filter_map(|finding| {
                let fix = finding.fix.as_ref()?;
                (fix.safety == toolsure_analysis::lint::Safety::Safe).then(|| fix.edits.clone())
            });
            let groups: Vec<_> = safe.collect();
            text = apply(&text, &groups).0;
        }
        assert_eq!(text, whole(mended), "{schema}");
    }
}

/// What serializers write for absent members is removed, and what PHP writes for `{}` is named.
#[test]
fn null_and_empty_arrays_have_safe_fixes() {
    let tool = r#"{"name": "a", "title": null, "annotations": {"title": null, "readOnlyHint": true},
        "icons": [{"src": "x", "mimeType": null}], "description": "a tool", "inputSchema":
        {"type": "object", "properties": []}}"#;
    let linter = Linter::admission();
    let report = linter.lint([tool]);
    let codes = codes(&report);
    assert_eq!(codes, ["TL010", "TL010", "TL010", "TL027"]);
    let help = report.findings[3].help.as_deref();
    let expected = "PHP writes an empty array for an empty object; write `{}`";
    assert_eq!(help, Some(expected));
    let edits = report.findings.iter().map(|one| one.fix.as_ref().unwrap());
    let groups: Vec<_> = edits.map(|fix| fix.edits.clone()).collect();
    let (text, _) = apply(tool, &groups);
    assert!(linter.lint([text.as_str()]).findings.is_empty(), "{text}");
}

/// Toolsure checks `dependencies` in every dialect, so lint does not say that validators ignore it.
#[test]
fn legacy_keywords_are_not_called_ignored_by_all() {
    let message = |schema: Value| {
        let tool = json!({"name": "t", "description": "a tool", "inputSchema": schema});
        let report = lint(&[tool.to_string()]);
        let found = report.findings.iter();
        let mut found = found.filter(|finding| finding.rule.code == "TL021");
        found.next().map(|finding| finding.message.clone())
    };
    let legacy = message(json!({"type": "object", "dependencies": {"a": ["b"]}}));
    assert!(legacy.unwrap().ends_with("; many validators ignore it"));
    let newer = message(json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "minContains": 1
    }));
    assert!(newer.unwrap().ends_with("; validators ignore it"));
}

#[test]
fn rules_can_be_turned_off_and_made_errors() {
    let tool = r#"{"name": "a", "inputSchema": {"type": "object"}}"#;
    let one = |code: &str| rule(code).unwrap();
    let severity = |linter: &Linter, code: &str| {
        let report = linter.lint([tool]);
        report
            .findings
            .iter()
            .find(|finding| finding.rule.code == code)
            .map(|finding| finding.severity)
    };
    assert_eq!(severity(&Linter::new(), "TL006"), Some(Severity::Warning));
    assert_eq!(
        severity(&Linter::new().allow(one("no-description")), "TL006"),
        None
    );
    assert_eq!(severity(&Linter::new(), "TL012"), None);
    assert_eq!(
        severity(&Linter::new().deny(one("tl012")), "TL012"),
        Some(Severity::Error)
    );
    assert_eq!(
        severity(&Linter::new().profile(profile("strict").unwrap()), "TL012"),
        Some(Severity::Note)
    );
}

/// Every place that is named is a place in the text, and hostile tools end soon.
#[test]
fn places_are_places_and_hostile_tools_end() {
    let deep = format!(
        "{{\"name\": \"a\", \"inputSchema\": {}{}}}",
        "{\"not\": ".repeat(400) + "{}",
        "}".repeat(400)
    );
    let wide = format!(
        "{{\"name\": \"a\", \"inputSchema\": {{\"type\": \"object\", \"properties\": {{{}}}}}}}",
        (0..30_000)
            .map(|n| format!(
                "\"p{n}\": {{\"tpye\": \"string\", \"$ref\": \"#/x/{n}\", \"default\": {n}}}"
            ))
            .collect::<Vec<_>>()
            .join(",")
    );
    let long = format!(
        "{{\"name\": \"a\", \"inputSchema\": {{\"properties\": {{\"{}\": {{\"enum\": []}}}}}}}}",
        "k".repeat(1 << 20)
    );
    let started = std::time::Instant::now();
    for text in [
        deep,
        wide,
        long,
        "[".repeat(100_000),
        String::new(),
        "{\"name\": \"\\ud800\"}".to_owned(),
    ] {
        let report = lint(std::slice::from_ref(&text));
        assert!(!report.findings.is_empty());
        for finding in &report.findings {
            assert!(finding.message.len() < 2_000 && finding.pointer.len() < 3_100);
            assert!(!finding.message.ends_with('.'), "{}", finding.message);
            if let Some(span) = &finding.span {
                assert!(span.start <= span.end && text.get(span.start.min(text.len())..).is_some());
            }
        }
    }
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// The published listings: nothing in them is an error of ours to read.
#[toolsure_needs::needs("corpus/listings")]
#[test]
fn published_listings_are_read() {
    let folder =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/listings");
    let mut tools = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let listing: Value = serde_json::from_str(&text).unwrap();
        let texts: Vec<String> = listing["tools"]
            .as_array()
            .unwrap()
            .iter()
            .map(Value::to_string)
            .collect();
        tools += texts.len();
        let report = lint(&texts);
        assert!(!codes(&report).contains(&"TL001"));
        assert_eq!(report.tokens.len(), texts.len());
    }
    assert!(tools > 5_000);
}

#[test]
fn large_listings_are_bounded_and_say_the_same_of_their_first_names() {
    let misspelt = |count: usize| {
        let properties: Map<String, Value> = (0..count)
            .map(|n| {
                (
                    format!("property_name_number_{n:05}"),
                    json!({"type": "string"}),
                )
            })
            .collect();
        let required: Vec<String> = (0..count)
            .map(|n| format!("propertyname_numbr_{n:05}"))
            .collect();
        json!({"name": "t", "description": "d",
            "inputSchema": {"type": "object", "properties": properties, "required": required}})
        .to_string()
    };
    let helped = |text: &str| {
        let report = Linter::new().lint([text]);
        let found = report.findings.iter();
        let help = found.filter(|one| one.rule.code == "TL045");
        help.filter_map(|one| one.help.clone())
            .filter(|help| help.starts_with("did you mean"))
            .count()
    };
    // Each name of a small schema is compared with each; of a large one the first ones.
    assert_eq!(helped(&misspelt(50)), 50);
    let many = helped(&misspelt(2_000));
    assert!((1..300).contains(&many), "{many}");
}

/// Every rule about facts has a fact, and the severity of the worst.
#[test]
fn severities_are_those_of_consequences() {
    for one in PROFILES {
        assert_eq!(profile(one.name).map(|found| found.name), Some(one.name));
    }
    for one in &RULES {
        let worst = one.facts().map(|(_, fact)| fact.consequence).max();
        if let Some(worst) = worst {
            assert_eq!(one.severity, Severity::of(worst), "{}", one.code);
        }
    }
    for (profile_name, tool, severity) in [
        ("openai", r#"{"name": "a b"}"#, Severity::Error),
        (
            "llama-cpp",
            r#"{"name": "a", "inputSchema": {"type": "object", "not": {}}}"#,
            Severity::Warning,
        ),
    ] {
        let report = Linter::only(profile(profile_name).unwrap()).lint([tool]);
        let finding = report.findings.first().unwrap();
        assert_eq!(finding.severity, severity);
        assert_eq!(
            finding.readers.first().map(|one| one.name),
            Some(profile_name)
        );
        let help = finding.help.as_deref().unwrap();
        assert!(help.contains("toolsure project --for"), "{help}");
        let refused = finding.consequence.is_some_and(|one| one.is_refusal());
        assert_eq!(refused, severity == Severity::Error);
    }
}

/// Only what the readers of a profile cannot take, and what they would refuse is not advised.
#[test]
fn a_profile_can_stand_alone_and_turns_advice_off() {
    let tool = r#"{"name": "a.b", "inputSchema": {"type": "object", "properties":
        {"n": {"type": "integer", "exclusiveMinimum": 0, "description": "Rows, max 10 (default: 3)"}}}}"#;
    let found = |linter: Linter| codes(&linter.lint([tool]));
    let named = |name: &str| profile(name).unwrap();
    assert_eq!(found(Linter::only(named("gemini"))), ["TL087"]);
    assert_eq!(found(Linter::only(named("anthropic"))), ["TL081"]);
    assert_eq!(found(Linter::only(named("cursor"))), Vec::<&str>::new());
    let tool = r#"{"name": "a", "inputSchema": {"type": "object", "properties":
        {"n": {"type": "integer", "description": "Rows, max 10 (default: 3)"}}}}"#;
    let found = |linter: Linter| codes(&linter.lint([tool]));
    for (name, advised, silent) in [
        ("openai-strict", "TL067", "TL065"),
        ("anthropic-strict", "TL065", "TL067"),
    ] {
        let codes = found(Linter::new().profile(named(name)));
        assert!(
            codes.contains(&advised) && !codes.contains(&silent),
            "{name}: {codes:?}"
        );
    }
}

/// What a reader has room for, at its limit and one over it.
#[test]
fn limits_of_readers_hold_at_n_and_not_at_n_plus_one() {
    let name = |length: usize| format!("{{\"name\": \"{}\"}}", "n".repeat(length));
    let described = |length: usize| {
        format!(
            "{{\"name\": \"a\", \"description\": \"{}\"}}",
            "é".repeat(length)
        )
    };
    let found = |profile_name: &str, server: Option<&str>, tools: &[String]| {
        let linter = Linter::only(profile(profile_name).unwrap());
        let linter = server.map_or(linter.clone(), |server| linter.server(server));
        codes(&linter.lint(tools.iter().map(String::as_str)))
    };
    let many = |count: usize| (0..count).map(|n| name(3 + n % 2)).collect::<Vec<_>>();
    let one = |text: String| vec![text];
    for (reader, server, most, over, code) in [
        ("openai", None, one(name(64)), one(name(65)), "TL081"),
        ("anthropic", None, one(name(128)), one(name(129)), "TL081"),
        (
            "cursor",
            Some("github"),
            one(name(52)),
            one(name(53)),
            "TL096",
        ),
        (
            "claude-code",
            Some("github"),
            one(name(115)),
            one(name(116)),
            "TL096",
        ),
        (
            "claude-code",
            None,
            one(described(2_048)),
            one(described(2_049)),
            "TL083",
        ),
        (
            "legacy",
            None,
            one(described(1_024)),
            one(described(1_025)),
            "TL083",
        ),
        ("cursor", None, many(80), many(81), "TL095"),
        ("gemini", None, many(512), many(513), "TL095"),
        ("antigravity", None, many(100), many(101), "TL095"),
        ("vscode", None, many(128), many(129), "TL095"),
        ("anthropic-strict", None, many(20), many(21), "TL102"),
    ] {
        assert!(
            !found(reader, server, &most).contains(&code),
            "{reader} {code}"
        );
        assert!(
            found(reader, server, &over).contains(&code),
            "{reader} {code}"
        );
    }
    let optional = |count: usize, each: &str| {
        let properties: Vec<String> = (0..count).map(|n| format!("\"p{n}\": {each}")).collect();
        format!(
            "{{\"name\": \"a\", \"inputSchema\": {{\"type\": \"object\", \"properties\": {{{}}}}}}}",
            properties.join(",")
        )
    };
    let both = "{\"type\": [\"string\", \"null\"]}";
    for (most, each) in [(24, "{\"type\": \"string\"}"), (16, both)] {
        for (count, over) in [(most, false), (most + 1, true)] {
            let codes = found("anthropic-strict", None, &one(optional(count, each)));
            assert_eq!(codes.contains(&"TL102"), over, "{count} {each}");
        }
    }
    let long: Vec<String> = (0..251).map(|n| format!("\"{n:060}\"")).collect();
    let longer = format!("{{\"enum\": [{}]}}", long.join(","));
    assert!(found("openai-strict", None, &one(optional(1, &longer))).contains(&"TL094"));
}

/// The walk ends where the compiler's limits do, not earlier.
#[test]
fn what_the_compiler_reads_is_linted() {
    let properties: String = (0..10_100)
        .map(|n| format!("\"p{n}\": {{\"type\": \"integer\"}}, "))
        .collect();
    let tool = format!(
        "{{\"name\": \"t\", \"inputSchema\": {{\"type\": \"object\", \"properties\": {{{properties}
            \"last\": {{\"items\": {{\"enum\": []}}}}}}}}}}"
    );
    let finds = |linter: Linter| {
        let report = linter.lint([tool.as_str()]);
        let codes = codes(&report);
        (codes.contains(&"TL028"), codes.contains(&"TL041"))
    };
    assert_eq!(finds(linter()), (true, false));
    let mut limits = Limits::default();
    limits.model.subschemas = 20_000;
    limits.plan_nodes = 20_000;
    let raised = linter().compiler(Compiler::new().limits(limits));
    assert_eq!(finds(raised), (false, true));
}

/// Rules read a keyword as the engine does: not in a dialect that lacks it, and not beside a reference that
/// hides it. Each schema is that of a property, beside what is declared at the root.
#[test]
fn findings_about_values_agree_with_the_engine() {
    let draft4 = "http://json-schema.org/draft-04/schema#";
    let draft7 = "http://json-schema.org/draft-07/schema#";
    let latest = "https://json-schema.org/draft/2020-12/schema";
    let text = json!({"$ref": "#/definitions/a"});
    let with = |keyword: &str, value: Value| {
        let mut schema = text.clone();
        schema[keyword] = value;
        schema
    };
    let counts = json!({"type": "array", "minContains": 3, "maxContains": 1});
    let bounds = |exclusive: bool| json!({"type": "integer", "minimum": 5, "exclusiveMinimum": exclusive, "maximum": 5});
    for (code, dialect, schema, value, is_valid) in [
        ("TL040", latest, counts.clone(), json!([1]), true),
        ("TL040", draft7, counts, json!([1]), true),
        ("TL040", draft4, bounds(true), json!(5), false),
        ("TL040", draft4, bounds(false), json!(5), true),
        ("TL041", draft7, with("enum", json!([])), json!("x"), true),
        ("TL041", latest, with("enum", json!([])), json!("x"), false),
        (
            "TL042",
            draft4,
            json!({"type": "string", "const": 1}),
            json!("x"),
            true,
        ),
        (
            "TL042",
            latest,
            json!({"type": "string", "const": 1}),
            json!("x"),
            false,
        ),
        (
            "TL042",
            draft4,
            json!({"type": "integer", "enum": [1.0]}),
            json!(1.0),
            false,
        ),
        (
            "TL042",
            draft7,
            json!({"type": "integer", "enum": [1.0]}),
            json!(1.0),
            true,
        ),
    ] {
        let root = json!({
            "$schema": dialect,
            "type": "object",
            "properties": {"p": schema},
            "definitions": {"a": {"type": "string"}}
        });
        let compiled = Compiler::new()
            .compile(root.to_string().as_bytes())
            .unwrap();
        let instance = json!({"p": value}).to_string();
        let verdict = compiled.check(&mut Workspace::new(), instance.as_bytes());
        assert_eq!(verdict.unwrap().is_valid(), is_valid, "{root} {instance}");
        let report = lint(&tools("schema", &root));
        let found = codes(&report).contains(&code);
        assert_eq!(found, !is_valid, "{code} {root}: {:?}", codes(&report));
    }
}

/// A generator that writes `null` for one optional parameter writes it for all.
#[test]
fn null_defaults_of_a_tool_are_one_finding() {
    let tool = r#"{"name": "t", "inputSchema": {"type": "object", "properties": {
        "a": {"type": "string", "default": null}, "b": {"type": "integer", "default": 0},
        "c": {"type": "array", "items": {"type": "string", "default": null}, "default": null}}}}"#;
    let report = Linter::new().lint([tool]);
    let found: Vec<_> = report
        .findings
        .iter()
        .filter(|one| one.rule.code == "TL046")
        .collect();
    let messages: Vec<&str> = found.iter().map(|one| one.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "3 defaults are `null`, which their own schemas refuse: `a`, `c`, `/inputSchema/properties/c/items`"
        ]
    );
    let (text, _) = apply(tool, &[found[0].fix.as_ref().unwrap().edits.clone()]);
    assert!(!text.contains("null"), "{text}");
    assert!(
        Linter::new()
            .lint([text.as_str()])
            .findings
            .iter()
            .all(|one| one.rule.code != "TL046")
    );
}
