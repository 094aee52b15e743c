//! Every matcher against a backtracker of a few lines, on random patterns.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

use toolsure_pattern::{Limits, Pattern};

/// A pattern as a tree.
#[derive(Debug)]
enum Tree {
    Char(char),
    /// Its text, and its members among [`LETTERS`].
    Class(&'static str, &'static str),
    Assert(&'static str),
    Group(Box<Tree>),
    Row(Vec<Tree>),
    Either(Vec<Tree>),
    Repeat(Box<Tree>, usize, usize, bool),
    Look(&'static str, Box<Tree>),
}

const LETTERS: &str = "ab_-é😀\n";
const CLASSES: [(&str, &str); 9] = [
    ("[ab]", "ab"),
    ("[^a]", "b_-é😀\n"),
    (".", "ab_-é😀"),
    (r"\w", "ab_"),
    (r"\W", "-é😀\n"),
    (r"\s", "\n"),
    (r"[^\w-]", "é😀\n"),
    (r"\p{L}", "abé"),
    ("[]", ""),
];
const NONE: usize = usize::MAX;

/// A random number generator: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    fn letter(&mut self) -> char {
        let favourites = "aaabbb";
        let all: Vec<char> = favourites.chars().chain(LETTERS.chars()).collect();
        all[self.below(all.len())]
    }

    fn tree(&mut self, depth: usize, looks: bool) -> Tree {
        let choice = self.below(if depth == 0 { 8 } else { 20 });
        match choice {
            0..=3 => Tree::Char(self.letter()),
            4..=6 => {
                let (text, members) = CLASSES[self.below(CLASSES.len())];
                Tree::Class(text, members)
            }
            7 => Tree::Assert(["^", "$", r"\b", r"\B"][self.below(4)]),
            8..=12 => {
                let len = self.below(4);
                Tree::Row((0..len).map(|_| self.tree(depth - 1, looks)).collect())
            }
            13..=14 => {
                let len = 2 + self.below(2);
                Tree::Either((0..len).map(|_| self.tree(depth - 1, looks)).collect())
            }
            15 if looks => {
                let kind = ["?=", "?!", "?<=", "?<!"][self.below(4)];
                Tree::Look(kind, Box::new(self.tree(depth - 1, looks)))
            }
            15..=16 => Tree::Group(Box::new(self.tree(depth - 1, looks))),
            _ => {
                let (min, max) = [
                    (0, NONE),
                    (1, NONE),
                    (0, 1),
                    (2, 2),
                    (1, 3),
                    (0, 2),
                    (2, NONE),
                ][self.below(7)];
                let greedy = self.below(4) > 0;
                Tree::Repeat(Box::new(self.tree(depth - 1, looks)), min, max, greedy)
            }
        }
    }
}

fn print(tree: &Tree, out: &mut String) {
    match tree {
        Tree::Char(c) => out.push(*c),
        Tree::Class(text, _) | Tree::Assert(text) => out.push_str(text),
        Tree::Group(inner) => {
            out.push('(');
            print(inner, out);
            out.push(')');
        }
        Tree::Row(trees) => trees.iter().for_each(|tree| print(tree, out)),
        Tree::Either(trees) => {
            out.push_str("(?:");
            for (index, tree) in trees.iter().enumerate() {
                if index > 0 {
                    out.push('|');
                }
                print(tree, out);
            }
            out.push(')');
        }
        Tree::Repeat(inner, min, max, greedy) => {
            out.push_str("(?:");
            print(inner, out);
            out.push(')');
            match (*min, *max) {
                (0, NONE) => out.push('*'),
                (min, NONE) => out.push_str(&format!("{{{min},}}")),
                (min, max) => out.push_str(&format!("{{{min},{max}}}")),
            }
            if !greedy {
                out.push('?');
            }
        }
        Tree::Look(kind, inner) => {
            out.push('(');
            out.push_str(kind);
            print(inner, out);
            out.push(')');
        }
    }
}

/// Where matches from `at` can end; looking back, where they can begin.
fn ends(tree: &Tree, text: &[char], at: usize, back: bool) -> Vec<usize> {
    let one = |holds: &dyn Fn(char) -> bool| {
        let (from, to) = if back {
            (at.wrapping_sub(1), at.wrapping_sub(1))
        } else {
            (at, at + 1)
        };
        match text.get(from) {
            Some(c) if holds(*c) => vec![to],
            _ => vec![],
        }
    };
    match tree {
        Tree::Char(expected) => one(&|c| c == *expected),
        Tree::Class(_, members) => one(&|c| members.contains(c)),
        Tree::Assert(kind) => {
            let word = |at: usize| {
                text.get(at)
                    .is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_')
            };
            let boundary = word(at.wrapping_sub(1)) != word(at);
            let holds = match *kind {
                "^" => at == 0,
                "$" => at == text.len(),
                r"\b" => boundary,
                _ => !boundary,
            };
            if holds { vec![at] } else { vec![] }
        }
        Tree::Group(inner) => ends(inner, text, at, back),
        Tree::Row(trees) => {
            let mut order: Vec<&Tree> = trees.iter().collect();
            if back {
                order.reverse();
            }
            order.iter().fold(vec![at], |places, tree| {
                each(&places, |at| ends(tree, text, at, back))
            })
        }
        Tree::Either(trees) => each(&(0..trees.len()).collect::<Vec<_>>(), |index| {
            ends(&trees[index], text, at, back)
        }),
        Tree::Repeat(inner, min, max, _) => {
            let mut places = vec![at];
            for _ in 0..*min {
                places = each(&places, |at| ends(inner, text, at, back));
            }
            let mut all = places.clone();
            // More rounds than characters bring nothing new.
            for _ in 0..(max - min).min(text.len() + 1) {
                places = each(&places, |at| ends(inner, text, at, back));
                all.extend(&places);
            }
            each(&all, |at| vec![at])
        }
        Tree::Look(kind, inner) => {
            let found = !ends(inner, text, at, kind.contains('<')).is_empty();
            if found != kind.contains('!') {
                vec![at]
            } else {
                vec![]
            }
        }
    }
}

fn each(places: &[usize], step: impl Fn(usize) -> Vec<usize>) -> Vec<usize> {
    let mut out: Vec<usize> = places.iter().flat_map(|at| step(*at)).collect();
    out.sort_unstable();
    out.dedup();
    out
}

fn compare(seed: u64, rounds: usize, looks: bool) {
    let mut random = Random(seed);
    let mut found = 0;
    for _ in 0..rounds {
        let depth = 1 + random.below(4);
        let tree = random.tree(depth, looks);
        let mut text = String::new();
        match random.below(4) {
            0 => text.push('^'),
            1 => text.push_str("^(?!b)"),
            _ => {}
        }
        let (start, not_b) = (text.starts_with('^'), text.len() > 1);
        let mut body = String::new();
        print(&tree, &mut body);
        text.push_str(&format!("(?:{body})"));
        let end = random.below(3) == 0;
        if end {
            text.push('$');
        }
        let pattern = Pattern::new(&text, &Limits::default()).unwrap();
        for _ in 0..6 {
            let len = random.below(9);
            let haystack: String = (0..len).map(|_| random.letter()).collect();
            let chars: Vec<char> = haystack.chars().collect();
            let last = if start { 0 } else { chars.len() };
            let expected = !(not_b && haystack.starts_with('b'))
                && (0..=last).any(|at| {
                    let ends = ends(&tree, &chars, at, false);
                    ends.iter().any(|at| !end || *at == chars.len())
                });
            let mut fuel = 10_000_000;
            let answer = pattern.matches(&haystack, &mut fuel);
            assert_eq!(answer, Some(expected), "`{text}` in {haystack:?}");
            found += usize::from(expected);
        }
    }
    assert!(
        found > rounds && found < 5 * rounds,
        "{found} of {}",
        6 * rounds
    );
}

#[test]
fn linear_matchers_agree_with_the_reference() {
    compare(1, 8_000, false);
}

#[test]
fn lookarounds_agree_with_the_reference() {
    compare(2, 8_000, true);
}
