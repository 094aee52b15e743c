//! What an evaluation remembers: verdicts by subschema, dynamic scope and value.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use toolgate_json::Node;

use super::frame::{Frame, Outcome};
use super::machine::Machine;
use super::scope::ScopeId;
use crate::dialect::Keyword;
use crate::int::{to_u32, units};
use crate::outline::{Entry, Form, Shape, SubId};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// The verdict of a frame, if it is known without evaluating it.
    pub(super) fn known(&mut self, frame: &Frame<'o, 'i, N>) -> Option<Outcome> {
        if let Shape::Always(valid) = frame.sub.shape {
            return Some(Outcome { valid, seen: None });
        }
        let key = frame.key;
        let identity = frame.at.identity();
        let valid = self.memo.get(key, identity)?;
        let seen = self.sets.get(&(key, identity)).cloned();
        if valid && frame.track && seen.is_none() {
            return None;
        }
        Some(Outcome { valid, seen })
    }

    /// Whether the sink has heard all that fails in what a frame evaluates.
    pub(super) fn is_told(&self, frame: &Frame<'o, 'i, N>) -> bool {
        self.told
            .contains(&(frame.key, frame.at.identity(), frame.branch))
    }

    /// Notes that the sink has heard all that fails in a frame.
    pub(super) fn note_told(&mut self, frame: &Frame<'o, 'i, N>) {
        self.told
            .insert((frame.key, frame.at.identity(), frame.branch));
    }

    /// What later keywords of the same subschema want to know of this one.
    pub(super) fn note_conclusion(
        &mut self,
        frame: &mut Frame<'o, 'i, N>,
        entry: &Entry,
        holds: bool,
    ) {
        match (&entry.form, entry.keyword) {
            (_, Keyword::If) => frame.condition = Some(frame.tally.matched > 0),
            (_, Keyword::Contains) if frame.at.array().is_some() => {
                frame.contained = Some(frame.tally.matched);
            }
            (Form::One(_), Keyword::AdditionalProperties | Keyword::UnevaluatedProperties)
                if holds && frame.at.object().is_some() =>
            {
                frame.seen.add_all()
            }
            (Form::One(_), Keyword::Items | Keyword::UnevaluatedItems)
                if holds && frame.at.array().is_some() =>
            {
                frame.seen.add_all();
            }
            (Form::One(_), Keyword::AdditionalItems)
                if holds && frame.at.array().is_some() && frame.has_tuple() =>
            {
                frame.seen.add_all();
            }
            _ => {}
        }
    }

    /// The number of a subschema in a dynamic scope.
    pub(super) fn key(&mut self, sub: SubId, scope: ScopeId) -> u32 {
        if self.outline.scope_names == 0 {
            return to_u32(sub.index());
        }
        let next = to_u32(self.keys.len());
        *self.keys.entry((sub, scope)).or_insert(next)
    }
}

/// What has been told already: (subschema in scope, value, branch).
#[derive(Debug, Default)]
pub(super) struct Told {
    few: Vec<(u32, usize, u32)>,
    /// All of them, once there are more than a few.
    many: HashSet<(u32, usize, u32), BuildHasherDefault<Mixer>>,
}

/// A quick hash of numbers that nobody chooses: indexes and addresses.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u64(units(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(29) ^ number).wrapping_mul(FACTOR);
        self.0 ^= self.0 >> 32;
    }
}

impl Told {
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
    }

    /// Whether one was noted.
    pub(super) fn contains(&self, one: &(u32, usize, u32)) -> bool {
        match self.many.is_empty() {
            true => self.few.contains(one),
            false => self.many.contains(one),
        }
    }

    /// Notes one; says whether it is new.
    pub(super) fn insert(&mut self, one: (u32, usize, u32)) -> bool {
        if self.few.len() < FEW {
            let new = !self.few.contains(&one);
            if new {
                self.few.push(one);
            }
            return new;
        }
        if self.many.is_empty() {
            self.many.extend(self.few.iter().copied());
        }
        self.many.insert(one)
    }
}

/// An odd number whose bits look random.
const FACTOR: u64 = 0xff51_afd7_ed55_8ccd;
/// Up to this many are searched one by one.
const FEW: usize = 16;
