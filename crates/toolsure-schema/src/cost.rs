//! Estimates the work of a naive validator on one value: one that follows every path through a
//! schema and remembers nothing.
//!
//! Most validators are naive. This engine is not, so a schema that is cheap here may hang others:
//! `allOf` with two references to the next of forty such schemas has 2^40 paths. The count is an
//! upper bound for one location in an instance of at most [`DEPTH`] levels; recursion counts once
//! for each level.

use crate::dialect::Keyword;
use crate::explain::Program;
use crate::model::{Dangling, Entry, Form, Model, SubschemaId};
use crate::schema::Schema;

impl Schema {
    /// An upper bound on the number of subschemas that a naive validator applies at one instance
    /// location.
    ///
    /// ```
    /// use toolsure_schema::Schema;
    ///
    /// let flat = Schema::compile(br#"{"properties": {"a": {"type": "string"}}}"#)?;
    /// assert_eq!(flat.naive_cost(), 1);
    /// let twice = Schema::compile(br##"{"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}],
    ///   "$defs": {"a": {"type": "object"}}}"##)?;
    /// assert_eq!(twice.naive_cost(), 5);
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn naive_cost(&self) -> u64 {
        let Ok(model) = self.plain().map(Program::model) else {
            // It was compiled before.
            return u64::MAX;
        };
        let most = Paths::of(model, &[]).and_then(|paths| paths.most(model.root));
        most.unwrap_or(u64::MAX)
    }

    /// The locations of subschemas without which [`naive_cost`](Self::naive_cost) is at most
    /// `bound`, as JSON pointers; few, and as deep as possible. Only the root if removing others
    /// does not help.
    ///
    /// ```
    /// let schema = toolsure_schema::Schema::compile(br#"{"type": "object"}"#)?;
    /// assert!(schema.costly_places(1_000).is_empty());
    /// # Ok::<(), toolsure_schema::CompileError>(())
    /// ```
    #[must_use]
    pub fn costly_places(&self, bound: u64) -> Vec<String> {
        let Ok(model) = self.plain().map(Program::model) else {
            return vec![String::new()];
        };
        cut_to(model, bound).unwrap_or_else(|Dangling| vec![String::new()])
    }
}

/// The locations to cut so that at most `bound` paths remain.
fn cut_to(model: &Model, bound: u64) -> Result<Vec<String>, Dangling> {
    let mut cut: Vec<SubschemaId> = Vec::new();
    for _ in 0..ROUNDS {
        let paths = Paths::of(model, &cut)?;
        if paths.most(model.root)? <= bound {
            return Ok(places(model, &cut));
        }
        let next = paths.deepest(model, bound)?;
        if next != model.root {
            cut.push(next);
            continue;
        }
        let to_root = references_to(model, next)?;
        let new = to_root.into_iter().filter(|sub| !cut.contains(sub));
        let new: Vec<SubschemaId> = new.collect();
        if new.is_empty() {
            break;
        }
        cut.extend(new);
    }
    Ok(vec![String::new()])
}

fn places(model: &Model, cut: &[SubschemaId]) -> Vec<String> {
    let mut places = Vec::new();
    for id in cut {
        let place = model.location(*id);
        if !place.document.is_empty() {
            return vec![String::new()];
        }
        places.push(place.pointer);
    }
    places
}

/// The subschemas that refer to `target`.
fn references_to(model: &Model, target: SubschemaId) -> Result<Vec<SubschemaId>, Dangling> {
    let mut found = Vec::new();
    for (index, sub) in model.subs.iter().enumerate() {
        let mut refers = false;
        for id in model.entries(*sub)?.iter().filter_map(Entry::reference) {
            refers |= model.target(id)?.initial() == target;
        }
        let id = SubschemaId::new(index);
        if refers && id != target {
            found.push(id);
        }
    }
    Ok(found)
}

/// For each depth below a subschema, the number of paths that lead to one location there.
struct Paths {
    /// By depth, then by subschema; up to [`DEPTH`], or to the depth from which on all levels are
    /// equal.
    levels: Vec<Vec<u64>>,
}

/// The subschemas that a subschema applies in place and to children.
struct Applied {
    here: Vec<SubschemaId>,
    members: Vec<SubschemaId>,
    items: Vec<SubschemaId>,
    /// Applied to some members or items in addition to the others.
    also_members: Vec<SubschemaId>,
    also_items: Vec<SubschemaId>,
    weight: u64,
}

impl Applied {
    fn of(model: &Model, id: SubschemaId, cut: &[SubschemaId]) -> Result<Self, Dangling> {
        let mut out = Self {
            here: Vec::new(),
            members: Vec::new(),
            items: Vec::new(),
            also_members: Vec::new(),
            also_items: Vec::new(),
            weight: 1,
        };
        if cut.contains(&id) {
            return Ok(out);
        }
        let sub = model.sub(id)?;
        out.here = model.in_place(sub)?;
        for entry in model.entries(sub)? {
            match (&entry.form, entry.keyword) {
                (Form::Map(map), Keyword::Properties) => {
                    out.members.extend(map.iter().map(|(_, sub)| *sub));
                }
                (Form::Patterns(map), _) => {
                    out.also_members.extend(map.iter().map(|(_, _, sub)| *sub));
                }
                (Form::One(one), Keyword::AdditionalProperties) => out.members.push(*one),
                (Form::One(one), Keyword::UnevaluatedProperties | Keyword::PropertyNames) => {
                    out.also_members.push(*one);
                }
                (Form::List(list), Keyword::PrefixItems | Keyword::Items) => {
                    out.items.extend(list.iter().copied());
                }
                (Form::One(one), Keyword::Items | Keyword::AdditionalItems) => {
                    out.items.push(*one);
                }
                (Form::One(one), Keyword::Contains | Keyword::UnevaluatedItems) => {
                    out.also_items.push(*one);
                }
                _ => {}
            }
        }
        Ok(out)
    }
}

impl Paths {
    fn of(model: &Model, cut: &[SubschemaId]) -> Result<Self, Dangling> {
        let count = model.subs.len();
        let applied: Vec<Applied> = (0..count)
            .map(|index| Applied::of(model, SubschemaId::new(index), cut))
            .collect::<Result<_, _>>()?;
        let order = inner_first(&applied);
        let mut levels: Vec<Vec<u64>> = Vec::with_capacity(DEPTH);
        // Entries that a level uses are written before they are read.
        let mut members = vec![0_u64; count];
        let mut items = vec![0_u64; count];
        for depth in 0..DEPTH {
            let below = depth.checked_sub(1).and_then(|below| levels.get(below));
            for &at in &order {
                let of = applied.get(at).ok_or(Dangling)?;
                let sum = |table: &[u64], subs: &[SubschemaId]| {
                    subs.iter().try_fold(0, |sum: u64, sub| {
                        Ok(sum.saturating_add(value(table, *sub)?))
                    })
                };
                let most = |table: &[u64], subs: &[SubschemaId]| {
                    subs.iter()
                        .try_fold(0, |most: u64, sub| Ok(most.max(value(table, *sub)?)))
                };
                let mut by_members = sum(&members, &of.here)?;
                let mut by_items = sum(&items, &of.here)?;
                match below {
                    None => {
                        by_members = by_members.saturating_add(of.weight);
                        by_items = by_members;
                    }
                    Some(below) => {
                        let more =
                            most(below, &of.members)?.saturating_add(sum(below, &of.also_members)?);
                        by_members = by_members.saturating_add(more);
                        let more =
                            most(below, &of.items)?.saturating_add(sum(below, &of.also_items)?);
                        by_items = by_items.saturating_add(more);
                    }
                }
                *members.get_mut(at).ok_or(Dangling)? = by_members;
                *items.get_mut(at).ok_or(Dangling)? = by_items;
            }
            let level = members
                .iter()
                .zip(&items)
                .map(|(one, other)| *one.max(other));
            let level: Vec<u64> = level.collect();
            // A level depends only on the one below, so all further levels would be the same.
            let settled = depth > 1 && levels.last() == Some(&level);
            levels.push(level);
            if settled {
                break;
            }
        }
        Ok(Self { levels })
    }

    fn at(&self, depth: usize, sub: SubschemaId) -> Result<u64, Dangling> {
        value(self.levels.get(depth).ok_or(Dangling)?, sub)
    }

    fn most(&self, sub: SubschemaId) -> Result<u64, Dangling> {
        self.levels
            .iter()
            .try_fold(0, |most, level| Ok(value(level, sub)?.max(most)))
    }

    /// The last subschema over the bound on the most expensive path from the root.
    fn deepest(&self, model: &Model, bound: u64) -> Result<SubschemaId, Dangling> {
        let (mut sub, mut depth) = (model.root, 0);
        while depth + 1 < self.levels.len() && self.at(depth, sub)? <= bound {
            depth += 1;
        }
        // Each step goes to a subschema in place or down a level: there are no cycles in place.
        for _ in 0..model.subs.len().saturating_mul(2) + DEPTH {
            let of = Applied::of(model, sub, &[])?;
            let here = of.here.iter().map(|sub| (*sub, depth));
            let groups = [&of.members, &of.items, &of.also_members, &of.also_items];
            let below = groups.into_iter().flatten();
            let below = below.filter_map(|sub| Some((*sub, depth.checked_sub(1)?)));
            let mut next: Option<(u64, SubschemaId, usize)> = None;
            for (sub, depth) in here.chain(below) {
                let paths = self.at(depth, sub)?;
                if next.is_none_or(|(most, ..)| paths >= most) {
                    next = Some((paths, sub, depth));
                }
            }
            match next {
                Some((paths, inner, at)) if paths > bound => (sub, depth) = (inner, at),
                _ => break,
            }
        }
        Ok(sub)
    }
}

/// Subschemas in an order in which each follows those it applies in place.
fn inner_first(applied: &[Applied]) -> Vec<usize> {
    let mut order = Vec::with_capacity(applied.len());
    let mut seen = vec![false; applied.len()];
    for root in 0..applied.len() {
        let mut waiting = vec![(root, false)];
        while let Some((at, done)) = waiting.pop() {
            if done {
                order.push(at);
                continue;
            }
            match seen.get_mut(at) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            waiting.push((at, true));
            let here = applied.get(at).map_or(&[][..], |of| &of.here);
            waiting.extend(here.iter().map(|sub| (sub.index(), false)));
        }
    }
    order
}

fn value(table: &[u64], sub: SubschemaId) -> Result<u64, Dangling> {
    table.get(sub.index()).copied().ok_or(Dangling)
}

/// Number of instance levels that are counted.
const DEPTH: usize = 32;
/// Maximum number of subschemas removed before falling back to the root.
const ROUNDS: usize = 64;

#[cfg(test)]
mod tests {
    use crate::Schema;

    fn fan(levels: usize, keyword: &str) -> String {
        let defs: Vec<String> = (0..levels)
            .map(|n| {
                let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
                format!(r#""d{n}":{{"{keyword}":[{next},{next}]}}"#)
            })
            .collect();
        format!(
            r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d{levels}":{{"type":"object"}}}}}}"##,
            defs.join(",")
        )
    }

    fn compiled(text: &str) -> Schema {
        Schema::compile(text.as_bytes()).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    #[test]
    fn paths_are_counted() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            assert!(
                compiled(&fan(40, keyword)).naive_cost() > 1 << 40,
                "{keyword}"
            );
            assert!(compiled(&fan(3, keyword)).naive_cost() < 64, "{keyword}");
        }
        let list = r##"{"properties":{"next":{"$ref":"#"},"more":{"items":{"$ref":"#"}}}}"##;
        assert!(compiled(list).naive_cost() < 8);
        let twice = r##"{"properties":{"c":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##;
        assert!(compiled(twice).naive_cost() > 1 << 30);
        let value = r##"{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#"}},
            {"type":"object","additionalProperties":{"$ref":"#"}}]}"##;
        assert!(compiled(value).naive_cost() < 16);
    }

    #[test]
    fn few_places_are_costly() {
        let schema = compiled(&fan(40, "allOf"));
        let places = schema.costly_places(1_000);
        assert!(!places.is_empty() && places.len() < 8, "{places:?}");
        assert!(
            places.iter().all(|place| place.starts_with("/$defs/d")),
            "{places:?}"
        );
        let twice = compiled(r##"{"properties":{"c":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##);
        let places = twice.costly_places(1_000);
        assert!(!places.contains(&String::new()), "{places:?}");
        assert!(compiled("{}").costly_places(1_000).is_empty());
    }
}
