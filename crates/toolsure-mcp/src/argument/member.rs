//! Which members each position of an argument schema has, and what is said of all others.

use toolsure_json::{Key as _, Kind, Node as _, Number, View};
use toolsure_syntax::{Keyword, Vocabulary, closest};

use super::Version;
use super::check::values;
use super::diagnosis::Severity;
use super::error::{SHOWN, SchemaErrorKind};
use super::field::{ArgumentType, Rule, string_form};
use super::mistaken::Mistaken;
use super::position::{Position, Target};
use super::read::{PROPERTIES, REQUIRED, Reading, TYPE, VERSION};

/// The members of a position: the name, and the first version that has it there.
pub(super) fn members(position: Position) -> &'static [(&'static str, Version)] {
    match position {
        Position::Root => ROOT,
        Position::Property => PROPERTY,
        Position::Items => ITEMS,
    }
}

impl Reading<'_> {
    /// Tells of each member that is not enforced: unknown, of a later version, without effect, or
    /// only descriptive.
    pub(super) fn tell_members(&mut self, schema: View<'_>, position: Position, target: &Target) {
        for (key, value) in schema.members() {
            let name = key.text();
            let known = members(position).iter().find(|member| member.0 == name);
            match known {
                Some((field, since)) if *since > Version::V20251009 && !self.extensions => {
                    let (field, since) = (*field, *since);
                    let kind = || SchemaErrorKind::Later { field, since };
                    self.tell(Severity::Warning, value, kind);
                }
                Some((member, _)) => {
                    if let Some(why) = without_effect(member, value, position, target) {
                        let kind = || SchemaErrorKind::NoEffect { member, why };
                        self.tell_unenforced(value, kind);
                    }
                }
                None => self.tell_unknown(schema, name, value, position),
            }
        }
    }

    fn tell_unknown(&mut self, schema: View<'_>, name: &str, value: View<'_>, position: Position) {
        let keyword = Keyword::from_name(name);
        let describes = keyword.is_some_and(|keyword| {
            keyword == Keyword::Comment || keyword.home().2 == Vocabulary::MetaData
        });
        let member = || name.chars().take(SHOWN).collect();
        if describes || name.starts_with("x-") {
            let kind = || SchemaErrorKind::Annotation { member: member() };
            self.tell(Severity::Note, value, kind);
        } else if let Some(keyword) = keyword {
            if position == Position::Root {
                let kind = || SchemaErrorKind::Mistaken(Mistaken::JsonSchema);
                self.tell_unenforced(schema, kind);
            }
            let keyword = keyword.name();
            self.tell_unenforced(value, || SchemaErrorKind::Keyword { keyword });
        } else {
            self.tell_unenforced(value, || SchemaErrorKind::Unknown {
                member: member(),
                meant: closest(name, names(position)),
            });
        }
    }

    /// Whether a member of a direct map is not a property, but meant as a member of the JSON
    /// Schema–like shape; says so.
    pub(super) fn is_root_member(&mut self, name: &str, value: View<'_>) -> bool {
        let meant = closest(name, names(Position::Root));
        if value.kind() == Kind::Array && (name == REQUIRED || meant == Some(REQUIRED)) {
            self.tell_unenforced(value, || SchemaErrorKind::RequiredList);
            return true;
        }
        // A map of properties, and not one property that has a name like this.
        let is_map = || {
            meant == Some(PROPERTIES)
                && !value.is_empty()
                && value.members().all(|(key, property)| {
                    property.kind() == Kind::Object
                        && names(Position::Property).all(|known| known != key.text())
                })
        };
        let is_root_member = meant.is_some() && (value.kind() != Kind::Object || is_map());
        if is_root_member {
            self.tell_unenforced(value, || SchemaErrorKind::Unknown {
                member: name.chars().take(SHOWN).collect(),
                meant,
            });
        }
        is_root_member
    }

    /// Tells of lower limits above their upper limits.
    pub(super) fn tell_contradictions(&mut self, schema: View<'_>, rule: &Rule) {
        let lengths = [
            (rule.takes_text(), "minLength", rule.length),
            (
                true,
                "minItems",
                rule.list
                    .as_ref()
                    .map(|list| list.count)
                    .unwrap_or_default(),
            ),
        ];
        for (applies, name, length) in lengths {
            if let (true, Some(least), Some(most)) = (applies, length.least, length.most)
                && least > most
            {
                self.tell_contradiction(schema, name, &least.to_string(), &most.to_string());
            }
        }
        if let (true, Some(least), Some(most)) =
            (rule.takes_numbers(), &rule.value.least, &rule.value.most)
            && let (Some(low), Some(high)) = (Number::parse(least), Number::parse(most))
            && low.compare(&high).is_gt()
        {
            self.tell_contradiction(schema, "minimum", least, most);
        }
    }

    fn tell_contradiction(&mut self, schema: View<'_>, name: &str, least: &str, most: &str) {
        let at = schema.member(name).unwrap_or(schema);
        self.tell_unenforced(at, || SchemaErrorKind::Contradiction {
            least: least.to_owned(),
            most: most.to_owned(),
        });
    }

    /// Tells of values of a schema's `enum` that its rule refuses. `schema` has the `enum`, or does
    /// not.
    pub(super) fn tell_choices(&mut self, schema: View<'_>, rule: &Rule) {
        let (Some(list), Some(_)) = (schema.member("enum"), &rule.choices) else {
            return;
        };
        for value in list.items() {
            let never = string_form(value).is_some_and(|form| {
                !rule
                    .choices
                    .as_ref()
                    .is_some_and(|choices| choices.has(&form))
                    || values(rule, &form, &mut self.fuel).is_empty()
            });
            if never {
                self.tell_unenforced(value, || SchemaErrorKind::NeverMatches);
            }
        }
    }
}

fn names(position: Position) -> impl Iterator<Item = &'static str> {
    members(position).iter().map(|member| member.0)
}

/// Why a member has no effect where it is; `None` if it has one, or is malformed.
fn without_effect(
    member: &str,
    value: View<'_>,
    position: Position,
    target: &Target,
) -> Option<&'static str> {
    let is_array = target.is_array || target.kind == Some(ArgumentType::Array);
    let takes = |fits: fn(ArgumentType) -> bool| {
        if !is_array {
            return target.kind.is_none_or(fits);
        }
        // The limits beside `isArray` are those of elements of the type beside it.
        target.is_array && target.kind.is_some_and(fits) && target.element.is_none_or(fits)
    };
    let in_items = |otherwise| {
        if is_array {
            "to limit the elements, write it in `items`"
        } else {
            otherwise
        }
    };
    let is_text = |kind| kind == ArgumentType::String;
    let is_object = |kind| kind == ArgumentType::Object;
    match member {
        "minLength" | "maxLength" | "pattern" if !takes(is_text) => {
            Some(in_items("it limits strings only"))
        }
        "minimum" | "maximum" if !takes(ArgumentType::is_numeric) => {
            Some(in_items("it limits numbers only"))
        }
        "items" | "minItems" | "maxItems" if !is_array => {
            Some("it is for arrays only: add `\"isArray\": true`, or `\"type\": \"array\"`")
        }
        "isArray" if value.kind() == Kind::Boolean && !value.boolean() && is_array => {
            Some("the type is `array`")
        }
        PROPERTIES
            if position != Position::Root && (target.kind.is_none() || !takes(is_object)) =>
        {
            Some(in_items("it needs `\"type\": \"object\"`"))
        }
        REQUIRED if position != Position::Root && value.kind() == Kind::Array => {
            (target.kind.is_none() || !takes(is_object))
                .then(|| in_items("as a list, it needs `\"type\": \"object\"`"))
        }
        REQUIRED if position == Position::Items => {
            Some("elements have no names; here it is the list of an object's required properties")
        }
        _ => None,
    }
}

const FIRST: Version = Version::V20251009;
const SECOND: Version = Version::V20261121;

const ROOT: &[(&str, Version)] = &[
    (VERSION, FIRST),
    (TYPE, FIRST),
    (PROPERTIES, FIRST),
    (REQUIRED, FIRST),
];
const PROPERTY: &[(&str, Version)] = &[
    (TYPE, FIRST),
    (REQUIRED, FIRST),
    ("description", FIRST),
    ("isArray", FIRST),
    ("items", FIRST),
    ("minLength", FIRST),
    ("maxLength", FIRST),
    ("minimum", FIRST),
    ("maximum", FIRST),
    ("enum", FIRST),
    ("pattern", SECOND),
    (PROPERTIES, SECOND),
    ("default", SECOND),
    ("deprecated", SECOND),
    ("minItems", SECOND),
    ("maxItems", SECOND),
];
const ITEMS: &[(&str, Version)] = &[
    (TYPE, FIRST),
    ("minLength", FIRST),
    ("maxLength", FIRST),
    ("minimum", FIRST),
    ("maximum", FIRST),
    ("enum", FIRST),
    ("isArray", SECOND),
    ("items", SECOND),
    ("pattern", SECOND),
    (PROPERTIES, SECOND),
    (REQUIRED, SECOND),
    ("minItems", SECOND),
    ("maxItems", SECOND),
];
