//! Projections of small schemas: what becomes of them, the claims, and the way back.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use serde_json::{Value, json};
use toolsure_analysis::lint::{Linter, profile};
use toolsure_analysis::project::{
    Limits, Projector, ProviderForm, Refusal, Relation, StepKind, UnmappedArguments,
    read_provider_tools,
};
use toolsure_analysis::readers::reader;
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};

/// The cases, each with the text of its schema: the order of its members counts.
fn cases() -> Vec<(Value, String)> {
    let text = include_str!("project/cases.json");
    let cases: Vec<Value> = serde_json::from_str(text).unwrap();
    let document = read(text);
    let schemas = document.document().root().items();
    let schemas = schemas.map(|case| case.member("schema").unwrap().raw().to_owned());
    cases.into_iter().zip(schemas).collect()
}

fn read(text: &str) -> OwnedDocument {
    OwnedDocument::read(text, &ReadLimits::default()).unwrap()
}

/// Each case names a profile, an input schema, what it becomes, the relation, and arguments as a
/// model writes them with the arguments that they stand for.
#[test]
fn schemas_become_what_the_cases_say() {
    let mut seen = std::collections::BTreeSet::new();
    for (case, schema) in cases() {
        let name = case["profile"].as_str().unwrap();
        let about = format!("{name}: {schema}");
        let projector = Projector::new(reader(name).unwrap());
        let projected = projector.project_schema(&schema).unwrap();
        let became: Value = serde_json::from_str(&projected.text).unwrap();
        assert_eq!(became, case["becomes"], "{about}\nbecame {became}");
        assert_eq!(
            projected.relation.name(),
            case["relation"],
            "{about}: {:?}",
            projected.relation
        );
        seen.extend(projected.steps.iter().map(|step| step.kind.name()));
        let pairs = case["arguments"].as_array().cloned().unwrap_or_default();
        for pair in pairs {
            let (published, original) = (pair[0].to_string(), pair[1].to_string());
            let back = projected
                .mapping
                .back(read(&published).document().root())
                .unwrap();
            let back: Value = serde_json::from_str(&back).unwrap();
            assert_eq!(back, pair[1], "{about}: {published} is {back}");
            let there = projected
                .mapping
                .forward(read(&original).document().root())
                .unwrap();
            let there: Value = serde_json::from_str(&there).unwrap();
            assert_eq!(there, pair[0], "{about}: {original} is {there}");
        }
    }
    // Names and descriptions are of the tool, not of a schema.
    let of_the_tool = [StepKind::ShortenName, StepKind::MoveDescription];
    let missing: Vec<&str> = StepKind::ALL
        .iter()
        .filter(|kind| !of_the_tool.contains(kind) && !seen.contains(kind.name()))
        .map(|kind| kind.name())
        .collect();
    assert!(missing.is_empty(), "no case has the steps {missing:?}");
}

#[test]
fn long_names_are_shortened_uniquely_and_long_descriptions_move() {
    let name = "a".repeat(70);
    let other = format!("{}b", "a".repeat(69));
    let text = |name: &str| {
        format!(
            r#"{{"name": "{name}", "description": "{}", "x-own": 1.50, "inputSchema": {{"type": "object", "properties": {{}}}}}}"#,
            "word ".repeat(600)
        )
    };
    let tools = [text(&name), text(&other), text("fine")];
    let openai = Projector::new(reader("openai").unwrap());
    let projection = openai.project(tools.iter().map(String::as_str));
    let published: Vec<&str> = projection
        .projected()
        .map(|tool| tool.published.as_str())
        .collect();
    assert_ne!(published[0], published[1]);
    assert!(published.iter().all(|name| name.len() <= 64));
    assert_eq!(published[2], "fine");
    assert_eq!(projection.tools[2].as_ref().unwrap().text, tools[2]);

    let claude = Projector::new(reader("claude-code").unwrap());
    let projection = claude.project([tools[2].as_str()]);
    let tool = projection.tools[0].as_ref().unwrap();
    let text: Value = serde_json::from_str(&tool.text).unwrap();
    let head = text["description"].as_str().unwrap();
    let rest = text["inputSchema"]["description"].as_str().unwrap();
    assert!(head.len() <= 2_048);
    let words = |text: &str| text.matches("word").count();
    assert_eq!(words(head) + words(rest), 600);
    // Where no word ends, the hint ends where the room does.
    let unbroken = tools[2].replace(' ', "");
    let projection = claude.project([unbroken.as_str()]);
    let text: Value = serde_json::from_str(&projection.tools[0].as_ref().unwrap().text).unwrap();
    assert_eq!(text["description"].as_str().unwrap().chars().count(), 2_048);
    assert!(
        tool.text.contains("\"x-own\": 1.50"),
        "what is not projected stays as it was"
    );
}

/// A published name depends on the tool's name alone, so that a call by it never reaches another tool.
#[test]
fn short_names_depend_on_the_name_alone() {
    let openai = Projector::new(reader("openai").unwrap());
    let tool = |name: &str| format!(r#"{{"name": "{name}", "inputSchema": {{"type": "object"}}}}"#);
    // A name is shortened in the same way in every order, and beside any other tools.
    for (first, second) in [
        ("file.delete", "file delete"),
        ("file delete", "file.delete"),
    ] {
        let tools = [tool(first), tool(second), tool("file_delete")];
        for tools in [&tools[..], &tools[..1], &tools[1..]] {
            let projection = openai.project(tools.iter().map(String::as_str));
            for tool in projection.projected() {
                let expected = match tool.name.as_str() {
                    "file.delete" => "file_delete_49ce8b5d",
                    "file delete" => "file_delete_87b88c77",
                    other => other,
                };
                assert_eq!(tool.published, expected);
            }
        }
    }
    // A tool whose short name is another tool's own name is refused.
    let tools = [tool("file.delete"), tool("file_delete_49ce8b5d")];
    let projection = openai.project(tools.iter().map(String::as_str));
    let refused = projection.tools[0].as_ref().map(|_| ()).unwrap_err();
    assert!(
        refused
            .reason
            .to_string()
            .contains("belongs to another tool")
    );
    assert_eq!(
        projection.tools[1].as_ref().unwrap().published,
        "file_delete_49ce8b5d"
    );
}

#[test]
fn recursion_times_references_ends_at_a_named_limit() {
    // Each definition names the next one twice, and the last the first.
    let mut definitions = Vec::new();
    for at in 0..30 {
        let next = (at + 1) % 30;
        definitions.push(format!(
            r##""d{at}": {{"type": "object", "properties": {{"a": {{"$ref": "#/$defs/d{next}"}}, "b": {{"$ref": "#/$defs/d{next}"}}}}}}"##
        ));
    }
    let schema = format!(
        r##"{{"type": "object", "properties": {{"x": {{"$ref": "#/$defs/d0"}}}}, "$defs": {{{}}}}}"##,
        definitions.join(", ")
    );
    for name in ["gemini", "anthropic-strict"] {
        let refusal = Projector::new(reader(name).unwrap())
            .project_schema(&schema)
            .unwrap_err();
        let Refusal::TooLarge { limit, allowed } = refusal else {
            panic!("{refusal}");
        };
        assert!(limit == "values" && allowed == Limits::default().values || limit == "depth");
    }
    // A reader of references has them.
    let kept = Projector::new(reader("vscode").unwrap())
        .project_schema(&schema)
        .unwrap();
    assert_eq!(kept.relation, Relation::Equal);
    assert!(kept.relation.keeps_all() && kept.relation.adds_none());
    assert_eq!(kept.text, schema);
}

#[test]
fn the_limits_that_hold_unless_they_are_set() {
    let limits = Limits::default();
    let sizes = [
        limits.recursion,
        limits.depth,
        limits.subschemas,
        limits.values,
    ];
    assert_eq!(sizes, [2, 64, 10_000, 100_000]);
    assert_eq!((limits.sentence, limits.steps), (1_000, 200));
    assert_eq!(limits.listing_values, 1_000_000);
    assert_eq!(limits.listing_work, 10_000_000);
    assert_eq!(limits.listing_patterns, 4_000_000);
}

#[test]
fn tools_that_cannot_be_projected_say_why() {
    let openai = Projector::new(reader("openai").unwrap());
    let tools = [
        "[1",
        r#"{"name": "a"}"#,
        r#"{"inputSchema": {"type": "object"}}"#,
        r#"{"name": "b", "inputSchema": {"type": "strng"}}"#,
        r#"{"name": "c", "inputSchema": {"type": "object"}}"#,
        r#"{"name": "c", "inputSchema": {"type": "object", "required": ["q"]}}"#,
    ];
    let projection = openai.project(tools);
    let reasons: Vec<String> = projection
        .tools
        .iter()
        .filter_map(|tool| tool.as_ref().err().map(ToString::to_string))
        .collect();
    assert_eq!(reasons.len(), 5, "{reasons:#?}");
    assert_eq!(
        reasons[4],
        "tool `c`: another tool before it has the same name"
    );
    assert!(reasons[1].starts_with("tool `a`: not a tool: it has no input schema"));
    assert!(
        reasons[3].starts_with("tool `b`: the input schema is refused: "),
        "{}",
        reasons[3]
    );
    assert_eq!(projection.projected().count(), 1);
}

#[test]
fn the_tools_of_a_listing_share_its_limits() {
    let tool = |name: &str| {
        format!(
            r##"{{"name": "{name}", "inputSchema": {{"type": "object", "$defs": {{"a": {{"minLength": 3}}}},
            "properties": {{"a": {{"$ref": "#/$defs/a"}}, "b": {{"const": 1}}}}}}}}"##
        )
    };
    let tools = [tool("a"), tool("b"), tool("c")];
    let project = |limits: Limits| {
        let projector = Projector::new(reader("openai-strict").unwrap()).limits(limits);
        projector.project(tools.iter().map(String::as_str)).tools
    };
    // The tool that passes the limit is projected still; those behind it are not begun.
    let projected = project(Limits {
        listing_values: 1,
        ..Limits::default()
    });
    let refused = |tool: &Result<_, toolsure_analysis::project::RefusedTool>| {
        tool.as_ref()
            .err()
            .map(|refused| refused.reason.to_string())
    };
    let why = "the projected schema is over the limit `listing_values` of 1";
    let expected = [None, Some(why.to_owned()), Some(why.to_owned())];
    assert_eq!(projected.iter().map(refused).collect::<Vec<_>>(), expected);
    let relations = |limits| -> Vec<&str> {
        let projected = project(limits);
        let relation = |tool: &Result<toolsure_analysis::project::Projected, _>| match tool {
            Ok(tool) => tool.input.relation.name(),
            Err(_) => "refused",
        };
        projected.iter().map(relation).collect()
    };
    assert_eq!(relations(Limits::default()), ["narrower"; 3]);
    let one = Limits {
        listing_fuel: 50_000,
        ..Limits::default()
    };
    assert_eq!(relations(one), ["narrower", "narrower", "undecided"]);
    assert_eq!(relations(Limits::without_relations()), ["undecided"; 3]);
}

/// Names of tools in Gemini begin with a letter or `_`, and may have dots and colons.
#[test]
fn names_get_the_characters_that_the_reader_takes() {
    let published = |name: &str| {
        let tool = serde_json::json!({"name": name, "inputSchema": {"type": "object"}}).to_string();
        let projection = Projector::new(reader("gemini").unwrap()).project([tool.as_str()]);
        let published = projection.projected().map(|one| one.published.clone());
        published.collect::<Vec<_>>().concat()
    };
    assert_eq!(published("a.b:c-d"), "a.b:c-d");
    for (name, start) in [
        ("7zip", "_7zip_"),
        (".x", "_.x_"),
        ("a b", "a_b_"),
        ("/", "__"),
        ("ä", "__"),
    ] {
        let short = published(name);
        assert!(short.starts_with(start), "{name}: {short}");
        assert!((start.len()..=64).contains(&short.len()), "{short}");
    }
}

/// Each pattern takes what it takes, and all of a listing no more than one bound: those beyond it are told in
/// words. A pattern that occurs again takes nothing.
#[test]
fn the_patterns_of_a_listing_share_a_bound() {
    let tool = |name: usize, pattern: &str| {
        let pattern = Value::from(pattern);
        format!(
            r#"{{"name": "t{name}", "inputSchema": {{"type": "object", "properties": {{"a": {{"type": "string", "pattern": {pattern}}}}}}}}}"#
        )
    };
    let texts = |tools: &[String], listing_patterns: u64| {
        let limits = Limits {
            listing_patterns,
            ..Limits::without_relations()
        };
        let projector = Projector::new(reader("openai").unwrap()).limits(limits);
        let projection = projector.project(tools.iter().map(String::as_str));
        let texts: Vec<String> = projection.projected().map(|one| one.text.clone()).collect();
        texts
    };
    let is_kept = |text: &String| text.contains(r#""pattern":"#);
    let each: Vec<String> = (0..20).map(|n| tool(n, &format!("^(?!{n}).+$"))).collect();
    let enough = texts(&each, 4_000_000);
    assert!(enough.iter().all(is_kept), "{enough:#?}");
    let little = texts(&each, 10_000);
    let kept = little.iter().filter(|text| is_kept(text)).count();
    assert!((1..19).contains(&kept), "{kept}");
    let lost = little.iter().find(|text| !is_kept(text)).unwrap();
    assert!(lost.contains("regular expression"), "{lost}");
    // The same pattern again and again.
    let same: Vec<String> = (0..20).map(|n| tool(n, "^(?!1).+$")).collect();
    assert!(texts(&same, 10_000).iter().all(is_kept));
}

#[test]
fn what_is_written_out_is_counted_exactly() {
    let schema = r##"{"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}},
        "default": {"a": 1}, "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}}"##;
    let project = |limits: Limits| {
        let projector = Projector::new(reader("anthropic-strict").unwrap()).limits(limits);
        let projected = projector.project_schema(schema);
        let written = projected.map(|projected| projected.text.matches("next").count());
        written.map_err(|refusal| refusal.to_string())
    };
    let depth = |depth| {
        project(Limits {
            depth,
            ..Limits::default()
        })
    };
    let values = |values| {
        project(Limits {
            values,
            ..Limits::default()
        })
    };
    let refused = |limit, allowed| Err(Refusal::TooLarge { limit, allowed }.to_string());
    assert_eq!((depth(3), depth(2)), (Ok(1), refused("depth", 2)));
    // For each schema its type and its properties, a default of two, and three for what is left of the innermost.
    assert_eq!((values(9), values(8)), (Ok(1), refused("values", 8)));
    assert_eq!((values(11), values(13)), (Ok(2), Ok(3)));
}

/// A text that many references repeat counts as often as it would be written.
#[test]
fn long_texts_that_are_written_out_count() {
    let schema = |places: usize, member: &str| {
        let properties: Vec<String> = (0..places)
            .map(|n| format!("\"p{n}\": {{\"$ref\": \"#/$defs/d\"}}"))
            .collect();
        let text = "x".repeat(60_000);
        let member = member.replace("TEXT", &text);
        let properties = properties.join(",");
        format!(
            "{{\"type\": \"object\", \"properties\": {{{properties}}}, \"$defs\": {{\"d\": {{{member}}}}}}}"
        )
    };
    for member in [
        "\"description\": \"TEXT\"",
        "\"enum\": [\"TEXT\"]",
        "\"type\": \"object\", \"properties\": {\"TEXT\": {}}",
    ] {
        for name in ["gemini", "anthropic-strict"] {
            let projector = Projector::new(reader(name).unwrap());
            let projected = projector.project_schema(&schema(500, member));
            let refusal = projected.map(|_| ()).unwrap_err();
            assert!(refusal.to_string().contains("`values`"), "{name} {refusal}");
        }
    }
}

#[test]
fn steps_beyond_the_limit_are_counted() {
    let schema = r#"{"type": "object", "additionalProperties": false, "required": ["a", "b", "c"],
        "properties": {"a": {"const": 1}, "b": {"const": 2}, "c": {"const": 3}}}"#;
    let steps = |steps| {
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        let projector = Projector::new(reader("gemini").unwrap()).limits(limits);
        let projected = projector.project_schema(schema).unwrap();
        (projected.steps.len(), projected.more_steps)
    };
    let (all, none) = steps(200);
    assert!(all > 3 && none == 0);
    assert_eq!(steps(1), (1, all - 1));
}

/// An object has no name twice, so a list of keys and values that has is refused.
#[test]
fn a_key_that_is_given_twice_is_refused() {
    let schema = r#"{"type": "object", "properties": {"labels": {"type": "object",
        "additionalProperties": {"type": "string"}}}, "required": ["labels"], "additionalProperties": false}"#;
    let strict = Projector::new(reader("openai-strict").unwrap());
    let mapping = strict.project_schema(schema).unwrap().mapping;
    let twice =
        r#"{"labels":[{"key":"a","value":"1"},{"key":"b","value":"2"},{"key":"a","value":"3"}]}"#;
    let refused = mapping.map_back(read(twice).document().root()).unwrap_err();
    let pointer = "/labels/2".to_owned();
    let key = "a".to_owned();
    assert_eq!(refused, UnmappedArguments::RepeatedKey { pointer, key });
    assert_eq!(
        refused.to_string(),
        "the key `a` is given twice, the second time at `/labels/2`"
    );
    assert_eq!(mapping.back(read(twice).document().root()), None);
}

/// Each value that stands for another is told, with its location in what the model wrote.
#[test]
fn conversions_are_told() {
    let schema = r#"{"type": "object", "required": ["free", "either", "map"], "additionalProperties": false,
        "properties": {"free": {"type": "object"}, "either": {"type": ["string", "object"]},
            "map": {"type": "object", "additionalProperties": {"type": "object"}},
            "q": {"type": "string"}}}"#;
    let strict = Projector::new(reader("openai-strict").unwrap());
    let mapping = strict.project_schema(schema).unwrap().mapping;
    let told = |text: &str| -> (String, Vec<String>) {
        let mapped = mapping.map_back(read(text).document().root()).unwrap();
        let all = mapped.conversions.iter();
        let all = all.map(|one| format!("{} {}", one.kind.name(), one.pointer));
        (mapped.text, all.collect())
    };
    let (text, all) =
        told(r#"{"free":"{}","either":"{}","map":[{"key":"k","value":"{\"b\":1}"}],"q":null}"#);
    assert_eq!(text, r#"{"free":{},"either":"{}","map":{"k":{"b":1}}}"#);
    let expected = [
        "json-text /free",
        "entries /map",
        "json-text /map/0/value",
        "require-all /q",
    ];
    assert_eq!(all, expected);
    let (text, all) = told(r#"{"free":"no","either":{"json":"{}"},"map":[],"q":"{}"}"#);
    assert_eq!(text, r#"{"free":"no","either":{},"map":{},"q":"{}"}"#);
    assert_eq!(all, ["wrap /either", "entries /map"]);
    let gemini = Projector::new(reader("gemini").unwrap());
    let schema = r#"{"type": "object", "properties": {"n": {"type": "array", "items": {"enum": [1, "a"]}}}}"#;
    let mapping = gemini.project_schema(schema).unwrap().mapping;
    let written = read(r#"{"n":["a","1","2"]}"#);
    let mapped = mapping.map_back(written.document().root()).unwrap();
    assert_eq!(mapped.text, r#"{"n":["a",1,"2"]}"#);
    assert_eq!(mapped.conversions.len(), 1);
    assert_eq!(mapped.conversions[0].pointer, "/n/1");
}

/// Deeper values than the default limits admit are mapped as deep as is told.
#[test]
fn values_are_mapped_to_256_levels() {
    let schema = r#"{"type": "object", "properties": {"a": {"type": "integer"}, "list": {}},
        "required": ["list"], "additionalProperties": false}"#;
    let openai = Projector::new(reader("openai-strict").unwrap());
    let mapping = openai.project_schema(schema).unwrap().mapping;
    let limits = ReadLimits {
        depth: 400,
        ..ReadLimits::default()
    };
    for (levels, mapped) in [(254, true), (255, true), (256, false), (300, false)] {
        let value =
            |open: &str, close: &str| format!("{}1{}", open.repeat(levels), close.repeat(levels));
        let arrays = format!(r#"{{"a":null,"b":{}}}"#, value("[", "]"));
        let objects = format!(r#"{{"a":null,"b":{}}}"#, value(r#"{"b":"#, "}"));
        for text in [arrays, objects] {
            let document = OwnedDocument::read(text.as_str(), &limits).unwrap();
            let back = mapping.back(document.document().root());
            let expected = mapped.then(|| text.replacen(r#""a":null,"#, "", 1));
            assert_eq!(back, expected, "{levels}");
        }
    }
}

/// Each form is read back as the tools that were written.
#[test]
fn forms_of_providers_are_written_and_read_back() {
    let tools = [
        r#"{"name":"find","description":"Finds \"it\"","inputSchema":{"type":"object","properties":{"n":{"type":"integer"}}}}"#,
        r#"{"name":"list","inputSchema":{"type":"object"}}"#,
    ];
    for form in ProviderForm::ALL {
        for strict in [true, false] {
            let written = form.write(tools, strict);
            let again = read_provider_tools(read(&written).document().root()).unwrap();
            let texts: Vec<&str> = again.iter().map(|tool| tool.text.as_str()).collect();
            assert_eq!(texts, tools, "{written}");
            for tool in &again {
                assert_eq!(tool.form, *form);
                for (own, there) in &tool.parts {
                    assert_eq!(tool.text.get(own.clone()), written.get(there.clone()));
                }
            }
            let inside = format!("{{\"model\":\"m\",\"tools\":{written}}}");
            let again = read_provider_tools(read(&inside).document().root());
            assert_eq!(again.map(|all| all.len()), Some(2), "{inside}");
        }
    }
    let gemini = r#"{"functionDeclarations":[{"name":"a"},{"name":"b","parameters":{"type":"OBJECT","properties":{"type":
        {"type":"STRING","nullable":true}}}}]}"#;
    let again = read_provider_tools(read(gemini).document().root()).unwrap();
    let texts: Vec<&str> = again.iter().map(|tool| tool.text.as_str()).collect();
    assert_eq!(
        texts,
        [
            r#"{"name":"a","inputSchema":{"type":"object","properties":{}}}"#,
            r#"{"name":"b","inputSchema":{"type":"object","properties":{"type":{"type":["string","null"]}}}}"#,
        ]
    );
    // A listing of the protocol has none of the forms.
    let listing = format!("{{\"tools\":[{}]}}", tools[0]);
    assert!(read_provider_tools(read(&listing).document().root()).is_none());
}

/// A schema that is larger than a reader takes becomes one that it takes, or is refused with the size.
#[test]
fn sizes_of_the_reader_hold() {
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let texts = |count: usize, length: usize| -> Value {
        let text = |at: usize| format!("{at:0length$}");
        (0..count).map(text).collect()
    };
    let nested = |leaf: Value| {
        (0..13).fold(leaf, |inner, _| {
            object(json!({"a": inner, "b": {"type": "integer"}}))
        })
    };
    let map = json!({"type": "object", "additionalProperties": object(json!({"n": {"type": "integer"}}))});
    let either = json!({"type": ["string", "object"], "properties": {"n": {"type": "integer"}}});
    let many: serde_json::Map<String, Value> = (0..5_001)
        .map(|at| (format!("p{at}"), json!({"type": "integer"})))
        .collect();
    let long: serde_json::Map<String, Value> = (0..200)
        .map(|at| (format!("{at:0700}"), json!({"type": "integer"})))
        .collect();
    let cases = [
        (nested(json!({"type": "string"})), None),
        (nested(map.clone()), None),
        (nested(either), None),
        (nested(json!({"enum": texts(999, 3)})), None),
        (
            object(json!({"a": {"enum": texts(1_500, 4)}, "b": {"enum": texts(900, 4)}})),
            None,
        ),
        (
            object(json!({"a": {"enum": texts(251, 90)}, "b": {"enum": texts(20, 900)}})),
            None,
        ),
        (
            object(json!({"a": {"enum": texts(100, 900)}, "b": {"enum": texts(100, 800)}})),
            None,
        ),
        (
            object(json!({"a": {"type": "array", "items": {"enum": texts(1_000, 4)}}})),
            None,
        ),
        (
            object(Value::Object(many)),
            Some("the reader takes 5000 properties, and the projected schema has 5001"),
        ),
        (
            object(Value::Object(long)),
            Some(
                "the reader takes 120000 characters of names and values, and the projected schema has 140000",
            ),
        ),
    ];
    let reader = reader("openai-strict").unwrap();
    let linter = Linter::only(profile("openai-strict").unwrap());
    for (schema, refused) in cases {
        let tool =
            json!({"name": "t", "description": "Does it", "inputSchema": schema}).to_string();
        let projection = Projector::new(reader).project([tool.as_str()]);
        match (&projection.tools[0], refused) {
            (Ok(projected), None) => {
                let report = linter.lint([projected.text.as_str()]);
                let found: Vec<String> = report
                    .findings
                    .iter()
                    .map(|one| one.message.clone())
                    .collect();
                assert!(found.is_empty(), "{found:?} {:.300}", projected.text);
                assert!(
                    projected.input.relation.keeps_all() || !schema.to_string().contains("enum")
                );
            }
            (Err(error), Some(refused)) => assert_eq!(error.reason.to_string(), refused),
            (result, _) => panic!("{result:?}"),
        }
    }
}

/// Only the enums that are too large become sentences.
#[test]
fn small_enums_stay_beside_large_ones() {
    let texts = |count: usize, length: usize| -> Value {
        let text = |at: usize| format!("{at:0length$}");
        (0..count).map(text).collect()
    };
    let schema = json!({"type": "object", "properties": {
        "long": {"enum": texts(251, 90)}, "many": {"enum": texts(300, 4)}, "few": {"enum": texts(3, 4)}}});
    let projector = Projector::new(reader("openai-strict").unwrap());
    let projected = projector.project_schema(&schema.to_string()).unwrap();
    let written: Value = serde_json::from_str(&projected.text).unwrap();
    let has_enum = |name: &str| written["properties"][name].to_string().contains("enum");
    assert_eq!(["long", "many", "few"].map(has_enum), [false, true, true]);
}

/// Branches that differ in the number of items only: the mapping looks at it, as the claim that they exclude each other does.
#[test]
fn the_number_of_items_decides_the_branch() {
    let schema = r#"{"type": "object", "properties": {"v": {"anyOf": [
        {"type": "array", "unevaluatedItems": false}, {"type": "array", "minItems": 1, "items": {}}]}}}"#;
    let projector = Projector::new(reader("kimi").unwrap());
    let mapping = projector.project_schema(schema).unwrap().mapping;
    for (original, published) in [
        (r#"{"v":[]}"#, r#"{"v":[]}"#),
        (r#"{"v":[5]}"#, r#"{"v":["5"]}"#),
    ] {
        let read = |text: &str| OwnedDocument::read(text, &ReadLimits::default()).unwrap();
        let forward = mapping.forward(read(original).document().root());
        assert_eq!(forward.as_deref(), Some(published));
        let back = mapping.back(read(published).document().root());
        assert_eq!(back.as_deref(), Some(original));
    }
}
