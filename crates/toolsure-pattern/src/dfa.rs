//! The deterministic automaton: built completely on first use, or not at all.
//!
//! It is a table of states by symbols, so a match costs one look-up per code point whatever the
//! pattern, and needs no scratch memory and no lock. Patterns whose table would exceed the limits
//! below run as threads instead; this depends only on the pattern.

use std::collections::BTreeMap;

use crate::alphabet::Alphabet;
use crate::ast::Ast;
use crate::closure::{Closure, Surround};
use crate::linear::{Op, Program};
use toolsure_json::int::{to_u64, to_usize};

/// A deterministic automaton.
#[derive(Debug)]
pub(crate) struct Dfa {
    alphabet: Alphabet,
    /// Row by row; the last entry of a row is for the end of the input. Each entry is the offset of
    /// a row: [`DEAD`], `matched`, or another state's.
    table: Box<[u16]>,
    matched: u16,
    first: u16,
}

impl Dfa {
    /// Builds the automaton with a table of at most `entries` entries, visiting at most `work`
    /// instructions and kernel entries; `None` if a limit is exceeded.
    pub(crate) fn build(ast: &Ast, program: &Program, entries: usize, work: u64) -> Option<Self> {
        let alphabet = Alphabet::of(ast, program)?;
        let stride = alphabet.len + 1;
        let row = u16::try_from(stride).ok()?;
        let mut builder = Builder {
            program,
            stride,
            entries: entries.min(MAX_TABLE),
            states: Vec::new(),
            kernels: Vec::new(),
            known: BTreeMap::new(),
            table: vec![DEAD; stride],
            next: vec![Vec::new(); alphabet.len],
            work: 0,
            most_work: work,
            alphabet,
        };
        // State 0 is dead, state 1 has matched; both lead to themselves.
        builder.table.extend(vec![MATCHED; stride]);
        builder.state(Before::Start, &[program.start])?;
        let mut closure = Closure::new(program);
        let mut at = 0;
        while let Some(&state) = builder.states.get(at) {
            builder.expand(at, state, &mut closure)?;
            at += 1;
        }
        builder.alphabet.seal();
        // Replaces state numbers with row offsets, which saves the multiplications.
        for entry in &mut builder.table {
            *entry = entry.checked_mul(row)?;
        }
        Some(Self {
            alphabet: builder.alphabet,
            table: builder.table.into_boxed_slice(),
            matched: MATCHED * row,
            first: FIRST * row,
        })
    }

    /// Whether the pattern matches; `None` if the table leads to a row that does not exist.
    ///
    /// A deciding state leads to itself, so it is enough to look for one after every eight
    /// characters.
    #[inline(never)]
    pub(crate) fn matches(&self, haystack: &str) -> Option<bool> {
        let mut state = self.first;
        let mut rest = haystack.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            if let Some((eight, after)) = rest.split_first_chunk::<8>()
                && eight.is_ascii()
            {
                for byte in eight {
                    state = self.step(state, self.alphabet.ascii(*byte))?;
                }
                rest = after;
            } else if byte.is_ascii() {
                state = self.step(state, self.alphabet.ascii(byte))?;
                rest = after;
            } else {
                let at = haystack.len() - rest.len();
                let c = haystack.get(at..)?.chars().next()?;
                state = self.step(state, self.alphabet.wide(u32::from(c))?)?;
                rest = rest.get(c.len_utf8()..)?;
            }
            if state <= self.matched {
                return Some(state == self.matched);
            }
        }
        let end = u8::try_from(self.alphabet.len).ok()?;
        Some(self.step(state, end)? == self.matched)
    }

    #[inline]
    fn step(&self, row: u16, symbol: u8) -> Option<u16> {
        let at = usize::from(row) + usize::from(symbol);
        self.table.get(at).copied()
    }
}

/// The kind of character before a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    /// Nothing.
    Start,
    /// A character outside `\w`, or any character if the program does not need to know.
    Other,
    /// A character of `\w`.
    Word,
}

/// A set of program positions, as a range of [`Builder::kernels`], and the kind of character before
/// it.
#[derive(Clone, Copy, Debug)]
struct State {
    before: Before,
    first: usize,
    len: usize,
}

struct Builder<'p> {
    program: &'p Program,
    alphabet: Alphabet,
    stride: usize,
    /// The most entries in the table.
    entries: usize,
    states: Vec<State>,
    kernels: Vec<u32>,
    /// The states by their hash, or by the first free number after it.
    known: BTreeMap<u64, u16>,
    table: Vec<u16>,
    /// The next kernel for each symbol, emptied after each state.
    next: Vec<Vec<u32>>,
    /// The number of instructions and kernel entries visited.
    work: u64,
    most_work: u64,
}

impl Builder<'_> {
    /// `None` if the state does not belong to this builder: then there is no table.
    fn kernel(&self, state: State) -> Option<&[u32]> {
        self.kernels
            .get(state.first..state.first.checked_add(state.len)?)
    }

    /// The number of a state, which is added if it is new.
    fn state(&mut self, before: Before, kernel: &[u32]) -> Option<u16> {
        let mut hash = hash(before, kernel);
        while let Some(&number) = self.known.get(&hash) {
            let state = *self.states.get(usize::from(number - FIRST))?;
            if state.before == before && self.kernel(state)? == kernel {
                return Some(number);
            }
            self.work += 1;
            hash = hash.wrapping_add(1);
        }
        if self.table.len() + self.stride > self.entries {
            return None;
        }
        let number = u16::try_from(self.states.len()).ok()?.checked_add(FIRST)?;
        self.table.resize(self.table.len() + self.stride, DEAD);
        self.states.push(State {
            before,
            first: self.kernels.len(),
            len: kernel.len(),
        });
        self.kernels.extend_from_slice(kernel);
        self.known.insert(hash, number);
        Some(number)
    }

    /// Fills in the row of a state.
    fn expand(&mut self, at: usize, state: State, closure: &mut Closure) -> Option<()> {
        let row = (at + usize::from(FIRST)) * self.stride;
        let mut around = Surround {
            start: state.before == Before::Start,
            end: true,
            word_before: state.before == Before::Word,
            word_after: false,
        };
        let kernel = self.kernel(state)?.to_vec();
        if closure.run(self.program, &kernel, around)? {
            self.set(row + self.stride - 1, MATCHED)?;
        }
        around.end = false;
        for word_after in [false, true] {
            if word_after && !self.program.words {
                break;
            }
            around.word_after = word_after;
            let matched = closure.run(self.program, &kernel, around)?;
            self.transitions(row, word_after, matched, closure)?;
        }
        self.work = self.work.saturating_add(closure.visited);
        closure.visited = 0;
        (self.work <= self.most_work).then_some(())
    }

    /// Fills in the entries for the symbols that are, or are not, in `\w`.
    fn transitions(
        &mut self,
        row: usize,
        word: bool,
        matched: bool,
        closure: &Closure,
    ) -> Option<()> {
        let words = self.program.words;
        if !matched {
            for &consumer in &closure.consumers {
                let &op = self.program.code.get(to_usize(consumer))?;
                let (Op::Char(_, target) | Op::Class(_, target)) = op else {
                    return None;
                };
                for &symbol in self.alphabet.taken(op)? {
                    self.next.get_mut(usize::from(symbol))?.push(target);
                }
            }
        }
        for symbol in 0..self.alphabet.len {
            let mut kernel = std::mem::take(self.next.get_mut(symbol)?);
            let is_word = self.alphabet.is_word(symbol)?;
            if !words || is_word == word {
                let target = if matched {
                    MATCHED
                } else {
                    self.target(&mut kernel, words && is_word)?
                };
                self.set(row + symbol, target)?;
            }
            kernel.clear();
            *self.next.get_mut(symbol)? = kernel;
        }
        Some(())
    }

    /// The state that a kernel represents.
    fn target(&mut self, kernel: &mut Vec<u32>, word: bool) -> Option<u16> {
        if !self.program.anchored {
            kernel.push(self.program.start);
        }
        if kernel.is_empty() {
            return Some(DEAD);
        }
        self.work += to_u64(kernel.len());
        kernel.sort_unstable();
        kernel.dedup();
        let before = if word { Before::Word } else { Before::Other };
        self.state(before, kernel)
    }

    fn set(&mut self, at: usize, state: u16) -> Option<()> {
        *self.table.get_mut(at)? = state;
        Some(())
    }
}

/// FNV-1a over words: not keyed, since collisions only cost work that is counted.
fn hash(before: Before, kernel: &[u32]) -> u64 {
    let seed = match before {
        Before::Start => 1,
        Before::Other => 2,
        Before::Word => 3,
    };
    kernel.iter().fold(seed, |hash: u64, at| {
        (hash ^ u64::from(*at))
            .wrapping_mul(0x0100_0000_01B3)
            .rotate_left(23)
    })
}

const DEAD: u16 = 0;
const MATCHED: u16 = 1;
const FIRST: u16 = 2;
/// The most entries in a table: 64 KiB, and every offset fits 16 bits.
pub(crate) const MAX_TABLE: usize = 32 << 10;
