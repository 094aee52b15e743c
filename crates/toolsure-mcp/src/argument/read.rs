//! Reads the JSON of either shape into the common form.

use toolsure_json::{Key as _, Kind, Node as _, View, quote};

use super::Version;
use super::diagnosis::{Diagnoses, Severity};
use super::error::{SHOWN, SchemaError, SchemaErrorKind};
use super::field::{ArgumentType, Field, Fields, Length, List, Range, Rule};
use super::limits::ArgumentLimits;
use super::mistaken::mistaken;
use super::position::{Position, Target};

/// The result of reading.
pub(super) struct Parsed {
    pub(super) version: Version,
    pub(super) declared: bool,
    pub(super) fields: Fields,
    pub(super) defaults: Vec<Default>,
}

/// A `default` that must be checked against its property.
pub(super) struct Default {
    /// The indexes of the properties that lead to it; items are skipped.
    pub(super) path: Vec<usize>,
    pub(super) pointer: String,
}

/// Reads a schema. `beside` is a version that was sent beside it. What can be read past is added to
/// `told`; an error that is returned ends the reading.
pub(super) fn read(
    root: View<'_>,
    beside: Option<&str>,
    limits: &ArgumentLimits,
    told: &mut Diagnoses,
) -> Result<Parsed, SchemaError> {
    let schema_like = is_schema_like(root);
    if !schema_like && let Some(found) = mistaken(root) {
        let kind = SchemaErrorKind::Mistaken(found);
        return Err(SchemaError::new(pointer(root), kind));
    }
    if root.kind() != Kind::Object {
        return Err(unexpected(root, "an object"));
    }
    let inside = match root.member(VERSION) {
        Some(value) if value.kind() == Kind::String => {
            Some(known(value.string(), || pointer(value))?)
        }
        // In a direct map, an object is the property with that name.
        Some(value) if value.kind() == Kind::Object && !schema_like => None,
        Some(value) => return Err(unexpected(value, "a string with a date")),
        None => None,
    };
    let beside = match beside {
        Some(date) => Some(known(date, String::new)?),
        None => None,
    };
    if let (Some(inside), Some(beside)) = (inside, beside)
        && inside != beside
    {
        let kind = SchemaErrorKind::VersionConflict { inside, beside };
        return Err(SchemaError::new(pointer(root), kind));
    }
    let declared = inside.or(beside);
    let mut reading = Reading {
        limits,
        declared: declared.is_some(),
        extensions: declared.is_some_and(Version::has_extensions),
        schema_like,
        told,
        defaults: Vec::new(),
        path: Vec::new(),
        fields: 0,
        patterns_size: 0,
        fuel: limits.fuel,
    };
    let fields = if schema_like {
        reading.root(root)?
    } else {
        reading.direct_map(root)?
    };
    Ok(Parsed {
        version: declared.unwrap_or(Version::LATEST),
        declared: declared.is_some(),
        fields,
        defaults: reading.defaults,
    })
}

/// Whether the schema has the JSON Schema–like shape: a `properties` map, or the type `object`. If
/// every member of a direct map is an object, it has neither: its `properties` would be a
/// property's schema, whose `type` is a string and not a property's schema.
fn is_schema_like(root: View<'_>) -> bool {
    let typed = |view: View<'_>| {
        view.member(TYPE)
            .is_some_and(|kind| kind.kind() == Kind::String)
    };
    match root.member(PROPERTIES) {
        Some(map) if map.kind() == Kind::Object => !typed(map) || typed(root),
        _ => root
            .member(TYPE)
            .is_some_and(|kind| kind.kind() == Kind::String && kind.string() == OBJECT),
    }
}

/// The state of a reading.
pub(super) struct Reading<'l> {
    pub(super) limits: &'l ArgumentLimits,
    declared: bool,
    pub(super) extensions: bool,
    pub(super) schema_like: bool,
    told: &'l mut Diagnoses,
    defaults: Vec<Default>,
    path: Vec<usize>,
    fields: usize,
    pub(super) patterns_size: usize,
    /// What is left of the work that finding enum values without a match may take.
    pub(super) fuel: u64,
}

impl Reading<'_> {
    fn root(&mut self, root: View<'_>) -> Result<Fields, SchemaError> {
        if let Some(value) = root.member(TYPE).filter(|kind| kind.string() != OBJECT) {
            self.pass_over(value, "the type `object`");
        }
        let fields = self.object(root, 0)?;
        self.tell_members(root, Position::Root, &Target::default());
        Ok(fields)
    }

    /// Reads `properties` and `required` of a schema or of a nested object.
    fn object(&mut self, schema: View<'_>, depth: usize) -> Result<Fields, SchemaError> {
        let mut list = Vec::new();
        if let Some(map) = schema.member(PROPERTIES) {
            if map.kind() == Kind::Object {
                for (key, value) in map.members() {
                    self.push_field(&mut list, key.text(), value, depth)?;
                }
            } else {
                self.pass_over(map, "an object");
            }
        }
        // The other kinds of a nested `required` concern the property itself.
        if let Some(names) = schema.member(REQUIRED)
            && (depth == 0 || names.kind() == Kind::Array)
        {
            self.required(names, &mut list)?;
        }
        Ok(Fields::new(list))
    }

    fn direct_map(&mut self, root: View<'_>) -> Result<Fields, SchemaError> {
        let mut list = Vec::new();
        for (key, value) in root.members() {
            if key.text() == VERSION && value.kind() == Kind::String {
                continue;
            }
            if !self.is_root_member(key.text(), value) {
                self.push_field(&mut list, key.text(), value, 0)?;
            }
        }
        Ok(Fields::new(list))
    }

    /// Marks the named fields as required; a name without a field becomes a field without a rule.
    fn required(&mut self, names: View<'_>, list: &mut Vec<Field>) -> Result<(), SchemaError> {
        if names.kind() != Kind::Array {
            self.pass_over(names, "an array of strings");
            return Ok(());
        }
        let mut wanted = Vec::new();
        for name in names.items() {
            if name.kind() == Kind::String {
                wanted.push(name.string());
            } else {
                self.pass_over(name, "a string");
            }
        }
        let sorted = {
            let mut sorted = wanted.clone();
            sorted.sort_unstable();
            sorted
        };
        let mut declared = Vec::new();
        for field in list.iter_mut() {
            if sorted.binary_search(&field.name.as_str()).is_ok() {
                field.required = true;
            }
            declared.push(field.name.clone());
        }
        declared.sort_unstable();
        let mut added = std::collections::BTreeSet::new();
        for name in wanted {
            let known = declared.binary_search_by(|known| known.as_str().cmp(name));
            if known.is_err() && added.insert(name) {
                self.count_field(names)?;
                list.push(Field {
                    name: name.to_owned(),
                    required: true,
                    description: None,
                    default: None,
                    deprecated: false,
                    rule: Rule::default(),
                });
            }
        }
        Ok(())
    }

    fn push_field(
        &mut self,
        list: &mut Vec<Field>,
        name: &str,
        schema: View<'_>,
        depth: usize,
    ) -> Result<(), SchemaError> {
        if schema.kind() != Kind::Object {
            self.pass_over(schema, "an object with a property's schema");
            return Ok(());
        }
        self.count_field(schema)?;
        self.path.push(list.len());
        let field = self.field(name, schema, depth)?;
        self.path.pop();
        list.push(field);
        Ok(())
    }

    fn field(&mut self, name: &str, schema: View<'_>, depth: usize) -> Result<Field, SchemaError> {
        let required = match schema.member(REQUIRED) {
            Some(value) if value.kind() == Kind::Boolean => value.boolean(),
            // The names that a nested object requires.
            Some(value) if self.extensions && value.kind() == Kind::Array => false,
            Some(value) => {
                self.pass_over(value, "a boolean");
                false
            }
            None => false,
        };
        let description = match schema.member("description") {
            Some(text) if text.kind() == Kind::String => Some(text.raw().to_owned()),
            Some(other) => {
                self.pass_over(other, "a string");
                None
            }
            None => None,
        };
        let mut default = None;
        let mut deprecated = false;
        if self.extensions {
            if let Some(value) = schema.member("default") {
                default = Some(value.raw().to_owned());
                self.defaults.push(Default {
                    path: self.path.clone(),
                    pointer: pointer(value),
                });
            }
            deprecated = self.flag(schema, "deprecated");
        }
        let rule = self.property(schema, Position::Property, depth)?;
        self.advise(schema, &rule);
        Ok(Field {
            name: name.to_owned(),
            required,
            description,
            default,
            deprecated,
            rule,
        })
    }

    /// Reads the rule of a property, and combines `isArray` and `items`.
    fn property(
        &mut self,
        schema: View<'_>,
        position: Position,
        depth: usize,
    ) -> Result<Rule, SchemaError> {
        let is_array = self.flag(schema, "isArray");
        let outer = self.rule(schema, depth)?;
        let mut target = Target {
            kind: outer.kind,
            is_array,
            element: None,
        };
        let rule = if is_array || outer.kind == Some(ArgumentType::Array) {
            self.array(schema, outer, is_array, depth)?
        } else {
            self.tell_choices(schema, &outer);
            outer
        };
        target.element = rule.list.as_ref().and_then(|list| list.element.kind);
        self.tell_members(schema, position, &target);
        self.tell_contradictions(schema, &rule);
        Ok(rule)
    }

    fn array(
        &mut self,
        schema: View<'_>,
        outer: Rule,
        is_array: bool,
        depth: usize,
    ) -> Result<Rule, SchemaError> {
        let count = if self.extensions {
            Length {
                least: self.count(schema, "minItems"),
                most: self.count(schema, "maxItems"),
            }
        } else {
            Length::default()
        };
        let mut element = match schema.member("items") {
            Some(items) if items.kind() == Kind::Object => {
                self.deeper(items, depth)?;
                if self.extensions {
                    self.property(items, Position::Items, depth + 1)?
                } else {
                    let element = self.rule(items, depth + 1)?;
                    let target = Target {
                        kind: element.kind,
                        ..Target::default()
                    };
                    self.tell_members(items, Position::Items, &target);
                    element
                }
            }
            Some(other) => {
                self.pass_over(other, "an object");
                Rule::default()
            }
            None => Rule::default(),
        };
        let element_type = outer.kind.filter(|kind| *kind != ArgumentType::Array);
        if is_array && let Some(kind) = element_type {
            element.kind = element.kind.or(Some(kind));
            if kind == ArgumentType::String {
                element.length = element.length.both(outer.length);
                element.patterns.extend(outer.patterns);
            }
            if kind.is_numeric() {
                element.value = both(element.value, outer.value);
            }
            let has_fields = |view: View<'_>| {
                let names = view.member(REQUIRED);
                view.member(PROPERTIES).is_some()
                    || names.is_some_and(|names| names.kind() == Kind::Array)
            };
            let inside = schema.member("items").is_some_and(has_fields);
            if inside && has_fields(schema) && outer.fields.is_some() {
                self.pass_over(schema, "`properties` either beside or inside `items`");
            }
            if element.kind == Some(ArgumentType::Object) && !inside {
                element.fields = outer.fields;
            }
        }
        element.choices = match (element.choices, outer.choices) {
            (Some(one), Some(two)) => Some(one.both(&two)),
            (one, two) => one.or(two),
        };
        let items = schema.member("items");
        for holder in items.into_iter().chain([schema]) {
            self.tell_choices(holder, &element);
        }
        self.tell_contradictions(items.unwrap_or(schema), &element);
        Ok(Rule {
            kind: Some(ArgumentType::Array),
            list: Some(Box::new(List { count, element })),
            ..Rule::default()
        })
    }

    /// Reads what a schema says about the value itself.
    fn rule(&mut self, schema: View<'_>, depth: usize) -> Result<Rule, SchemaError> {
        let kind = self.kind(schema);
        let mut rule = Rule {
            kind,
            length: Length {
                least: self.count(schema, "minLength"),
                most: self.count(schema, "maxLength"),
            },
            value: Range {
                least: self.number(schema, "minimum"),
                most: self.number(schema, "maximum"),
            },
            choices: self.choices(schema)?,
            ..Rule::default()
        };
        if kind == Some(ArgumentType::Enum) && rule.choices.is_none() {
            self.pass_over(schema, "an `enum` beside the type `enum`");
        }
        if self.extensions {
            rule.patterns = self.pattern(schema)?.into_iter().collect();
            if kind == Some(ArgumentType::Object) {
                self.deeper(schema, depth)?;
                rule.fields = Some(self.object(schema, depth + 1)?);
            }
        }
        Ok(rule)
    }

    fn count_field(&mut self, at: View<'_>) -> Result<(), SchemaError> {
        self.fields += 1;
        if self.fields > self.limits.fields {
            return Err(limit(at, "properties", self.limits.fields));
        }
        Ok(())
    }

    fn deeper(&self, at: View<'_>, depth: usize) -> Result<(), SchemaError> {
        let allowed = self.limits.levels();
        if depth >= allowed {
            return Err(limit(at, "levels", allowed));
        }
        Ok(())
    }

    /// Tells of a malformed part, which is left out.
    pub(super) fn pass_over(&mut self, view: View<'_>, expected: &'static str) {
        self.tell_unenforced(view, || unexpected(view, expected).into_kind());
    }

    /// Tells of a part that is not enforced: an error if the schema declares its version.
    pub(super) fn tell_unenforced(&mut self, at: View<'_>, kind: impl FnOnce() -> SchemaErrorKind) {
        let severity = if self.declared {
            Severity::Error
        } else {
            Severity::Warning
        };
        self.told.tell(severity, at, kind);
    }

    pub(super) fn tell(
        &mut self,
        severity: Severity,
        at: View<'_>,
        kind: impl FnOnce() -> SchemaErrorKind,
    ) {
        self.told.tell(severity, at, kind);
    }
}

fn both(one: Range, two: Range) -> Range {
    let pick =
        |one: Option<String>, two: Option<String>, wanted: std::cmp::Ordering| match (one, two) {
            (Some(one), Some(two)) => {
                let numbers = (
                    toolsure_json::Number::parse(&one),
                    toolsure_json::Number::parse(&two),
                );
                let first = matches!(numbers, (Some(a), Some(b)) if a.compare(&b) == wanted);
                Some(if first { one } else { two })
            }
            (one, two) => one.or(two),
        };
    Range {
        least: pick(one.least, two.least, std::cmp::Ordering::Greater),
        most: pick(one.most, two.most, std::cmp::Ordering::Less),
    }
}

fn known(date: &str, pointer: impl FnOnce() -> String) -> Result<Version, SchemaError> {
    Version::from_date(date).ok_or_else(|| {
        let declared = date.chars().take(SHOWN).collect();
        SchemaError::new(pointer(), SchemaErrorKind::UnknownVersion { declared })
    })
}

fn unexpected(view: View<'_>, expected: &'static str) -> SchemaError {
    let found = match view.kind() {
        Kind::Object => "an object".to_owned(),
        Kind::Array => "an array".to_owned(),
        _ => format!("`{}`", quote(view.raw(), SHOWN)),
    };
    SchemaError::new(
        pointer(view),
        SchemaErrorKind::Unexpected { expected, found },
    )
}

pub(super) fn limit(view: View<'_>, name: &'static str, allowed: usize) -> SchemaError {
    SchemaError::new(pointer(view), SchemaErrorKind::Limit { name, allowed })
}

pub(super) fn pointer(view: View<'_>) -> String {
    view.document().pointer(view.id())
}

pub(super) const VERSION: &str = "schemaVersion";
pub(super) const PROPERTIES: &str = "properties";
pub(super) const REQUIRED: &str = "required";
pub(super) const TYPE: &str = "type";
const OBJECT: &str = "object";
