//! Turns a rewritten schema into the published one: applies its marks.

use std::collections::HashSet;

use toolsure_json::pointer;
use toolsure_syntax::Dialect;
use toolsure_syntax::model::TypeSet;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::abilities::Abilities;
use super::apart::are_apart;
use super::limits::Limits;
use super::report::StepKind;
use super::rewrite::{Effect, Log, cut, say};
use super::tree::{Coding, Form, Json, Members, Renamed, WRAPPED};
use super::unions::asserts;

/// Builds the published form.
pub(super) struct Encoder<'a> {
    pub(super) abilities: &'a Abilities,
    pub(super) limits: &'a Limits,
    /// Whether calls may have members that no keyword names.
    pub(super) open: bool,
    pub(super) log: &'a mut Log,
    pub(super) pointer: String,
}

impl Encoder<'_> {
    /// The published form of a schema.
    pub(super) fn encode(&mut self, schema: &Json, at_root: bool) -> Json {
        let Json::Object(members) = schema else {
            return schema.clone();
        };
        let mut written = match &members.coding.form {
            Form::Plain => self.plain(members, at_root),
            Form::JsonText(_) => self.json_text(members),
            Form::Wrapped(_) => self.wrapped(members),
            Form::Entries => self.entries(members),
            Form::Words(table) => {
                let said = |name: &str, value: &Json| {
                    !asserts(name) || matches!(name, "type" | "enum") || value.is_empty_schema()
                };
                let types = TypeSet::ALL.intersection(members.stated_types());
                self.log.adds_none &= members.list.iter().all(|(name, value)| said(name, value))
                    && table.iter().all(|(_, value)| types.contains(value.types()));
                words(members, table)
            }
        };
        if self.abilities.nullable && nullable(&mut written) {
            self.log
                .step(StepKind::Nullable, Effect::Same, &self.pointer, "");
        }
        Json::Object(written)
    }

    fn plain(&mut self, members: &Members, at_root: bool) -> Members {
        let mut written = Members::default();
        let length = self.pointer.len();
        for (keyword, value) in &members.list {
            pointer::push(&mut self.pointer, keyword);
            let inner = self.pointer.len();
            let value = match (layout_in(Dialect::Draft202012, keyword), value) {
                (Some(SubschemaLayout::Map), Json::Object(map)) => {
                    let mut all = Members::default();
                    for (name, one) in &map.list {
                        pointer::push(&mut self.pointer, name);
                        all.list.push((name.clone(), self.encode(one, false)));
                        self.pointer.truncate(inner);
                    }
                    Json::Object(all)
                }
                (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                    let mut all = Vec::new();
                    for (at, one) in list.iter().enumerate() {
                        pointer::push(&mut self.pointer, &at.to_string());
                        all.push(self.encode(one, false));
                        self.pointer.truncate(inner);
                    }
                    Json::Array(all)
                }
                (Some(SubschemaLayout::Schemas), one) => self.encode(one, false),
                _ => value.clone(),
            };
            written.list.push((keyword.clone(), value));
            self.pointer.truncate(length);
        }
        let unique = matches!(members.get("uniqueItems"), Some(Json::Bool(true)));
        let mut items = members
            .schemas("prefixItems")
            .iter()
            .chain(members.get("items"));
        if unique && items.any(is_coded) {
            // Two texts may say one value.
            self.log.adds_none = false;
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = written.schemas(keyword);
            let told_apart = are_apart(branches) && are_apart(members.schemas(keyword));
            if branches.iter().any(is_coded) && !told_apart {
                // The branch that a value matches decides how it is mapped back.
                self.log.adds_none = false;
                self.log.keeps_all = false;
            }
        }
        if self.abilities.all_required {
            self.require_all(&mut written, &members.coding.nulls);
        }
        if at_root && self.abilities.property_names {
            self.rename(&mut written);
        }
        written
    }

    /// Makes optional members required; null stands for their absence. It is the default of `nulls`.
    fn require_all(&mut self, members: &mut Members, nulls: &[String]) {
        let required = members.required();
        let required: HashSet<String> = required.map(str::to_owned).collect();
        let Some(Json::Object(properties)) = members.get_mut("properties") else {
            return;
        };
        let mut absent = Vec::new();
        for (name, schema) in &mut properties.list {
            if !required.contains(name) && !nulls.contains(name) {
                *schema = or_null(std::mem::replace(schema, Json::Null));
                absent.push(name.clone());
            }
        }
        let all = properties.list.iter().map(|(name, _)| name.as_str());
        let all = Json::strings(all);
        members.set("required", all);
        let all: Vec<&str> = absent.iter().chain(nulls).map(String::as_str).collect();
        if !all.is_empty() {
            let detail = all.join(", ");
            let kind = StepKind::RequireAll;
            let strict = self.open && !nulls.is_empty();
            let effect = if strict {
                Effect::Narrower
            } else {
                Effect::Same
            };
            self.log.step(kind, effect, &self.pointer, &detail);
        }
        members.coding.absent = absent;
        members.coding.nulls = nulls.to_vec();
    }

    /// Renames properties of the root whose names are not accepted.
    fn rename(&mut self, members: &mut Members) {
        let names = members
            .map("properties")
            .iter()
            .map(|(name, _)| name.clone());
        let mut known: HashSet<String> = names.collect();
        let closed = members.forbids("additionalProperties");
        let mentions = |name: &str| {
            matches!(
                name,
                "properties"
                    | "required"
                    | "additionalProperties"
                    | "minProperties"
                    | "maxProperties"
            )
        };
        let elsewhere = members
            .list
            .iter()
            .any(|(name, _)| asserts(name) && !mentions(name) && name != "type");
        let mut renamed = Vec::new();
        if let Some(Json::Object(map)) = members.get_mut("properties") {
            for (name, _) in &mut map.list {
                if super::names::is_property_name(name) {
                    continue;
                }
                let published = super::names::property(name, &known);
                known.insert(published.clone());
                renamed.push(Renamed {
                    original: std::mem::replace(name, published.clone()),
                    published,
                });
            }
        }
        if let Some(Json::Array(required)) = members.get_mut("required") {
            for name in required {
                let new = renamed
                    .iter()
                    .find(|one| name.as_text() == Some(&one.original));
                if let Some(one) = new {
                    *name = Json::text(one.published.as_str());
                }
            }
        }
        for one in &renamed {
            // An undeclared member may already have the name.
            let effect = if (closed || !self.open) && !elsewhere {
                Effect::Same
            } else {
                Effect::Either
            };
            let detail = format!("`{}` is `{}`", one.original, one.published);
            self.log
                .step(StepKind::RenameProperty, effect, &self.pointer, &detail);
        }
        members.coding.renamed = renamed;
    }

    /// An object with the JSON text of the value.
    fn wrapped(&mut self, members: &Members) -> Members {
        let adds_none = self.log.adds_none;
        let mut text = self.json_text(members);
        text.coding = Coding::default();
        let plain = |(name, value): &(String, Json)| match name.as_str() {
            "type" => value.as_text() == Some("object"),
            "additionalProperties" => value.is_empty_schema(),
            other => !asserts(other),
        };
        if members.list.iter().all(plain) {
            // An object whose text is not JSON is taken as it is, and any object is accepted.
            self.log.adds_none = adds_none;
        }
        let mut written = Members::only("type", Json::text("object"));
        let properties = Members::only(WRAPPED, Json::Object(text));
        written.set("properties", Json::Object(properties));
        written.set("required", Json::strings([WRAPPED]));
        if self.abilities.closed {
            written.set("additionalProperties", Json::Bool(false));
        }
        written.coding.form = members.coding.form.clone();
        written
    }

    fn json_text(&mut self, members: &Members) -> Members {
        // A string may not be JSON, or may be the JSON of a value that is not accepted.
        let all = members.types().is_all();
        self.log.adds_none &= all && !members.list.iter().any(|(name, _)| asserts(name));
        let mut written = Members::only("type", Json::text("string"));
        for keyword in ["title", "description"] {
            if let Some(value) = members.get(keyword) {
                written.set(keyword, value.clone());
            }
        }
        let says = |name: &str| {
            !matches!(
                name,
                "type" | "title" | "description" | "default" | "examples"
            )
        };
        let mut rest = members.clone();
        rest.list.retain(|(name, _)| says(name));
        let what = match members.text("type") {
            Some(name @ ("object" | "array")) => format!("A JSON {name}"),
            Some(name) => format!("A JSON value of type {name}"),
            None if members.has("type") => "A JSON value".to_owned(),
            None => "Any JSON value".to_owned(),
        };
        let mut sentence = format!("{what}, written as JSON text.");
        if members.types().intersects(TypeSet::STRING) {
            sentence.push_str(" A string is written in quotation marks.");
        }
        if !rest.list.is_empty() {
            let schema = cut(&Json::Object(rest).write(), self.limits.sentence);
            sentence = format!("{sentence} It must match the JSON Schema {schema}.");
        }
        say(&mut written, &sentence, self.limits);
        written.coding.form = members.coding.form.clone();
        written
    }

    fn entries(&mut self, members: &Members) -> Members {
        let mut written = Members::only("type", Json::text("array"));
        for keyword in ["title", "description"] {
            if let Some(value) = members.get(keyword) {
                written.set(keyword, value.clone());
            }
        }
        say(
            &mut written,
            "An object, written as an array of its keys and values.",
            self.limits,
        );
        let length = self.pointer.len();
        pointer::push(&mut self.pointer, "additionalProperties");
        let value = members.get("additionalProperties");
        let value = value.map_or(Json::Bool(true), |value| self.encode(value, false));
        self.pointer.truncate(length);
        let mut each = Members::only("type", Json::text("object"));
        let key = Json::Object(Members::only("type", Json::text("string")));
        let both = vec![("key".to_owned(), key), ("value".to_owned(), value)];
        each.set("properties", Json::Object(Members::of(both)));
        each.set("required", Json::strings(["key", "value"]));
        if self.abilities.closed {
            each.set("additionalProperties", Json::Bool(false));
        }
        written.set("items", Json::Object(each));
        written.coding.form = Form::Entries;
        written
    }
}

/// The values of an `enum` as strings.
fn words(members: &Members, table: &[(String, Json)]) -> Members {
    let mut written = Members::default();
    let word_of = |value: &Json| match table.iter().find(|(_, known)| known.equals(value)) {
        Some((word, _)) => Some(Json::text(word)),
        None => matches!(value, Json::Null).then_some(Json::Null),
    };
    for (keyword, value) in &members.list {
        match keyword.as_str() {
            "type" => {}
            "enum" => {
                let null = members
                    .schemas("enum")
                    .iter()
                    .any(|one| matches!(one, Json::Null));
                let in_table = table.iter().any(|(_, value)| matches!(value, Json::Null));
                let mut words: Vec<Json> = table.iter().map(|(word, _)| Json::text(word)).collect();
                if null && !in_table {
                    written.set("type", Json::strings(["string", "null"]));
                    words.push(Json::Null);
                } else {
                    written.set("type", Json::text("string"));
                }
                written.set("enum", Json::Array(words));
            }
            "default" => {
                if let Some(word) = word_of(value) {
                    written.set(keyword, word);
                }
            }
            "examples" => {
                let examples = value.items().iter().filter_map(word_of).collect();
                written.set(keyword, Json::Array(examples));
            }
            other if asserts(other) => {}
            _ => written.set(keyword, value.clone()),
        }
    }
    written.coding.form = members.coding.form.clone();
    written
}

/// A schema that also accepts null.
fn or_null(schema: Json) -> Json {
    let null = || Json::Object(Members::only("type", Json::text("null")));
    let Json::Object(mut members) = schema else {
        return Json::Object(Members::only("anyOf", Json::Array(vec![schema, null()])));
    };
    let simple = !["$ref", "const", "oneOf", "allOf", "not", "if"]
        .iter()
        .any(|keyword| members.has(keyword));
    match (members.get("type").cloned(), members.has("anyOf")) {
        (None, true) if simple => {
            if let Some(Json::Array(branches)) = members.get_mut("anyOf") {
                branches.push(null());
            }
            Json::Object(members)
        }
        (Some(kind), false) if simple => {
            let mut names: Vec<String> = match &kind {
                Json::Text(name) => vec![name.clone()],
                other => other.texts().map(str::to_owned).collect(),
            };
            if !names.iter().any(|name| name == "null") {
                names.push("null".to_owned());
            }
            members.set("type", Json::strings(names.iter().map(String::as_str)));
            if let Some(Json::Array(values)) = members.get_mut("enum")
                && !values.iter().any(|value| matches!(value, Json::Null))
            {
                values.push(Json::Null);
            }
            Json::Object(members)
        }
        _ => {
            let outer = members.take("description");
            let branches = vec![Json::Object(members), null()];
            let mut whole = Members::only("anyOf", Json::Array(branches));
            if let Some(description) = outer {
                whole.set("description", description);
            }
            Json::Object(whole)
        }
    }
}

/// Expresses null as `nullable` within one schema; returns whether the schema accepts null.
fn nullable(members: &mut Members) -> bool {
    let mut found = false;
    if let Some(Json::Array(_)) = members.get("type") {
        let names: Vec<String> = members
            .get("type")
            .into_iter()
            .flat_map(Json::texts)
            .map(str::to_owned)
            .collect();
        found = names.iter().any(|name| name == "null");
        let others: Vec<&str> = names
            .iter()
            .map(String::as_str)
            .filter(|name| *name != "null")
            .collect();
        if let [one] = others.as_slice() {
            members.set("type", Json::text(*one));
        }
    }
    if found && let Some(Json::Array(values)) = members.get_mut("enum") {
        values.retain(|value| !matches!(value, Json::Null));
    }
    let is_null = |schema: &Json| {
        let members = schema.as_object();
        members.is_some_and(|members| members.text("type") == Some("null"))
    };
    if let Some(Json::Array(branches)) = members.get_mut("anyOf")
        && branches.len() > 1
        && branches.iter().any(is_null)
        && !branches.iter().all(is_null)
    {
        branches.retain(|branch| !is_null(branch));
        found = true;
    }
    if found {
        members.set("nullable", Json::Bool(true));
    }
    found
}

/// A published schema with `nullable` interpreted as its profile does: a plain JSON Schema.
pub(super) fn without_nullable(schema: &Json) -> Json {
    let Json::Object(members) = schema else {
        return schema.clone();
    };
    let mut written = Members {
        coding: members.coding.clone(),
        ..Members::default()
    };
    for (keyword, value) in &members.list {
        let value = match (layout_in(Dialect::Draft202012, keyword), value) {
            (Some(SubschemaLayout::Map), Json::Object(map)) => {
                let all = map.list.iter();
                let all = all.map(|(name, one)| (name.clone(), without_nullable(one)));
                Json::Object(Members::of(all.collect()))
            }
            (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                Json::Array(list.iter().map(without_nullable).collect())
            }
            (Some(SubschemaLayout::Schemas), one) => without_nullable(one),
            _ => value.clone(),
        };
        written.list.push((keyword.clone(), value));
    }
    match written.take("nullable") {
        Some(Json::Bool(true)) => or_null(Json::Object(written)),
        _ => Json::Object(written),
    }
}

/// Whether any values in a schema are encoded.
fn is_coded(schema: &Json) -> bool {
    match schema {
        Json::Object(members) => {
            !members.coding.is_plain() || members.list.iter().any(|(_, value)| is_coded(value))
        }
        Json::Array(items) => items.iter().any(is_coded),
        _ => false,
    }
}
