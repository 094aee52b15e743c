//! The language of a pattern, and its derivatives.
//!
//! A lookahead is an intersection with what follows it, or with the complement, so the language of a
//! pattern with lookaheads is regular. Expressions are interned, and simplified enough that a pattern
//! has finitely many derivatives.

use std::collections::{HashMap, HashSet};

use toolsure_json::int::to_u64;

use super::classes::{Atoms, Mask};
use crate::ast::{Assertion, Ast, NO_MAX, Node, NodeId};
use crate::fuel::spend;

/// The index of an expression.
pub(super) type Id = u32;

/// A set of strings.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Set {
    /// No string.
    None,
    /// The empty string.
    Empty,
    /// One code point.
    One(Mask),
    Cat(Id, Id),
    Or(Vec<Id>),
    And(Vec<Id>),
    Not(Id),
    Star(Id),
}

pub(super) struct Language<'f> {
    /// What the work may still cost: a unit for each expression that is looked at.
    fuel: &'f mut u64,
    atoms: Atoms,
    sets: Vec<Set>,
    /// Whether each contains the empty string.
    nullable: Vec<bool>,
    ids: HashMap<Set, Id>,
    derivatives: HashMap<(Id, usize), Id>,
}

/// What is known about the position at which a node begins to match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// It is the start of the string.
    Start,
    /// It is not.
    Later,
    Unknown,
}

pub(super) const NONE: Id = 0;
pub(super) const EMPTY: Id = 1;
/// Every string of one code point.
const ANY: Id = 2;
/// Every string.
pub(super) const ALL: Id = 3;

impl<'f> Language<'f> {
    /// An arena for the languages of these patterns. `None` if they have too many classes.
    pub(super) fn of(trees: &[(&Ast, NodeId)], fuel: &'f mut u64) -> Option<Self> {
        let atoms = Atoms::of(trees, fuel)?;
        let mut language = Self {
            fuel,
            atoms,
            sets: Vec::new(),
            nullable: Vec::new(),
            ids: HashMap::new(),
            derivatives: HashMap::new(),
        };
        let any = Set::One(language.atoms.all());
        for set in [Set::None, Set::Empty, any, Set::Star(ANY)] {
            language.intern(set)?;
        }
        Some(language)
    }

    pub(super) fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// Pays for work before it is done; `None` if it cannot.
    pub(super) fn pay(&mut self, price: usize) -> Option<()> {
        spend(self.fuel, to_u64(price))
    }

    pub(super) fn fuel(&mut self) -> &mut u64 {
        self.fuel
    }

    /// Every string that is not empty.
    pub(super) fn some(&mut self) -> Option<Id> {
        self.cat(ANY, ALL)
    }

    /// The strings that a node matches a beginning of, whose rest is in `rest`.
    pub(super) fn node(&mut self, ast: &Ast, id: NodeId, at: Position, rest: Id) -> Option<Id> {
        self.pay(1)?;
        match ast.node(id) {
            Node::Empty => Some(rest),
            Node::Char(c) => {
                self.pay(self.atoms.ranges.len())?;
                let one = self.atoms.mask(|other| other == c);
                let one = self.intern(Set::One(one))?;
                self.cat(one, rest)
            }
            Node::Class(class) => {
                let class = ast.class(class);
                self.pay(self.atoms.ranges.len())?;
                let one = self.atoms.mask(|c| class.contains(c));
                let one = match one {
                    0 => NONE,
                    mask => self.intern(Set::One(mask))?,
                };
                self.cat(one, rest)
            }
            Node::Assert(Assertion::Start) => match at {
                Position::Start => Some(rest),
                Position::Later => Some(NONE),
                Position::Unknown => None,
            },
            Node::Assert(Assertion::End) => self.and(vec![EMPTY, rest]),
            Node::Assert(_) | Node::BackReference { .. } | Node::Look { behind: true, .. } => None,
            Node::Look {
                negative, child, ..
            } => {
                let inner = self.node(ast, child, at, ALL)?;
                let inner = match negative {
                    true => self.not(inner)?,
                    false => inner,
                };
                self.and(vec![inner, rest])
            }
            Node::Capture { child, .. } => self.node(ast, child, at, rest),
            Node::Alternate(list) => {
                let all = ast.children(list).iter();
                let all: Option<Vec<Id>> =
                    all.map(|child| self.node(ast, *child, at, rest)).collect();
                self.or(all?)
            }
            Node::Concat(list) => self.sequence(ast, ast.children(list), at, rest),
            Node::Repeat {
                child, min, max, ..
            } => self.repeat(ast, child, (min, max), at, rest),
        }
    }

    /// The same for one node after the other.
    pub(super) fn sequence(
        &mut self,
        ast: &Ast,
        children: &[NodeId],
        at: Position,
        rest: Id,
    ) -> Option<Id> {
        let mut positions = Vec::with_capacity(children.len());
        let mut at = at;
        for child in children {
            positions.push(at);
            at = after(ast, *child, at);
        }
        let mut rest = rest;
        for (child, at) in children.iter().zip(positions).rev() {
            rest = self.node(ast, *child, at, rest)?;
        }
        Some(rest)
    }

    fn repeat(
        &mut self,
        ast: &Ast,
        child: NodeId,
        (min, max): (u32, u32),
        at: Position,
        rest: Id,
    ) -> Option<Id> {
        if ast.facts(child).asserts {
            // What an assertion in a repetition sees depends on the iteration.
            return match (min, max) {
                (1, 1) => self.node(ast, child, at, rest),
                (0, 1) => {
                    let once = self.node(ast, child, at, rest)?;
                    self.or(vec![once, rest])
                }
                _ => None,
            };
        }
        if min > MOST_COPIES || (max != NO_MAX && max > MOST_COPIES) {
            return None;
        }
        let once = self.node(ast, child, at, EMPTY)?;
        let mut all = rest;
        if max == NO_MAX {
            let star = self.star(once)?;
            all = self.cat(star, rest)?;
        } else {
            for _ in min..max {
                let more = self.cat(once, all)?;
                all = self.or(vec![rest, more])?;
            }
        }
        for _ in 0..min {
            all = self.cat(once, all)?;
        }
        Some(all)
    }

    fn intern(&mut self, set: Set) -> Option<Id> {
        if let Some(id) = self.ids.get(&set) {
            return Some(*id);
        }
        if self.sets.len() >= MOST_SETS {
            return None;
        }
        self.pay(PER_SET)?;
        let nullable = match &set {
            Set::None | Set::One(_) => false,
            Set::Empty | Set::Star(_) => true,
            Set::Cat(a, b) => self.is_nullable(*a) && self.is_nullable(*b),
            Set::Or(all) => all.iter().any(|one| self.is_nullable(*one)),
            Set::And(all) => all.iter().all(|one| self.is_nullable(*one)),
            Set::Not(one) => !self.is_nullable(*one),
        };
        let id = u32::try_from(self.sets.len()).ok()?;
        self.sets.push(set.clone());
        self.nullable.push(nullable);
        self.ids.insert(set, id);
        Some(id)
    }

    fn set(&self, id: Id) -> &Set {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        self.sets.get(at).unwrap_or(&Set::None)
    }

    /// Whether a set contains the empty string.
    pub(super) fn is_nullable(&self, id: Id) -> bool {
        let at = usize::try_from(id).unwrap_or(usize::MAX);
        self.nullable.get(at).copied().unwrap_or(false)
    }

    /// The strings of one set followed by those of another. The first part of each concatenation is none.
    pub(super) fn cat(&mut self, a: Id, b: Id) -> Option<Id> {
        let mut parts = Vec::new();
        let mut last = a;
        while let Set::Cat(first, second) = *self.set(last) {
            parts.push(first);
            last = second;
        }
        self.pay(1 + parts.len())?;
        let mut all = self.cat_one(last, b)?;
        while let Some(part) = parts.pop() {
            all = self.cat_one(part, all)?;
        }
        Some(all)
    }

    /// The same, if the first set is no concatenation.
    fn cat_one(&mut self, a: Id, b: Id) -> Option<Id> {
        match (a, b) {
            (NONE, _) | (_, NONE) => Some(NONE),
            (EMPTY, other) | (other, EMPTY) => Some(other),
            (ALL, other) | (other, ALL) if self.is_nullable(other) => Some(ALL),
            _ => self.intern(Set::Cat(a, b)),
        }
    }

    pub(super) fn star(&mut self, one: Id) -> Option<Id> {
        match (one, self.set(one)) {
            (NONE | EMPTY, _) => Some(EMPTY),
            (_, Set::Star(_)) => Some(one),
            _ => self.intern(Set::Star(one)),
        }
    }

    pub(super) fn not(&mut self, one: Id) -> Option<Id> {
        match (one, self.set(one)) {
            (NONE, _) => Some(ALL),
            (ALL, _) => Some(NONE),
            (_, Set::Not(inner)) => Some(*inner),
            _ => self.intern(Set::Not(one)),
        }
    }

    pub(super) fn or(&mut self, all: Vec<Id>) -> Option<Id> {
        let mut flat = HashSet::new();
        let mut one: Mask = 0;
        let mut todo = all;
        while let Some(id) = todo.pop() {
            self.pay(1)?;
            match self.set(id) {
                Set::None => {}
                Set::Or(inner) => todo.extend(inner),
                Set::One(mask) => one |= mask,
                _ => {
                    flat.insert(id);
                }
            }
        }
        if flat.contains(&ALL) {
            return Some(ALL);
        }
        if one != 0 {
            flat.insert(self.intern(Set::One(one))?);
        }
        let mut flat: Vec<Id> = flat.into_iter().collect();
        flat.sort_unstable();
        match flat.as_slice() {
            [] => Some(NONE),
            [one] => Some(*one),
            _ => self.intern(Set::Or(flat)),
        }
    }

    pub(super) fn and(&mut self, all: Vec<Id>) -> Option<Id> {
        let mut flat = HashSet::new();
        let mut todo = all;
        while let Some(id) = todo.pop() {
            self.pay(1)?;
            match self.set(id) {
                Set::None => return Some(NONE),
                Set::And(inner) => todo.extend(inner),
                _ if id == ALL => {}
                _ => {
                    flat.insert(id);
                }
            }
        }
        if flat.contains(&EMPTY) {
            let all = flat.iter().all(|one| self.is_nullable(*one));
            return Some(if all { EMPTY } else { NONE });
        }
        let mut flat: Vec<Id> = flat.into_iter().collect();
        flat.sort_unstable();
        match flat.as_slice() {
            [] => Some(ALL),
            [one] => Some(*one),
            _ => self.intern(Set::And(flat)),
        }
    }

    /// The rests of the strings of a set that begin with an atom. `None` if a limit is reached.
    pub(super) fn derivative(&mut self, of: Id, atom: usize) -> Option<Id> {
        self.pay(1)?;
        let mut todo = vec![of];
        while let Some(&set) = todo.last() {
            let waiting = todo.len();
            if !self.derivatives.contains_key(&(set, atom)) {
                self.add_unknown_parts(set, atom, &mut todo)?;
            }
            if todo.len() == waiting {
                self.derive(set, atom)?;
                todo.pop();
            }
        }
        self.known(of, atom)
    }

    /// Adds the parts of a set whose derivatives its own is made of, and that are not known yet.
    fn add_unknown_parts(&mut self, of: Id, atom: usize, todo: &mut Vec<Id>) -> Option<()> {
        let (pair, many): ([Option<Id>; 2], &[Id]) = match self.set(of) {
            Set::None | Set::Empty | Set::One(_) => ([None, None], &[]),
            Set::Cat(a, b) => ([Some(*a), Some(*b).filter(|_| self.is_nullable(*a))], &[]),
            Set::Not(one) | Set::Star(one) => ([Some(*one), None], &[]),
            Set::Or(all) | Set::And(all) => ([None, None], all),
        };
        let all = pair.iter().flatten().chain(many);
        todo.extend(all.filter(|one| !self.derivatives.contains_key(&(**one, atom))));
        let price = 1 + many.len();
        self.pay(price)
    }

    fn known(&self, of: Id, atom: usize) -> Option<Id> {
        self.derivatives.get(&(of, atom)).copied()
    }

    /// The derivative of a set from those of its parts.
    fn derive(&mut self, of: Id, atom: usize) -> Option<()> {
        if self.derivatives.contains_key(&(of, atom)) {
            return Some(());
        }
        let all = |this: &Self, all: &[Id]| -> Option<Vec<Id>> {
            all.iter().map(|one| this.known(*one, atom)).collect()
        };
        let found = match self.set(of) {
            Set::None | Set::Empty => NONE,
            Set::One(mask) if mask & 1 << atom != 0 => EMPTY,
            Set::One(_) => NONE,
            &Set::Cat(a, b) => {
                let first = self.known(a, atom)?;
                let first = self.cat(first, b)?;
                match self.is_nullable(a) {
                    true => {
                        let second = self.known(b, atom)?;
                        self.or(vec![first, second])?
                    }
                    false => first,
                }
            }
            Set::Or(inner) => {
                let inner = all(self, inner)?;
                self.or(inner)?
            }
            Set::And(inner) => {
                let inner = all(self, inner)?;
                self.and(inner)?
            }
            Set::Not(one) => {
                let one = self.known(*one, atom)?;
                self.not(one)?
            }
            Set::Star(one) => {
                let one = self.known(*one, atom)?;
                self.cat(one, of)?
            }
        };
        self.derivatives.insert((of, atom), found);
        self.pay(PER_SET / 2)
    }

    /// Whether two sets are equal; `None` if a limit is reached.
    pub(super) fn equal(&mut self, one: Id, other: Id) -> Option<bool> {
        let (only_one, only_other) = (self.without(one, other)?, self.without(other, one)?);
        let difference = self.or(vec![only_one, only_other])?;
        Some(self.shortest(difference, 0)? == Shortest::None)
    }

    /// The strings of one set that are not in another.
    pub(super) fn without(&mut self, one: Id, other: Id) -> Option<Id> {
        let other = self.not(other)?;
        self.and(vec![one, other])
    }

    /// A shortest string of a set, of at least so many code points; `None` if a limit is reached.
    pub(super) fn shortest(&mut self, of: Id, least: usize) -> Option<Shortest> {
        let letters: Vec<(usize, char)> = self.atoms.letters().collect();
        // Each state with the length of the string that leads to it, the state before, and the last letter.
        let mut states = vec![(of, 0, 0, ' ')];
        let mut seen = HashSet::from([(of, 0)]);
        let mut next = 0;
        while let Some(&(set, length, _, _)) = states.get(next) {
            if length >= least && self.is_nullable(set) {
                return Some(Shortest::Text(path(&states, next)));
            }
            // Beyond the least length, longer strings of the same state are of no interest.
            let longer = (length + 1).min(least);
            for (atom, letter) in &letters {
                let to = self.derivative(set, *atom)?;
                if to != NONE && seen.insert((to, longer)) {
                    self.pay(PER_SET)?;
                    states.push((to, longer, next, *letter));
                }
            }
            next += 1;
        }
        Some(Shortest::None)
    }
}

/// A shortest string of a set.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shortest {
    /// The set has none.
    None,
    Text(String),
}

/// The letters that lead to a state from the first one.
fn path(states: &[(Id, usize, usize, char)], mut at: usize) -> String {
    let mut letters = Vec::new();
    while let Some((_, _, before, letter)) = states.get(at).filter(|_| at > 0) {
        letters.push(*letter);
        at = *before;
    }
    letters.iter().rev().collect()
}

/// The position after a node.
fn after(ast: &Ast, node: NodeId, at: Position) -> Position {
    if !ast.facts(node).nullable {
        return Position::Later;
    }
    match ast.node(node) {
        Node::Empty | Node::Assert(_) | Node::Look { .. } => at,
        _ if at == Position::Later => at,
        _ => Position::Unknown,
    }
}

/// Expressions and derivatives.
const MOST_SETS: usize = 20_000;
/// Units of fuel that it takes to allocate and hash an expression.
const PER_SET: usize = 8;
/// Copies of a repeated expression.
const MOST_COPIES: u32 = 200;
