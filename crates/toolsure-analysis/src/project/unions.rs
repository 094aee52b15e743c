//! References, conjunctions, unions and multiple types: what more than one schema expresses.

use toolsure_syntax::model::TypeSet;
use toolsure_syntax::{Keyword, Vocabulary};

use super::apart::{MOST_BRANCHES, are_apart};
use super::merge::{both, either, one_of_them};
use super::report::StepKind;
use super::rewrite::{At, Effect, Rewriter};
use super::tree::{Json, Members};
use super::values::ValueSet;
use super::words;

impl Rewriter<'_> {
    /// Keywords beside a reference, if they are not supported: moves them into a branch of their own or
    /// into words only.
    pub(super) fn reference(&mut self, members: &mut Members, _at: At) {
        if !members.has("$ref") || self.abilities.reference_siblings {
            return;
        }
        let beside = |name: &str| !matches!(name, "$ref" | "$defs" | "definitions");
        let names: Vec<String> = members.list.iter().map(|(name, _)| name.clone()).collect();
        for name in names.iter().filter(|name| beside(name)) {
            let effect = if asserts(name) {
                Effect::Wider
            } else {
                Effect::Same
            };
            members.take(name);
            self.note(StepKind::LeaveOut, effect, name);
        }
    }

    /// Merges branches of `allOf` into the schema that contains them.
    pub(super) fn all_of(&mut self, members: &mut Members, at: At) {
        let untyped = self.abilities.union_types_in_branches && !members.has("type");
        let refused = untyped
            || self.bare
            || !self.abilities.takes("allOf")
            || (at == At::Root && self.abilities.plain_root);
        if !refused {
            return;
        }
        // Branches may have branches themselves.
        for _ in 0..self.limits.depth {
            let Some(Json::Array(mut branches)) = members.take("allOf") else {
                return;
            };
            // Repeating a branch adds nothing. References to one definition end up here, and merging their
            // targets would double the schema at every level.
            branches.dedup_by(|next, last| next.equals(last));
            let mut rest = Vec::new();
            let mut merged = 0;
            for branch in branches {
                if members.list.is_empty()
                    && let Json::Object(only) = branch
                {
                    *members = only;
                    merged += 1;
                    continue;
                }
                let own = Json::Object(members.clone());
                match both(&own, &branch, self.limits.depth) {
                    Some(Json::Object(both)) => {
                        *members = both;
                        merged += 1;
                    }
                    Some(Json::Bool(false)) => {
                        *members = Members::only("not", Json::Object(Members::default()));
                        merged += 1;
                    }
                    _ => rest.push(branch),
                }
            }
            if merged > 0 {
                self.note(StepKind::AllOf, Effect::Same, "");
            }
            if !rest.is_empty() {
                let sentence = words::of("allOf", &Json::Array(rest), members);
                self.say(members, &sentence);
                self.note(StepKind::Describe, Effect::Wider, "allOf");
            }
        }
    }

    /// `const` as an `enum` with one value.
    pub(super) fn constant(&mut self, members: &mut Members) {
        let Some(value) = members.get("const").cloned() else {
            return;
        };
        let has_parts = matches!(value, Json::Array(_) | Json::Object(_));
        if self.abilities.takes("const") && !(has_parts && self.abilities.enum_scalars) {
            return;
        }
        if members.has("enum") {
            members.take("const");
        }
        members.replace("const", "enum", Json::Array(vec![value]));
        self.note(StepKind::Const, Effect::Same, "");
    }

    /// `oneOf` as `anyOf`.
    pub(super) fn one_of(&mut self, members: &mut Members) {
        // Where a type belongs into branches, they are those of `anyOf`.
        if self.abilities.takes("oneOf") && !self.abilities.union_types_in_branches {
            return;
        }
        self.any_of(members);
    }

    /// `oneOf` as `anyOf`, or in words if there is one.
    fn any_of(&mut self, members: &mut Members) {
        let Some(value @ Json::Array(_)) = members.get("oneOf").cloned() else {
            return;
        };
        if members.has("anyOf") {
            let sentence = words::of("oneOf", &value, members);
            members.take("oneOf");
            self.say(members, &sentence);
            self.note(StepKind::Describe, Effect::Wider, "oneOf");
            return;
        }
        let apart = are_apart(value.items());
        members.replace("oneOf", "anyOf", value);
        if apart {
            self.note(StepKind::OneOf, Effect::Same, "");
        } else {
            self.say(members, "Exactly one of the alternatives must match.");
            self.note(StepKind::OneOf, Effect::Wider, "");
        }
    }

    /// `oneOf` whose branches now match more, so that more than one may match a value: as `anyOf`.
    pub(super) fn overlapping(&mut self, members: &mut Members) {
        let branches = members.schemas("oneOf");
        if branches.len() > 1 && !are_apart(branches) && self.abilities.takes("anyOf") {
            self.any_of(members);
        }
    }

    /// Unions that one schema can or must express.
    pub(super) fn unions(&mut self, members: &mut Members, at: At) {
        // The root keeps its type, which the protocol requires.
        let typed_root = self.abilities.union_types_in_branches || !self.abilities.union_siblings;
        if at == At::Root && (self.abilities.plain_root || typed_root) {
            for keyword in ["anyOf", "oneOf"] {
                self.root_union(members, keyword);
            }
        }
        if at == At::Root && self.abilities.plain_root {
            self.root_words(members);
        }
        if self.bare || !self.abilities.union_siblings {
            self.spread(members, "oneOf");
        }
        let Some(Json::Array(branches)) = members.get("anyOf").cloned() else {
            return;
        };
        if let [only] = branches.as_slice() {
            let mut rest = members.clone();
            rest.take("anyOf");
            if let Some(Json::Object(merged)) = both(&Json::Object(rest), only, self.limits.depth) {
                *members = merged;
                self.note(StepKind::MergeUnion, Effect::Same, "anyOf");
                return;
            }
        }
        let plain = !self.abilities.takes("const") || !self.abilities.takes("anyOf");
        if plain && self.constants(members, &branches) {
            return;
        }
        if self.abilities.nullable && self.or_null(members, &branches) {
            return;
        }
        if self.bare || !self.abilities.union_siblings {
            self.spread(members, "anyOf");
        }
        if self.abilities.union_types_in_branches {
            self.spread_type(members);
        }
        if at == At::Items && !self.abilities.union_items {
            self.one_schema(members, "anyOf");
        }
    }

    /// Turns a union of constants into an `enum`; the text of each constant goes into the description.
    fn constants(&mut self, members: &mut Members, branches: &[Json]) -> bool {
        let mut values = Vec::new();
        let mut seen = ValueSet::default();
        let mut meanings = Vec::new();
        for branch in branches {
            let Some(branch) = branch.as_object() else {
                return false;
            };
            let known = ["const", "enum", "type", "title", "description"];
            let plain = branch
                .list
                .iter()
                .all(|(name, _)| known.contains(&name.as_str()));
            if !plain || !(branch.has("const") || branch.has("enum")) {
                return false;
            }
            let types = branch.types();
            let own = branch.schemas("enum").iter().chain(branch.get("const"));
            for value in own.filter(|value| types.contains(value.types())) {
                if seen.insert(value) {
                    values.push(value.clone());
                }
                let meaning = branch.text("description").or(branch.text("title"));
                if let Some(meaning) = meaning {
                    meanings.push(format!("{}: {meaning}", value.write()));
                }
            }
        }
        if values.is_empty() || members.has("enum") || members.has("const") {
            return false;
        }
        members.replace("anyOf", "enum", Json::Array(values));
        if !meanings.is_empty() {
            self.say(members, &format!("{}.", meanings.join("; ")));
        }
        self.note(StepKind::Constants, Effect::Same, "");
        true
    }

    /// A union of one schema and null.
    fn or_null(&mut self, members: &mut Members, branches: &[Json]) -> bool {
        let is_null = |branch: &&Json| {
            let types = branch.as_object().map(Members::types);
            types == Some(TypeSet::NULL)
        };
        let others: Vec<&Json> = branches.iter().filter(|one| !is_null(one)).collect();
        let [Json::Object(other)] = others.as_slice() else {
            return false;
        };
        if branches.len() != 2
            || ["anyOf", "oneOf", "$ref", "not", "if"]
                .iter()
                .any(|k| other.has(k))
        {
            return false;
        }
        let mut rest = members.clone();
        rest.take("anyOf");
        let about_values = rest.list.iter().any(|(name, _)| asserts(name));
        let Some(Json::Object(mut merged)) = both(
            &Json::Object(rest),
            &Json::Object(other.clone()),
            self.limits.depth,
        ) else {
            return false;
        };
        let types = merged.types();
        if about_values || types.is_all() {
            return false;
        }
        if let Some(Json::Array(values)) = merged.get_mut("enum") {
            values.push(Json::Null);
        } else if let Some(value) = merged.take("const") {
            merged.set("enum", Json::Array(vec![value, Json::Null]));
        }
        merged.set_types(types.union(TypeSet::NULL));
        *members = merged;
        self.note(StepKind::MergeUnion, Effect::Same, "null");
        true
    }

    /// A union where none is supported: what the branches have in common, and the rest in words.
    fn one_schema(&mut self, members: &mut Members, keyword: &str) {
        let Some(Json::Array(branches)) = members.get(keyword).cloned() else {
            return;
        };
        let Some(Json::Object(common)) = either(&branches, self.limits.depth) else {
            return;
        };
        let mut rest = members.clone();
        let value = rest.take(keyword);
        let merged = both(
            &Json::Object(rest),
            &Json::Object(common),
            self.limits.depth,
        );
        if let (Some(Json::Object(merged)), Some(value)) = (merged, value) {
            let sentence = words::of(keyword, &value, members);
            // A member that one branch declares may be any value in another.
            let effect = if merged.types().intersects(TypeSet::OBJECT) {
                Effect::Either
            } else {
                Effect::Wider
            };
            *members = merged;
            self.say(members, &sentence);
            self.note(StepKind::MergeUnion, effect, keyword);
        }
    }

    /// A union at the root, where providers accept none.
    fn root_union(&mut self, members: &mut Members, keyword: &str) {
        let Some(value @ Json::Array(_)) = members.get(keyword).cloned() else {
            return;
        };
        if let [Json::Object(only)] = value.items() {
            let mut rest = members.clone();
            rest.take(keyword);
            let merged = both(
                &Json::Object(rest),
                &Json::Object(only.clone()),
                self.limits.depth,
            );
            let plain = |name: &String| !REFUSED_AT_ROOT.contains(&name.as_str());
            if let Some(Json::Object(merged)) = merged
                && only.list.iter().all(|(name, _)| plain(name))
            {
                *members = merged;
                self.note(StepKind::MergeUnion, Effect::Same, keyword);
                return;
            }
        }
        let sentence = words::of(keyword, &value, members);
        let only_names = |branch: &Json| {
            branch.as_object().is_some_and(|branch| {
                let mut names = branch.list.iter();
                names.all(|(name, _)| !asserts(name) || name == "required" || name == "type")
            })
        };
        members.take(keyword);
        if value.items().iter().all(only_names) {
            self.say(members, &sentence);
            self.note(StepKind::Describe, Effect::Wider, keyword);
            return;
        }
        let rest = Json::Object(members.clone());
        let branches: Vec<Json> = value
            .items()
            .iter()
            .filter_map(|branch| both(&rest, branch, self.limits.depth))
            .collect();
        let merged = either(&branches, self.limits.depth)
            .filter(|_| branches.len() == value.items().len())
            .and_then(|common| both(&rest, &common, self.limits.depth));
        if let Some(Json::Object(merged)) = merged {
            *members = merged;
            self.note(StepKind::MergeUnion, Effect::Either, keyword);
        } else {
            self.note(StepKind::Describe, Effect::Wider, keyword);
        }
        self.say(members, &sentence);
    }

    /// The other keywords that providers reject at the root.
    fn root_words(&mut self, members: &mut Members) {
        for keyword in ["not", "enum", "const"] {
            if let Some(value) = members.get(keyword).cloned() {
                let sentence = words::of(keyword, &value, members);
                members.take(keyword);
                self.say(members, &sentence);
                self.note(StepKind::Describe, Effect::Wider, keyword);
            }
        }
        if members
            .get("type")
            .is_none_or(|own| own.as_text() != Some("object"))
        {
            let effect = if members.types() == TypeSet::OBJECT {
                Effect::Same
            } else {
                Effect::Narrower
            };
            members.set("type", Json::text("object"));
            self.note(StepKind::AddType, effect, "object");
        }
    }

    /// Multiple types in one `type`.
    pub(super) fn types(&mut self, members: &mut Members, at: At) {
        let Some(Json::Array(_)) = members.get("type") else {
            return;
        };
        let types = members.types();
        let only = types.intersection(TypeSet::ALL);
        if !self.abilities.type_arrays
            && let [one] = &*only.names()
        {
            members.set("type", Json::text(*one));
            self.note(StepKind::TypeArray, Effect::Same, one);
            return;
        }
        // Items that are no union travel as JSON text.
        if at == At::Items && !self.abilities.union_items && !self.abilities.type_arrays {
            let alternatives = types.names().iter().filter(|one| **one != "null").count();
            if alternatives > 1 || !self.abilities.nullable {
                return;
            }
        }
        // Values with parts may travel as text, and a string must not be taken for one.
        let apart = self.abilities.closed
            && has_parts(types)
            && types.intersects(TypeSet::STRING)
            && self.abilities.takes("anyOf");
        if self.abilities.type_arrays && !apart {
            return;
        }
        let others = types.intersection(TypeSet::ALL);
        let names: Vec<&str> = others
            .names()
            .iter()
            .copied()
            .filter(|n| *n != "null")
            .collect();
        let nullable = types.intersects(TypeSet::NULL) && self.abilities.nullable;
        // Only null, or one type and null if `nullable` expresses that.
        if names.len() <= 1 && (nullable || !types.intersects(TypeSet::NULL)) {
            if let [one] = names.as_slice()
                && !types.intersects(TypeSet::NULL)
            {
                members.set("type", Json::text(*one));
            }
            return;
        }
        if members.has("anyOf") || members.has("enum") {
            return;
        }
        // An integer is also a number; each alternative has one type.
        let stays = |name: &str| match self.bare || self.abilities.union_siblings {
            true => !asserts(name),
            false => !moves_into_branches(name),
        };
        let mut outer = Members::default();
        let mut inner = Members::default();
        for (name, value) in members.list.drain(..) {
            let into = if stays(&name) { &mut outer } else { &mut inner };
            into.list.push((name, value));
        }
        let mut branches = Vec::new();
        let mut all = others.names().into_owned();
        all.sort_unstable();
        for name in all {
            let about = |keyword: &str| {
                Keyword::from_name(keyword).is_none_or(|known| {
                    let of = known.applies_to().types();
                    of.is_empty() || of.contains(&name)
                })
            };
            let mut branch = inner.clone();
            branch.list.retain(|(keyword, _)| about(keyword));
            branch.set("type", Json::text(name));
            branches.push(Json::Object(branch));
        }
        *members = outer;
        members.set("anyOf", Json::Array(branches));
        self.note(StepKind::TypeArray, Effect::Same, &types.names().join(", "));
    }
}

/// Keywords that some reader refuses at the root.
const REFUSED_AT_ROOT: [&str; 8] = [
    "anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "$ref",
];

/// Whether a member of a schema can reject a value. Contents of strings are annotations here, as they are by
/// default.
pub(super) fn asserts(name: &str) -> bool {
    let keyword = Keyword::from_name(name).unwrap_or(Keyword::Unknown);
    let contents = matches!(
        keyword,
        Keyword::ContentEncoding | Keyword::ContentMediaType
    );
    keyword.can_reject() && !contents
}

/// Whether a member of a schema moves into the branches of a union that can have nothing beside it: what
/// asserts, and what describes the values, which would be lost.
pub(super) fn moves_into_branches(name: &str) -> bool {
    let describes = |keyword: Keyword| keyword.home().2 == Vocabulary::MetaData;
    asserts(name) || Keyword::from_name(name).is_some_and(describes)
}

/// A schema that holds if one of these does, with each only once.
pub(super) fn distinct(schemas: &[Json]) -> Json {
    let mut known: Vec<Json> = Vec::new();
    for one in schemas {
        if known.len() < MOST_BRANCHES && !known.iter().any(|own| own.equals(one)) {
            known.push(one.clone());
        }
    }
    one_of_them(&known)
}

/// Whether values of these types have members or items.
pub(super) fn has_parts(types: TypeSet) -> bool {
    types.intersects(TypeSet::OBJECT) || types.intersects(TypeSet::ARRAY)
}
