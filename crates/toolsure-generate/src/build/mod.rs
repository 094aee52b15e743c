//! Makes one value, toward a goal.
//!
//! What is made may be wrong: `not`, dynamic references and the like are not followed to their end. The engine certifies
//! instances afterwards; here, work must only be bounded.

mod array;
mod literal;
mod number;
mod object;
mod string;

use toolsure_json::Node as _;
use toolsure_syntax::Keyword;
use toolsure_syntax::model::{Entry, Form, Model, SubschemaId, TypeSet};

use crate::conjunction::{Choice, Chooser, Conjunction};
use crate::heights::{Heights, NEVER, TYPES, least};
use crate::random::Random;
use crate::reach::{Edge, EdgeKind, Reach};
use crate::text::Matches;

/// What is to be true of the value at the end of the path.
#[derive(Clone, Debug)]
pub(crate) enum Aim<'g> {
    /// Nothing beyond its schema.
    Any,
    /// It has one of these types.
    Type(TypeSet),
    /// It is this JSON text.
    Text(String),
    /// It is exactly at this bound.
    At(&'g Entry),
    /// It matches everything but this keyword of this subschema.
    Break(SubschemaId, &'g Entry),
}

/// The path to the value that an instance is made for, and what is to be true of it.
#[derive(Clone, Copy)]
pub(crate) struct Focus<'f, 'g> {
    path: &'f [&'f Edge],
    aim: Option<&'f Aim<'g>>,
}

impl<'f, 'g> Focus<'f, 'g> {
    pub(crate) fn new(path: &'f [&'f Edge], aim: &'f Aim<'g>) -> Self {
        Self {
            path,
            aim: Some(aim),
        }
    }

    /// No goal.
    pub(crate) const NONE: Self = Self {
        path: &[],
        aim: None,
    };

    /// The edges at the value itself, and what is left of the path after them.
    fn split(self) -> (&'f [&'f Edge], Self) {
        let own = self.path.iter().take_while(|edge| edge.kind.is_in_place());
        let (here, rest) = self.path.split_at_checked(own.count()).unwrap_or_default();
        let rest = Self {
            path: rest,
            aim: self.aim,
        };
        (here, rest)
    }

    /// The edge to a part of the value.
    fn next(self) -> Option<&'f Edge> {
        self.path.first().copied()
    }

    /// The goal in that part.
    fn inside(self) -> Self {
        Self {
            path: self.path.get(1..).unwrap_or_default(),
            aim: self.aim,
        }
    }

    /// The aim, if the value is the one that it is about.
    fn aim(self) -> Option<&'f Aim<'g>> {
        self.aim.filter(|_| self.path.is_empty())
    }

    /// The keyword that the value is to break.
    fn broken(self) -> Option<(SubschemaId, &'g Entry)> {
        match self.aim() {
            Some(Aim::Break(sub, entry)) => Some((*sub, entry)),
            _ => None,
        }
    }

    /// The bound that the value is to be at.
    fn bound(self) -> Option<&'g Entry> {
        match self.aim() {
            Some(Aim::At(entry)) => Some(entry),
            _ => None,
        }
    }
}

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
    pub(crate) looked: usize,
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
        let work = values.saturating_add(self.looked).saturating_add(written);
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
        if position.depth > DEEPEST || self.out.len() > self.bytes {
            return None;
        }
        let (forced, rest) = focus.split();
        let found = self.conjunction(subs, types, forced, rest)?;
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
            // A value of `not`, or of two branches, is to match it.
            _ if self.style == Style::Mixed => Choice::Any,
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
        let mut chooser = Chooser {
            model: self.model,
            heights: self.heights,
            random: &mut self.random,
            choice,
            forced,
            types,
        };
        chooser.conjunction(&subs).ok()
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
                let first = others.clone().position(|(text, _)| {
                    candidates
                        .get(preferred)
                        .is_some_and(|wanted| wanted == text)
                });
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

/// Whether a value is an object without some members, as `not` with `required` asks.
pub(crate) fn forbidden_names<'g>(model: &'g Model, found: &Conjunction<'g>) -> Vec<&'g str> {
    let mut names = Vec::new();
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
                    let view = found.view(model, id, entry.value);
                    let list = view.into_iter().flat_map(|view| view.items());
                    names.extend(list.map(|name| name.string()));
                }
                (Form::List(all), Keyword::AnyOf) => todo.extend(all.iter()),
                _ => {}
            }
        }
    }
    names
}

const TYPES_OF_CANDIDATES: [TypeSet; 7] = TYPES;
/// The work of making a value, in names that are looked at.
const VALUE: usize = 10;
/// The maximum depth of an instance.
const DEEPEST: usize = 60;
