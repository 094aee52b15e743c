//! An evaluation of one subschema that is under way.

use std::rc::Rc;

use toolgate_json::Node;

use super::assert::Asked;
use super::children::{Cursor, On};
use super::fault::Fault;
use super::scope::ScopeId;
use super::trail::Place;
use super::value::At;
use crate::dialect::Keyword;
use crate::int::to_u32;
use crate::outline::{Entry, Form, Sub, SubId};

/// An evaluation of one subschema, as far as it has come.
pub(super) struct Frame<'o, 'i, N: Node<'i>> {
    pub(super) id: SubId,
    /// The number of the subschema in its dynamic scope.
    pub(super) key: u32,
    pub(super) sub: Sub,
    pub(super) entries: &'o [Entry],
    pub(super) scope: ScopeId,
    pub(super) at: At<'i, N>,
    /// How the subschema that applied it came to do so.
    pub(super) via: Via,
    /// Whether the sink hears of it.
    pub(super) loud: bool,
    /// Whether somebody will ask what it evaluated.
    pub(super) track: bool,
    pub(super) phase: Phase,
    /// Keywords are taken in up to three rounds, since some read what others left.
    pub(super) round: u8,
    /// The last round that has a keyword.
    pub(super) last_round: u8,
    /// The next entry of this round.
    pub(super) next: usize,
    /// The keyword under way.
    pub(super) entry: Option<&'o Entry>,
    pub(super) cursor: Cursor<'o, 'i, N>,
    /// Whether the sink hears of the children of the keyword under way as they are judged:
    /// each of them must match, so what fails in one fails here.
    pub(super) reports: bool,
    /// Whether the sink does not hear of the child under way, for want of room.
    pub(super) unheard: bool,
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
    /// The keywords that led here.
    pub(super) path: Place,
    /// The same with the keyword under way, once it is written.
    pub(super) word: Option<Place>,
    /// The place in the instance.
    pub(super) place: Place,
    /// The steps of paths that there were when it began.
    pub(super) steps: usize,
    /// No more is told of it once the sink has this many findings.
    pub(super) cap: usize,
    /// Which branch of a union it is told for.
    pub(super) branch: u32,
    /// How many faults there were when it began.
    pub(super) faults: usize,
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
pub(super) struct Via {
    pub(super) keyword: Option<Keyword>,
    pub(super) owner: SubId,
    /// The index of the item it was applied to.
    pub(super) index: Option<usize>,
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

impl Outcome {
    /// A verdict of which nobody asks what was evaluated.
    pub(super) fn of(valid: bool) -> Self {
        Self { valid, seen: None }
    }
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

impl<'o, 'i, N: Node<'i>> Frame<'o, 'i, N> {
    /// The next keyword, round after round.
    pub(super) fn take_entry(&mut self) -> Option<&'o Entry> {
        while self.round <= self.last_round {
            while let Some(entry) = self.entries.get(self.next) {
                self.next += 1;
                if Self::round_of(entry.keyword) == self.round && self.is_due(entry) {
                    return Some(entry);
                }
            }
            self.round += 1;
            self.next = 0;
        }
        None
    }

    /// Whether a keyword is to be looked at, given those before it.
    fn is_due(&self, entry: &Entry) -> bool {
        match entry.keyword {
            Keyword::Then => self.condition == Some(true),
            Keyword::Else => self.condition == Some(false),
            // Of a value that fails nobody can say what was evaluated.
            Keyword::UnevaluatedItems | Keyword::UnevaluatedProperties => self.valid,
            _ => true,
        }
    }

    /// Whether the keyword under way can be judged from the children met so far.
    pub(super) fn is_settled(&self, everything: bool) -> bool {
        let tally = &self.tally;
        let all = self.track || (self.loud && everything);
        if self.reports {
            return false;
        }
        if !self.holds {
            return true;
        }
        match self.entry.map(|entry| entry.keyword) {
            Some(Keyword::AnyOf) => tally.matched > 0 && !all,
            Some(Keyword::OneOf) => tally.matched > 1,
            Some(Keyword::Contains) => {
                let (least, most) = contains_bounds(self.entries);
                tally.matched > most
                    || (tally.matched >= least.max(1) && most == usize::MAX && !all)
            }
            Some(Keyword::Not | Keyword::If) => false,
            _ => tally.failed > 0,
        }
    }

    /// Whether `contains` is content without a match.
    pub(super) fn needs_none(&self) -> bool {
        contains_bounds(self.entries).0 == 0
    }

    pub(super) fn has_tuple(&self) -> bool {
        matches!(
            Entry::find(self.entries, Keyword::Items),
            Some(Entry {
                form: Form::List(_),
                ..
            })
        )
    }

    /// The place of the keyword under way among those of the subschema.
    pub(super) fn under_way(&self) -> usize {
        // It was taken, and `next` is behind it.
        self.next.saturating_sub(1)
    }

    /// The fault of the keyword under way, or of the subschema as a whole.
    pub(super) fn fault(&self, entry: Option<&Entry>) -> Fault<'i, N> {
        let own = entry.map(|_| self.under_way());
        Fault {
            sub: self.id,
            entry: own.map(to_u32),
            at: self.at,
            path: self.word.unwrap_or(self.path),
            place: self.place,
            via: self.via,
            contained: self.contained,
            matched: self.tally.matched,
            first_matched: self.tally.first_matched,
        }
    }

    /// What the children of its keywords hang on.
    pub(super) fn on(&self) -> On<'_, 'i, N> {
        On {
            id: self.id,
            sub: self.sub,
            scope: self.scope,
            at: self.at,
            condition: self.condition,
            seen: Some(&self.seen),
        }
    }

    /// What its keywords are asked of.
    pub(super) fn asked(&self) -> Asked<'i, N> {
        Asked {
            sub: self.sub,
            at: self.at,
            contained: self.contained,
        }
    }
}

/// What `minContains` and `maxContains` among these keywords ask of `contains`.
pub(super) fn contains_bounds(entries: &[Entry]) -> (usize, usize) {
    let bound = |keyword| {
        entries.iter().find_map(|entry| match entry.form {
            Form::Count(count) if entry.keyword == keyword => Some(crate::int::count(count)),
            _ => None,
        })
    };
    (
        bound(Keyword::MinContains).unwrap_or(1),
        bound(Keyword::MaxContains).unwrap_or(usize::MAX),
    )
}

/// Whether a subschema of these keywords looks at the value alone, so that it is as
/// cheap to evaluate again as to remember.
pub(super) fn is_leaf(entries: &[Entry]) -> bool {
    entries.iter().all(|entry| {
        matches!(
            entry.form,
            Form::Annotation
                | Form::Literal
                | Form::Bound { .. }
                | Form::Count(_)
                | Form::Flag(_)
                | Form::Types(_)
                | Form::Pattern(_)
                | Form::Format(_)
                | Form::Content(_)
        )
    })
}

/// The last round.
pub(super) const LAST_ROUND: u8 = 2;
