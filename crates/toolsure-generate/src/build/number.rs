//! Numbers between bounds.

use toolsure_json::{Kind, Node as _, Number};
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, Form, SubschemaId, TypeSet};

use super::Focus;
use super::budget::Budget;
use super::variation::{Variation, distinct};
use crate::conjunction::Conjunction;
use crate::decimal::{Decimal, least_common_multiple};

/// What is asked of a number, in units of a power of ten.
struct Range {
    scale: u32,
    least: Option<i128>,
    most: Option<i128>,
    /// The number is a multiple of this.
    step: i128,
}

/// Numbers of a type that are worth trying: those at the ends of what the schema allows, and those of the hints.
pub(super) fn worth_trying<'g>(
    budget: &Budget,
    found: &Conjunction<'g>,
    types: TypeSet,
    variation: Variation<'g>,
) -> Vec<String> {
    let is_integer = !found.types.intersects(TypeSet::FRACTION);
    let range = Range::of(found, is_integer, Focus::NONE);
    let ends = range.as_ref().map_or([None, None], |range| {
        [range.first(), range.last()].map(|end| end.map(|end| range.text(end)))
    });
    let mut all: Vec<String> = ends.into_iter().flatten().collect();
    let mut own = candidates(found, types, Focus::NONE);
    let rest = own.split_off(own.len().min(OWN));
    all.extend(own);
    let plain = ["1000000", "-1000000", "0.5", "0.125", "7"].map(str::to_owned);
    // Beyond a bound of its own, a number proves nothing.
    let is_within = |text: &String| {
        let known = range.as_ref().zip(Decimal::read(text));
        known.is_none_or(|(range, number)| range.has(number))
    };
    let hinted = variation.hints.numbers.iter().cloned();
    all.extend(plain.into_iter().chain(hinted).filter(is_within));
    all.extend(rest);
    let is_fraction = types == TypeSet::FRACTION;
    all.retain(|text| text.contains('.') == is_fraction);
    if variation.is_interoperable && is_integer {
        all.retain(|text| {
            let value = text.parse::<f64>();
            value.is_ok_and(|value| value.abs() < TWO_POW_53)
        });
    }
    budget.look(all.len());
    distinct(all)
}

/// Numbers of a type, also those that break a keyword that is to be broken.
pub(super) fn candidates<'g>(
    found: &Conjunction<'g>,
    types: TypeSet,
    focus: Focus<'_, 'g>,
) -> Vec<String> {
    let is_integer = !found.types.intersects(TypeSet::FRACTION);
    let mut all = Vec::new();
    if let Some((sub, entry)) = focus.broken() {
        match entry.keyword {
            Keyword::MultipleOf => return no_multiples(found, (sub, entry), is_integer),
            Keyword::Format => {
                let far = ["1e10", "1e20", "-1e20", "-1", "0.5", "1e400"];
                return far.map(str::to_owned).to_vec();
            }
            _ => {}
        }
    }
    let Some(range) = Range::of(found, is_integer, focus) else {
        // Numbers that are too long to count with.
        let bounds = [
            Keyword::Minimum,
            Keyword::Maximum,
            Keyword::MultipleOf,
            Keyword::ExclusiveMinimum,
            Keyword::ExclusiveMaximum,
        ];
        for keyword in bounds {
            let own = found.all(keyword);
            all.extend(own.map(|(_, _, value)| value.raw().to_owned()));
        }
        all.extend(["1", "0", "-1"].map(str::to_owned));
        return all;
    };
    let is_fraction = types == TypeSet::FRACTION;
    let range = match is_fraction {
        true => range.finer(),
        false => range,
    };
    let mut numbers = range.numbers();
    let end = focus.bound().and_then(|entry| match entry.keyword {
        Keyword::Minimum | Keyword::ExclusiveMinimum => range.first(),
        Keyword::Maximum | Keyword::ExclusiveMaximum => range.last(),
        _ => None,
    });
    if let Some(end) = end {
        numbers = vec![end];
    }
    if is_fraction {
        let one = 10_i128.checked_pow(range.scale);
        numbers.sort_by_key(|number| one.and_then(|one| number.checked_rem(one)) == Some(0));
    }
    // The number that is just beyond the bound comes first.
    let beyond = focus.broken().and_then(|(_, entry)| match entry.keyword {
        Keyword::Minimum | Keyword::ExclusiveMinimum => range.last(),
        Keyword::Maximum | Keyword::ExclusiveMaximum => range.first(),
        _ => None,
    });
    if let Some(beyond) = beyond {
        numbers.insert(0, beyond);
    }
    all.extend(numbers.into_iter().map(|number| range.text(number)));
    all
}

/// Numbers between the bounds that are no multiples.
fn no_multiples<'g>(
    found: &Conjunction<'g>,
    (sub, entry): (SubschemaId, &'g Entry),
    is_integer: bool,
) -> Vec<String> {
    let Some(divisor) = found.view(sub, entry.value) else {
        return Vec::new();
    };
    let others: Vec<_> = found
        .all(Keyword::MultipleOf)
        .filter(|(at, _, _)| *at != sub)
        .map(|(_, _, value)| value)
        .collect();
    let Some(mut range) = Range::of(found, is_integer, Focus::NONE) else {
        return Vec::new();
    };
    range.step = if is_integer {
        Decimal::of(1, 0).units(range.scale).unwrap_or(1)
    } else {
        1
    };
    let is_wanted = |text: &String| {
        Number::parse(text).is_some_and(|number| {
            !number.is_multiple_of(divisor.number())
                && others.iter().all(|one| number.is_multiple_of(one.number()))
        })
    };
    let mut all = range.texts();
    if !is_integer {
        all.extend(range.finer().texts());
    }
    all.retain(is_wanted);
    all
}

impl Range {
    /// The range of numbers, on the other side of a bound that is to be broken.
    fn of<'g>(found: &Conjunction<'g>, is_integer: bool, focus: Focus<'_, 'g>) -> Option<Self> {
        let mut bounds = Vec::new();
        let mut steps = Vec::new();
        let mut scale = 0;
        for (sub, entry) in &found.entries {
            let is_bound = matches!(entry.form, Form::Bound { .. });
            if !is_bound && entry.keyword != Keyword::MultipleOf {
                continue;
            }
            let value = found.view(*sub, entry.value)?;
            if value.kind() != Kind::Number {
                continue;
            }
            let value = Decimal::read(value.raw())?;
            scale = scale.max(value.scale());
            let is_broken = focus
                .broken()
                .is_some_and(|(at, own)| at == *sub && std::ptr::eq(own, *entry));
            match entry.form {
                Form::Bound { exclusive } => {
                    let is_least =
                        matches!(entry.keyword, Keyword::Minimum | Keyword::ExclusiveMinimum);
                    // Beyond the bound is where it was not, and the bound itself if it was not.
                    bounds.push((value, is_least != is_broken, exclusive != is_broken));
                }
                _ => steps.push(value),
            }
        }
        if !is_integer && steps.is_empty() {
            scale = scale.saturating_add(1).min(20);
        }
        let one = Decimal::of(1, 0).units(scale)?;
        let mut step = if is_integer { one } else { 1 };
        for value in steps {
            let units = value.units(scale)?.checked_abs()?;
            step = least_common_multiple(step, units)?;
        }
        let mut range = Self {
            scale,
            least: None,
            most: None,
            step,
        };
        for (value, is_least, is_exclusive) in bounds {
            let units = value.units(scale)?;
            let by = i128::from(is_exclusive);
            if is_least {
                let least = units.checked_add(by)?;
                range.least = Some(range.least.map_or(least, |known| known.max(least)));
            } else {
                let most = units.checked_sub(by)?;
                range.most = Some(range.most.map_or(most, |known| known.min(most)));
            }
        }
        Some(range)
    }

    /// The same with one more decimal place.
    fn finer(&self) -> Self {
        let ten = |value: i128| value.checked_mul(10);
        Self {
            scale: self.scale.saturating_add(1),
            least: self.least.and_then(ten),
            most: self.most.and_then(ten),
            step: 1.max(self.step),
        }
    }

    /// Whether a number is not beyond its bounds.
    fn has(&self, number: Decimal) -> bool {
        let scale = self.scale.max(number.scale());
        let in_units = |value: i128, from: u32| Decimal::of(value, from).units(scale);
        let Some(units) = number.units(scale) else {
            return true;
        };
        let least = self.least.and_then(|least| in_units(least, self.scale));
        let most = self.most.and_then(|most| in_units(most, self.scale));
        least.is_none_or(|least| units >= least) && most.is_none_or(|most| units <= most)
    }

    /// The least multiple in it.
    fn first(&self) -> Option<i128> {
        let (least, step) = (self.least?, self.step.max(1));
        match least.checked_rem_euclid(step)? {
            0 => Some(least),
            rest => least.checked_add(step.checked_sub(rest)?),
        }
    }

    /// The greatest multiple in it.
    fn last(&self) -> Option<i128> {
        let (most, step) = (self.most?, self.step.max(1));
        most.checked_sub(most.checked_rem_euclid(step)?)
    }

    /// A number in its units, as JSON text.
    fn text(&self, number: i128) -> String {
        Decimal::of(number, self.scale).text()
    }

    /// Its [`numbers`](Self::numbers) as JSON texts.
    fn texts(&self) -> Vec<String> {
        let numbers = self.numbers().into_iter();
        numbers.map(|number| self.text(number)).collect()
    }

    /// A few numbers in it: plain ones first, then those at its ends.
    fn numbers(&self) -> Vec<i128> {
        let step = self.step.max(1);
        let is_in = |number: &i128| {
            self.least.is_none_or(|least| *number >= least)
                && self.most.is_none_or(|most| *number <= most)
        };
        let (first, last) = (self.first(), self.last());
        let one = 10_i128.checked_pow(self.scale).unwrap_or(1);
        let plain = [1, 0, 2, 10, -1, 5];
        let plain = plain.iter().filter_map(|plain| one.checked_mul(*plain));
        let plain = plain.filter(|number| number.checked_rem(step) == Some(0));
        let mut all: Vec<i128> = Vec::new();
        let beside = (0..8_i128).flat_map(|turn| {
            let by = turn.checked_mul(step);
            let up = by.and_then(|by| first?.checked_add(by));
            let down = by.and_then(|by| last?.checked_sub(by));
            let multiple = by;
            [up, down, multiple]
        });
        for number in plain.chain(beside.flatten()).filter(is_in) {
            if !all.contains(&number) {
                all.push(number);
            }
        }
        all
    }
}

/// Numbers of the schema's own that are tried before others.
const OWN: usize = 3;
/// The first integer that a double does not hold apart from its neighbours.
const TWO_POW_53: f64 = 9_007_199_254_740_992.0;
