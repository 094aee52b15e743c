//! Fills in defaults, and finds deprecated arguments (extensions).

use toolsure_json::{Kind, Node as _, View};

use super::field::{Fields, Rule};
use super::text::push_string;

/// The arguments with the missing defaults, if any are missing.
pub(super) fn with_defaults(fields: &Fields, arguments: View<'_>) -> Option<String> {
    let mut inserts = Vec::new();
    in_object(fields, arguments, &mut inserts);
    if inserts.is_empty() {
        return None;
    }
    let source = arguments.document().source();
    let span = arguments.span();
    let mut out = String::with_capacity(source.len());
    let mut from = span.start;
    for (at, text) in &inserts {
        out.push_str(source.get(from..*at).unwrap_or_default());
        out.push_str(text);
        from = *at;
    }
    out.push_str(source.get(from..span.end).unwrap_or_default());
    Some(out)
}

/// The names of the deprecated properties in the arguments.
pub(super) fn deprecated<'s>(fields: &'s Fields, arguments: View<'_>) -> Vec<&'s str> {
    let mut found = Vec::new();
    used(fields, arguments, &mut found);
    found
}

/// Collects what to insert where, in source order. The recursion is as deep as the schema, which is
/// bounded.
fn in_object(fields: &Fields, object: View<'_>, inserts: &mut Vec<(usize, String)>) {
    if object.kind() != Kind::Object {
        return;
    }
    let values = fields.values(object);
    let mut present: Vec<(usize, &Rule, View<'_>)> = fields
        .iter()
        .zip(&values)
        .filter_map(|(field, value)| value.map(|value| (value.span().start, &field.rule, value)))
        .collect();
    present.sort_by_key(|(start, ..)| *start);
    for (_, rule, value) in present {
        in_value(rule, value, inserts);
    }
    let mut text = String::new();
    for (field, value) in fields.iter().zip(&values) {
        if let (None, Some(default)) = (value, &field.default) {
            if !(text.is_empty() && object.is_empty()) {
                text.push(',');
            }
            push_string(&mut text, &field.name);
            text.push(':');
            text.push_str(default);
        }
    }
    if !text.is_empty() {
        inserts.push((object.span().end.saturating_sub(1), text));
    }
}

fn in_value(rule: &Rule, value: View<'_>, inserts: &mut Vec<(usize, String)>) {
    if let Some(fields) = &rule.fields {
        in_object(fields, value, inserts);
    }
    if let Some(list) = &rule.list {
        for item in value.items() {
            in_value(&list.element, item, inserts);
        }
    }
}

fn used<'s>(fields: &'s Fields, object: View<'_>, found: &mut Vec<&'s str>) {
    for (field, value) in fields.iter().zip(fields.values(object)) {
        let Some(value) = value else { continue };
        if field.deprecated && !found.contains(&field.name.as_str()) {
            found.push(&field.name);
        }
        used_in(&field.rule, value, found);
    }
}

fn used_in<'s>(rule: &'s Rule, value: View<'_>, found: &mut Vec<&'s str>) {
    if let Some(fields) = &rule.fields {
        used(fields, value, found);
    }
    if let Some(list) = &rule.list
        && (list.element.fields.is_some() || list.element.list.is_some())
    {
        for item in value.items() {
            used_in(&list.element, item, found);
        }
    }
}
