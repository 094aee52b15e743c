//! Random keywords, one at a time: the content of a schema apart from references.

use serde_json::{Map, Value, json};

use crate::Dialect;
use crate::differential::schemas::{Generator, Position};
use crate::differential::words::{DECIDING, NAMES, NUMBERS, PATTERNS, STRINGS, TYPES};

impl Generator<'_> {
    pub(super) fn types(&mut self, members: &mut Map<String, Value>) {
        let value = if self.random.chance(70) {
            json!(self.random.pick(&TYPES))
        } else {
            let first = self.random.below(TYPES.len());
            let second = (first + 1 + self.random.below(TYPES.len() - 1)) % TYPES.len();
            json!([TYPES.get(first), TYPES.get(second)])
        };
        members.insert("type".to_owned(), value);
    }

    pub(super) fn constants(&mut self, members: &mut Map<String, Value>) {
        if self.dialect >= Dialect::Draft6 && self.random.chance(40) {
            let value = self.constant(2);
            members.insert("const".to_owned(), value);
            return;
        }
        let mut values: Vec<Value> = Vec::new();
        for _ in 0..=self.random.below(4) {
            let value = self.constant(2);
            if !values.iter().any(|other| loosely_equal(other, &value)) {
                values.push(value);
            }
        }
        members.insert("enum".to_owned(), Value::Array(values));
    }

    fn constant(&mut self, depth: usize) -> Value {
        match self.random.below(if depth == 0 { 6 } else { 8 }) {
            0 => Value::Null,
            1 => Value::Bool(self.random.chance(50)),
            2 | 3 => self.number(),
            4 | 5 => json!(self.random.pick(&STRINGS)),
            6 => (0..self.random.below(3))
                .map(|_| self.constant(depth - 1))
                .collect(),
            _ => {
                let size = self.random.below(3);
                let members: Map<String, Value> = (0..size)
                    .map(|_| {
                        (
                            self.random.pick(&NAMES).to_owned(),
                            self.constant(depth - 1),
                        )
                    })
                    .collect();
                Value::Object(members)
            }
        }
    }

    fn number(&mut self) -> Value {
        serde_json::from_str(self.random.pick(&NUMBERS)).unwrap_or(Value::Null)
    }

    pub(super) fn numeric(&mut self, members: &mut Map<String, Value>) {
        let bound = self.number();
        match self.random.below(5) {
            0 => members.insert("minimum".to_owned(), bound),
            1 => members.insert("maximum".to_owned(), bound),
            2 | 3 if self.dialect == Dialect::Draft4 => {
                let (limit, exclusive) = if self.random.chance(50) {
                    ("minimum", "exclusiveMinimum")
                } else {
                    ("maximum", "exclusiveMaximum")
                };
                members.insert(limit.to_owned(), bound);
                members.insert(exclusive.to_owned(), json!(self.random.chance(70)))
            }
            2 => members.insert("exclusiveMinimum".to_owned(), bound),
            3 => members.insert("exclusiveMaximum".to_owned(), bound),
            _ => {
                let divisor = self
                    .random
                    .pick(&["1", "2", "3", "0.5", "1.5", "2.0", "10"]);
                let divisor = serde_json::from_str(divisor).unwrap_or(Value::Null);
                members.insert("multipleOf".to_owned(), divisor)
            }
        };
    }

    pub(super) fn textual(&mut self, members: &mut Map<String, Value>) {
        match self.random.below(3) {
            0 => members.insert("minLength".to_owned(), json!(self.random.below(4))),
            1 => members.insert("maxLength".to_owned(), json!(self.random.below(4))),
            _ => members.insert("pattern".to_owned(), json!(self.random.pick(&PATTERNS))),
        };
    }

    pub(super) fn sizes(&mut self, members: &mut Map<String, Value>) {
        let key = self.random.pick(&[
            "minItems",
            "maxItems",
            "minProperties",
            "maxProperties",
            "uniqueItems",
        ]);
        let value = if key == "uniqueItems" {
            json!(self.random.chance(85))
        } else {
            json!(self.random.below(4))
        };
        members.insert(key.to_owned(), value);
    }

    pub(super) fn object(&mut self, at: Position, members: &mut Map<String, Value>) {
        match self.random.below(12) {
            0..4 => {
                let properties = self.named(at, 1, 3);
                members.insert("properties".to_owned(), properties);
            }
            4 => {
                let schema = self.below(at);
                let key = self.random.pick(&PATTERNS);
                members.insert("patternProperties".to_owned(), json!({ key: schema }));
            }
            5 | 6 => {
                let schema = if self.random.chance(50) {
                    Value::Bool(false)
                } else {
                    self.below(at)
                };
                members.insert("additionalProperties".to_owned(), schema);
            }
            7 | 8 => {
                let names = self.names(if self.dialect == Dialect::Draft4 {
                    1
                } else {
                    0
                });
                members.insert("required".to_owned(), names);
            }
            9 if self.dialect >= Dialect::Draft6 => {
                let schema = self.in_place(Position {
                    entered: true,
                    ..at
                });
                members.insert("propertyNames".to_owned(), schema);
            }
            10 => self.dependencies(at, members),
            _ => self.sizes(members),
        }
    }

    fn named(&mut self, at: Position, least: usize, most: usize) -> Value {
        let size = least + self.random.below(most);
        let members: Map<String, Value> = (0..size)
            .map(|_| (self.random.pick(&NAMES).to_owned(), self.below(at)))
            .collect();
        Value::Object(members)
    }

    fn names(&mut self, least: usize) -> Value {
        let mut names: Vec<&str> = Vec::new();
        for _ in 0..least + self.random.below(3) {
            let name = self.random.pick(&NAMES);
            if !names.contains(&name) {
                names.push(name);
            }
        }
        json!(names)
    }

    fn dependencies(&mut self, at: Position, members: &mut Map<String, Value>) {
        let name = self.random.pick(&NAMES);
        let names = self.random.chance(50);
        let value = if names {
            self.names(if self.dialect == Dialect::Draft4 {
                1
            } else {
                0
            })
        } else {
            self.in_place(at)
        };
        let key = match (self.dialect >= Dialect::Draft201909, names) {
            (false, _) => "dependencies",
            (true, true) => "dependentRequired",
            (true, false) => "dependentSchemas",
        };
        members.insert(key.to_owned(), json!({ name: value }));
    }

    pub(super) fn array(&mut self, at: Position, members: &mut Map<String, Value>) {
        let modern = self.dialect == Dialect::Draft202012;
        match self.random.below(8) {
            0..3 => {
                let schema = self.below(at);
                members.insert("items".to_owned(), schema);
            }
            3 | 4 => {
                let schemas: Vec<Value> =
                    (0..=self.random.below(3)).map(|_| self.below(at)).collect();
                let key = if modern { "prefixItems" } else { "items" };
                members.insert(key.to_owned(), Value::Array(schemas));
                if self.random.chance(50) {
                    let rest = self.below(at);
                    let key = if modern { "items" } else { "additionalItems" };
                    members.insert(key.to_owned(), rest);
                }
            }
            5 if self.dialect >= Dialect::Draft6 => {
                let schema = self.below(at);
                members.insert("contains".to_owned(), schema);
                if self.dialect >= Dialect::Draft201909 && self.random.chance(50) {
                    let key = self.random.pick(&["minContains", "maxContains"]);
                    members.insert(key.to_owned(), json!(self.random.below(3)));
                }
            }
            6 => {
                members.insert("uniqueItems".to_owned(), json!(self.random.chance(85)));
            }
            _ => self.sizes(members),
        }
    }

    /// A schema for an operand of `anyOf`, `if` and the like. It often depends on the value of one
    /// member, or on which names are present.
    fn operand(&mut self, at: Position) -> Value {
        if at.depth == 0 || self.random.chance(45) {
            return self.in_place(at);
        }
        let mut members = Map::new();
        if self.random.chance(60) {
            members.insert("type".to_owned(), json!("object"));
        }
        if self.random.chance(75) {
            let name = self.random.pick(&DECIDING);
            let mut asked = Map::new();
            match self.random.below(8) {
                0 => {
                    let mut listed = Map::new();
                    self.constants(&mut listed);
                    asked.insert("not".to_owned(), Value::Object(listed));
                }
                1 => self.types(&mut asked),
                _ => self.constants(&mut asked),
            }
            let mut properties = Map::new();
            properties.insert(name.to_owned(), Value::Object(asked));
            if self.random.chance(30) {
                properties.insert(self.random.pick(&NAMES).to_owned(), self.below(at));
            }
            members.insert("properties".to_owned(), Value::Object(properties));
        }
        if self.random.chance(60) {
            members.insert("required".to_owned(), self.names(1));
        }
        if self.random.chance(15) {
            members.insert("additionalProperties".to_owned(), Value::Bool(false));
        }
        if self.random.chance(25) {
            self.logic(
                Position {
                    depth: at.depth - 1,
                    ..at
                },
                &mut members,
            );
        }
        Value::Object(members)
    }

    pub(super) fn logic(&mut self, at: Position, members: &mut Map<String, Value>) {
        match self.random.below(6) {
            0 => {
                let schema = self.operand(at);
                members.insert("not".to_owned(), schema);
            }
            1 if self.dialect >= Dialect::Draft7 => {
                for key in ["if", "then", "else"] {
                    if key == "if" || self.random.chance(75) {
                        let schema = self.operand(at);
                        members.insert(key.to_owned(), schema);
                    }
                }
            }
            _ => {
                let key = self.random.pick(&["allOf", "anyOf", "oneOf"]);
                let schemas: Vec<Value> = (0..=self.random.below(4))
                    .map(|_| self.operand(at))
                    .collect();
                members.insert(key.to_owned(), Value::Array(schemas));
            }
        }
    }

    pub(super) fn unevaluated(&mut self, at: Position, members: &mut Map<String, Value>) {
        if self.dialect < Dialect::Draft201909 {
            return self.logic(at, members);
        }
        let key = self
            .random
            .pick(&["unevaluatedProperties", "unevaluatedItems"]);
        let schema = if self.random.chance(60) {
            Value::Bool(false)
        } else {
            self.below(at)
        };
        members.insert(key.to_owned(), schema);
        self.logic(at, members);
        if self.random.chance(60) {
            if key == "unevaluatedProperties" {
                self.object(at, members);
            } else {
                self.array(at, members);
            }
        }
    }
}

/// Equality that is at least as loose as that of JSON Schema, so that `enum` has no duplicates.
fn loosely_equal(one: &Value, two: &Value) -> bool {
    match (one, two) {
        (Value::Number(one), Value::Number(two)) => one.as_f64() == two.as_f64(),
        (Value::Array(one), Value::Array(two)) => {
            one.len() == two.len()
                && one
                    .iter()
                    .zip(two)
                    .all(|(one, two)| loosely_equal(one, two))
        }
        (Value::Object(one), Value::Object(two)) => {
            one.len() == two.len()
                && one
                    .iter()
                    .zip(two)
                    .all(|((name, one), (other, two))| name == other && loosely_equal(one, two))
        }
        _ => one == two,
    }
}
