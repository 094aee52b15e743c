//! What an evaluation remembers: verdicts by subschema, dynamic scope and value.

use std::collections::HashSet;

use toolgate_json::Node;

use super::frame::{Frame, Outcome};
use super::machine::Machine;
use super::scope::ScopeId;
use crate::int::to_u32;
use crate::outline::{Shape, SubId};

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// The verdict of a frame, if it is known without evaluating it.
    pub(super) fn known(&mut self, frame: &Frame<'o, 'i, N>) -> Option<Outcome> {
        if let Shape::Always(valid) = frame.sub.shape {
            return Some(Outcome { valid, seen: None });
        }
        let key = self.key(frame.id, frame.scope);
        let identity = frame.at.identity();
        let valid = self.memo.get(key, identity)?;
        let seen = self.sets.get(&(key, identity)).cloned();
        if valid && frame.track && seen.is_none() {
            return None;
        }
        Some(Outcome { valid, seen })
    }

    /// The number of a subschema in a dynamic scope.
    pub(super) fn key(&mut self, sub: SubId, scope: ScopeId) -> u32 {
        if scope == ScopeId::EMPTY && self.keys.is_empty() && self.outline.scope_names == 0 {
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
    many: HashSet<(u32, usize, u32)>,
}

impl Told {
    pub(super) fn clear(&mut self) {
        self.few.clear();
        self.many.clear();
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

/// Up to this many are searched one by one.
const FEW: usize = 16;
