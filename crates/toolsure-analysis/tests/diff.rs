//! The diff on data: pairs of schemas and what the change between them means.

use serde_json::{Value, json};
use toolsure_analysis::diff::{Aspect, Class, Differ, Kind, Limits, Report, diff};
use toolsure_schema::{Compiler, Content, Dialect, Formats, Schema, Strictness, Workspace};
use toolsure_syntax::{Keyword, ValueShape};

fn tool(side: &str, schema: &Value) -> String {
    match side {
        "input" => json!({"name": "t", "inputSchema": schema}).to_string(),
        _ => json!({"name": "t", "inputSchema": {"type": "object"}, "outputSchema": schema})
            .to_string(),
    }
}

/// The rules and the search for witnesses, whatever callers may send.
fn compare(side: &str, old: &Value, new: &Value) -> Report {
    let differ = Differ::new().open(true);
    differ.diff([tool(side, old).as_str()], [tool(side, new).as_str()])
}

/// What callers can send who know the old schema; each change is told once.
#[test]
fn a_gate_tells_each_change_once_in_its_class() {
    let cases: Value = serde_json::from_str(include_str!("diff/gate.json")).unwrap();
    let mut wrong = Vec::new();
    for case in cases.as_array().unwrap() {
        let tool = |which: &str| match case[which].get("name") {
            Some(_) => case[which].to_string(),
            None => tool("input", &case[which]),
        };
        let report = Differ::new().diff([tool("old").as_str()], [tool("new").as_str()]);
        let changes = report.tools.iter().flat_map(|tool| &tool.changes);
        let told: Vec<Value> = changes
            .map(|change| {
                json!([
                    change.class.to_string(),
                    change.kind.name(),
                    change.place,
                    change.message
                ])
            })
            .collect();
        let told = Value::from(told);
        if told != case["changes"] {
            wrong.push(format!("{}:\n{told}\n{}", case["about"], case["changes"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_pair_has_its_class_and_every_proof_proves() {
    let pairs: Value = serde_json::from_str(include_str!("diff/pairs.json")).unwrap();
    let pairs = pairs.as_array().unwrap();
    assert!(pairs.len() >= 60);
    let mut wrong = Vec::new();
    for pair in pairs {
        let (side, old, new) = (pair["side"].as_str().unwrap(), &pair["old"], &pair["new"]);
        let report = compare(side, old, new);
        let class = report
            .class()
            .map_or("same".to_owned(), |class| class.to_string());
        let expected = pair["class"].as_str().unwrap();
        let proofs: Vec<&str> = report
            .tools
            .iter()
            .flat_map(|tool| &tool.changes)
            .filter_map(|change| change.witness.as_deref())
            .collect();
        if !expected.split('|').any(|one| one == class)
            || (pair["proof"] == true && proofs.is_empty())
        {
            wrong.push(format!("{pair}\n  {class} {:#?}", report.tools));
        }
        for proof in proofs {
            let (passes, fails) = if side == "input" {
                (old, new)
            } else {
                (new, old)
            };
            let accepts = |schema: &Value| {
                let compiler = Compiler::new().formats(Formats::Assert);
                let schema = compiler.compile(schema.to_string().as_bytes()).unwrap();
                let verdict = schema.check(&mut Workspace::new(), proof.as_bytes());
                verdict.unwrap().is_valid()
            };
            assert!(accepts(passes) && !accepts(fails), "{pair}: {proof}");
        }
        let back = compare(side, new, old);
        if class == "compatible" && back.class().is_none() {
            wrong.push(format!("{pair}\n  says nothing backwards"));
        }
        assert!(compare(side, old, old).class().is_none(), "{pair}");
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Whatever the rules call compatible holds for the instances of the other corpus of pairs:
/// no schema of the pairs accepts what a compatible successor refuses.
#[test]
fn compatible_pairs_have_no_counterexample_among_simple_values() {
    let pairs: Value = serde_json::from_str(include_str!("diff/pairs.json")).unwrap();
    let mut schemas: Vec<Value> = Vec::new();
    for pair in pairs
        .as_array()
        .unwrap()
        .iter()
        .filter(|pair| pair["side"] == "input")
    {
        for schema in [&pair["old"], &pair["new"]] {
            if !schema.to_string().contains("strng") {
                schemas.push(schema.clone());
            }
        }
    }
    let values = [
        json!(null),
        json!("x"),
        json!(""),
        json!("yy"),
        json!(1),
        json!(1.5),
        json!(-1),
        json!(true),
        json!([]),
        json!(["x"]),
        json!([1]),
        json!([1, 1]),
        json!({}),
        json!({"kind": "x"}),
        json!({"kind": "x", "n": 1.5}),
        json!({"v": 1.5}),
        json!({"kids": [{"v": "no"}]}),
    ];
    let mut instances = vec!["{}".to_owned()];
    for name in ["a", "o", "t", "b", "x-1"] {
        for value in &values {
            instances.push(json!({name: value}).to_string());
            instances.push(json!({name: value, "b": "s"}).to_string());
        }
    }
    let compile = |schema: &Value| {
        Compiler::new()
            .formats(Formats::Assert)
            .compile(schema.to_string().as_bytes())
            .unwrap()
    };
    let mut workspace = Workspace::new();
    let mut compared = 0;
    for old in schemas.iter().step_by(4) {
        for new in schemas.iter().step_by(3) {
            let report = compare("input", old, new);
            if report
                .class()
                .is_some_and(|class| class != Class::Compatible)
            {
                continue;
            }
            compared += 1;
            let (before, after) = (compile(old), compile(new));
            for instance in &instances {
                let mut passes = |schema: &Schema| {
                    let verdict = schema.check(&mut workspace, instance.as_bytes());
                    verdict.unwrap().is_valid()
                };
                assert!(
                    !passes(&before) || passes(&after),
                    "{old}\n{new}\n{instance}"
                );
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn tools_come_go_and_change_their_words() {
    let old = [
        r#"{"name": "gone", "inputSchema": {"type": "object"}}"#,
        r#"{"name": "same", "description": "x", "inputSchema": {"type": "object"}}"#,
        r#"{"name": "words", "description": "old", "inputSchema": {"type": "object", "properties": {"a": {"description": "p"}}},
            "annotations": {"readOnlyHint": true}, "outputSchema": {"type": "object"}}"#,
    ];
    let new = [
        r#"{"name": "same", "inputSchema": {"type":"object"}, "description": "x"}"#,
        r#"{"name": "words", "description": "new", "inputSchema": {"type": "object", "properties": {"a": {"description": "q"}}}}"#,
        r#"{"name": "fresh", "description": "y", "inputSchema": {"type": "object"}}"#,
    ];
    let report = diff(old, new, &Limits::default());
    assert_eq!(report.same, 1);
    let said: Vec<(&str, Class, Vec<&str>)> = report
        .tools
        .iter()
        .map(|tool| {
            let messages = tool.changes.iter().map(|change| change.message.as_str());
            (tool.name.as_str(), tool.class(), messages.collect())
        })
        .collect();
    assert_eq!(said[0], ("gone", Class::Breaking, vec!["the tool is gone"]));
    assert_eq!(said[1].1, Class::Breaking);
    assert_eq!(
        said[1].2,
        [
            "the output schema is gone, and with it the promise of structured content",
            "`readOnlyHint` was true, is now false",
            "the description was \"old\", is now \"new\"",
            "the description was \"p\", is now \"q\"",
        ]
    );
    assert_eq!(report.tools[1].changes[3].aspect, Aspect::Words);
    assert_eq!(
        said[2],
        ("fresh", Class::Compatible, vec!["the tool is new"])
    );
}

#[test]
fn of_tools_with_one_name_the_first_is_compared_and_the_others_are_told() {
    let text = tool("input", &json!({"type": "object"}));
    let number = tool("input", &json!({"type": "object", "minProperties": 1}));
    let (once, twice, other) = (vec![&*text], vec![&*text, &*text], vec![&*text, &*number]);
    let class = |old: &[&str], new: &[&str]| {
        let report = Differ::new().diff(old.iter().copied(), new.iter().copied());
        assert!(
            report
                .tools
                .iter()
                .flat_map(|tool| &tool.changes)
                .all(|change| change.kind == Kind::ToolRefused)
        );
        report.class()
    };
    assert_eq!(class(&once, &twice), Some(Class::Breaking));
    assert_eq!(class(&twice, &once), Some(Class::Compatible));
    assert_eq!(class(&twice, &other), Some(Class::Unknown));
    assert_eq!(class(&other, &other), None);
}

#[test]
fn hostile_schemas_cannot_hang_it() {
    let fan = |levels: usize, leaf: &str| {
        let mut definitions = serde_json::Map::new();
        for level in 0..levels {
            let next = json!({"$ref": format!("#/$defs/d{}", level + 1)});
            definitions.insert(
                format!("d{level}"),
                json!({"anyOf": [next, {"type": "object", "properties": {"x": next}}]}),
            );
        }
        definitions.insert(format!("d{levels}"), json!({"type": leaf}));
        json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions})
    };
    let deep = |leaf: &str| {
        let mut schema = json!({"type": leaf});
        for _ in 0..60 {
            schema = json!({"type": "object", "properties": {"a": schema}});
        }
        schema
    };
    let wide = |leaf: &str| {
        let branches: Vec<Value> = (0..2_000)
            .map(|n| json!({"type": leaf, "const": n}))
            .collect();
        json!({"type": "object", "properties": {"a": {"anyOf": branches}}})
    };
    let many = |leaf: &str| {
        let all: serde_json::Map<String, Value> = (0..5_000)
            .map(|n| (format!("p{n}"), json!({"type": leaf})))
            .collect();
        json!({"type": "object", "properties": all, "required": (0..5_000).map(|n| format!("p{n}")).collect::<Vec<_>>()})
    };
    let numbers = "[0-9]+".repeat(200);
    let pattern = |end: &str| json!({"type": "object", "properties": {"a": {"pattern": format!("^({numbers})+{end}")}}});
    for (old, new) in [
        (fan(40, "string"), fan(40, "integer")),
        (deep("string"), deep("integer")),
        (wide("integer"), wide("number")),
        (many("string"), many("integer")),
        (pattern("a"), pattern("b")),
    ] {
        assert!(compare("input", &old, &new).class().is_some());
    }
    let not_json = diff(
        ["[".repeat(10_000).as_str(), "{}"],
        ["{}"],
        &Limits::default(),
    );
    assert!(not_json.class().is_some());
}

/// What the compiler of a differ makes of a change of one property.
/// The many branches of a union leave enough tries for the values of a member beside it.
#[test]
fn a_change_beside_a_wide_union_is_proved() {
    let changes = [
        json!({"type": "string", "not": {"pattern": "^secret-"}}),
        json!({"type": "string", "maxLength": 30}),
        json!({"type": "string", "enum": ["a", "b", "c", "d", "e", "f", "g", "h"]}),
    ];
    let mut branches = Vec::new();
    for number in 0..30 {
        let own = format!("m{number}");
        branches.push(json!({
            "properties": {"action": {"const": format!("a{number}")}, own.as_str(): {"type": "integer"}},
            "required": ["action", own],
        }));
        for change in &changes {
            let with = |note: &Value| {
                json!({
                    "type": "object",
                    "properties": {"action": {"type": "string"}, "note": note},
                    "required": ["action"],
                    "anyOf": branches,
                })
            };
            let (old, new) = (
                with(&json!({"type": "string", "maxLength": 100})),
                with(change),
            );
            let (old, new) = (tool("input", &old), tool("input", &new));
            let report = Differ::new().diff([old.as_str()], [new.as_str()]);
            let mut found = report.tools.iter().flat_map(|tool| &tool.changes);
            let is_proved = found.any(|one| {
                one.class == Class::Breaking
                    && one.place.starts_with("/note")
                    && one.witness.is_some()
            });
            assert!(
                is_proved,
                "{} branches, {change}: {report:?}",
                branches.len()
            );
        }
    }
}

fn with(compiler: Compiler, old: &str, new: &str) -> Report {
    let tool = |property: &str| {
        format!(
            r#"{{"name": "a", "inputSchema": {{"type": "object", "properties": {{"p": {property}}}}}}}"#
        )
    };
    let (old, new) = (tool(old), tool(new));
    Differ::new()
        .compiler(compiler)
        .diff([old.as_str()], [new.as_str()])
}

#[test]
fn the_compiler_decides_what_is_asserted() {
    let text = r#"{"type": "string"}"#;
    let encoded = r#"{"type": "string", "contentEncoding": "base64"}"#;
    let number = r#"{"type": "integer"}"#;
    let small = r#"{"type": "integer", "format": "int32"}"#;
    let odd = r#"{"type": "integer", "format": "nonsense"}"#;
    let date = r#"{"type": "string", "format": "date"}"#;
    let plain = || Compiler::new().formats(Formats::Assert);
    let draft7 = || plain().dialect(Dialect::Draft7);
    let wide = || plain().formats(Formats::AssertWithNumbers);
    let numbers = || plain().formats(Formats::AssertNumbers);
    for (compiler, old, new, class) in [
        (plain(), number, small, Class::Compatible),
        (wide(), number, small, Class::Unknown),
        (wide(), number, odd, Class::Compatible),
        (wide(), text, date, Class::Breaking),
        (numbers(), number, small, Class::Unknown),
        (numbers(), text, date, Class::Compatible),
        (draft7(), text, encoded, Class::Compatible),
        (
            draft7().content(Content::Assert),
            text,
            encoded,
            Class::Breaking,
        ),
    ] {
        let found = with(compiler, old, new).class();
        assert!(found >= Some(class), "{old} {new}: {found:?}");
        assert!(
            class != Class::Compatible || found == Some(class),
            "{old} {new}"
        );
    }
}

/// Two values of a keyword that mean different things, and what must be beside it so that it means anything.
fn values(keyword: Keyword, dialect: Dialect) -> ([Value; 2], Value) {
    let (string, integer) = (json!({"type": "string"}), json!({"type": "integer"}));
    let beside = match keyword {
        Keyword::MinContains | Keyword::MaxContains => json!({"contains": {"minimum": 1}}),
        Keyword::If => json!({"then": {"maxLength": 1}}),
        Keyword::Then | Keyword::Else => json!({"if": {"enum": [5]}}),
        Keyword::AdditionalItems => json!({"items": [{}]}),
        Keyword::ExclusiveMinimum if dialect == Dialect::Draft4 => json!({"minimum": 5}),
        Keyword::ExclusiveMaximum if dialect == Dialect::Draft4 => json!({"maximum": 5}),
        _ => json!({}),
    };
    let values = match keyword.value() {
        ValueShape::Anything => [json!(1), json!(2)],
        ValueShape::Text => match keyword {
            Keyword::Format => [json!("date"), json!("ipv4")],
            Keyword::ContentEncoding => [json!("base64"), json!("7bit")],
            Keyword::ContentMediaType => [json!("application/json"), json!("text/plain")],
            // There is only one value.
            Keyword::RecursiveRef => [json!("#"), Value::Null],
            _ if keyword.is_in_place() => [json!("#/definitions/a"), json!("#/definitions/b")],
            _ => [json!("a"), json!("b")],
        },
        ValueShape::Flag => [json!(true), json!(false)],
        ValueShape::NumberOrFlag if dialect == Dialect::Draft4 => [json!(true), json!(false)],
        ValueShape::Number | ValueShape::NumberOrFlag => [json!(1), json!(3)],
        ValueShape::NameOrNames => [json!("string"), json!("integer")],
        ValueShape::List => [json!(["a"]), json!(["b"])],
        ValueShape::Object => [json!({"a": ["b"]}), json!({"a": ["c"]})],
        ValueShape::Schema | ValueShape::SchemaOrSchemas => [string, integer],
        ValueShape::Schemas => [json!([string]), json!([integer])],
        ValueShape::SchemaMap => [json!({"a": string}), json!({"a": integer})],
        // Equal values: the test fails for a shape that is not here.
        _ => [Value::Null, Value::Null],
    };
    (values, beside)
}

/// No keyword is passed over: one that no rule compares is compared verbatim.
#[test]
fn a_change_of_any_keyword_that_can_reject_is_noticed() {
    let compiler = Compiler::new()
        .formats(Formats::AssertWithNumbers)
        .content(Content::Assert);
    let differ = Differ::new().compiler(compiler).open(true);
    let mut compared = 0;
    for keyword in Keyword::ALL.iter().filter(|keyword| keyword.can_reject()) {
        let contents = [Keyword::ContentEncoding, Keyword::ContentMediaType];
        let dialects = Dialect::ALL.iter().filter(|dialect| {
            // Contents are only asserted in draft 7.
            let asserted = !contents.contains(keyword) || **dialect == Dialect::Draft7;
            keyword.is_in(**dialect) && asserted
        });
        for dialect in dialects {
            let (values, beside) = values(*keyword, *dialect);
            let [one, other] = values.map(|value| {
                let mut part = beside.clone();
                if !value.is_null() {
                    part[keyword.name()] = value;
                }
                let schema = json!({
                    "$schema": dialect.uri(),
                    "type": "object",
                    "properties": {"p": part},
                    "definitions": {"a": {"type": "string"}, "b": {"type": "integer"}}
                });
                tool("input", &schema)
            });
            let class = |old: &str, new: &str| differ.diff([old], [new]).class();
            let classes = class(&one, &other).max(class(&other, &one));
            assert!(
                classes > Some(Class::Compatible),
                "{keyword:?} in {dialect}: {one}, {other}"
            );
            compared += 1;
        }
    }
    assert!(compared > 150, "{compared}");
}

/// Rules that took `type: "any"` for no type at all would call this compatible.
#[test]
fn what_lenient_compilation_leaves_out_is_beyond_the_rules() {
    let lenient = || {
        Compiler::new()
            .formats(Formats::Assert)
            .strictness(Strictness::Lenient)
    };
    let (any, text) = (r#"{"type": "any"}"#, r#"{"type": "string"}"#);
    let report = with(lenient(), any, text);
    assert!(report.class() >= Some(Class::Unknown), "{report:?}");
    let report = with(lenient(), text, any);
    assert!(report.class() >= Some(Class::Unknown), "{report:?}");
    assert_eq!(with(lenient(), any, any).class(), None);
}

#[test]
fn a_registered_document_means_the_same_in_both() {
    let compiler = || {
        let compiler = Compiler::new().formats(Formats::Assert);
        compiler
            .register(
                "https://example.com/a",
                br#"{"type": "integer", "minimum": 3}"#,
            )
            .unwrap()
    };
    let one = r#"{"items": {"$ref": "https://example.com/a"}}"#;
    let more = r#"{"items": {"$ref": "https://example.com/a"}, "maxItems": 9}"#;
    let report = with(compiler(), more, one);
    assert_eq!(report.class(), Some(Class::Compatible), "{report:?}");
    assert!(with(compiler(), one, more).class() > Some(Class::Compatible));
    let other = r#"{"items": {"type": "integer"}}"#;
    let report = with(compiler(), other, one);
    assert!(report.class() > Some(Class::Compatible), "{report:?}");

    // A dynamic anchor of the schema may be what the registered document refers to.
    let compiler = Compiler::new()
        .register(
            "https://example.com/d",
            br##"{"$dynamicRef": "#d", "$defs": {"d": {"$dynamicAnchor": "d"}}}"##,
        )
        .unwrap();
    let anchor = |schema: &str| {
        format!(
            r#"{{"$ref": "https://example.com/d", "$defs": {{"x": {{"$dynamicAnchor": "d", {schema}}}}}}}"#
        )
    };
    let (wide, narrow) = (anchor(r#""minimum": 1"#), anchor(r#""minimum": 2"#));
    let tool = |schema: &str| format!(r#"{{"name": "a", "inputSchema": {schema}}}"#);
    let report = Differ::new()
        .compiler(compiler)
        .diff([tool(&wide).as_str()], [tool(&narrow).as_str()]);
    assert!(report.class() > Some(Class::Compatible), "{report:?}");
}

#[test]
fn a_limit_names_its_setting() {
    let mut limits = toolsure_schema::Limits::default();
    limits.model.subschemas = 1;
    let report = with(Compiler::new().limits(limits), "{}", r#"{"minimum": 1}"#);
    let change = &report.tools[0].changes[0];
    assert_eq!(change.setting, Some("limits.subschemas"), "{change:?}");
}

/// A list of required names that is not paid for is not compared.
#[test]
fn required_names_are_compared_within_the_pairs() {
    let names: Vec<String> = (0..40).map(|n| format!("p{n}")).collect();
    let old = json!({"required": names});
    // Too long to be held against the old schema text by text.
    let new = json!({"required": names, "description": "x".repeat(4_000)});
    let class = |pairs| {
        let limits = Limits {
            pairs,
            ..Limits::default()
        };
        let report = Differ::new().open(true).limits(limits).diff(
            [tool("input", &old)].iter().map(String::as_str),
            [tool("input", &new)].iter().map(String::as_str),
        );
        report.class()
    };
    assert_eq!(class(10), Some(Class::Compatible));
    assert_eq!(class(2), Some(Class::Unknown));
}

/// The rules see so many schemas of a conjunction; what is beyond may refuse anything.
#[test]
fn a_conjunction_that_is_not_seen_to_its_end_proves_nothing() {
    let mut first = vec![json!({"minimum": 5})];
    first.resize(40, json!({"maximum": 90}));
    let second = vec![json!({"maximum": 90}); 40];
    let old = json!({"type": "object", "properties": {"a": {"type": "integer", "maximum": 80}}});
    let new = json!({"type": "object", "properties": {"a": {"allOf": [{"allOf": first}, {"allOf": second}]}}});
    let class = compare("input", &old, &new).class();
    assert!(class >= Some(Class::Unknown), "{class:?}");
}
