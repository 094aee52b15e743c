//! Makes input schemas what the protocol requires of them, without a change of what they accept.
//!
//! Arguments are always an object, so a root that lacks `"type": "object"` accepts the same calls with
//! it. PHP writes an empty object as `[]`, which no reader takes for one.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};
use toolsure_syntax::positions::{SubschemaLayout, each_subschema, layout};

use super::change::Change;
use super::clean::Cleaner;
use super::place::Place;

impl Cleaner<'_> {
    /// The root of an input schema. Returns whether the members of the root may be cleaned.
    pub(super) fn input_root(&mut self, input: View<'_>, place: &Place<'_>) -> bool {
        match input.kind() {
            Kind::Array if input.is_empty() => {
                self.replace(input, EMPTY_ROOT.to_owned(), place, PHP);
                return false;
            }
            Kind::Object => {}
            _ => return true,
        }
        let place_of_type = place.member("type");
        match input.member("type") {
            Some(types) => {
                let mut names = types.items();
                if types.kind() == Kind::Array && names.any(|name| name.string() == "object") {
                    self.replace(types, "\"object\"".to_owned(), &place_of_type, "`object`");
                }
            }
            None => {
                self.added(&place_of_type, "\"object\"");
                let is_dropped =
                    |name: &str, value: View<'_>| name == "$schema" && value.kind() != Kind::String;
                let mut members = input.members();
                if members.all(|(key, value)| is_dropped(key.text(), value)) {
                    self.edits.replace(input, EMPTY_ROOT);
                    return false;
                }
                self.edits.prepend_member(input, &root_members(input));
            }
        }
        true
    }

    /// Replaces each `[]` in a schema that stands where an object belongs.
    pub(super) fn empty_objects(&mut self, schema: View<'_>, place: &Place<'_>) {
        let mut waiting = vec![schema];
        while let Some(schema) = waiting.pop() {
            each_subschema(schema, |_, inner| waiting.push(inner));
            for (key, value) in schema.members() {
                let name = key.text();
                let is_map = layout(name) == Some(SubschemaLayout::Map);
                if (is_map || MAPS.contains(&name)) && is_empty_array(value) {
                    self.empty_object(value, place, name);
                } else if is_map && !name.starts_with("depend") {
                    for (name, value) in value.members() {
                        if is_empty_array(value) {
                            self.empty_object(value, place, name.text());
                        }
                    }
                } else if SCHEMAS.contains(&name) && is_empty_array(value) {
                    self.empty_object(value, place, name);
                }
            }
        }
    }

    fn empty_object(&mut self, array: View<'_>, place: &Place<'_>, name: &str) {
        self.edits.replace(array, "{}");
        self.changes.push(|| Change::Replaced {
            path: format!("{place}: {}", quote(name, NAME)),
            to: PHP,
        });
    }
}

/// The members that a root without `type` gets. Without `properties` some providers refuse it.
fn root_members(root: View<'_>) -> String {
    let properties = match root.member("properties") {
        Some(_) => "",
        None => ",\"properties\":{}",
    };
    format!("\"type\":\"object\"{properties}")
}

fn is_empty_array(value: View<'_>) -> bool {
    value.kind() == Kind::Array && value.is_empty()
}

/// The root that accepts every call.
pub(super) const EMPTY_ROOT: &str = r#"{"type":"object","properties":{}}"#;

/// What stands in place of an empty array.
const PHP: &str = "`{}`: PHP writes an empty object as `[]`";

/// Keywords that hold objects, but no subschemas.
const MAPS: [&str; 1] = ["dependentRequired"];

/// Keywords that hold one schema, and no array of them in any dialect.
const SCHEMAS: [&str; 11] = [
    "additionalProperties",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "additionalItems",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// The maximum number of characters of a name in a message.
const NAME: usize = 64;
