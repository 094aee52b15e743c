//! Makes one value, toward a goal.
//!
//! What is made may be wrong: `not`, dynamic references and the like are not followed to their end. The engine certifies
//! instances afterwards; here, work must only be bounded.

mod array;
mod focus;
mod literal;
mod name;
mod number;
mod object;
mod string;
mod variation;
mod vary;

use std::cell::Cell;

use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, Form, Model, SubschemaId, TypeSet};

use crate::conjunction::{Choice, Chooser, Conjunction, texts};
use crate::heights::{Heights, NEVER, TYPES, least};
use crate::part::Part;
use crate::random::Random;
use crate::reach::{Edge, EdgeKind, Reach};
use crate::step::Step;
use crate::text::Matches;
pub(crate) use focus::{Aim, Focus};
pub(crate) use variation::{Declaring, Extra, Texts, Variation};

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
    pub(crate) model: &'g Model,
    pub(crate) heights: &'g Heights,
    pub(crate) reach: &'g Reach,
    pub(crate) matches: &'g Matches,
    /// Names that were looked at: work beside the values.
    pub(crate) looked: Cell<usize>,
    /// The maximum of that.
    pub(crate) most_looked: usize,
    pub(crate) random: Random,
    pub(crate) style: Style,
    /// The number of the attempt at the goal: another one makes another choice.
    pub(crate) variant: usize,
    /// Values that may still be made.
    pub(crate) values: usize,
    /// Bytes that may still be written.
    pub(crate) bytes: usize,
    /// The depth to which optional parts are included.
    pub(crate) depth: usize,
    /// Whether the instance is an object.
    pub(crate) is_object: bool,
    /// How it varies, if it does.
    pub(crate) variation: Option<Variation<'g>>,
    pub(crate) extra: Extra,
    /// What is left of the number of the variation once branches on the path to it are chosen.
    pub(crate) turn: usize,
    /// The instance so far.
    pub(crate) out: String,
}

impl<'g> Builder<'g> {
    /// Writes an instance of the schema, or nothing if none was found; and the work that it took.
    pub(crate) fn instance(mut self, focus: Focus<'_, 'g>) -> (Option<String>, usize) {
        let before = self.values;
        let types = match self.is_object {
            true => TypeSet::OBJECT,
            false => TypeSet::ALL,
        };
        let made = self.value(&[self.model.root], types, focus, Position::default());
        let values = before.saturating_sub(self.values).saturating_mul(VALUE);
        let written = self.out.len() / 16;
        let work = values
            .saturating_add(self.looked.get())
            .saturating_add(written);
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
        self.values = self.values.checked_sub(1)?;
        if position.depth > DEEPEST || self.out.len() > self.bytes || self.has_looked_enough() {
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
                if let Some(done) = self.break_kind(&found, (*sub, entry)) {
                    return done;
                }
            }
            _ => {}
        }
        if found.is_never && broken.is_none() {
            return None;
        }
        let listed = || self.listed(&found, broken);
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

    /// Counts work beside the values.
    fn look(&self, names: usize) {
        self.looked.set(self.looked.get().saturating_add(names));
    }

    fn has_looked_enough(&self) -> bool {
        self.looked.get() > self.most_looked
    }

    /// The subschemas that apply to a part; `None` if it is not allowed, or if too much was looked at.
    fn part(&self, found: &Conjunction<'g>, part: &Part<'_>) -> Option<Vec<SubschemaId>> {
        if self.has_looked_enough() {
            return None;
        }
        let (subs, work) = found.part((self.model, self.reach), part);
        self.look(work);
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
            let (declaring, work) = variation.declaring.of(self.reach, name);
            self.look(work);
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
            model: self.model,
            heights: self.heights,
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
            let all = found.subs.iter().map(|sub| self.heights.get(*sub));
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

    /// Breaks a keyword by the type of the value; `None` if that is no way to break it.
    fn break_kind(
        &mut self,
        found: &Conjunction<'g>,
        (sub, entry): (SubschemaId, &'g Entry),
    ) -> Option<Option<()>> {
        let candidates: &[&str] = &["null", "true", "0", "0.5", "\"a\"", "[]", "{}"];
        match entry.keyword {
            Keyword::Type => {
                let Form::Types(types) = entry.form else {
                    return Some(None);
                };
                // A list beside it may have a value of another type.
                let lists = self.lists(found, Some((sub, entry)));
                let listed = lists.first().into_iter().flatten();
                let mut listed = listed.filter(|one| !types.contains(TypeSet::of(**one)));
                if let Some(value) = listed.nth(self.variant) {
                    self.out.push_str(value.raw());
                    return Some(Some(()));
                }
                let others = candidates.iter().zip(TYPES_OF_CANDIDATES);
                let mut others = others.filter(|(_, one)| !types.intersects(*one));
                let count = others.clone().count();
                // Close to what is expected: a string for a number, a number for a string.
                let preferred = match types.intersects(TypeSet::STRING) {
                    true => 2,
                    false => 4,
                };
                let preferred = candidates.get(preferred);
                let first = others.clone().position(|(text, _)| preferred == Some(text));
                let turn = first.unwrap_or(0).saturating_add(self.variant);
                let turn = turn.checked_rem(count)?;
                let (text, _) = others.nth(turn)?;
                self.out.push_str(text);
                Some(Some(()))
            }
            Keyword::Enum | Keyword::Const => {
                let text = self.unlisted(found, (sub, entry));
                Some(text.map(|text| self.out.push_str(&text)))
            }
            Keyword::AnyOf | Keyword::OneOf => {
                // Two branches of `oneOf` are tried in turn with none of them.
                let turn = match entry.keyword {
                    Keyword::OneOf if self.variant.is_multiple_of(2) => return None,
                    Keyword::OneOf => self.variant.checked_div(2)?,
                    _ => self.variant,
                };
                let text = candidates.get(turn)?;
                self.out.push_str(text);
                Some(Some(()))
            }
            _ => None,
        }
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

/// The lists of members that an object must not have all of, as `not` with `required` asks.
pub(crate) fn forbidden_names<'g>(model: &'g Model, found: &Conjunction<'g>) -> Vec<Vec<&'g str>> {
    let mut lists = Vec::new();
    let mut todo = found.negated.clone();
    let mut left: usize = 50;
    while let Some(id) = todo.pop() {
        left = match left.checked_sub(1) {
            Some(left) => left,
            None => break,
        };
        let entries = model.sub(id).and_then(|sub| model.entries(sub));
        for entry in entries.unwrap_or_default() {
            match (&entry.form, entry.keyword) {
                (Form::Literal, Keyword::Required) => {
                    let list = found.view(model, id, entry.value);
                    lists.push(list.into_iter().flat_map(texts).collect());
                }
                (Form::List(all), Keyword::AnyOf) => todo.extend(all.iter()),
                _ => {}
            }
        }
    }
    lists
}

const TYPES_OF_CANDIDATES: [TypeSet; 7] = TYPES;
/// The work of making a value, in names that are looked at.
const VALUE: usize = 10;
/// The maximum depth of an instance.
const DEEPEST: usize = 60;
/// The most items of an array.
const MOST_ITEMS: usize = 2_000;
