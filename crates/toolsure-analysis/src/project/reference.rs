//! References within a schema.

use toolsure_syntax::reference::Fragment;

use super::tree::Json;

/// The target of a reference within the same schema.
pub(super) fn follow<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    match Fragment::parse(reference.strip_prefix('#')?)? {
        Fragment::Root => Some(root),
        Fragment::Anchor(_) => None,
        Fragment::Pointer(pointer) => {
            toolsure_json::pointer::tokens(&pointer).try_fold(root, |at, token| match at {
                Json::Object(members) => members.get(&token),
                Json::Array(items) => items.get(toolsure_json::pointer::index(&token)?),
                _ => None,
            })
        }
    }
}

/// Whether a schema contains a reference. Data that looks like one counts too.
pub(super) fn has_reference(json: &Json) -> bool {
    match json {
        Json::Object(members) => members.list.iter().any(|(name, value)| {
            name == "$ref" && value.as_text().is_some() || has_reference(value)
        }),
        Json::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}
