//! What applies to a member or an item.

use toolsure_syntax::model::{Form, SubschemaId};
use toolsure_syntax::{Dialect, Keyword};

use crate::conjunction::Conjunction;
use crate::heights::PATTERN_FUEL;
use crate::reach::{Reach, is_never};

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
    pub(crate) fn part(&self, reach: &Reach, part: &Part<'_>) -> (Option<Vec<SubschemaId>>, usize) {
        let mut work = self.subs.len();
        let subs = self.subs_of(reach, part, &mut work);
        (subs, work)
    }

    fn subs_of(
        &self,
        reach: &Reach,
        part: &Part<'_>,
        work: &mut usize,
    ) -> Option<Vec<SubschemaId>> {
        let model = self.model;
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
                        if !self.may_evaluate(reach, *sub, Some(name), work) =>
                    {
                        unevaluated.push(*one);
                    }
                    // In 2019-09, `contains` evaluates nothing.
                    (Form::One(one), Keyword::UnevaluatedItems, _) if is_item => {
                        let rules = model.sub(*sub).ok()?.rules;
                        let is_evaluated = matches!(part, Part::Contained(_))
                            && rules.dialect != Dialect::Draft201909;
                        if !is_evaluated && !self.may_evaluate(reach, *sub, None, work) {
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
        reach: &Reach,
        sub: SubschemaId,
        name: Option<&str>,
        work: &mut usize,
    ) -> bool {
        let (mut todo, mut seen) = (vec![sub], Vec::new());
        while let Some(one) = todo.pop().filter(|_| self.is_lenient) {
            if seen.contains(&one) || seen.len() >= MOST_IN_PLACE {
                continue;
            }
            seen.push(one);
            let Ok(sub) = self.model.sub(one) else {
                continue;
            };
            let entries = self.model.entries(sub).unwrap_or_default();
            let has = |keywords: &[Keyword]| {
                let mut all = entries.iter();
                all.any(|entry| keywords.contains(&entry.keyword))
            };
            let evaluates = match name {
                Some(name) => reach.member(one, name).is_some() || has(&OF_MEMBERS),
                None => has(&OF_ITEMS),
            };
            if evaluates && !self.subs.contains(&one) {
                return true;
            }
            let inside = self.model.in_place(sub).unwrap_or_default();
            *work = work
                .saturating_add(entries.len())
                .saturating_add(inside.len());
            todo.extend(inside.into_iter().take(MOST_IN_PLACE));
        }
        false
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
