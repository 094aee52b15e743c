//! Ranks the branches of a union by how likely the value was meant for each.
//!
//! Evidence, strongest first: a property that has the constant value the branch requires; the
//! value's type; the members that the branch declares and those that it requires.

use std::ops::ControlFlow;

use smallvec::SmallVec;
use toolsure_json::{Kind, Node, pay_for_number};

use super::context::Context;
use super::excerpt::{found, near, show};
use super::flow::{Flow, Stop, internal_error, or_internal_error};
use super::text::{Branches, Tag};
use crate::dialect::Keyword;
use crate::execute::ValueOrName;
use crate::int::units;
use crate::model::{Dangling, DocumentId, Entry, Form, Model, SubschemaId, TypeSet};

/// The evidence for each ranked branch of a union, by branch index.
pub(crate) struct Ranking<'o>(Vec<Evidence<'o>>);

/// The evidence for one branch.
#[derive(Debug, Clone, Copy, Default)]
struct Evidence<'o> {
    score: i64,
    /// A constant property that has a different value in the instance.
    missed: Option<(&'o str, SubschemaId, &'o Entry)>,
}

impl Ranking<'_> {
    /// The indexes of all branches, most plausible first; ties stay in schema order.
    pub(super) fn order(&self, branches: usize) -> Vec<usize> {
        let mut ranked: Vec<_> = self.0.iter().map(|one| one.score).enumerate().collect();
        ranked.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        let ranked = ranked.into_iter().map(|(place, _)| place);
        ranked.chain(self.0.len()..branches).collect()
    }

    /// The indexes of the branches with the highest score.
    fn plausible(&self) -> Vec<usize> {
        let top = self.0.iter().map(|one| one.score).max();
        let branches = self.0.iter().enumerate();
        let best = branches.filter(|(_, one)| Some(one.score) == top);
        best.map(|(place, _)| place).take(TIES).collect()
    }
}

impl<'o, 'i, N: Node<'i>> Context<'o, 'i, N> {
    /// Ranks the branches of a union for a value.
    pub(super) fn ranking(
        &mut self,
        at: ValueOrName<'i, N>,
        subs: &[SubschemaId],
    ) -> Flow<Ranking<'o>> {
        let mut ranked = Vec::with_capacity(subs.len().min(BRANCHES));
        for sub in subs.iter().take(BRANCHES) {
            ranked.push(self.evidence(at, *sub)?);
        }
        ControlFlow::Continue(Ranking(ranked))
    }

    /// Describes a union of `count` branches without a matching one for a finding.
    pub(super) fn branches(
        &self,
        at: ValueOrName<'i, N>,
        count: usize,
        ranking: &Ranking<'o>,
    ) -> Branches {
        Branches {
            count,
            plausible: ranking.plausible(),
            tag: self.tag(at, ranking),
        }
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
                            ValueOrName::Value(node) => {
                                let paid = pay_for_number(node, &mut self.evaluator);
                                paid.map_break(Stop::from)?;
                                types.admits(node, node.kind())
                            }
                            ValueOrName::Name(_) => types.intersects(TypeSet::STRING),
                        };
                        evidence.score += if admits { TYPE } else { -TYPE };
                    }
                    (Form::Literal, Keyword::Const | Keyword::Enum) => {
                        let value = model.view(sub.doc, entry.value).ok_or(Dangling);
                        let same = or_internal_error(value)?.kind() == at.kind();
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
        let Some(object) = at.object() else {
            return ControlFlow::Continue(());
        };
        let names = or_internal_error(self.model.view(doc, entry.value).ok_or(Dangling))?;
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
        map: &'o [(toolsure_json::NodeId, SubschemaId)],
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
                // An enumeration with one member is also a constant.
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
            |one, meter: &mut _| toolsure_json::equal(one, value, meter).map_break(Stop::from);
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

    /// The property that should have selected a branch, if its value selects none.
    fn tag(&self, at: ValueOrName<'i, N>, ranking: &Ranking<'o>) -> Option<Tag> {
        let first = ranking.0.first()?;
        let (property, _, _) = first.missed?;
        let mut values: Vec<toolsure_json::View<'o>> = Vec::new();
        let model: &'o Model = self.model;
        for evidence in &ranking.0 {
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
            closest: closest.map(|name| toolsure_json::json_string(&super::excerpt::cut(name))),
            found: found(ValueOrName::Value(value)),
        })
    }
}

/// The weight of a constant property.
const CONSTANT: i64 = 10_000;
/// The weight of the value's type.
const TYPE: i64 = 1_000;
/// Maximum number of branches that are ranked; the others follow in schema order.
const BRANCHES: usize = 256;
/// Maximum number of branches that can share the highest score.
const TIES: usize = 16;
/// Maximum number of subschemas examined in one branch.
const PLACES: usize = 16;
/// Maximum number of properties examined in one branch.
const MEMBERS: usize = 64;
/// Maximum number of members of an enumeration that can tell branches apart.
const FEW: usize = 8;
/// Maximum number of values of a tag in a finding.
const SHOWN: usize = 8;
