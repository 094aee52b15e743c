//! `\p{…}`: the property names that ECMA-262 lists, and their sets.
//!
//! ECMA-262 accepts names exactly as Unicode spells them (tables
//! `table-nonbinary-unicode-properties` and `table-binary-unicode-properties`): no other case, no
//! omitted underscore. Without the feature `unicode` only the sets that need no table are known.

mod list;
mod names;
#[cfg(feature = "unicode")]
pub(crate) mod tables;

use list::place_of;
use names::{BINARY, CATEGORIES, SCRIPTS};

use crate::set::CodeSet;

/// The result of looking up a property expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lookup {
    /// A property whose set can be built.
    Known,
    /// A property that ECMA-262 lists but the available tables lack.
    Unsupported,
    /// Not listed by ECMA-262.
    Unknown,
}

/// Whether ECMA-262 lists this expression, the text between the braces.
pub(crate) fn look_up(expression: &str) -> Lookup {
    let known = match expression.split_once('=') {
        Some(("General_Category" | "gc", value)) => listed(CATEGORIES, value),
        Some(("Script" | "sc" | "Script_Extensions" | "scx", value)) => listed(SCRIPTS, value),
        Some(_) => false,
        None if matches!(expression, "Changes_When_NFKC_Casefolded" | "CWKCF") => {
            return Lookup::Unsupported;
        }
        None => listed(CATEGORIES, expression) || listed(BINARY, expression),
    };
    match known {
        true if cfg!(feature = "unicode") || without_table(expression).is_some() => Lookup::Known,
        true => Lookup::Unsupported,
        false => Lookup::Unknown,
    }
}

/// The set of a property expression for which [`look_up`] returns `Known`.
#[cfg(not(feature = "unicode"))]
pub(crate) fn set(expression: &str) -> Option<CodeSet> {
    without_table(expression).map(CodeSet::of)
}

/// The properties whose ranges are simple enough to be written here.
fn without_table(expression: &str) -> Option<&'static [(u32, u32)]> {
    match expression {
        "Any" => Some(&[(0, 0x10_FFFF)]),
        "ASCII" => Some(&[(0, 0x7F)]),
        "ASCII_Hex_Digit" | "AHex" => Some(&[(0x30, 0x39), (0x41, 0x46), (0x61, 0x66)]),
        _ => None,
    }
}

/// The set of a property expression for which [`look_up`] returns `Known`.
#[cfg(feature = "unicode")]
pub(crate) fn set(expression: &str) -> Option<CodeSet> {
    match expression.split_once('=') {
        Some(("General_Category" | "gc", value)) => tables::category(value),
        Some(("Script" | "sc", value)) => tables::script(value, false),
        Some((_, value)) => tables::script(value, true),
        // A category before a property: their names are different.
        None => tables::category(expression).or_else(|| tables::binary(expression)),
    }
}

/// The message of an internal error if a set is requested that [`look_up`] does not know, or that
/// the tables lack after all.
pub(crate) const MISSING: &str = "a table of Unicode is missing";

/// Whether a space-separated list contains exactly this name.
fn listed(list: &str, name: &str) -> bool {
    place_of(list, name).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "unicode")]
    const SURROGATES: (u32, u32) = (0xD800, 0xDFFF);

    #[test]
    fn sets_without_a_table_are_those_of_the_tables() {
        for expression in ["Any", "ASCII", "ASCII_Hex_Digit", "AHex"] {
            assert_eq!(look_up(expression), Lookup::Known);
            let written = CodeSet::of(without_table(expression).unwrap());
            assert_eq!(set(expression).unwrap().ranges(), written.ranges());
        }
    }

    /// No listed name may cause an internal error when a pattern is read, and each set is that of the library.
    #[cfg(feature = "unicode")]
    #[test]
    fn each_listed_property_has_its_set() {
        let names = |list: &'static str| list.split(' ');
        let categories = names(CATEGORIES)
            .flat_map(|name| ["", "gc=", "General_Category="].map(|key| format!("{key}{name}")));
        let scripts = names(SCRIPTS).flat_map(|name| {
            ["sc=", "Script=", "scx=", "Script_Extensions="].map(|key| format!("{key}{name}"))
        });
        let binary = names(BINARY).map(str::to_owned);
        for expression in categories.chain(scripts).chain(binary) {
            assert_eq!(look_up(&expression), Lookup::Known, "{expression}");
            let packed = set(&expression).unwrap();
            assert_eq!(packed.ranges(), of_library(&expression), "{expression}");
        }
    }

    /// The set of an expression in the library from which the tables are packed.
    #[cfg(feature = "unicode")]
    fn of_library(expression: &str) -> Vec<(u32, u32)> {
        use regex_syntax::hir::{Class, HirKind};

        let category = match expression.split_once('=') {
            Some(("General_Category" | "gc", value)) => Some(value),
            Some(_) => None,
            None => listed(CATEGORIES, expression).then_some(expression),
        };
        let unknown = matches!(expression.split_once('='), Some((_, "Unknown" | "Zzzz")));
        let query = match category {
            Some("Cs" | "Surrogate") => return vec![SURROGATES],
            // A category name alone must not be read as a property or a script.
            Some(category) => format!("\\p{{gc={category}}}"),
            None if unknown => r"[\p{gc=Cn}\p{gc=Co}]".to_owned(),
            None => format!("\\p{{{expression}}}"),
        };
        let mut out = CodeSet::default();
        match regex_syntax::parse(&query).unwrap().kind() {
            HirKind::Class(Class::Unicode(class)) => {
                for range in class.ranges() {
                    out.add(u32::from(range.start()), u32::from(range.end()));
                }
            }
            HirKind::Class(Class::Bytes(class)) => {
                for range in class.ranges() {
                    out.add(u32::from(range.start()), u32::from(range.end()));
                }
            }
            HirKind::Literal(literal) => {
                for c in std::str::from_utf8(&literal.0).unwrap().chars() {
                    out.add(u32::from(c), u32::from(c));
                }
            }
            other => panic!("{expression} is {other:?}"),
        }
        if expression == "Any" || unknown || matches!(category, Some("C" | "Other")) {
            out.add(SURROGATES.0, SURROGATES.1);
        }
        out.normalise();
        out.ranges().to_vec()
    }

    #[test]
    fn a_property_without_its_table_is_unsupported_and_not_unknown() {
        let expected = match cfg!(feature = "unicode") {
            true => Lookup::Known,
            false => Lookup::Unsupported,
        };
        for expression in ["L", "Letter", "Script=Greek", "gc=Lu", "Emoji"] {
            assert_eq!(look_up(expression), expected, "{expression}");
        }
        assert_eq!(look_up("Leter"), Lookup::Unknown);
    }
}
