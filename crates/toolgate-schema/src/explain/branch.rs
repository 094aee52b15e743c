//! Which branch of a union a value was meant for.
//!
//! Evidence, strongest first: a property whose constant value the branch
//! demands and the value has; the value's type; the members that the branch
//! declares and those that it requires.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolgate_json::{Kind, Node};

use super::context::Context;
use super::excerpt::{found, near, show};
use super::text::Tag;
use super::{Flow, Stop, internal_error, or_internal_error};
use crate::dialect::Keyword;
use crate::execute::ValueOrName;
use crate::int::units;
use crate::model::{DocumentId, Entry, Form, Model, SubschemaId};

/// The branches of a union that a value was most plausibly meant for.
pub(super) struct Ranking {
    /// Those that share the first place.
    pub(super) plausible: Vec<usize>,
    pub(super) tag: Option<Tag>,
}

/// What speaks for one branch.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence<'o> {
    score: i64,
    /// A constant property that the value has with another value.
    missed: Option<(&'o str, SubschemaId, &'o Entry)>,
}

impl<'o, 'i, N: Node<'i>> Context<'o, 'i, N> {
    /// Ranks the branches of a union for a value.
    pub(super) fn ranked(
        &mut self,
        at: ValueOrName<'i, N>,
        subs: &'o [SubschemaId],
    ) -> Flow<Ranking> {
        let mut scored = self.scored(at, subs)?;
        let tag = self.tag(at, &scored);
        sort(&mut scored);
        let top = scored.first().map(|(_, evidence)| evidence.score);
        let best = scored
            .iter()
            .take_while(|(_, evidence)| Some(evidence.score) == top)
            .count();
        let plausible = scored.iter().take(best.min(TIES));
        ControlFlow::Continue(Ranking {
            plausible: plausible.map(|(index, _)| *index).collect(),
            tag,
        })
    }

    /// The branches of a union by their places, most plausible first.
    pub(super) fn order(
        &mut self,
        at: ValueOrName<'i, N>,
        subs: &'o [SubschemaId],
    ) -> Flow<Vec<usize>> {
        let mut scored = self.scored(at, subs)?;
        sort(&mut scored);
        let ranked = scored.into_iter().map(|(index, _)| index);
        ControlFlow::Continue(ranked.chain(BRANCHES..subs.len()).collect())
    }

    fn scored(
        &mut self,
        at: ValueOrName<'i, N>,
        subs: &'o [SubschemaId],
    ) -> Flow<Vec<(usize, Evidence<'o>)>> {
        let mut scored = Vec::with_capacity(subs.len().min(BRANCHES));
        for (index, sub) in subs.iter().take(BRANCHES).enumerate() {
            scored.push((index, self.evidence(at, *sub)?));
        }
        ControlFlow::Continue(scored)
    }

    fn evidence(&mut self, at: ValueOrName<'i, N>, branch: SubschemaId) -> Flow<Evidence<'o>> {
        let model: &'o Model = self.model;
        let mut evidence = Evidence::default();
        let mut waiting: SmallVec<[SubschemaId; PLACES]> = SmallVec::new();
        waiting.push(branch);
        let mut next = 0;
        while let Some(id) = waiting.get(next).copied() {
            next += 1;
            let sub = or_internal_error(model.sub(id))?;
            self.pay(1)?;
            for entry in or_internal_error(model.entries(sub))? {
                match (&entry.form, entry.keyword) {
                    (Form::Reference(target), _) if waiting.len() < PLACES => {
                        waiting.push(or_internal_error(model.target(*target))?.initial());
                    }
                    (Form::List(list), Keyword::AllOf) => {
                        let room = PLACES.saturating_sub(waiting.len());
                        waiting.extend(list.iter().copied().take(room));
                    }
                    (Form::Types(types), _) => {
                        let admits = match at {
                            ValueOrName::Value(node) => types.admits(node, node.kind()),
                            ValueOrName::Name(_) => true,
                        };
                        evidence.score += if admits { TYPE } else { -TYPE };
                    }
                    (Form::Literal, Keyword::Const | Keyword::Enum) => {
                        let same = model
                            .view(sub.doc, entry.value)
                            .is_some_and(|value| value.kind() == at.kind());
                        evidence.score += if same { 1 } else { -TYPE };
                    }
                    (Form::Literal, Keyword::Required) => {
                        self.required(at, sub.doc, entry, &mut evidence)?;
                    }
                    (Form::Map(map), Keyword::Properties) => {
                        if let Some(object) = at.object() {
                            self.declared(object, sub.doc, map, &mut evidence)?;
                        }
                    }
                    _ => {}
                }
            }
        }
        ControlFlow::Continue(evidence)
    }

    fn required(
        &mut self,
        at: ValueOrName<'i, N>,
        doc: DocumentId,
        entry: &'o Entry,
        evidence: &mut Evidence<'o>,
    ) -> Flow {
        let (Some(object), Some(names)) = (at.object(), self.model.view(doc, entry.value)) else {
            return ControlFlow::Continue(());
        };
        for name in names.items().take(MEMBERS) {
            if self.member(object, name.string())?.is_none() {
                evidence.score -= 2;
            }
        }
        ControlFlow::Continue(())
    }

    fn declared(
        &mut self,
        object: N,
        doc: DocumentId,
        map: &'o [(toolgate_json::NodeId, SubschemaId)],
        evidence: &mut Evidence<'o>,
    ) -> Flow {
        let model: &'o Model = self.model;
        for (key, sub) in map.iter().take(MEMBERS) {
            let name = self.text(doc, *key)?;
            let Some(value) = self.member(object, name)? else {
                continue;
            };
            evidence.score += 1;
            let inner = or_internal_error(model.sub(*sub))?;
            let beside = or_internal_error(model.entries(inner))?;
            let constant = Entry::find(beside, Keyword::Const).or_else(|| {
                // A single-member enumeration is a constant by another name.
                let members = Entry::find(beside, Keyword::Enum)?;
                let count = model.view(inner.doc, members.value)?.len();
                (count <= FEW).then_some(members)
            });
            let Some(constant) = constant else { continue };
            if self.is_equal(inner.doc, constant, value)? {
                evidence.score += CONSTANT;
            } else {
                evidence.score -= CONSTANT;
                evidence.missed = evidence.missed.or(Some((name, *sub, constant)));
            }
        }
        self.pay(units(map.len().min(MEMBERS)) / 8)
    }

    /// Whether a value is equal to the constant of a `const` or `enum`.
    fn is_equal(&mut self, doc: DocumentId, constant: &Entry, value: N) -> Flow<bool> {
        let model: &'o Model = self.model;
        let Some(literal) = model.view(doc, constant.value) else {
            return internal_error();
        };
        let equal =
            |one, meter: &mut _| toolgate_json::equal(one, value, meter).map_break(Stop::from);
        if constant.keyword == Keyword::Const {
            return equal(literal, &mut self.evaluator);
        }
        for one in literal.items() {
            if equal(one, &mut self.evaluator)? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// The property that should have chosen a branch, if its value chooses none.
    fn tag(&mut self, at: ValueOrName<'i, N>, scored: &[(usize, Evidence<'o>)]) -> Option<Tag> {
        let (_, first) = scored.first()?;
        let (property, _, _) = first.missed?;
        let mut values: Vec<toolgate_json::View<'o>> = Vec::new();
        let model: &'o Model = self.model;
        for (_, evidence) in scored {
            let (name, sub, entry) = evidence.missed?;
            if name != property {
                return None;
            }
            let value = model.view(model.sub(sub).ok()?.doc, entry.value)?;
            match entry.keyword {
                Keyword::Const => values.push(value),
                _ => values.extend(value.items()),
            }
        }
        let object = at.object()?;
        let value = object.member(property)?;
        let mut expected: Vec<String> = Vec::new();
        let mut more = 0;
        for value in &values {
            let text = show(*value);
            if expected.contains(&text) {
                continue;
            }
            if expected.len() < SHOWN {
                expected.push(text);
            } else {
                more += 1;
            }
        }
        let strings = values
            .iter()
            .filter(|value| value.kind() == Kind::String)
            .map(|value| Node::string(*value));
        let closest = (value.kind() == Kind::String)
            .then(|| near(value.string(), strings))
            .flatten();
        Some(Tag {
            property: super::excerpt::cut(property),
            expected,
            more,
            closest: closest.map(|name| toolgate_json::json_string(&super::excerpt::cut(name))),
            found: found(ValueOrName::Value(value)),
        })
    }
}

/// Sorts branches by what speaks for them; equals stay as the schema has them.
fn sort(scored: &mut [(usize, Evidence<'_>)]) {
    scored.sort_by_key(|(_, evidence)| std::cmp::Reverse(evidence.score));
}

/// What a constant property weighs.
const CONSTANT: i64 = 10_000;
/// What the value's type weighs.
const TYPE: i64 = 1_000;
/// Branches that are ranked; the others follow in their order.
const BRANCHES: usize = 256;
/// Branches that may share the first place.
const TIES: usize = 16;
/// Subschemas of one branch that are looked at.
const PLACES: usize = 16;
/// Properties of one branch that are looked at.
const MEMBERS: usize = 64;
/// Members that an enumeration may have to tell branches apart.
const FEW: usize = 8;
/// Values of a tag that a finding lists.
const SHOWN: usize = 8;
