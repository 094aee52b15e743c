//! Publishes the same contract as a JSON Schema 2020-12 text.

use super::field::{ArgumentType, Choices, Field, Fields, Length, Range, Rule, is_number_form};
use super::text::{push_key, push_string};

/// The schema that accepts what [`super::check::check`] accepts.
pub(super) fn publish(fields: &Fields) -> String {
    let mut out = String::from("{");
    push_key(&mut out, "$schema");
    push_string(&mut out, "https://json-schema.org/draft/2020-12/schema");
    push_key(&mut out, "type");
    push_string(&mut out, "object");
    object(&mut out, fields);
    out.push('}');
    out
}

/// The recursion is as deep as the schema, which is bounded.
fn object(out: &mut String, fields: &Fields) {
    push_key(out, "properties");
    out.push('{');
    for field in fields.iter() {
        push_key(out, &field.name);
        property(out, field);
    }
    out.push('}');
    if fields.iter().any(|field| field.required) {
        push_key(out, "required");
        out.push('[');
        for (at, field) in fields.iter().filter(|field| field.required).enumerate() {
            if at > 0 {
                out.push(',');
            }
            push_string(out, &field.name);
        }
        out.push(']');
    }
}

fn property(out: &mut String, field: &Field) {
    out.push('{');
    rule(out, &field.rule);
    if let Some(text) = &field.description {
        push_key(out, "description");
        out.push_str(text);
    }
    if let Some(text) = &field.default {
        push_key(out, "default");
        out.push_str(text);
    }
    if field.deprecated {
        push_key(out, "deprecated");
        out.push_str("true");
    }
    out.push('}');
}

fn rule(out: &mut String, rule: &Rule) {
    let name = match rule.kind {
        Some(ArgumentType::Float) => Some("number"),
        Some(ArgumentType::Enum) | None => None,
        Some(kind) => Some(kind.name()),
    };
    if let Some(name) = name {
        push_key(out, "type");
        push_string(out, name);
    }
    if rule.takes_text() {
        counts(out, rule.length, "minLength", "maxLength");
        patterns(out, rule);
    }
    if rule.takes_numbers() {
        range(out, &rule.value);
    }
    if let Some(choices) = &rule.choices {
        push_key(out, "enum");
        members(out, choices);
    }
    if let Some(list) = &rule.list {
        counts(out, list.count, "minItems", "maxItems");
        push_key(out, "items");
        out.push('{');
        self::rule(out, &list.element);
        out.push('}');
    }
    if let Some(fields) = &rule.fields {
        object(out, fields);
    }
}

fn counts(out: &mut String, length: Length, least: &str, most: &str) {
    for (name, bound) in [(least, length.least), (most, length.most)] {
        if let Some(bound) = bound {
            push_key(out, name);
            out.push_str(&bound.to_string());
        }
    }
}

fn range(out: &mut String, range: &Range) {
    for (name, bound) in [("minimum", &range.least), ("maximum", &range.most)] {
        if let Some(bound) = bound {
            push_key(out, name);
            out.push_str(bound);
        }
    }
}

/// Writes one `pattern`, or an `allOf` if the element has its own pattern and one from its array.
fn patterns(out: &mut String, rule: &Rule) {
    match rule.patterns.as_slice() {
        [] => {}
        [one] => {
            push_key(out, "pattern");
            push_string(out, one.as_str());
        }
        several => {
            push_key(out, "allOf");
            out.push('[');
            for (at, pattern) in several.iter().enumerate() {
                out.push_str(if at > 0 { ",{" } else { "{" });
                push_key(out, "pattern");
                push_string(out, pattern.as_str());
                out.push('}');
            }
            out.push(']');
        }
    }
}

/// Writes every value that has one of the string forms: the string itself, and the number, boolean
/// or null that is written like it.
fn members(out: &mut String, choices: &Choices) {
    out.push('[');
    for (at, form) in choices.forms().iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_string(out, form);
        if is_number_form(form) || matches!(form.as_str(), "true" | "false" | "null") {
            out.push(',');
            out.push_str(form);
        }
    }
    out.push(']');
}
