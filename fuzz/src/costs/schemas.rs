//! Schemas of any size, each with an instance that meets as much of it as it can.

use super::texts::{Texts, many, reversed};

/// How pieces are put in order.
type Order = fn(usize, fn(usize) -> String) -> String;

fn forward(size: usize, piece: fn(usize) -> String) -> String {
    many(size, piece)
}

fn backward(size: usize, piece: fn(usize) -> String) -> String {
    reversed(size, piece)
}

fn object(size: usize, order: Order, head: &str, tail: &str, piece: fn(usize) -> String) -> String {
    format!("{head}{}{tail}", order(size, piece))
}

/// Defines a family of schemas, and the same with its parts in reverse.
macro_rules! families {
    ($($name:ident $(, $reversed:ident)?: $head:expr, $piece:expr, $tail:expr;)+) => {
        $(
            pub(super) fn $name(size: usize) -> Texts {
                Texts::two(object(size, forward, $head, $tail, $piece), "{}")
            }
            $(pub(super) fn $reversed(size: usize) -> Texts {
                let old = object(size / 2, forward, $head, $tail, $piece);
                Texts::two(old, object(size / 2, backward, $head, $tail, $piece))
            })?
        )+
    };
}

families! {
    properties, properties_reversed: r#"{"type":"object","properties":{"#,
        |n| format!(r#""name_{n:06}":{{"type":"string","maxLength":{n}}}"#), "}}";
    described: r#"{"type":"object","properties":{"#,
        |n| format!(r#""p{n}":{{"type":"string","description":"The {n}th of many words."}}"#), "}}";
    enum_strings, enum_strings_reversed: r#"{"type":"object","properties":{"a":{"enum":["#,
        |n| format!(r#""value number {n} of a long enumeration of values""#), "]}}}";
    enum_objects, enum_objects_reversed: r#"{"type":"object","properties":{"a":{"enum":["#,
        |n| format!(r#"{{"x":[{n},{n},{n},{n},{n}],"y":"the same in all of them"}}"#), "]}}}";
    all_of, all_of_reversed: r#"{"type":"object","properties":{"a":{"allOf":["#,
        |n| format!(r#"{{"minLength":{},"maxLength":{n},"description":"{n}"}}"#, n % 7), "]}}}";
    tagged, tagged_reversed: r#"{"type":"object","properties":{"a":{"oneOf":["#,
        |n| format!(r#"{{"properties":{{"kind":{{"const":"k{n}"}},"v{n}":{{"type":"integer"}}}},"required":["kind"]}}"#), "]}}}";
    any_of, any_of_reversed: r#"{"type":"object","properties":{"a":{"anyOf":["#,
        |n| format!(r#"{{"type":"string","minLength":{n},"pattern":"^[a-z]+$"}}"#), "]}}}";
    required, required_reversed: r#"{"type":"object","required":["#,
        |n| format!(r#""property_name_{n}""#), "]}";
    patterns, patterns_reversed: r#"{"type":"object","patternProperties":{"#,
        |n| format!(r#""^x[0-9]+y{n}$":{{"type":"integer"}}"#), "}}";
    same_patterns: r#"{"type":"object","properties":{"#,
        |n| format!(r#""p{n}":{{"type":"string","pattern":"^[a-z]{{2}}-[0-9]+$"}}"#), "}}";
    dependent, dependent_reversed: r#"{"type":"object","dependentRequired":{"#,
        |n| format!(r#""a{n}":["a{}","b{n}"]"#, n + 1), "}}";
    unevaluated, unevaluated_reversed: r#"{"type":"object","unevaluatedProperties":false,"allOf":["#,
        |n| format!(r#"{{"properties":{{"u{n}":{{"type":"integer"}}}}}}"#), "]}";
    definitions, definitions_reversed: r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{"##,
        |n| format!(r#""d{n}":{{"type":"object","properties":{{"x":{{"type":"string"}}}}}}"#), "}}";
    uses: r##"{"type":"object","$defs":{"d":{"type":"string","minLength":1,"description":"shared"}},"properties":{"##,
        |n| format!(r##""p{n}":{{"$ref":"#/$defs/d"}}"##), "}}";
    formats: r#"{"type":"object","properties":{"#,
        |n| format!(r#""f{n}":{{"type":"string","format":"date-time","default":"2026-01-01T00:00:{:02}Z"}}"#, n % 60), "}}";
    numbers: r#"{"type":"object","properties":{"#,
        |n| format!(r#""n{n}":{{"minimum":-1.5e{n},"maximum":1.5e{n},"multipleOf":0.5}}"#), "}}";
    nested_data, nested_data_reversed: r#"{"type":"object","properties":{"a":{"default":["#,
        |n| format!(r#"{{"k{n}":[{n},null,true,"text"]}}"#), "]}}}";
    resources, resources_reversed: r#"{"type":"object","$defs":{"#,
        |n| format!(r#""r{n}":{{"$id":"http://example.com/r{n}","type":"integer","$anchor":"a{n}"}}"#), "}}";
    prefix_items, prefix_items_reversed: r#"{"type":"object","properties":{"a":{"prefixItems":["#,
        |n| format!(r#"{{"type":"integer","minimum":{n}}}"#), "]}}}";
    conditions, conditions_reversed: r#"{"type":"object","allOf":["#,
        |n| format!(r#"{{"if":{{"properties":{{"k":{{"const":{n}}}}}}},"then":{{"required":["r{n}"]}}}}"#), "]}";
    misspelled: r#"{"type":"object","properties":{"#,
        |n| format!(r#""property_name_number_{n:05}":{{"type":"string"}},"propertyname_numbr_{n:05}":{{"default":1}}"#), "}}";
}

/// A chain of references.
pub(super) fn chain(size: usize) -> Texts {
    let links = many(size, |n| {
        format!(r##""d{n}":{{"$ref":"#/$defs/d{}"}}"##, n + 1)
    });
    let last = links.matches("$ref").count();
    let schema = format!(
        r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d0"}}}},"$defs":{{{links},"d{last}":true}}}}"##
    );
    Texts::two(schema, r#"{"a":1}"#)
}

/// Names that are nearly those that are required.
pub(super) fn closest(size: usize) -> Texts {
    let names = many(size / 2, |n| {
        format!(r#""property_name_number_{n:05}":true"#)
    });
    let asked = many(size / 2, |n| format!(r#""propertyname_numbr_{n:05}""#));
    let schema = format!(r#"{{"type":"object","properties":{{{names}}},"required":[{asked}]}}"#);
    Texts::two(schema, "{}")
}

/// One text that takes the whole size.
pub(super) fn description(size: usize) -> Texts {
    let text = "words and more words, ".repeat(size / 22 + 1);
    Texts::two(
        format!(r#"{{"type":"object","description":"{text}"}}"#),
        "{}",
    )
}

/// A pattern that is as long as patterns may be.
pub(super) fn long_pattern(size: usize) -> Texts {
    let words = many(size.min(8_000), |n| format!("w{n}")).replace(',', "|");
    Texts::two(
        format!(r#"{{"type":"string","pattern":"^(?:{words})$"}}"#),
        "\"w1\"",
    )
}

/// All declared members become required, along chains of definitions.
pub(super) fn required_chain(size: usize) -> Texts {
    let declared = many(size / 6, |n| {
        format!(r##""p{n}":{{"$ref":"#/$defs/d{n}"}}"##)
    });
    let required = many(size / 6, |n| format!(r#""p{n}""#));
    let chain = many(size / 3, |n| match n % 150 {
        0 => format!(r#""d{n}":{{"type":"string"}}"#),
        _ => format!(r##""d{n}":{{"$ref":"#/$defs/d{}"}}"##, n - 1),
    });
    Texts::two(
        r#"{"type":"object","properties":{"q":{"type":"string"}}}"#.to_owned(),
        format!(
            r#"{{"type":"object","properties":{{{declared}}},"required":[{required}],"$defs":{{{chain}}}}}"#
        ),
    )
}

/// Properties before and many patterns after, which may meet any of their names.
pub(super) fn names_and_patterns(size: usize) -> Texts {
    let names = many(size / 2, |n| format!(r#""name{n}":{{"type":"string"}}"#));
    let patterns = many(size / 2, |n| {
        format!(r#""^x[0-9]+y{n}$":{{"type":"integer"}}"#)
    });
    Texts::two(
        format!(r#"{{"type":"object","properties":{{{names}}}}}"#),
        format!(r#"{{"type":"object","patternProperties":{{{patterns}}}}}"#),
    )
}

/// Definitions that each apply the one before twice, the first of which is a condition that a member
/// decides.
pub(super) fn doubled_conditions(size: usize) -> Texts {
    let condition = r#"{"if":{"properties":{"t":{"const":1}}},"then":{"minimum":5}}"#;
    let levels = (size / 500).clamp(4, 200);
    let links = (1..=levels).map(|n| {
        let before = n - 1;
        format!(
            r##","d{n}":{{"allOf":[{{"$ref":"#/$defs/d{before}"}},{{"$ref":"#/$defs/d{before}"}}]}}"##
        )
    });
    let links: String = links.collect();
    let schema = format!(r##"{{"$ref":"#/$defs/d{levels}","$defs":{{"d0":{condition}{links}}}}}"##);
    Texts::two(schema, "7")
}

/// A chain of definitions, each of which applies the next one twice beside keywords of its own, by
/// the presence of members.
pub(super) fn merged_dependents(size: usize) -> Texts {
    let level = |n: usize| {
        let next = n + 1;
        format!(
            r##""d{n}":{{"dependentSchemas":{{"a":{{"$ref":"#/$defs/d{next}","type":"object"}},"k":{{"$ref":"#/$defs/d{next}","items":{{"$ref":"#/$defs/d0"}}}}}},"properties":{{"a":{{"$ref":"#/$defs/d0","additionalProperties":{{"$ref":"#/$defs/d0"}}}}}}}}"##
        )
    };
    chained(size, level, r#"{"maxItems":3}"#, r#"{"a":{"k":[]}}"#)
}

/// A chain of definitions, each of which applies the next one twice in `allOf`, with a pattern.
pub(super) fn merged_patterns(size: usize) -> Texts {
    let level = |n: usize| {
        let next = n + 1;
        format!(
            r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}","minLength":1}}],"pattern":"a"}}"##
        )
    };
    chained(size, level, "{}", r#""abc""#)
}

/// Definitions `d0`, `d1` and so on, up to a last one, and an instance for the first.
fn chained(size: usize, level: impl Fn(usize) -> String, last: &str, instance: &str) -> Texts {
    let levels = (size / 100).clamp(4, 200);
    let levels: Vec<String> = (0..levels).map(level).collect();
    let schema = format!(
        r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d{}":{last}}}}}"##,
        levels.join(","),
        levels.len()
    );
    Texts::two(schema, instance)
}

/// Unions of unions of one object with many constants.
pub(super) fn nested_unions(size: usize) -> Texts {
    let names = many(size, |n| format!(r#""m{n}":{{"const":{n}}}"#));
    let same = |count: usize, name: &str| {
        let one = format!(r##"{{"$ref":"#/$defs/{name}"}}"##);
        vec![one; count].join(",")
    };
    let schema = format!(
        r##"{{"oneOf":[{}],"$defs":{{"a":{{"anyOf":[{}]}},"b":{{"anyOf":[{}]}},"c":{{"anyOf":[{}]}},"o":{{"properties":{{{names}}}}}}}}}"##,
        same(4, "a"),
        same(16, "b"),
        same(16, "c"),
        same(16, "o")
    );
    Texts::two(schema, r#"{"m1":1}"#)
}

/// A union of references to one union, whose branches list many values of one member.
pub(super) fn listed_values(size: usize) -> Texts {
    let branches = (0..16).map(|branch| {
        let values: Vec<String> = (0..64)
            .map(|n| format!(r#""value {branch} {n}""#))
            .collect();
        format!(
            r#"{{"properties":{{"t":{{"enum":[{}]}}}}}}"#,
            values.join(",")
        )
    });
    let branches: Vec<String> = branches.collect();
    let uses = many(size, |_| r##"{"$ref":"#/$defs/u"}"##.to_owned());
    let schema = format!(
        r##"{{"anyOf":[{uses}],"$defs":{{"u":{{"anyOf":[{}]}}}}}}"##,
        branches.join(",")
    );
    Texts::two(schema, r#"{"t":"value 1 1"}"#)
}

/// Definitions that each use the next one twice, as many as a schema may nest references.
pub(super) fn fan_out(size: usize) -> Texts {
    let levels = (size / 20_000).clamp(4, 50);
    let links = (0..levels).map(|n| {
        let next = n + 1;
        format!(
            r##""d{n}":{{"allOf":[{{"$ref":"#/$defs/d{next}"}},{{"$ref":"#/$defs/d{next}"}}]}}"##
        )
    });
    let links: Vec<String> = links.collect();
    let schema = format!(
        r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d{levels}":{{"type":"string","title":"t"}}}}}}"##,
        links.join(",")
    );
    Texts::two(schema, "1")
}
