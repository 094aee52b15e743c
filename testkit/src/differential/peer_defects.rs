//! Known defects of the peers, each with a witness.
//!
//! A rule looks at a disagreement after shrinking, so it can be narrow: the engine, the dialect,
//! the keywords that are left.

use serde_json::Value;

use crate::Dialect;

/// The rule that explains why `peer` disagrees on this shrunk pair.
#[must_use]
pub fn explain(
    peer: &str,
    dialect: Dialect,
    schema: &Value,
    instance: &Value,
) -> Option<&'static str> {
    let pair = Shrunk {
        peer,
        dialect,
        schema,
        instance,
    };
    RULES
        .iter()
        .find(|rule| (rule.holds)(&pair))
        .map(|rule| rule.witness)
}

/// The rule that explains why `peer` refuses a valid schema.
#[must_use]
pub fn explain_refusal(peer: &str, message: &str) -> Option<&'static str> {
    REFUSALS
        .iter()
        .find(|rule| rule.peer == peer && message.contains(rule.message))
        .map(|rule| rule.witness)
}

/// A disagreement after shrinking.
struct Shrunk<'a> {
    peer: &'a str,
    dialect: Dialect,
    schema: &'a Value,
    instance: &'a Value,
}

impl Shrunk<'_> {
    /// Whether an object in the schema has all of these members.
    fn together(&self, keywords: &[&str]) -> bool {
        let mut waiting = vec![self.schema];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(members) => {
                    if keywords
                        .iter()
                        .all(|keyword| members.contains_key(*keyword))
                    {
                        return true;
                    }
                    waiting.extend(members.values());
                }
                Value::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
        false
    }

    /// Whether each of these keywords occurs somewhere in the schema.
    fn mentions(&self, keywords: &[&str]) -> bool {
        keywords.iter().all(|keyword| self.together(&[keyword]))
    }

    /// Whether a `multipleOf` has a fraction.
    fn has_fractional_divisor(&self) -> bool {
        let mut waiting = vec![self.schema];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(members) => {
                    let divisor = members.get("multipleOf").and_then(Value::as_f64);
                    if divisor.is_some_and(|divisor| divisor.fract() != 0.0) {
                        return true;
                    }
                    waiting.extend(members.values());
                }
                Value::Array(items) => waiting.extend(items),
                _ => {}
            }
        }
        false
    }

    /// Whether the instance has a line end that ECMA-262's `.` does not match, but Rust's does.
    fn has_other_line_end(&self) -> bool {
        let text = self.instance.to_string();
        text.contains("\\r") || text.contains(['\u{2028}', '\u{2029}'])
    }

    /// Whether the instance has a whole number that is written with a fraction or an exponent.
    fn has_zero_fraction(&self) -> bool {
        let mut waiting = vec![self.instance];
        while let Some(value) = waiting.pop() {
            match value {
                Value::Object(members) => waiting.extend(members.values()),
                Value::Array(items) => waiting.extend(items),
                Value::Number(number) => {
                    let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
                    if whole && !number.is_i64() && !number.is_u64() {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

struct Rule {
    holds: fn(&Shrunk<'_>) -> bool,
    witness: &'static str,
}

struct RefusalRule {
    peer: &'static str,
    message: &'static str,
    witness: &'static str,
}

const RULES: [Rule; 6] = [
    Rule {
        holds: |pair| {
            pair.peer == "boon"
                && pair.dialect == Dialect::Draft4
                && pair.mentions(&["type"])
                && pair.has_zero_fraction()
        },
        witness: "boon takes 1.0 for an integer in draft-04; \
                  suite: draft4/optional/zeroTerminatedFloats.json",
    },
    Rule {
        holds: |pair| {
            pair.peer == "boon"
                && matches!(pair.dialect, Dialect::Draft6 | Dialect::Draft7)
                && pair.together(&["$ref", "const"])
        },
        witness: "boon applies `const` beside `$ref` in draft-06 and draft-07; \
                  suite: ref.json, \"ref overrides any sibling keywords\"",
    },
    Rule {
        holds: |pair| {
            pair.peer == "jsonschema"
                && pair.dialect == Dialect::Draft201909
                && pair.mentions(&["contains", "unevaluatedItems"])
        },
        witness: "jsonschema lets `contains` evaluate items in 2019-09; there `unevaluatedItems` \
                  depends on `items`, `additionalItems` and `unevaluatedItems` alone \
                  (core 2019-09 §9.3.1.3; `contains` came with 2020-12 §11.2)",
    },
    Rule {
        holds: |pair| pair.peer == "boon" && pair.has_fractional_divisor(),
        witness: "boon divides in doubles, where the quotient of a large number and a fraction \
                  rounds to an integer; validation 2020-12 §6.2.1 asks for the quotient itself",
    },
    Rule {
        holds: |pair| {
            pair.peer == "boon"
                && pair.mentions(&["propertyNames"])
                && ["$ref", "$recursiveRef", "$dynamicRef"]
                    .iter()
                    .any(|reference| pair.mentions(&[reference]))
        },
        witness: "boon takes a reference below `propertyNames` back to the schema for endless \
                  recursion; a name is another instance than the object (core 2020-12 §10.3.2.4)",
    },
    Rule {
        holds: |pair| {
            pair.has_other_line_end()
                && (pair.mentions(&["pattern"]) || pair.mentions(&["patternProperties"]))
        },
        witness: "`.` of both peers matches a carriage return and U+2028; ECMA-262 ends lines \
                  there too (§12.3, LineTerminator)",
    },
];

const REFUSALS: [RefusalRule; 0] = [];
