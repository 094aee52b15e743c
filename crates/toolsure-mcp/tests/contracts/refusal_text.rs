//! What a model is told about the mistakes that models make: the texts, whole.

use std::fmt::Write as _;

use crate::support::{asserting, call, tool};

/// A tool and calls of it that go wrong.
const MISTAKES: &[(&str, &str, &[&str])] = &[
    (
        "search",
        r#"{"type":"object","properties":{
            "query":{"type":"string","minLength":1,"maxLength":20},
            "path":{"type":"string","pattern":"^/"},
            "limit":{"type":"integer","minimum":1,"maximum":100},
            "ratio":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
            "step":{"type":"integer","multipleOf":5},
            "order":{"enum":["ascending","descending"]},
            "verbose":{"type":"boolean"},
            "since":{"type":"string","format":"date"},
            "at":{"type":"string","format":"date-time"},
            "mail":{"type":"string","format":"email"},
            "site":{"type":"string","format":"uri"},
            "tags":{"type":"array","items":{"type":"string"},"minItems":1,"maxItems":3,"uniqueItems":true},
            "filter":{"type":"object","properties":{"field":{"type":"string"}},"required":["field"],"additionalProperties":false}
        },"required":["query"],"additionalProperties":false}"#,
        &[
            "{}",
            r#"{"querry":"a"}"#,
            r#"{"query":""}"#,
            r#"{"query":"a query that is far too long for it"}"#,
            r#"{"query":5}"#,
            r#"{"query":null}"#,
            r#"{"query":["a"]}"#,
            r#"{"query":"a","limt":5}"#,
            r#"{"query":"a","limit":"5"}"#,
            r#"{"query":"a","limit":"ten"}"#,
            r#"{"query":"a","limit":0}"#,
            r#"{"query":"a","limit":1000}"#,
            r#"{"query":"a","limit":2.5}"#,
            r#"{"query":"a","limit":null}"#,
            r#"{"query":"a","limit":12345678901234567890123}"#,
            r#"{"query":"a","ratio":1}"#,
            r#"{"query":"a","ratio":0}"#,
            r#"{"query":"a","step":7}"#,
            r#"{"query":"a","order":"asc"}"#,
            r#"{"query":"a","order":"ASCENDING"}"#,
            r#"{"query":"a","order":"ascendng"}"#,
            r#"{"query":"a","order":1}"#,
            r#"{"query":"a","verbose":"true"}"#,
            r#"{"query":"a","verbose":1}"#,
            r#"{"query":"a","path":"etc/passwd"}"#,
            r#"{"query":"a","since":"yesterday"}"#,
            r#"{"query":"a","since":"2026-02-30"}"#,
            r#"{"query":"a","at":"2026-01-01 10:00"}"#,
            r#"{"query":"a","mail":"nobody"}"#,
            r#"{"query":"a","site":"not a uri"}"#,
            r#"{"query":"a","tags":"[\"x\",\"y\"]"}"#,
            r#"{"query":"a","tags":"x"}"#,
            r#"{"query":"a","tags":[]}"#,
            r#"{"query":"a","tags":["a","b","c","d"]}"#,
            r#"{"query":"a","tags":["a","b","a"]}"#,
            r#"{"query":"a","tags":["a",2]}"#,
            r#"{"query":"a","filter":"{\"field\":\"x\"}"}"#,
            r#"{"query":"a","filter":{}}"#,
            r#"{"query":"a","filter":{"feild":"x"}}"#,
            r#"{"query":"a","filter":{"field":"x","extra":1}}"#,
            r#"{"query":"","limit":"5","order":"asc","colour":"red"}"#,
        ],
    ),
    (
        "orders",
        r##"{"type":"object","properties":{"orders":{"type":"array","items":{"$ref":"#/$defs/line"}}},"required":["orders"],
            "$defs":{"line":{"type":"object","properties":{"id":{"type":"integer"},"qty":{"type":"integer","minimum":1},"unit":{"enum":["kg","lb"]}},"required":["id","qty"],"additionalProperties":false}}}"##,
        &[
            r#"{"orders":[{"id":1,"qty":1},{"id":2}]}"#,
            r#"{"orders":[{"id":1,"qty":1,"unit":"stone"}]}"#,
            r#"{"orders":[{"id":"abc","qty":1}]}"#,
            r#"{"orders":[{"id":1,"qty":1,"colour":"red"}]}"#,
            r#"{"orders":"[{\"id\":1,\"qty\":1}]"}"#,
            r#"{"orders":{"id":1,"qty":1}}"#,
            r#"{"orders":[{"id":1,"qty":0},{"qty":1},{"id":"x","qty":"y"},{"ID":1,"qty":1}]}"#,
            r#"{"orders":[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]}"#,
            r#"{"order":[]}"#,
        ],
    ),
    (
        "shape",
        r#"{"type":"object","properties":{"shape":{"oneOf":[
            {"type":"object","properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
            {"type":"object","properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}
        ]}},"required":["shape"]}"#,
        &[
            r#"{"shape":{"kind":"circle"}}"#,
            r#"{"shape":{"kind":"circle","side":2}}"#,
            r#"{"shape":{"kind":"square","side":"2"}}"#,
            r#"{"shape":{"kind":"cirle","radius":2}}"#,
            r#"{"shape":{"kind":"triangle"}}"#,
            r#"{"shape":{}}"#,
            r#"{"shape":"circle"}"#,
            r#"{"shape":null}"#,
        ],
    ),
    (
        "find",
        r#"{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"oneOf":[{"required":["id"]},{"required":["name"]}],"additionalProperties":false}"#,
        &[
            "{}",
            r#"{"id":"a","name":"b"}"#,
            r#"{"id":5}"#,
            r#"{"ident":"a"}"#,
        ],
    ),
    (
        "send",
        r#"{"type":"object","properties":{"kind":{"enum":["sms","mail"]},"to":{"type":"string"},"cc":{"type":"string"},"value":{"anyOf":[{"type":"string"},{"type":"integer"}]},"not":{"not":{"type":"string"}}},
            "if":{"properties":{"kind":{"const":"sms"}},"required":["kind"]},"then":{"properties":{"to":{"pattern":"^\\+[0-9]+$"}},"required":["to"]},
            "dependentRequired":{"cc":["to"]},"propertyNames":{"pattern":"^[a-z]+$"},"minProperties":1,"maxProperties":3,"unevaluatedProperties":false}"#,
        &[
            "{}",
            r#"{"kind":"sms"}"#,
            r#"{"kind":"sms","to":"nobody"}"#,
            r#"{"cc":"x"}"#,
            r#"{"Kind":"sms"}"#,
            r#"{"value":[]}"#,
            r#"{"value":1.5}"#,
            r#"{"not":"x"}"#,
            r#"{"kind":"mail","to":"a","cc":"b","value":1}"#,
            r#"{"vaule":1}"#,
        ],
    ),
    (
        "tuple",
        r#"{"type":"object","properties":{"point":{"type":"array","prefixItems":[{"type":"number"},{"type":"number"}],"items":false,"minItems":2},
            "never":false,"ids":{"type":"array","contains":{"const":"root"}},"fixed":{"const":7},"nested":{"properties":{"a":{"properties":{"b":{"properties":{"c":{"type":"integer"}},"required":["c"]}}}}}}}"#,
        &[
            r#"{"point":[1]}"#,
            r#"{"point":[1,"2"]}"#,
            r#"{"point":[1,2,3]}"#,
            r#"{"never":1}"#,
            r#"{"ids":["a"]}"#,
            r#"{"fixed":"7"}"#,
            r#"{"nested":{"a":{"b":{}}}}"#,
            r#"{"nested":{"a":{"b":{"c":"line\nbreak \u202e"}}}}"#,
        ],
    ),
    (
        "hints",
        r##"{"type":"object","allOf":[{"properties":{"a":{"type":"string"}}},{"$ref":"#/$defs/r"}],
            "properties":{"n":{"type":"integer"},"o":{"$ref":"#/$defs/o"},"u":{"type":"object","properties":{"x":{"type":"string"}},"minProperties":1},
                "limit":{"type":"integer"}},
            "$defs":{"r":{"required":["a"]},"o":{"type":"object","properties":{"x":{"type":"string"}}}},"unevaluatedProperties":false}"##,
        &[
            r#"{"a":null}"#,
            r#"{"a":"","u":{"x":null}}"#,
            r#"{"a":"","o":{"x":null}}"#,
            r#"{"a":"","n":"1.5"}"#,
            r#"{"a":"","n":"1"}"#,
            r#"{"a":"","limt":1}"#,
        ],
    ),
    (
        "nested",
        r##"{"type":"object","properties":{"o":{"$ref":"#/$defs/o"}},"$defs":{"o":{"type":"object","properties":{"x":{"type":"string"}}}}}"##,
        &[r#"{"o":{"x":null}}"#],
    ),
    (
        "several",
        r#"{"type":"object","properties":{
            "tag":{"oneOf":[{"type":"string","minLength":3},{"type":"array","items":{"type":"string"}}]},
            "amount":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},
            "list":{"anyOf":[{"type":"array"},{"const":7}]},
            "day":{"type":"integer","pattern":"^[0-9]{4}"},
            "names":{"type":"object","propertyNames":{"type":"integer"}},
            "who":{"required":["account"],"oneOf":[{"required":["id"]},{"required":["name"]}]},
            "by":{"dependentRequired":{"a":["id"]},"oneOf":[{"required":["id"]},{"required":["name"]}]}
        }}"#,
        &[
            r#"{"tag":"a"}"#,
            r#"{"tag":5}"#,
            r#"{"tag":["a",5]}"#,
            r#"{"amount":"5"}"#,
            r#"{"amount":"true"}"#,
            r#"{"amount":null}"#,
            r#"{"list":8}"#,
            r#"{"day":"5"}"#,
            r#"{"names":{"5":1}}"#,
            r#"{"who":{}}"#,
            r#"{"who":{"account":1}}"#,
            r#"{"by":{"a":1}}"#,
        ],
    ),
];

/// Each mistake is refused with a text of bounded size; the snapshot shows all texts.
#[test]
fn each_mistake_has_its_text() {
    let mut told = String::new();
    let mut count = 0;
    for (name, input, mistakes) in MISTAKES {
        let set = asserting(&[&tool(name, input, None)]);
        for arguments in *mistakes {
            let decision = call(&set, name, arguments);
            let refusal = decision.refusal().unwrap();
            assert_eq!(
                refusal.fault.code(),
                "arguments-invalid",
                "{name} {arguments}"
            );
            assert!(refusal.text().len() <= toolsure_mcp::refusal_text::MAX_BYTES);
            let _ = writeln!(told, "{arguments}\n{}\n", refusal.text());
            count += 1;
        }
    }
    assert!(count >= 60, "{count}");
    insta::assert_snapshot!(told);
}
