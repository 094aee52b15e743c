//! Follows the instructions that consume nothing, at a position with known surroundings.

use crate::ast::Assertion;
use crate::linear::{Op, Program};
use toolsure_json::int::to_usize;

/// The surroundings of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surround {
    /// At the start of the text.
    pub(crate) start: bool,
    /// At the end of the text.
    pub(crate) end: bool,
    /// After a character of `\w`.
    pub(crate) word_before: bool,
    /// Before a character of `\w`.
    pub(crate) word_after: bool,
}

impl Surround {
    /// `None` for assertions that no linear program has.
    fn meets(self, assertion: Assertion) -> Option<bool> {
        match assertion {
            Assertion::Start => Some(self.start),
            Assertion::End => Some(self.end),
            Assertion::Word { negative, .. } => {
                Some((self.word_before != self.word_after) != negative)
            }
            Assertion::StartLine | Assertion::EndLine => None,
        }
    }
}

/// The scratch memory for closures over one program.
#[derive(Debug)]
pub(crate) struct Closure {
    marks: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
    /// The reached instructions that consume a code point.
    pub(crate) consumers: Vec<u32>,
    /// The number of instructions visited so far, over all closures.
    pub(crate) visited: u64,
}

impl Closure {
    /// Scratch memory for a program.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            marks: vec![0; program.code.len()],
            round: 0,
            stack: Vec::new(),
            consumers: Vec::new(),
            visited: 0,
        }
    }

    /// Follows everything from these instructions; returns whether it reaches `Match`. If not, the
    /// consuming instructions are in [`Closure::consumers`]. `None` if the program contradicts
    /// itself.
    pub(crate) fn run(
        &mut self,
        program: &Program,
        from: &[u32],
        around: Surround,
    ) -> Option<bool> {
        self.begin();
        self.consumers.clear();
        for &at in from {
            self.stack.push(at);
            while let Some(mut at) = self.stack.pop() {
                while self.mark(at)? {
                    self.visited += 1;
                    match program.code.get(to_usize(at))? {
                        Op::Char(..) | Op::Class(..) => {
                            self.consumers.push(at);
                            break;
                        }
                        Op::Split(first, second) => {
                            self.stack.push(*second);
                            at = *first;
                        }
                        Op::Assert(assertion, next) => {
                            if !around.meets(*assertion)? {
                                break;
                            }
                            at = *next;
                        }
                        Op::Match => {
                            self.stack.clear();
                            return Some(true);
                        }
                    }
                }
            }
        }
        Some(false)
    }

    fn begin(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.marks.fill(0);
            self.round = 1;
        }
    }

    /// Marks an instruction; `false` if it was already marked in this round, `None` if there is no
    /// such instruction.
    #[inline]
    fn mark(&mut self, at: u32) -> Option<bool> {
        let mark = self.marks.get_mut(to_usize(at))?;
        let first = *mark != self.round;
        *mark = self.round;
        Some(first)
    }
}
