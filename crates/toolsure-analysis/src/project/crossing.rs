//! Keywords that judge a value which is published in another form, beside the one that publishes it: they would
//! judge the wrong value, so they become sentences.

use std::collections::HashSet;

use toolsure_json::pointer;
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::rewrite::{At, Rewriter, Rewritten};
use super::tree::{IN_PLACE, Json, Members};
use super::unions::asserts;

/// The parts of a value, as far as the schemas of one place speak of them.
#[derive(Default)]
struct Parts<'m> {
    /// Members, other members and items that are published in another form.
    coded: HashSet<&'m str>,
    coded_rest: bool,
    coded_items: bool,
    /// Members, other members, items and whole values that are judged as they are.
    judged: HashSet<&'m str>,
    judges_rest: bool,
    judges_items: bool,
    judges_whole: bool,
}

impl Rewriter<'_> {
    /// Replaces keywords that would judge values in another form than theirs, once the subschemas are final, and
    /// counts the effects of the steps in the others.
    pub(super) fn cross(&mut self, members: &mut Members, rewritten: &[Rewritten], at: At) {
        let mut gone = HashSet::new();
        for one in rewritten {
            let mut place = self.pointer.clone();
            pointer::push(&mut place, &one.keyword);
            if self.forced.words.contains(&place) {
                gone.insert(holder(&one.keyword).to_owned());
            }
        }
        if !self.is_test && self.holds_coded(members) {
            self.find_crossed(members, &mut gone);
        }
        if at == At::Root && self.abilities.property_names {
            find_renamed(members, &mut gone);
        }
        for one in rewritten {
            if !gone.contains(holder(&one.keyword)) {
                self.log.keeps_all &= one.keeps_all;
                self.log.adds_none &= one.adds_none;
            }
        }
        let mut names: Vec<String> = gone.into_iter().collect();
        names.sort_unstable();
        for name in names {
            self.unsay(members, &name, at);
        }
        let mut below = IN_PLACE.iter().flat_map(|keyword| members.schemas(keyword));
        let loses = below.any(|one| one.as_object().is_some_and(|own| own.coding.evaluates_less));
        if loses || members.coding.evaluates_less {
            members.coding.evaluates_less = true;
            for name in ["unevaluatedProperties", "unevaluatedItems"] {
                self.unsay(members, name, at);
            }
        }
        members.coding.below = self.holds_coded(members);
    }

    /// Turns a keyword into a sentence, with its steps.
    fn unsay(&mut self, members: &mut Members, name: &str, at: At) {
        let Some(value) = members.get(name).cloned() else {
            return;
        };
        let length = self.pointer.len();
        for keyword in parts_of(name) {
            pointer::push(&mut self.pointer, keyword);
            self.log.forget(&self.pointer);
            self.pointer.truncate(length);
        }
        match name {
            "patternProperties" => self.describe_patterns(members),
            "enum" | "const" if at != At::Root => self.in_words(members),
            _ => {
                members.coding.evaluates_less |= !matches!(name, "not" | "enum" | "const");
                self.describe(members, name, &value);
            }
        }
    }

    /// Whether a schema holds schemas of values in another form.
    fn holds_coded(&self, members: &Members) -> bool {
        members.list.iter().any(|(keyword, value)| {
            if matches!(keyword.as_str(), "$defs" | "definitions") {
                return false;
            }
            match (layout_in(Dialect::Draft202012, keyword), value) {
                (Some(SubschemaLayout::Map), Json::Object(map)) => {
                    map.list.iter().any(|(_, one)| self.is_coded(one))
                }
                (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                    list.iter().any(|one| self.is_coded(one))
                }
                (Some(SubschemaLayout::Schemas), one) => self.is_coded(one),
                _ => false,
            }
        })
    }

    fn is_coded(&self, schema: &Json) -> bool {
        schema.as_object().is_some_and(|own| {
            !own.coding.is_plain()
                || own.coding.below
                || own.has("$ref") && self.abilities.encodes()
        })
    }

    /// Finds the keywords of a schema that judge values in another form.
    fn find_crossed(&self, members: &mut Members, gone: &mut HashSet<String>) {
        let any_coded = |own: &Members, keyword: &str| match own.get(keyword) {
            Some(Json::Object(map)) if keyword == "dependentSchemas" => {
                map.list.iter().any(|(_, one)| self.is_coded(one))
            }
            Some(one) => self.is_coded(one),
            None => false,
        };
        for keyword in [
            "if",
            "then",
            "else",
            "not",
            "contains",
            "dependentSchemas",
            "unevaluatedProperties",
            "unevaluatedItems",
        ] {
            // Values are not mapped along these.
            if any_coded(members, keyword) {
                gone.insert(holder(keyword).to_owned());
            }
        }
        let mut all = Parts::default();
        self.collect(members, true, &mut all);
        if all.is_coded() {
            for keyword in ["if", "then", "else", "not", "dependentSchemas"] {
                let mut own = Parts::default();
                match members.get(keyword) {
                    Some(Json::Object(map)) if keyword == "dependentSchemas" => {
                        let each = map.list.iter().filter_map(|(_, one)| one.as_object());
                        each.for_each(|one| self.collect(one, true, &mut own));
                    }
                    Some(Json::Object(one)) => self.collect(one, true, &mut own),
                    _ => {}
                }
                if all.is_judged_by(&own) {
                    gone.insert(holder(keyword).to_owned());
                }
            }
            if all.coded_items && members.has("contains") {
                gone.insert("contains".to_owned());
            }
            let by_pattern = all.coded_rest || !all.coded.is_empty();
            if by_pattern && members.has("patternProperties") {
                gone.insert("patternProperties".to_owned());
            }
            for keyword in ["enum", "const"] {
                if has_composite(members, keyword) {
                    gone.insert(keyword.to_owned());
                }
            }
        }
        let crossed = self.crossed_branches(members);
        if let Some(keyword) = crossed {
            if self.bare {
                gone.insert(keyword.to_owned());
            } else {
                members.coding.crossed = true;
            }
        }
    }

    /// A union or conjunction whose branches judge what another one publishes in another form.
    fn crossed_branches(&self, members: &Members) -> Option<&'static str> {
        let mut known = Parts::default();
        self.collect(members, false, &mut known);
        for keyword in IN_PLACE {
            let mut branches = Parts::default();
            for branch in members.schemas(keyword).iter().filter_map(Json::as_object) {
                let mut own = Parts::default();
                self.collect(branch, true, &mut own);
                if known.is_crossed_with(&own) {
                    return Some(keyword);
                }
                match keyword {
                    "allOf" => known.add(own),
                    _ => branches.add(own),
                }
            }
            known.add(branches);
        }
        None
    }

    /// Adds what a schema says of the parts of a value, in place too.
    fn collect<'m>(&self, members: &'m Members, deep: bool, parts: &mut Parts<'m>) {
        let is_text = |own: &Members| own.coding.form.is_text();
        for (name, one) in members.map("properties") {
            let Some(own) = one.as_object() else {
                continue;
            };
            if self.is_coded(one) {
                parts.coded.insert(name);
            }
            if !is_text(own) && own.list.iter().any(|(keyword, _)| asserts(keyword)) {
                parts.judged.insert(name);
            }
        }
        let by_pattern = members.map("patternProperties").iter().map(|(_, one)| one);
        let rest = ["additionalProperties", "unevaluatedProperties"];
        let rest = rest.iter().filter_map(|keyword| members.get(keyword));
        for one in by_pattern.chain(rest) {
            parts.coded_rest |= self.is_coded(one);
            parts.judges_rest |= one.as_object().is_some_and(|own| !own.list.is_empty());
        }
        let items = ["items", "contains", "unevaluatedItems"];
        let items = items.iter().filter_map(|keyword| members.get(keyword));
        for one in items.chain(members.schemas("prefixItems")) {
            parts.coded_items |= self.is_coded(one);
            parts.judges_items |= one.as_object().is_some_and(|own| !own.list.is_empty());
        }
        parts.judges_whole |= has_composite(members, "enum") || has_composite(members, "const");
        if members.has("$ref") && self.abilities.encodes() {
            parts.judges_whole = true;
            parts.coded_rest = true;
        }
        if deep {
            for one in members.in_place().filter_map(Json::as_object) {
                self.collect(one, true, parts);
            }
            for keyword in ["not", "if", "then", "else"] {
                if let Some(Json::Object(one)) = members.get(keyword) {
                    self.collect(one, true, parts);
                }
            }
            for (_, one) in members.map("dependentSchemas") {
                if let Json::Object(one) = one {
                    self.collect(one, true, parts);
                }
            }
        }
    }
}

impl<'m> Parts<'m> {
    fn is_coded(&self) -> bool {
        !self.coded.is_empty() || self.coded_rest || self.coded_items
    }

    /// Whether another schema judges what this one publishes in another form.
    fn is_judged_by(&self, other: &Self) -> bool {
        let names = !self.coded.is_disjoint(&other.judged)
            || self.coded_rest && !other.judged.is_empty()
            || other.judges_rest && (self.coded_rest || !self.coded.is_empty());
        names || self.coded_items && other.judges_items || other.judges_whole && self.is_coded()
    }

    fn is_crossed_with(&self, other: &Self) -> bool {
        self.is_judged_by(other) || other.is_judged_by(self)
    }

    fn add(&mut self, other: Self) {
        self.coded.extend(other.coded);
        self.coded_rest |= other.coded_rest;
        self.coded_items |= other.coded_items;
        self.judged.extend(other.judged);
        self.judges_rest |= other.judges_rest;
        self.judges_items |= other.judges_items;
        self.judges_whole |= other.judges_whole;
    }
}

/// Finds the keywords at the root that speak of a property by a name that is not published.
fn find_renamed(members: &Members, gone: &mut HashSet<String>) {
    let names = members.map("properties").iter();
    let names = names.map(|(name, _)| name.as_str());
    let renamed: HashSet<&str> = names
        .filter(|name| !super::names::is_property_name(name))
        .collect();
    if renamed.is_empty() {
        return;
    }
    for keyword in ["patternProperties", "propertyNames"] {
        if members.has(keyword) {
            gone.insert(keyword.to_owned());
        }
    }
    for keyword in [
        "dependentRequired",
        "dependentSchemas",
        "not",
        "if",
        "then",
        "else",
    ] {
        if members
            .get(keyword)
            .is_some_and(|value| speaks(value, &renamed))
        {
            gone.insert(holder(keyword).to_owned());
        }
    }
}

/// Whether a schema may speak of one of these members: by its name, or of all members.
fn speaks(value: &Json, names: &HashSet<&str>) -> bool {
    match value {
        Json::Object(members) => members.list.iter().any(|(name, one)| {
            names.contains(name.as_str())
                || name.ends_with("Properties")
                || name == "propertyNames"
                || speaks(one, names)
        }),
        Json::Array(items) => items.iter().any(|one| speaks(one, names)),
        other => other.as_text().is_some_and(|text| names.contains(text)),
    }
}

/// The keyword that a keyword is described with.
fn holder(keyword: &str) -> &str {
    match keyword {
        "then" | "else" => "if",
        other => other,
    }
}

/// The keywords that go with a keyword.
fn parts_of(keyword: &str) -> Vec<&str> {
    match keyword {
        "if" => vec!["if", "then", "else"],
        "patternProperties" => vec!["patternProperties", "additionalProperties"],
        "enum" | "const" => vec!["properties", "additionalProperties", "items", "prefixItems"],
        other => vec![other],
    }
}

/// Whether a keyword lists values with parts.
fn has_composite(members: &Members, keyword: &str) -> bool {
    let listed = members.schemas("enum").iter().filter(|_| keyword == "enum");
    let constant = members.get("const").filter(|_| keyword == "const");
    listed
        .chain(constant)
        .any(|value| matches!(value, Json::Array(_) | Json::Object(_)))
}
