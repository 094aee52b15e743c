//! Single keywords that a profile does not support: expressed otherwise, or in words.

use std::cmp::Ordering;
use std::collections::HashSet;

use toolsure_json::Number;
use toolsure_syntax::model::TypeSet;

use super::report::StepKind;
use super::rewrite::{At, Effect, Rewriter};
use super::tree::{EVALUATE, Form, Json, Members};
use super::unions::{asserts, distinct};
use super::words;

impl Rewriter<'_> {
    /// Members that can never be present: drops their names and keeps the sentence.
    pub(super) fn impossible_members(&mut self, members: &mut Members) {
        if self.abilities.takes("not") {
            return;
        }
        let never = |schema: &Json| match schema {
            Json::Bool(accepts) => !accepts,
            Json::Object(own) => own.get("not").is_some_and(Json::is_empty_schema),
            _ => false,
        };
        let names = members.map("properties").iter();
        let names: Vec<String> = names
            .filter(|(_, schema)| never(schema))
            .map(|(name, _)| name.clone())
            .collect();
        if names.is_empty() {
            return;
        }
        if let Some(Json::Object(map)) = members.get_mut("properties") {
            map.list.retain(|(_, schema)| !never(schema));
        }
        let closed = members.forbids("additionalProperties");
        let sentence = format!(
            "{} must not be given.",
            words::list(names.iter().map(String::as_str))
        );
        if !closed {
            self.say(members, &sentence);
        }
        let effect = if closed { Effect::Same } else { Effect::Wider };
        self.note(StepKind::Describe, effect, &names.join(", "));
    }

    /// Turns a tuple into an array of alternatives.
    pub(super) fn tuple(&mut self, members: &mut Members) {
        if self.abilities.takes("prefixItems") {
            return;
        }
        let Some(tuple @ Json::Array(_)) = members.get("prefixItems").cloned() else {
            return;
        };
        let count = tuple.items().len();
        let most = members.get("maxItems").and_then(Json::count);
        let rest = members.get("items").cloned();
        let ends =
            matches!(rest, Some(Json::Bool(false))) || most.is_some_and(|most| most <= count);
        let sentence = words::of("prefixItems", &tuple, members);
        let mut all: Vec<Json> = tuple.items().to_vec();
        match &rest {
            _ if ends => {}
            Some(Json::Bool(true)) | None => all.clear(),
            Some(other) => all.push(other.clone()),
        }
        if all.iter().any(Json::is_empty_schema) {
            all.clear();
        }
        members.take("items");
        members.take("prefixItems");
        let each = distinct(&all);
        let same = !all.is_empty() && each.as_object().is_none_or(|own| !own.has("anyOf"));
        if !all.is_empty() {
            members.set("items", each);
        }
        if ends && most.is_none_or(|most| most > count) {
            members.set("maxItems", Json::Number(count.to_string()));
        }
        let alike = same
            && all
                .iter()
                .all(|one| all.first().is_some_and(|first| first.equals(one)));
        if !alike {
            self.say(members, &sentence);
        }
        let effect = if alike { Effect::Same } else { Effect::Wider };
        self.note(StepKind::Tuple, effect, "");
    }

    /// Turns exclusive bounds into inclusive ones.
    pub(super) fn bounds(&mut self, members: &mut Members) {
        let integers = members.types().intersection(TypeSet::NUMBER) == TypeSet::INTEGER;
        for (keyword, other, up) in [
            ("exclusiveMinimum", "minimum", true),
            ("exclusiveMaximum", "maximum", false),
        ] {
            if self.abilities.takes(keyword) || !self.abilities.takes(other) {
                continue;
            }
            let Some(value @ Json::Number(_)) = members.get(keyword).cloned() else {
                continue;
            };
            let whole = value.number().and_then(Number::as_i64);
            let next = whole
                .filter(|_| integers)
                .and_then(|whole| whole.checked_add(if up { 1 } else { -1 }));
            let bound = next.map_or_else(|| value.clone(), |next| Json::Number(next.to_string()));
            let sentence = words::of(keyword, &value, members);
            members.take(keyword);
            let tighter = match (members.get(other).and_then(Json::number), bound.number()) {
                (Some(own), Some(bound)) => {
                    let order = bound.compare(&own);
                    order
                        == if up {
                            Ordering::Greater
                        } else {
                            Ordering::Less
                        }
                }
                _ => true,
            };
            if tighter {
                members.set(other, bound);
            }
            if next.is_none() {
                self.say(members, &sentence);
            }
            let exact = next.is_some() || !tighter;
            let effect = if exact { Effect::Same } else { Effect::Wider };
            self.note(StepKind::Bounds, effect, keyword);
        }
        if self.abilities.low_min_items
            && let Some(least) = members.get("minItems").and_then(Json::count)
            && least > 1
        {
            let value = Json::Number(least.to_string());
            let sentence = words::of("minItems", &value, members);
            members.set("minItems", Json::Number("1".to_owned()));
            self.say(members, &sentence);
            self.note(StepKind::ItemCount, Effect::Wider, &least.to_string());
        }
    }

    /// `unevaluated*` beside keywords that evaluate members or items: if one of those is not supported and
    /// becomes words, here or in a subschema, what it evaluated would be rejected.
    pub(super) fn unevaluated(&mut self, members: &mut Members, at: At) {
        let all_taken = EVALUATE.iter().all(|name| self.takes(name, at));
        if all_taken || !EVALUATE.iter().any(|name| members.has(name)) {
            return;
        }
        for name in ["unevaluatedProperties", "unevaluatedItems"] {
            if let Some(value) = members.get(name).cloned() {
                self.describe(members, name, &value);
            }
        }
    }

    /// All remaining keywords that are not supported.
    pub(super) fn keywords(&mut self, members: &mut Members, at: At) {
        self.by_name(members, at);
        let all: Vec<String> = members.list.iter().map(|(name, _)| name.clone()).collect();
        for name in all {
            let Some(value) = members.get(&name).cloned() else {
                continue;
            };
            if self.abilities.nullable && name == "nullable" {
                // Not a keyword of JSON Schema: the original does not accept null for it.
                members.take(&name);
                self.note(StepKind::LeaveOut, Effect::Same, &name);
                continue;
            }
            if self.is_taken(members, &name, &value, at) {
                continue;
            }
            if let Some(plain) = self.plain_pattern(&name, &value) {
                members.set(&name, Json::text(plain));
                self.note(
                    StepKind::Pattern,
                    Effect::Same,
                    value.as_text().unwrap_or_default(),
                );
                continue;
            }
            if self.bound_lengths(members, &name, &value, at) {
                continue;
            }
            match name.as_str() {
                "$ref" | "$defs" | "definitions" | "type" | "anyOf" | "oneOf" | "allOf" => {}
                "additionalProperties" => self.open(members, &value),
                "then" | "else" | "minContains" | "maxContains" => {
                    members.take(&name);
                    self.note(StepKind::LeaveOut, Effect::Same, &name);
                }
                "required" if !self.abilities.closed => {}
                _ => self.describe(members, &name, &value),
            }
        }
        // A union that is left although the profile does not support unions can only become words.
        for name in ["oneOf", "allOf", "anyOf"] {
            if let Some(value) = members.get(name).cloned()
                && !self.abilities.takes(name)
            {
                self.describe(members, name, &value);
            }
        }
    }

    fn is_taken(&self, members: &Members, name: &str, value: &Json, at: At) -> bool {
        let fractions = || members.types().intersects(TypeSet::FRACTION);
        let is_over = |most: usize| value.count().is_none_or(|count| count > most);
        match (name, value) {
            ("minLength" | "maxLength" | "minItems" | "maxItems", _)
                if self.abilities.repetitions.is_some_and(is_over) =>
            {
                false
            }
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", _)
                if self.abilities.unbounded_numbers && fractions() =>
            {
                false
            }
            ("format", Json::Text(format)) => {
                self.abilities.takes("format") && self.abilities.takes_format(format)
            }
            ("pattern", Json::Text(pattern)) => {
                self.abilities.takes("pattern") && self.abilities.takes_pattern(pattern)
            }
            ("uniqueItems" | "deprecated" | "readOnly" | "writeOnly", Json::Bool(false)) => {
                self.abilities.takes(name)
            }
            _ => self.takes(name, at),
        }
    }

    /// Whether a keyword is supported at a position.
    pub(super) fn takes(&self, keyword: &str, at: At) -> bool {
        match at {
            At::Root => self.abilities.takes_root(keyword),
            _ => self.abilities.takes(keyword),
        }
    }

    /// A pattern that the profile accepts and that matches the same strings.
    fn plain_pattern(&mut self, name: &str, value: &Json) -> Option<String> {
        let text = value
            .as_text()
            .filter(|_| name == "pattern" && self.abilities.takes(name))?;
        let plain = self
            .spent
            .patterns
            .plain(text, self.limits.listing_patterns)?;
        self.abilities
            .takes_pattern(plain)
            .then(|| plain.to_owned())
    }

    /// Writes a pattern as one that the profile accepts and bounds of the length, if these accept the same
    /// strings; returns whether it did.
    fn bound_lengths(&mut self, members: &mut Members, name: &str, value: &Json, at: At) -> bool {
        let Some(text) = value.as_text().filter(|_| name == "pattern") else {
            return false;
        };
        let split = self
            .spent
            .patterns
            .with_lengths(text, self.limits.listing_patterns);
        let Some(split) = split.cloned() else {
            return false;
        };
        let known = |keyword| members.get(keyword)?.number()?.as_u64();
        // A bound of the schema itself may be tighter.
        let min = Some(split.min).filter(|min| *min > known("minLength").unwrap_or(0));
        let max =
            known("maxLength").map_or(split.max, |known| split.max.filter(|max| *max < known));
        let bounds = [("minLength", min), ("maxLength", max)];
        let bounds: Vec<(&str, Json)> = bounds
            .into_iter()
            .filter_map(|(keyword, bound)| Some((keyword, Json::Number(bound?.to_string()))))
            .collect();
        let is_taken = |(keyword, bound): &(&str, Json)| self.is_taken(members, keyword, bound, at);
        if !bounds.iter().all(is_taken)
            || !self.is_taken(members, name, &Json::text(split.text.clone()), at)
        {
            return false;
        }
        for (keyword, bound) in bounds {
            members.set(keyword, bound);
        }
        members.set(name, Json::text(split.text));
        self.note(StepKind::Pattern, Effect::Same, text);
        true
    }

    /// `additionalProperties` if it is not supported and objects need not be closed.
    fn open(&mut self, members: &mut Members, value: &Json) {
        if self.abilities.closed {
            return;
        }
        let effect = match value {
            Json::Bool(true) => Effect::Same,
            other if other.is_empty_schema() => Effect::Same,
            _ => Effect::Wider,
        };
        if !matches!(value, Json::Bool(_)) && effect == Effect::Wider {
            let sentence = words::of("additionalProperties", value, members);
            self.say(members, &sentence);
        }
        members.take("additionalProperties");
        self.note(StepKind::Open, effect, &value.write());
    }

    pub(super) fn describe(&mut self, members: &mut Members, name: &str, value: &Json) {
        let silent = match (name, value) {
            ("uniqueItems" | "deprecated" | "readOnly" | "writeOnly", Json::Bool(flag)) => !flag,
            ("default", Json::Null) => true,
            ("title" | "$comment" | "$id" | "$anchor" | "$dynamicAnchor" | "contentSchema", _) => {
                true
            }
            _ => !asserts(name) && !TELLS.contains(&name),
        };
        if silent && !asserts(name) {
            members.take(name);
            self.note(StepKind::LeaveOut, Effect::Same, name);
            return;
        }
        let sentence = words::of(name, value, members);
        members.take(name);
        match name {
            "if" => {
                members.take("then");
                members.take("else");
            }
            "contains" => {
                members.take("minContains");
                members.take("maxContains");
            }
            _ => {}
        }
        if !silent {
            self.say(members, &sentence);
        }
        let effect = if silent || !asserts(name) {
            Effect::Same
        } else {
            Effect::Wider
        };
        self.note(StepKind::Describe, effect, name);
    }

    /// The values of an `enum` that cannot be expressed.
    pub(super) fn values(&mut self, members: &mut Members, at: At) {
        let Some(Json::Array(values)) = members.get("enum").cloned() else {
            return;
        };
        let nullable = self.abilities.nullable || self.abilities.enum_scalars;
        let fits = |value: &Json| match value {
            Json::Text(text) => !self.abilities.enum_strings || !text.is_empty(),
            Json::Null => nullable || !self.abilities.enum_strings,
            Json::Array(_) | Json::Object(_) => {
                !self.abilities.enum_scalars && !self.abilities.enum_strings
            }
            Json::Bool(_) | Json::Number(_) => !self.abilities.enum_strings,
        };
        if values.iter().all(fits) {
            return;
        }
        if at == At::Root {
            // Arguments are an object in any form.
            self.describe(members, "enum", &Json::Array(values));
            return;
        }
        self.in_words(members);
    }

    /// The values of `enum` or `const` as strings.
    pub(super) fn in_words(&mut self, members: &mut Members) {
        if let Some(value) = members.get("const").cloned() {
            if members.has("enum") {
                members.take("enum");
            }
            members.replace("const", "enum", Json::Array(vec![value]));
        }
        let values = members.schemas("enum").to_vec();
        // Only values of the types that `type` allows have words.
        let types = TypeSet::ALL.intersection(members.stated_types());
        let kept: Vec<Json> = values
            .iter()
            .filter(|value| types.contains(value.types()))
            .cloned()
            .collect();
        let (values, effect) = match kept.is_empty() {
            true => (values, Effect::Wider),
            false => (kept, Effect::Same),
        };
        members.set("enum", Json::Array(values.clone()));
        let mut known = HashSet::new();
        let mut table: Vec<(String, Json)> = Vec::new();
        for value in values {
            if matches!(value, Json::Null) && self.abilities.nullable {
                continue;
            }
            let mut word = match &value {
                Json::Text(text) if text.is_empty() => "(empty)".to_owned(),
                Json::Text(text) => text.clone(),
                other => other.write(),
            };
            while !known.insert(word.clone()) {
                word = format!("{word} ({})", value.types().names().join(""));
            }
            table.push((word, value));
        }
        members.coding.form = Form::Words(table);
        self.note(StepKind::Words, effect, "");
    }
}

/// Annotations that a model can use.
const TELLS: [&str; 8] = [
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "contentMediaType",
];
