//! The value in an instance that it is made for, and what is to be true of it.

use toolsure_syntax::model::{Entry, SubschemaId, TypeSet};

use super::variation::Variation;
use crate::reach::Edge;
use crate::step::Step;

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
    /// It is one of the values that are worth trying.
    Vary(Variation<'g>),
}

/// The path to the value that an instance is made for, and what is to be true of it.
#[derive(Clone, Copy)]
pub(crate) struct Focus<'f, 'g> {
    path: &'f [&'f Edge],
    /// The path of a variation, which no subschema need speak of.
    steps: &'f [Step],
    aim: Option<&'f Aim<'g>>,
}

impl<'f, 'g> Focus<'f, 'g> {
    pub(crate) fn new(path: &'f [&'f Edge], aim: &'f Aim<'g>) -> Self {
        Self {
            path,
            steps: &[],
            aim: Some(aim),
        }
    }

    /// A value at the end of some steps.
    pub(crate) fn varying(steps: &'f [Step], aim: &'f Aim<'g>) -> Self {
        Self {
            path: &[],
            steps,
            aim: Some(aim),
        }
    }

    /// No goal.
    pub(crate) const NONE: Self = Self {
        path: &[],
        steps: &[],
        aim: None,
    };

    /// The edges at the value itself, and what is left of the path after them.
    pub(super) fn split(self) -> (&'f [&'f Edge], Self) {
        let own = self.path.iter().take_while(|edge| edge.kind.is_in_place());
        let (here, rest) = self.path.split_at_checked(own.count()).unwrap_or_default();
        (here, Self { path: rest, ..self })
    }

    /// The edge to a part of the value.
    pub(super) fn next(self) -> Option<&'f Edge> {
        self.path.first().copied()
    }

    /// The step to a part of the value.
    pub(super) fn step(self) -> Option<&'f Step> {
        self.steps.first()
    }

    /// The member that the value is to have, if its name is known.
    pub(super) fn member(self) -> Option<&'f str> {
        match self.step() {
            Some(Step::Name(name)) => Some(name),
            _ => None,
        }
    }

    /// The goal in that part.
    pub(super) fn inside(self) -> Self {
        Self {
            path: self.path.get(1..).unwrap_or_default(),
            steps: self.steps.get(1..).unwrap_or_default(),
            aim: self.aim,
        }
    }

    /// The aim, if the value is the one that it is about.
    pub(super) fn aim(self) -> Option<&'f Aim<'g>> {
        self.aim
            .filter(|_| self.path.is_empty() && self.steps.is_empty())
    }

    /// The keyword that the value is to break.
    pub(super) fn broken(self) -> Option<(SubschemaId, &'g Entry)> {
        match self.aim() {
            Some(Aim::Break(sub, entry)) => Some((*sub, entry)),
            _ => None,
        }
    }

    /// The bound that the value is to be at.
    pub(super) fn bound(self) -> Option<&'g Entry> {
        match self.aim() {
            Some(Aim::At(entry)) => Some(entry),
            _ => None,
        }
    }
}
