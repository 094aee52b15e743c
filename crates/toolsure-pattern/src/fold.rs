//! Unicode simple case folding, `Canonicalize` of ECMA-262 under the `u` flag.
//!
//! Without the feature `unicode` there is no table, and patterns that ignore case are not
//! supported: see [`TABLE`].

use std::sync::OnceLock;

#[cfg(feature = "unicode")]
use crate::property::tables;
use crate::set::CodeSet;

/// Whether there is a case folding table.
pub(crate) const TABLE: bool = cfg!(feature = "unicode");

/// The sets of code points that fold to the same code point.
#[derive(Debug, Default)]
pub(crate) struct Orbits {
    /// Every code point that folds with others, in order, and the index of its orbit.
    points: Vec<(u32, usize)>,
    orbits: Vec<Vec<u32>>,
}

/// The orbit of a code point, including itself; empty if it folds alone, `None` if there is no
/// table.
pub(crate) fn orbit(c: u32) -> Option<&'static [u32]> {
    let table = table()?;
    match table.points.binary_search_by_key(&c, |point| point.0) {
        Err(_) => Some(&[]),
        Ok(at) => {
            let (_, place) = table.points.get(at)?;
            table.orbits.get(*place).map(Vec::as_slice)
        }
    }
}

/// Adds to a set every code point that folds to the same code point as a member; `None` if there is
/// no table.
pub(crate) fn close(set: &mut CodeSet) -> Option<()> {
    set.normalise();
    for c in equivalents(set.ranges())? {
        set.add(c, c);
    }
    set.normalise();
    Some(())
}

/// The code points of every orbit that is partly in a sorted set; `None` if there is no table.
fn equivalents(ranges: &[(u32, u32)]) -> Option<Vec<u32>> {
    let table = table()?;
    let mut met = vec![0_usize; table.orbits.len()];
    let mut ranges = ranges.iter().peekable();
    for (c, place) in &table.points {
        while ranges.next_if(|range| range.1 < *c).is_some() {}
        match ranges.peek() {
            None => break,
            Some(range) if range.0 <= *c => *met.get_mut(*place)? += 1,
            Some(_) => {}
        }
    }
    let mut out = Vec::new();
    for (orbit, met) in table.orbits.iter().zip(met) {
        if met > 0 && met < orbit.len() {
            out.extend(orbit);
        }
    }
    Some(out)
}

fn table() -> Option<&'static Orbits> {
    static TABLE: OnceLock<Option<Orbits>> = OnceLock::new();
    TABLE.get_or_init(build).as_ref()
}

/// No table: no caller gets here, because [`TABLE`] is false.
#[cfg(not(feature = "unicode"))]
fn build() -> Option<Orbits> {
    None
}

/// Reads the table. `None` if it is damaged.
#[cfg(feature = "unicode")]
fn build() -> Option<Orbits> {
    let orbits = tables::orbits()?;
    let places = orbits.iter().enumerate();
    let mut points: Vec<(u32, usize)> = places
        .flat_map(|(place, orbit)| orbit.iter().map(move |c| (*c, place)))
        .collect();
    points.sort_unstable();
    Some(Orbits { points, orbits })
}

#[cfg(all(test, feature = "unicode"))]
mod tests {
    use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

    use super::*;

    #[test]
    fn agrees_with_the_tables_on_every_code_point() {
        for c in '\0'..=char::MAX {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            class.try_case_fold_simple().unwrap();
            let size: usize = class.ranges().iter().map(ClassUnicodeRange::len).sum();
            assert_eq!(size, orbit(u32::from(c)).unwrap().len().max(1), "{c:?}");
        }
    }

    #[test]
    fn known_orbits() {
        assert_eq!(orbit(u32::from('k')).unwrap(), [0x4B, 0x6B, 0x212A]);
        assert_eq!(orbit(u32::from('ß')).unwrap(), [0xDF, 0x1E9E]);
        assert!(orbit(u32::from('1')).unwrap().is_empty());
    }
}
