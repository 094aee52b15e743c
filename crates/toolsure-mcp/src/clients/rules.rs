//! What validators of popular clients cannot compile, and what replaces it.
//!
//! Studied: ajv 8.20 as the TypeScript SDK 1.32 (its draft-07 class for all dialects)
//! and 2.4 (one class for each dialect) set it up, and jsonschema 4.26 with referencing
//! 0.37 as the Python SDK 2.3 does.

use std::sync::LazyLock;

use toolsure_analysis::readers::{Fact, Kind::Sdk, Part, PatternRule, READERS};
use toolsure_json::{Key as _, Kind, Node as _, View, json_string, quote};
use toolsure_pattern::{Hazard, Limits, Pattern};
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::layout;

use super::schema_edits::{SchemaEdits, member, members, text};
use crate::contract::SchemaPart;

/// The rules for one schema.
pub(super) struct Rules {
    pub(super) part: SchemaPart,
    /// Whether parts that are costly for clients are removed.
    pub(super) costs: bool,
    pub(super) dialect: Dialect,
    /// Whether something was, or would be, removed for its cost.
    pub(super) costly: bool,
    /// Why the schema cannot be fixed.
    pub(super) hopeless: Option<&'static str>,
}

impl Rules {
    pub(super) fn new(dialect: Dialect, part: SchemaPart, costs: bool) -> Self {
        Self {
            part,
            costs,
            dialect,
            costly: false,
            hopeless: None,
        }
    }

    /// Records all changes in `schema_edits`.
    pub(super) fn mark<'a>(&mut self, schema_edits: &mut SchemaEdits<'a>) {
        self.identities(schema_edits);
        for schema in schema_edits.subs.clone() {
            for (keyword, value) in members(schema) {
                self.keyword(schema_edits, schema, keyword, value);
            }
        }
    }

    fn keyword<'a>(
        &mut self,
        schema_edits: &mut SchemaEdits<'a>,
        schema: View<'a>,
        keyword: &'a str,
        value: View<'a>,
    ) {
        let foreign = layout(keyword).is_none() && names_a_schema(keyword, value);
        let unfit = match keyword {
            "nullable" => !nullable(schema, value),
            // Metaschemas of dialects other than 2019-09 treat them as something else.
            "$recursiveAnchor" | "$recursiveRef" => self.dialect != Dialect::Draft201909,
            _ => false,
        };
        if unfit || foreign || keyword == "$async" || !fits(keyword, value) {
            schema_edits.remove(schema, keyword);
            schema_edits.note(schema, &format!("`{}` is left out", quote(keyword, NAME)));
            return;
        }
        if layout(keyword).is_none() && value.beyond_double().is_some() {
            schema_edits.loosen(schema, keyword);
            let keyword = quote(keyword, NAME);
            schema_edits.note(schema, &format!("`{keyword}` has a number beyond doubles"));
            return;
        }
        match keyword {
            "enum" if value.is_empty() => nothing(schema_edits, schema, value),
            "pattern" => self.pattern(schema_edits, schema, keyword, value),
            "properties" if self.part == SchemaPart::Output => inherited(schema_edits, value),
            "dependentRequired" | "dependentSchemas" | "dependencies"
                if self.part == SchemaPart::Output
                    && value.members().any(|(key, _)| is_inherited(key.text())) =>
            {
                schema_edits.loosen(schema, keyword);
                schema_edits.note(schema, &format!("`{keyword}` {AS_PRESENT}"));
            }
            "patternProperties" => self.pattern_properties(schema_edits, schema, value),
            "$ref" | "$dynamicRef" | "$recursiveRef" => {
                self.reference(schema_edits, schema, keyword, value);
            }
            "uniqueItems"
                if value.boolean()
                    && self.part == SchemaPart::Output
                    && !cheap_to_compare(schema) =>
            {
                self.take_out(schema_edits, schema, keyword, "`uniqueItems` of any items");
            }
            "anyOf" | "oneOf" | "allOf" if value.len() > WIDE => {
                self.wide(schema_edits, schema, keyword, value);
            }
            _ => {}
        }
    }

    /// Removes a keyword that costs too much.
    fn take_out<'a>(
        &mut self,
        schema_edits: &mut SchemaEdits<'a>,
        schema: View<'a>,
        keyword: &'a str,
        what: &str,
    ) {
        if self.costs {
            self.costly = true;
            schema_edits.loosen(schema, keyword);
            schema_edits.note(schema, &format!("{what} costs too much to check"));
        }
    }

    fn identities<'a>(&mut self, schema_edits: &mut SchemaEdits<'a>) {
        let root = schema_edits.root;
        if let Some(declared) = root
            .member("$schema")
            .filter(|uri| uri.kind() == Kind::String)
        {
            let Some(uri) = common_uri(self.dialect) else {
                if self.part == SchemaPart::Output {
                    self.hopeless = Some("clients do not know its dialect");
                }
                return;
            };
            if declared.string().trim_end_matches('#') != uri.trim_end_matches('#') {
                schema_edits.replace(root, declared, json_string(uri));
            }
        }
        if self.part == SchemaPart::Input {
            // Clients do not compile it, so an `$id` there changes nothing.
            return;
        }
        let (mut embedded, mut anchors) = (false, std::collections::HashSet::new());
        for schema in schema_edits.subs.clone() {
            embedded |= schema.id() != root.id() && text(schema, "$id").is_some();
            if schema.member("id").is_some() {
                schema_edits.remove(schema, "id");
                schema_edits.note(schema, "`id` is left out");
            }
            for name in ["$anchor", "$dynamicAnchor"] {
                let Some(anchor) = text(schema, name) else {
                    continue;
                };
                if anchor.contains(':') || !anchors.insert(anchor) {
                    self.hopeless = Some("clients take none of its anchors");
                }
            }
        }
        if embedded {
            self.hopeless = Some("clients mix up the `$id`s inside it with those of other tools");
        } else if root.member("$id").is_some() {
            schema_edits.remove(root, "$id");
            schema_edits.note(root, "`$id` is left out");
        }
    }

    fn reference<'a>(
        &mut self,
        schema_edits: &mut SchemaEdits<'a>,
        schema: View<'a>,
        keyword: &'a str,
        value: View<'a>,
    ) {
        let reference = value.string();
        if reference.starts_with('#') || reference.is_empty() {
            return;
        }
        if self.part == SchemaPart::Input && text(schema_edits.root, "$id").is_some() {
            return;
        }
        let own = text(schema_edits.root, "$id").and_then(|id| reference.strip_prefix(id));
        match own {
            Some("") => schema_edits.replace(schema, value, "\"#\"".to_owned()),
            Some(fragment) if fragment.starts_with('#') => {
                schema_edits.replace(schema, value, json_string(fragment));
            }
            _ => {
                schema_edits.note(schema, &format!("`{keyword}` leads out of the schema"));
                if self.dialect.ref_hides_siblings() {
                    schema_edits.cut(schema);
                } else {
                    schema_edits.loosen(schema, keyword);
                }
            }
        }
    }

    fn pattern<'a>(
        &mut self,
        schema_edits: &mut SchemaEdits<'a>,
        schema: View<'a>,
        keyword: &'a str,
        value: View<'a>,
    ) {
        match self.pattern_form(value.string()) {
            PatternForm::AsWritten => {}
            PatternForm::As(text) => {
                schema_edits.replace(schema, value, json_string(&text));
                schema_edits.note(schema, "`pattern` is spelled for engines that are strict");
            }
            PatternForm::Unsupported => {
                schema_edits.loosen(schema, keyword);
                schema_edits.note(schema, "`pattern` is one that not all engines take");
            }
            PatternForm::Costly => {
                self.costly = true;
                schema_edits.loosen(schema, keyword);
                schema_edits.note(schema, "`pattern` costs engines that backtrack too much");
            }
        }
    }

    fn pattern_properties<'a>(
        &mut self,
        schema_edits: &mut SchemaEdits<'a>,
        schema: View<'a>,
        map: View<'a>,
    ) {
        for (key, value) in map.members() {
            match self.pattern_form(key.text()) {
                PatternForm::AsWritten => {}
                PatternForm::As(text) if map.member(&text).is_none() => {
                    if let Some(key) = value.name() {
                        schema_edits.replace(schema, key, json_string(&text));
                        schema_edits
                            .note(schema, "a pattern is spelled for engines that are strict");
                    }
                }
                form => {
                    self.costly |= matches!(form, PatternForm::Costly);
                    return self.unname(schema_edits, schema);
                }
            }
        }
    }

    /// Leaves out `patternProperties`, and `additionalProperties`, which applies to the other
    /// names.
    fn unname<'a>(&mut self, schema_edits: &mut SchemaEdits<'a>, schema: View<'a>) {
        schema_edits.loosen(schema, "patternProperties");
        schema_edits.loosen(schema, "additionalProperties");
        schema_edits.note(
            schema,
            "`patternProperties` has a pattern that not all engines take, or that costs too much",
        );
    }

    fn pattern_form(&self, pattern: &str) -> PatternForm {
        let limits = Limits {
            length: usize::MAX,
            ..Limits::default()
        };
        let Ok(pattern) = Pattern::new(pattern, &limits) else {
            return PatternForm::Unsupported;
        };
        let too_much = match (self.part, pattern.hazard()) {
            (_, Hazard::None) => false,
            // A client checks at most arguments that a model wrote, which have no long texts.
            // Results can be as long as a server likes.
            (SchemaPart::Input, Hazard::Polynomial(degree)) => degree > 2,
            (SchemaPart::Output, Hazard::Polynomial(_)) | (_, Hazard::Exponential) => true,
        };
        if self.costs && too_much {
            return PatternForm::Costly;
        }
        match pattern.portable() {
            Some(text)
                if self.part == SchemaPart::Output
                    && !OF_SDKS.iter().all(|rule| rule.takes(&text)) =>
            {
                PatternForm::Unsupported
            }
            Some(text) if text == pattern.as_str() => PatternForm::AsWritten,
            Some(text) => PatternForm::As(text),
            None => PatternForm::Unsupported,
        }
    }

    fn wide<'a>(
        &mut self,
        schema_edits: &mut SchemaEdits<'a>,
        schema: View<'a>,
        keyword: &'a str,
        list: View<'a>,
    ) {
        let mut values = Vec::new();
        for branch in list.items() {
            let says = |name: &str| !matches!(name, "const" | "title" | "description");
            if members(branch).any(|(name, _)| says(name)) {
                break;
            }
            values.extend(branch.member("const").map(|value| value.raw()));
        }
        let all = values.len() == list.len() && keyword != "allOf";
        let free = all && self.costs && schema.member("enum").is_none();
        self.take_out(
            schema_edits,
            schema,
            keyword,
            &match list.len() {
                1 => format!("`{keyword}` of one schema"),
                many => format!("`{keyword}` of {many} schemas"),
            },
        );
        if free {
            schema_edits.append(schema, member("enum", &format!("[{}]", values.join(","))));
        }
    }
}

/// The form in which clients get a pattern.
enum PatternForm {
    AsWritten,
    As(String),
    Unsupported,
    Costly,
}

/// `enum: []` allows nothing; `not: {}` means the same.
fn nothing<'a>(schema_edits: &mut SchemaEdits<'a>, schema: View<'a>, list: View<'a>) {
    if let Some(other) = schema.member("not") {
        schema_edits.remove(schema, "enum");
        schema_edits.replace(schema, other, "{}".to_owned());
    } else if let Some(key) = list.name() {
        schema_edits.replace(schema, key, "\"not\"".to_owned());
        schema_edits.replace(schema, list, "{}".to_owned());
    }
    schema_edits.note(schema, "an empty `enum` is written as `not`");
}

/// Loosens the schemas of properties that every JavaScript object inherits: ajv takes an absent one as
/// present, with a function as its value.
fn inherited<'a>(schema_edits: &mut SchemaEdits<'a>, properties: View<'a>) {
    for (key, schema) in properties.members() {
        let has = |keyword: &&&str| schema.member(keyword).is_some();
        if is_inherited(key.text()) && OF_FUNCTIONS.iter().any(|keyword| has(&keyword)) {
            for keyword in OF_FUNCTIONS.iter().filter(has) {
                schema_edits.loosen(schema, keyword);
            }
            schema_edits.note(schema, AS_PRESENT);
        }
    }
}

fn is_inherited(name: &str) -> bool {
    INHERITED.contains(&name)
}

/// Whether ajv accepts this `nullable`, a keyword that only ajv knows.
fn nullable(schema: View<'_>, value: View<'_>) -> bool {
    let Some(kinds) = schema.member("type") else {
        return false;
    };
    let null = |kind: View<'_>| kind.string() == "null";
    let with_null = match kinds.kind() {
        Kind::String => null(kinds),
        _ => kinds.items().any(null),
    };
    value.kind() == Kind::Boolean && (value.boolean() || !with_null)
}

/// Whether a keyword's value has a type that ajv accepts, in any dialect.
fn fits(keyword: &str, value: View<'_>) -> bool {
    let kind = value.kind();
    let is_schema = |kind| matches!(kind, Kind::Object | Kind::Boolean);
    match keyword {
        "additionalItems"
        | "additionalProperties"
        | "contains"
        | "else"
        | "if"
        | "not"
        | "propertyNames"
        | "then" => is_schema(kind),
        "dependencies" => {
            kind == Kind::Object
                && value.members().all(|(_, value)| {
                    let names =
                        |value: View<'_>| value.items().all(|name| name.kind() == Kind::String);
                    is_schema(value.kind()) || (value.kind() == Kind::Array && names(value))
                })
        }
        "$defs" | "definitions" => {
            kind == Kind::Object && value.members().all(|(_, value)| is_schema(value.kind()))
        }
        "nullable" => kind == Kind::Boolean,
        _ => true,
    }
}

/// Whether ajv would treat an `$id` or an anchor inside an unknown keyword as one.
fn names_a_schema(keyword: &str, value: View<'_>) -> bool {
    if matches!(keyword, "const" | "default" | "enum") || value.kind() != Kind::Object {
        return false;
    }
    let mut waiting = vec![value];
    while let Some(view) = waiting.pop() {
        if ["$id", "$anchor", "$dynamicAnchor"]
            .iter()
            .any(|name| view.member(name).is_some())
        {
            return true;
        }
        waiting.extend(
            view.members()
                .map(|(_, value)| value)
                .filter(|v| v.kind() == Kind::Object),
        );
    }
    false
}

/// Whether items are compared by a hash, or there are few of them.
fn cheap_to_compare(schema: View<'_>) -> bool {
    let most = schema
        .member("maxItems")
        .and_then(|most| most.raw().parse::<f64>().ok());
    if most.is_some_and(|most| most <= COMPARED) {
        return true;
    }
    let kinds = schema
        .member("items")
        .and_then(|items| items.member("type"));
    let scalar = |kind: View<'_>| !matches!(kind.string(), "object" | "array");
    kinds.is_some_and(|kinds| match kinds.kind() {
        Kind::String => scalar(kinds),
        _ => !kinds.is_empty() && kinds.items().all(scalar),
    })
}

/// The URI of a dialect that all clients know; `None` for other dialects.
fn common_uri(dialect: Dialect) -> Option<&'static str> {
    (dialect >= Dialect::Draft6).then(|| dialect.uri())
}

/// The patterns that the SDKs take in output schemas.
static OF_SDKS: LazyLock<Vec<PatternRule>> = LazyLock::new(|| {
    let sdks = READERS.iter().filter(|reader| reader.kind == Sdk);
    let rules = sdks.flat_map(|reader| {
        reader.pick(|fact| match fact {
            Fact::Patterns(Part::Output, rule) => Some(*rule),
            _ => None,
        })
    });
    rules.collect()
});

/// The maximum number of characters of a keyword in a message.
const NAME: usize = 64;
/// The number of branches of a union above which validators generate too much code.
const WIDE: usize = 256;
/// The maximum number of items that may be compared pairwise.
const COMPARED: f64 = 1_000.0;

/// The members of every JavaScript object (`Object.prototype`).
const INHERITED: [&str; 12] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];
/// The keywords that a function can fail; the others are about values of one JSON type.
const OF_FUNCTIONS: [&str; 15] = [
    "type",
    "enum",
    "const",
    "not",
    "anyOf",
    "oneOf",
    "allOf",
    "if",
    "then",
    "else",
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "required",
    "minProperties",
];
const AS_PRESENT: &str =
    "names a member that every JavaScript object has, which some engines take as present";
