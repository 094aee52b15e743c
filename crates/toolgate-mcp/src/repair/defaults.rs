//! Finds the default of a required member.

use toolgate_json::{Kind, Node as _, View, pointer};
use toolgate_schema::Schema;
use toolgate_syntax::reference;

/// A member that a schema declares: its name and its default, as JSON text.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) default: String,
}

/// Looks for the default of `name` near `keyword`, a pointer to the `required` that requires it: in
/// the `properties` beside it, through same-document `$ref`s and `allOf`.
pub(super) fn default_of(schema: &Schema, keyword: &str, name: &str) -> Option<Declared> {
    let root = schema.text().document().root();
    let (holder, _) = keyword.rsplit_once('/')?;
    // `dependentRequired` and `dependencies` also contain the name of the other member.
    let outer = holder.rsplit_once('/').map_or("", |(outer, _)| outer);
    let mut places: Vec<View<'_>> = [holder, outer]
        .into_iter()
        .filter_map(|place| at(root, place))
        .collect();
    let mut next = 0;
    while let Some(place) = places.get(next).copied() {
        next += 1;
        let declared = place.member("properties").and_then(|map| {
            map.members()
                .find(|(key, _)| toolgate_json::Key::text(*key) == name)
        });
        if let Some((key, property)) = declared
            && let Some(default) = value_of(root, property)
        {
            return Some(Declared {
                name: key.view().raw().to_owned(),
                default: default.raw().to_owned(),
            });
        }
        if places.len() < PLACES {
            places.extend(target(root, place));
            let branches = place.member("allOf").into_iter();
            places.extend(branches.flat_map(|all| all.items().take(PLACES)));
        }
    }
    None
}

/// The `default` of a property's schema, or of the schema that it refers to.
fn value_of<'d>(root: View<'d>, property: View<'d>) -> Option<View<'d>> {
    let mut place = property;
    for _ in 0..PLACES {
        if let Some(default) = place.member("default") {
            return Some(default);
        }
        place = target(root, place)?;
    }
    None
}

/// The target of a same-document `$ref`.
fn target<'d>(root: View<'d>, place: View<'d>) -> Option<View<'d>> {
    let reference = place.member("$ref")?;
    (reference.kind() == Kind::String).then(|| reference::target(root, reference.string()))?
}

fn at<'d>(root: View<'d>, place: &str) -> Option<View<'d>> {
    if !pointer::is_valid(place) {
        return None;
    }
    root.document().at_pointer(place)
}

/// The maximum number of references and branches to look through.
const PLACES: usize = 16;
