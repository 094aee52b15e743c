//! The packed tables.
//!
//! | table | what it has |
//! |---|---|
//! | `categories` | runs of code points of one category: length, index in `LEAVES`; then for each name in `CATEGORIES` the indices, as bits |
//! | `scripts` | runs of one script: length, index; then for each name in `SCRIPTS` its index |
//! | `extensions` | for each script the ranges in which `Script_Extensions` differs from `Script` |
//! | `binary` | the number of sets, and their ranges; then for each name in `BINARY` the index of its set |
//! | `orbits` | the number of orbits; of each the first code point, after the last orbit's, and the others, each after the one before, and 0 |
//!
//! Ranges are their number, and for each its distance from the end of the last and its length.

use std::collections::HashMap;
use std::env;
use std::error::Error;
use std::fs;
use std::path::Path;

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, HirKind};

#[path = "../src/property/names.rs"]
mod names;

use names::{BINARY, CATEGORIES, SCRIPTS};

/// Inclusive ranges, in order.
type Ranges = Vec<(u32, u32)>;

pub(super) fn write() -> Result<(), Box<dyn Error>> {
    let folder = env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    let folder = Path::new(&folder);
    fs::write(folder.join("categories.bin"), categories()?)?;
    let (scripts, extensions) = scripts()?;
    fs::write(folder.join("scripts.bin"), scripts)?;
    fs::write(folder.join("extensions.bin"), extensions)?;
    fs::write(folder.join("binary.bin"), binary()?)?;
    fs::write(folder.join("orbits.bin"), orbits()?)?;
    Ok(())
}

fn categories() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut leaves = Vec::new();
    for name in LEAVES {
        // A table of scalar values has no surrogates.
        leaves.push(match *name {
            "Cs" => vec![SURROGATES],
            name => ranges(&format!(r"\p{{gc={name}}}"))?,
        });
    }
    let mut out = partition(&leaves)?;
    for name in CATEGORIES.split(' ') {
        let set = match name {
            "Cs" | "Surrogate" => vec![SURROGATES],
            // Which has surrogates as well.
            "C" | "Other" => with(ranges(r"\p{gc=C}")?, SURROGATES),
            name => ranges(&format!(r"\p{{gc={name}}}"))?,
        };
        let has = |leaf: &Ranges| leaf.first().is_some_and(|(low, _)| contains(&set, *low));
        let bits = leaves
            .iter()
            .rev()
            .fold(0, |bits, leaf| bits << 1 | u32::from(has(leaf)));
        push(&mut out, bits);
    }
    Ok(out)
}

fn scripts() -> Result<(Vec<u8>, Vec<u8>), Box<dyn Error>> {
    let mut sets: Vec<Ranges> = Vec::new();
    let mut extended: Vec<Ranges> = Vec::new();
    let mut indices = Vec::new();
    for name in SCRIPTS.split(' ') {
        // Code points without a script (UAX 24, section 2.1), for which there is no table.
        let unknown = matches!(name, "Unknown" | "Zzzz");
        let of = |property: &str| match unknown {
            true => Ok(with(ranges(r"[\p{gc=Cn}\p{gc=Co}]")?, SURROGATES)),
            false => ranges(&format!(r"\p{{{property}={name}}}")),
        };
        let set = of("sc")?;
        let index = sets.iter().position(|one| *one == set);
        let index = match index {
            Some(index) => index,
            None => {
                sets.push(set);
                extended.push(of("scx")?);
                sets.len() - 1
            }
        };
        indices.push(u32::try_from(index)?);
    }
    let mut out = partition(&sets)?;
    for index in indices {
        push(&mut out, index);
    }
    let mut extensions = Vec::new();
    for (set, extended) in sets.iter().zip(&extended) {
        push_ranges(&mut extensions, &difference(set, extended))?;
    }
    Ok((out, extensions))
}

fn binary() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut sets: Vec<Ranges> = Vec::new();
    let mut indices = Vec::new();
    for name in BINARY.split(' ') {
        let mut set = ranges(&format!(r"\p{{{name}}}"))?;
        // ECMA-262 has code points, and the tables scalar values.
        if name == "Any" {
            set = with(set, SURROGATES);
        }
        let index = sets
            .iter()
            .position(|one| *one == set)
            .unwrap_or(sets.len());
        if index == sets.len() {
            sets.push(set);
        }
        indices.push(u32::try_from(index)?);
    }
    let mut out = Vec::new();
    push(&mut out, u32::try_from(sets.len())?);
    for set in &sets {
        push_ranges(&mut out, set)?;
    }
    for index in indices {
        push(&mut out, index);
    }
    Ok(out)
}

fn orbits() -> Result<Vec<u8>, Box<dyn Error>> {
    let mut orbits: Vec<Vec<u32>> = Vec::new();
    for single in ranges(r"[\p{Cased}\p{CWCF}\p{CWCM}]")?
        .into_iter()
        .flat_map(|(low, high)| low..=high)
        .filter_map(char::from_u32)
    {
        let mut class = ClassUnicode::new([ClassUnicodeRange::new(single, single)]);
        class.try_case_fold_simple()?;
        let members = class.ranges().iter();
        let orbit: Vec<u32> = members
            .flat_map(|range| u32::from(range.start())..=u32::from(range.end()))
            .collect();
        // Adds each orbit once, at its first member.
        if orbit.len() > 1 && orbit.first() == Some(&u32::from(single)) {
            orbits.push(orbit);
        }
    }
    let mut out = Vec::new();
    push(&mut out, u32::try_from(orbits.len())?);
    let mut last = 0;
    for orbit in orbits {
        let mut before = last;
        last = orbit.first().copied().unwrap_or(last);
        for member in orbit {
            push(&mut out, member - before);
            before = member;
        }
        push(&mut out, 0);
    }
    Ok(out)
}

/// The set of a class of `regex-syntax`.
fn ranges(class: &str) -> Result<Ranges, Box<dyn Error>> {
    let hir = regex_syntax::parse(class)?;
    Ok(match hir.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            let ranges = class.ranges().iter();
            ranges
                .map(|range| (u32::from(range.start()), u32::from(range.end())))
                .collect()
        }
        HirKind::Class(Class::Bytes(class)) => {
            let ranges = class.ranges().iter();
            ranges
                .map(|range| (u32::from(range.start()), u32::from(range.end())))
                .collect()
        }
        HirKind::Literal(literal) => {
            let characters = std::str::from_utf8(&literal.0)?.chars();
            characters.map(|c| (u32::from(c), u32::from(c))).collect()
        }
        other => return Err(format!("{class} is {other:?}").into()),
    })
}

/// The set with one more range.
fn with(mut set: Ranges, range: (u32, u32)) -> Ranges {
    set.push(range);
    set.sort_unstable();
    let mut joined: Ranges = Vec::new();
    for (low, high) in set {
        match joined.last_mut() {
            Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
            _ => joined.push((low, high)),
        }
    }
    joined
}

fn contains(set: &Ranges, c: u32) -> bool {
    set.iter().any(|(low, high)| (*low..=*high).contains(&c))
}

/// What is in one of two sets alone.
fn difference(one: &Ranges, other: &Ranges) -> Ranges {
    // Where the membership changes in either.
    let mut changes: HashMap<u32, usize> = HashMap::new();
    for (low, high) in one.iter().chain(other) {
        *changes.entry(*low).or_default() += 1;
        *changes.entry(high + 1).or_default() += 1;
    }
    let mut places: Vec<u32> = changes
        .into_iter()
        .filter(|(_, times)| times % 2 == 1)
        .map(|(at, _)| at)
        .collect();
    places.sort_unstable();
    let (starts, ends) = (places.iter().step_by(2), places.iter().skip(1).step_by(2));
    starts
        .zip(ends)
        .map(|(start, end)| (*start, end - 1))
        .collect()
}

/// Runs of code points that are in the same set of a partition.
fn partition(sets: &[Ranges]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut runs: Vec<(u32, u32, usize)> = Vec::new();
    for (index, set) in sets.iter().enumerate() {
        runs.extend(set.iter().map(|(low, high)| (*low, *high, index)));
    }
    runs.sort_unstable();
    let mut out = Vec::new();
    let mut next = 0;
    for (low, high, index) in runs {
        if low != next {
            return Err(format!("U+{next:04X} is in no set, or in two").into());
        }
        push(&mut out, high - low + 1);
        push(&mut out, u32::try_from(index)?);
        next = high + 1;
    }
    match next {
        0x11_0000 => Ok(out),
        _ => Err(format!("U+{next:04X} is in no set").into()),
    }
}

fn push_ranges(out: &mut Vec<u8>, set: &Ranges) -> Result<(), Box<dyn Error>> {
    push(out, u32::try_from(set.len())?);
    let mut next = 0;
    for (low, high) in set {
        push(out, low - next);
        push(out, high - low);
        next = high + 1;
    }
    Ok(())
}

/// Writes a number: seven bits a byte, the lowest first; the highest bit says that there are more.
fn push(out: &mut Vec<u8>, mut number: u32) {
    while number > 0x7F {
        let [low, ..] = number.to_le_bytes();
        out.push(low | 0x80);
        number >>= 7;
    }
    let [low, ..] = number.to_le_bytes();
    out.push(low);
}

const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

/// The categories that no other category is a part of.
const LEAVES: &[&str] = &[
    "Cc", "Cf", "Cn", "Co", "Cs", "Ll", "Lm", "Lo", "Lt", "Lu", "Mc", "Me", "Mn", "Nd", "Nl", "No",
    "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "Sc", "Sk", "Sm", "So", "Zl", "Zp", "Zs",
];
