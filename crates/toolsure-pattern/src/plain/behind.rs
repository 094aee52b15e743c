//! The languages of patterns with lookbehinds.
//!
//! The language of a node is that of the strings that begin with its match, because a lookahead sees what
//! follows. A lookbehind sees what precedes, so a sequence with lookbehinds is read from its start: the
//! strings that end where the match has come to are intersected with those that the lookbehind asks for.

use std::collections::VecDeque;

use super::language::{ALL, EMPTY, Id, Language, NONE, Position};
use crate::ast::{Assertion, Ast, Node, NodeId};

impl Language<'_> {
    /// The strings in which a pattern matches somewhere. `None` if it has something that is not regular
    /// here, or a limit is reached.
    pub(super) fn matched(&mut self, ast: &Ast, root: NodeId) -> Option<Id> {
        if !self.has_behind(ast, root)? {
            return self.somewhere(ast, root, ALL);
        }
        let mut all = NONE;
        for sequence in self.sequences(ast, root)? {
            let matched = self.sequence_matched(ast, &sequence)?;
            all = self.or(vec![all, matched])?;
        }
        Some(all)
    }

    /// The strings that have a match of a node, followed by one of `rest`.
    fn somewhere(&mut self, ast: &Ast, node: NodeId, rest: Id) -> Option<Id> {
        let first = self.node(ast, node, Position::Start, rest)?;
        let later = self.node(ast, node, Position::Later, rest)?;
        let some = self.some()?;
        let later = self.cat(some, later)?;
        self.or(vec![first, later])
    }

    fn has_behind(&mut self, ast: &Ast, root: NodeId) -> Option<bool> {
        self.has(ast, root, &|node| {
            matches!(node, Node::Look { behind: true, .. })
        })
    }

    /// Whether a tree has a node of a kind; `None` if the fuel is used up.
    fn has(&mut self, ast: &Ast, root: NodeId, is: &dyn Fn(Node) -> bool) -> Option<bool> {
        let mut todo = vec![root];
        while let Some(id) = todo.pop() {
            // What asserts nothing has no lookaround and no assertion.
            if !ast.facts(id).asserts {
                continue;
            }
            self.pay(1)?;
            let node = ast.node(id);
            if is(node) {
                return Some(true);
            }
            match node {
                Node::Capture { child, .. }
                | Node::Repeat { child, .. }
                | Node::Look { child, .. } => todo.push(child),
                Node::Concat(list) | Node::Alternate(list) => todo.extend(ast.children(list)),
                Node::Empty
                | Node::Char(_)
                | Node::Class(_)
                | Node::Assert(_)
                | Node::BackReference { .. } => {}
            }
        }
        Some(false)
    }

    /// The alternatives of a pattern as sequences in which no lookbehind is inside a group.
    fn sequences(&mut self, ast: &Ast, root: NodeId) -> Option<Vec<Vec<NodeId>>> {
        let mut done = Vec::new();
        let mut todo = vec![(Vec::new(), VecDeque::from([root]))];
        while let Some((mut before, mut rest)) = todo.pop() {
            while let Some(id) = rest.pop_front() {
                self.pay(1)?;
                let node = ast.node(id);
                if !self.has_behind(ast, id)? || matches!(node, Node::Look { behind: true, .. }) {
                    before.push(id);
                    continue;
                }
                match node {
                    Node::Capture { child, .. } => rest.push_front(child),
                    Node::Concat(list) => {
                        for child in ast.children(list).iter().rev() {
                            rest.push_front(*child);
                        }
                    }
                    Node::Alternate(list) => {
                        for child in ast.children(list) {
                            self.pay(before.len() + rest.len())?;
                            let mut rest = rest.clone();
                            rest.push_front(*child);
                            todo.push((before.clone(), rest));
                        }
                        before.clear();
                        break;
                    }
                    // It is in a repetition or in a lookahead.
                    _ => return None,
                }
            }
            // An empty sequence has no lookbehind, so it was divided into the alternatives above.
            if !before.is_empty() {
                done.push(before);
            }
            if done.len() + todo.len() > MOST_SEQUENCES {
                return None;
            }
        }
        Some(done)
    }

    fn sequence_matched(&mut self, ast: &Ast, sequence: &[NodeId]) -> Option<Id> {
        let (sequence, mut whole) = self.at_the_end(ast, sequence)?;
        let is_behind = |id: &NodeId| matches!(ast.node(*id), Node::Look { behind: true, .. });
        let Some(last) = sequence.iter().rposition(is_behind) else {
            let first = self.sequence(ast, &sequence, Position::Start, ALL)?;
            let later = self.sequence(ast, &sequence, Position::Later, ALL)?;
            let some = self.some()?;
            let later = self.cat(some, later)?;
            whole.push(self.or(vec![first, later])?);
            return self.and(whole);
        };
        let (front, back) = sequence.split_at(last + 1);
        // The strings that end where the match has come to.
        let mut before = ALL;
        for id in front {
            match ast.node(*id) {
                Node::Assert(Assertion::Start) => before = self.and(vec![before, EMPTY])?,
                Node::Look {
                    behind: true,
                    negative,
                    child,
                } => {
                    let ends = self.ending(ast, child, negative)?;
                    before = self.and(vec![before, ends])?;
                }
                // At the start of a string, it is a condition on the whole string.
                Node::Look {
                    behind: false,
                    negative,
                    child,
                } if before == EMPTY => {
                    let ahead = self.node(ast, child, Position::Start, ALL)?;
                    whole.push(match negative {
                        true => self.not(ahead)?,
                        false => ahead,
                    });
                }
                _ if ast.facts(*id).asserts => return None,
                _ => {
                    let own = self.node(ast, *id, Position::Later, EMPTY)?;
                    before = self.cat(before, own)?;
                }
            }
        }
        let at = match before {
            EMPTY => Position::Start,
            _ if self.is_nullable(before) => Position::Unknown,
            _ => Position::Later,
        };
        let rest = self.sequence(ast, back, at, ALL)?;
        whole.push(self.cat(before, rest)?);
        self.and(whole)
    }

    /// A sequence without the lookbehinds at the end of the string, and what these ask of the whole string.
    fn at_the_end(&mut self, ast: &Ast, sequence: &[NodeId]) -> Option<(Vec<NodeId>, Vec<Id>)> {
        let is_end = |id: &NodeId| ast.node(*id) == Node::Assert(Assertion::End);
        let is_behind = |id: &NodeId| matches!(ast.node(*id), Node::Look { behind: true, .. });
        let tail = sequence.iter().rev();
        let tail = tail.take_while(|id| is_end(id) || is_behind(id)).count();
        let (front, tail) = sequence.split_at(sequence.len() - tail);
        let mut whole = Vec::new();
        if !tail.iter().any(is_end) {
            return Some((sequence.to_vec(), whole));
        }
        let mut kept = front.to_vec();
        for id in tail {
            match ast.node(*id) {
                Node::Look {
                    negative, child, ..
                } => whole.push(self.ending(ast, child, negative)?),
                _ => kept.push(*id),
            }
        }
        Some((kept, whole))
    }

    /// The strings that end with a match of the child of a lookbehind, or do not.
    fn ending(&mut self, ast: &Ast, child: NodeId, negative: bool) -> Option<Id> {
        // What such a condition sees may lie after the lookbehind.
        let sees = |node| match node {
            Node::Look { .. } => true,
            Node::Assert(assertion) => assertion != Assertion::Start,
            _ => false,
        };
        if self.has(ast, child, &sees)? {
            return None;
        }
        let ends = self.somewhere(ast, child, EMPTY)?;
        if negative { self.not(ends) } else { Some(ends) }
    }
}

/// Sequences that the alternatives of one pattern are written as.
const MOST_SEQUENCES: usize = 64;
