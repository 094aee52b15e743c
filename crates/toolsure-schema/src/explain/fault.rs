//! Describes a keyword that does not hold.

use std::ops::ControlFlow;

use toolsure_json::{Kind, Node, NodeId, View};

use super::branch::Ranking;
use super::context::Context;
use super::excerpt::{cut, found, near, show};
use super::flow::{Flow, Stop, internal_error, or_internal_error};
use super::kind::FindingKind;
use super::path::{Origin, Path, Paths};
use super::text::Branches;
use crate::dialect::Keyword;
use crate::execute::ValueOrName;
use crate::int::{to_usize, units};
use crate::model::{Dangling, Dependency, DocumentId, Entry, Form, Model, SubschemaId};
use crate::plan::NodeIx;

/// A keyword, or a `false` schema, that does not hold for a value, with enough information to
/// describe the error later.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fault<'i, N> {
    pub(crate) sub: SubschemaId,
    /// The subschema in its dynamic scope.
    pub(super) node: NodeIx,
    /// The keyword, by its position in the subschema; `None` for a `false` schema.
    pub(super) entry: Option<u32>,
    pub(super) at: ValueOrName<'i, N>,
    /// The evaluation path, this keyword included.
    pub(crate) path: Path,
    pub(crate) origin: Origin,
    /// The instance location.
    pub(crate) place: Path,
    pub(super) applicator: Applicator,
    /// How many subschemas of a `oneOf`, or items for `contains`, match.
    pub(super) matched: usize,
    pub(super) first_matched: [usize; 2],
    /// The index in [`Found`] of the ranking of a union's branches, if it was computed.
    pub(super) ranking: Option<u32>,
}

/// Faults, and the data they share.
pub(crate) struct Found<'o, 'i, N> {
    pub(crate) faults: Vec<Fault<'i, N>>,
    pub(crate) paths: Paths<'o, 'i>,
    /// The rankings of the branches of unions without a matching branch.
    pub(super) rankings: Vec<Ranking<'o>>,
}

impl<N> Default for Found<'_, '_, N> {
    fn default() -> Self {
        Self::with_room(0)
    }
}

impl<N> Found<'_, '_, N> {
    /// No faults yet, and room for some.
    pub(super) fn with_room(faults: usize) -> Self {
        Self {
            faults: Vec::with_capacity(faults),
            paths: Paths::with_room(2 * faults),
            rankings: Vec::new(),
        }
    }
}

/// How one subschema came to apply another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Applicator {
    pub(super) keyword: Option<Keyword>,
    pub(super) owner: SubschemaId,
    /// The index of the item it was applied to.
    pub(super) index: Option<usize>,
}

impl<'i, N: Node<'i>> Fault<'i, N> {
    /// The keyword; `None` for a `false` schema.
    pub(crate) fn entry<'o>(&self, model: &'o Model) -> Option<&'o Entry> {
        let entries = model.entries(model.sub(self.sub).ok()?).ok()?;
        entries.get(to_usize(self.entry?))
    }

    /// The keyword that applies the subschema; `None` at the root.
    pub(crate) fn applied_by(&self) -> Option<&'static str> {
        self.applicator.keyword.map(Keyword::name)
    }

    /// The name that was evaluated, if the instance was a member's name and not a value.
    pub(crate) fn name(&self) -> Option<&'i str> {
        self.at.name()
    }
}

impl<'o, 'i, N: Node<'i>> Context<'o, 'i, N> {
    /// Describes a fault that is part of `found`.
    pub(super) fn describe(
        &mut self,
        among: &Found<'o, 'i, N>,
        fault: &Fault<'i, N>,
    ) -> Flow<FindingKind> {
        let model: &'o Model = self.model;
        let at = fault.at;
        let doc = or_internal_error(model.sub(fault.sub))?.doc;
        let Some(entry) = fault.entry(model) else {
            if fault.entry.is_some() {
                return internal_error();
            }
            return self.never(&among.paths, fault);
        };
        let kind = match (entry.keyword, &entry.form) {
            (Keyword::Enum, Form::Literal) => return self.not_a_member(doc, at, entry),
            (Keyword::UniqueItems, Form::Flag(true)) => {
                let Some(array) = at.array() else {
                    return internal_error();
                };
                let found = toolsure_json::first_duplicate(array, &mut self.evaluator);
                let Some((first, second)) = found.map_break(Stop::from)? else {
                    return internal_error();
                };
                FindingKind::UniqueItems { first, second }
            }
            (Keyword::Required, Form::Literal) => {
                let plain = self.program.plain();
                let op = fault.entry.and_then(|place| plain.op(fault.node, place));
                let (Some(object), Some(op)) = (at.object(), op) else {
                    return internal_error();
                };
                let lacking = self.lacking(op, object)?;
                if lacking.is_empty() {
                    return internal_error();
                }
                let shown = lacking.iter().take(SHOWN);
                FindingKind::Required {
                    missing: shown.map(|(_, name)| cut(name)).collect(),
                    more: lacking.len().saturating_sub(SHOWN),
                }
            }
            (Keyword::Dependencies | Keyword::DependentRequired, Form::Dependencies(map)) => {
                return self.unmet(doc, at, map);
            }
            (Keyword::MinContains, Form::Count(least)) => FindingKind::MinContains {
                least: *least,
                count: fault.matched,
            },
            (Keyword::MaxContains, Form::Count(most)) => FindingKind::MaxContains { most: *most },
            (Keyword::Contains, _) => FindingKind::Contains,
            (Keyword::Not, _) => FindingKind::Not { found: found(at) },
            (Keyword::AnyOf, Form::List(subs)) => {
                FindingKind::AnyOf(self.unmatched(among, fault, subs)?)
            }
            (Keyword::OneOf, Form::List(_)) if fault.matched > 1 => FindingKind::OneOfMany {
                matched: fault.first_matched,
            },
            (Keyword::OneOf, Form::List(subs)) => {
                FindingKind::OneOf(self.unmatched(among, fault, subs)?)
            }
            _ => {
                return or_internal_error(
                    FindingKind::of_value(model, doc, entry, at).ok_or(Dangling),
                );
            }
        };
        ControlFlow::Continue(kind)
    }

    fn unmatched(
        &mut self,
        among: &Found<'o, 'i, N>,
        fault: &Fault<'i, N>,
        subs: &[SubschemaId],
    ) -> Flow<Branches> {
        let known = fault.ranking.map(to_usize);
        let made;
        let ranking = match known.and_then(|number| among.rankings.get(number)) {
            Some(ranking) => ranking,
            None => {
                made = self.ranking(fault.at, subs)?;
                &made
            }
        };
        ControlFlow::Continue(self.branches(fault.at, subs.len(), ranking))
    }

    fn not_a_member(
        &mut self,
        doc: DocumentId,
        at: ValueOrName<'i, N>,
        entry: &'o Entry,
    ) -> Flow<FindingKind> {
        let model: &'o Model = self.model;
        let members = or_internal_error(model.view(doc, entry.value).ok_or(Dangling))?;
        let shown = members.items().take(SHOWN);
        self.pay(units(members.len()))?;
        ControlFlow::Continue(FindingKind::Enum {
            expected: shown.map(show).collect(),
            more: members.len().saturating_sub(SHOWN),
            closest: closest_member(members, at),
            found: found(at),
        })
    }

    /// The names in an array of the schema that the object lacks.
    fn missing(&mut self, doc: DocumentId, names: NodeId, object: N) -> Flow<(Vec<String>, usize)> {
        let mut missing = Vec::new();
        let mut more = 0;
        let names = or_internal_error(self.model.view(doc, names).ok_or(Dangling))?;
        for name in names.items() {
            if self.member(object, name.string())?.is_some() {
                continue;
            }
            if missing.len() < SHOWN {
                missing.push(cut(name.string()));
            } else {
                more += 1;
            }
        }
        ControlFlow::Continue((missing, more))
    }

    /// The first dependency on names that is not satisfied.
    fn unmet(
        &mut self,
        doc: DocumentId,
        at: ValueOrName<'i, N>,
        map: &'o [(NodeId, Dependency)],
    ) -> Flow<FindingKind> {
        let Some(object) = at.object() else {
            return internal_error();
        };
        for (name, dependency) in map {
            let present = self.text(doc, *name)?;
            let Dependency::Names(needed) = dependency else {
                continue;
            };
            if self.member(object, present)?.is_none() {
                continue;
            }
            let (missing, more) = self.missing(doc, *needed, object)?;
            if !missing.is_empty() {
                return ControlFlow::Continue(FindingKind::DependentRequired {
                    present: cut(present),
                    missing,
                    more,
                });
            }
        }
        internal_error()
    }

    /// Describes a `false` schema, depending on the keyword that applies it.
    fn never(&mut self, paths: &Paths<'_, 'i>, fault: &Fault<'i, N>) -> Flow<FindingKind> {
        let name = paths.last(fault.place);
        ControlFlow::Continue(match (fault.applicator.keyword, fault.applicator.index) {
            (Some(Keyword::AdditionalProperties | Keyword::UnevaluatedProperties), _) => {
                let closest = self.closest_property(fault.applicator.owner, &name)?;
                FindingKind::UnexpectedProperty {
                    name: cut(&name),
                    closest,
                }
            }
            (Some(Keyword::Properties | Keyword::PatternProperties), _) => {
                FindingKind::ForbiddenProperty { name: cut(&name) }
            }
            (Some(Keyword::PropertyNames), _) => FindingKind::ForbiddenName,
            (
                Some(
                    Keyword::Items
                    | Keyword::AdditionalItems
                    | Keyword::UnevaluatedItems
                    | Keyword::PrefixItems,
                ),
                Some(index),
            ) => FindingKind::UnexpectedItem { index },
            _ => FindingKind::Never {
                found: found(fault.at),
            },
        })
    }

    /// The closest name that a subschema, or one it applies in place, declares.
    fn closest_property(&mut self, owner: SubschemaId, name: &str) -> Flow<Option<String>> {
        let model: &'o Model = self.model;
        let mut candidates: Vec<&'o str> = Vec::new();
        let mut waiting = vec![owner];
        let mut at = 0;
        while let Some(id) = waiting.get(at).copied() {
            at += 1;
            let sub = or_internal_error(model.sub(id))?;
            if let Some(Entry {
                form: Form::Map(map),
                ..
            }) = or_internal_error(model.entry(sub, Keyword::Properties))?
            {
                let room = CANDIDATES - candidates.len().min(CANDIDATES);
                candidates.reserve(map.len().min(room));
                for (key, _) in map.iter().take(room) {
                    candidates.push(self.text(sub.doc, *key)?);
                }
            }
            for next in or_internal_error(model.in_place(sub))? {
                if waiting.len() < PLACES && !waiting.contains(&next) {
                    waiting.push(next);
                }
            }
        }
        self.pay(units(candidates.len()) * 4)?;
        ControlFlow::Continue(near(name, candidates).map(cut))
    }
}

/// The member of an enumeration that a value was probably meant to be: one with a similar spelling,
/// or with the same text in another type.
fn closest_member<'i, N: Node<'i>>(members: View<'_>, at: ValueOrName<'i, N>) -> Option<String> {
    let strings = || {
        members
            .items()
            .take(CANDIDATES)
            .filter(|member| member.kind() == Kind::String)
            .map(Node::string)
    };
    if at.kind() == Kind::String {
        let text = at.string();
        if let Some(same) = strings()
            .find(|member| member.len() < 256 && member.trim().eq_ignore_ascii_case(text.trim()))
        {
            return Some(toolsure_json::json_string(same));
        }
        let other = members.items().take(CANDIDATES).find(|member| {
            !member.kind().is_container() && member.kind() != Kind::String && show(*member) == text
        });
        return other
            .map(show)
            .or_else(|| near(text, strings()).map(|name| toolsure_json::json_string(&cut(name))));
    }
    let text = found(at).text;
    let same = strings().find(|member| *member == text);
    same.map(toolsure_json::json_string)
}

/// Maximum number of enumeration members, or of missing names, in a finding.
const SHOWN: usize = 8;
/// Maximum number of names compared to find the closest spelling.
const CANDIDATES: usize = 512;
/// Maximum number of subschemas searched for declared names.
const PLACES: usize = 64;
