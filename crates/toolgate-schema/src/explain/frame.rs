//! An evaluation of one subschema that is under way.

use std::rc::Rc;

use toolgate_json::Node;

use super::children::Cursor;
use super::scope::ScopeId;
use super::value::At;
use crate::dialect::Keyword;
use crate::outline::{Entry, Sub, SubId};

/// An evaluation of one subschema, as far as it has come.
pub(super) struct Frame<'o, 'i, N: Node<'i>> {
    pub(super) id: SubId,
    pub(super) sub: Sub,
    pub(super) entries: &'o [Entry],
    pub(super) scope: ScopeId,
    pub(super) at: At<'i, N>,
    /// How the subschema that applied it came to do so.
    pub(super) via: Via<'o>,
    /// Whether the sink hears of it.
    pub(super) loud: bool,
    /// Whether somebody will ask what it evaluated.
    pub(super) track: bool,
    pub(super) phase: Phase,
    /// Keywords are taken in three rounds, since some read what others left.
    pub(super) round: u8,
    /// The next entry of this round.
    pub(super) next: usize,
    /// The keyword under way.
    pub(super) entry: Option<&'o Entry>,
    pub(super) cursor: Cursor<'o, 'i, N>,
    /// The child that is being evaluated.
    pub(super) pending: Option<Child<'i, N>>,
    pub(super) tally: Tally,
    /// Whether the keyword under way holds so far.
    pub(super) holds: bool,
    /// Whether all keywords before it hold.
    pub(super) valid: bool,
    /// What `if` came to.
    pub(super) condition: Option<bool>,
    /// How many items `contains` matched.
    pub(super) contained: Option<usize>,
    pub(super) seen: Seen,
    /// The same before the `unevaluated*` keyword under way.
    pub(super) seen_before: Option<Seen>,
    /// Lengths of the machine's paths at the start of this frame and before it.
    pub(super) paths: Paths,
    /// No more is told of it once the sink has this many findings.
    pub(super) cap: usize,
    /// Which branch of a union it is told for.
    pub(super) branch: u32,
}

/// Where an evaluation stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    Start,
    /// Between two keywords.
    Between,
    /// Asking the children of a keyword for their verdicts.
    Judge,
    /// Telling the sink of the children of a keyword.
    Tell,
}

/// How one subschema came to apply another.
#[derive(Debug, Clone, Copy)]
pub(super) struct Via<'o> {
    pub(super) keyword: Option<&'o Entry>,
    pub(super) owner: SubId,
    /// The index of the item it was applied to.
    pub(super) index: Option<usize>,
}

/// Lengths of the evaluation path and of the instance path.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Paths {
    pub(super) own: (usize, usize),
    pub(super) before: (usize, usize),
}

/// A subschema about to be applied.
#[derive(Debug, Clone, Copy)]
pub(super) struct Child<'i, N> {
    pub(super) sub: SubId,
    pub(super) at: At<'i, N>,
    /// What follows the keyword in the schema's path.
    pub(super) token: Token<'i>,
    /// What follows in the instance's path.
    pub(super) step: Token<'i>,
    /// The place among the members or items.
    pub(super) place: Option<u32>,
}

impl<'i, N: Node<'i>> Child<'i, N> {
    /// Whether it is applied to the value itself.
    pub(super) fn is_in_place(&self) -> bool {
        matches!(self.step, Token::None) && self.at.name().is_none()
    }
}

/// A part of a path.
#[derive(Debug, Clone, Copy)]
pub(super) enum Token<'i> {
    None,
    Index(usize),
    /// A member of the instance.
    Name(&'i str),
    /// A name in the schema.
    Key(toolgate_json::NodeId),
}

/// What came of a keyword's children so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Tally {
    pub(super) met: usize,
    pub(super) matched: usize,
    pub(super) failed: usize,
    pub(super) first_matched: [usize; 2],
    /// The value of the keyword's annotation, as far as it is known.
    pub(super) noted: String,
}

/// What was evaluated of an object's members or an array's items.
#[derive(Debug, Clone, Default)]
pub(super) struct Seen {
    pub(super) all: bool,
    pub(super) places: Vec<u32>,
}

impl Seen {
    pub(super) fn add(&mut self, place: u32) {
        if !self.all {
            self.places.push(place);
        }
    }

    pub(super) fn add_all(&mut self) {
        self.all = true;
        self.places = Vec::new();
    }

    pub(super) fn absorb(&mut self, other: &Self) {
        if other.all {
            self.add_all();
        } else if !self.all {
            self.places.extend_from_slice(&other.places);
        }
    }

    /// Each place once, so that sets which meet again do not grow.
    pub(super) fn finish(mut self) -> Rc<Self> {
        self.places.sort_unstable();
        self.places.dedup();
        Rc::new(self)
    }
}

/// The verdict of one evaluation.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) valid: bool,
    /// What it evaluated, if that was asked for and it is valid.
    pub(super) seen: Option<Rc<Seen>>,
}

impl<'i, N: Node<'i>> Frame<'_, 'i, N> {
    /// In which round a keyword is taken.
    pub(super) fn round_of(keyword: Keyword) -> u8 {
        match keyword {
            Keyword::Then | Keyword::Else | Keyword::MinContains | Keyword::MaxContains => 1,
            Keyword::UnevaluatedItems | Keyword::UnevaluatedProperties => 2,
            _ => 0,
        }
    }
}

/// The last round.
pub(super) const LAST_ROUND: u8 = 2;
