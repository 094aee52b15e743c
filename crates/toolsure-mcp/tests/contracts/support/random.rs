//! Schemas and values at random, the same on every machine.

#![expect(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails"
)]

use std::fmt::Write as _;

/// A generator of numbers (xorshift64*).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % most.max(1)
    }

    pub(crate) fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[usize::try_from(self.below(u64::try_from(of.len()).unwrap())).unwrap()]
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A value of few types and few names, so that schemas hit it often.
pub(crate) fn value(random: &mut Random, depth: u64) -> String {
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 => "null".to_owned(),
        1 => random.one(&["true", "false"]).to_owned(),
        2 => random.one(&["0", "1", "2", "3.5", "-1", "1e2"]).to_owned(),
        3 | 4 => random.one(&["\"\"", "\"a\"", "\"b\"", "\"#\""]).to_owned(),
        5 | 6 => {
            let items: Vec<String> = (0..random.below(4))
                .map(|_| value(random, depth - 1))
                .collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let mut members = Vec::new();
            for name in ["a", "b", "$ref", "result"] {
                if random.chance(40) {
                    members.push(format!("\"{name}\":{}", value(random, depth - 1)));
                }
            }
            format!("{{{}}}", members.join(","))
        }
    }
}

/// The ways of the dialects that references go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ways {
    Newest,
    Recursive,
    Seven,
    Four,
}

impl Ways {
    pub(crate) const ALL: [Self; 4] = [Self::Newest, Self::Recursive, Self::Seven, Self::Four];

    fn head(self) -> &'static str {
        match self {
            Self::Newest => "",
            Self::Recursive => r#""$schema":"https://json-schema.org/draft/2019-09/schema","#,
            Self::Seven => r#""$schema":"http://json-schema.org/draft-07/schema#","#,
            Self::Four => r#""$schema":"http://json-schema.org/draft-04/schema#","#,
        }
    }

    fn shelf(self) -> &'static str {
        match self {
            Self::Newest | Self::Recursive => "$defs",
            Self::Seven | Self::Four => "definitions",
        }
    }
}

/// A root schema whose references lead all over it.
pub(crate) fn schema(random: &mut Random, ways: Ways) -> String {
    let mut out = String::from("{");
    out.push_str(ways.head());
    if random.chance(15) {
        let keyword = if ways == Ways::Four { "id" } else { "$id" };
        let _ = write!(out, "\"{keyword}\":\"https://x.invalid/root\",");
    }
    if ways == Ways::Recursive && random.chance(40) {
        out.push_str(r#""$recursiveAnchor":true,"#);
    }
    let _ = write!(out, "\"{}\":{{", ways.shelf());
    for name in ["x", "y", "a/b"] {
        let _ = write!(out, "\"{name}\":{},", object(random, ways, 2));
    }
    match ways {
        Ways::Newest => {
            let _ = write!(
                out,
                "\"n\":{{\"$anchor\":\"n\",{}}},",
                inside(random, ways, 1)
            );
            let _ = write!(
                out,
                "\"e\":{{\"$id\":\"item\",\"$defs\":{{\"x\":{{\"type\":\"string\"}}}},{}}}",
                inside(random, ways, 1)
            );
        }
        Ways::Recursive => out.push_str(
            r##""e":{"$id":"item","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}"##,
        ),
        Ways::Seven => {
            let _ = write!(out, "\"n\":{{\"$id\":\"#n\",{}}}", inside(random, ways, 1));
        }
        Ways::Four => out.push_str(r#""n":{"type":"string"}"#),
    }
    let _ = write!(
        out,
        "}},\"unknown\":{{\"deep\":{}}},",
        object(random, ways, 1)
    );
    out.push_str(&inside(random, ways, 3));
    out.push('}');
    out
}

fn object(random: &mut Random, ways: Ways, depth: u64) -> String {
    if ways != Ways::Four && random.chance(8) {
        return random.one(&["true", "false"]).to_owned();
    }
    format!("{{{}}}", inside(random, ways, depth))
}

fn inside(random: &mut Random, ways: Ways, depth: u64) -> String {
    let mut members: Vec<String> = vec!["\"title\":\"t\"".to_owned()];
    if random.chance(35) {
        let kind = random.one(&[
            "\"object\"",
            "\"array\"",
            "\"string\"",
            "\"integer\"",
            "[\"object\",\"null\"]",
        ]);
        members.push(format!("\"type\":{kind}"));
    }
    if random.chance(35) {
        members.push(reference(random, ways));
    }
    let sub = |random: &mut Random| object(random, ways, depth.saturating_sub(1));
    if depth > 0 {
        if random.chance(40) {
            let (a, b) = (sub(random), sub(random));
            members.push(format!("\"properties\":{{\"a\":{a},\"$ref\":{b}}}"));
        }
        if random.chance(25) {
            members.push(format!("\"items\":{}", sub(random)));
        }
        if random.chance(30) {
            let keyword = random.one(&["anyOf", "oneOf", "allOf"]);
            members.push(format!("\"{keyword}\":[{},{}]", sub(random), sub(random)));
        }
        if random.chance(12) {
            members.push(format!("\"not\":{}", sub(random)));
        }
        if random.chance(12) && ways != Ways::Four {
            members.push(format!("\"if\":{},\"then\":{}", sub(random), sub(random)));
        }
        if random.chance(12) && matches!(ways, Ways::Newest | Ways::Recursive) {
            let keyword = random.one(&["unevaluatedProperties", "unevaluatedItems"]);
            members.push(format!("\"{keyword}\":{}", sub(random)));
        }
    }
    if random.chance(15) {
        members.push(
            random
                .one(&[
                    "\"minProperties\":1",
                    "\"maxItems\":2",
                    "\"minLength\":1",
                    "\"maximum\":2",
                ])
                .to_owned(),
        );
    }
    if random.chance(10) {
        let value = value(random, 2);
        members.push(format!("\"enum\":[{value},{{\"$ref\":\"#\"}}]"));
    }
    members.join(",")
}

fn reference(random: &mut Random, ways: Ways) -> String {
    let known: &[&str] = match ways {
        Ways::Newest => &[
            "#",
            "",
            "#/$defs/x",
            "#/$defs/y",
            "#/%24defs/x",
            "#/$defs/a~1b",
            "#/unknown/deep",
            "#n",
            "item",
            "item#/$defs/x",
            "#/$defs/e",
            "#/properties/a",
        ],
        Ways::Recursive => &[
            "#",
            "#/$defs/x",
            "#/$defs/y",
            "#/$defs/a~1b",
            "#/unknown/deep",
            "item",
            "#/$defs/e",
        ],
        Ways::Seven => &[
            "#",
            "",
            "#/definitions/x",
            "#/definitions/y",
            "#n",
            "#/unknown/deep",
        ],
        Ways::Four => &[
            "#",
            "#/definitions/x",
            "#/definitions/y",
            "#/definitions/a~1b",
        ],
    };
    let keyword = match (ways, random.below(10)) {
        (Ways::Recursive, 0..=3) => return r##""$recursiveRef":"#""##.to_owned(),
        (Ways::Newest, 0..=1) => "$dynamicRef",
        _ => "$ref",
    };
    format!("\"{keyword}\":\"{}\"", random.one(known))
}
