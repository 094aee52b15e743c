//! What `prices` measures: for every keyword that asserts something, and for every format,
//! at least one row. `tests/prices.rs` fails if one is absent.

use serde_json::{Value, json};

/// What is measured: schemas of one item, and the item.
pub(crate) struct Row {
    /// What it measures.
    pub(crate) name: String,
    pub(crate) schema: Value,
    pub(crate) item: Value,
}

/// All rows.
pub(crate) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut row = |name: &str, schema: Value, item: Value| {
        rows.push(Row {
            name: name.to_owned(),
            schema,
            item,
        });
    };
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
    let many = |keyword: &str, values: Vec<Value>| {
        let parts: Vec<Value> = values
            .into_iter()
            .map(|value| json!({keyword: value}))
            .collect();
        json!({"allOf": parts})
    };
    let ints = |from: i64| (0..30).map(|n| json!(from - n)).collect::<Vec<_>>();
    let floats = |at: &str| {
        (0..30)
            .map(|n| number(&format!("{at}{n:02}")))
            .collect::<Vec<_>>()
    };
    for (name, item) in [
        ("int", "1"),
        ("double", "1.5"),
        ("big", "12345678901234567890123"),
        ("exp", "1e300"),
    ] {
        row(
            &format!("minimum-int {name}"),
            many("minimum", ints(-5)),
            number(item),
        );
        row(
            &format!("minimum-double {name}"),
            many("minimum", floats("-1.5e2")),
            number(item),
        );
        row(
            &format!("multipleOf-int {name}"),
            many("multipleOf", (1..30).map(|n| json!(n)).collect()),
            number(item),
        );
        row(
            &format!("multipleOf-double {name}"),
            many("multipleOf", floats("1.5e-2")),
            number(item),
        );
        row(
            &format!("not const-double {name}"),
            json!({"not": {"const": 2.5}}),
            number(item),
        );
        row(
            &format!("not enum-double {name}"),
            json!({"not": {"enum": [2.5, 3.5, 4.5, 1e100]}}),
            number(item),
        );
        for format in [
            "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float",
            "double",
        ] {
            row(
                &format!("format {format} {name}"),
                json!({"format": format}),
                number(item),
            );
        }
    }
    for length in [1_usize, 30, 300] {
        let text = Value::String("x".repeat(length));
        let wide = Value::String("\u{e9}".repeat(length));
        row(
            &format!("minLength {length}"),
            many("minLength", (1..=30).map(|_| json!(length)).collect()),
            wide.clone(),
        );
        row(
            &format!("maxLength {length}"),
            many("maxLength", (0..30).map(|n| json!(length + n)).collect()),
            wide,
        );
        row(
            &format!("const {length}"),
            json!({"const": text}),
            text.clone(),
        );
        row(
            &format!("enum {length}"),
            json!({"enum": [text, "a", "b", "c", "d"]}),
            text.clone(),
        );
        row(
            &format!("pattern literal {length}"),
            json!({"pattern": "^x"}),
            text.clone(),
        );
        row(
            &format!("pattern class {length}"),
            json!({"pattern": "^[a-z]*$"}),
            text.clone(),
        );
        row(
            &format!("pattern table {length}"),
            json!({"pattern": "^(?:x|yz)*$"}),
            text.clone(),
        );
        row(
            &format!("pattern many {length}"),
            many(
                "pattern",
                (0..30).map(|n| json!(format!("^(?:x|y{n}z)*$"))).collect(),
            ),
            text,
        );
    }
    for (format, text) in TEXTS {
        row(
            &format!("format {format}"),
            json!({"format": format}),
            json!(text),
        );
        let parts: Vec<Value> = (0..30)
            .map(|n| json!({"format": format, "minLength": n % 2}))
            .collect();
        row(
            &format!("format {format} x30"),
            json!({"allOf": parts}),
            json!(text),
        );
    }
    for (format, start, step, end) in LONG {
        for count in [10_usize, 200] {
            let text = format!("{start}{}{end}", step.repeat(count));
            row(
                &format!(
                    "format {format} long {count} {}",
                    step.escape_unicode().take(8).collect::<String>()
                ),
                json!({"format": format}),
                json!(text),
            );
        }
    }
    let labels = ["xn--ihqwcrb4cv8a8dqg056pqjye"; 3].join(".");
    row(
        "format hostname punycode",
        json!({"format": "hostname"}),
        json!(labels),
    );
    row(
        "format idn-hostname punycode",
        json!({"format": "idn-hostname"}),
        json!(labels),
    );
    row(
        "format idn-email punycode",
        json!({"format": "idn-email"}),
        json!(format!("a@{labels}")),
    );
    row(
        "format email punycode",
        json!({"format": "email"}),
        json!(format!("a@{labels}")),
    );
    row(
        "many cheap",
        json!({"allOf": (0..30).map(|n| json!({"minimum": n - 40, "maximum": n + 40})).collect::<Vec<_>>()}),
        json!(1),
    );
    // These assert in draft 7 alone.
    let dialect = "http://json-schema.org/draft-07/schema#";
    for count in [1_usize, 30] {
        row(
            &format!("content base64 {count}"),
            json!({"$schema": dialect, "$id": "urn:base64", "contentEncoding": "base64"}),
            json!("aGVsbG8gd29y".repeat(count)),
        );
        row(
            &format!("content json {count}"),
            json!({"$schema": dialect, "$id": "urn:json", "contentMediaType": "application/json"}),
            json!(format!("[{}]", vec!["{\"a\": [1, 2, 3]}"; count].join(","))),
        );
    }
    row("type only", json!({"type": "integer"}), json!(1));
    row("one cheap", json!({"minimum": 1}), json!(1));
    for count in [3_usize, 30] {
        structure(count, |name, schema, item| {
            row(&format!("{name} {count}"), schema, item);
        });
    }
    rows
}

/// Keywords about objects and arrays, and those that apply other subschemas, on values
/// with so many children.
fn structure(count: usize, mut row: impl FnMut(&str, Value, Value)) {
    let name = |n: usize| format!("member{n}");
    let object = |value: &Value| -> Value {
        let members = (0..count).map(|n| (name(n), value.clone()));
        Value::Object(members.collect())
    };
    let names: Vec<String> = (0..count).map(name).collect();
    let numbers = json!((0..count).collect::<Vec<_>>());
    let texts = json!(names);
    let objects: Vec<Value> = names
        .iter()
        .map(|name| json!({"n": name, "k": 1}))
        .collect();
    let one = object(&json!(1));
    let branches = |last: Value| -> Vec<Value> {
        let others = (0..count).map(|n| json!({"required": [name(n), "absent"]}));
        others.chain([last]).collect()
    };
    row(
        "properties",
        json!({"properties": object(&json!({"type": "integer"}))}),
        one.clone(),
    );
    row(
        "properties minimum",
        json!({"properties": object(&json!({"minimum": 0}))}),
        one.clone(),
    );
    row(
        "additionalProperties",
        json!({"additionalProperties": {"type": "integer"}}),
        one.clone(),
    );
    row("required", json!({"required": names}), one.clone());
    row(
        "minProperties",
        json!({"minProperties": count}),
        one.clone(),
    );
    row(
        "maxProperties",
        json!({"maxProperties": count}),
        one.clone(),
    );
    row(
        "dependencies",
        json!({"dependencies": object(&json!(["member0"]))}),
        one.clone(),
    );
    row(
        "propertyNames",
        json!({"propertyNames": {"minLength": 7}}),
        one.clone(),
    );
    row(
        "propertyNames enum",
        json!({"propertyNames": {"enum": names}}),
        one.clone(),
    );
    row(
        "patternProperties",
        json!({"patternProperties": {"^m": {"type": "integer"}}}),
        one.clone(),
    );
    row(
        "patternProperties table",
        json!({"patternProperties": {"(a|b)er[0-9]": true}}),
        one.clone(),
    );
    row(
        "dependentRequired",
        json!({"dependentRequired": {"member0": names}}),
        one.clone(),
    );
    row(
        "dependentRequired many",
        json!({"dependentRequired": object(&json!(["member0"]))}),
        one.clone(),
    );
    row(
        "dependentSchemas",
        json!({"dependentSchemas": object(&json!({"required": ["member0"]}))}),
        one.clone(),
    );
    row(
        "unevaluatedProperties",
        json!({"anyOf": [{"properties": object(&json!(true))}, {"required": ["a"]}], "unevaluatedProperties": false}),
        one.clone(),
    );
    row(
        "anyOf",
        json!({"anyOf": branches(json!(true))}),
        one.clone(),
    );
    row(
        "oneOf",
        json!({"oneOf": branches(json!({"minProperties": 1}))}),
        one.clone(),
    );
    row(
        "not",
        json!({"allOf": branches(json!(true)).iter().map(|one| json!({"not": {"not": {"not": one}}})).take(count).collect::<Vec<_>>()}),
        one.clone(),
    );
    row(
        "oneOf by a member",
        json!({"oneOf": (0..count).map(|n| json!({"properties": {"member0": {"const": n}}, "required": ["member0"]})).collect::<Vec<_>>()}),
        one.clone(),
    );
    row(
        "oneOf by names",
        json!({"oneOf": (0..count).map(|n| json!({"required": [if n == 0 { name(0) } else { format!("absent{n}") }], "minProperties": 1})).collect::<Vec<_>>()}),
        one.clone(),
    );
    row(
        "if by members",
        json!({"allOf": (0..count).map(|n| json!({"if": {"properties": {name(n): {"const": "a"}}}, "then": {"minProperties": 1}})).collect::<Vec<_>>()}),
        one.clone(),
    );
    row(
        "if",
        json!({"allOf": (0..count).map(|n| json!({"if": {"required": [name(n)]}, "then": {"minProperties": 1}})).collect::<Vec<_>>()}),
        one.clone(),
    );
    row(
        "memo",
        json!({"$ref": "#/items/$defs/n", "$defs": {"n": {"additionalProperties": {"$ref": "#/items/$defs/n"},
            "anyOf": [{"required": ["absent"]}, {"$ref": "#/items/$defs/m"}], "allOf": [{"$ref": "#/items/$defs/m"}]}, "m": {"minProperties": 0, "not": {"required": ["absent"]}}}}),
        object(&json!({"a": {}})),
    );
    row("const object", json!({"const": one}), one.clone());
    row("enum object", json!({"enum": [one, [1], {"a": 2}]}), one);
    row(
        "items",
        json!({"items": {"type": "integer"}}),
        numbers.clone(),
    );
    row(
        "items minimum",
        json!({"items": {"minimum": 0}}),
        numbers.clone(),
    );
    row(
        "prefixItems",
        json!({"prefixItems": vec![json!({"minimum": 0}); count]}),
        numbers.clone(),
    );
    row(
        "contains",
        json!({"contains": {"minimum": count - 1}}),
        numbers.clone(),
    );
    row(
        "minItems maxItems",
        json!({"minItems": count, "maxItems": count}),
        numbers.clone(),
    );
    row(
        "minContains maxContains",
        json!({"contains": {"minimum": 0}, "minContains": count, "maxContains": count}),
        numbers.clone(),
    );
    row(
        "unevaluatedItems",
        json!({"anyOf": [{"prefixItems": vec![json!(true); count]}, {"maxItems": 0}], "unevaluatedItems": false}),
        numbers.clone(),
    );
    row("uniqueItems numbers", json!({"uniqueItems": true}), numbers);
    row("uniqueItems strings", json!({"uniqueItems": true}), texts);
    row(
        "uniqueItems objects",
        json!({"uniqueItems": true}),
        json!(objects),
    );
    row(
        "uniqueItems by a member",
        json!({"uniqueItems": true, "items": {"required": ["n"], "properties": {"n": {"type": "string"}}}}),
        json!(objects),
    );
}

/// A short text of each format.
const TEXTS: &[(&str, &str)] = &[
    ("date-time", "2026-11-22T16:00:00.123456Z"),
    ("date", "2026-11-22"),
    ("time", "16:00:00+01:00"),
    ("duration", "P1Y2M3DT4H5M6S"),
    ("email", "someone@example.com"),
    ("idn-email", "\u{e9}\u{fc}@\u{e9}\u{fc}.com"),
    ("hostname", "a.b"),
    ("idn-hostname", "\u{e9}.\u{fc}"),
    ("ipv4", "192.168.100.200"),
    ("ipv6", "1:2:3:4:5:6:7:8"),
    ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d16380"),
    ("uri", "http://example.com/a?b#c"),
    ("uri-reference", "/a?b#c"),
    ("iri", "http://\u{e9}.com/\u{e9}"),
    ("iri-reference", "/\u{e9}"),
    ("uri-template", "http://x/{a}{?b*}"),
    ("json-pointer", "/a/b~0c"),
    ("relative-json-pointer", "1/a"),
    ("regex", "^[a-z]+$"),
];

/// Texts that go on: start, what repeats, end.
const LONG: &[(&str, &str, &str, &str)] = &[
    ("hostname", "", "ab.", "c"),
    ("hostname", "", "xn--9ca.", "c"),
    ("idn-hostname", "", "ab.", "c"),
    ("idn-hostname", "", "\u{e9}\u{fc}.", "c"),
    ("idn-hostname", "", "\u{5d0}\u{5d1}.", "\u{5d0}"),
    ("idn-hostname", "", "\u{1100}\u{1161}.", "c"),
    ("idn-hostname", "", "\u{e9}", ""),
    ("idn-hostname", "", "xn--9ca.", "c"),
    ("idn-email", "a@", "\u{e9}.", "c"),
    ("idn-email", "", "\u{e9}", "@c"),
    ("email", "", "a", "@c"),
    ("email", "\"", "a ", "\"@c"),
    ("email", "a@", "a.", "c"),
    ("date-time", "2026-11-22T16:00:00.", "1", "Z"),
    ("duration", "P", "1", "Y"),
    ("uri", "http://a/", "%41b", ""),
    ("uri", "http://a@", "b:", "@c/"),
    ("iri", "http://a/", "\u{e9}", ""),
    ("uri-template", "", "{a}", ""),
    ("uri-template", "", "{+a,b:3,c*}", ""),
    ("json-pointer", "", "/~0", ""),
    ("relative-json-pointer", "1", "/~0", ""),
    ("regex", "", "(?:a|[b-d]+?)", ""),
    ("regex", "", "\\p{Lu}", ""),
    ("regex", "", "(?<a>b)|", ""),
    ("regex", "", "[^\\p{L}\\d-z]", ""),
    ("ipv6", "", "1:", "2"),
    ("uuid", "", "a", ""),
];
