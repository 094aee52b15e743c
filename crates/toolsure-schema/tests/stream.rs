//! A text judged while it is read is judged as one that was read before: the same
//! verdict, the same price, the same fault at the same place, at every size of budget
//! and whatever is broken in it.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_json::{DuplicateKeys, ReadError, ReadLimits, Reader};
use toolsure_schema::{Compiler, Limits, Schema, Verdict, Workspace};

/// Schemas whose objects and arrays are judged on the way, beside ones that are not,
/// with texts that are full of what a reader must look at.
const PAIRS: &[(&str, &[&str])] = &[
    (
        r##"{"anyOf": [true], "prefixItems": [{"unevaluatedProperties": false, "anyOf": [{"$ref": "#"}]}]}"##,
        &[r#"{"a": null, "b": [1]}"#, r#"{}"#],
    ),
    (
        r#"{"type": "object", "required": ["a"], "additionalProperties": {"type": ["integer", "object"]},
            "properties": {"a": {"type": "string", "minLength": 2}, "list": {"maxItems": 3, "items": {"type": "number", "minimum": -3}},
                "any": true, "deep": {"properties": {"x": {"enum": ["u", 1, null, {"k": []}]}}, "additionalProperties": false}}}"#,
        &[
            r#"{"a": "xy", "list": [1, -0, 2.50e1], "any": [{"z": "\u00e9\n", "z2": [true, false]}], "deep": {"x": null}, "more": 3}"#,
            r#"{ "list" : [ ] , "a":"\"\ud83d\ude00" , "o":{"p":{"q":1},"p2":[]}, "deep":{"x":{"k":[]}} }"#,
            r#"{"a":"é€😀","list":[12345678901234567890, 1e5],"any":null,"deep":{}}"#,
            r#"{"a":"ab","x1":1,"x2":2,"x3":3,"x4":4,"x5":5,"x6":6,"x7":7,"x8":8,"x9":9,"x10":10,"x11":11}"#,
        ],
    ),
    (
        r#"{"items": {"anyOf": [{"type": "string", "pattern": "^a"}, {"type": "array", "items": [true, {"type": "boolean"}], "additionalItems": {"type": "null"}},
                {"type": "object", "properties": {"n": {"multipleOf": 3}}, "patternProperties": {"^p": {"type": "integer"}}}]}}"#,
        &[
            r#"["abc", [1, true], [[], false, null], {"n": 9, "p1": 2, "q": "r"}, "a\tb"]"#,
            r#"[{"n": 1e1}, "b"]"#,
        ],
    ),
    (
        r##"{"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "properties": {"kids": {"type": "array", "uniqueItems": true, "items": {"$ref": "#/$defs/t"}},
                "one": {"$ref": "#/$defs/t"}, "two": {"oneOf": [{"$ref": "#/$defs/t"}, {"type": "integer"}]}},
                "dependentRequired": {"b": ["c"]}, "maxProperties": 4}}}"##,
        &[
            r#"{"one": {"one": {"two": {"two": 5}}, "kids": [{}, {"b": 1, "c": 2}]}, "b": 0, "c": ""}"#,
        ],
    ),
    // Branches that the first member chooses, and scalars that must differ.
    (
        r#"{"items": {"oneOf": [
                {"type": "object", "required": ["k"], "properties": {"k": {"const": "a"}, "v": {"type": "array", "uniqueItems": true, "items": {"type": ["integer", "string"]}}}},
                {"type": "object", "required": ["k"], "properties": {"k": {"const": 2}, "w": {"uniqueItems": true, "maxItems": 3}}}]}}"#,
        &[
            r#"[{"k":"a","v":[1,"1",2,"\u0061"]},{"w":[],"k":2.0},{"k" : 2, "w":[true,null,{"a":1}]},{"k":20e-1,"w":[[],[0]]},{"k":"a","v":[ ]}]"#,
            r#"[{"k":"a","v":["x"]},{"k":2,"w":[1,1.0]}]"#,
        ],
    ),
    // Strings with escapes that only need to be strings, and arrays with one item, which is unique.
    (
        r#"{"properties": {"s": {"type": "string"}, "one": {"uniqueItems": true, "minItems": 1, "maxItems": 2,
            "prefixItems": [{"type": ["object", "array", "string"], "properties": {"n": {"minimum": 2}}}]}}}"#,
        &[
            r#"{"s":"\\\"\u00E9\ud83d\ude00\/\b\f\n\r\te\u0301","one":[{"n":2,"s":[]}],"t":["\u0000\uFFFF"]}"#,
            r#"{"s":"","one":["\u0061\n"]}"#,
            r#"{"s":"\ud83d\ude00","one":[ [{}] ]}"#,
            r#"{"one":[[],[1]]}"#,
        ],
    ),
    // Distinct scalars whose subschema takes levels of its own.
    (
        r#"{"uniqueItems": true, "items": {"anyOf": [{"minLength": 1}, {"minimum": 3}]}}"#,
        &[r#"["a", "b"]"#, r#"["", 3, "c"]"#],
    ),
    // Numbers whose text is long: where it is read, it is paid for.
    (
        r#"{"items": {"type": ["integer", "object"], "anyOf": [
                {"properties": {"t": {"const": 1}, "n": {"multipleOf": 2}}, "required": ["t"]},
                {"properties": {"t": {"const": "b"}}, "required": ["t"]},
                {"type": "integer", "enum": [7, 1e70]}]}}"#,
        &[
            r#"[{"t": 1.0000000000000000000000000000000000000000000000000000000000000000000000, "n": 4}, 7.00000000000000000000000000000000000000000000000000000000000000000000]"#,
            r#"[{"t": "b"}, 10000000000000000000000000000000000000000000000000000000000000000000000, {"t": 12345678901234567890123456789012345678901234567890123456789012345678901234567890}]"#,
        ],
    ),
    // One walk for what two subschemas ask of an object.
    (
        r#"{"allOf": [{"properties": {"a": {"minLength": 1}, "b": {"items": {"enum": ["x", "y"]}}}, "additionalProperties": {"type": ["string", "array"]}},
                {"properties": {"a": {"maxLength": 3}, "c": {"minLength": 2}}, "required": ["a"]}], "maxProperties": 4}"#,
        &[r#"{"b":["x","y"],"a":"\u00e9bc","c":"cc","d":[{}]}"#],
    ),
    // Own members beside a union, whose member comes late, and beside conditions.
    (
        r#"{"type": "object", "required": ["k"], "properties": {"d": {"items": {"type": "integer"}}},
            "oneOf": [{"properties": {"k": {"const": "a"}, "d": {"maxItems": 2}, "o": {"required": ["p"], "additionalProperties": {"type": "null"}}}},
                {"properties": {"k": {"const": 2}, "d": {"minItems": 1}}, "additionalProperties": {"type": ["string", "integer", "array"]}},
                {"properties": {"k": {"enum": [true, "b"]}}, "minProperties": 2}]}"#,
        &[
            r#"{"d":[1,2],"o":{"p":null,"q":null},"k":"a"}"#,
            r#"{"d":[1,2,3],"x":"y","k":2}"#,
            r#"{"d":[],"k":true,"l":{"m":[]}}"#,
        ],
    ),
    (
        r#"{"properties": {"v": {"enum": [1, 2, 3]}},
            "if": {"properties": {"v": {"enum": [1, 2]}}},
            "then": {"required": ["t"], "properties": {"t": {"enum": ["x", "y", "z"]}},
                "if": {"required": ["t"], "properties": {"t": {"const": "x"}}}, "then": {"properties": {"m": {"properties": {"n": {"type": "string"}}}}},
                "else": {"if": {"properties": {"t": {"const": "y"}, "u": {"type": "object"}}}, "then": {"additionalProperties": {"type": ["integer", "string", "object"]}}}},
            "else": {"not": {"required": ["w"]}, "maxProperties": 3}}"#,
        &[
            r#"{"m":{"n":"s"},"v":1,"t":"x"}"#,
            r#"{"v":2,"t":"y","u":{"m":[1]}}"#,
            r#"{"t":"z","v":2,"u":[]}"#,
            r#"{"v":3,"m":{"n":0}}"#,
        ],
    ),
    // Branches for other types before and behind those that a member chooses.
    (
        r##"{"items": {"$ref": "#/$defs/c"}, "$defs": {"c": {"properties": {"o": {"$ref": "#/$defs/c"}},
            "anyOf": [{"type": "boolean"}, {"type": "object", "required": ["t"], "properties": {"t": {"const": "a"}, "x": {"$ref": "#/$defs/c"}}},
                {"type": "null"}, {"type": "object", "required": ["t"], "properties": {"t": {"enum": ["b", "c"]}, "l": {"items": {"$ref": "#/$defs/c"}}}}],
            "oneOf": [{"type": ["null", "boolean"]}, {"type": "object"}, {"type": "string"}]}}}"##,
        &[
            r#"[{"x":{"t":"b","l":[true,null]},"t":"a","o":{"t":"c"}},false,{"t":"c","l":[{"t":"a"}]}]"#,
            r#"[{"o":{"o":{"x":null,"t":"a"},"t":"\u0061"},"t":"a"}]"#,
        ],
    ),
    // Items that differ in a string that all require.
    (
        r#"{"type": "array", "uniqueItems": true, "items": {"type": "object", "required": ["n", "m"],
            "properties": {"n": {"type": ["string", "integer"]}, "u": {"uniqueItems": true, "items": {"required": ["n"], "properties": {"n": {"minLength": 1}}}}}}}"#,
        &[
            r#"[{"m":{"x":[0]},"n":"a","u":[{"n":"p"},{"n":"q"}]},{"n":"b","m":1},{"n":"c","m":"a"}]"#,
            r#"[{"n":"a","m":1},{"n":"a","m":2,"u":[{"n":"p","o":1},{"n":"p","o":2}]}]"#,
            r#"[{"n":1,"m":1},{"n":"\u0061","m":2}]"#,
            r#"[{"n":"a","m":1}]"#,
        ],
    ),
    // Branches told apart by what they require, through references that meet again.
    (
        r##"{"$ref": "#/$defs/n", "$defs": {
            "n": {"type": "object", "properties": {"a": {"type": "string"}, "kids": {"type": "array", "items": {"$ref": "#/$defs/n"}}, "one": {"$ref": "#/$defs/n"}},
                "anyOf": [{"required": ["a"]}, {"required": ["b"]}, {"$ref": "#/$defs/c"}],
                "allOf": [{"$ref": "#/$defs/c"}]},
            "c": {"properties": {"one": {"minProperties": 1}, "b": {"type": "integer"}}}}}"##,
        &[
            r#"{"a":"","kids":[{"b":1},{"one":{"b":2,"one":{"a":"c"}}}],"one":{"x":[[]]}}"#,
            r#"{"kids":[{"kids":[{"kids":[]}]}]}"#,
        ],
    ),
    // Branches that names and values behind branches tell apart, arrays behind unions, conditions in a
    // row, and an object with more inside than is looked at ahead.
    (
        r##"{"$ref": "#/$defs/any", "$defs": {
            "list": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"$ref": "#/$defs/any"}}]},
            "any": {"properties": {"l": {"$ref": "#/$defs/list"}, "m": {"$ref": "#/$defs/list"}, "p": {"patternProperties": {"^x": {"$ref": "#/$defs/list"}}}},
                "oneOf": [{"type": "object", "oneOf": [{"required": ["op"], "properties": {"op": {"enum": ["a", "b"]}, "l": {"maxItems": 3}}},
                        {"required": ["op"], "properties": {"op": {"const": null}}, "additionalProperties": {"type": ["null", "array"]}}]},
                    {"type": "object", "required": ["op"], "properties": {"op": {"type": "string", "not": {"enum": ["a", "b", "c"]}}}},
                    {"type": "object", "required": ["q"]}, {"type": "object", "required": ["r"], "properties": {"r": {"type": "object"}}},
                    {"type": "object", "required": ["s"]}, {"type": "object", "required": ["t"]}, {"type": "number"}],
                "if": {"properties": {"k": {"const": 1}}}, "then": {"required": ["k"], "properties": {"k": true}},
                "else": {"if": {"properties": {"k": {"const": 2}}}, "then": {"not": {"required": ["q", "r"]}}}}}}"##,
        &[
            r#"{"k":1,"op":"a","l":["x",3,{"q":0,"k":2}]}"#,
            r#"{"l":[{"k":1,"op":null,"n":[]}],"op":"other","k":2,"p":{"x1":"","x2":[4],"y":0}}"#,
            r#"{"k":7,"m":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35,36,37,38,39,40,41,42,43,44,45,46,47,48,49,50],"s":null}"#,
            r#"{"k":1,"r":{"\"}":"}"},"l":"]"}"#,
            r#"{"q":1,"r":{}}"#,
        ],
    ),
    // Branches that inspect different members: the first one is tried, behind one for other types; the last one alone matches.
    (
        r#"{"type": "object", "maxProperties": 5, "properties": {"o": {"anyOf": [{"type": "null"}, {"properties": {"p": {"items": {"type": "integer"}}}}, {"properties": {"q": {"const": 1}}}]}},
            "anyOf": [{"type": "array", "minItems": 1}, {"properties": {"a": {"items": {"type": "string"}}}}, {"properties": {"b": {"type": "array"}}}, {"properties": {"c": {"type": "null"}}}]}"#,
        &[
            r#"{"o":{"p":[1,2],"r":[]},"a":["x"],"b":[1]}"#,
            r#"{"a":[],"o":{"p":1,"q":1},"c":null}"#,
            r#"{"b":1,"c":null,"a":7}"#,
        ],
    ),
];

fn compiled(schema: &str, instance: ReadLimits) -> Schema {
    let limits = Limits {
        instance,
        ..Limits::default()
    };
    let schema = schema.replace("additionalItems", "unevaluatedItems");
    let schema = schema.replace("\"items\": [", "\"prefixItems\": [");
    let compiler = Compiler::new().limits(limits);
    compiler.compile(schema.as_bytes()).unwrap()
}

/// The answer for a text, and what it took.
fn streamed(
    schema: &Schema,
    workspace: &mut Workspace,
    text: &[u8],
) -> (Result<Verdict, ReadError>, u64) {
    let answer = schema.check(workspace, text);
    (answer, workspace.fuel_used())
}

/// The same where the text is read first.
fn read_first(
    schema: &Schema,
    limits: &ReadLimits,
    workspace: &mut Workspace,
    text: &[u8],
) -> (Result<Verdict, ReadError>, u64) {
    let mut reader = Reader::new();
    let answer = reader
        .read(text, limits)
        .map(|document| schema.check(workspace, document.root()));
    (answer, workspace.fuel_used())
}

fn agree(schema: &Schema, limits: &ReadLimits, text: &[u8]) -> bool {
    let (mut left, mut right) = (Workspace::new(), Workspace::new());
    let one = streamed(schema, &mut left, text);
    let other = read_first(schema, limits, &mut right, text);
    assert_eq!(one, other, "{:?}", String::from_utf8_lossy(text));
    one.0.is_ok_and(Verdict::is_valid)
}

#[test]
fn whatever_is_broken() {
    let limits = ReadLimits::default();
    let (mut valid, mut all) = (0, 0);
    for (schema, texts) in PAIRS {
        let schema = compiled(schema, limits);
        for text in *texts {
            let text = text.as_bytes();
            for end in 0..=text.len() {
                agree(&schema, &limits, text.get(..end).unwrap());
            }
            for at in 0..text.len() {
                for byte in [
                    b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b' ', b'0', b'1', b'-', b'.',
                    b'e', b'a', b'x', b't', b'n', b'\n', 0, 0x1f, 0x7f, 0x80, 0xc3, 0xff,
                ] {
                    let mut broken = text.to_vec();
                    *broken.get_mut(at).unwrap() = byte;
                    valid += usize::from(agree(&schema, &limits, &broken));
                    all += 1;
                    broken.insert(at, byte);
                    valid += usize::from(agree(&schema, &limits, &broken));
                    all += 1;
                }
                let mut shorter = text.to_vec();
                shorter.remove(at);
                agree(&schema, &limits, &shorter);
            }
        }
    }
    assert!(valid > 1_000 && all > 4 * valid, "{valid} of {all}");
}

/// A piece of a text put in twice: most of all members, which makes names meet.
#[test]
fn whatever_is_doubled() {
    for duplicate_keys in [DuplicateKeys::Refuse, DuplicateKeys::KeepLast] {
        let limits = ReadLimits {
            duplicate_keys,
            ..ReadLimits::default()
        };
        for (schema, texts) in PAIRS {
            let schema = compiled(schema, limits);
            for text in *texts {
                let cuts = || text.match_indices([',', '{', '[', '}', ']']);
                for (from, _) in cuts() {
                    for (to, _) in cuts().filter(|(to, _)| *to > from) {
                        let Some(piece) = text.get(from + 1..to) else {
                            continue;
                        };
                        let (before, after) = text.split_at(to);
                        let doubled = format!("{before},{piece}{after}");
                        agree(&schema, &limits, doubled.as_bytes());
                    }
                }
            }
        }
    }
}

#[test]
fn at_every_bound() {
    for (schema, texts) in PAIRS {
        for text in *texts {
            let default = ReadLimits::default();
            for bound in 0..60 {
                for limits in [
                    ReadLimits {
                        nodes: bound,
                        ..default
                    },
                    ReadLimits {
                        depth: bound,
                        ..default
                    },
                    ReadLimits {
                        digits: bound,
                        ..default
                    },
                    ReadLimits {
                        bytes: bound * 4,
                        ..default
                    },
                ] {
                    agree(&compiled(schema, limits), &limits, text.as_bytes());
                }
            }
            let schema = compiled(schema, default);
            for fuel in 0..200 {
                let (mut left, mut right) =
                    (Workspace::new().fuel(fuel), Workspace::new().fuel(fuel));
                assert_eq!(
                    streamed(&schema, &mut left, text.as_bytes()),
                    read_first(&schema, &default, &mut right, text.as_bytes()),
                    "{text} with {fuel}"
                );
            }
            for evaluation_depth in 0..12 {
                let limits = Limits {
                    evaluation_depth,
                    ..Limits::default()
                };
                let text_of = schema.text().document().source().to_owned();
                let bounded = Compiler::new()
                    .limits(limits)
                    .compile(text_of.as_bytes())
                    .unwrap();
                agree(&bounded, &default, text.as_bytes());
            }
        }
    }
}

/// More walks over one object than go side by side: the price is asked for before the work.
#[test]
fn many_walks_over_one_object() {
    let limits = ReadLimits::default();
    for count in [1, 5, 6, 7, 8, 9, 16, 17, 30] {
        let unions: Vec<String> = (0..count)
            .map(|n| {
                format!(
                    r#"{{"anyOf": [{{"properties": {{"m{n}": {{"type": "integer"}}}}}}, false]}}"#
                )
            })
            .collect();
        let union = |at: usize| unions.get(at).map_or("true", String::as_str);
        let mut schema = union(0).to_owned();
        for at in 1..count {
            schema = format!(
                r#"{{"anyOf": [{schema}], "oneOf": [{}, {{"type": "null"}}]}}"#,
                union(at)
            );
        }
        let schema = compiled(&schema, limits);
        let members: Vec<String> = (0..300).map(|n| format!(r#""m{n}": {n}"#)).collect();
        let text = format!("{{{}}}", members.join(","));
        assert!(agree(&schema, &limits, text.as_bytes()), "{count}");
        let text = text.replace(": 0,", ": \"0\",");
        assert!(!agree(&schema, &limits, text.as_bytes()), "{count}");
    }
}
