//! The schemas of an array's items: those of a tuple, and of the items after it.

use toolsure_json::{Kind, Node as _, View};
use toolsure_syntax::Dialect;

use super::document::Doc;

/// The keyword that holds the schemas of a tuple's items.
pub(super) fn tuple_keyword(doc: &Doc<'_>) -> &'static str {
    match doc.dialect {
        Dialect::Draft202012 => "prefixItems",
        _ => "items",
    }
}

fn tuple_list<'a>(doc: &Doc<'a>, node: View<'a>) -> Option<View<'a>> {
    doc.keyword(node, tuple_keyword(doc))
        .filter(|items| items.kind() == Kind::Array)
}

/// How many items have a schema of their own.
pub(super) fn tuple_length<'a>(doc: &Doc<'a>, node: View<'a>) -> usize {
    tuple_list(doc, node).map_or(0, |list| list.len())
}

/// The schemas of a tuple's items; of a long tuple, only the first ones.
pub(super) fn tuple<'a>(doc: &Doc<'a>, node: View<'a>) -> Vec<View<'a>> {
    let items = tuple_list(doc, node).into_iter().flat_map(View::items);
    items.take(MOST_ITEMS).collect()
}

/// The schema of the items after a tuple.
pub(super) fn rest<'a>(doc: &Doc<'a>, node: View<'a>) -> Option<View<'a>> {
    let items = doc.keyword(node, "items");
    match (doc.dialect, items.map(View::kind)) {
        (Dialect::Draft202012, _) => items,
        (_, Some(Kind::Array)) => doc.keyword(node, "additionalItems"),
        _ => items,
    }
}

/// The items of a tuple that are compared one by one.
pub(super) const MOST_ITEMS: usize = 100;
