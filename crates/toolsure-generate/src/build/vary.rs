//! Values that vary at the end of a path of steps: every candidate in turn, those of the hints among them.

use std::rc::Rc;

use toolsure_json::json_string;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{SubschemaId, TypeSet};

use super::member_names::declared;
use super::variation::Variation;
use super::{Builder, Focus, MOST_ITEMS, Position, Style, listed, number, string};
use crate::conjunction::{Choice, Conjunction};
use crate::hints::LONGEST;
use crate::part::Part;
use crate::random::Random;

/// What of a type is worth trying. Arrays and objects are made only when it is their turn.
enum Candidates {
    Texts(Rc<[String]>),
    Arrays,
    Objects,
}

impl Candidates {
    fn count(&self) -> usize {
        match self {
            Self::Texts(texts) => texts.len(),
            Self::Arrays => ARRAYS,
            Self::Objects => OBJECTS,
        }
    }
}

impl<'g> Builder<'g> {
    /// Writes one of the values that are worth trying.
    pub(super) fn vary(
        &mut self,
        subs: &[SubschemaId],
        types: TypeSet,
        position: Position,
        variation: Variation<'g>,
    ) -> Option<()> {
        let mut chooser = self.chooser(Choice::Turn, types);
        let found = chooser.conjunction(subs).ok()?;
        // Each branch meets each value.
        let number = chooser.turn;
        if found.is_never {
            return None;
        }
        if let Some(values) = listed::values(&found, None) {
            let pick = number.checked_rem(values.len())?;
            self.out.push_str(values.get(pick)?);
            return Some(());
        }
        let all = self.worth_trying(&found, variation);
        let count: usize = all.iter().map(Candidates::count).sum();
        let pick = number.checked_rem(count)?;
        let round = number.checked_div(count)?;
        let (of_type, pick) = in_turn(&all, pick)?;
        match of_type {
            Candidates::Texts(texts) => self.out.push_str(texts.get(pick)?),
            Candidates::Arrays => {
                let turn = pick.saturating_add(round.saturating_mul(ARRAYS));
                self.restyle(turn);
                self.extra.items = Some((turn, turn.checked_rem(2) == Some(1)));
                self.array(&found, Focus::NONE, position)?;
            }
            Candidates::Objects => {
                let turn = pick.saturating_add(round.saturating_mul(OBJECTS));
                self.restyle(turn);
                // Each extra member is beside nothing else once, and beside all declared members once.
                let first = if declared(&self.budget, &found).is_empty() {
                    1
                } else {
                    3
                };
                let is_odd = turn.checked_rem(2) == Some(1);
                let beyond = turn.checked_sub(first).filter(|_| is_odd);
                self.extra.name = beyond.map(|beyond| beyond.div_euclid(4));
                self.object(&found, (Focus::NONE, &[]), position)?;
            }
        }
        Some(())
    }

    fn restyle(&mut self, turn: usize) {
        self.style = match turn.checked_rem(4) {
            Some(1) => Style::Full,
            Some(2) => Style::Mixed,
            _ => Style::Least,
        };
        self.random = Random::new(u64::try_from(turn).unwrap_or(0));
    }

    /// All values worth trying, by type.
    fn worth_trying(&self, found: &Conjunction<'g>, variation: Variation<'g>) -> Vec<Candidates> {
        let texts = |all: &[&str]| Candidates::Texts(all.iter().map(|&it| it.to_owned()).collect());
        let possible = ORDER.into_iter().filter(|one| found.types.intersects(*one));
        possible
            .map(|one| match one {
                TypeSet::NULL => texts(&["null"]),
                TypeSet::BOOLEAN => texts(&["true", "false"]),
                TypeSet::ARRAY => Candidates::Arrays,
                TypeSet::OBJECT => Candidates::Objects,
                scalar => Candidates::Texts(self.scalars(found, scalar, variation)),
            })
            .collect()
    }

    /// The strings or numbers worth trying, as JSON texts.
    fn scalars(
        &self,
        found: &Conjunction<'g>,
        of_type: TypeSet,
        variation: Variation<'g>,
    ) -> Rc<[String]> {
        let key = (found.subs.clone(), of_type, found.types);
        let (schema, budget) = (self.schema, &self.budget);
        variation.texts.of(key, || match of_type {
            TypeSet::STRING => {
                let all = string::worth_trying(schema, budget, found, variation.hints);
                all.iter().map(|text| json_string(text)).collect()
            }
            _ => number::worth_trying(budget, found, of_type, variation).into(),
        })
    }

    /// The number of items that an array is to have, and whether they are equal; `None` if it has what it must.
    pub(super) fn extra_items(&mut self, found: &Conjunction<'g>) -> Option<(usize, bool)> {
        let variation = self.variation?;
        let lengths = &variation.hints.lengths;
        if let Some((turn, is_repeated)) = self.extra.items.take() {
            let least = found.counts(Keyword::MinItems).map(|(_, count)| count);
            let least = least
                .max()
                .map_or(0, |least| usize::try_from(least).unwrap_or(0));
            let own = [least, 1, least.saturating_add(1), 2];
            let mut all = own.into_iter().chain(lengths.iter().copied());
            let pick = turn.checked_rem(own.len().saturating_add(lengths.len()))?;
            return Some((all.nth(pick)?.min(MOST_ITEMS), is_repeated));
        }
        if self.style != Style::Mixed || self.random.below(4) > 0 {
            return None;
        }
        let pick = self.random.below(lengths.len());
        let length = lengths.iter().nth(pick).copied()?;
        Some((length.min(MOST_DEEP), self.random.below(2) == 0))
    }

    /// A member that an object is to have beside what it must.
    pub(super) fn extra_name(&mut self, found: &Conjunction<'g>) -> Option<String> {
        let turn = match self.extra.name.take() {
            Some(turn) => turn,
            None if self.variation.is_some() && self.style == Style::Mixed => {
                let turn = self.random.below(EXTRA_NAMES.saturating_mul(4));
                (turn < EXTRA_NAMES).then_some(turn)?
            }
            None => return None,
        };
        self.possible_name(found, turn, true)
    }

    /// A name of the hints that an object may have, beginning with that number. If `is_declared` is not set, no subschema
    /// declares it.
    pub(super) fn possible_name(
        &mut self,
        found: &Conjunction<'g>,
        turn: usize,
        is_declared: bool,
    ) -> Option<String> {
        let hints = self.variation?.hints;
        let lengths = hints.lengths.iter();
        let lengths = lengths.filter(|length| (1..=LONGEST).contains(*length));
        let by_length = lengths.take(24).map(|length| "n".repeat(*length));
        let is_wanted = |name: &String| {
            let mut subs = found.subs.iter();
            is_declared || !subs.any(|sub| self.schema.reach.member(*sub, name).is_some())
        };
        let names = hints.names.iter().cloned();
        let mut all: Vec<String> = names.filter(is_wanted).collect();
        // One that neither schema has comes second.
        all.insert(all.len().min(1), "x-other".to_owned());
        all.extend(by_length);
        let first = turn.checked_rem(all.len())?;
        let in_turn = all.iter().cycle().skip(first).take(EXTRA_NAMES);
        for name in in_turn {
            if self.part(found, &Part::Member(name)).is_some() {
                return Some(name.clone());
            }
        }
        None
    }

    /// A string or a number that is worth trying, now and then.
    pub(super) fn hinted(&mut self, found: &Conjunction<'g>, of_type: TypeSet) -> Option<String> {
        let variation = self.variation?;
        if variation.scalar.is_none() && (self.style != Style::Mixed || self.random.below(2) == 0) {
            return None;
        }
        let all = self.scalars(found, of_type, variation);
        let pick = match variation.scalar {
            Some(number) => number.checked_rem(all.len())?,
            None => self.random.below(all.len()),
        };
        all.get(pick).cloned()
    }
}

/// Candidate `pick`, if those of each type come in turn: there are few tries.
fn in_turn(all: &[Candidates], mut pick: usize) -> Option<(&Candidates, usize)> {
    let longest = all.iter().map(Candidates::count).max()?;
    for index in 0..longest {
        for one in all.iter().filter(|one| index < one.count()) {
            match pick.checked_sub(1) {
                Some(left) => pick = left,
                None => return Some((one, index)),
            }
        }
    }
    None
}

/// The types in the order in which their values are tried.
const ORDER: [TypeSet; 7] = [
    TypeSet::NULL,
    TypeSet::BOOLEAN,
    TypeSet::STRING,
    TypeSet::ARRAY,
    TypeSet::OBJECT,
    TypeSet::INTEGER,
    TypeSet::FRACTION,
];
/// Arrays and objects that are tried at one location in a row.
const ARRAYS: usize = 6;
const OBJECTS: usize = 8;
/// Names that are tried for one member.
const EXTRA_NAMES: usize = 24;
/// Items of an array that is not the one that varies.
const MOST_DEEP: usize = 20;
