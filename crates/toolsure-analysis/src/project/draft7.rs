//! What draft 7 reads more narrowly than 2020-12, and what is listed for its readers instead.
//!
//! | keywords of 2020-12 | read in draft 7 | listed |
//! |---|---|---|
//! | `prefixItems`, `items` | the first is ignored, the second applies to every item | `items: false` is `maxItems`; another `items` becomes `anyOf` of the tuple's schemas and itself |
//! | `contains`, `minContains: 0` | at least one item | without both, and without `maxContains` |
//! | `contains`, `minContains`, `maxContains` | only `contains` | the same |
//! | `$ref` and others beside it | the others are ignored, or hold too | the same |
//! | `unevaluatedProperties`, `unevaluatedItems`, `dependentRequired`, `dependentSchemas`, `$dynamicRef` | ignored | the same |
//! | `not` and `if` around any of these | what it ignores is refused, or applies elsewhere | without `not`; `then` and `else` become `anyOf` |
//! | `oneOf` around any of these | two branches may hold | `anyOf` |
//! | `additionalItems`, `id` | they have a meaning, which they do not have in 2020-12 | without them |
//! | `nullable` | an extension that some readers refuse beside no `type` | without it |
//! | `multipleOf` that is no binary fraction | computed with doubles: `1.13` is no multiple of `0.01` | without it |
//! | `format`, annotated here | asserted by most readers | without it |
//! | `formatMinimum` and its like, an extension | asserted by some, who refuse a schema that has it without `format` | without it |

use toolsure_json::Number;
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::tree::{Json, Members};
use super::unions::asserts;

/// Loosens a schema of 2020-12 whose references are JSON Pointers into it, until draft 7 reads nothing in it
/// more narrowly; returns whether it changed. `formats` tells whether formats are asserted.
pub(super) fn widened(schema: &mut Json, formats: bool) -> bool {
    let original = schema.clone();
    let mut loosener = Loosener::new(formats, true);
    loosener.schema(schema);
    if !loosener.exact {
        // A negation around a reference holds as before only if the target is read as before.
        *schema = original;
        loosener = Loosener::new(formats, false);
        loosener.schema(schema);
    }
    if loosener.evaluates_less {
        remove_unevaluated(schema);
    }
    loosener.changed
}

struct Loosener {
    formats: bool,
    /// Whether the targets of references are taken to be read as they are meant.
    trusts_references: bool,
    /// Whether everything so far is read as it is meant.
    exact: bool,
    changed: bool,
    /// Whether a keyword is gone that evaluated members or items.
    evaluates_less: bool,
}

impl Loosener {
    fn new(formats: bool, trusts_references: bool) -> Self {
        Self {
            formats,
            trusts_references,
            exact: true,
            changed: false,
            evaluates_less: false,
        }
    }

    /// Loosens a schema; returns whether the result accepts, in both dialects, what the schema accepted, and
    /// no more.
    fn schema(&mut self, schema: &mut Json) -> bool {
        let Json::Object(members) = schema else {
            return true;
        };
        let mut exact = self.own(members);
        for (keyword, value) in &mut members.list {
            if matches!(keyword.as_str(), "not" | "if" | "oneOf" | "contains") {
                continue;
            }
            let defines = matches!(keyword.as_str(), "$defs" | "definitions");
            let below = self.below(keyword, value);
            exact &= below || defines;
        }
        exact &= self.contains(members);
        exact &= self.not(members);
        exact &= self.conditional(members);
        exact &= self.one_of(members);
        self.exact &= exact;
        exact
    }

    /// The schemas in one keyword.
    fn below(&mut self, keyword: &str, value: &mut Json) -> bool {
        let mut exact = true;
        match (layout_in(Dialect::Draft202012, keyword), value) {
            (Some(SubschemaLayout::Map), Json::Object(map)) => {
                for (_, one) in &mut map.list {
                    exact &= self.schema(one);
                }
            }
            (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                for one in list {
                    exact &= self.schema(one);
                }
            }
            (Some(SubschemaLayout::Schemas), one) => exact &= self.schema(one),
            _ => {}
        }
        exact
    }

    /// The keywords of one schema that have no negation.
    fn own(&mut self, members: &mut Members) -> bool {
        let mut exact = true;
        let mut gone = |members: &mut Members, keyword: &str| {
            let found = members.take(keyword).is_some();
            self.changed |= found;
            found
        };
        for keyword in MEANINGLESS {
            gone(members, keyword);
        }
        if !self.formats {
            gone(members, "format");
        }
        let rough = members
            .get("multipleOf")
            .is_some_and(|step| !step.number().is_some_and(is_binary));
        if rough {
            exact &= !gone(members, "multipleOf");
        }
        if members.has("$ref") {
            let beside = |(name, _): &(String, Json)| name != "$ref" && asserts(name);
            exact &= self.trusts_references && !members.list.iter().any(beside);
        }
        exact &= !IGNORED.iter().any(|keyword| members.has(keyword));
        if let Some(tuple @ Json::Array(_)) = members.get("prefixItems").cloned() {
            exact = false;
            match members.get("items").cloned() {
                None | Some(Json::Bool(true)) => {}
                Some(Json::Bool(false)) => {
                    self.changed = true;
                    let count = tuple.items().len();
                    let own = members.get("maxItems").and_then(Json::number);
                    let count = count.to_string();
                    let less = Number::parse(&count)
                        .zip(own)
                        .is_none_or(|(count, own)| count.compare(&own).is_lt());
                    if less {
                        members.replace("items", "maxItems", Json::Number(count));
                    } else {
                        members.take("items");
                    }
                }
                Some(rest) => {
                    self.changed = true;
                    let mut all = tuple.items().to_vec();
                    all.push(rest);
                    let each = Members::only("anyOf", Json::Array(all));
                    members.set("items", Json::Object(each));
                }
            }
        }
        exact
    }

    fn contains(&mut self, members: &mut Members) -> bool {
        let none = members.get("minContains").and_then(Json::count) == Some(0);
        if none && members.has("contains") {
            for keyword in ["contains", "minContains", "maxContains"] {
                members.take(keyword);
            }
            self.changed = true;
            self.evaluates_less = true;
            return false;
        }
        let counts = members.has("minContains") || members.has("maxContains");
        let Some(value) = members.get_mut("contains") else {
            return true;
        };
        let exact = self.schema(value);
        if !exact && members.take("maxContains").is_some() {
            self.changed = true;
        }
        exact && !counts
    }

    fn not(&mut self, members: &mut Members) -> bool {
        let Some(value) = members.get_mut("not") else {
            return true;
        };
        if self.schema(value) {
            return true;
        }
        members.take("not");
        self.changed = true;
        false
    }

    fn conditional(&mut self, members: &mut Members) -> bool {
        let Some(condition) = members.get_mut("if") else {
            return true;
        };
        if self.schema(condition) {
            return true;
        }
        members.take("if");
        self.changed = true;
        self.evaluates_less = true;
        if let (Some(then), Some(other)) = (members.take("then"), members.take("else")) {
            both_or(members, vec![then, other]);
        }
        false
    }

    fn one_of(&mut self, members: &mut Members) -> bool {
        let Some(Json::Array(branches)) = members.get_mut("oneOf") else {
            return true;
        };
        let mut exact = true;
        for branch in branches {
            exact &= self.schema(branch);
        }
        if exact {
            return true;
        }
        if let Some(Json::Array(branches)) = members.take("oneOf") {
            both_or(members, branches);
            self.changed = true;
        }
        false
    }
}

/// Adds that one of these schemas must hold.
fn both_or(members: &mut Members, branches: Vec<Json>) {
    if !members.has("anyOf") {
        members.set("anyOf", Json::Array(branches));
        return;
    }
    let union = Json::Object(Members::only("anyOf", Json::Array(branches)));
    match members.get_mut("allOf") {
        Some(Json::Array(all)) => all.push(union),
        _ => members.set("allOf", Json::Array(vec![union])),
    }
}

/// `unevaluated*` refuses what a keyword that is gone evaluated.
fn remove_unevaluated(schema: &mut Json) {
    let Json::Object(members) = schema else {
        return;
    };
    for keyword in ["unevaluatedProperties", "unevaluatedItems"] {
        members.take(keyword);
    }
    for (keyword, value) in &mut members.list {
        match (layout_in(Dialect::Draft202012, keyword), value) {
            (Some(SubschemaLayout::Map), Json::Object(map)) => {
                for (_, one) in &mut map.list {
                    remove_unevaluated(one);
                }
            }
            (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                list.iter_mut().for_each(remove_unevaluated);
            }
            (Some(SubschemaLayout::Schemas), one) => remove_unevaluated(one),
            _ => {}
        }
    }
}

/// Whether dividing a multiple of the number by it is exact for doubles: a multiple of 2^-20.
fn is_binary(number: Number<'_>) -> bool {
    Number::parse("0.00000095367431640625").is_some_and(|unit| number.is_multiple_of(unit))
}

/// Keywords that have no meaning in 2020-12.
const MEANINGLESS: [&str; 7] = [
    "additionalItems",
    "id",
    "nullable",
    "formatMinimum",
    "formatMaximum",
    "formatExclusiveMinimum",
    "formatExclusiveMaximum",
];
/// Keywords that draft 7 does not have and that can reject a value.
const IGNORED: &[&str] = &[
    "unevaluatedProperties",
    "unevaluatedItems",
    "dependentRequired",
    "dependentSchemas",
    "$dynamicRef",
    "$recursiveRef",
];
