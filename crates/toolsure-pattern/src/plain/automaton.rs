//! The automaton of a language, and the expression that it is written as.

use std::collections::{BTreeMap, HashMap};

use toolsure_json::int::to_u64;

use super::classes::Mask;
use super::expression::{Expression, Size};
use super::language::{Id, Language};
use crate::fuel::spend;

/// A minimal deterministic automaton; state 0 is the first.
pub(super) struct Automaton {
    /// The next state for each atom.
    next: Vec<Vec<usize>>,
    accepts: Vec<bool>,
}

impl Automaton {
    /// `None` if it would have too many states, or a limit is reached.
    pub(super) fn of(language: &mut Language<'_>, start: Id) -> Option<Self> {
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
        Self { next, accepts }.minimal(language.fuel())
    }

    /// Joins states that accept the same rests.
    fn minimal(self, fuel: &mut u64) -> Option<Self> {
        let all = to_u64(self.next.iter().map(Vec::len).sum());
        let mut class: Vec<usize> = self.accepts.iter().map(|one| usize::from(*one)).collect();
        let mut count = 0;
        loop {
            spend(fuel, all)?;
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
        Some(joined)
    }

    /// The expression of what the automaton accepts, for a match that begins at the start of the string.
    /// `None` if it accepts nothing, the expression is too large, or the fuel is not enough.
    pub(super) fn expression(&self, fuel: &mut u64) -> Option<Expression> {
        let (first, last) = (self.next.len(), self.next.len() + 1);
        let mut edges = Edges::new();
        edges.insert((first, 0), Edge::of(Expression::Empty));
        let stays = |state: usize| {
            let row = self.next.get(state).into_iter().flatten();
            row.into_iter().all(|to| *to == state)
        };
        for (state, (row, accepts)) in self.next.iter().zip(&self.accepts).enumerate() {
            if stays(state) {
                if *accepts {
                    // Whatever follows is accepted.
                    edges.insert((state, last), Edge::of(Expression::Empty));
                }
                continue;
            }
            let mut masks: BTreeMap<usize, Mask> = BTreeMap::new();
            for (atom, to) in row.iter().enumerate() {
                *masks.entry(*to).or_default() |= 1 << atom;
            }
            for (to, mask) in masks {
                edges.insert((state, to), Edge::of(Expression::One(mask)));
            }
            if *accepts {
                edges.insert((state, last), Edge::of(Expression::End));
            }
        }
        let mut left: Vec<usize> = (0..self.next.len()).collect();
        while !left.is_empty() {
            spend(fuel, to_u64(edges.len() + left.len()))?;
            let weights = weights(&edges, last + 1);
            let weight = |at: &usize| left.get(*at).and_then(|state| weights.get(*state));
            let at = (0..left.len()).min_by_key(weight)?;
            remove(&mut edges, left.remove(at), fuel)?;
            let nodes = edges.values().map(|edge| edge.size.nodes).sum::<usize>();
            let deepest = edges.values().map(|edge| edge.size.depth).max();
            if nodes > MOST_NODES || deepest.is_some_and(|deepest| deepest > MOST_DEPTH) {
                return None;
            }
        }
        edges.remove(&(first, last)).map(|edge| edge.expression)
    }
}

/// What is read between two states.
struct Edge {
    expression: Expression,
    size: Size,
}

impl Edge {
    fn of(expression: Expression) -> Self {
        let size = expression.size();
        Self { expression, size }
    }
}

type Edges = BTreeMap<(usize, usize), Edge>;

/// For each state, how much the expressions grow if it is removed.
fn weights(edges: &Edges, states: usize) -> Vec<usize> {
    /// The edges of one state: their number and their nodes.
    #[derive(Clone, Default)]
    struct Around {
        into: (usize, usize),
        out: (usize, usize),
        own: usize,
    }
    let mut all = vec![Around::default(); states];
    for ((from, to), edge) in edges {
        let nodes = edge.size.nodes;
        if from == to {
            if let Some(state) = all.get_mut(*from) {
                state.own = nodes;
            }
            continue;
        }
        if let Some(state) = all.get_mut(*from) {
            state.out = (state.out.0 + 1, state.out.1 + nodes);
        }
        if let Some(state) = all.get_mut(*to) {
            state.into = (state.into.0 + 1, state.into.1 + nodes);
        }
    }
    let weigh =
        |Around { into, out, own }: &Around| into.1 * out.0 + out.1 * into.0 + own * into.0 * out.0;
    all.iter().map(weigh).collect()
}

/// Removes a state: each path through it becomes an edge. `None` if the fuel is not enough.
fn remove(edges: &mut Edges, state: usize, fuel: &mut u64) -> Option<()> {
    let around = edges.remove(&(state, state));
    let around = around.map_or(Expression::Empty, |edge| edge.expression.star());
    let of = |into: bool| -> Vec<(usize, usize)> {
        let keys = edges.keys();
        let keys = keys.filter(|(from, to)| *if into { to } else { from } == state);
        keys.copied().collect()
    };
    let (before, after) = (of(true), of(false));
    let mut take = |keys: Vec<(usize, usize)>| -> Vec<((usize, usize), Edge)> {
        let edges = keys.into_iter().map(|key| Some((key, edges.remove(&key)?)));
        edges.flatten().collect()
    };
    let (before, after) = (take(before), take(after));
    let own = around.size().nodes;
    for ((from, _), into) in &before {
        for ((_, to), out) in &after {
            spend(fuel, to_u64(into.size.nodes + own + out.size.nodes))?;
            let path = into.expression.clone().then(around.clone(), fuel)?;
            let path = path.then(out.expression.clone(), fuel)?;
            let path = match edges.remove(&(*from, *to)) {
                Some(known) => known.expression.or(path, fuel)?,
                None => path,
            };
            edges.insert((*from, *to), Edge::of(path));
        }
    }
    Some(())
}

/// States of an automaton.
const MOST_STATES: usize = 150;
/// Nodes of all expressions.
const MOST_NODES: usize = 3_000;
/// Expressions inside expressions.
const MOST_DEPTH: usize = 200;
