//! Schemas for readers that support only objects: wrapped, enclosed, lowered.

use toolsure_json::{Kind, Node as _, View};

use super::references::{Anchoring, rebase};
use crate::message::Edits;
use toolsure_syntax::positions::each_subschema;

/// Writes `schema` as the member `result` of an object schema: it allows `{"result": value}` for
/// every value that was allowed, and nothing that has another `result` or none.
pub(super) fn wrap(schema: View<'_>, edits: &mut Edits) {
    enclose_in(
        schema,
        "/properties/result",
        r#""type":"object","properties":{"result":"#,
        r#"},"required":["result"]}"#,
        edits,
    );
}

/// Writes `schema`, which allows only objects, under a root that says so; it allows exactly the
/// same values.
pub(super) fn enclose(schema: View<'_>, edits: &mut Edits) {
    enclose_in(
        schema,
        "/allOf/0",
        r#""type":"object","allOf":["#,
        "]}",
        edits,
    );
}

/// Writes boolean members of `properties` as equivalent objects, in all subschemas. Returns how
/// many there were.
pub(super) fn lower_booleans(schema: View<'_>, edits: &mut Edits) -> usize {
    let mut count = 0;
    let mut waiting = vec![schema];
    while let Some(schema) = waiting.pop() {
        each_subschema(schema, |keyword, inner| {
            if inner.kind() == Kind::Boolean && keyword == "properties" {
                let text = if inner.boolean() {
                    "{}"
                } else {
                    r#"{"not":{}}"#
                };
                edits.replace(inner, text);
                count += 1;
            }
            waiting.push(inner);
        });
    }
    count
}

fn enclose_in(schema: View<'_>, prefix: &str, before: &str, after: &str, edits: &mut Edits) {
    let anchoring = rebase(schema, prefix, edits);
    let dialect = schema.member("$schema");
    let hoisted = dialect.map_or_else(String::new, |uri| format!("\"$schema\":{},", uri.raw()));
    // A schema with its own `$id` keeps its `$schema`: it is the root of a resource, and stays as
    // written.
    if dialect.is_some() && anchoring != Anchoring::OwnId {
        edits.remove_member(schema, "$schema");
    }
    edits.surround(schema, format!("{{{hoisted}{before}"), after);
}
