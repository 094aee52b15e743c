//! Patterns whose time for a backtracking engine is known.

use super::Hazard;
use crate::{Limits, Pattern};

fn hazard(text: &str) -> Hazard {
    Pattern::new(text, &Limits::default())
        .unwrap_or_else(|error| panic!("{error}"))
        .hazard()
}

#[test]
fn linear_patterns_are_told_to_be() {
    for text in [
        "",
        "a",
        "^[a-z]+$",
        "[a-z]+",
        ".*",
        "^.*$",
        "foo|bar",
        r"^\d{4}-\d{2}-\d{2}$",
        r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$",
        "^[a-z0-9]+(-[a-z0-9]+)*$",
        "^(?:[a-z]+/)*[a-z]+$",
        r"^[A-Z]{2,3}$",
        r"^[a-zA-Z0-9_-]{1,64}$",
        r"^[a-zA-Z][a-zA-Z0-9_]{0,62}$",
        r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
        r"^(?!\.)[a-z.]+$",
        r"^(?=.*[0-9])[a-z0-9]+$",
        r"^https?://",
        r"^(\d+)(px|em|%)?$",
        r"^([0-9]|[1-9][0-9]|1[0-9]{2})(\.([0-9]|[1-9][0-9]|1[0-9]{2})){3}$",
        r"^#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?$",
        r"^\p{L}+( \p{L}+)*$",
    ] {
        assert_eq!(hazard(text), Hazard::None, "{text}");
    }
}

#[test]
fn polynomial_patterns_have_a_degree() {
    for (text, degree) in [
        (r"\d+$", 2),
        ("^[a-z]+[a-z0-9]+$", 2),
        (r"^[^\s@]+@[^\s@]+\.[^\s@]+$", 2),
        ("^.*foo.*$", 2),
        ("^a*a*a*$", 3),
        ("a*a*$", 3),
        (r"(?=.*x)y", 2),
        (r"^(?:(?=.*x).)*$", 2),
    ] {
        assert_eq!(hazard(text), Hazard::Polynomial(degree), "{text}");
    }
}

#[test]
fn exponential_patterns_are_found() {
    let optional = format!("^{}{}$", "a?".repeat(30), "a".repeat(30));
    for text in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "^(a*)*$",
        "^(?:a|b|ab)*c",
        "^([a-zA-Z]+)*$",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
        "^(a|a){50}$",
        "^((a|a){5}){5}$",
        "^(a?){50}a{50}$",
        r"^(.)\1$",
        "^(?=(a+)+$)b",
        r"^(\w+\s?)*$",
        "^(?:x{1,3})+$",
        optional.as_str(),
    ] {
        assert_eq!(hazard(text), Hazard::Exponential, "{text}");
    }
}

/// The analysis stops if it would take too long.
#[test]
fn the_look_is_bounded() {
    let wide = format!("^(?:{})+$", vec!["[a-z]+[0-9]"; 150].join("|"));
    assert_eq!(hazard(&wide), Hazard::Exponential);
    let long = "[a-z]*".repeat(600);
    assert!(hazard(&format!("^{long}$")) >= Hazard::Polynomial(2));
}
