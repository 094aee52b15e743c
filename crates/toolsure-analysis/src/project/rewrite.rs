//! Walks a schema and rewrites what a profile does not support.
//!
//! Each schema is rewritten before its subschemas. The result is a schema in plain JSON Schema that the
//! profile's keywords can express, with marks ([`Coding`](super::tree::Coding)) where values must be
//! encoded in another form; `encode` applies the marks.

use std::collections::HashSet;

use toolsure_json::{pointer, quote};
use toolsure_syntax::Dialect;
use toolsure_syntax::positions::{SubschemaLayout, layout_in};

use super::abilities::Abilities;
use super::limits::{Limits, Spent};
use super::merge::join;
use super::report::{Refusal, Step, StepKind};
use super::tree::{Form, Json, Members};

/// The effect of a step on the set of accepted values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// No change.
    Same,
    /// It may grow.
    Wider,
    /// It may shrink.
    Narrower,
    /// It may grow and shrink.
    Either,
}

/// The position of a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Root,
    /// The schema of an array's items.
    Items,
    /// A branch of `anyOf` or `oneOf`.
    Branch,
    /// Anywhere else.
    Inside,
}

/// Places of which another form is wanted than the usual one.
#[derive(Debug, Clone, Default)]
pub(super) struct Forced {
    /// In these, nothing stands beside a union.
    pub(super) bare: HashSet<String>,
    /// These travel as JSON text.
    pub(super) texts: HashSet<String>,
    /// These keywords become words.
    pub(super) words: HashSet<String>,
}

/// What is known of a rewritten keyword.
pub(super) struct Rewritten {
    pub(super) keyword: String,
    /// The effects of the steps in it.
    pub(super) keeps_all: bool,
    pub(super) adds_none: bool,
}

/// Steps and their known effects.
#[derive(Clone)]
pub(super) struct Log {
    pub(super) steps: Vec<Step>,
    /// The number of steps beyond the limit, which are only counted.
    pub(super) more: usize,
    most: usize,
    /// Whether no step takes values away.
    pub(super) keeps_all: bool,
    /// Whether no step adds values.
    pub(super) adds_none: bool,
}

impl Log {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            steps: Vec::new(),
            more: 0,
            most: limits.steps,
            keeps_all: true,
            adds_none: true,
        }
    }

    pub(super) fn step(&mut self, kind: StepKind, effect: Effect, pointer: &str, detail: &str) {
        self.keeps_all &= matches!(effect, Effect::Same | Effect::Wider);
        self.adds_none &= matches!(effect, Effect::Same | Effect::Narrower);
        if self.steps.len() >= self.most {
            self.more += 1;
            return;
        }
        self.steps.push(Step {
            kind,
            pointer: pointer.to_owned(),
            detail: quote(detail, DETAIL).to_string(),
        });
    }

    /// Forgets the steps at a place and below it.
    pub(super) fn forget(&mut self, place: &str) {
        let is_below = |step: &Step| {
            let rest = step.pointer.strip_prefix(place);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.steps.retain(|step| !is_below(step));
    }
}

/// Rewrites one schema for one profile.
pub(super) struct Rewriter<'a> {
    pub(super) abilities: &'a Abilities,
    pub(super) limits: &'a Limits,
    /// The schema before the rewrite, to resolve references.
    pub(super) original: &'a Json,
    pub(super) log: &'a mut Log,
    pub(super) spent: &'a mut Spent,
    pub(super) pointer: String,
    /// The places that are written otherwise than usual.
    pub(super) forced: Forced,
    /// The properties and definitions that were visited, which may be written otherwise.
    pub(super) visited: HashSet<String>,
    /// Whether nothing may stand beside a union or conjunction here, whatever the profile accepts.
    pub(super) bare: bool,
    /// Whether more values here mean more values of the whole schema.
    pub(super) monotone: bool,
    /// Whether the schema only tests a value that another one describes, so that nothing sends it in
    /// another form.
    pub(super) is_test: bool,
    /// Schemas that may still be visited.
    left: usize,
    depth: usize,
    /// The number of properties around the schema.
    pub(super) level: usize,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(
        abilities: &'a Abilities,
        limits: &'a Limits,
        original: &'a Json,
        log: &'a mut Log,
        spent: &'a mut Spent,
        pointer: &str,
    ) -> Self {
        Self {
            abilities,
            limits,
            original,
            log,
            spent,
            pointer: pointer.to_owned(),
            forced: Forced::default(),
            visited: HashSet::new(),
            bare: false,
            monotone: true,
            is_test: false,
            left: limits.subschemas,
            depth: 0,
            level: 0,
        }
    }

    /// Rewrites a schema and all its subschemas.
    pub(super) fn schema(&mut self, schema: &mut Json, at: At) -> Result<(), Refusal> {
        self.left = self.left.checked_sub(1).ok_or(Refusal::TooLarge {
            limit: "subschemas",
            allowed: self.limits.subschemas,
        })?;
        if self.depth > self.limits.depth {
            return Err(Refusal::TooLarge {
                limit: "depth",
                allowed: self.limits.depth,
            });
        }
        if let Json::Bool(accepts) = *schema {
            let kind = StepKind::Boolean;
            self.note(kind, Effect::Same, if accepts { "true" } else { "false" });
            *schema = Json::Object(if accepts {
                Members::default()
            } else {
                Members::only("not", Json::Object(Members::default()))
            });
        }
        if at == At::Root {
            self.visited.insert(self.pointer.clone());
        }
        let size = schema.size();
        let Json::Object(members) = schema else {
            return Ok(());
        };
        self.spent
            .work
            .pay(size, copies(members).saturating_add(2))?;
        self.depth += 1;
        let null_default = matches!(members.get("default"), Some(Json::Null));
        let outer = self.bare;
        self.bare |= self.forced.bare.contains(&self.pointer);
        if at != At::Root && self.forced.texts.contains(&self.pointer) {
            self.as_text(members);
        } else {
            self.one(members, at);
        }
        if !matches!(members.coding.form, Form::JsonText(_)) {
            let added_none = std::mem::replace(&mut self.log.adds_none, true);
            self.below(members, at)?;
            let adds_none = std::mem::replace(&mut self.log.adds_none, added_none);
            self.log.adds_none &= adds_none;
            if !adds_none {
                self.overlapping(members);
            }
        }
        self.after(members);
        members.coding.null_default = null_default;
        self.bare = outer;
        self.depth -= 1;
        Ok(())
    }

    /// Rewrites one schema, before its subschemas.
    fn one(&mut self, members: &mut Members, at: At) {
        self.unevaluated(members, at);
        self.reference(members, at);
        self.all_of(members, at);
        self.impossible_members(members);
        self.constant(members);
        self.one_of(members);
        self.tuple(members);
        self.unions(members, at);
        self.types(members, at);
        if self.unsayable(members, at) {
            return;
        }
        self.bounds(members);
        self.keywords(members, at);
        self.add_type(members, at);
        if self.unsayable(members, at) {
            return;
        }
        self.values(members, at);
        if members.coding.is_plain() {
            self.add_items(members);
            self.add_properties(members, at);
            self.declare_required(members);
            self.close(members);
        }
        self.keep_root_type(members, at);
    }

    /// Rewrites the subschemas of a schema.
    fn below(&mut self, members: &mut Members, at: At) -> Result<(), Refusal> {
        let length = self.pointer.len();
        let mut rewritten = Vec::new();
        let before = (self.log.keeps_all, self.log.adds_none);
        for (keyword, value) in &mut members.list {
            let Some(holds) = layout_in(Dialect::Draft202012, keyword) else {
                continue;
            };
            let outer = (self.monotone, self.is_test, self.level);
            (self.log.keeps_all, self.log.adds_none) = (true, true);
            let is_entries = matches!(members.coding.form, Form::Entries);
            if keyword == "properties" || is_entries && keyword == "additionalProperties" {
                self.level += 1;
            }
            self.is_test |= matches!(
                keyword.as_str(),
                "not" | "if" | "contains" | "propertyNames"
            );
            self.monotone &= !matches!(keyword.as_str(), "not" | "if" | "oneOf" | "contains");
            pointer::push(&mut self.pointer, keyword);
            let inner = self.pointer.len();
            match (holds, value) {
                (SubschemaLayout::Map, Json::Object(map)) => {
                    let named = matches!(keyword.as_str(), "properties" | "$defs" | "definitions");
                    for (name, one) in &mut map.list {
                        pointer::push(&mut self.pointer, name);
                        if named && !self.is_test {
                            self.visited.insert(self.pointer.clone());
                        }
                        self.schema(one, At::Inside)?;
                        self.pointer.truncate(inner);
                    }
                }
                (SubschemaLayout::Schemas, Json::Array(list)) => {
                    let at = match keyword.as_str() {
                        "anyOf" | "oneOf" => At::Branch,
                        _ => At::Inside,
                    };
                    for (index, one) in list.iter_mut().enumerate() {
                        pointer::push(&mut self.pointer, &index.to_string());
                        self.schema(one, at)?;
                        self.pointer.truncate(inner);
                    }
                }
                // Every profile accepts `false` and `true` after a tuple or beside `properties`.
                (SubschemaLayout::Schemas, Json::Bool(_)) if takes_flags(keyword) => {}
                (SubschemaLayout::Schemas, one) => {
                    let at = if keyword == "items" {
                        At::Items
                    } else {
                        At::Inside
                    };
                    self.schema(one, at)?;
                }
                _ => {}
            }
            self.pointer.truncate(length);
            (self.monotone, self.is_test, self.level) = outer;
            rewritten.push(Rewritten {
                keyword: keyword.clone(),
                keeps_all: self.log.keeps_all,
                adds_none: self.log.adds_none,
            });
        }
        (self.log.keeps_all, self.log.adds_none) = before;
        self.cross(members, &rewritten, at);
        Ok(())
    }

    /// Records a step.
    pub(super) fn note(&mut self, kind: StepKind, effect: Effect, detail: &str) {
        let effect = match effect {
            Effect::Same => Effect::Same,
            other if self.monotone => other,
            _ => Effect::Either,
        };
        self.log.step(kind, effect, &self.pointer, detail);
    }

    /// Adds a sentence to the description of a schema.
    pub(super) fn say(&self, members: &mut Members, sentence: &str) {
        say(members, sentence, self.limits);
    }
}

/// Adds a sentence to the description of a schema.
pub(super) fn say(members: &mut Members, sentence: &str, limits: &Limits) {
    if sentence.is_empty() {
        return;
    }
    let sentence = cut(sentence, limits.sentence);
    let text = match members.text("description") {
        Some(own) if own.contains(&sentence) => return,
        Some(own) => join(own, &sentence),
        None => sentence,
    };
    members.set("description", Json::text(text));
}

/// The text with at most `most` characters, with an ellipsis if it was longer.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some(_) => {
            let kept = text.chars().take(most.saturating_sub(1));
            let mut kept: String = kept.collect();
            kept.push('…');
            kept
        }
        None => text.to_owned(),
    }
}

/// How often rewriting one schema may copy it: for each schema that holds in place.
fn copies(members: &Members) -> u64 {
    let types = members.get("type").map_or(0, |own| own.items().len());
    let types = u64::try_from(types).unwrap_or(u64::MAX);
    members.in_place().fold(types, |sum, one| {
        sum.saturating_add(one.as_object().map_or(1, |own| 1 + copies(own)))
    })
}

/// Keywords whose value is more often a boolean than an object.
fn takes_flags(keyword: &str) -> bool {
    matches!(
        keyword,
        "additionalProperties" | "items" | "unevaluatedProperties" | "unevaluatedItems"
    )
}

/// Characters of a step's detail.
const DETAIL: usize = 200;
