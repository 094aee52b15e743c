//! Runs a linear program as a set of threads, for patterns whose automaton would be too large. Fuel
//! is spent for each visited instruction, after each character: at most one step of the program
//! runs on credit.

use crate::ast::Ast;
use crate::closure::{Closure, Surround};
use crate::linear::{Op, Program};
use crate::set::{Class, WORD};
use toolsure_json::int::to_usize;

/// The scratch memory of one run; reusable with the same program.
#[derive(Debug)]
pub(crate) struct Threads {
    closure: Closure,
    kernel: Vec<u32>,
    word: Class,
}

impl Threads {
    /// Scratch memory for a program.
    pub(crate) fn new(program: &Program) -> Self {
        Self {
            closure: Closure::new(program),
            kernel: Vec::new(),
            word: crate::set::CodeSet::of(WORD).freeze(),
        }
    }

    /// Whether the pattern matches; `None` if the fuel ran out.
    pub(crate) fn run(
        &mut self,
        ast: &Ast,
        program: &Program,
        haystack: &str,
        fuel: &mut u64,
    ) -> Option<bool> {
        self.kernel.clear();
        self.kernel.push(program.start);
        let mut around = Surround {
            start: true,
            end: false,
            word_before: false,
            word_after: false,
        };
        for c in haystack.chars() {
            let c = u32::from(c);
            around.word_after = program.words && self.word.contains(c);
            if self.follow(program, around, fuel)? {
                return Some(true);
            }
            self.kernel.clear();
            // Threads often wait at the same class, so it is tested once.
            let mut asked = None;
            for &consumer in &self.closure.consumers {
                match program.code.get(to_usize(consumer)) {
                    Some(Op::Char(expected, next)) if *expected == c => self.kernel.push(*next),
                    Some(Op::Class(class, next)) => {
                        let holds = match asked {
                            Some((last, holds)) if last == *class => holds,
                            _ => ast.class(*class).contains(c),
                        };
                        asked = Some((*class, holds));
                        if holds {
                            self.kernel.push(*next);
                        }
                    }
                    Some(Op::Char(..)) => {}
                    // Only these consume a character: the program contradicts itself.
                    _ => {
                        *fuel = 0;
                        return None;
                    }
                }
            }
            if !program.anchored {
                self.kernel.push(program.start);
            }
            if self.kernel.is_empty() {
                return Some(false);
            }
            around.start = false;
            around.word_before = around.word_after;
        }
        around.end = true;
        around.word_after = false;
        self.follow(program, around, fuel)
    }

    fn follow(&mut self, program: &Program, around: Surround, fuel: &mut u64) -> Option<bool> {
        let before = self.closure.visited;
        let Some(matched) = self.closure.run(program, &self.kernel, around) else {
            // The program contradicts itself.
            *fuel = 0;
            return None;
        };
        let visited = self.closure.visited.wrapping_sub(before);
        crate::fuel::spend(fuel, 1 + visited / VISITS_PER_UNIT)?;
        Some(matched)
    }
}

/// Visiting an instruction and testing its class takes 5 to 10 ns.
const VISITS_PER_UNIT: u64 = 2;
