//! What is published can be used: it breaks no rule of its profile, something matches it if something matches the original,
//! and no sampled instance contradicts that it is equal. Unions and conjunctions with keywords beside them.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use serde_json::{Map, Value, json};
use toolsure_analysis::lint::{Linter, profile};
use toolsure_analysis::project::{Limits, Projector, Refusal};
use toolsure_analysis::readers::{PROJECTED_FOR, reader};
use toolsure_generate::{Generator, Options};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_pattern::{Limits as PatternLimits, Pattern};
use toolsure_schema::{
    Compiler, Formats, Limits as CompilerLimits, ModelLimits, Verdict, Workspace,
};
use toolsure_testkit::differential::random::Random;
use toolsure_testkit::providers::read_nullable;

fn compiler() -> Compiler {
    Compiler::new().formats(Formats::Assert)
}

/// Valid instances of a schema.
fn instances(schema: &str) -> Vec<String> {
    let Ok(generator) = Generator::new(&compiler(), schema.as_bytes()) else {
        return Vec::new();
    };
    let made = generator.instances(&Options::default());
    made.valid.into_iter().map(|one| one.text).collect()
}

fn accepts(schema: &str, text: &str) -> bool {
    let compiled = compiler().compile(schema.as_bytes()).unwrap();
    compiled
        .check(&mut Workspace::new(), text.as_bytes())
        .is_ok_and(|verdict| verdict == Verdict::Valid)
}

fn read(text: &str) -> OwnedDocument {
    OwnedDocument::read(text, &ReadLimits::default()).unwrap()
}

/// What is wrong with the projection of an input schema for one reader, or that it is left out.
fn faults(name: &str, schema: &str) -> Result<Vec<String>, Refusal> {
    let projector = Projector::new(reader(name).unwrap());
    let tool = format!(r#"{{"name": "t", "description": "d", "inputSchema": {schema}}}"#);
    let mut projection = projector.project([tool.as_str()]);
    let projected = projection
        .tools
        .remove(0)
        .map_err(|refused| refused.reason)?;
    let mut faults = Vec::new();
    if let Some(profile) = profile(name) {
        let findings = Linter::only(profile)
            .lint([projected.text.as_str()])
            .findings;
        // No rewriting changes the number of parameters.
        let own = findings.iter().filter(|one| one.rule.code != "TL102");
        faults.extend(
            own.map(|one| format!("{} at {}: {}", one.rule.code, one.pointer, one.message)),
        );
    }
    let mut plain: Value = serde_json::from_str(&projected.input.text).unwrap();
    if name == "gemini" {
        plain = read_nullable(&plain);
    }
    let plain = plain.to_string();
    let originals = instances(schema);
    let published = instances(&plain);
    if published.is_empty() && !originals.is_empty() {
        faults.push("nothing matches it".to_owned());
    }
    let (mapping, relation) = (&projected.input.mapping, &projected.input.relation);
    let own_name = relation.name();
    if relation.keeps_all() {
        // Calls have declared members only.
        let originals = originals.iter().filter(|one| !one.contains("\"unknown"));
        for original in originals.take(30) {
            let there = mapping.forward(read(original).document().root()).unwrap();
            let back = mapping.back(read(&there).document().root());
            let back: Option<Value> = back.and_then(|back| serde_json::from_str(&back).ok());
            let own: Value = serde_json::from_str(original).unwrap();
            let lost = !accepts(&plain, &there) || back.as_ref() != Some(&own);
            if lost && is_declared(&serde_json::from_str(schema).unwrap(), &own) {
                faults.push(format!("{own_name}, but {original} cannot be said"));
            }
        }
    }
    if relation.adds_none() {
        for written in published.iter().take(30) {
            let Some(back) = mapping.back(read(written).document().root()) else {
                continue;
            };
            if !accepts(schema, &back) {
                faults.push(format!("{own_name}, but {written} is refused as {back}"));
            }
        }
    }
    if !faults.is_empty() {
        let (text, relation) = (&projected.input.text, projected.input.relation.name());
        faults.push(format!("{relation}: {text}"));
    }
    Ok(faults)
}

/// Whether keywords name all members, or have a pattern for them, as it is in calls.
fn is_declared(schema: &Value, value: &Value) -> bool {
    match value {
        Value::Object(members) => members
            .iter()
            .all(|(name, one)| is_named(schema, name) && is_declared(schema, one)),
        Value::Array(items) => items.iter().all(|one| is_declared(schema, one)),
        _ => true,
    }
}

/// Whether a keyword names a member, or has a pattern for it, wherever in the schema.
fn is_named(schema: &Value, name: &str) -> bool {
    match schema {
        Value::Object(members) => members.iter().any(|(keyword, value)| {
            let names = value.as_object().into_iter().flat_map(Map::keys);
            let matches = |pattern: &String| {
                let pattern = Pattern::new(pattern, &PatternLimits::default()).unwrap();
                pattern.matches(name, &mut 10_000) == Some(true)
            };
            let named = match keyword.as_str() {
                "properties" => names.into_iter().any(|own| own == name),
                "patternProperties" => names.into_iter().any(matches),
                _ => false,
            };
            named || is_named(value, name)
        }),
        Value::Array(items) => items.iter().any(|one| is_named(one, name)),
        _ => false,
    }
}

/// Schemas of a property, and whether it is required, that were once published as something that nothing matched, that broke a rule of the
/// profile, or that was called equal and was not.
fn rows() -> Vec<Value> {
    let a = json!({"properties": {"a": {"type": "string"}}, "required": ["a"]});
    let b = json!({"properties": {"b": {"type": "string"}}, "required": ["b"]});
    let both = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    vec![
        json!({"type": "object", "anyOf": [a, b]}),
        json!({"type": "object", "properties": both, "oneOf": [{"required": ["a"]}, {"not": {"required": ["a"]}}]}),
        json!({"type": "object", "properties": both, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}),
        json!({"type": "number", "oneOf": [{"maximum": 0}, {"minimum": 10}]}),
        json!({"type": "integer", "anyOf": [{"multipleOf": 2}, {"minimum": 3}]}),
        json!({"anyOf": [{"unevaluatedItems": false}], "minItems": 1}),
        json!({"anyOf": [{"allOf": [{}], "description": "y"}]}),
        json!({"type": "object", "if": {"properties": {"b": {"description": "set"}}, "required": ["b"]}, "then": {"required": ["c"]},
            "properties": {"b": {"type": "string"}, "c": {"type": "string"}}}),
        json!({"properties": {}, "anyOf": [{"anyOf": [{}]}]}),
        json!({"properties": {"x": {"type": "string"}}, "anyOf": [{"maxContains": 0}, {"required": ["x"]}]}),
        json!({"allOf": [{}], "required": ["z"]}),
        json!({"type": "number", "anyOf": [{"unevaluatedItems": {}}]}),
        json!({"anyOf": [{"allOf": [{}], "required": ["z"]}]}),
        json!({"anyOf": [{"type": "array", "unevaluatedItems": false}, {"type": "array", "minItems": 1, "items": {}}]}),
        json!({"type": "number", "anyOf": [{"properties": {"a": {}}}, {"anyOf": [{"items": {}}, {"maxLength": 1}]}]}),
        json!({"type": ["number"], "description": "d"}),
        json!({"type": ["array"], "items": {"type": ["string"]}}),
        json!({"type": ["object"], "properties": {"a": {"type": ["string"]}}}),
        json!({"type": "array", "enum": [["1"], ["true"]]}),
        json!({"type": "array", "enum": [["1"], ["true"]], "items": {}}),
        json!({"type": "array", "const": [1]}),
        json!({"type": "object", "enum": [{"a": "x"}, {}], "properties": {"a": {"type": "string"}}}),
        json!({"type": "object", "const": {"a": 1}, "properties": {"a": true}}),
        json!({"type": "array", "items": {"anyOf": [{"type": "number"}, {"type": "string"}]}}),
        json!({"type": "array", "items": {"type": ["number", "string"]}}),
        json!({"type": "array", "items": {}, "contains": {"type": "number"}}),
        json!({"type": "array", "items": {}, "uniqueItems": true}),
        json!({"type": "array", "unevaluatedItems": {"type": "string"}}),
        json!({"type": "array", "unevaluatedItems": {"type": "string"}, "minItems": 1}),
        json!({"type": "array", "prefixItems": [{"type": "integer"}], "unevaluatedItems": {"type": "string"}}),
        json!({"type": "array", "prefixItems": [{"type": "integer"}], "unevaluatedItems": false}),
    ]
}

/// Schemas of a whole tool of the same kinds.
fn roots() -> Vec<Value> {
    let text = json!({"type": "string"});
    let number = json!({"type": "number"});
    let by_name = json!({"additionalProperties": false, "patternProperties": {"^x": text}});
    let is_number = json!({"properties": {"key": number}});
    vec![
        json!({"anyOf": [by_name]}),
        json!({"anyOf": [by_name, {"properties": {"m": text}, "additionalProperties": false}]}),
        json!({"oneOf": [{"properties": {"m": text}, "additionalProperties": false, "patternProperties": {"^x": text}},
            {"properties": {"n": number}, "required": ["n"], "additionalProperties": false}]}),
        json!({"minProperties": 1, "oneOf": [by_name]}),
        json!({"allOf": [by_name]}),
        json!({"properties": {"p": {"type": "object", "anyOf": [by_name]}}}),
        json!({"properties": {"key": true}, "required": ["key"], "patternProperties": {"^k": number}}),
        json!({"properties": {"key": {"type": "object", "properties": {"a": true}}}, "required": ["key"],
            "patternProperties": {"^k": {"properties": {"a": number}}}}),
        json!({"properties": {"key": {"type": "object", "additionalProperties": text}}, "required": ["key"],
            "patternProperties": {"^k": {"minProperties": 1}}}),
        json!({"properties": {"a": text}, "patternProperties": {"^x": {}}}),
        json!({"properties": {"a": text}, "patternProperties": {"^x": {"type": "string"}}, "additionalProperties": {}}),
        json!({"properties": {"key": true}, "required": ["key"], "not": is_number}),
        json!({"properties": {"key": true}, "required": ["key"], "if": is_number, "then": {"required": ["b"]}}),
        json!({"properties": {"b": text}, "if": {"required": ["b"]}, "then": {"properties": {"key": true}, "required": ["key"]}}),
        json!({"properties": {"key": true}, "required": ["key"], "dependentSchemas": {"key": is_number}}),
        json!({"properties": {"key": true}, "required": ["key"], "allOf": [is_number, {"required": ["b"]}]}),
        json!({"properties": {"key": true}, "required": ["key"], "anyOf": [is_number, {"required": ["b"]}]}),
        json!({"properties": {"a": false}, "additionalProperties": text, "patternProperties": {"^[a-z]+$": number}}),
        json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": text}),
        json!({"properties": {"a": {"type": "integer"}}, "patternProperties": {"^x": text}}),
        json!({"properties": {"k e": {"type": "object", "properties": {"x": false}}}}),
        json!({"properties": {"k e": number}, "required": ["k e"], "patternProperties": {"^k_e": text}}),
        json!({"properties": {"k e": number}, "required": ["k e"], "propertyNames": {"pattern": "^k e$"}}),
        json!({"properties": {"k e": number, "b": text}, "required": ["b"], "dependentRequired": {"b": ["k e"]}}),
        json!({"properties": {"k e": number, "b": text}, "dependentSchemas": {"k e": {"required": ["b"]}}}),
        json!({"properties": {"a": text}, "patternProperties": {"^(?!-)[a-z-]+$": number}}),
        json!({"properties": {"a": text}, "if": {"properties": {"a": true}}, "then": {"required": ["a"]}}),
        json!({"properties": {"a": text}, "not": {"properties": {"a": {"minLength": 2, "minimum": 1}}}}),
    ]
}

/// The schema as that of a tool.
fn of_a_tool(root: &Value) -> String {
    let mut root = root.clone();
    let members = root.as_object_mut().unwrap();
    members.insert("type".to_owned(), json!("object"));
    root.to_string()
}

/// The schema as a property, required or not.
fn around(property: &Value, required: bool) -> String {
    let mut whole = json!({"type": "object", "properties": {"n": property}});
    if required {
        whole
            .as_object_mut()
            .unwrap()
            .insert("required".to_owned(), json!(["n"]));
    }
    whole.to_string()
}

/// The reader, the schema of a tool, the relation, and a part of what is published.
fn relations() -> Vec<(&'static str, Value, &'static str, &'static str)> {
    let text = json!({"type": "string"});
    let number = json!({"type": "number"});
    let names = json!({"properties": {"a": false}, "additionalProperties": text, "patternProperties": {"^[a-z]+$": number}});
    let rest = json!({"properties": {"a": {"type": "integer"}}, "additionalProperties": text});
    let by_name =
        json!({"properties": {"a": {"type": "integer"}}, "patternProperties": {"^x": text}});
    let within = json!({"properties": {"n": {"type": "object", "properties": {"a": text}, "additionalProperties": number}}});
    let unevaluated =
        |own: &Value| json!({"properties": {"n": {"type": "array", "unevaluatedItems": own}}});
    let items = json!({"properties": {"n": {"type": "array", "items": {"anyOf": [number, text]}}}});
    let listed = json!({"properties": {"n": {"type": ["array", "null"], "enum": [["a"], null]}}});
    let then = json!({"properties": {"a": {"type": "string", "then": {"minLength": 1}}}});
    vec![
        ("llama-cpp", names, "wider", "Other members must match"),
        ("gemini", rest, "wider", "Other members must match"),
        ("gemini", by_name, "wider", "Members by names that match"),
        ("gemini", within, "wider", "Other members must match"),
        (
            "openai",
            unevaluated(&text),
            "equal",
            r#""items":{"type":"string"}"#,
        ),
        (
            "openai",
            unevaluated(&json!(false)),
            "equal",
            r#""items":false"#,
        ),
        (
            "vscode",
            unevaluated(&text),
            "equal",
            r#""items":{"type":"string"}"#,
        ),
        (
            "copilot-cli",
            unevaluated(&text),
            "equal",
            r#""items":{"type":"string"}"#,
        ),
        (
            "gemini",
            items,
            "undecided",
            r#""description":"At least one of these must match: the JSON Schemas [{\"type\":\"number\"},{\"type\":\"string\"}]. A JSON value, written as JSON text."#,
        ),
        (
            "openai-strict",
            listed,
            "equal",
            r#""enum":["[\"a\"]","null",null]"#,
        ),
        ("gemini", then, "equal", r#""a":{"type":"string"}"#),
    ]
}

#[test]
fn relations_are_about_all_members_that_the_original_names() {
    for (name, root, relation, part) in relations() {
        let projector = Projector::new(reader(name).unwrap());
        let projected = projector.project_schema(&of_a_tool(&root)).unwrap();
        assert_eq!(
            projected.relation.name(),
            relation,
            "{name}: {root}: {}",
            projected.text
        );
        assert!(
            projected.text.contains(part),
            "{name}: {root}: {}",
            projected.text
        );
        // No step is told twice.
        let mut places: Vec<_> = projected
            .steps
            .iter()
            .map(|step| (step.kind.name(), &step.pointer, &step.detail))
            .collect();
        places.sort_unstable();
        let all = places.len();
        places.dedup();
        assert_eq!(places.len(), all, "{name}: {root}: {:?}", projected.steps);
    }
}

#[test]
fn known_schemas_are_published_in_a_form_that_can_be_used() {
    let mut wrong = Vec::new();
    let mut schemas: Vec<String> = roots().iter().map(of_a_tool).collect();
    for row in rows() {
        schemas.extend([true, false].map(|required| around(&row, required)));
    }
    for schema in schemas {
        for name in PROJECTED_FOR.iter().copied() {
            match faults(name, &schema) {
                Ok(faults) if faults.is_empty() => {}
                Ok(faults) => wrong.push(format!("{name}: {schema}: {faults:#?}")),
                Err(why) => wrong.push(format!("{name}: {schema}: left out: {why}")),
            }
        }
    }
    assert!(wrong.is_empty(), "{}: {}", wrong.len(), wrong.join("\n"));
}

/// A small schema with unions, conjunctions and keywords beside them.
fn random_schema(random: &mut Random, depth: usize) -> Value {
    let mut members = Map::new();
    for _ in 0..random.below(3) {
        let small = random.below(4);
        let name = random.pick(&["a", "b", "c"]);
        let own = random.pick(&["string", "number", "object", "array"]);
        let (keyword, value) = match random.below(24) {
            0..=3 => (
                "type",
                json!(random.pick(&["object", "string", "integer", "array", "number", "object"])),
            ),
            4 => ("type", json!(["object", random.pick(&["null", "string"])])),
            5 => ("required", json!([name])),
            6 => ("minItems", json!(small)),
            7 => ("minimum", json!(small)),
            8 => ("maximum", json!(small)),
            9 => ("enum", json!([1, "a", null])),
            10 => ("unevaluatedItems", json!(false)),
            11 => ("not", json!({"required": [name]})),
            12 => ("description", json!("x")),
            13 => ("additionalProperties", json!(small > 1)),
            14 => ("maxLength", json!(small + 1)),
            15 if small > 1 => ("items", json!({})),
            15 => ("items", json!({"type": "string"})),
            16 => ("type", json!([own])),
            17 => ("patternProperties", json!({"^[ab]": {"type": own}})),
            18 => ("patternProperties", json!({"^x": {"type": own}, "^b": {}})),
            19 => ("additionalProperties", json!({"type": own})),
            20 => ("enum", json!([["a"], {}, [1]])),
            21 => (
                "dependentSchemas",
                json!({name: {"properties": {name: {"type": own}}}}),
            ),
            22 => ("contains", json!({"type": own})),
            _ => ("if", json!({"required": [name]})),
        };
        members.insert(keyword.to_owned(), value);
    }
    if depth == 0 {
        return Value::Object(members);
    }
    if random.chance(50) {
        let mut own = Map::new();
        for name in ["a", "b", "c d"].iter().take(1 + random.below(3)) {
            let schema = match random.chance(15) {
                true => json!(true),
                false => random_schema(random, depth - 1),
            };
            own.insert((*name).to_owned(), schema);
        }
        members.insert("properties".to_owned(), Value::Object(own));
    }
    if random.chance(70) {
        let keyword = random.pick(&["anyOf", "anyOf", "oneOf", "allOf"]);
        let branches: Vec<Value> = (0..=random.below(2))
            .map(|_| random_schema(random, depth - 1))
            .collect();
        members.insert(keyword.to_owned(), Value::Array(branches));
    }
    Value::Object(members)
}

#[test]
fn random_schemas_are_published_in_a_form_that_can_be_used() {
    let mut random = Random::new(19);
    let (mut all, mut left_out) = (0, 0);
    let mut wrong = Vec::new();
    for at in 0..RANDOM {
        let property = random_schema(&mut random, 2);
        let schema = match at % 4 {
            3 => of_a_tool(&property),
            kind => around(&property, kind == 0),
        };
        if compiler().compile(schema.as_bytes()).is_err() {
            continue;
        }
        for name in [
            "openai",
            "openai-strict",
            "anthropic",
            "anthropic-strict",
            "gemini",
            "kimi",
            "llama-cpp",
        ] {
            all += 1;
            match faults(name, &schema) {
                Ok(faults) if faults.is_empty() => {}
                Ok(faults) => wrong.push(format!("{name}: {schema}: {faults:#?}")),
                Err(why) => {
                    left_out += 1;
                    println!("{name}: {schema}: {why}");
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {all}: {}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(left_out * 100 <= all, "{left_out} of {all} left out");
}

/// What would take longer than the listing is allowed is left out, for the documented reason, and the others stay.
#[test]
fn nested_unions_take_no_more_work_than_allowed() {
    let mut nested = json!({"type": "object"});
    for _ in 0..10 {
        let branches = json!([{"required": ["a"]}, {"required": ["b"]}, {"properties": {"a": {"type": "object"}}}]);
        nested = json!({"type": "object", "properties": {"a": nested}, "anyOf": branches});
    }
    let tool =
        |name: &str, schema: &Value| json!({"name": name, "inputSchema": schema}).to_string();
    let small = json!({"type": "object"});
    let tools = [
        tool("first", &small),
        tool("nested", &nested),
        tool("nested as well", &nested),
        tool("last", &small),
    ];
    let limits = Limits {
        listing_work: 10_000,
        ..Limits::without_relations()
    };
    for name in ["openai-strict", "gemini"] {
        let projection = Projector::new(reader(name).unwrap())
            .limits(limits.clone())
            .project(tools.iter().map(String::as_str));
        let reasons: Vec<Option<String>> = projection
            .tools
            .iter()
            .map(|tool| {
                tool.as_ref()
                    .err()
                    .map(|refused| refused.reason.to_string())
            })
            .collect();
        let over = "the projected schema is over the limit `listing_work` of 10000".to_owned();
        assert_eq!(
            reasons,
            [None, Some(over.clone()), Some(over.clone()), Some(over)],
            "{name}"
        );
    }
}

/// What is deeper than the default limits is projected if these are raised, for each reader.
#[test]
fn limits_that_are_raised_hold() {
    let mut deep = [
        json!({"type": "string"}),
        json!({}),
        json!({"type": "string"}),
    ];
    for _ in 0..160 {
        let [object, not, union] = deep;
        deep = [
            json!({"type": "object", "properties": {"a": object}}),
            json!({"not": not}),
            json!({"anyOf": [union, {"type": "integer"}]}),
        ];
    }
    let bounds = Compiler::new().bounds().clone();
    let model = ModelLimits {
        depth: 512,
        ..bounds.model.clone()
    };
    let compiler = Compiler::new().limits(CompilerLimits { model, ..bounds });
    for property in deep {
        let tool =
            json!({"name": "t", "inputSchema": {"type": "object", "properties": {"p": property}}});
        let tool = tool.to_string();
        for name in PROJECTED_FOR.iter().copied() {
            let projector = Projector::new(reader(name).unwrap());
            let refused = projector.project([tool.as_str()]);
            let [Err(refused)] = refused.tools.as_slice() else {
                panic!("{name} takes what is too deep");
            };
            assert_eq!(refused.name.as_deref(), Some("t"), "{name}: {refused}");
            assert!(refused.to_string().contains("depth"), "{name}: {refused}");
            let raised = Limits {
                depth: 512,
                ..Limits::without_relations()
            };
            let raised = projector.limits(raised).compiler(compiler.clone());
            let projection = raised.project([tool.as_str()]);
            if let Err(refused) = &projection.tools[0] {
                println!("{name}: {refused}");
                assert!(!refused.to_string().contains("nested"), "{name}: {refused}");
            }
        }
    }
}

/// Random schemas, each for seven readers.
const RANDOM: usize = 400;
