//! The tables of Unicode that `build.rs` packs, and the sets in them.

use crate::set::{CodeSet, LAST};

use super::list::place_of;
use super::names::{BINARY, CATEGORIES, SCRIPTS};

/// The set of a category, by its name; `None` if there is none.
pub(super) fn category(name: &str) -> Option<CodeSet> {
    let place = place_of(CATEGORIES, name)?;
    let mut table = Table(CATEGORY_RUNS);
    let runs = table.runs()?;
    let bits = table.at(place)?;
    Some(of_runs(&runs, |index| bits >> index & 1 == 1))
}

/// The set of a script, by its name, or of what the script is used for.
pub(super) fn script(name: &str, extended: bool) -> Option<CodeSet> {
    let place = place_of(SCRIPTS, name)?;
    let mut table = Table(SCRIPT_RUNS);
    let runs = table.runs()?;
    let script = table.at(place)?;
    let set = of_runs(&runs, |index| index == script);
    if !extended {
        return Some(set);
    }
    let mut table = Table(EXTENSIONS);
    for _ in 0..script {
        table.skip_ranges()?;
    }
    Some(set.exclusive_or(&table.ranges()?))
}

/// The set of a binary property, by its name.
pub(super) fn binary(name: &str) -> Option<CodeSet> {
    let place = place_of(BINARY, name)?;
    let mut table = Table(BINARY_SETS);
    let sets = table.number()?;
    let mut first = Table(table.0);
    for _ in 0..sets {
        table.skip_ranges()?;
    }
    for _ in 0..table.at(place)? {
        first.skip_ranges()?;
    }
    first.ranges()
}

/// The code points that fold together, in the order of their first.
pub(crate) fn orbits() -> Option<Vec<Vec<u32>>> {
    let mut table = Table(ORBITS);
    let count = table.number()?;
    let mut last = 0;
    (0..count)
        .map(|_| {
            let mut orbit = Vec::new();
            let mut member: u32 = last;
            loop {
                match table.number()? {
                    0 => break,
                    more => member = member.checked_add(more)?,
                }
                orbit.push(member);
            }
            last = *orbit.first()?;
            Some(orbit)
        })
        .collect()
}

/// A run of code points: the first, the last, and the index of their set.
type Run = (u32, u32, u32);

fn of_runs(runs: &[Run], has: impl Fn(u32) -> bool) -> CodeSet {
    let mut set = CodeSet::default();
    for &(low, high, index) in runs {
        if has(index) {
            set.add(low, high);
        }
    }
    set.normalise();
    set
}

/// What is left of a table.
struct Table(&'static [u8]);

impl Table {
    /// The next number.
    fn number(&mut self) -> Option<u32> {
        let mut number = 0;
        for shift in [0, 7, 14, 21, 28] {
            let (byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= u32::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// The number after so many others.
    fn at(&mut self, place: usize) -> Option<u32> {
        for _ in 0..place {
            self.number()?;
        }
        self.number()
    }

    fn ranges(&mut self) -> Option<CodeSet> {
        let count = self.number()?;
        let mut set = CodeSet::default();
        let mut next = 0_u32;
        for _ in 0..count {
            let low = next.checked_add(self.number()?)?;
            let high = low.checked_add(self.number()?)?;
            set.add(low, high);
            next = high.checked_add(1)?;
        }
        Some(set)
    }

    fn skip_ranges(&mut self) -> Option<()> {
        for _ in 0..self.number()? {
            self.number()?;
            self.number()?;
        }
        Some(())
    }

    /// Runs that cover all code points.
    fn runs(&mut self) -> Option<Vec<Run>> {
        let mut runs = Vec::new();
        let mut next = 0_u32;
        while next <= LAST {
            let low = next;
            next = next.checked_add(self.number()?)?;
            runs.push((low, next.checked_sub(1)?, self.number()?));
        }
        Some(runs)
    }
}

static CATEGORY_RUNS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/categories.bin"));
static SCRIPT_RUNS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/scripts.bin"));
static EXTENSIONS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/extensions.bin"));
static BINARY_SETS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/binary.bin"));
static ORBITS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/orbits.bin"));
