//! Publishes the same contract as a JSON Schema 2020-12 text.

use super::check::values;
use super::field::{ArgumentType, Choices, Field, Fields, Length, Range, Rule};
use super::text::{push_key, push_string};

/// The schema that accepts what [`super::check::check`] accepts. `fuel` bounds the work of leaving
/// out `enum` values that cannot match.
pub(super) fn publish(fields: &Fields, fuel: u64) -> String {
    let mut publisher = Publisher {
        out: String::from("{"),
        fuel,
    };
    push_key(&mut publisher.out, "$schema");
    push_string(
        &mut publisher.out,
        "https://json-schema.org/draft/2020-12/schema",
    );
    push_key(&mut publisher.out, "type");
    push_string(&mut publisher.out, "object");
    publisher.object(fields);
    publisher.out.push('}');
    publisher.out
}

struct Publisher {
    out: String,
    fuel: u64,
}

impl Publisher {
    /// The recursion is as deep as the schema, which is bounded.
    fn object(&mut self, fields: &Fields) {
        push_key(&mut self.out, "properties");
        self.out.push('{');
        for field in fields.iter() {
            push_key(&mut self.out, &field.name);
            self.property(field);
        }
        self.out.push('}');
        if fields.iter().any(|field| field.required) {
            push_key(&mut self.out, "required");
            self.out.push('[');
            for (at, field) in fields.iter().filter(|field| field.required).enumerate() {
                if at > 0 {
                    self.out.push(',');
                }
                push_string(&mut self.out, &field.name);
            }
            self.out.push(']');
        }
    }

    fn property(&mut self, field: &Field) {
        self.out.push('{');
        self.rule(&field.rule);
        if let Some(text) = &field.description {
            push_key(&mut self.out, "description");
            self.out.push_str(text);
        }
        if let Some(text) = &field.default {
            push_key(&mut self.out, "default");
            self.out.push_str(text);
        }
        if field.deprecated {
            push_key(&mut self.out, "deprecated");
            self.out.push_str("true");
        }
        self.out.push('}');
    }

    fn rule(&mut self, rule: &Rule) {
        let name = match rule.kind {
            Some(ArgumentType::Float) => Some("number"),
            Some(ArgumentType::Enum) | None => None,
            Some(kind) => Some(kind.name()),
        };
        if let Some(name) = name {
            push_key(&mut self.out, "type");
            push_string(&mut self.out, name);
        }
        if rule.takes_text() {
            counts(&mut self.out, rule.length, "minLength", "maxLength");
            patterns(&mut self.out, rule);
        }
        if rule.takes_numbers() {
            range(&mut self.out, &rule.value);
        }
        if let Some(choices) = &rule.choices {
            self.members(rule, choices);
        }
        if let Some(list) = &rule.list {
            counts(&mut self.out, list.count, "minItems", "maxItems");
            push_key(&mut self.out, "items");
            self.out.push('{');
            self.rule(&list.element);
            self.out.push('}');
        }
        if let Some(fields) = &rule.fields {
            self.object(fields);
        }
    }

    /// Writes every value that has one of the string forms and that the rule accepts: the string
    /// itself, and the number, boolean or null that is written like it.
    fn members(&mut self, rule: &Rule, choices: &Choices) {
        let list: Vec<String> = choices
            .forms()
            .iter()
            .flat_map(|form| values(rule, form, &mut self.fuel))
            .collect();
        if list.is_empty() {
            // why: some readers refuse an `enum` without values.
            push_key(&mut self.out, "not");
            self.out.push_str("{}");
        } else {
            push_key(&mut self.out, "enum");
            self.out.push('[');
            self.out.push_str(&list.join(","));
            self.out.push(']');
        }
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
