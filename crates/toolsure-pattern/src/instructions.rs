//! The instructions of the backtracker, and how they are emitted.

use crate::ast::{Assertion, Ast, List, Node, NodeId};
use toolsure_json::int::{to_u32, to_usize};

/// A program for the backtracker.
#[derive(Debug)]
pub(crate) struct Program {
    /// The instructions.
    pub(crate) code: Vec<Instruction>,
    /// The first instruction to run.
    pub(crate) start: u32,
    /// Matches only at the start of the input.
    pub(crate) anchored: bool,
    /// Two for each capturing group.
    pub(crate) slots: u32,
    /// The number of counted loops.
    pub(crate) loops: u32,
}

/// One instruction and the one to continue with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) next: u32,
}

/// An operation; `back` reads towards the start, in lookbehinds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// The pattern matches.
    Match,
    /// Consume one character; `what` is a character or a class.
    Single { what: Node, back: bool },
    /// Consume such characters greedily.
    Run {
        what: Node,
        min: u32,
        max: u32,
        back: bool,
    },
    /// Continue if the assertion holds here.
    Assert(Assertion),
    /// Continue, and backtrack to `other`.
    Split { other: u32 },
    /// Save the position.
    Save { slot: u32 },
    /// Enter a loop.
    LoopInit { index: u32 },
    /// Decide whether to iterate.
    LoopHead {
        index: u32,
        min: u32,
        max: u32,
        greedy: bool,
        exit: u32,
    },
    /// Begin an iteration: forget the captures inside.
    LoopBody { index: u32, captures: (u32, u32) },
    /// End an iteration.
    LoopEnd { index: u32, min: u32 },
    /// Consume the text that one of these groups captured.
    BackReference { target: u32, fold: bool, back: bool },
    /// Begin a lookaround; continue at `after` if it holds.
    Look { negative: bool, after: u32 },
    /// The body of a lookaround has matched.
    LookEnd,
}

/// The parts still to emit, backwards: see `linear::Task`.
#[derive(Clone, Copy, Debug)]
enum Task {
    Emit(NodeId, bool),
    Alternative {
        list: List,
        at: u32,
        exit: u32,
        tail: Option<u32>,
        back: bool,
    },
    Option {
        exit: u32,
        greedy: bool,
    },
    /// The body of the loop at `head` has been emitted; `decide` belongs there.
    Loop {
        index: u32,
        captures: (u32, u32),
        head: u32,
        decide: Op,
    },
    Save {
        slot: u32,
    },
    Look {
        negative: bool,
        after: u32,
    },
}

/// The program of a pattern, at most four instructions for each node; `None` if the tree or the
/// emission contradicts itself.
pub(crate) fn compile(ast: &Ast, root: NodeId) -> Option<Program> {
    let mut emitter = Emitter {
        ast,
        code: vec![Instruction {
            op: Op::Match,
            next: 0,
        }],
        tasks: vec![Task::Emit(root, false)],
        next: 0,
        loops: 0,
    };
    while let Some(task) = emitter.tasks.pop() {
        emitter.step(task)?;
    }
    Some(Program {
        start: emitter.next,
        anchored: ast.facts(root).anchored,
        slots: ast.captures.saturating_mul(2),
        loops: emitter.loops,
        code: emitter.code,
    })
}

struct Emitter<'a> {
    ast: &'a Ast,
    code: Vec<Instruction>,
    tasks: Vec<Task>,
    next: u32,
    loops: u32,
}

impl Emitter<'_> {
    fn step(&mut self, task: Task) -> Option<()> {
        match task {
            Task::Emit(id, back) => self.emit(id, back)?,
            Task::Alternative {
                list,
                at,
                exit,
                tail,
                back,
            } => {
                if let Some(other) = tail {
                    self.op(Op::Split { other });
                }
                let entry = self.next;
                if let Some(at) = at.checked_sub(1) {
                    self.alternative(list, at, exit, Some(entry), back)?;
                }
            }
            Task::Option { exit, greedy } => {
                if greedy {
                    self.op(Op::Split { other: exit });
                } else {
                    let other = std::mem::replace(&mut self.next, exit);
                    self.op(Op::Split { other });
                }
            }
            Task::Loop {
                index,
                captures,
                head,
                decide,
            } => {
                self.op(Op::LoopBody { index, captures });
                *self.code.get_mut(to_usize(head))? = Instruction {
                    op: decide,
                    next: self.next,
                };
                self.next = head;
                self.op(Op::LoopInit { index });
            }
            Task::Save { slot } => self.op(Op::Save { slot }),
            Task::Look { negative, after } => self.op(Op::Look { negative, after }),
        }
        Some(())
    }

    fn emit(&mut self, id: NodeId, back: bool) -> Option<()> {
        let node = self.ast.node(id);
        match node {
            Node::Empty => {}
            Node::Char(_) | Node::Class(_) => self.op(Op::Single { what: node, back }),
            Node::Assert(assertion) => self.op(Op::Assert(assertion)),
            Node::BackReference { target, fold } => {
                self.op(Op::BackReference { target, fold, back });
            }
            Node::Capture { index, child } => {
                let slots = (index * 2, index * 2 + 1);
                let (first, last) = if back { (slots.1, slots.0) } else { slots };
                self.op(Op::Save { slot: last });
                self.tasks.push(Task::Save { slot: first });
                self.tasks.push(Task::Emit(child, back));
            }
            Node::Concat(list) => {
                let children = self.ast.children(list).iter();
                if back {
                    let tasks = children.rev().map(|id| Task::Emit(*id, back));
                    self.tasks.extend(tasks);
                } else {
                    self.tasks.extend(children.map(|id| Task::Emit(*id, back)));
                }
            }
            Node::Alternate(list) => {
                if let Some(last) = self.ast.children(list).len().checked_sub(1) {
                    self.alternative(list, to_u32(last), self.next, None, back)?;
                }
            }
            Node::Repeat {
                child,
                min,
                max,
                greedy,
                captures,
            } => self.repeat(child, (min, max), greedy, captures, back),
            Node::Look {
                behind,
                negative,
                child,
            } => {
                let after = self.next;
                self.op(Op::LookEnd);
                self.tasks.push(Task::Look { negative, after });
                self.tasks.push(Task::Emit(child, behind));
            }
        }
        Some(())
    }

    fn repeat(
        &mut self,
        child: NodeId,
        (min, max): (u32, u32),
        greedy: bool,
        captures: (u32, u32),
        back: bool,
    ) {
        let what = self.ast.node(child);
        let exit = self.next;
        if max == 0 {
            return;
        }
        if greedy && matches!(what, Node::Char(_) | Node::Class(_)) {
            self.op(Op::Run {
                what,
                min,
                max,
                back,
            });
        } else if (min, max) == (0, 1) {
            self.tasks.push(Task::Option { exit, greedy });
            self.tasks.push(Task::Emit(child, back));
        } else {
            let index = self.loops;
            self.loops += 1;
            self.op(Op::Match);
            let head = self.next;
            self.op(Op::LoopEnd { index, min });
            self.tasks.push(Task::Loop {
                index,
                captures,
                head,
                decide: Op::LoopHead {
                    index,
                    min,
                    max,
                    greedy,
                    exit,
                },
            });
            self.tasks.push(Task::Emit(child, back));
        }
    }

    fn alternative(
        &mut self,
        list: List,
        at: u32,
        exit: u32,
        tail: Option<u32>,
        back: bool,
    ) -> Option<()> {
        self.next = exit;
        self.tasks.push(Task::Alternative {
            list,
            at,
            exit,
            tail,
            back,
        });
        let child = self.ast.children(list).get(to_usize(at))?;
        self.tasks.push(Task::Emit(*child, back));
        Some(())
    }

    /// Adds an instruction before `next`, and makes it the new `next`.
    fn op(&mut self, op: Op) {
        self.code.push(Instruction {
            op,
            next: self.next,
        });
        self.next = to_u32(self.code.len() - 1);
    }
}
