//! The alphabet of a program: code points that no instruction distinguishes share one symbol.

use std::collections::BTreeMap;

use crate::ast::{Ast, ClassId};
use crate::linear::{Op, Program};
use crate::set::{LAST, WORD};

/// Maps code points to symbols, and sets to the symbols that they contain.
#[derive(Debug)]
pub(crate) struct Alphabet {
    /// Indexed by byte, so that no index needs a check; only those below 128 are filled in.
    ascii: Box<[u8; 256]>,
    /// The first code point of each range from U+0080 on, and its symbol.
    starts: Box<[u32]>,
    symbols: Box<[u8]>,
    /// The number of symbols.
    pub(crate) len: usize,
    /// The symbols of each set of the program.
    members: BTreeMap<Set, Vec<u8>>,
    words: Vec<bool>,
}

/// A set of code points that an instruction names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Set {
    Char(u32),
    Class(ClassId),
}

impl Alphabet {
    /// The alphabet of a program; `None` if it has more than [`MAX_SYMBOLS`] symbols or finding it
    /// would take more than [`MAX_WORK`].
    pub(crate) fn of(ast: &Ast, program: &Program) -> Option<Self> {
        let mut sets: BTreeMap<Set, u32> = BTreeMap::new();
        for op in &program.code {
            let set = match *op {
                Op::Char(c, _) => Set::Char(c),
                Op::Class(class, _) => Set::Class(class),
                _ => continue,
            };
            let next = toolsure_json::int::to_u32(sets.len());
            sets.entry(set).or_insert(next);
            if sets.len() > MAX_SETS {
                return None;
            }
        }
        // Where each set begins and ends; the last bit represents `\w`.
        let words = toolsure_json::int::to_u32(sets.len());
        let mut edges: Vec<(u32, u32)> = Vec::new();
        let mut edge = |low: u32, high: u32, set: u32| {
            edges.push((low, set));
            edges.push((high + 1, set));
        };
        for (set, index) in &sets {
            match *set {
                Set::Char(c) => edge(c, c, *index),
                Set::Class(class) => {
                    for &(low, high) in ast.class(class).ranges() {
                        edge(low, high, *index);
                    }
                }
            }
        }
        if program.words {
            for &(low, high) in WORD {
                edge(low, high, words);
            }
        }
        edges.sort_unstable();
        let signature_words = sets.len() / 64 + 1;
        if edges.len().saturating_mul(signature_words) > MAX_WORK {
            return None;
        }
        Self::sweep(&edges, &sets, words, signature_words)
    }

    fn sweep(
        edges: &[(u32, u32)],
        sets: &BTreeMap<Set, u32>,
        words: u32,
        signature_words: usize,
    ) -> Option<Self> {
        let mut signature = vec![0_u64; signature_words];
        let mut known: BTreeMap<Vec<u64>, u8> = BTreeMap::new();
        let mut out = Self {
            ascii: Box::new([0; 256]),
            starts: Box::default(),
            symbols: Box::default(),
            len: 0,
            members: BTreeMap::new(),
            words: Vec::new(),
        };
        let (mut starts, mut symbols) = (Vec::new(), Vec::new());
        let mut edges = edges.iter().peekable();
        let mut at = 0;
        while at <= LAST {
            while let Some((_, set)) = edges.next_if(|edge| edge.0 <= at) {
                let word = signature.get_mut(toolsure_json::int::to_usize(set / 64))?;
                *word ^= 1 << (set % 64);
            }
            let next = edges.peek().map_or(LAST + 1, |edge| edge.0);
            let symbol = match known.get(&signature) {
                Some(symbol) => *symbol,
                None => {
                    let symbol = u8::try_from(known.len()).ok()?;
                    if known.len() >= MAX_SYMBOLS {
                        return None;
                    }
                    known.insert(signature.clone(), symbol);
                    symbol
                }
            };
            for slot in out
                .ascii
                .iter_mut()
                .take(toolsure_json::int::to_usize(next.min(128)))
                .skip(toolsure_json::int::to_usize(at))
            {
                *slot = symbol;
            }
            if next > 128 && symbols.last() != Some(&symbol) {
                starts.push(at.max(128));
                symbols.push(symbol);
            }
            at = next;
        }
        let has = |signature: &[u64], set: u32| {
            let word = signature.get(toolsure_json::int::to_usize(set / 64));
            word.map(|word| word >> (set % 64) & 1 == 1)
        };
        let mut word_symbols = vec![false; known.len()];
        for (signature, symbol) in &known {
            *word_symbols.get_mut(usize::from(*symbol))? = has(signature, words)?;
        }
        for (set, index) in sets {
            let mut members = Vec::new();
            for (signature, symbol) in &known {
                if has(signature, *index)? {
                    members.push(*symbol);
                }
            }
            out.members.insert(*set, members);
        }
        out.len = known.len();
        out.words = word_symbols;
        out.starts = starts.into_boxed_slice();
        out.symbols = symbols.into_boxed_slice();
        Some(out)
    }

    /// The symbol of an ASCII byte.
    #[inline]
    pub(crate) fn ascii(&self, byte: u8) -> u8 {
        self.ascii.get(usize::from(byte)).copied().unwrap_or(0)
    }

    /// The symbol of a code point from U+0080 on; `None` if it is in no range.
    #[inline]
    pub(crate) fn wide(&self, c: u32) -> Option<u8> {
        let after = self.starts.partition_point(|start| *start <= c);
        self.symbols.get(after.checked_sub(1)?).copied()
    }

    /// The symbols that this instruction consumes; `None` if it consumes no character, or one of a
    /// set that is not in the alphabet.
    pub(crate) fn taken(&self, op: Op) -> Option<&[u8]> {
        let set = match op {
            Op::Char(c, _) => Set::Char(c),
            Op::Class(class, _) => Set::Class(class),
            Op::Split(..) | Op::Assert(..) | Op::Match => return None,
        };
        self.members.get(&set).map(Vec::as_slice)
    }

    /// Whether a symbol represents characters of `\w`; `None` if it is not a symbol.
    pub(crate) fn is_word(&self, symbol: usize) -> Option<bool> {
        self.words.get(symbol).copied()
    }

    /// Drops the data that only the construction of an automaton needs.
    pub(crate) fn seal(&mut self) {
        self.members = BTreeMap::new();
        self.words = Vec::new();
    }
}

/// The most symbols: they must fit in a byte, and rows must stay short.
const MAX_SYMBOLS: usize = 128;
/// The most distinct sets in a program.
const MAX_SETS: usize = 1_024;
/// The most 64-bit words that the sweep compares: about a millisecond.
const MAX_WORK: usize = 1 << 16;
