//! Instances of any size, each with the small schema that asks the most of them.

use super::texts::{Texts, many};

fn array(schema: &str, size: usize, item: impl Fn(usize) -> String) -> Texts {
    Texts::two(schema, format!("[{}]", many(size, item)))
}

fn object(schema: &str, size: usize, member: impl Fn(usize) -> String) -> Texts {
    Texts::two(schema, format!("{{{}}}", many(size, member)))
}

pub(super) fn numbers(size: usize) -> Texts {
    let bounds: Vec<String> = (0..30)
        .map(|n| {
            let n = n + 99;
            format!(
                r#"{{"minimum":-1.5e{n},"maximum":1.5e{n},"exclusiveMinimum":-1.25e{n},"exclusiveMaximum":1.25e{n},"multipleOf":0.5}}"#
            )
        })
        .collect();
    let schema = format!(r#"{{"items":{{"allOf":[{}]}}}}"#, bounds.join(","));
    array(&schema, size, |_| "1".to_owned())
}

/// Numbers of thousands of digits, under 200 unions that a member's constants decide.
pub(super) fn long_constants(size: usize) -> Texts {
    let unions: Vec<String> = (0..200)
        .map(|n| {
            format!(
                r#"{{"anyOf":[{{"properties":{{"t":{{"const":"a{n}"}},"z":{{"const":0}}}}}},{{"properties":{{"t":{{"const":"b{n}"}}}}}},{{"required":["t"],"minProperties":1}}]}}"#
            )
        })
        .collect();
    let schema = format!(
        r#"{{"items":{{"type":"object","required":["t"],"allOf":[{}]}}}}"#,
        unions.join(",")
    );
    array(&schema, size, |_| {
        format!(r#"{{"t":{}}}"#, "1".repeat(4090))
    })
}

/// Numbers of thousands of digits, under 200 branches that take integers.
pub(super) fn long_types(size: usize) -> Texts {
    let branches: Vec<String> = (0..200)
        .map(|n| format!(r#"{{"type":["integer","string"],"minimum":{n}}}"#))
        .collect();
    let schema = format!(
        r#"{{"items":{{"anyOf":[{},{{"type":"number","minimum":0}}]}}}}"#,
        branches.join(",")
    );
    array(&schema, size, |_| format!("0.{}1", "0".repeat(4090)))
}

pub(super) fn integers(size: usize) -> Texts {
    array(r#"{"items":{"type":"integer","minimum":0}}"#, size, |n| {
        n.to_string()
    })
}

pub(super) fn strings(size: usize) -> Texts {
    array(
        r#"{"items":{"type":"string","pattern":"^[a-z]+ [0-9]+$","maxLength":40}}"#,
        size,
        |n| format!(r#""number {n}""#),
    )
}

pub(super) fn lookaheads(size: usize) -> Texts {
    array(r#"{"items":{"pattern":"^(?=a)(?!b)[ab]*$"}}"#, size, |_| {
        r#""abababababababababababab""#.to_owned()
    })
}

pub(super) fn long_string(size: usize) -> Texts {
    let text = "ab".repeat(size / 2);
    Texts::two(
        r#"{"pattern":"^(?:a|b)*(?:ab){3}c?$","minLength":3}"#,
        format!(r#""{text}""#),
    )
}

pub(super) fn escapes(size: usize) -> Texts {
    let text = "\\u00e9\\n".repeat(size / 8);
    Texts::two(
        r#"{"maxLength":9999999,"format":"uri"}"#,
        format!(r#""{text}""#),
    )
}

pub(super) fn objects(size: usize) -> Texts {
    let schema = r#"{"items":{"type":"object","properties":{"id":{"type":"integer"},"name":{"type":"string"},"tags":{"items":{"enum":["a","b"]}}},"required":["id"],"additionalProperties":false}}"#;
    array(schema, size, |n| {
        format!(r#"{{"id":{n},"name":"n{n}","tags":["a","b"]}}"#)
    })
}

pub(super) fn invalid_items(size: usize) -> Texts {
    array(r#"{"items":{"type":"string"}}"#, size, |n| n.to_string())
}

pub(super) fn invalid_objects(size: usize) -> Texts {
    let schema = r#"{"items":{"type":"object","required":["a","b"],"properties":{"c":{"type":"string"}},"additionalProperties":false}}"#;
    array(schema, size, |n| format!(r#"{{"c":{n},"d":1}}"#))
}

pub(super) fn unknown_members(size: usize) -> Texts {
    object(
        r#"{"type":"object","properties":{"known":true},"additionalProperties":false}"#,
        size,
        |n| format!(r#""member_{n}":1"#),
    )
}

pub(super) fn wide_object(size: usize) -> Texts {
    object(
        r#"{"additionalProperties":{"type":"integer"},"maxProperties":9999999}"#,
        size,
        |n| format!(r#""member_{n}":{n}"#),
    )
}

pub(super) fn unevaluated(size: usize) -> Texts {
    let schema = r#"{"anyOf":[{"patternProperties":{"^a":true}},{"patternProperties":{"^b":true}}],"unevaluatedProperties":{"type":"integer"}}"#;
    object(schema, size, |n| {
        format!(r#""{}{n}":{n}"#, if n % 2 == 0 { 'a' } else { 'c' })
    })
}

pub(super) fn property_names(size: usize) -> Texts {
    object(
        r#"{"propertyNames":{"pattern":"^[a-z_]+[0-9]+$","maxLength":30}}"#,
        size,
        |n| format!(r#""member_{n}":0"#),
    )
}

pub(super) fn unique_strings(size: usize) -> Texts {
    array(r#"{"uniqueItems":true}"#, size, |n| {
        format!(r#""the same beginning in all of them {n}""#)
    })
}

pub(super) fn unique_objects(size: usize) -> Texts {
    array(r#"{"uniqueItems":true}"#, size, |n| {
        format!(r#"{{"a":"same","b":[1,2,3],"c":{n}}}"#)
    })
}

pub(super) fn contains(size: usize) -> Texts {
    array(
        r#"{"contains":{"type":"string"},"minContains":1,"unevaluatedItems":{"minimum":-1}}"#,
        size,
        |n| n.to_string(),
    )
}

pub(super) fn enumerated(size: usize) -> Texts {
    let members: Vec<String> = (0..2_000)
        .map(|n| format!(r#"{{"k":"value","i":{n}}}"#))
        .collect();
    let schema = format!(r#"{{"items":{{"enum":[{}]}}}}"#, members.join(","));
    array(&schema, size, |_| r#"{"k":"value","i":1999}"#.to_owned())
}

pub(super) fn host_names(size: usize) -> Texts {
    let all: Vec<String> = (0..20)
        .map(|n| format!(r#"{{"format":"hostname","minLength":{n}}}"#))
        .collect();
    let schema = format!(r#"{{"items":{{"allOf":[{}]}}}}"#, all.join(","));
    array(&schema, size, |_| {
        format!(r#""{}""#, ["xn--ihqwcrb4cv8a8dqg056pqjye"; 3].join("."))
    })
}

pub(super) fn times(size: usize) -> Texts {
    array(r#"{"items":{"format":"date-time"}}"#, size, |n| {
        format!(r#""2026-11-23T{:02}:{:02}:00Z""#, n % 24, n % 60)
    })
}

pub(super) fn deep(size: usize) -> Texts {
    array(
        r##"{"$ref":"#/$defs/t","$defs":{"t":{"items":{"$ref":"#/$defs/t"}}}}"##,
        size,
        |_| format!("{}{}", "[".repeat(100), "]".repeat(100)),
    )
}

pub(super) fn tree(size: usize) -> Texts {
    let schema = r##"{"$ref":"#/$defs/t","$defs":{"t":{"anyOf":[{"type":"integer"},{"type":"object","properties":{"l":{"$ref":"#/$defs/t"},"r":{"$ref":"#/$defs/t"}},"additionalProperties":false},{"type":"array","items":{"$ref":"#/$defs/t"}}]}}}"##;
    array(schema, size, |n| {
        format!(r#"{{"l":{{"l":{n},"r":[{n}]}},"r":{{"l":1}}}}"#)
    })
}

/// Strings that hold the JSON of what is asked for.
pub(super) fn stringified(size: usize) -> Texts {
    let schema =
        r#"{"type":"object","properties":{"a":{"type":"array","items":{"type":"integer"}}}}"#;
    Texts::two(
        schema,
        format!(r#"{{"a":"[{}]"}}"#, many(size, |n| n.to_string())),
    )
}

/// Many members that are strings in the place of numbers.
pub(super) fn stringified_members(size: usize) -> Texts {
    let schema = r#"{"type":"object","additionalProperties":{"type":"integer"}}"#;
    object(schema, size, |n| format!(r#""m{n}":"{n}""#))
}

/// Arguments for the argument schema of strings.
pub(super) fn argument_array(size: usize) -> Texts {
    let schema = r#"{"a":{"type":"string","isArray":true,"minLength":3,"enum":["abc","abd"]}}"#;
    Texts::two(
        schema,
        format!(r#"{{"a":[{}]}}"#, many(size, |_| r#""abd""#.to_owned())),
    )
}
