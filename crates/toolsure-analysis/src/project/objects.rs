//! Objects, arrays and values of any type: closed, completed, or encoded in another form.

use std::collections::HashSet;

use toolsure_syntax::Keyword;
use toolsure_syntax::model::TypeSet;

use super::reference::follow;
use super::report::StepKind;
use super::rewrite::{At, Effect, Rewriter};
use super::tree::{EVALUATE, Form, Json, Members};
use super::unions::{asserts, has_parts};
use super::words;

impl Rewriter<'_> {
    /// Marks a schema whose values the profile cannot express. Such a schema stays as it is: its values are
    /// encoded.
    pub(super) fn unsayable(&mut self, members: &mut Members, at: At) -> bool {
        if at == At::Root || self.is_test || !members.coding.is_plain() {
            return !members.coding.is_plain();
        }
        let apart = ["$ref", "anyOf", "oneOf", "allOf", "enum", "const"];
        let union = members.has("anyOf") || members.has("oneOf");
        if union && at == At::Items && !self.abilities.union_items {
            return self.as_text(members);
        }
        if apart.iter().any(|keyword| members.has(keyword)) {
            return false;
        }
        let types = members.types();
        let untyped = !members.has("type");
        if untyped {
            let typed = self.abilities.typed && self.implied(members).is_none();
            return typed && self.as_text(members);
        }
        let several = matches!(members.get("type"), Some(Json::Array(_)))
            && types
                .intersection(TypeSet::ALL)
                .names()
                .iter()
                .filter(|one| **one != "null")
                .count()
                > 1;
        if several && (!self.abilities.type_arrays || self.abilities.closed && has_parts(types)) {
            return self.as_text(members);
        }
        let object = types.intersects(TypeSet::OBJECT);
        let is_deepest = self.abilities.levels.is_some_and(|most| self.level >= most);
        if object && is_deepest && !members.map("properties").is_empty() {
            return self.as_text(members);
        }
        let free = object
            && self.abilities.sealed
            && members.map("properties").is_empty()
            && members
                .get("required")
                .is_none_or(|own| own.items().is_empty())
            && !members.forbids("additionalProperties");
        if !free {
            return false;
        }
        let each = members.get("additionalProperties");
        let each = each.is_some_and(|one| one.as_object().is_some_and(|own| !own.list.is_empty()));
        let plain = |name: &str| !asserts(name) || matches!(name, "type" | "additionalProperties");
        if each
            && !is_deepest
            && types == TypeSet::OBJECT
            && members.list.iter().all(|(name, _)| plain(name))
        {
            self.annotations(members);
            members.coding.form = Form::Entries;
            self.note(StepKind::Entries, Effect::Same, "");
            return true;
        }
        self.as_text(members)
    }

    /// Marks a schema whose values travel as JSON text.
    pub(super) fn as_text(&mut self, members: &mut Members) -> bool {
        self.annotations(members);
        members.coding.form = Form::JsonText(members.types());
        self.note(
            StepKind::JsonText,
            Effect::Same,
            &members.types().names().join(", "),
        );
        true
    }

    /// Moves annotations that are not supported into the description.
    fn annotations(&mut self, members: &mut Members) {
        for name in ["default", "examples"] {
            if let Some(value) = members.get(name).cloned()
                && !self.abilities.takes(name)
            {
                let sentence = words::of(name, &value, members);
                members.take(name);
                self.say(members, &sentence);
                self.note(StepKind::Describe, Effect::Same, name);
            }
        }
    }

    /// The type that the keywords of a schema without `type` apply to, if there is only one.
    fn implied(&self, members: &Members) -> Option<&'static str> {
        let mut all = members.list.iter().filter_map(|(name, _)| {
            let of = Keyword::from_name(name)?.applies_to().types();
            of.first().copied()
        });
        let first = all.next()?;
        all.all(|other| other == first).then_some(first)
    }

    /// Gives the root the type `object` again that the original has and the protocol requires, whatever
    /// became of the root.
    pub(super) fn keep_root_type(&mut self, members: &mut Members, at: At) {
        let is_object = |own: &Members| own.text("type") == Some("object");
        let had = self.original.as_object().is_some_and(is_object);
        if at == At::Root && had && !is_object(members) {
            members.take("type");
            let own = ("type".to_owned(), Json::text("object"));
            members.list.insert(0, own);
            self.note(StepKind::AddType, Effect::Same, "object");
        }
    }

    /// Adds `type` if it is missing and required.
    pub(super) fn add_type(&mut self, members: &mut Members, _at: At) {
        let apart = ["type", "$ref", "anyOf", "oneOf", "allOf"];
        if !self.abilities.typed || apart.iter().any(|keyword| members.has(keyword)) {
            return;
        }
        if members.has("enum") || members.has("const") {
            let types = members.types();
            let names = types.names();
            let others = names.iter().filter(|name| **name != "null").count();
            if (others <= 1 || self.abilities.type_arrays) && !types.is_empty() {
                members.set_types(types);
                self.note(StepKind::AddType, Effect::Same, &names.join(", "));
            }
            return;
        }
        if let Some(name) = self.implied(members) {
            members.set("type", Json::text(name));
            self.note(StepKind::AddType, Effect::Narrower, name);
        }
    }

    /// Adds `items` if it is missing and required.
    pub(super) fn add_items(&mut self, members: &mut Members) {
        let array = members.has("type") && members.types().intersects(TypeSet::ARRAY);
        let needs = match members.has("prefixItems") {
            true => self.abilities.tuple_items,
            false => self.abilities.items && array,
        };
        let evaluates = EVALUATE.iter().any(|keyword| members.has(keyword));
        if needs
            && !members.has("items")
            && !evaluates
            && let Some(each) = members.get("unevaluatedItems").cloned()
        {
            members.replace("unevaluatedItems", "items", each);
            self.note(StepKind::AddItems, Effect::Same, "");
            return;
        }
        if needs && !members.has("items") {
            members.set("items", Json::Object(Members::default()));
            // `items` evaluates what `unevaluatedItems` would be asked about.
            let effect = match members.has("unevaluatedItems") {
                true => Effect::Wider,
                false => Effect::Same,
            };
            self.note(StepKind::AddItems, effect, "");
        }
    }

    /// Adds `properties` to the root if it is missing and required.
    pub(super) fn add_properties(&mut self, members: &mut Members, at: At) {
        if self.abilities.root_properties && at == At::Root && !members.has("properties") {
            members.set("properties", Json::Object(Members::default()));
            self.note(StepKind::AddProperties, Effect::Same, "");
        }
    }

    /// Declares required members.
    pub(super) fn declare_required(&mut self, members: &mut Members) {
        if !self.abilities.sealed {
            return;
        }
        let own = members.map("properties").iter();
        let own: HashSet<&str> = own.map(|(name, _)| name.as_str()).collect();
        let required = members.required();
        let missing: Vec<String> = required
            .filter(|name| !own.contains(name))
            .map(str::to_owned)
            .collect();
        let rest = match members.get("additionalProperties") {
            // No object can have them, so none matches.
            Some(Json::Bool(false)) => Json::Bool(false),
            Some(Json::Object(each)) => Json::Object(each.clone()),
            _ => Json::Object(Members::default()),
        };
        if missing.is_empty() {
            return;
        }
        if !members.has("properties") {
            members.set("properties", Json::Object(Members::default()));
        }
        if let Some(Json::Object(map)) = members.get_mut("properties") {
            for name in missing {
                map.list.push((name, rest.clone()));
            }
        }
    }

    /// Forbids undeclared members.
    pub(super) fn close(&mut self, members: &mut Members) {
        let object = members.has("type") && members.types().intersects(TypeSet::OBJECT);
        if !self.abilities.closed || !object || !members.coding.is_plain() {
            return;
        }
        if !members.has("properties") {
            members.set("properties", Json::Object(Members::default()));
        }
        if !members.forbids("additionalProperties") {
            let was = members.get("additionalProperties").map(Json::write);
            members.set("additionalProperties", Json::Bool(false));
            self.note(StepKind::Close, Effect::Narrower, &was.unwrap_or_default());
        }
    }

    /// The last step after the subschemas are final: an optional member that may be null becomes required,
    /// because null can no longer stand for its absence.
    pub(super) fn after(&mut self, members: &mut Members) {
        self.wrap(members);
        if !self.abilities.all_required || !members.coding.is_plain() {
            return;
        }
        let required = members.required();
        let required: HashSet<&str> = required.collect();
        let properties = members.map("properties").iter();
        let (nulls, added): (Vec<_>, Vec<_>) = properties
            .filter(|(name, schema)| {
                !required.contains(name.as_str()) && may_be_null(schema, self.original, FOLLOWED)
            })
            .partition(|(_, schema)| {
                let own = schema.as_object();
                own.is_some_and(|own| own.coding.null_default)
                    && takes_null(schema, self.original, FOLLOWED)
            });
        let names = |all: Vec<&(String, Json)>| -> Vec<String> {
            all.into_iter().map(|(name, _)| name.clone()).collect()
        };
        let (nulls, added) = (names(nulls), names(added));
        if added.is_empty() {
            members.coding.nulls = nulls;
            return;
        }
        let all = members
            .map("properties")
            .iter()
            .map(|(name, _)| name.as_str());
        let all = all.filter(|name| required.contains(name) || added.iter().any(|one| one == name));
        let all = Json::strings(all);
        members.set("required", all);
        members.coding.nulls = nulls;
        for name in added {
            self.note(StepKind::Require, Effect::Narrower, &name);
        }
    }
}

/// Whether a schema may accept null; `true` if in doubt. Looks at most `depth` levels down.
pub(super) fn may_be_null(schema: &Json, root: &Json, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return true;
    };
    let members = match schema {
        Json::Bool(accepts) => return *accepts,
        Json::Object(members) => members,
        _ => return true,
    };
    if matches!(members.coding.form, Form::JsonText(_)) {
        // Null is encoded as a string, so null itself is free to stand for absence.
        return false;
    }
    if let Form::Words(table) = &members.coding.form
        && table.iter().any(|(_, value)| matches!(value, Json::Null))
    {
        // So is this null.
        return false;
    }
    if !members.types().intersects(TypeSet::NULL) {
        return false;
    }
    if let Some(reference) = members.text("$ref")
        && let Some(target) = follow(root, reference)
        && !may_be_null(target, root, depth)
    {
        return false;
    }
    for keyword in ["anyOf", "oneOf"] {
        let branches = members.schemas(keyword);
        let none = |one: &Json| !may_be_null(one, root, depth);
        if !branches.is_empty() && branches.iter().all(none) {
            return false;
        }
    }
    let all = members.schemas("allOf").iter();
    !all.into_iter().any(|one| !may_be_null(one, root, depth))
}

/// Whether a schema surely accepts null. Looks at most `depth` levels down.
fn takes_null(schema: &Json, root: &Json, depth: usize) -> bool {
    let (Some(depth), Some(members)) = (depth.checked_sub(1), schema.as_object()) else {
        return matches!(schema, Json::Bool(true));
    };
    matches!(members.coding.form, Form::Plain)
        && members.types().intersects(TypeSet::NULL)
        && members
            .list
            .iter()
            .all(|(name, value)| match name.as_str() {
                "type" | "enum" | "const" => true,
                "anyOf" => value.items().iter().any(|one| takes_null(one, root, depth)),
                "allOf" => value.items().iter().all(|one| takes_null(one, root, depth)),
                "$ref" => value
                    .as_text()
                    .and_then(|reference| follow(root, reference))
                    .is_some_and(|target| takes_null(target, root, depth)),
                other => {
                    let of = Keyword::from_name(other).map(|known| known.applies_to().types());
                    let others = of.is_some_and(|of| !of.is_empty() && !of.contains(&"null"));
                    others || !asserts(other)
                }
            })
}

/// References that are followed to see whether a value may be null.
const FOLLOWED: usize = 32;
