//! Regular expressions that are built while the states of an automaton are removed.

use toolsure_json::int::to_u64;

use super::classes::Mask;
use crate::fuel::spend;

/// A regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expression {
    /// The empty string.
    Empty,
    /// One code point.
    One(Mask),
    /// The end of the string, `$`.
    End,
    Cat(Vec<Self>),
    Or(Vec<Self>),
    Star(Box<Self>),
    Plus(Box<Self>),
    Optional(Box<Self>),
}

use Expression::{Cat, Empty, End, One, Optional, Or, Plus, Star};

/// How large an expression is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Size {
    pub(super) nodes: usize,
    /// Expressions inside expressions.
    pub(super) depth: usize,
}

impl Expression {
    pub(super) fn size(&self) -> Size {
        let inner: &[Self] = match self {
            Empty | One(_) | End => &[],
            Cat(all) | Or(all) => all,
            Star(one) | Plus(one) | Optional(one) => std::slice::from_ref(&**one),
        };
        let own = Size { nodes: 1, depth: 1 };
        inner.iter().fold(own, |size, one| {
            let one = one.size();
            Size {
                nodes: size.nodes + one.nodes,
                depth: size.depth.max(1 + one.depth),
            }
        })
    }

    fn parts(self) -> Vec<Self> {
        match self {
            Empty => Vec::new(),
            Cat(all) => all,
            other => vec![other],
        }
    }

    /// One after the other. `None` if the fuel is not enough.
    pub(super) fn then(self, next: Self, fuel: &mut u64) -> Option<Self> {
        pay_for(&self, &next, fuel)?;
        let mut all = self.parts();
        for part in next.parts() {
            let joined = match (all.last(), &part) {
                (Some(last), Star(inner)) if *last == **inner => Some(Plus(inner.clone())),
                (Some(Star(inner)), part) if **inner == *part => Some(Plus(inner.clone())),
                (Some(Star(one)), Star(other)) if one == other => Some(part.clone()),
                _ => None,
            };
            match joined {
                Some(joined) => {
                    all.pop();
                    all.push(joined);
                }
                None => all.push(part),
            }
        }
        Some(of_parts(all))
    }

    pub(super) fn star(self) -> Self {
        match self {
            Empty => Empty,
            Star(inner) | Plus(inner) | Optional(inner) => inner.star(),
            other => Star(Box::new(other)),
        }
    }

    fn optional(self) -> Self {
        match self {
            Empty | Star(_) | Optional(_) => self,
            Plus(inner) => Star(inner),
            other => Optional(Box::new(other)),
        }
    }

    /// One or the other. `None` if the fuel is not enough.
    pub(super) fn or(self, other: Self, fuel: &mut u64) -> Option<Self> {
        pay_for(&self, &other, fuel)?;
        if self == other {
            return Some(self);
        }
        match (self, other) {
            (One(a), One(b)) => Some(One(a | b)),
            (Empty, other) | (other, Empty) => Some(other.optional()),
            (Optional(one), other) | (other, Optional(one)) => {
                Some(one.or(other, fuel)?.optional())
            }
            (Or(all), other) | (other, Or(all)) => {
                let others = match other {
                    Or(others) => others,
                    other => vec![other],
                };
                let mut joined = Or(all);
                for one in others {
                    joined = joined.with(one, fuel)?;
                }
                Some(joined)
            }
            (one, other) => {
                let (a, b) = (one.clone().parts(), other.clone().parts());
                let same = |(a, b): &(&Self, &Self)| a == b;
                let front = a.iter().zip(&b).take_while(same).count();
                let left = a.len().min(b.len()) - front;
                let back = a.iter().rev().zip(b.iter().rev());
                let back = back.take(left).take_while(same).count();
                if front + back == 0 {
                    return Some(Or(vec![one, other]));
                }
                let middle = |parts: &[Self]| {
                    let inner = parts.get(front..parts.len() - back);
                    of_parts(inner.unwrap_or(&[]).to_vec())
                };
                let head = of_parts(a.iter().take(front).cloned().collect());
                let tail = of_parts(a.iter().skip(a.len() - back).cloned().collect());
                let middle = middle(&a).or(middle(&b), fuel)?;
                head.then(middle, fuel)?.then(tail, fuel)
            }
        }
    }

    /// Adds an alternative to several: joins it with one that begins or ends alike.
    fn with(self, other: Self, fuel: &mut u64) -> Option<Self> {
        let Or(mut all) = self else {
            return self.or(other, fuel);
        };
        for at in 0..all.len() {
            let Some(one) = all.get(at).cloned() else {
                break;
            };
            let joined = one.or(other.clone(), fuel)?;
            if matches!(joined, Or(_)) {
                continue;
            }
            all.remove(at);
            let rest = match all.len() {
                1 => all.remove(0),
                _ => Or(all),
            };
            return rest.or(joined, fuel);
        }
        all.push(other);
        Some(Or(all))
    }
}

/// Pays for two expressions to be compared, copied and joined.
fn pay_for(one: &Expression, other: &Expression, fuel: &mut u64) -> Option<()> {
    spend(fuel, to_u64(one.size().nodes + other.size().nodes))
}

fn of_parts(mut all: Vec<Expression>) -> Expression {
    match all.len() {
        0 => Empty,
        1 => all.remove(0),
        _ => Cat(all),
    }
}
