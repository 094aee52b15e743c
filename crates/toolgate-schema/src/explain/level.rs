//! A subschema that is gone through for its faults, as far as that has come.

use toolgate_json::{Kind, Node};

use super::assert::Asked;
use super::children::{Cursor, On};
use super::fault::Fault;
use super::frame::{Child, Frame, LAST_ROUND, Via};
use super::scope::ScopeId;
use super::suspects::Survey;
use super::trail::Place;
use super::value::At;
use crate::int::to_u32;
use crate::outline::{Entry, Outline, SubId};

/// A subschema that fails for a value, or may, as far as its keywords were gone through.
pub(super) struct Level<'o, 'i, N: Node<'i>> {
    pub(super) on: On<'static, 'i, N>,
    pub(super) entries: &'o [Entry],
    pub(super) via: Via,
    /// The next entry of this round.
    pub(super) next: usize,
    /// Keywords are taken in up to three rounds, since some read what others left.
    pub(super) round: u8,
    /// The rounds that were seen to have keywords, by their bits.
    pub(super) rounds: u8,
    /// The keyword under way,
    pub(super) entry: Option<&'o Entry>,
    /// and what is left of its children.
    pub(super) left: Left<'o, 'i, N>,
    pub(super) survey: Survey,
    /// How many items `contains` matched.
    pub(super) contained: Option<usize>,
    /// The keywords that led here.
    pub(super) path: Place,
    /// The same with the keyword under way, once it is needed.
    pub(super) word: Option<Place>,
    /// The place in the instance.
    pub(super) place: Place,
    /// No more is told of it once the sink has this many findings.
    pub(super) cap: usize,
    /// Which branch of a union it is told for.
    pub(super) branch: u32,
    /// For so many levels down containers are gone into without asking whether they fail:
    /// asking each time on a long way to a fault would take its length squared.
    pub(super) unasked: u32,
    /// How many answers took long on the way here.
    pub(super) heavy: u32,
    /// Whether something that was gone through so far fails.
    pub(super) failed: bool,
    /// Whether it fails for sure and nothing that was gone through so far does.
    pub(super) due: bool,
}

/// What a keyword applies, as far as it was not gone through.
pub(super) enum Left<'o, 'i, N: Node<'i>> {
    Nothing,
    One(SubId),
    Each {
        subs: &'o [SubId],
        next: usize,
    },
    /// The branches of a union that all fail, the most plausible first.
    Picked {
        subs: &'o [SubId],
        order: std::vec::IntoIter<usize>,
    },
    /// Members that the survey listed.
    Suspects {
        next: usize,
        end: usize,
    },
    /// Items that all have one subschema.
    Items {
        sub: SubId,
        items: N::Items,
        index: usize,
    },
    /// What is rare is gone through child by child.
    Rare(Box<Cursor<'o, 'i, N>>),
}

/// A child to go into.
pub(super) struct Found<'i, N> {
    pub(super) child: Child<'i, N>,
    /// Whether it was asked for and fails.
    pub(super) fails: bool,
}

/// Where and how a level begins.
pub(super) struct Start<'i, N> {
    pub(super) sub: SubId,
    pub(super) at: At<'i, N>,
    pub(super) via: Via,
    pub(super) path: Place,
    pub(super) place: Place,
    pub(super) cap: usize,
    pub(super) branch: u32,
    pub(super) unasked: u32,
    pub(super) heavy: u32,
    pub(super) fails: bool,
}

impl<'i, N: Node<'i>> Start<'i, N> {
    /// The fault of a `false` schema.
    pub(super) fn fault(&self) -> Fault<'i, N> {
        Fault {
            sub: self.sub,
            entry: None,
            at: self.at,
            path: self.path,
            place: self.place,
            via: self.via,
            contained: None,
            matched: 0,
            first_matched: [0; 2],
        }
    }
}

impl<'o, 'i, N: Node<'i>> Level<'o, 'i, N> {
    /// A level that has not begun.
    pub(super) fn new(outline: &'o Outline, scope: ScopeId, start: &Start<'i, N>) -> Self {
        let sub = outline.sub(start.sub);
        Self {
            on: On {
                id: start.sub,
                sub,
                scope,
                at: start.at,
                condition: None,
                seen: None,
            },
            entries: outline.entries(sub),
            via: start.via,
            next: 0,
            round: 0,
            rounds: 0,
            entry: None,
            left: Left::Nothing,
            survey: Survey::None,
            contained: None,
            path: start.path,
            word: None,
            place: start.place,
            cap: start.cap,
            branch: start.branch,
            unasked: start.unasked,
            heavy: start.heavy,
            failed: false,
            due: start.fails,
        }
    }

    /// The next keyword of this round or the next.
    pub(super) fn take_entry(&mut self) -> Option<&'o Entry> {
        loop {
            while let Some(entry) = self.entries.get(self.next) {
                self.next += 1;
                if !entry.applies() {
                    continue;
                }
                let round = Frame::<N>::round_of(entry.keyword);
                if round == self.round {
                    return Some(entry);
                }
                self.rounds |= 1 << round;
            }
            self.next = 0;
            self.round += 1;
            if self.round == 1 && self.rounds & ONE == 0 {
                self.round += 1;
            }
            if self.round > LAST_ROUND || self.rounds & (1 << self.round) == 0 {
                return None;
            }
        }
    }

    /// Whether a child is gone into without asking whether it fails.
    pub(super) fn goes_unasked(&self, at: At<'i, N>) -> bool {
        let container = |node: N| matches!(node.kind(), Kind::Array | Kind::Object);
        self.unasked > 0 && at.node().is_some_and(container)
    }

    /// The fault of the keyword under way.
    pub(super) fn fault(&self) -> Fault<'i, N> {
        Fault {
            sub: self.on.id,
            entry: self.next.checked_sub(1).map(to_u32),
            at: self.on.at,
            path: self.word.unwrap_or(self.path),
            place: self.place,
            via: self.via,
            contained: self.contained,
            matched: 0,
            first_matched: [0; 2],
        }
    }

    /// What its keywords are asked of.
    pub(super) fn asked(&self) -> Asked<'i, N> {
        Asked {
            sub: self.on.sub,
            at: self.on.at,
            contained: self.contained,
        }
    }
}

/// The bit of the second round.
const ONE: u8 = 1 << 1;
