//! Writes out recursive schemas to a stated depth.

use std::collections::HashMap;

use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::merge::both;
use super::reference::follow;
use super::report::{Refusal, StepKind};
use super::tree::{Json, Members, size_of_text};
use super::words;

/// The schema with its references written out.
pub(super) struct Unrolled {
    pub(super) schema: Json,
    /// The steps, and the reference of each.
    pub(super) done: Vec<(StepKind, String)>,
}

/// The limits of writing out references.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// How often a schema may contain itself.
    pub(super) recursion: usize,
    /// Values in the tree.
    pub(super) size: usize,
    /// Nested schemas.
    pub(super) depth: usize,
}

/// Replaces every reference to a place in the schema. Below the recursion limit only the type stays. If the
/// result would be too large, lowers the limit.
pub(super) fn unroll(schema: &Json, bounds: Bounds) -> Result<Unrolled, Refusal> {
    let mut recursion = bounds.recursion;
    loop {
        let mut writer = Writer {
            root: schema,
            recursion,
            left: bounds.size,
            depth: bounds.depth,
            open: HashMap::new(),
            done: Vec::new(),
        };
        match writer.write(schema, 0) {
            Ok(mut written) => {
                if let Json::Object(members) = &mut written {
                    members.take("$defs");
                    members.take("definitions");
                }
                return Ok(Unrolled {
                    schema: written,
                    done: writer.done,
                });
            }
            Err(Stop::Nowhere(reference)) => {
                let reference = toolsure_json::quote(&reference, REFERENCE);
                return Err(Refusal::Reference(format!(
                    "the reference `{reference}` leads out of the schema"
                )));
            }
            Err(_) if recursion > 0 => recursion -= 1,
            Err(Stop::TooLarge) => {
                return Err(Refusal::TooLarge {
                    limit: "values",
                    allowed: bounds.size,
                });
            }
            Err(Stop::TooDeep) => {
                return Err(Refusal::TooLarge {
                    limit: "depth",
                    allowed: bounds.depth,
                });
            }
        }
    }
}

struct Writer<'s> {
    root: &'s Json,
    recursion: usize,
    left: usize,
    depth: usize,
    /// How often each reference is currently being written out.
    open: HashMap<&'s str, usize>,
    done: Vec<(StepKind, String)>,
}

enum Stop {
    TooLarge,
    TooDeep,
    Nowhere(String),
}

impl<'s> Writer<'s> {
    fn write(&mut self, schema: &'s Json, depth: usize) -> Result<Json, Stop> {
        if depth > self.depth {
            return Err(Stop::TooDeep);
        }
        let Json::Object(members) = schema else {
            self.pay(schema)?;
            return Ok(schema.clone());
        };
        let Some(reference) = members.text("$ref") else {
            return self.inside(members, depth);
        };
        let target =
            follow(self.root, reference).ok_or_else(|| Stop::Nowhere(reference.to_owned()))?;
        let nested = self.open.get(reference).copied().unwrap_or(0);
        let written = if nested > self.recursion {
            self.note(StepKind::Bound, reference);
            let bottom = bottom(target);
            // There can be many more of them than of the schemas around them.
            self.pay(&bottom)?;
            bottom
        } else {
            self.note(StepKind::Unroll, reference);
            self.open.insert(reference, nested + 1);
            let written = self.write(target, depth + 1)?;
            self.open.insert(reference, nested);
            written
        };
        // The keywords beside the reference hold too.
        let Json::Object(beside) = self.inside(members, depth)? else {
            return Ok(written);
        };
        if beside.list.is_empty() {
            return Ok(written);
        }
        let beside = Json::Object(beside);
        Ok(match both(&beside, &written, self.depth) {
            Some(merged) => merged,
            None => Json::Object(Members::only("allOf", Json::Array(vec![beside, written]))),
        })
    }

    /// A schema without its own reference and definitions.
    fn inside(&mut self, members: &'s Members, depth: usize) -> Result<Json, Stop> {
        let mut written = Members::default();
        for (name, value) in &members.list {
            if !matches!(name.as_str(), "$ref" | "$defs" | "definitions") {
                self.spend(size_of_text(name))?;
                let value = self.value(name, value, depth + 1)?;
                written.list.push((name.clone(), value));
            }
        }
        Ok(Json::Object(written))
    }

    /// The value of a keyword, with the schemas in it written out.
    fn value(&mut self, keyword: &str, value: &'s Json, depth: usize) -> Result<Json, Stop> {
        Ok(match (layout_in(Dialect::Draft202012, keyword), value) {
            (Some(SubschemaLayout::Map), Json::Object(map)) => {
                self.spend(1)?;
                let mut written = Members::default();
                for (name, one) in &map.list {
                    self.spend(size_of_text(name))?;
                    written.list.push((name.clone(), self.write(one, depth)?));
                }
                Json::Object(written)
            }
            (Some(SubschemaLayout::Schemas), Json::Array(list)) => {
                self.spend(1)?;
                let written: Result<_, Stop> =
                    list.iter().map(|one| self.write(one, depth)).collect();
                Json::Array(written?)
            }
            (Some(SubschemaLayout::Schemas), one) => self.write(one, depth)?,
            _ => {
                self.pay(value)?;
                value.clone()
            }
        })
    }

    fn pay(&mut self, value: &Json) -> Result<(), Stop> {
        self.spend(value.size())
    }

    fn spend(&mut self, size: usize) -> Result<(), Stop> {
        self.left = self.left.checked_sub(size).ok_or(Stop::TooLarge)?;
        Ok(())
    }

    fn note(&mut self, kind: StepKind, reference: &str) {
        let new = !self
            .done
            .iter()
            .any(|(known, of)| *known == kind && of == reference);
        if new && self.done.len() < MOST_NOTES {
            self.done.push((kind, reference.to_owned()));
        }
    }
}

/// What remains of a schema below the recursion limit.
fn bottom(target: &Json) -> Json {
    let mut members = Members::default();
    if let Some(own) = target.as_object() {
        for keyword in ["type", "title"] {
            if let Some(value) = own.get(keyword) {
                members.set(keyword, value.clone());
            }
        }
        let required = own.required();
        let names: Vec<&str> = required.take(NAMES).collect();
        let mut text = "As the schema around it.".to_owned();
        if !names.is_empty() {
            text = format!("{text} {} must be given.", words::list(names));
        }
        members.set("description", Json::text(text));
    }
    Json::Object(members)
}

/// Notes on references.
const MOST_NOTES: usize = 100;
/// Characters of a reference that a message shows.
const REFERENCE: usize = 200;
/// Names that a description lists.
const NAMES: usize = 20;
