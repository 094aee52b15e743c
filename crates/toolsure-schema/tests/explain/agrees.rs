//! Random schemas on random instances: the plain program and the optimised one never
//! disagree. The generator is deterministic; a failure names its seed. Every other schema
//! is without `unevaluated*`, every third without references.

#![expect(
    clippy::indexing_slicing,
    clippy::as_conversions,
    reason = "a panic is how a test fails, and the generator's numbers are small"
)]

use toolsure_schema::{Compiler, Dialect, OutputFormat, Report, Verdict, Workspace};

/// Small numbers that follow from a seed (xorshift64*).
struct Dice(u64, Keywords, References);

/// Which keywords a schema may have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keywords {
    All,
    NoUnevaluated,
}

/// Whether a schema has references.
#[derive(Clone, Copy, PartialEq, Eq)]
enum References {
    Some,
    None,
}

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.roll(list.len())]
    }
}

const NAMES: [&str; 6] = ["a", "b", "c", "ab", "x", LONG];
/// A name whose length is paid for.
const LONG: &str = "abcdefghijklmnopqrstuvwxyz_abcdefghijklmnopqrstuvwxyz";
/// Names that no instance has, with brackets and escapes.
const ABSENT: [&str; 4] = ["q{", "[\\\"]}", "\\u0061c", "n"];

fn instance(dice: &mut Dice, depth: usize) -> String {
    match dice.roll(if depth == 0 { 6 } else { 10 }) {
        0 => "null".to_owned(),
        1 => dice.pick(&["true", "false"]).to_owned(),
        2 => dice
            .pick(&["0", "1", "1.0", "2.5", "-3", "1e2", "0.1"])
            .to_owned(),
        3..=5 => format!("\"{}\"", dice.pick(&["", "a", "ab", "xyz", "1", "\u{e9}"])),
        6 | 7 => {
            let items: Vec<String> = (0..dice.roll(4))
                .map(|_| instance(dice, depth - 1))
                .collect();
            format!("[{}]", items.join(","))
        }
        _ => {
            let mut names = NAMES.to_vec();
            let members: Vec<String> = (0..dice.roll(4))
                .map(|_| {
                    let name = names.remove(dice.roll(names.len()));
                    format!("\"{name}\":{}", instance(dice, depth - 1))
                })
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn schema(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || dice.roll(12) == 0 {
        return dice
            .pick(&[
                "true",
                "false",
                "{}",
                r#"{"type":"string"}"#,
                r#"{"const":1}"#,
                r#"{"minimum":1}"#,
            ])
            .to_owned();
    }
    let mut keywords: Vec<(&str, String)> = Vec::new();
    for _ in 0..1 + dice.roll(4) {
        let (name, value) = keyword(dice, depth - 1);
        if !keywords.iter().any(|(known, _)| *known == name) {
            keywords.push((name, value));
        }
    }
    let members: Vec<String> = keywords
        .into_iter()
        .map(|(name, value)| format!("\"{name}\":{value}"))
        .collect();
    format!("{{{}}}", members.join(","))
}

fn keyword(dice: &mut Dice, depth: usize) -> (&'static str, String) {
    let list = |dice: &mut Dice| {
        let list: Vec<String> = (0..1 + dice.roll(3)).map(|_| schema(dice, depth)).collect();
        format!("[{}]", list.join(","))
    };
    let map = |dice: &mut Dice| {
        let mut names = NAMES.to_vec();
        let list: Vec<String> = (0..1 + dice.roll(3))
            .map(|_| {
                let name = names.remove(dice.roll(names.len()));
                format!("\"{name}\":{}", schema(dice, depth))
            })
            .collect();
        format!("{{{}}}", list.join(","))
    };
    let one = |dice: &mut Dice| schema(dice, depth);
    let properties = |dice: &mut Dice| {
        let mut names = [NAMES.as_slice(), &ABSENT].concat();
        let list: Vec<String> = (0..1 + dice.roll(9))
            .map(|_| {
                let name = names.remove(dice.roll(names.len()));
                format!("\"{name}\":{}", schema(dice, depth))
            })
            .collect();
        format!("{{{}}}", list.join(","))
    };
    match dice.roll(36) {
        0 => (
            "type",
            format!(
                "\"{}\"",
                dice.pick(&[
                    "null", "boolean", "integer", "number", "string", "array", "object"
                ])
            ),
        ),
        1 => ("type", r#"["string","object","array"]"#.to_owned()),
        2 => (
            "enum",
            format!("[{},{}]", instance(dice, 1), instance(dice, 1)),
        ),
        3 => ("const", instance(dice, 1)),
        4 => ("multipleOf", dice.pick(&["1", "0.5", "3"]).to_owned()),
        5 => ("maximum", dice.pick(&["1", "0.5", "100"]).to_owned()),
        6 => (
            "exclusiveMinimum",
            dice.pick(&["1", "-3", "0.1"]).to_owned(),
        ),
        7 => ("minLength", dice.roll(3).to_string()),
        8 => ("maxLength", dice.roll(3).to_string()),
        9 => (
            "pattern",
            format!("\"{}\"", dice.pick(&["^a", "b$", "x|y", "."])),
        ),
        10 => ("minItems", dice.roll(3).to_string()),
        11 => ("maxItems", dice.roll(3).to_string()),
        12 => ("uniqueItems", "true".to_owned()),
        13 => ("contains", one(dice)),
        14 => ("minContains", dice.roll(3).to_string()),
        15 => ("maxContains", dice.roll(3).to_string()),
        16 => ("minProperties", dice.roll(3).to_string()),
        17 => ("required", format!("[\"{}\"]", dice.pick(&NAMES))),
        18 => ("dependentRequired", r#"{"a":["b","c"]}"#.to_owned()),
        19 => ("dependentSchemas", map(dice)),
        20 => ("prefixItems", list(dice)),
        21 => ("items", one(dice)),
        22 | 23 => ("properties", properties(dice)),
        24 => ("patternProperties", format!("{{\"^a\":{}}}", one(dice))),
        25 => ("additionalProperties", one(dice)),
        26 => ("propertyNames", one(dice)),
        27 => ("allOf", list(dice)),
        28 => ("anyOf", list(dice)),
        29 => ("oneOf", list(dice)),
        30 => ("not", one(dice)),
        31 => ("if", one(dice)),
        32 => (dice.pick(&["then", "else"]), one(dice)),
        33 if dice.1 == Keywords::All => ("unevaluatedItems", one(dice)),
        34 if dice.1 == Keywords::All => ("unevaluatedProperties", one(dice)),
        _ if dice.2 == References::Some => ("$ref", format!("\"#/$defs/{}\"", dice.pick(&PLACES))),
        _ => ("title", r#""\"}{""#.to_owned()),
    }
}

#[test]
fn plain_evaluation_and_plan_agree() {
    let mut workspace = Workspace::new();
    let mut decided = [0_usize; 2];
    for seed in 1..=SCHEMAS {
        let keywords = match seed % 2 {
            0 => Keywords::All,
            _ => Keywords::NoUnevaluated,
        };
        let references = match seed % 3 {
            0 => References::None,
            _ => References::Some,
        };
        let mut dice = Dice(
            seed.wrapping_mul(0x9e37_79b9_7f4a_7c15),
            keywords,
            references,
        );
        let body = schema(&mut dice, 4);
        // A definition may apply itself to what is inside a value.
        let [p, q] = match references {
            References::Some => [r##"{"$ref":"#/$defs/p"}"##, r##"{"$ref":"#/$defs/q"}"##],
            References::None => ["{}", "{}"],
        };
        let defs = format!(
            r##"{{"p":{{"properties":{{"a":{p},"c":{}}},"anyOf":[{},{}]}},"q":{{"items":{q},"allOf":[{}]}}}}"##,
            schema(&mut dice, 1),
            schema(&mut dice, 1),
            schema(&mut dice, 1),
            schema(&mut dice, 1)
        );
        let text = format!(r#"{{"allOf":[{body}],"$defs":{defs}}}"#);
        let dialect = if seed % 5 == 0 {
            Dialect::Draft201909
        } else {
            Dialect::Draft202012
        };
        let compiler = Compiler::new().default_dialect(dialect);
        let Ok(schema) = compiler.compile(text.as_bytes()) else {
            continue;
        };
        for _ in 0..12 {
            let data = instance(&mut dice, 3);
            let plan = schema.check(&mut workspace, data.as_bytes()).unwrap();
            let report = schema.explain(&mut workspace, data.as_bytes()).unwrap();
            let about = format!("seed {seed}: {text}\n{data}\n{report:#?}");
            assert_eq!(report.verdict, plan, "{about}");
            // The branches of unions in unions share a number of findings.
            let many = report.findings.len() > 16;
            assert!(report.complete || many, "{about}");
            let invalid = plan == Verdict::Invalid;
            decided[usize::from(invalid)] += 1;
            assert_eq!(report.findings.is_empty(), !invalid, "{about}");
            assert_eq!(report.summary().to_string().is_empty(), !invalid, "{about}");
            for finding in &report.findings {
                assert!(finding.instance_span.is_some(), "{about}");
                let place = finding.source().span;
                assert!(
                    text.get(place).is_some_and(|text| !text.is_empty()),
                    "{about}"
                );
            }
            let value: serde_json::Value = serde_json::from_str(&data).unwrap();
            let other = schema.explain(&mut workspace, &value);
            assert_eq!(other.verdict, plan, "{about}");
            // Who says that it is invalid gets the same reasons, or none.
            let told = schema.explain_invalid(&mut workspace, &value);
            match invalid {
                true => assert_eq!(told, other, "{about}"),
                false => assert!(told.findings.is_empty() && !told.complete, "{about}"),
            }
            let mut for_one = Workspace::new().findings(1);
            let first = schema.explain(&mut for_one, &value);
            assert_eq!(first.findings.first(), other.findings.first(), "{about}");
            if invalid {
                // The first explanation of a schema lowers only what the instance needs.
                for most in [Report::FINDINGS, 1] {
                    let limited = |fuel| Workspace::new().findings(most).explanation_fuel(fuel);
                    let mut workspaces = [
                        Workspace::new().findings(most),
                        limited(1 + seed % 16),
                        limited(1 + seed % 64),
                    ];
                    for workspace in &mut workspaces {
                        let unused = compiler.compile(text.as_bytes()).unwrap();
                        let first = unused.explain(workspace, &value);
                        assert_eq!(first, schema.explain(workspace, &value), "{about}");
                    }
                }
            }
            let output = schema
                .output(&mut workspace, data.as_bytes(), OutputFormat::Detailed)
                .unwrap();
            let output: serde_json::Value = serde_json::from_str(&output).unwrap();
            assert_eq!(output["valid"], !invalid, "{about}");
        }
    }
    assert!(decided.iter().all(|count| *count > 10_000), "{decided:?}");
}

/// Where references lead: also to what an instance may lack.
const PLACES: [&str; 4] = ["p", "q", "p/properties/c", "p/properties/a"];
const SCHEMAS: u64 = 8_000;
