//! Following the instructions that take nothing, in a known surrounding.

use crate::ast::Assertion;
use crate::linear::{Op, Program};
use toolgate_json::int::to_usize;

/// What surrounds a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Surround {
    /// Nothing stands before.
    pub(crate) start: bool,
    /// Nothing stands after.
    pub(crate) end: bool,
    /// A character of `\w` stands before.
    pub(crate) word_before: bool,
    /// A character of `\w` stands after.
    pub(crate) word_after: bool,
}

impl Surround {
    fn meets(self, assertion: Assertion) -> bool {
        match assertion {
            Assertion::Start => self.start,
            Assertion::End => self.end,
            Assertion::Word { negative, .. } => (self.word_before != self.word_after) != negative,
            // These never get into a linear program.
            Assertion::StartLine | Assertion::EndLine => false,
        }
    }
}

/// The scratch memory for closures over one program.
#[derive(Debug)]
pub(crate) struct Closure {
    marks: Vec<u32>,
    round: u32,
    stack: Vec<u32>,
    /// The instructions reached that take a code point.
    pub(crate) takers: Vec<u32>,
    /// Instructions visited so far, over all closures.
    pub(crate) visited: u64,
}

impl Closure {
    /// Scratch memory for a program.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            marks: vec![0; program.code.len()],
            round: 0,
            stack: Vec::new(),
            takers: Vec::new(),
            visited: 0,
        }
    }

    /// Follows everything from these instructions; whether `Match` is among
    /// what is reached. The takers are in [`Closure::takers`] if not.
    pub(crate) fn run(&mut self, program: &Program, from: &[u32], around: Surround) -> bool {
        self.begin();
        self.takers.clear();
        for &at in from {
            self.stack.push(at);
            while let Some(mut at) = self.stack.pop() {
                while self.mark(at) {
                    self.visited += 1;
                    match program.code.get(to_usize(at)) {
                        None => break,
                        Some(Op::Char(..) | Op::Class(..)) => {
                            self.takers.push(at);
                            break;
                        }
                        Some(Op::Split(first, second)) => {
                            self.stack.push(*second);
                            at = *first;
                        }
                        Some(Op::Assert(assertion, next)) => {
                            if !around.meets(*assertion) {
                                break;
                            }
                            at = *next;
                        }
                        Some(Op::Match) => {
                            self.stack.clear();
                            return true;
                        }
                    }
                }
            }
        }
        false
    }

    fn begin(&mut self) {
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.marks.fill(0);
            self.round = 1;
        }
    }

    /// Marks an instruction; false if it was marked in this round already.
    #[inline]
    fn mark(&mut self, at: u32) -> bool {
        match self.marks.get_mut(to_usize(at)) {
            Some(mark) if *mark != self.round => {
                *mark = self.round;
                true
            }
            _ => false,
        }
    }
}
