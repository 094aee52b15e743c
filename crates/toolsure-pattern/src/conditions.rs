//! Reads a haystack character by character, in both directions.

use crate::ast::{Assertion, Ast, Node};
use crate::fold;
use crate::set::{Class, CodeSet, LINE_TERMINATOR, WORD, WORD_FOLDED};

/// The sets that conditions on a position need.
#[derive(Debug)]
pub(crate) struct Conditions {
    word: Class,
    word_folded: Class,
    line_terminator: Class,
}

impl Conditions {
    /// The sets of ECMA-262.
    pub(crate) fn new() -> Self {
        Self {
            word: CodeSet::of(WORD).freeze(),
            word_folded: CodeSet::of(WORD_FOLDED).freeze(),
            line_terminator: CodeSet::of(LINE_TERMINATOR).freeze(),
        }
    }

    /// Whether a position meets a condition.
    pub(crate) fn meet(&self, assertion: Assertion, haystack: &str, at: usize) -> bool {
        let is = |back: bool, class: &Class| {
            neighbour(haystack, at, back).is_some_and(|(c, _)| class.contains(c))
        };
        match assertion {
            Assertion::Start => at == 0,
            Assertion::End => at == haystack.len(),
            Assertion::StartLine => at == 0 || is(true, &self.line_terminator),
            Assertion::EndLine => at == haystack.len() || is(false, &self.line_terminator),
            Assertion::Word { negative, fold } => {
                let word = if fold { &self.word_folded } else { &self.word };
                (is(true, word) != is(false, word)) != negative
            }
        }
    }
}

/// The character before or after a position, and the position beyond it.
#[inline]
pub(crate) fn neighbour(haystack: &str, at: usize, back: bool) -> Option<(u32, usize)> {
    if back {
        let c = haystack.get(..at)?.chars().next_back()?;
        Some((u32::from(c), at - c.len_utf8()))
    } else {
        let c = haystack.get(at..)?.chars().next()?;
        Some((u32::from(c), at + c.len_utf8()))
    }
}

/// Whether a node that consumes one character matches this one; `None` if it is another kind of
/// node.
#[inline]
pub(crate) fn is_single(ast: &Ast, what: Node, c: u32) -> Option<bool> {
    match what {
        Node::Char(expected) => Some(expected == c),
        Node::Class(class) => Some(ast.class(class).contains(c)),
        Node::Empty
        | Node::Assert(_)
        | Node::BackReference { .. }
        | Node::Capture { .. }
        | Node::Concat(_)
        | Node::Alternate(_)
        | Node::Repeat { .. }
        | Node::Look { .. } => None,
    }
}

/// Compares character by character under simple case folding: where the captured text ends if it is
/// at `at`; `None` if there is no case folding table.
pub(crate) fn refer_folded(
    captured: &str,
    back: bool,
    haystack: &str,
    at: usize,
) -> Option<Option<usize>> {
    let mut at = at;
    let mut chars = captured.chars();
    while let Some(expected) = if back {
        chars.next_back()
    } else {
        chars.next()
    } {
        let Some((found, next)) = neighbour(haystack, at, back) else {
            return Some(None);
        };
        let expected = u32::from(expected);
        if found != expected && !fold::orbit(expected)?.contains(&found) {
            return Some(None);
        }
        at = next;
    }
    Some(Some(at))
}
