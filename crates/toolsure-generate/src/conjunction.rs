//! All keywords that apply to one value, once the branches of unions and the outcomes of conditions are chosen.

use std::collections::HashSet;
use std::rc::Rc;

use toolsure_json::{Key as _, Node as _, NodeId, View};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{
    Dangling, Dependency, Entry, Form, Model, Shape, SubschemaId, TypeSet,
};

use crate::heights::{Heights, NEVER};
use crate::random::Random;
use crate::reach::{Edge, EdgeKind};

/// What must hold of one value.
pub(crate) struct Conjunction<'m> {
    pub(crate) model: &'m Model,
    /// The subschemas, each once.
    pub(crate) subs: Vec<SubschemaId>,
    /// Their keywords.
    pub(crate) entries: Vec<(SubschemaId, &'m Entry)>,
    /// The types that all allow.
    pub(crate) types: TypeSet,
    /// Whether one of them is `false`.
    pub(crate) is_never: bool,
    /// What must fail.
    pub(crate) negated: Vec<SubschemaId>,
    /// Whether branches that are not chosen are taken to evaluate what they may evaluate, if they match as well.
    pub(crate) is_lenient: bool,
}

/// How branches are chosen where nothing forces one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The one with the least height.
    Least,
    /// Any that a value may match.
    Any,
    /// By the turn: each union takes its part of it.
    Turn,
    /// None: the union is to fail.
    None(SubschemaId, Keyword),
}

/// Everything that the choice depends on.
pub(crate) struct Chooser<'c, 'm> {
    pub(crate) model: &'m Model,
    pub(crate) heights: &'c Heights,
    pub(crate) random: &'c mut Random,
    pub(crate) choice: Choice,
    /// See [`Conjunction::is_lenient`].
    pub(crate) is_lenient: bool,
    /// What is left of the number of the turn.
    pub(crate) turn: usize,
    /// The subschemas that declare a member which the value is to have: branches among them are preferred.
    pub(crate) wanted: Option<Rc<HashSet<SubschemaId>>>,
    /// The edges in place that lead on: they force branches.
    pub(crate) forced: &'c [&'c Edge],
    /// The types that the value must have.
    pub(crate) types: TypeSet,
}

impl<'m> Chooser<'_, 'm> {
    /// The conjunction of subschemas and of all that they apply in place.
    pub(crate) fn conjunction(
        &mut self,
        subs: &[SubschemaId],
    ) -> Result<Conjunction<'m>, Dangling> {
        let mut found = Conjunction {
            model: self.model,
            subs: Vec::new(),
            entries: Vec::new(),
            types: self.types,
            is_never: false,
            negated: Vec::new(),
            is_lenient: self.is_lenient,
        };
        let mut todo: Vec<SubschemaId> = subs.to_vec();
        let mut unions: Vec<(SubschemaId, &'m Entry)> = Vec::new();
        loop {
            while let Some(id) = todo.pop() {
                if found.subs.len() >= MOST_SUBS || found.subs.contains(&id) {
                    continue;
                }
                found.subs.push(id);
                self.add(&mut found, id, &mut todo, &mut unions)?;
            }
            if unions.is_empty() {
                return Ok(found);
            }
            // In source order, and only when all that is certain is known.
            let (from, entry) = unions.remove(0);
            todo.extend(self.branch(&found, from, entry));
        }
    }

    fn add(
        &mut self,
        found: &mut Conjunction<'m>,
        id: SubschemaId,
        todo: &mut Vec<SubschemaId>,
        unions: &mut Vec<(SubschemaId, &'m Entry)>,
    ) -> Result<(), Dangling> {
        let sub = self.model.sub(id)?;
        found.types = found.types.intersection(self.heights.types(id));
        if let Shape::Always(is_accepting) = sub.shape {
            found.is_never |= !is_accepting;
            return Ok(());
        }
        let entries = self.model.entries(sub)?;
        for entry in entries {
            if !entry.applies() && entry.form.has_subschemas() {
                continue;
            }
            found.entries.push((id, entry));
            match (&entry.form, entry.keyword) {
                (Form::Types(types), _) => {
                    found.types = found.types.intersection(*types);
                }
                (Form::Reference(reference), _) => {
                    todo.push(self.model.target(*reference)?.initial());
                }
                (Form::List(all), Keyword::AllOf) => todo.extend(all.iter().rev()),
                (Form::List(_), Keyword::AnyOf | Keyword::OneOf) => unions.push((id, entry)),
                (Form::One(one), Keyword::Not) => found.negated.push(*one),
                (Form::One(condition), Keyword::If) => {
                    let branch = |keyword| match Entry::find(entries, keyword).map(|it| &it.form) {
                        Some(Form::One(one)) => Some(*one),
                        _ => None,
                    };
                    let (holds, fails) = (branch(Keyword::Then), branch(Keyword::Else));
                    if self.holds(id, holds, fails) {
                        todo.push(*condition);
                        todo.extend(holds);
                    } else {
                        found.negated.push(*condition);
                        todo.extend(fails);
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether the condition of a subschema is to hold.
    fn holds(
        &mut self,
        id: SubschemaId,
        holds: Option<SubschemaId>,
        fails: Option<SubschemaId>,
    ) -> bool {
        let forced = self.forced.iter().find_map(|edge| match edge.kind {
            EdgeKind::Condition(holds) if edge.from == id => Some(holds),
            _ => None,
        });
        if let Some(holds) = forced {
            return holds;
        }
        let is_possible = |branch: Option<SubschemaId>| {
            branch.is_none_or(|branch| self.heights.least(branch, self.types) != NEVER)
        };
        match (is_possible(holds), is_possible(fails)) {
            (true, false) => true,
            (false, _) => false,
            (true, true) if self.choice == Choice::Turn => self.next_turn(2) == 1,
            _ => self.choice == Choice::Any && self.random.below(2) == 0,
        }
    }

    /// The branch of a union that is taken.
    fn branch(
        &mut self,
        found: &Conjunction<'m>,
        from: SubschemaId,
        entry: &Entry,
    ) -> Option<SubschemaId> {
        let Form::List(branches) = &entry.form else {
            return None;
        };
        let forced = self.forced.iter().find_map(|edge| match edge.kind {
            EdgeKind::Branch(index) if edge.from == from && edge.keyword == entry.keyword => {
                Some(index)
            }
            _ => None,
        });
        if let Some(index) = forced {
            return branches.get(index).copied();
        }
        if self.choice == Choice::None(from, entry.keyword) {
            return None;
        }
        let possible = branches
            .iter()
            .copied()
            .filter(|one| self.heights.least(*one, found.types) != NEVER);
        let mut possible: Vec<SubschemaId> = possible.collect();
        if let Some(wanted) = &self.wanted {
            let is_declaring = |one: &SubschemaId| wanted.contains(one);
            let declaring: Vec<_> = possible.iter().copied().filter(is_declaring).collect();
            // One of the others may have the member as well; there may be many.
            let count = declaring.len().saturating_add(1);
            if !declaring.is_empty() && declaring.len() < possible.len() {
                possible.retain(|one| !wanted.contains(one));
                let pick = match count <= MOST_IN_TURN {
                    true => self.next_turn(count),
                    false => self.random.below(count),
                };
                let other = self.random.below(possible.len());
                return declaring.get(pick).or_else(|| possible.get(other)).copied();
            }
        }
        let pick = match self.choice {
            Choice::Any => self.random.below(possible.len()),
            Choice::Turn => self.next_turn(possible.len()),
            _ => {
                let mut all = possible.into_iter();
                let first = all.next()?;
                let least = |one: SubschemaId| self.heights.least(one, found.types);
                return Some(
                    all.fold(first, |known, one| match least(one) < least(known) {
                        true => one,
                        false => known,
                    }),
                );
            }
        };
        possible.get(pick).copied()
    }

    /// One of `count` choices, by the turn.
    fn next_turn(&mut self, count: usize) -> usize {
        let pick = self.turn.checked_rem(count).unwrap_or(0);
        self.turn = self.turn.checked_div(count).unwrap_or(0);
        pick
    }
}

impl<'m> Conjunction<'m> {
    /// What every name of a member must match.
    pub(crate) fn name_schemas(&self) -> Vec<SubschemaId> {
        let names = self.entries.iter();
        let names = names.filter_map(|(_, entry)| match entry.form {
            Form::One(one) if entry.keyword == Keyword::PropertyNames => Some(one),
            _ => None,
        });
        names.collect()
    }

    /// A value in the document of a subschema.
    pub(crate) fn view(&self, sub: SubschemaId, node: NodeId) -> Option<View<'m>> {
        self.model.view(self.model.sub(sub).ok()?.doc, node)
    }

    /// The entries of a keyword, with their values.
    pub(crate) fn all<'c>(
        &'c self,
        keyword: Keyword,
    ) -> impl Iterator<Item = (SubschemaId, &'m Entry, View<'m>)> + 'c {
        let own = self.entries.iter();
        own.filter(move |(_, entry)| entry.keyword == keyword)
            .filter_map(move |(sub, entry)| {
                let view = self.view(*sub, entry.value)?;
                Some((*sub, *entry, view))
            })
    }

    /// The counts of a keyword.
    pub(crate) fn counts(&self, keyword: Keyword) -> impl Iterator<Item = (&'m Entry, u64)> + '_ {
        let own = self.entries.iter();
        own.filter(move |(_, entry)| entry.keyword == keyword)
            .filter_map(|(_, entry)| match entry.form {
                Form::Count(count) => Some((*entry, count)),
                _ => None,
            })
    }

    /// The bounds of a count; a broken one is crossed by one, and one that is aimed at is met.
    pub(crate) fn limits(
        &self,
        (least, most): (Keyword, Keyword),
        broken: Option<&Entry>,
        bound: Option<&Entry>,
    ) -> Option<(usize, usize)> {
        let (mut low, mut high) = (0_usize, usize::MAX);
        let is =
            |entry: &Entry, other: Option<&Entry>| other.is_some_and(|it| std::ptr::eq(it, entry));
        for (entry, count) in self.counts(least) {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if is(entry, broken) {
                high = high.min(count.checked_sub(1)?);
            } else {
                low = low.max(count);
                if is(entry, bound) {
                    high = high.min(count);
                }
            }
        }
        for (entry, count) in self.counts(most) {
            let count = usize::try_from(count).unwrap_or(usize::MAX);
            if is(entry, broken) {
                low = low.max(count.saturating_add(1));
            } else {
                high = high.min(count);
                if is(entry, bound) {
                    low = low.max(count);
                }
            }
        }
        (low <= high).then_some((low, high))
    }

    /// The names that `required` lists.
    pub(crate) fn required(&self) -> Vec<&'m str> {
        let lists = self.all(Keyword::Required);
        lists.flat_map(|(_, _, list)| texts(list)).collect()
    }

    /// The lists of names that a keyword asks for beside a member, each with the name of that member.
    pub(crate) fn asked_beside(
        &self,
        (sub, entry): (SubschemaId, &'m Entry),
    ) -> Vec<(&'m str, View<'m>)> {
        let view = |node| self.view(sub, node);
        match (&entry.form, entry.keyword) {
            (Form::Literal, Keyword::DependentRequired) => {
                let all = view(entry.value).into_iter().flat_map(View::members);
                all.map(|(key, list)| (key.text(), list)).collect()
            }
            (Form::Dependencies(all), _) => {
                let lists = all.iter().filter_map(|(key, dependency)| match dependency {
                    Dependency::Names(list) => Some((view(*key)?.string(), view(*list)?)),
                    Dependency::Schema(_) => None,
                });
                lists.collect()
            }
            _ => Vec::new(),
        }
    }

    /// The names that a member with this name asks for, and the subschemas that it applies.
    pub(crate) fn dependents(&self, name: &str) -> (Vec<&'m str>, Vec<SubschemaId>) {
        let (mut names, mut subs) = (Vec::new(), Vec::new());
        for (sub, entry) in &self.entries {
            let is_own = |key: NodeId| {
                let key = self.view(*sub, key);
                key.is_some_and(|key| key.string() == name)
            };
            let lists = self.asked_beside((*sub, entry)).into_iter();
            let own = lists.filter(|(key, _)| *key == name);
            names.extend(own.flat_map(|(_, list)| texts(list)));
            match (&entry.form, entry.keyword) {
                (Form::Map(map), Keyword::DependentSchemas) => {
                    let own = map.iter().filter(|(key, _)| is_own(*key));
                    subs.extend(own.map(|(_, one)| *one));
                }
                (Form::Dependencies(all), _) => {
                    let own = all.iter().filter(|(key, _)| is_own(*key));
                    subs.extend(own.filter_map(|(_, dependency)| match dependency {
                        Dependency::Schema(one) => Some(*one),
                        Dependency::Names(_) => None,
                    }));
                }
                _ => {}
            }
        }
        (names, subs)
    }
}

/// The strings of a list.
pub(crate) fn texts(list: View<'_>) -> impl Iterator<Item = &str> {
    list.items().map(View::string)
}

/// Branches that take turns; more would leave too few turns for the value.
const MOST_IN_TURN: usize = 4;
/// Subschemas in one conjunction.
const MOST_SUBS: usize = 200;
