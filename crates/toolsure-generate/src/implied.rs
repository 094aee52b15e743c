//! Proves that breaking a keyword breaks nothing: another branch of a union accepts whatever fails for that keyword alone.
//!
//! `anyOf: [{"properties": {"jobs": {"type": "array"}}}, {}]` has an open branch, so `jobs` may be anything. The proof
//! compares the text of keywords: each assertion of the other branch must stand in the first one, too, beside the keyword in
//! question.

use std::cell::Cell;

use toolsure_json::{Node as _, View, equal_values};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, Form, Model, ReferenceTarget, Shape, SubschemaId, TypeSet};

use crate::reach::{Edge, EdgeKind, MOST_EDGES, Reach};

/// A search for proofs, with a budget.
pub(crate) struct Implications<'m> {
    model: &'m Model,
    /// How often an edge leads to each subschema, by number.
    uses: Vec<usize>,
    /// The pairs of keywords that may still be compared.
    left: Cell<usize>,
}

/// The keyword that fails; all others hold.
type Broken = (SubschemaId, Keyword);

impl<'m> Implications<'m> {
    pub(crate) fn new(model: &'m Model, reach: &Reach) -> Self {
        let mut uses = vec![0_usize; model.subs.len()];
        for edge in &reach.edges {
            if let Some(count) = uses.get_mut(edge.to.index()) {
                *count = count.saturating_add(1);
            }
        }
        Self {
            model,
            uses,
            // Where edges are left out, no one knows what else leads to a subschema.
            left: Cell::new(match reach.edges.len() < MOST_EDGES {
                true => MOST_PAIRS,
                false => 0,
            }),
        }
    }

    /// Whether a value that breaks this keyword alone is accepted all the same. The path leads to its subschema.
    pub(crate) fn is_accepted(&self, path: &[&Edge], broken: Broken) -> bool {
        let (sub, keyword) = broken;
        if keyword == Keyword::AnyOf
            && self
                .branches(sub)
                .iter()
                .any(|one| self.implies(sub, broken, *one, DEPTH))
        {
            return true;
        }
        // From the inside out, as long as nothing else leads to what was passed.
        for edge in path.iter().rev() {
            if self.uses.get(edge.to.index()) != Some(&1) {
                return false;
            }
            let EdgeKind::Branch(_) = edge.kind else {
                continue;
            };
            let Ok(Some(Form::List(branches))) = self
                .model
                .sub(edge.from)
                .and_then(|sub| self.model.entry(sub, edge.keyword))
                .map(|entry| entry.map(|entry| &entry.form))
            else {
                continue;
            };
            let others = branches.iter().filter(|one| **one != edge.to);
            for other in others {
                if self.implies(edge.to, broken, *other, DEPTH) {
                    return true;
                }
            }
        }
        false
    }

    fn branches(&self, sub: SubschemaId) -> &'m [SubschemaId] {
        let entry = self
            .model
            .sub(sub)
            .and_then(|sub| self.model.entry(sub, Keyword::AnyOf));
        match entry {
            Ok(Some(Entry {
                form: Form::List(branches),
                ..
            })) => branches,
            _ => &[],
        }
    }

    /// Whether a value that matches `a`, but for the broken keyword, matches `b`.
    fn implies(&self, a: SubschemaId, broken: Broken, b: SubschemaId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        let Ok(sub) = self.model.sub(b) else {
            return false;
        };
        if let Shape::Always(is_accepting) = sub.shape {
            return is_accepting;
        }
        let known = self.known(a, broken);
        let Ok(entries) = self.model.entries(sub) else {
            return false;
        };
        entries
            .iter()
            .all(|entry| self.holds(&known, broken, (b, entry), depth))
    }

    /// Whether an assertion follows from those that hold.
    fn holds(
        &self,
        known: &[(SubschemaId, &'m Entry)],
        broken: Broken,
        (sub, entry): (SubschemaId, &Entry),
        depth: usize,
    ) -> bool {
        if !entry.applies() {
            return true;
        }
        match self.left.get().checked_sub(known.len().saturating_add(1)) {
            Some(left) => self.left.set(left),
            None => return false,
        }
        let of_keyword = |keyword: Keyword| {
            let own = known.iter().filter(move |(_, one)| one.keyword == keyword);
            own.map(|(sub, one)| (*sub, *one))
        };
        match (&entry.form, entry.keyword) {
            (Form::Annotation, _) => true,
            (Form::Types(wanted), _) => {
                let types = of_keyword(Keyword::Type).fold(TypeSet::ALL, |types, (_, one)| {
                    match &one.form {
                        Form::Types(own) => types.intersection(*own),
                        _ => types,
                    }
                });
                wanted.contains(types)
            }
            (Form::Literal, Keyword::Required) => {
                let names = self.view(sub, entry).into_iter().flat_map(View::items);
                names.into_iter().all(|name| {
                    of_keyword(Keyword::Required).any(|(sub, one)| {
                        let mut own = self.view(sub, one).into_iter().flat_map(View::items);
                        own.any(|own| own.string() == name.string())
                    })
                })
            }
            // Their meaning depends on `contains` beside them.
            (_, Keyword::MinContains | Keyword::MaxContains) => false,
            (
                Form::Literal
                | Form::Bound { .. }
                | Form::Count(_)
                | Form::Flag(_)
                | Form::Pattern(_)
                | Form::Format(_)
                | Form::Content(_),
                keyword,
            ) => of_keyword(keyword).any(|(own, one)| {
                let pair = self.view(sub, entry).zip(self.view(own, one));
                // A bound may be exclusive because of a keyword beside it (draft 4).
                let is_same_form = match (&entry.form, &one.form) {
                    (Form::Bound { exclusive: a }, Form::Bound { exclusive: b }) => a == b,
                    _ => true,
                };
                is_same_form && pair.is_some_and(|(wanted, own)| equal_values(wanted, own))
            }),
            (Form::Map(members), Keyword::Properties) => members.iter().all(|(name, wanted)| {
                if self.is_open(*wanted) {
                    return true;
                }
                let Some(name) = self.text(sub, *name) else {
                    return false;
                };
                of_keyword(Keyword::Properties).any(|(own, one)| {
                    let Form::Map(members) = &one.form else {
                        return false;
                    };
                    let mut same = members
                        .iter()
                        .filter(|(key, _)| self.text(own, *key) == Some(name));
                    same.any(|(_, one)| self.implies(*one, broken, *wanted, depth))
                })
            }),
            (Form::One(wanted), Keyword::Items) => {
                let is_uniform = of_keyword(Keyword::PrefixItems).next().is_none();
                let mut own = of_keyword(Keyword::Items);
                self.is_open(*wanted)
                    || is_uniform
                        && own.any(|(_, one)| match &one.form {
                            Form::One(one) => self.implies(*one, broken, *wanted, depth),
                            _ => false,
                        })
            }
            (
                Form::One(wanted),
                Keyword::AdditionalProperties
                | Keyword::UnevaluatedProperties
                | Keyword::AdditionalItems
                | Keyword::UnevaluatedItems
                | Keyword::PropertyNames,
            ) => self.is_open(*wanted),
            (Form::List(all), Keyword::AllOf) => {
                let mut all = all.iter();
                all.all(|one| self.all_hold(known, broken, *one, depth))
            }
            (Form::List(all), Keyword::AnyOf) => {
                let mut all = all.iter();
                all.any(|one| self.all_hold(known, broken, *one, depth))
            }
            (Form::Reference(id), _) => match self.model.target(*id) {
                Ok(ReferenceTarget::Static(target)) => self.all_hold(known, broken, target, depth),
                _ => false,
            },
            _ => false,
        }
    }

    /// Whether all assertions of a subschema follow from those that hold.
    fn all_hold(
        &self,
        known: &[(SubschemaId, &'m Entry)],
        broken: Broken,
        sub: SubschemaId,
        depth: usize,
    ) -> bool {
        let (Some(depth), Ok(own)) = (depth.checked_sub(1), self.model.sub(sub)) else {
            return false;
        };
        if let Shape::Always(is_accepting) = own.shape {
            return is_accepting;
        }
        let entries = self.model.entries(own);
        entries.is_ok_and(|entries| {
            let mut entries = entries.iter();
            entries.all(|entry| self.holds(known, broken, (sub, entry), depth))
        })
    }

    /// The assertions of a subschema and of what it applies in any case, but for the broken one.
    fn known(&self, sub: SubschemaId, broken: Broken) -> Vec<(SubschemaId, &'m Entry)> {
        let mut found = Vec::new();
        let (mut todo, mut seen) = (vec![sub], Vec::new());
        while let Some(sub) = todo.pop() {
            if seen.contains(&sub) || seen.len() >= MOST_SUBS {
                continue;
            }
            seen.push(sub);
            let entries = self.model.sub(sub).and_then(|sub| self.model.entries(sub));
            for entry in entries.unwrap_or_default() {
                match (&entry.form, entry.keyword) {
                    _ if (sub, entry.keyword) == broken || !entry.applies() => {}
                    (Form::Reference(id), _) => {
                        if let Ok(ReferenceTarget::Static(target)) = self.model.target(*id) {
                            todo.push(target);
                        }
                    }
                    (Form::List(all), Keyword::AllOf) => todo.extend(all.iter()),
                    _ => found.push((sub, entry)),
                }
            }
        }
        found
    }

    /// Whether a subschema accepts everything, for the eye.
    fn is_open(&self, sub: SubschemaId) -> bool {
        let Ok(sub) = self.model.sub(sub) else {
            return false;
        };
        match sub.shape {
            Shape::Always(is_accepting) => is_accepting,
            Shape::Entries { .. } => {
                let entries = self.model.entries(sub);
                entries.is_ok_and(|entries| entries.iter().all(|entry| !entry.applies()))
            }
        }
    }

    fn view(&self, sub: SubschemaId, entry: &Entry) -> Option<View<'m>> {
        self.model.view(self.model.sub(sub).ok()?.doc, entry.value)
    }

    fn text(&self, sub: SubschemaId, name: toolsure_json::NodeId) -> Option<&'m str> {
        let name = self.model.view(self.model.sub(sub).ok()?.doc, name)?;
        Some(name.string())
    }
}

/// Pairs of keywords that are compared for one schema.
const MOST_PAIRS: usize = 1_000_000;
/// Levels of subschemas that a proof descends.
const DEPTH: usize = 16;
/// Subschemas that one applies in any case.
const MOST_SUBS: usize = 32;
