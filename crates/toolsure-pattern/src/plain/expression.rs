//! Regular expressions that are built while the states of an automaton are removed.

use super::classes::Mask;

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

impl Expression {
    /// The number of nodes.
    pub(super) fn size(&self) -> usize {
        match self {
            Empty | One(_) | End => 1,
            Cat(all) | Or(all) => all.iter().fold(1, |sum, one| sum + one.size()),
            Star(one) | Plus(one) | Optional(one) => 1 + one.size(),
        }
    }

    fn parts(self) -> Vec<Self> {
        match self {
            Empty => Vec::new(),
            Cat(all) => all,
            other => vec![other],
        }
    }

    /// One after the other.
    pub(super) fn then(self, next: Self) -> Self {
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
        of_parts(all)
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

    /// One or the other.
    pub(super) fn or(self, other: Self) -> Self {
        if self == other {
            return self;
        }
        match (self, other) {
            (One(a), One(b)) => One(a | b),
            (Empty, other) | (other, Empty) => other.optional(),
            (Optional(one), other) | (other, Optional(one)) => one.or(other).optional(),
            (Or(all), other) | (other, Or(all)) => {
                let others = match other {
                    Or(others) => others,
                    other => vec![other],
                };
                others.into_iter().fold(Or(all), Self::with)
            }
            (one, other) => {
                let (a, b) = (one.clone().parts(), other.clone().parts());
                let same = |(a, b): &(&Self, &Self)| a == b;
                let front = a.iter().zip(&b).take_while(same).count();
                let left = a.len().min(b.len()) - front;
                let back = a.iter().rev().zip(b.iter().rev());
                let back = back.take(left).take_while(same).count();
                if front + back == 0 {
                    return Or(vec![one, other]);
                }
                let middle = |parts: &[Self]| {
                    let inner = parts.get(front..parts.len() - back);
                    of_parts(inner.unwrap_or(&[]).to_vec())
                };
                let head = of_parts(a.iter().take(front).cloned().collect());
                let tail = of_parts(a.iter().skip(a.len() - back).cloned().collect());
                head.then(middle(&a).or(middle(&b))).then(tail)
            }
        }
    }

    /// Adds an alternative to several: joins it with one that begins or ends alike.
    fn with(self, other: Self) -> Self {
        let Or(mut all) = self else {
            return self.or(other);
        };
        let at = all.iter().position(|one| {
            let joined = one.clone().or(other.clone());
            !matches!(joined, Or(_))
        });
        match at {
            Some(at) => {
                let one = all.remove(at);
                let rest = match all.len() {
                    1 => all.remove(0),
                    _ => Or(all),
                };
                rest.or(one.or(other))
            }
            None => {
                all.push(other);
                Or(all)
            }
        }
    }
}

fn of_parts(mut all: Vec<Expression>) -> Expression {
    match all.len() {
        0 => Empty,
        1 => all.remove(0),
        _ => Cat(all),
    }
}
