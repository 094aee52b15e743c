//! The deterministic automaton: built whole on first use, or not at all.
//!
//! It is a table of states by symbols, so a match costs one look-up per code
//! point whatever the pattern, takes no scratch memory and no lock. Patterns
//! whose table would pass the limits below run as threads instead; whether
//! that is so follows from the pattern alone.

use std::collections::BTreeMap;

use crate::alphabet::Alphabet;
use crate::ast::Ast;
use crate::closure::{Closure, Surround};
use crate::int::wide;
use crate::linear::{Op, Program};

/// A deterministic automaton.
#[derive(Debug)]
pub(crate) struct Dfa {
    alphabet: Alphabet,
    /// Row by row; the last entry of a row is for the end of the input.
    table: Box<[u16]>,
    stride: usize,
}

impl Dfa {
    /// Builds the automaton with a table of so many entries at most; none if a
    /// limit is passed.
    pub(crate) fn build(ast: &Ast, program: &Program, entries: usize) -> Option<Self> {
        let alphabet = Alphabet::of(ast, program)?;
        let stride = alphabet.len + 1;
        let mut builder = Builder {
            program,
            stride,
            states: BTreeMap::new(),
            keys: Vec::new(),
            table: vec![DEAD; stride],
            next: vec![Vec::new(); alphabet.len],
            entries: entries.min(MAX_TABLE),
            alphabet,
        };
        // State 0 is dead, state 1 has matched; neither is ever looked up.
        builder.table.extend(vec![MATCHED; stride]);
        builder.state(Key {
            start: true,
            word: false,
            kernel: vec![program.start],
        })?;
        let mut closure = Closure::new(program);
        let mut work = 0;
        let mut at = 0;
        while let Some(key) = builder.keys.get(at).cloned() {
            work += builder.expand(at, &key, &mut closure)?;
            if work.saturating_add(closure.visited) > MAX_WORK {
                return None;
            }
            at += 1;
        }
        builder.alphabet.seal();
        Some(Self {
            alphabet: builder.alphabet,
            table: builder.table.into_boxed_slice(),
            stride,
        })
    }

    /// Whether the pattern matches.
    pub(crate) fn matches(&self, haystack: &str) -> bool {
        let mut state = FIRST;
        let bytes = haystack.as_bytes();
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            let symbol = if byte.is_ascii() {
                at += 1;
                self.alphabet.ascii(byte)
            } else {
                let Some(c) = haystack.get(at..).and_then(|rest| rest.chars().next()) else {
                    return false;
                };
                at += c.len_utf8();
                self.alphabet.wide(u32::from(c))
            };
            state = self.step(state, usize::from(symbol));
            if state <= MATCHED {
                return state == MATCHED;
            }
        }
        self.step(state, self.stride - 1) == MATCHED
    }

    #[inline]
    fn step(&self, state: u16, symbol: usize) -> u16 {
        let at = usize::from(state) * self.stride + symbol;
        self.table.get(at).copied().unwrap_or(DEAD)
    }
}

/// A set of program positions and what stands before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    start: bool,
    word: bool,
    kernel: Vec<u32>,
}

struct Builder<'p> {
    program: &'p Program,
    alphabet: Alphabet,
    stride: usize,
    states: BTreeMap<Key, u16>,
    keys: Vec<Key>,
    table: Vec<u16>,
    /// The next kernel by symbol, emptied after each state.
    next: Vec<Vec<u32>>,
    /// The most entries in the table.
    entries: usize,
}

impl Builder<'_> {
    /// The number of a state, new or known.
    fn state(&mut self, key: Key) -> Option<u16> {
        if let Some(known) = self.states.get(&key) {
            return Some(*known);
        }
        if self.table.len() + self.stride > self.entries {
            return None;
        }
        let number = u16::try_from(self.keys.len()).ok()?.checked_add(FIRST)?;
        self.table.resize(self.table.len() + self.stride, DEAD);
        self.keys.push(key.clone());
        self.states.insert(key, number);
        Some(number)
    }

    /// Fills in the row of the state with this key; the work it took.
    fn expand(&mut self, at: usize, key: &Key, closure: &mut Closure) -> Option<u64> {
        let row = (at + usize::from(FIRST)) * self.stride;
        let mut around = Surround {
            start: key.start,
            end: true,
            word_before: key.word,
            word_after: false,
        };
        if closure.run(self.program, &key.kernel, around) {
            self.set(row + self.stride - 1, MATCHED);
        }
        around.end = false;
        let mut work = 0;
        for word_after in [false, true] {
            if word_after && !self.program.words {
                break;
            }
            around.word_after = word_after;
            let matched = closure.run(self.program, &key.kernel, around);
            work += self.transitions(row, word_after, matched, closure)?;
        }
        Some(work)
    }

    /// Fills in the entries for the symbols that are (not) of `\w`.
    fn transitions(
        &mut self,
        row: usize,
        word: bool,
        matched: bool,
        closure: &Closure,
    ) -> Option<u64> {
        let words = self.program.words;
        let mut work = 0;
        if !matched {
            for &taker in &closure.takers {
                let Some(&op) = self.program.code.get(wide(taker)) else {
                    continue;
                };
                let (Op::Char(_, target) | Op::Class(_, target)) = op else {
                    continue;
                };
                for &symbol in self.alphabet.taken(op) {
                    work += 1;
                    if let Some(kernel) = self.next.get_mut(usize::from(symbol)) {
                        kernel.push(target);
                    }
                }
            }
        }
        for symbol in 0..self.alphabet.len {
            let mut kernel = self
                .next
                .get_mut(symbol)
                .map(std::mem::take)
                .unwrap_or_default();
            let is_word = self.alphabet.is_word(symbol);
            if words && is_word != word {
                continue;
            }
            let target = if matched {
                MATCHED
            } else {
                if !self.program.anchored {
                    kernel.push(self.program.start);
                }
                if kernel.is_empty() {
                    DEAD
                } else {
                    kernel.sort_unstable();
                    kernel.dedup();
                    work += crate::int::count(kernel.len());
                    self.state(Key {
                        start: false,
                        word: words && is_word,
                        kernel,
                    })?
                }
            };
            self.set(row + symbol, target);
        }
        Some(work)
    }

    fn set(&mut self, at: usize, state: u16) {
        if let Some(slot) = self.table.get_mut(at) {
            *slot = state;
        }
    }
}

const DEAD: u16 = 0;
const MATCHED: u16 = 1;
const FIRST: u16 = 2;
/// The most entries in a table: 64 KiB.
pub(crate) const MAX_TABLE: usize = 32 << 10;
/// The most instructions and kernel entries visited while building: measured
/// at 10 to 20 ns each, so about 5 ms.
const MAX_WORK: u64 = 300_000;
