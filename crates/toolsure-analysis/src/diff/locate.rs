//! Where in a tool's text a change is.

use std::ops::Range;

use toolsure_generate::Step;
use toolsure_json::{Kind, Node as _, View};

use super::document::Doc;

/// The span of the subschema for a location in the values, or of the closest one above it that is there.
/// `member` is a property of the objects at the location.
pub(super) fn span(doc: &Doc<'_>, place: &[Step], member: Option<&str>) -> Range<usize> {
    let member = member.map(|name| Step::Name(name.to_owned()));
    let mut schema = doc.root;
    for step in place.iter().chain(&member) {
        match part(doc, schema, step) {
            Some(found) => schema = found,
            None => break,
        }
    }
    let span = schema.span();
    span.start..span.end
}

/// The first subschema for a part of the values of a schema, which may be in schemas that hold for the same
/// values.
fn part<'a>(doc: &Doc<'a>, schema: View<'a>, step: &Step) -> Option<View<'a>> {
    let mut todo = vec![schema];
    for _ in 0..MOST_SCHEMAS {
        let one = todo.pop()?;
        let own = own_part(doc, one, step);
        if own.is_some() {
            return own;
        }
        for keyword in ["else", "then", "oneOf", "anyOf", "allOf"] {
            let held = doc.keyword(one, keyword);
            match held {
                Some(held) if held.kind() == Kind::Array => todo.extend(held.items()),
                Some(held) => todo.push(held),
                None => {}
            }
        }
        let reference = doc.keyword(one, "$ref");
        todo.extend(reference.and_then(|reference| doc.resolve(reference.string())));
    }
    None
}

fn own_part<'a>(doc: &Doc<'a>, schema: View<'a>, step: &Step) -> Option<View<'a>> {
    let object = |keyword| {
        let held = doc.keyword(schema, keyword);
        held.filter(|held| held.kind() == Kind::Object)
    };
    let item = |keyword, index: usize| {
        let held = doc.keyword(schema, keyword)?;
        (held.kind() == Kind::Array).then(|| held.items().nth(index))?
    };
    match step {
        Step::Name(name) => doc.lookup.member(object("properties")?, name),
        Step::AnyName => object("additionalProperties").or_else(|| {
            let patterns = object("patternProperties")?;
            patterns.members().next().map(|(_, schema)| schema)
        }),
        Step::Index(index) => item("prefixItems", *index).or_else(|| item("items", *index)),
        Step::AnyItem => object("items").or_else(|| object("additionalItems")),
    }
}

/// Schemas that are searched for one part.
const MOST_SCHEMAS: usize = 100;
