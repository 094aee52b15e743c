//! The position automaton of a pattern: a state for each position that reads a character, and an
//! edge if one position may follow another, which counts the ways up to two.

use std::collections::BTreeMap;

use crate::ast::{Assertion, Ast, ClassId, NO_MAX, Node, NodeId};
use crate::set::LAST;

/// A position automaton. State 0 is before the text; it is never entered again.
#[derive(Debug, Default)]
pub(super) struct Automaton {
    /// For each state the symbols that enter it, as bits.
    pub(super) symbols: Vec<Vec<u64>>,
    /// For each state the states that may follow it, and in how many ways (2 means two or more).
    pub(super) next: Vec<Vec<(usize, u8)>>,
    /// The most iterations of a loop over the state; 0 means no bound.
    pub(super) turns: Vec<u32>,
    /// Lookarounds.
    pub(super) looks: Vec<Look>,
}

/// A lookaround of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    /// Its body.
    pub(super) child: NodeId,
    /// Whether it is in a loop.
    pub(super) repeated: bool,
}

/// A part of a pattern: the states that it may begin and end with, and in how many ways it may
/// match the empty string.
#[derive(Debug, Clone, Default)]
struct Part {
    first: Vec<(usize, u8)>,
    last: Vec<(usize, u8)>,
    empty: u8,
}

struct Builder<'a> {
    ast: &'a Ast,
    sets: Symbols,
    automaton: Automaton,
    edges: usize,
    conditional: bool,
}

impl Automaton {
    /// The automaton of a search for the node at `root`, only from one position if `anchored`.
    /// `None` if it exceeds a bound, or no automaton can express it.
    pub(super) fn of(ast: &Ast, root: NodeId, anchored: bool) -> Option<Self> {
        let mut builder = Builder {
            ast,
            sets: Symbols::of(ast, root)?,
            automaton: Self::default(),
            edges: 0,
            conditional: false,
        };
        builder.state(Vec::new(), 1)?;
        let start = Part {
            first: vec![(0, 1)],
            last: vec![(0, 1)],
            empty: 0,
        };
        let mut whole = start;
        if !anchored {
            let all = vec![u64::MAX; builder.sets.words];
            let state = builder.state(all, 0)?;
            let mut any = builder.leaf(state);
            builder.repeat(&any)?;
            any.empty = 1;
            whole = builder.join(whole, any)?;
        }
        let pattern = builder.part(root, Within::default())?;
        whole = builder.join(whole, pattern)?;
        let conditional = builder.conditional;
        let mut automaton = builder.automaton;
        if !conditional {
            automaton.end_early(&whole)?;
        }
        Some(automaton)
    }

    /// Removes the states that follow a state where a match is certain whatever follows: a
    /// backtracker that gets there never backtracks. `None` if a state is not in this automaton.
    fn end_early(&mut self, whole: &Part) -> Option<()> {
        let mut certain = vec![false; self.next.len()];
        for (state, _) in &whole.last {
            *certain.get_mut(*state)? = true;
        }
        loop {
            let mut changed = false;
            for (state, next) in self.next.iter().enumerate() {
                let mut all = true;
                for (to, _) in next {
                    all &= *certain.get(*to)?;
                }
                let holds = certain.get_mut(state)?;
                changed |= *holds && !all;
                *holds &= all;
            }
            if !changed {
                break;
            }
        }
        for (next, certain) in self.next.iter_mut().zip(certain) {
            if certain {
                next.clear();
            }
        }
        Some(())
    }
}

/// The surroundings of a part.
#[derive(Debug, Clone, Copy)]
struct Within {
    /// How many copies of the part are made.
    copies: u32,
    /// The most iterations of the loop around it; 0 means no bound, 1 means no loop.
    turns: u32,
    depth: usize,
}

impl Default for Within {
    fn default() -> Self {
        Self {
            copies: 1,
            turns: 1,
            depth: 0,
        }
    }
}

impl Builder<'_> {
    /// Recurses as deep as the pattern's groups nest, at most [`DEPTH`].
    fn part(&mut self, id: NodeId, within: Within) -> Option<Part> {
        if within.depth > DEPTH {
            return None;
        }
        let inner = Within {
            depth: within.depth + 1,
            ..within
        };
        match self.ast.node(id) {
            Node::Empty => Some(EMPTY),
            Node::Assert(assertion) => {
                self.conditional |= assertion != Assertion::Start;
                Some(EMPTY)
            }
            Node::Char(_) | Node::Class(_) => {
                let symbols = self.sets.symbols(self.ast.node(id))?;
                let state = self.state(symbols, within.turns)?;
                Some(self.leaf(state))
            }
            Node::BackReference { .. } => None,
            Node::Capture { child, .. } => self.part(child, inner),
            Node::Look { child, .. } => {
                self.conditional = true;
                self.automaton.looks.push(Look {
                    child,
                    repeated: within.turns != 1,
                });
                Some(EMPTY)
            }
            Node::Concat(list) => {
                let mut whole = EMPTY;
                for &child in self.ast.children(list) {
                    let part = self.part(child, inner)?;
                    whole = self.join(whole, part)?;
                }
                Some(whole)
            }
            Node::Alternate(list) => {
                let mut whole = Part::default();
                for &child in self.ast.children(list) {
                    let part = self.part(child, inner)?;
                    whole.first.extend(part.first);
                    whole.last.extend(part.last);
                    whole.empty = whole.empty.saturating_add(part.empty).min(2);
                }
                Some(whole)
            }
            Node::Repeat {
                child, min, max, ..
            } => self.repetition(child, min, max, inner),
        }
    }

    fn repetition(&mut self, child: NodeId, min: u32, max: u32, within: Within) -> Option<Part> {
        if max == 0 {
            return Some(EMPTY);
        }
        let copies = within.copies.saturating_mul(max);
        if max <= 1 || (max != NO_MAX && copies <= FOLDED) {
            return self.written_out(child, min, max, Within { copies, ..within });
        }
        // A loop represents the copies.
        let turns = if max == NO_MAX || within.turns == 0 {
            0
        } else {
            max.saturating_mul(within.turns.max(1))
        };
        let inside = Within {
            copies: 1,
            turns,
            ..within
        };
        let mut part = self.part(child, inside)?;
        if part.empty > 0 && (min > 1 || max != NO_MAX) {
            // There are many ways to choose which iterations match the empty string.
            return None;
        }
        self.repeat(&part)?;
        if min == 0 {
            part.empty = 1;
        }
        Some(part)
    }

    /// `x{2,4}` as `xx(x(x)?)?`.
    fn written_out(&mut self, child: NodeId, min: u32, max: u32, within: Within) -> Option<Part> {
        let mut tail = EMPTY;
        for _ in min..max {
            let part = self.part(child, within)?;
            tail = self.join(part, tail)?;
            tail.empty = 1;
        }
        let mut whole = EMPTY;
        for _ in 0..min {
            let part = self.part(child, within)?;
            whole = self.join(whole, part)?;
        }
        self.join(whole, tail)
    }

    fn state(&mut self, symbols: Vec<u64>, turns: u32) -> Option<usize> {
        let state = self.automaton.next.len();
        self.automaton.symbols.push(symbols);
        self.automaton.next.push(Vec::new());
        self.automaton.turns.push(turns);
        (state < STATES).then_some(state)
    }

    fn leaf(&self, state: usize) -> Part {
        Part {
            first: vec![(state, 1)],
            last: vec![(state, 1)],
            empty: 0,
        }
    }

    fn repeat(&mut self, part: &Part) -> Option<()> {
        self.edges(&part.last, &part.first, 1)
    }

    /// One part after another.
    fn join(&mut self, before: Part, after: Part) -> Option<Part> {
        self.edges(&before.last, &after.first, 1)?;
        let mut first = before.first;
        if before.empty > 0 {
            let more = after.first.iter();
            first.extend(more.map(|(state, ways)| (*state, times(*ways, before.empty))));
        }
        let mut last = after.last;
        if after.empty > 0 {
            let more = before.last.iter();
            last.extend(more.map(|(state, ways)| (*state, times(*ways, after.empty))));
        }
        Some(Part {
            first,
            last,
            empty: times(before.empty, after.empty),
        })
    }

    fn edges(&mut self, from: &[(usize, u8)], to: &[(usize, u8)], ways: u8) -> Option<()> {
        self.edges += from.len().saturating_mul(to.len());
        if self.edges > EDGES {
            return None;
        }
        for (source, before) in from {
            let next = self.automaton.next.get_mut(*source)?;
            for (target, after) in to {
                let ways = times(times(*before, *after), ways);
                match next.iter_mut().find(|(known, _)| known == target) {
                    Some((_, known)) => *known = known.saturating_add(ways).min(2),
                    None => next.push((*target, ways)),
                }
            }
        }
        Some(())
    }
}

fn times(one: u8, other: u8) -> u8 {
    one.saturating_mul(other).min(2)
}

/// The sets of a pattern as sets of symbols: code points that no set distinguishes share one
/// symbol.
struct Symbols {
    chars: BTreeMap<u32, usize>,
    classes: BTreeMap<u32, usize>,
    members: Vec<Vec<u64>>,
    words: usize,
}

impl Symbols {
    fn of(ast: &Ast, root: NodeId) -> Option<Self> {
        let (mut chars, mut classes) = (BTreeMap::new(), BTreeMap::new());
        let mut edges: Vec<(u32, usize)> = Vec::new();
        let mut sets = 0;
        let mut waiting = vec![root];
        let mut looked = 0;
        while let Some(id) = waiting.pop() {
            looked += 1;
            if looked > NODES {
                return None;
            }
            let mut ranges = |ranges: &[(u32, u32)]| {
                for &(low, high) in ranges {
                    edges.push((low, sets));
                    edges.push((high.saturating_add(1), sets));
                }
            };
            match ast.node(id) {
                Node::Char(c) if !chars.contains_key(&c) => {
                    ranges(&[(c, c)]);
                    chars.insert(c, sets);
                    sets += 1;
                }
                Node::Class(ClassId(class)) if !classes.contains_key(&class) => {
                    ranges(ast.class(ClassId(class)).ranges());
                    classes.insert(class, sets);
                    sets += 1;
                }
                Node::Repeat { child, .. }
                | Node::Capture { child, .. }
                | Node::Look { child, .. } => waiting.push(child),
                Node::Concat(list) | Node::Alternate(list) => waiting.extend(ast.children(list)),
                // Already known, or without a set.
                Node::Char(_)
                | Node::Class(_)
                | Node::Empty
                | Node::Assert(_)
                | Node::BackReference { .. } => {}
            }
        }
        if sets > SETS {
            return None;
        }
        edges.sort_unstable();
        let mut known: BTreeMap<Vec<u64>, usize> = BTreeMap::new();
        let mut signature = vec![0_u64; sets / 64 + 1];
        let mut edges = edges.iter().peekable();
        let mut at = 0;
        while at <= LAST {
            while let Some((_, set)) = edges.next_if(|edge| edge.0 <= at) {
                *signature.get_mut(set / 64)? ^= 1 << (set % 64);
            }
            let symbol = known.len();
            known.entry(signature.clone()).or_insert(symbol);
            if known.len() > SYMBOLS {
                return None;
            }
            at = edges.peek().map_or(LAST + 1, |edge| edge.0);
        }
        let words = known.len() / 64 + 1;
        let mut members = vec![vec![0_u64; words]; sets];
        for (signature, symbol) in &known {
            for (set, member) in members.iter_mut().enumerate() {
                let within = signature.get(set / 64)? >> (set % 64) & 1;
                *member.get_mut(symbol / 64)? |= within << (symbol % 64);
            }
        }
        Some(Self {
            chars,
            classes,
            members,
            words,
        })
    }

    /// The symbols of a node; `None` if it has no set.
    fn symbols(&self, node: Node) -> Option<Vec<u64>> {
        let set = match node {
            Node::Char(c) => self.chars.get(&c)?,
            Node::Class(ClassId(class)) => self.classes.get(&class)?,
            Node::Empty
            | Node::Assert(_)
            | Node::BackReference { .. }
            | Node::Capture { .. }
            | Node::Concat(_)
            | Node::Alternate(_)
            | Node::Repeat { .. }
            | Node::Look { .. } => return None,
        };
        self.members.get(*set).cloned()
    }
}

const EMPTY: Part = Part {
    first: Vec::new(),
    last: Vec::new(),
    empty: 1,
};

/// With more copies of a part than this, a loop represents them.
pub(super) const FOLDED: u32 = 8;
const DEPTH: usize = 400;
const NODES: usize = 20_000;
const STATES: usize = 4_000;
const EDGES: usize = 100_000;
const SETS: usize = 512;
const SYMBOLS: usize = 2_048;
