//! Unicode simple case folding, `Canonicalize` of ECMA-262 under the `u` flag.

use std::sync::OnceLock;

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

use crate::property;
use crate::set::CodeSet;

/// The code points, if any, that fold as this one does, itself excluded.
pub(crate) fn alike(c: u32) -> &'static [u32] {
    let table = table();
    match table.binary_search_by_key(&c, |entry| entry.0) {
        Ok(found) => table.get(found).map_or(&[], |entry| &entry.1),
        Err(_) => &[],
    }
}

/// Every code point that folds as another does, in order, with the others.
pub(crate) fn table() -> &'static [(u32, Vec<u32>)] {
    static TABLE: OnceLock<Vec<(u32, Vec<u32>)>> = OnceLock::new();
    TABLE.get_or_init(build)
}

/// Asks `regex-syntax` about every code point that has to do with case: once,
/// in a millisecond, since asking it about large sets takes as long each time.
fn build() -> Vec<(u32, Vec<u32>)> {
    let mut candidates = CodeSet::default();
    for name in [
        "Cased",
        "Changes_When_Casefolded",
        "Changes_When_Casemapped",
    ] {
        candidates.union(&property::set(name).unwrap_or_default());
    }
    candidates.normalise();
    let mut table = Vec::new();
    for &(low, high) in candidates.ranges() {
        for c in low..=high {
            let Some(single) = char::from_u32(c) else {
                continue;
            };
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(single, single)]);
            if class.try_case_fold_simple().is_err() {
                continue;
            }
            let members = class.ranges().iter();
            let others: Vec<u32> = members
                .flat_map(|range| u32::from(range.start())..=u32::from(range.end()))
                .filter(|other| *other != c)
                .collect();
            if !others.is_empty() {
                table.push((c, others));
            }
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_tables_on_every_code_point() {
        for c in '\0'..=char::MAX {
            let mut class = ClassUnicode::new([ClassUnicodeRange::new(c, c)]);
            class.try_case_fold_simple().unwrap();
            let size: usize = class.ranges().iter().map(ClassUnicodeRange::len).sum();
            assert_eq!(size, alike(u32::from(c)).len() + 1, "{c:?}");
        }
    }

    #[test]
    fn known_orbits() {
        assert_eq!(alike(u32::from('k')), [0x4B, 0x212A]);
        assert_eq!(alike(u32::from('ß')), [0x1E9E]);
        assert_eq!(alike(u32::from('1')), []);
    }
}
