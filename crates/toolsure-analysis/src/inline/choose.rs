//! Chooses which references stay: recursive ones, and as many of the others as needed to keep the output
//! within its limits.

use super::map::{Map, Target};
use super::report::{InlineLimits, Why};

/// What to do with every reference.
pub(super) struct Choice {
    /// For each place: why references to it stay.
    pub(super) kept: Vec<Option<Why>>,
    /// For each place: whether the place itself becomes a reference too, because a cycle of references
    /// closes there.
    pub(super) cut: Vec<bool>,
}

/// Upper bounds on the size of a place when it is written out.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    bytes: usize,
    schemas: usize,
    depth: usize,
}

/// Thresholds, which are halved until the whole output is within its limits.
#[derive(Clone, Copy)]
struct Thresholds {
    /// A definition used more than once is written out if it has at most this many bytes;
    bytes: usize,
    /// any definition, if it has at most this depth.
    depth: usize,
}

/// An edge from a schema to one that is written out inside it.
#[derive(Clone, Copy)]
struct Edge {
    place: usize,
    is_child: bool,
}

impl Choice {
    /// Chooses by estimates that are never too small. If they are over the limits even with every reference
    /// kept, keeps every reference, and the caller measures the resulting text.
    pub(super) fn new(map: &Map<'_>, limits: &InlineLimits) -> Self {
        let mut walk = Walk::new(map);
        walk.break_rings();
        let order = walk.order();
        let span = map.root.span();
        let bounds = Size {
            bytes: limits.output_bytes(span.end - span.start),
            schemas: limits.subschemas,
            depth: limits.depth,
        };
        let mut thresholds = Thresholds {
            bytes: bounds.bytes,
            depth: bounds.depth,
        };
        loop {
            let (choice, total) = walk.choose(&order, thresholds);
            let too_many = total.bytes > bounds.bytes || total.schemas > bounds.schemas;
            let too_deep = total.depth > bounds.depth;
            if !too_many && !too_deep {
                return choice;
            }
            if thresholds.bytes == 0 && thresholds.depth == 0 {
                // The input itself may be over the limits; with every reference kept the output has no more
                // subschemas, and no deeper ones.
                return choice;
            }
            if too_many || thresholds.depth == 0 {
                thresholds.bytes /= 2;
            }
            if too_deep || thresholds.bytes == 0 {
                thresholds.depth /= 2;
            }
        }
    }
}

/// The graph of places and references.
struct Walk<'m, 'a> {
    map: &'m Map<'a>,
    /// For each place: whether a reference to it closes a cycle.
    recursive: Vec<bool>,
    cut: Vec<bool>,
    /// For each place: how many reachable references lead to it.
    uses: Vec<usize>,
}

impl<'m, 'a> Walk<'m, 'a> {
    fn new(map: &'m Map<'a>) -> Self {
        let count = map.places.len();
        Self {
            map,
            recursive: vec![false; count],
            cut: vec![false; count],
            uses: vec![0; count],
        }
    }

    /// What is written out in a place: the child schemas, then the targets.
    fn edge(&self, place: usize, index: usize) -> Option<Edge> {
        let place = self.map.places.get(place)?;
        if let Some(child) = place.children.get(index) {
            return Some(Edge {
                place: child.place,
                is_child: true,
            });
        }
        let mut targets = place.references.iter().filter_map(|r| match r.target {
            Target::Place(target) => Some(Edge {
                place: target,
                is_child: false,
            }),
            _ => None,
        });
        targets.nth(index - place.children.len())
    }

    /// Marks the places where cycles of references close: those that a depth-first walk from the root meets
    /// while it is still inside them.
    fn break_rings(&mut self) {
        let mut state = vec![State::New; self.recursive.len()];
        let mut open: Vec<(usize, usize)> = Vec::new();
        set(&mut state, 0, State::Open);
        open.push((0, 0));
        while let Some((place, next)) = open.last_mut() {
            let (place, index) = (*place, *next);
            *next += 1;
            let Some(edge) = self.edge(place, index) else {
                set(&mut state, place, State::Done);
                open.pop();
                continue;
            };
            if !edge.is_child
                && let Some(uses) = self.uses.get_mut(edge.place)
            {
                *uses += 1;
            }
            match state.get(edge.place) {
                Some(State::New) => {
                    set(&mut state, edge.place, State::Open);
                    open.push((edge.place, 0));
                }
                Some(State::Open) => {
                    set(&mut self.recursive, edge.place, true);
                    if edge.is_child {
                        set(&mut self.cut, edge.place, true);
                    }
                }
                _ => {}
            }
        }
    }

    /// All reachable places, each after the places that are written out in it.
    fn order(&self) -> Vec<usize> {
        let mut seen = vec![false; self.recursive.len()];
        let mut order = Vec::new();
        let roots = (0..self.recursive.len())
            .filter(|place| self.recursive.get(*place) == Some(&true))
            .chain([0]);
        for root in roots {
            if seen.get(root) == Some(&true) {
                continue;
            }
            set(&mut seen, root, true);
            let mut open = vec![(root, 0)];
            while let Some((place, next)) = open.last_mut() {
                let (place, index) = (*place, *next);
                *next += 1;
                let Some(edge) = self.edge(place, index) else {
                    order.push(place);
                    open.pop();
                    continue;
                };
                let is_cut = if edge.is_child {
                    self.cut.get(edge.place)
                } else {
                    self.recursive.get(edge.place)
                };
                if is_cut != Some(&true) && seen.get(edge.place) == Some(&false) {
                    set(&mut seen, edge.place, true);
                    open.push((edge.place, 0));
                }
            }
        }
        order
    }

    /// Decides with the given thresholds; also returns the size of the output.
    fn choose(&self, order: &[usize], thresholds: Thresholds) -> (Choice, Size) {
        let mut kept: Vec<Option<Why>> = self
            .recursive
            .iter()
            .map(|recursive| recursive.then_some(Why::Recursive))
            .collect();
        let mut sizes = vec![Size::default(); kept.len()];
        let mut total = Size::default();
        for place in order {
            let size = self.size(*place, &kept, &sizes);
            if let Some(slot) = sizes.get_mut(*place) {
                *slot = size;
            }
            let uses = self.uses.get(*place).copied().unwrap_or(0);
            let nothing_goes = thresholds.bytes == 0 && thresholds.depth == 0;
            let too_large = uses > 1 && size.bytes > thresholds.bytes;
            let too_deep = uses > 0 && size.depth > thresholds.depth;
            let stays = *place != 0 && uses > 0 && (too_large || too_deep || nothing_goes);
            let Some(slot) = kept.get_mut(*place) else {
                continue;
            };
            if stays && slot.is_none() {
                *slot = Some(Why::Size);
            }
            if slot.is_some() && *place != 0 {
                total = total.beside(Size {
                    bytes: size.bytes.saturating_add(NAMED_BYTES),
                    depth: size.depth + 1,
                    ..size
                });
            }
        }
        // A reference at the root is written out once, wherever it leads.
        let root = self.size(0, &vec![None; kept.len()], &sizes);
        total = total.beside(root);
        let cut = self.cut.clone();
        (Choice { kept, cut }, total)
    }

    fn size(&self, place: usize, kept: &[Option<Why>], sizes: &[Size]) -> Size {
        let span = self.map.view(place).span();
        let mut size = Size {
            bytes: span.end - span.start,
            schemas: 1,
            depth: 0,
        };
        let Some(place_at) = self.map.places.get(place) else {
            return size;
        };
        for name in ["$defs", "definitions"] {
            if let Some(dropped) = toolsure_json::Node::member(self.map.view(place), name) {
                let dropped = dropped.span();
                size.bytes = size.bytes.saturating_sub(dropped.end - dropped.start);
            }
        }
        for child in &place_at.children {
            size.bytes = size.bytes.saturating_sub(child.end - child.start);
            let inner = if self.cut.get(child.place) == Some(&true) {
                NAMED
            } else {
                sizes.get(child.place).copied().unwrap_or_default()
            };
            size = size.holding(inner);
        }
        let pure = self.map.pure_reference(place).is_some();
        for reference in &place_at.references {
            let inner = match &reference.target {
                Target::Place(target) if kept.get(*target).is_some_and(Option::is_some) => NAMED,
                Target::Place(target) => sizes.get(*target).copied().unwrap_or_default(),
                Target::External(uri) => Size {
                    // A URI may need escapes in JSON.
                    bytes: uri.len().saturating_mul(6).saturating_add(NAMED_BYTES),
                    ..NAMED
                },
                _ => NAMED,
            };
            if pure {
                // It replaces the whole schema.
                return inner;
            }
            size = size.holding(inner);
            size.bytes = size.bytes.saturating_add(WRAP_BYTES);
        }
        size
    }
}

impl Size {
    fn holding(self, inner: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(inner.bytes),
            schemas: self.schemas.saturating_add(inner.schemas),
            depth: self.depth.max(inner.depth.saturating_add(1)),
        }
    }

    fn beside(self, other: Self) -> Self {
        Self {
            bytes: self.bytes.saturating_add(other.bytes),
            schemas: self.schemas.saturating_add(other.schemas),
            depth: self.depth.max(other.depth),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    Done,
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(slot) = list.get_mut(at) {
        *slot = value;
    }
}

/// The size of a reference to a definition, including its name.
const NAMED_BYTES: usize = 128;
const NAMED: Size = Size {
    bytes: NAMED_BYTES,
    schemas: 1,
    depth: 0,
};
/// The size of `"allOf":[]` and its commas.
const WRAP_BYTES: usize = 24;
