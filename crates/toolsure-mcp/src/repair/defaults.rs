//! Finds the default of a required member.

use toolsure_json::{Kind, Node as _, View, pointer};
use toolsure_schema::Schema;
use toolsure_syntax::reference::Resources;

/// A member that a schema declares: its name and its default, as JSON text.
pub(super) struct Declared {
    pub(super) name: String,
    pub(super) default: String,
}

/// Looks for defaults in a schema.
pub(super) struct Defaults<'s> {
    schema: &'s Schema,
    /// Found when the first reference must be followed.
    resources: Option<Resources<'s>>,
}

impl<'s> Defaults<'s> {
    pub(super) fn of(schema: &'s Schema) -> Self {
        Self {
            schema,
            resources: None,
        }
    }

    /// Looks for the default of `name` near `keyword`, a pointer to the `required` that requires it:
    /// in the `properties` beside it, through `$ref`s within the document and `allOf`.
    pub(super) fn find(&mut self, keyword: &str, name: &str) -> Option<Declared> {
        let (holder, _) = keyword.rsplit_once('/')?;
        // `dependentRequired` and `dependencies` also contain the name of the other member.
        let outer = holder.rsplit_once('/').map_or("", |(outer, _)| outer);
        let mut places: Vec<View<'_>> = [holder, outer]
            .into_iter()
            .filter_map(|place| self.at(place))
            .collect();
        let mut next = 0;
        while let Some(place) = places.get(next).copied() {
            next += 1;
            let declared = place.member("properties").and_then(|map| {
                map.members()
                    .find(|(key, _)| toolsure_json::Key::text(*key) == name)
            });
            if let Some((key, property)) = declared
                && let Some(default) = self.value_of(property)
            {
                return Some(Declared {
                    name: key.view().raw().to_owned(),
                    default: default.raw().to_owned(),
                });
            }
            if places.len() < PLACES {
                places.extend(self.target(place));
                let branches = place.member("allOf").into_iter();
                places.extend(branches.flat_map(|all| all.items().take(PLACES)));
            }
        }
        None
    }

    /// The `default` of a property's schema, or of the schema that it refers to.
    fn value_of(&mut self, property: View<'s>) -> Option<View<'s>> {
        let mut place = property;
        for _ in 0..PLACES {
            if let Some(default) = place.member("default") {
                return Some(default);
            }
            place = self.target(place)?;
        }
        None
    }

    /// The schema in the document that a `$ref` leads to.
    fn target(&mut self, place: View<'s>) -> Option<View<'s>> {
        let reference = place.member("$ref")?;
        if reference.kind() != Kind::String {
            return None;
        }
        let schema = self.schema;
        let resources = self.resources.get_or_insert_with(|| schema.resources());
        resources.resolve(place, reference.string()).schema()
    }

    fn at(&self, place: &str) -> Option<View<'s>> {
        if !pointer::is_valid(place) {
            return None;
        }
        self.schema.text().document().at_pointer(place)
    }
}

/// The maximum number of references and branches to look through.
const PLACES: usize = 16;
