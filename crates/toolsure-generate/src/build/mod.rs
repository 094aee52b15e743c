//! Makes one value, toward a goal.
//!
//! What is made may be wrong: `not`, dynamic references and the like are not followed to their end. The engine certifies
//! instances afterwards; here, work must only be bounded.
//!
//! The builder's own methods are in four files: this one chooses a type and writes scalars, `object` and `array` write what
//! contains other values, and `vary` goes through the candidates of a variation. The other files have what needs no builder.

mod array;
mod budget;
mod focus;
mod listed;
mod member_names;
mod number;
mod object;
mod string;
mod variation;
mod vary;

use toolsure_json::push_json_string;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Form, FormatUse, SubschemaId, TypeSet};

use crate::conjunction::{Choice, Chooser, Conjunction};
use crate::heights::{NEVER, TYPES, least};
use crate::options::Options;
use crate::parsed_schema::ParsedSchema;
use crate::part::Part;
use crate::random::Random;
use crate::reach::{Edge, EdgeKind};
use crate::step::Step;
use crate::text::{NOT_OF_FORMATS, not_matching};
use budget::Budget;
pub(crate) use focus::{Aim, Focus};
use string::StringConstraints;
use variation::Extra;
pub(crate) use variation::{Declaring, Texts, Variation};

/// How much is put into an instance, and how it is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// Only what is required.
    Least,
    /// Everything.
    Full,
    /// Some of it.
    Mixed,
}

/// Makes one instance.
pub(crate) struct Builder<'g> {
    schema: &'g ParsedSchema,
    pub(crate) budget: Budget,
    pub(crate) random: Random,
    pub(crate) style: Style,
    /// The number of the attempt at the goal: another one makes another choice.
    pub(crate) variant: usize,
    /// The depth to which optional parts are included.
    pub(crate) depth: usize,
    /// Whether the instance is an object.
    is_object: bool,
    /// How it varies, if it does.
    pub(crate) variation: Option<Variation<'g>>,
    extra: Extra,
    /// What is left of the number of the variation once branches on the path to it are chosen.
    pub(crate) turn: usize,
    /// The instance so far.
    out: String,
}

impl<'g> Builder<'g> {
    /// Makes an instance within these options. The number is part of the seed of its choices.
    pub(crate) fn new(
        schema: &'g ParsedSchema,
        options: &Options,
        style: Style,
        number: usize,
    ) -> Self {
        let number = u64::try_from(number).unwrap_or(0);
        let seed = options.seed.wrapping_mul(1_000).wrapping_add(number);
        Self {
            schema,
            budget: Budget::new(options),
            random: Random::new(seed),
            style,
            variant: 0,
            depth: options.depth,
            is_object: options.objects,
            variation: None,
            extra: Extra::default(),
            turn: 0,
            out: String::new(),
        }
    }

    /// Writes an instance of the schema, or nothing if none was found; and the work that it took.
    pub(crate) fn instance(mut self, focus: Focus<'_, 'g>) -> (Option<String>, usize) {
        let types = match self.is_object {
            true => TypeSet::OBJECT,
            false => TypeSet::ALL,
        };
        let made = self.value(&[self.schema.model.root], types, focus, Position::default());
        let work = self.budget.work(self.out.len());
        (made.map(|()| self.out), work)
    }

    /// Writes a value that matches subschemas.
    fn value(
        &mut self,
        subs: &[SubschemaId],
        types: TypeSet,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<()> {
        self.budget.take_value()?;
        if position.depth > DEEPEST
            || self.out.len() > self.budget.bytes
            || self.budget.has_looked_enough()
        {
            return None;
        }
        let (forced, rest) = focus.split();
        if let Some(Aim::Vary(variation)) = rest.aim() {
            return self.vary(subs, types, position, *variation);
        }
        let along = match rest.step() {
            Some(Step::Name(_) | Step::AnyName) => types.intersection(TypeSet::OBJECT),
            Some(Step::Index(_) | Step::AnyItem) => types.intersection(TypeSet::ARRAY),
            None => types,
        };
        let found = self.conjunction(subs, along, forced, rest)?;
        // Where no value has such a part, the value itself varies.
        if let (Some(_), Some(variation)) = (rest.step(), self.variation)
            && (found.is_never || found.types.is_empty())
        {
            return self.vary(subs, types, position, variation);
        }
        let broken = rest.broken();
        match rest.aim() {
            Some(Aim::Text(text)) => {
                self.out.push_str(text);
                return Some(());
            }
            Some(Aim::Break(sub, entry)) => {
                let broken = (*sub, *entry);
                if let Some(text) = listed::breaking(&found, broken, self.variant) {
                    let text = text?;
                    self.out.push_str(&text);
                    return Some(());
                }
            }
            _ => {}
        }
        if found.is_never && broken.is_none() {
            return None;
        }
        let listed = || listed::values(&found, broken);
        if broken.is_none_or(|(_, entry)| !matches!(entry.keyword, Keyword::Enum | Keyword::Const))
            && rest.next().is_none()
            && let Some(values) = listed()
        {
            let turn = self.turn(position, values.len());
            self.out.push_str(values.get(turn)?);
            return Some(());
        }
        let mut types = found.types;
        match (rest.aim(), rest.next()) {
            (Some(Aim::Type(own)), _) => types = types.intersection(*own),
            (Some(Aim::At(entry) | Aim::Break(_, entry)), None) => {
                let names = entry.keyword.applies_to().types();
                let own = names.iter().filter_map(|name| TypeSet::from_name(name));
                let own = own.fold(TypeSet::NONE, TypeSet::union);
                if !own.is_empty() {
                    types = types.intersection(own);
                }
            }
            (_, Some(edge)) => {
                types = types.intersection(match edge.kind.is_item() {
                    true => TypeSet::ARRAY,
                    false => TypeSet::OBJECT,
                });
            }
            _ => {}
        }
        let forced_members: Vec<&str> = forced
            .iter()
            .filter_map(|edge| match &edge.kind {
                EdgeKind::Dependent(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        if !forced_members.is_empty() {
            types = types.intersection(TypeSet::OBJECT);
        }
        match self.type_of(&found, types, position)? {
            TypeSet::NULL => self.out.push_str("null"),
            TypeSet::BOOLEAN => {
                let turn = self.turn(position, 2);
                self.out.push_str(if turn == 0 { "true" } else { "false" });
            }
            TypeSet::STRING => self.string(&found, rest, position)?,
            TypeSet::ARRAY => self.array(&found, rest, position)?,
            TypeSet::OBJECT => self.object(&found, (rest, &forced_members), position)?,
            number => self.number(&found, number, rest, position)?,
        }
        Some(())
    }

    /// Writes a string.
    fn string(
        &mut self,
        found: &Conjunction<'g>,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<()> {
        let broken = focus.broken().map(|(_, entry)| entry);
        let mut constraints = StringConstraints::of(self.schema, found, broken);
        if let Some(entry) = focus.bound()
            && let Form::Count(count) = entry.form
        {
            let count = usize::try_from(count).ok()?;
            match entry.keyword {
                Keyword::MinLength => constraints.most = constraints.most.min(count),
                Keyword::MaxLength => constraints.least = constraints.least.max(count),
                _ => {}
            }
        }
        if constraints.least > constraints.most || constraints.least > self.budget.bytes {
            return None;
        }
        if broken.is_none()
            && let Some(text) = self.hinted(found, TypeSet::STRING)
        {
            self.out.push_str(&text);
            return Some(());
        }
        let turn = match broken {
            Some(_) => self.variant,
            None => position.turn.saturating_add(match self.style {
                Style::Mixed => self.random.below(4),
                _ => self.variant,
            }),
        };
        let text = match broken.map(|entry| &entry.form) {
            Some(Form::Pattern(id)) => {
                let pattern = self.schema.model.patterns.get(id.index())?;
                not_matching(pattern, constraints.least)
                    .into_iter()
                    .chain(NOT_OF_FORMATS.map(str::to_owned))
                    .filter(|text| constraints.fits(text))
                    .nth(turn)?
            }
            Some(Form::Format(FormatUse::Text(format))) => NOT_OF_FORMATS
                .into_iter()
                .map(str::to_owned)
                .chain(constraints.patterned(0))
                .filter(|text| !format.accepts(text) && constraints.fits(text))
                .nth(turn)?,
            Some(Form::Content(_)) => "{!".to_owned(),
            _ => constraints.text(turn).or_else(|| {
                let variation = self.variation?;
                let (schema, budget) = (self.schema, &self.budget);
                let all = string::worth_trying(schema, budget, found, variation.hints);
                all.into_iter().next()
            })?,
        };
        push_json_string(&mut self.out, &text);
        Some(())
    }

    /// Writes a number of a type.
    fn number(
        &mut self,
        found: &Conjunction<'g>,
        types: TypeSet,
        focus: Focus<'_, 'g>,
        position: Position,
    ) -> Option<()> {
        if focus.broken().is_none()
            && let Some(text) = self.hinted(found, types)
        {
            self.out.push_str(&text);
            return Some(());
        }
        let candidates = number::candidates(found, types, focus);
        let turn = match focus.broken() {
            Some(_) => self.variant,
            None => self.turn(position, candidates.len().max(1)),
        };
        let text = candidates.get(turn)?;
        self.out.push_str(text);
        Some(())
    }

    /// The subschemas that apply to a part; `None` if it is not allowed, or if too much was looked at.
    fn part(&self, found: &Conjunction<'g>, part: &Part<'_>) -> Option<Vec<SubschemaId>> {
        if self.budget.has_looked_enough() {
            return None;
        }
        let (subs, work) = found.part(&self.schema.reach, part);
        self.budget.look(work);
        subs
    }

    fn conjunction(
        &mut self,
        subs: &[SubschemaId],
        types: TypeSet,
        forced: &[&Edge],
        rest: Focus<'_, 'g>,
    ) -> Option<Conjunction<'g>> {
        let mut subs = subs.to_vec();
        let dependent = forced.iter();
        subs.extend(dependent.filter_map(|edge| match edge.kind {
            EdgeKind::Dependent(_) => Some(edge.to),
            _ => None,
        }));
        let choice = match rest.broken() {
            Some((sub, entry)) if entry.keyword == Keyword::AnyOf => {
                Choice::None(sub, entry.keyword)
            }
            // The turn is for the value at the end of the path, which has many candidates.
            _ if rest.step().is_some() || self.style == Style::Mixed => Choice::Any,
            _ => Choice::Least,
        };
        if let Some((_, entry)) = rest.broken() {
            match &entry.form {
                Form::One(one) if entry.keyword == Keyword::Not => subs.push(*one),
                Form::List(all)
                    if entry.keyword == Keyword::OneOf && self.variant.is_multiple_of(2) =>
                {
                    let first = self.variant.checked_div(2).unwrap_or(0);
                    let pair = all.iter().cycle().skip(first).take(2);
                    subs.extend(pair);
                }
                _ => {}
            }
        }
        let wanted = rest.member().zip(self.variation).map(|(name, variation)| {
            let (declaring, work) = variation.declaring.of(&self.schema.reach, name);
            self.budget.look(work);
            declaring
        });
        let mut chooser = self.chooser(choice, types);
        (chooser.wanted, chooser.forced) = (wanted, forced);
        let found = chooser.conjunction(&subs).ok()?;
        self.turn = chooser.turn;
        Some(found)
    }

    /// Chooses branches without anything that forces them.
    fn chooser(&mut self, choice: Choice, types: TypeSet) -> Chooser<'_, 'g> {
        Chooser {
            model: &self.schema.model,
            heights: &self.schema.heights,
            random: &mut self.random,
            choice,
            is_lenient: self.variation.is_some(),
            turn: self.turn,
            wanted: None,
            forced: &[],
            types,
        }
    }

    /// Which of `count` candidates it is this time.
    fn turn(&mut self, position: Position, count: usize) -> usize {
        let base = match self.style {
            Style::Mixed => self.random.below(count),
            _ => 0,
        };
        let turn = base.saturating_add(position.turn);
        turn.checked_rem(count).unwrap_or(0)
    }

    /// The type that a value gets.
    fn type_of(
        &mut self,
        found: &Conjunction<'g>,
        types: TypeSet,
        position: Position,
    ) -> Option<TypeSet> {
        let height = |one: TypeSet| {
            let all = found.subs.iter().map(|sub| self.schema.heights.get(*sub));
            all.map(|height| least(&height, one)).max().unwrap_or(0)
        };
        let possible: Vec<TypeSet> = TYPES
            .into_iter()
            .filter(|one| types.intersects(*one) && height(*one) != NEVER)
            .collect();
        if possible.is_empty() {
            return None;
        }
        if self.style == Style::Mixed {
            let pick = self.random.below(possible.len());
            return possible.get(pick).copied();
        }
        if found.types.is_all() || possible.len() == TYPES.len() {
            // No `type`: the one that the keywords are about.
            let about = |keyword: Keyword| {
                let names = keyword.applies_to().types();
                names
                    .iter()
                    .filter_map(|name| TypeSet::from_name(name))
                    .next()
            };
            let mut all = found.entries.iter();
            let own = all.find_map(|(_, entry)| match entry.form {
                Form::Annotation => None,
                _ => about(entry.keyword),
            });
            if let Some(own) = own {
                let order = [TypeSet::INTEGER, own];
                return order.into_iter().find(|one| own.contains(*one));
            }
        }
        // Deep inside, whatever ends soonest.
        if position.depth > self.depth.saturating_mul(2) {
            return possible.into_iter().min_by_key(|one| height(*one));
        }
        let order = [
            TypeSet::STRING,
            TypeSet::INTEGER,
            TypeSet::FRACTION,
            TypeSet::BOOLEAN,
            TypeSet::OBJECT,
            TypeSet::ARRAY,
            TypeSet::NULL,
        ];
        let full = [
            TypeSet::OBJECT,
            TypeSet::ARRAY,
            TypeSet::STRING,
            TypeSet::INTEGER,
            TypeSet::FRACTION,
            TypeSet::BOOLEAN,
            TypeSet::NULL,
        ];
        let order = match self.style {
            Style::Full => full,
            _ => order,
        };
        let mut ordered = order.into_iter().filter(|one| possible.contains(one));
        ordered.next()
    }
}

/// Where in the instance a value is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Position {
    depth: usize,
    /// Which of several values it is that should differ.
    turn: usize,
}

impl Position {
    fn inside(self, turn: usize) -> Self {
        Self {
            depth: self.depth.saturating_add(1),
            turn,
        }
    }
}

/// The maximum depth of an instance.
const DEEPEST: usize = 60;
/// The most items of an array.
const MOST_ITEMS: usize = 2_000;
