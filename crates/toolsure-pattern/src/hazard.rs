//! Whether a backtracking engine may need more than linear time for a pattern.
//!
//! The matchers of this crate do not; those of most other validators do (V8, Python's `re`, ICU). A
//! backtracker tries the paths of a pattern's automaton one by one. If a loop has two paths over
//! the same text, their number doubles with each iteration (EDA, exponential degree of ambiguity);
//! if two loops follow each other and match a common text, there are as many paths as positions at
//! which to change from one to the other (IDA, polynomial). Both are decided on the pattern's
//! position automaton (A. Weber, H. Seidl: On the degree of ambiguity of finite automata, 1991).
//! Whatever is not decided within bounds is called exponential.

mod automaton;
mod paths;
mod time;

pub use time::Hazard;

use crate::Pattern;
use crate::ast::{Ast, Node, NodeId};
use crate::parse;

impl Pattern {
    /// The time that a backtracking engine may need to search a text for the pattern.
    /// `Hazard::None` is a promise; the others may be pessimistic.
    ///
    /// ```
    /// use toolsure_pattern::{Hazard, Limits, Pattern};
    ///
    /// let hazard = |text| Pattern::new(text, &Limits::default()).map(|pattern| pattern.hazard());
    /// assert_eq!(hazard("^[a-z]+-[0-9]+$")?, Hazard::None);
    /// assert_eq!(hazard("^[a-z]+[a-z0-9]+$")?, Hazard::Polynomial(2));
    /// assert_eq!(hazard("^(a+)+$")?, Hazard::Exponential);
    /// # Ok::<(), toolsure_pattern::PatternError>(())
    /// ```
    #[must_use]
    pub fn hazard(&self) -> Hazard {
        let parsed = parse::parse(&self.text, usize::MAX, usize::MAX).ok();
        let hazard = parsed.and_then(|parsed| of(&parsed.ast, parsed.root, false, 0));
        hazard.unwrap_or(Hazard::Exponential)
    }
}

/// The time for matching the node at `root`, only from one position if `fixed`. `None` if it is not
/// decided within bounds, or the analysis contradicts itself.
fn of(ast: &Ast, root: NodeId, fixed: bool, depth: usize) -> Option<Hazard> {
    let facts = ast.facts(root);
    if depth > LOOKS {
        return None;
    }
    let automaton = automaton::Automaton::of(ast, root, fixed || facts.anchored)?;
    let mut hazard = paths::hazard(&automaton)?;
    for look in &automaton.looks {
        let inner = of(ast, look.child, true, depth + 1)?;
        // A lookaround without a loop takes bounded time wherever it is tried.
        let bounded = inner == Hazard::None && !has_loop(ast, look.child);
        if !bounded {
            hazard = if look.repeated || !(fixed || facts.anchored) {
                hazard.and(inner.within(hazard))
            } else {
                hazard.and(inner)
            };
        }
    }
    Some(hazard)
}

/// Whether a node contains a repetition with many iterations.
fn has_loop(ast: &Ast, root: NodeId) -> bool {
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        match ast.node(id) {
            Node::Repeat { max, .. } if max > automaton::FOLDED => return true,
            Node::Repeat { child, .. } | Node::Capture { child, .. } | Node::Look { child, .. } => {
                waiting.push(child);
            }
            Node::Concat(list) | Node::Alternate(list) => waiting.extend(ast.children(list)),
            Node::BackReference { .. } => return true,
            Node::Empty | Node::Char(_) | Node::Class(_) | Node::Assert(_) => {}
        }
    }
    false
}

/// The depth of nested lookarounds that is analysed.
const LOOKS: usize = 8;

#[cfg(test)]
mod tests;
