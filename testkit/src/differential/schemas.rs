//! Random schemas with all keywords of the five dialects.
//!
//! Every generated schema is valid and has no in-place cycles: an in-place reference points only to
//! a definition with a higher number, a reference below a property or an item points to any.
//! `format` and the content keywords are left out, because the engines differ by design in whether
//! they assert them.

use serde_json::{Map, Value, json};

use crate::Dialect;
use crate::differential::random::Random;

/// A random schema of `dialect`.
pub fn schema(random: &mut Random, dialect: Dialect) -> Value {
    let definitions = random.below(4);
    let mut generator = Generator {
        random,
        dialect,
        definitions,
        marks: Vec::new(),
        dynamic: false,
        resource: None,
    };
    generator.root()
}

/// The `$id` of a root with resources among its definitions.
const ROOT: &str = "urn:root";

/// The maximum nesting depth of subschemas below the root or a definition.
const DEPTH: usize = 3;

pub(super) struct Generator<'r> {
    pub(super) random: &'r mut Random,
    pub(super) dialect: Dialect,
    definitions: usize,
    /// For each definition, how it can be referred to apart from its pointer.
    marks: Vec<Mark>,
    /// Whether the root has a dynamic (or recursive) anchor.
    dynamic: bool,
    /// The definition with its own `$id` that is being generated.
    resource: Option<Mark>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Only by its pointer.
    Plain,
    /// By a plain anchor.
    Anchor,
    /// It is a resource with an `$id`.
    Id,
    /// It is a resource with an `$id` and a dynamic (or recursive) anchor.
    Dynamic,
}

impl Mark {
    fn is_resource(self) -> bool {
        matches!(self, Self::Id | Self::Dynamic)
    }
}

/// The position of a subschema: how many levels may follow below, which definitions it may refer to
/// in place, and whether the instance location has changed since the definition's root.
#[derive(Clone, Copy)]
pub(super) struct Position {
    pub(super) depth: usize,
    /// In-place references may point only to definitions from this number on.
    pub(super) above: usize,
    pub(super) entered: bool,
}

impl Generator<'_> {
    fn root(&mut self) -> Value {
        let dynamic = self.dialect >= Dialect::Draft201909;
        self.dynamic = dynamic && self.random.chance(30);
        for _ in 0..self.definitions {
            let mark = match self.random.below(12) {
                0 => Mark::Anchor,
                1 => Mark::Id,
                2 | 3 if self.dynamic => Mark::Dynamic,
                _ => Mark::Plain,
            };
            self.marks.push(mark);
        }
        let mut root = match self.subschema(Position {
            depth: DEPTH,
            above: 0,
            entered: false,
        }) {
            Value::Object(members) => members,
            other => {
                let mut members = Map::new();
                if self.dialect == Dialect::Draft4 {
                    return other;
                }
                members.insert("allOf".to_owned(), json!([other]));
                members
            }
        };
        // why: in the older drafts, definitions, anchors and ids beside `$ref` are ignored.
        if self.dialect <= Dialect::Draft7 && root.contains_key("$ref") {
            let reference = Value::Object(std::mem::take(&mut root));
            root.insert("allOf".to_owned(), json!([reference]));
        }
        root.insert("$schema".to_owned(), json!(self.dialect.uri()));
        if self.marks.iter().any(|mark| mark.is_resource()) {
            root.insert(self.id_keyword().to_owned(), json!(ROOT));
        }
        if self.dynamic {
            self.insert_dynamic_anchor(&mut root);
        }
        if self.definitions > 0 {
            let definitions: Map<String, Value> = (0..self.definitions)
                .map(|number| (format!("d{number}"), self.definition(number)))
                .collect();
            root.insert(self.definitions_keyword().to_owned(), definitions.into());
        }
        Value::Object(root)
    }

    fn definition(&mut self, number: usize) -> Value {
        let mark = self.mark(number);
        self.resource = Some(mark).filter(|mark| mark.is_resource());
        let schema = self.subschema(Position {
            depth: DEPTH - 1,
            above: number + 1,
            entered: false,
        });
        self.resource = None;
        if mark == Mark::Plain {
            return schema;
        }
        let mut members = match schema {
            Value::Object(members) if !self.hides_siblings(&members) => members,
            other => {
                let mut members = Map::new();
                members.insert("allOf".to_owned(), json!([other]));
                members
            }
        };
        if mark.is_resource() {
            members.insert(
                self.id_keyword().to_owned(),
                format!("urn:d:{number}").into(),
            );
        }
        if mark == Mark::Dynamic {
            self.insert_dynamic_anchor(&mut members);
        }
        if mark == Mark::Anchor {
            let (key, anchor) = match self.dialect {
                Dialect::Draft4 => ("id", format!("#anchor{number}")),
                Dialect::Draft6 | Dialect::Draft7 => ("$id", format!("#anchor{number}")),
                _ => ("$anchor", format!("anchor{number}")),
            };
            members.insert(key.to_owned(), anchor.into());
        }
        Value::Object(members)
    }

    fn insert_dynamic_anchor(&self, members: &mut Map<String, Value>) {
        if self.dialect == Dialect::Draft201909 {
            members.insert("$recursiveAnchor".to_owned(), json!(true));
        } else {
            members.insert("$dynamicAnchor".to_owned(), json!("node"));
        }
    }

    fn id_keyword(&self) -> &'static str {
        if self.dialect == Dialect::Draft4 {
            "id"
        } else {
            "$id"
        }
    }

    fn hides_siblings(&self, members: &Map<String, Value>) -> bool {
        self.dialect <= Dialect::Draft7 && members.contains_key("$ref")
    }

    fn mark(&self, number: usize) -> Mark {
        self.marks.get(number).copied().unwrap_or(Mark::Plain)
    }

    /// A schema one level down in the schema, for the same instance location.
    pub(super) fn in_place(&mut self, at: Position) -> Value {
        self.subschema(Position {
            depth: at.depth.saturating_sub(1),
            ..at
        })
    }

    /// A schema for a child of the instance.
    pub(super) fn below(&mut self, at: Position) -> Value {
        self.subschema(Position {
            depth: at.depth.saturating_sub(1),
            above: 0,
            entered: true,
        })
    }

    fn subschema(&mut self, at: Position) -> Value {
        if self.random.chance(8) {
            return match self.dialect {
                Dialect::Draft4 => json!({}),
                _ => Value::Bool(self.random.chance(70)),
            };
        }
        let mut members = Map::new();
        if self.random.chance(18) {
            self.reference(at, &mut members);
            if !members.is_empty() && self.random.chance(60) {
                return Value::Object(members);
            }
        }
        for _ in 0..=self.random.below(3) {
            self.keyword(at, &mut members);
        }
        Value::Object(members)
    }

    fn reference(&mut self, at: Position, members: &mut Map<String, Value>) {
        let dynamic = at.entered && self.dynamic && self.random.chance(40);
        if dynamic && self.dialect == Dialect::Draft201909 {
            members.insert("$recursiveRef".to_owned(), json!("#"));
            return;
        }
        // why: a fragment alone points into its own resource.
        let base = if self.resource.is_some() { ROOT } else { "" };
        if dynamic {
            let base = if self.resource == Some(Mark::Dynamic) {
                ""
            } else {
                base
            };
            members.insert("$dynamicRef".to_owned(), format!("{base}#node").into());
            return;
        }
        if at.entered && self.random.chance(15) {
            members.insert("$ref".to_owned(), format!("{base}#").into());
            return;
        }
        let lowest = if at.entered { 0 } else { at.above };
        if lowest >= self.definitions {
            return;
        }
        let number = lowest + self.random.below(self.definitions - lowest);
        let text = match self.mark(number) {
            Mark::Id | Mark::Dynamic => format!("urn:d:{number}"),
            Mark::Anchor if self.random.chance(70) => format!("{base}#anchor{number}"),
            _ => format!("{base}#/{}/d{number}", self.definitions_keyword()),
        };
        members.insert("$ref".to_owned(), text.into());
    }

    fn definitions_keyword(&self) -> &'static str {
        if self.dialect >= Dialect::Draft201909 {
            "$defs"
        } else {
            "definitions"
        }
    }

    fn keyword(&mut self, at: Position, members: &mut Map<String, Value>) {
        let combine = if at.depth > 0 { 34 } else { 0 };
        match self.random.below(66 + combine) {
            0..8 => self.types(members),
            8..14 => self.constants(members),
            14..24 => self.numeric(members),
            24..32 => self.textual(members),
            32..49 if at.depth > 0 => self.object(at, members),
            49..66 if at.depth > 0 => self.array(at, members),
            32..66 => self.sizes(members),
            66..92 => self.logic(at, members),
            _ => self.unevaluated(at, members),
        }
    }
}
