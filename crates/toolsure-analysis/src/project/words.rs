//! Describes keywords in words that a model can follow.

use toolsure_json::json_string;

use super::tree::{Json, Members};

/// What a keyword requires, as one sentence. `members` is the schema that has it.
pub(super) fn of(keyword: &str, value: &Json, members: &Members) -> String {
    let json = || value.write();
    let plural = |what: &str| match value.count() {
        Some(1) => format!("1 {what}"),
        _ => format!("{} {what}s", json()),
    };
    match keyword {
        "minLength" => format!("At least {}.", plural("character")),
        "maxLength" => format!("At most {}.", plural("character")),
        "pattern" => format!(
            "Must match the regular expression `{}`.",
            value.as_text().unwrap_or_default()
        ),
        "format" => format!("Format: {}.", value.as_text().unwrap_or_default()),
        "minimum" => format!("Must be at least {}.", json()),
        "maximum" => format!("Must be at most {}.", json()),
        "exclusiveMinimum" => format!("Must be greater than {}.", json()),
        "exclusiveMaximum" => format!("Must be less than {}.", json()),
        "multipleOf" => format!("Must be a multiple of {}.", json()),
        "minItems" => format!("At least {}.", plural("item")),
        "maxItems" => format!("At most {}.", plural("item")),
        "uniqueItems" => "No two items may be equal.".to_owned(),
        "minProperties" => format!("At least {}.", plural("member")),
        "maxProperties" => format!("At most {}.", plural("member")),
        "contains" => contains(value, members),
        "propertyNames" => format!("The name of each member must match {}.", schema(value)),
        "patternProperties" => {
            let all = members.map(keyword).iter();
            let one =
                |(name, of): &(String, Json)| format!("names that match `{name}`: {}", schema(of));
            match all.len() {
                0 => String::new(),
                _ => format!(
                    "Members by {}.",
                    all.map(one).collect::<Vec<_>>().join("; ")
                ),
            }
        }
        "dependentRequired" => {
            let all = members.map(keyword).iter();
            let one = |(name, names): &(String, Json)| {
                format!(
                    "If {} is given, {} must be given too.",
                    json_string(name),
                    list(names.texts())
                )
            };
            all.map(one).collect::<Vec<_>>().join(" ")
        }
        "dependentSchemas" => {
            let all = members.map(keyword).iter();
            let one = |(name, of): &(String, Json)| {
                format!(
                    "If {} is given, the value must match {}.",
                    json_string(name),
                    schema(of)
                )
            };
            all.map(one).collect::<Vec<_>>().join(" ")
        }
        "additionalProperties" => match value {
            Json::Bool(false) => "No other members.".to_owned(),
            Json::Bool(true) => "Other members are allowed.".to_owned(),
            other => format!("Other members must match {}.", schema(other)),
        },
        "unevaluatedProperties" => match value {
            Json::Bool(false) => "No other members.".to_owned(),
            other => format!("Other members must match {}.", schema(other)),
        },
        "unevaluatedItems" => match value {
            Json::Bool(false) => "No other items.".to_owned(),
            other => format!("Other items must match {}.", schema(other)),
        },
        "prefixItems" => {
            let items = value.items().iter().enumerate();
            let one = |(at, of): (usize, &Json)| format!("item {}: {}", at + 1, schema(of));
            format!(
                "In order, {}.",
                items.map(one).collect::<Vec<_>>().join("; ")
            )
        }
        "items" => format!("Items must match {}.", schema(value)),
        "not" => not(value),
        "if" => conditional(members),
        "required" => format!("{} must be given.", list(value.texts())),
        "type" => format!("Type: {}.", json()),
        "const" => format!("Must be {}.", json()),
        "enum" => {
            let values: Vec<String> = value.items().iter().map(Json::write).collect();
            format!("One of: {}.", values.join(", "))
        }
        "allOf" => format!("Must match each of {}.", schemas(value)),
        "anyOf" => alternatives("At least one", value),
        "oneOf" => alternatives("Exactly one", value),
        "default" => format!("Default: {}.", json()),
        "examples" => {
            let values: Vec<String> = value.items().iter().map(Json::write).collect();
            format!("Examples: {}.", values.join(", "))
        }
        "deprecated" => "Deprecated.".to_owned(),
        "readOnly" => "Read only.".to_owned(),
        "writeOnly" => "Write only.".to_owned(),
        "contentEncoding" => format!("Encoding: {}.", value.as_text().unwrap_or_default()),
        "contentMediaType" => format!("Media type: {}.", value.as_text().unwrap_or_default()),
        _ => format!("{}: {}.", json_string(keyword), json()),
    }
}

/// Names as a list in a sentence: `"a"`, `"b"` and `"c"`.
pub(super) fn list<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let quoted: Vec<String> = names.into_iter().map(json_string).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
    }
}

fn schema(value: &Json) -> String {
    format!("the JSON Schema {}", value.write())
}

fn schemas(value: &Json) -> String {
    format!("the JSON Schemas {}", value.write())
}

fn contains(value: &Json, members: &Members) -> String {
    let least = members.get("minContains").and_then(Json::count);
    let most = members.get("maxContains").and_then(Json::count);
    let count = match (least.unwrap_or(1), most) {
        (least, Some(most)) => format!("From {least} to {most} items"),
        (1, None) => "At least one item".to_owned(),
        (least, None) => format!("At least {least} items"),
    };
    format!("{count} must match {}.", schema(value))
}

fn not(value: &Json) -> String {
    if let Some(members) = value.as_object()
        && let [(name, only)] = members.list.as_slice()
    {
        match name.as_str() {
            "required" if only.items().len() == 1 => {
                return format!("{} must not be given.", list(only.texts()));
            }
            "required" => return format!("{} must not be given together.", list(only.texts())),
            "const" => return format!("Must not be {}.", only.write()),
            "enum" => {
                let values: Vec<String> = only.items().iter().map(Json::write).collect();
                return format!("Must not be one of: {}.", values.join(", "));
            }
            _ => {}
        }
    }
    format!("Must not match {}.", schema(value))
}

fn conditional(members: &Members) -> String {
    let Some(condition) = members.get("if") else {
        return String::new();
    };
    let part = |keyword| members.get(keyword).map(schema);
    match (part("then"), part("else")) {
        (Some(then), Some(other)) => format!(
            "If the value matches {}, it must match {then}; otherwise it must match {other}.",
            schema(condition)
        ),
        (Some(then), None) => format!(
            "If the value matches {}, it must match {then}.",
            schema(condition)
        ),
        (None, Some(other)) => format!(
            "If the value does not match {}, it must match {other}.",
            schema(condition)
        ),
        (None, None) => String::new(),
    }
}

/// A union in words, shorter if its branches only require members.
fn alternatives(how_many: &str, value: &Json) -> String {
    let only_required = |branch: &Json| {
        let members = branch.as_object()?;
        match members.list.as_slice() {
            [(name, names)] if name == "required" => Some(list(names.texts())),
            _ => None,
        }
    };
    let sets: Option<Vec<String>> = value.items().iter().map(only_required).collect();
    match sets {
        Some(sets) => format!("{how_many} of these must be given: {}.", sets.join("; or ")),
        None => format!("{how_many} of these must match: {}.", schemas(value)),
    }
}
