//! Collects which members and items the keywords of a schema evaluate.

use std::collections::HashSet;
use std::rc::Rc;

use toolsure_json::{Key as _, Kind, Node as _, View};
use toolsure_syntax::Keyword;

use super::document::Doc;
use super::evaluated::{Evaluated, Reach};
use super::tuple::{rest, tuple_length};

/// What the keywords beside `unevaluated…` in `schema` evaluate. Collected once for each schema.
pub(super) fn evaluated<'a>(doc: &Doc<'a>, schema: View<'a>, reach: Reach) -> Rc<Evaluated<'a>> {
    let key = (schema.id().index(), reach);
    if let Some(known) = doc.evaluated.borrow().get(&key) {
        return Rc::clone(known);
    }
    let found = Rc::new(collect(doc, schema, reach));
    doc.evaluated.borrow_mut().insert(key, Rc::clone(&found));
    found
}

fn collect<'a>(doc: &Doc<'a>, schema: View<'a>, reach: Reach) -> Evaluated<'a> {
    let mut found = Evaluated::default();
    let mut seen: HashSet<usize> = HashSet::new();
    let mut todo = vec![schema];
    while let Some(one) = todo.pop() {
        if one.kind() != Kind::Object || !seen.insert(one.id().index()) {
            continue;
        }
        if seen.len() > MOST_SCHEMAS {
            stop(&mut found, reach);
            return found;
        }
        own_keywords(&mut found, doc, one, one.id() == schema.id(), reach);
        for keyword in Keyword::ALL
            .iter()
            .filter(|keyword| follows(reach, **keyword))
        {
            todo.extend(doc.subschemas(one, *keyword));
        }
        if let Some(reference) = doc.keyword(one, "$ref") {
            match doc.resolve(reference.string()) {
                Some(target) => todo.push(target),
                None => stop(&mut found, reach),
            }
        }
        let dynamic = |keyword| doc.keyword(one, keyword).is_some();
        if dynamic("$dynamicRef") || dynamic("$recursiveRef") {
            stop(&mut found, reach);
        }
    }
    found
}

fn own_keywords<'a>(
    found: &mut Evaluated<'a>,
    doc: &Doc<'a>,
    schema: View<'a>,
    outermost: bool,
    reach: Reach,
) {
    let members = |keyword| {
        let all = doc.keyword(schema, keyword).into_iter();
        all.flat_map(View::members).map(|(key, _)| key.text())
    };
    let has = |keyword| doc.keyword(schema, keyword).is_some();
    found.names.extend(members("properties"));
    found.patterns.extend(members("patternProperties"));
    found.all_names |= has("additionalProperties");
    found.items = found.items.max(tuple_length(doc, schema));
    found.all_items |= rest(doc, schema).is_some();
    // `contains` evaluates items only since 2020-12, and only those that match.
    found.all_items |= reach == Reach::Possibly && has("contains");
    if !outermost {
        found.all_names |= has("unevaluatedProperties");
        found.all_items |= has("unevaluatedItems");
    }
}

/// Where evaluation cannot be followed, it covers possibly everything and surely nothing.
fn stop(found: &mut Evaluated<'_>, reach: Reach) {
    found.all_names |= reach == Reach::Possibly;
    found.all_items |= reach == Reach::Possibly;
}

/// Whether what the subschemas of a keyword evaluate counts.
fn follows(reach: Reach, keyword: Keyword) -> bool {
    match reach {
        Reach::Surely => keyword == Keyword::AllOf,
        Reach::Possibly => keyword.passes_annotations_on(),
    }
}

/// Schemas that are visited for one `unevaluated…`.
const MOST_SCHEMAS: usize = 256;
