//! Classes of code points that a pattern tells apart.

use std::collections::{HashMap, HashSet};

use toolsure_json::int::to_u64;

use crate::ast::{Ast, Node, NodeId};
use crate::fuel::spend;
use crate::set::{Class, LAST};

/// The classes of one or more patterns, cut into sets of code points that no pattern tells apart.
pub(super) struct Atoms {
    /// The ranges of each atom.
    pub(super) ranges: Vec<Vec<(u32, u32)>>,
}

/// A set of atoms, one bit for each.
pub(super) type Mask = u64;

impl Atoms {
    /// `None` if there are more than 64, or the fuel is not enough.
    pub(super) fn of(trees: &[(&Ast, NodeId)], fuel: &mut u64) -> Option<Self> {
        let mut classes: Vec<Class> = Vec::new();
        let mut distinct: HashSet<Vec<(u32, u32)>> = HashSet::new();
        let mut add = |class: Class, fuel: &mut u64| {
            spend(fuel, to_u64(1 + class.ranges().len()))?;
            if distinct.insert(class.ranges().to_vec()) {
                classes.push(class);
            }
            Some(())
        };
        for (ast, root) in trees {
            let mut todo = vec![*root];
            while let Some(id) = todo.pop() {
                match ast.node(id) {
                    Node::Char(c) => add(Class::single(c), fuel)?,
                    Node::Class(class) => add(ast.class(class).clone(), fuel)?,
                    Node::Capture { child, .. }
                    | Node::Repeat { child, .. }
                    | Node::Look { child, .. } => todo.push(child),
                    Node::Concat(list) | Node::Alternate(list) => todo.extend(ast.children(list)),
                    Node::Empty | Node::Assert(_) | Node::BackReference { .. } => {}
                }
            }
        }
        let ends = classes.iter().flat_map(Class::ranges);
        let mut starts: Vec<u32> = ends
            .flat_map(|(low, high)| [*low, high.saturating_add(1)])
            .filter(|start| *start <= LAST)
            .chain([0])
            .collect();
        starts.sort_unstable();
        starts.dedup();
        spend(fuel, to_u64(starts.len().saturating_mul(classes.len())))?;
        let mut known: HashMap<Vec<bool>, usize> = HashMap::new();
        let mut ranges: Vec<Vec<(u32, u32)>> = Vec::new();
        for (at, start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).map_or(LAST, |next| next - 1);
            let signature = classes.iter().map(|class| class.contains(*start));
            let atom = *known.entry(signature.collect()).or_insert(ranges.len());
            if atom == ranges.len() {
                ranges.push(Vec::new());
            }
            ranges.get_mut(atom)?.push((*start, end));
        }
        (ranges.len() <= 64).then_some(Self { ranges })
    }

    /// All atoms.
    pub(super) fn all(&self) -> Mask {
        self.mask(|_| true)
    }

    /// The atoms whose first code point satisfies a condition that no atom is divided by.
    pub(super) fn mask(&self, holds: impl Fn(u32) -> bool) -> Mask {
        let atoms = self.ranges.iter().enumerate();
        atoms.fold(0, |mask, (at, ranges)| {
            let first = ranges.first().map_or(0, |(low, _)| *low);
            if holds(first) { mask | 1 << at } else { mask }
        })
    }

    /// The ranges of a set of atoms, in order and merged.
    pub(super) fn ranges_of(&self, mask: Mask) -> Vec<(u32, u32)> {
        let atoms = self.ranges.iter().enumerate();
        let atoms = atoms.filter(|(at, _)| mask & 1 << at != 0);
        let mut all: Vec<(u32, u32)> = atoms
            .flat_map(|(_, ranges)| ranges.iter().copied())
            .collect();
        all.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::new();
        for (low, high) in all {
            match merged.last_mut() {
                Some(last) if last.1 + 1 == low => last.1 = high,
                _ => merged.push((low, high)),
            }
        }
        merged
    }

    /// Each atom that a text may have, with a character of it: a readable one, if there is one.
    pub(super) fn letters(&self) -> impl Iterator<Item = (usize, char)> {
        self.ranges.iter().enumerate().filter_map(|(at, ranges)| {
            let has = |c: &char| {
                let code = u32::from(*c);
                ranges
                    .iter()
                    .any(|(low, high)| (*low..=*high).contains(&code))
            };
            let readable = ('a'..='z')
                .chain('A'..='Z')
                .chain('0'..='9')
                .chain(' '..='~');
            let any = || {
                // Surrogates are no characters; the next one after them may be in the same range.
                let mut ends = ranges.iter().flat_map(|(low, high)| [*low, 0xe000, *high]);
                ends.find_map(|code| char::from_u32(code).filter(|c| has(c)))
            };
            let letter = readable.into_iter().find(has).or_else(any);
            letter.map(|letter| (at, letter))
        })
    }
}
