//! Proves that no instance breaks a keyword alone.
//!
//! Either another branch of a union accepts whatever fails for that keyword: `anyOf: [{"properties": {"jobs": {"type":
//! "array"}}}, {}]` has an open branch, so `jobs` may be anything. The proof compares assertions: each of the other branch
//! must also stand in the first one, beside the keyword in question. Or whatever breaks it breaks another keyword about the
//! same value, as a `type` beside an `enum` of that type.
//!
//! A proof is about all places where a subschema is applied, so it follows a path only as long as nothing else leads there.

use std::cell::Cell;

use toolsure_json::{Node as _, View, equal_values};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{
    Dangling, Entry, Form, Model, ReferenceTarget, Shape, SubschemaId, TypeSet,
};

use crate::heights::Heights;
use crate::reach::{Edge, EdgeKind, MOST_EDGES, Reach};

/// A search for proofs, with a budget.
pub(crate) struct Implications<'m> {
    model: &'m Model,
    heights: &'m Heights,
    /// How often an edge leads to each subschema, by number.
    uses: Vec<usize>,
    /// The keywords, branches and listed values that may still be looked at.
    left: Cell<usize>,
}

/// The keyword that fails; all others hold.
type Broken = (SubschemaId, Keyword);

impl<'m> Implications<'m> {
    pub(crate) fn new(model: &'m Model, reach: &Reach, heights: &'m Heights) -> Self {
        let mut uses = vec![0_usize; model.subs.len()];
        for edge in &reach.edges {
            if let Some(count) = uses.get_mut(edge.to.index()) {
                *count = count.saturating_add(1);
            }
        }
        // What else leads to a subschema is not known where edges are left out, and where a reference is dynamic.
        let is_dynamic = |edge: &Edge| {
            let keyword = edge.keyword;
            matches!(keyword, Keyword::DynamicRef | Keyword::RecursiveRef)
        };
        let is_known = reach.edges.len() < MOST_EDGES && !reach.edges.iter().any(is_dynamic);
        Self {
            model,
            heights,
            uses,
            left: Cell::new(if is_known { MOST_WORK } else { 0 }),
        }
    }

    /// Whether a value that breaks this keyword alone is accepted all the same. The path leads to its subschema.
    pub(crate) fn is_accepted(&self, path: &[&Edge], broken: Broken) -> bool {
        let (sub, keyword) = broken;
        if keyword == Keyword::AnyOf
            && self
                .branches(sub, keyword)
                .iter()
                .any(|one| self.implies(sub, broken, *one, DEPTH))
        {
            return true;
        }
        for edge in self.outwards(path) {
            let EdgeKind::Branch(_) = edge.kind else {
                continue;
            };
            let branches = self.branches(edge.from, edge.keyword).iter();
            let mut others = branches.filter(|one| **one != edge.to);
            if others.any(|other| self.implies(edge.to, broken, *other, DEPTH)) {
                return true;
            }
        }
        false
    }

    /// Whether whatever breaks a `type` breaks another keyword about the same value, too.
    pub(crate) fn breaks_another(
        &self,
        path: &[&Edge],
        sub: SubschemaId,
        types: TypeSet,
    ) -> Result<bool, Dangling> {
        let inner = self.outwards(path).next();
        if inner.is_some_and(|edge| edge.kind == EdgeKind::Name)
            && types.intersects(TypeSet::STRING)
        {
            // All names are strings.
            return Ok(true);
        }
        // The subschema, then those that apply it to the same value, each with the keyword that does.
        let in_place = self.outwards(path).take_while(|edge| {
            let kind = &edge.kind;
            matches!(kind, EdgeKind::Same | EdgeKind::Branch(_))
        });
        let outer = in_place.map(|edge| (edge.from, edge.keyword, edge.to));
        for (sub, used, passed) in std::iter::once((sub, Keyword::Type, sub)).chain(outer) {
            let own = self.model.sub(sub)?;
            for entry in self.model.entries(own)? {
                let possible = match (&entry.form, entry.keyword) {
                    (Form::List(all), Keyword::AllOf) => {
                        let mut others = all.iter().filter(|one| **one != passed);
                        if others.any(|one| types.contains(self.types(*one))) {
                            return Ok(true);
                        }
                        continue;
                    }
                    (_, keyword) if keyword == used => continue,
                    (Form::Types(own), _) => *own,
                    (Form::Literal, Keyword::Enum) => {
                        let listed = self.view(sub, entry).ok_or(Dangling)?;
                        if !self.pay(listed.len()) {
                            return Ok(false);
                        }
                        let listed = listed.items().map(TypeSet::of);
                        listed.fold(TypeSet::NONE, TypeSet::union)
                    }
                    (Form::Literal, Keyword::Const) => {
                        TypeSet::of(self.view(sub, entry).ok_or(Dangling)?)
                    }
                    (Form::List(all), Keyword::AnyOf | Keyword::OneOf) => {
                        let branches = all.iter().map(|one| self.types(*one));
                        branches.fold(TypeSet::NONE, TypeSet::union)
                    }
                    (Form::Reference(id), _) => match self.model.target(*id)? {
                        ReferenceTarget::Static(target) => self.types(target),
                        ReferenceTarget::Dynamic { .. } => continue,
                    },
                    _ => continue,
                };
                if types.contains(possible) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// The edges of a path from its end, as long as nothing else leads to what they lead to.
    fn outwards<'p>(&self, path: &'p [&'p Edge]) -> impl Iterator<Item = &'p Edge> {
        let edges = path.iter().rev().copied();
        edges.take_while(|edge| self.uses.get(edge.to.index()) == Some(&1))
    }

    /// The types of values that may match a subschema, or all of them.
    fn types(&self, sub: SubschemaId) -> TypeSet {
        match self.heights.is_proof && self.pay(1) {
            true => self.heights.types(sub),
            false => TypeSet::ALL,
        }
    }

    /// Whether there is a budget for so much work.
    fn pay(&self, work: usize) -> bool {
        let left = self.left.get().checked_sub(work);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    fn branches(&self, sub: SubschemaId, keyword: Keyword) -> &'m [SubschemaId] {
        let sub = self.model.sub(sub);
        match sub.and_then(|sub| self.model.entry(sub, keyword)) {
            Ok(Some(entry)) => match &entry.form {
                Form::List(branches) => branches,
                _ => &[],
            },
            _ => &[],
        }
    }

    /// Whether a value that matches `a`, but for the broken keyword, matches `b`.
    fn implies(&self, a: SubschemaId, broken: Broken, b: SubschemaId, depth: usize) -> bool {
        let Some(depth) = depth.checked_sub(1) else {
            return false;
        };
        if !self.pay(1) {
            return false;
        }
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
        if !self.pay(known.len().saturating_add(1)) {
            return false;
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
            let entries = entries.unwrap_or_default();
            // What is left out is not known to hold.
            if !self.pay(entries.len()) {
                return Vec::new();
            }
            for entry in entries {
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

    /// Whether a subschema has no assertion.
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

/// Keywords, branches and listed values that are looked at for one schema.
const MOST_WORK: usize = 1_000_000;
/// Levels of subschemas that a proof descends.
const DEPTH: usize = 16;
/// Subschemas that one applies in any case.
const MOST_SUBS: usize = 32;
