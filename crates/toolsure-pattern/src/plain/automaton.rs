//! The automaton of a language, and the expression that it is written as.

use std::collections::{BTreeMap, HashMap};

use super::classes::Mask;
use super::expression::Expression;
use super::language::{Id, Language};

/// A minimal deterministic automaton; state 0 is the first.
pub(super) struct Automaton {
    /// The next state for each atom.
    next: Vec<Vec<usize>>,
    accepts: Vec<bool>,
}

impl Automaton {
    /// `None` if it would have too many states.
    pub(super) fn of(language: &mut Language, start: Id) -> Option<Self> {
        let atoms = language.atoms().ranges.len();
        let mut states = vec![start];
        let mut known = HashMap::from([(start, 0)]);
        let mut next: Vec<Vec<usize>> = Vec::new();
        let mut accepts = Vec::new();
        while let Some(&state) = states.get(next.len()) {
            accepts.push(language.is_nullable(state));
            let mut row = Vec::with_capacity(atoms);
            for atom in 0..atoms {
                let to = language.derivative(state, atom)?;
                let number = *known.entry(to).or_insert(states.len());
                if number == states.len() {
                    states.push(to);
                }
                row.push(number);
            }
            if states.len() > MOST_STATES {
                return None;
            }
            next.push(row);
        }
        Some(Self { next, accepts }.minimal())
    }

    /// Joins states that accept the same rests.
    fn minimal(self) -> Self {
        let mut class: Vec<usize> = self.accepts.iter().map(|one| usize::from(*one)).collect();
        let mut count = 0;
        loop {
            let mut known: HashMap<(usize, Vec<usize>), usize> = HashMap::new();
            let mut refined = Vec::with_capacity(class.len());
            for (row, own) in self.next.iter().zip(&class) {
                let to = row.iter().filter_map(|to| class.get(*to).copied());
                let new = known.len();
                refined.push(*known.entry((*own, to.collect())).or_insert(new));
            }
            class = refined;
            if known.len() == count {
                break;
            }
            count = known.len();
        }
        let mut joined = Self {
            next: Vec::new(),
            accepts: Vec::new(),
        };
        // Classes are numbered in the order in which they first occur.
        for ((row, accepts), own) in self.next.iter().zip(&self.accepts).zip(&class) {
            if *own == joined.next.len() {
                let to = row.iter().filter_map(|to| class.get(*to).copied());
                joined.next.push(to.collect());
                joined.accepts.push(*accepts);
            }
        }
        joined
    }

    /// The expression of what the automaton accepts, for a match that begins at the start of the string.
    /// `None` if it accepts nothing, or the expression is too large.
    pub(super) fn expression(&self) -> Option<Expression> {
        let (first, last) = (self.next.len(), self.next.len() + 1);
        let mut edges: BTreeMap<(usize, usize), Expression> = BTreeMap::new();
        edges.insert((first, 0), Expression::Empty);
        let stays = |state: usize| {
            let row = self.next.get(state).into_iter().flatten();
            row.into_iter().all(|to| *to == state)
        };
        for (state, (row, accepts)) in self.next.iter().zip(&self.accepts).enumerate() {
            if stays(state) {
                if *accepts {
                    // Whatever follows is accepted.
                    edges.insert((state, last), Expression::Empty);
                }
                continue;
            }
            let mut masks: BTreeMap<usize, Mask> = BTreeMap::new();
            for (atom, to) in row.iter().enumerate() {
                *masks.entry(*to).or_default() |= 1 << atom;
            }
            for (to, mask) in masks {
                edges.insert((state, to), Expression::One(mask));
            }
            if *accepts {
                edges.insert((state, last), Expression::End);
            }
        }
        let mut left: Vec<usize> = (0..self.next.len()).collect();
        while !left.is_empty() {
            let weigh = |state: &usize| weight(&edges, *state);
            let at = (0..left.len()).min_by_key(|at| left.get(*at).map(weigh))?;
            remove(&mut edges, left.remove(at));
            if edges.values().map(Expression::size).sum::<usize>() > MOST_NODES {
                return None;
            }
        }
        edges.remove(&(first, last))
    }
}

/// How much the expressions grow if a state is removed.
fn weight(edges: &BTreeMap<(usize, usize), Expression>, state: usize) -> usize {
    let (mut into, mut out) = ((0_usize, 0_usize), (0_usize, 0_usize));
    let mut own = 0;
    for ((from, to), edge) in edges {
        match (*from == state, *to == state) {
            (true, true) => own = edge.size(),
            (false, true) => into = (into.0 + 1, into.1 + edge.size()),
            (true, false) => out = (out.0 + 1, out.1 + edge.size()),
            (false, false) => {}
        }
    }
    into.1 * out.0 + out.1 * into.0 + own * into.0 * out.0
}

/// Removes a state: each path through it becomes an edge.
fn remove(edges: &mut BTreeMap<(usize, usize), Expression>, state: usize) {
    let around = edges.remove(&(state, state)).map(Expression::star);
    let of = |edges: &BTreeMap<(usize, usize), Expression>, into: bool| -> Vec<usize> {
        let keys = edges
            .keys()
            .filter(|(from, to)| *if into { to } else { from } == state);
        keys.map(|(from, to)| if into { *from } else { *to })
            .collect()
    };
    let (before, after) = (of(edges, true), of(edges, false));
    let mut take = |key| edges.remove(&key);
    let before: Vec<_> = before
        .into_iter()
        .filter_map(|from| Some((from, take((from, state))?)))
        .collect();
    let after: Vec<_> = after
        .into_iter()
        .filter_map(|to| Some((to, take((state, to))?)))
        .collect();
    for (from, into) in &before {
        for (to, out) in &after {
            let around = around.clone().unwrap_or(Expression::Empty);
            let path = into.clone().then(around).then(out.clone());
            let path = match edges.remove(&(*from, *to)) {
                Some(known) => known.or(path),
                None => path,
            };
            edges.insert((*from, *to), path);
        }
    }
}

/// States of an automaton.
const MOST_STATES: usize = 150;
/// Nodes of all expressions.
const MOST_NODES: usize = 3_000;
