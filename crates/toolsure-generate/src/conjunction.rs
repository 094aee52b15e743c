//! All keywords that apply to one value, once the branches of unions and the outcomes of conditions are chosen.

use toolsure_json::{Node as _, View};
use toolsure_syntax::model::{
    Dangling, Dependency, Entry, Form, Model, Shape, SubschemaId, TypeSet,
};
use toolsure_syntax::{Dialect, Keyword};

use crate::heights::{Heights, NEVER, PATTERN_FUEL};
use crate::random::Random;
use crate::reach::{Edge, EdgeKind, Reach, is_never};

/// What must hold of one value.
pub(crate) struct Conjunction<'m> {
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
    /// A member that the value is to have: branches that declare it are preferred.
    pub(crate) wanted: Option<(&'c Reach, &'c str)>,
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
        if let Some((reach, name)) = self.wanted {
            let is_declaring = |one: &SubschemaId| {
                any_in_place(self.model, *one, |sub| reach.member(sub, name).is_some())
            };
            let declaring: Vec<_> = possible.iter().copied().filter(is_declaring).collect();
            // One of the others may have the member as well; there may be many.
            let count = declaring.len().saturating_add(1);
            if !declaring.is_empty() && declaring.len() < possible.len() {
                let pick = self.next_turn(count);
                if let Some(one) = declaring.get(pick) {
                    return Some(*one);
                }
                possible.retain(|one| !declaring.contains(one));
                let pick = self.random.below(possible.len());
                return possible.get(pick).copied();
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

/// Whether something is true of a subschema, or of one of those that it may apply in place.
fn any_in_place(model: &Model, sub: SubschemaId, is: impl Fn(SubschemaId) -> bool) -> bool {
    let (mut todo, mut seen) = (vec![sub], Vec::new());
    while let Some(one) = todo.pop() {
        if seen.contains(&one) || seen.len() >= MOST_IN_PLACE {
            continue;
        }
        if is(one) {
            return true;
        }
        seen.push(one);
        let inside = model.sub(one).and_then(|sub| model.in_place(sub));
        todo.extend(inside.unwrap_or_default());
    }
    false
}

/// A member or an item, as the subschemas of a conjunction see it.
pub(crate) enum Part<'p> {
    Member(&'p str),
    Item(usize),
    /// An item that `contains` asks for.
    Contained(usize),
}

impl Part<'_> {
    fn index(&self) -> Option<usize> {
        match self {
            Self::Item(index) | Self::Contained(index) => Some(*index),
            Self::Member(_) => None,
        }
    }
}

impl<'m> Conjunction<'m> {
    /// The subschemas that apply to a part, or `None` if it is not allowed; and the work of finding them, in names that are
    /// looked at.
    pub(crate) fn part(
        &self,
        (model, reach): (&'m Model, &Reach),
        part: &Part<'_>,
    ) -> (Option<Vec<SubschemaId>>, usize) {
        let mut work = self.subs.len();
        let subs = self.subs_of((model, reach), part, &mut work);
        (subs, work)
    }

    fn subs_of(
        &self,
        (model, reach): (&'m Model, &Reach),
        part: &Part<'_>,
        work: &mut usize,
    ) -> Option<Vec<SubschemaId>> {
        let index = part.index();
        let is_item = index.is_some();
        let mut all = Vec::new();
        // Whether some keyword other than `unevaluated…` applies to it.
        let mut is_evaluated = false;
        let mut unevaluated = Vec::new();
        for sub in &self.subs {
            let entries = model.sub(*sub).and_then(|sub| model.entries(sub)).ok()?;
            let mut is_declared = false;
            let mut others = Vec::new();
            for entry in entries.iter().filter(|entry| entry.applies()) {
                match (&entry.form, entry.keyword, part) {
                    (Form::Map(_), Keyword::Properties, Part::Member(name)) => {
                        let own = reach.member(*sub, name);
                        is_declared |= own.is_some();
                        all.extend(own);
                    }
                    (Form::Patterns(patterns), _, Part::Member(name)) => {
                        for (_, pattern, one) in patterns {
                            let mut fuel = PATTERN_FUEL;
                            let pattern = model.patterns.get(pattern.index())?;
                            let answer = pattern.matches(name, &mut fuel);
                            let used = PATTERN_FUEL.saturating_sub(fuel);
                            let used = usize::try_from(used).unwrap_or(usize::MAX);
                            *work = work.saturating_add(used).saturating_add(1);
                            if answer != Some(false) {
                                all.push(*one);
                                is_declared = true;
                            }
                        }
                    }
                    (Form::One(one), Keyword::AdditionalProperties, Part::Member(_)) => {
                        others.push(*one);
                    }
                    (Form::One(one), Keyword::Items | Keyword::AdditionalItems, _) if is_item => {
                        others.push(*one);
                    }
                    (Form::List(list), Keyword::PrefixItems | Keyword::Items, _) => {
                        if let Some(one) = index.and_then(|index| list.get(index)) {
                            all.push(*one);
                            is_declared = true;
                        }
                    }
                    (Form::One(one), Keyword::UnevaluatedProperties, Part::Member(name))
                        if !self.may_evaluate((model, reach), *sub, Some(name)) =>
                    {
                        unevaluated.push(*one);
                    }
                    // In 2019-09, `contains` evaluates nothing.
                    (Form::One(one), Keyword::UnevaluatedItems, _) if is_item => {
                        let rules = model.sub(*sub).ok()?.rules;
                        let is_evaluated = matches!(part, Part::Contained(_))
                            && rules.dialect != Dialect::Draft201909;
                        if !is_evaluated && !self.may_evaluate((model, reach), *sub, None) {
                            unevaluated.push(*one);
                        }
                    }
                    _ => {}
                }
            }
            if !is_declared {
                is_evaluated |= !others.is_empty();
                all.extend(others);
            }
            is_evaluated |= is_declared;
        }
        if !is_evaluated {
            all.extend(unevaluated);
        }
        let is_possible = !all.iter().any(|one| is_never(model, *one));
        is_possible.then_some(all)
    }

    /// Whether branches of a subschema that are not chosen may evaluate a member with this name, or items.
    fn may_evaluate(
        &self,
        (model, reach): (&'m Model, &Reach),
        sub: SubschemaId,
        name: Option<&str>,
    ) -> bool {
        self.is_lenient
            && any_in_place(model, sub, |one| {
                if self.subs.contains(&one) {
                    return false;
                }
                let entries = model.sub(one).and_then(|sub| model.entries(sub));
                let has = |keywords: &[Keyword]| {
                    let mut all = entries.unwrap_or_default().iter();
                    all.any(|entry| keywords.contains(&entry.keyword))
                };
                match name {
                    Some(name) => reach.member(one, name).is_some() || has(&OF_MEMBERS),
                    None => has(&OF_ITEMS),
                }
            })
    }

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
    pub(crate) fn view(
        &self,
        model: &'m Model,
        sub: SubschemaId,
        node: toolsure_json::NodeId,
    ) -> Option<View<'m>> {
        model.view(model.sub(sub).ok()?.doc, node)
    }

    /// The entries of a keyword, with their values.
    pub(crate) fn all<'c>(
        &'c self,
        model: &'m Model,
        keyword: Keyword,
    ) -> impl Iterator<Item = (SubschemaId, &'m Entry, View<'m>)> + 'c {
        let own = self.entries.iter();
        own.filter(move |(_, entry)| entry.keyword == keyword)
            .filter_map(move |(sub, entry)| {
                let view = self.view(model, *sub, entry.value)?;
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

    /// The names that a member with this name asks for, and the subschemas that it applies.
    pub(crate) fn dependents(
        &self,
        model: &'m Model,
        name: &str,
    ) -> (Vec<String>, Vec<SubschemaId>) {
        let (mut names, mut subs) = (Vec::new(), Vec::new());
        for (sub, entry) in &self.entries {
            let is_own = |key| {
                self.view(model, *sub, key)
                    .is_some_and(|key| key.string() == name)
            };
            match (&entry.form, entry.keyword) {
                (Form::Literal, Keyword::DependentRequired) => {
                    let view = self.view(model, *sub, entry.value);
                    let list = view.and_then(|view| view.member(name));
                    let list = list.into_iter().flat_map(View::items);
                    names.extend(list.map(|one| one.string().to_owned()));
                }
                (Form::Map(map), Keyword::DependentSchemas) => {
                    let own = map.iter().filter(|(key, _)| is_own(*key));
                    subs.extend(own.map(|(_, one)| *one));
                }
                (Form::Dependencies(all), _) => {
                    for (key, dependency) in all.iter().filter(|(key, _)| is_own(*key)) {
                        let _ = key;
                        match dependency {
                            Dependency::Schema(one) => subs.push(*one),
                            Dependency::Names(list) => {
                                let list = self.view(model, *sub, *list);
                                let list = list.into_iter().flat_map(View::items);
                                names.extend(list.map(|one| one.string().to_owned()));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        (names, subs)
    }
}

/// Keywords that evaluate members that are not declared.
const OF_MEMBERS: [Keyword; 3] = [
    Keyword::PatternProperties,
    Keyword::AdditionalProperties,
    Keyword::UnevaluatedProperties,
];
/// Keywords that evaluate items.
const OF_ITEMS: [Keyword; 4] = [
    Keyword::PrefixItems,
    Keyword::Items,
    Keyword::Contains,
    Keyword::UnevaluatedItems,
];
/// Subschemas of a branch that are looked at.
const MOST_IN_PLACE: usize = 32;
/// Subschemas in one conjunction.
const MOST_SUBS: usize = 200;
