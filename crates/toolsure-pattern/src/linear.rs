//! The linear program: a nondeterministic automaton over code points.
//!
//! Repetitions are unrolled and groups dropped; the rest runs as a deterministic automaton
//! ([`crate::dfa`]) or as a set of threads ([`crate::threads`]), both in time linear in the
//! haystack.

use crate::ast::{Assertion, Ast, ClassId, List, NO_MAX, Node, NodeId};
use toolsure_json::int::{to_u32, to_usize};

/// One instruction; targets are indices into [`Program::code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Op {
    /// Consume this code point.
    Char(u32, u32),
    /// Consume a code point of this class.
    Class(ClassId, u32),
    /// Go both ways.
    Split(u32, u32),
    /// Continue if the assertion holds here.
    Assert(Assertion, u32),
    /// The pattern matches.
    Match,
}

/// A linear program.
#[derive(Debug)]
pub(crate) struct Program {
    /// The instructions.
    pub(crate) code: Vec<Op>,
    /// The first instruction to run.
    pub(crate) start: u32,
    /// Matches only at the start of the input.
    pub(crate) anchored: bool,
    /// Contains `\b` or `\B`.
    pub(crate) words: bool,
}

/// The parts still to emit. Emission runs backwards: `next`, the entry of the code that follows, is
/// known before a construct is emitted.
#[derive(Clone, Copy, Debug)]
enum Task {
    Emit(NodeId),
    /// Alternative `at` has been emitted; `tail` is the entry of those after it.
    Alternative {
        list: List,
        at: u32,
        exit: u32,
        tail: Option<u32>,
    },
    /// The body of the endless loop at `head` has been emitted.
    Loop {
        child: NodeId,
        head: u32,
        exit: u32,
        min: u32,
    },
    /// `left` optional copies remain, then `min` mandatory ones.
    Optional {
        child: NodeId,
        left: u32,
        exit: u32,
        min: u32,
    },
    /// One optional copy has been emitted.
    Skippable {
        child: NodeId,
        left: u32,
        exit: u32,
        min: u32,
    },
    Copies {
        child: NodeId,
        left: u32,
    },
}

/// The program of a sequence of nodes; `None` if it contains a lookaround or a backreference. Its
/// length is the cost in the nodes' facts plus one.
pub(crate) fn compile(ast: &Ast, sequence: &[NodeId]) -> Option<Program> {
    let mut emitter = Emitter {
        ast,
        code: vec![Op::Match],
        tasks: Vec::new(),
        next: 0,
        words: false,
    };
    // Last in, first out: the last node of the sequence is emitted first.
    emitter
        .tasks
        .extend(sequence.iter().map(|id| Task::Emit(*id)));
    while let Some(task) = emitter.tasks.pop() {
        emitter.step(task)?;
    }
    Some(Program {
        start: emitter.next,
        words: emitter.words,
        anchored: sequence.iter().any(|id| ast.facts(*id).anchored),
        code: emitter.code,
    })
}

struct Emitter<'a> {
    ast: &'a Ast,
    code: Vec<Op>,
    tasks: Vec<Task>,
    next: u32,
    words: bool,
}

impl Emitter<'_> {
    fn step(&mut self, task: Task) -> Option<()> {
        match task {
            Task::Emit(id) => self.emit(self.ast.node(id))?,
            Task::Alternative {
                list,
                at,
                exit,
                tail,
            } => {
                let entry = match tail {
                    None => self.next,
                    Some(tail) => self.op(Op::Split(self.next, tail)),
                };
                match at.checked_sub(1) {
                    None => self.next = entry,
                    Some(at) => self.alternative(list, at, exit, Some(entry))?,
                }
            }
            Task::Loop {
                child,
                head,
                exit,
                min,
            } => {
                *self.code.get_mut(to_usize(head))? = Op::Split(self.next, exit);
                match min.checked_sub(1) {
                    None => self.next = head,
                    Some(left) => self.tasks.push(Task::Copies { child, left }),
                }
            }
            Task::Optional {
                child,
                left,
                exit,
                min,
            } => match left.checked_sub(1) {
                None => self.tasks.push(Task::Copies { child, left: min }),
                Some(left) => {
                    self.tasks.push(Task::Skippable {
                        child,
                        left,
                        exit,
                        min,
                    });
                    self.tasks.push(Task::Emit(child));
                }
            },
            Task::Skippable {
                child,
                left,
                exit,
                min,
            } => {
                self.next = self.op(Op::Split(self.next, exit));
                self.tasks.push(Task::Optional {
                    child,
                    left,
                    exit,
                    min,
                });
            }
            Task::Copies { child, left } => {
                if let Some(left) = left.checked_sub(1) {
                    self.tasks.push(Task::Copies { child, left });
                    self.tasks.push(Task::Emit(child));
                }
            }
        }
        Some(())
    }

    fn emit(&mut self, node: Node) -> Option<()> {
        let next = self.next;
        match node {
            Node::Char(c) => self.next = self.op(Op::Char(c, next)),
            Node::Class(class) => self.next = self.op(Op::Class(class, next)),
            Node::Assert(assertion) => {
                self.words |= matches!(assertion, Assertion::Word { .. });
                self.next = self.op(Op::Assert(assertion, next));
            }
            Node::Capture { child, .. } => self.tasks.push(Task::Emit(child)),
            Node::Concat(list) => {
                let children = self.ast.children(list);
                self.tasks.extend(children.iter().map(|id| Task::Emit(*id)));
            }
            Node::Alternate(list) => {
                if let Some(last) = self.ast.children(list).len().checked_sub(1) {
                    self.alternative(list, to_u32(last), next, None)?;
                }
            }
            Node::Repeat {
                child, min, max, ..
            } if max == NO_MAX => {
                let head = self.op(Op::Split(next, next));
                self.next = head;
                self.tasks.push(Task::Loop {
                    child,
                    head,
                    exit: next,
                    min,
                });
                self.tasks.push(Task::Emit(child));
            }
            Node::Repeat {
                child, min, max, ..
            } => self.tasks.push(Task::Optional {
                child,
                left: max - min,
                exit: next,
                min,
            }),
            Node::Empty => {}
            // `crate::plan` gives these to the backtracker.
            Node::BackReference { .. } | Node::Look { .. } => return None,
        }
        Some(())
    }

    fn alternative(&mut self, list: List, at: u32, exit: u32, tail: Option<u32>) -> Option<()> {
        self.next = exit;
        self.tasks.push(Task::Alternative {
            list,
            at,
            exit,
            tail,
        });
        let child = self.ast.children(list).get(to_usize(at))?;
        self.tasks.push(Task::Emit(*child));
        Some(())
    }

    fn op(&mut self, op: Op) -> u32 {
        self.code.push(op);
        to_u32(self.code.len() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    #[test]
    fn the_estimate_bounds_the_program() {
        for text in [
            "",
            "abc",
            "a|b|(c|)",
            "(?:a{2,5}|b{3}|c{2,})*?",
            "(((a?){3})*){2,}",
            r"^(?:[a-f]{0,9}\b|$){0,3}",
            "(){7}(?:){2,}a{0}",
        ] {
            let parsed = parse::parse(text, 64, 1 << 20).unwrap();
            let program = compile(&parsed.ast, &[parsed.root]).unwrap();
            let estimate = parsed.ast.facts(parsed.root).cost + 1;
            let len = toolsure_json::int::to_u64(program.code.len());
            assert!(len <= estimate, "{text}: {len} > {estimate}");
            assert!(len + 20 > estimate, "{text}: {len} is far below {estimate}");
        }
    }
}
