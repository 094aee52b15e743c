//! Patterns rewritten without lookaround match the same strings.

use crate::{Limits, Pattern};

fn plain(text: &str) -> Option<String> {
    let pattern = Pattern::new(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    pattern.plain(&mut 100_000)
}

fn matches(text: &str, haystack: &str) -> bool {
    let pattern = Pattern::new(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    pattern
        .matches(haystack, &mut 100_000)
        .unwrap_or_else(|| panic!("{text} on {haystack}"))
}

/// Rows: a pattern, and what it becomes; `None` if it is not regular here, or would be too long.
#[test]
fn a_pattern_is_written_in_the_syntax_that_engines_share() {
    for (text, expected) in [
        ("^a$", Some("^a$")),
        (r"^(?<y>\d{4})-(?:a|b)?$", Some("^([0-9]{4})-(?:a|b)?$")),
        (r"^(?<y>[ab])\k<y>$", Some(r"^([ab])(?:\1)$")),
        ("(?i:a)b", Some("[Aa]b")),
        (r"^\p{Nd}", None),
        (r"^\p{ASCII}+$", Some(r"^[\x00-\x7f]+$")),
        (r"^(?!\s*$).+", Some("")),
        (r"^(?!none$|nil$).+", Some("")),
        (r"^(?=.{3,5}$)[a-z]+(-[a-z]+)*$", Some("")),
        (r"^(?!.*--)[a-z-]+$", Some("")),
        // Too long.
        (r"^(?=.*\d)(?=.*[a-z]).{8,}$", None),
        // It matches nothing.
        (r"(?=b)a", None),
        (r"^(?=a$)", Some("^a$")),
        (r"a(?!b)", Some("")),
        (r"(?<!a)b", None),
        (r"^(a(?!b))*$", None),
        (r"^(.)(?=\1)", None),
        (
            r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$",
            Some(""),
        ),
    ] {
        let became = plain(text);
        println!("{text} -> {became:?}");
        match expected {
            // Any text that matches the same.
            Some("") => assert!(became.is_some(), "{text}"),
            _ => assert_eq!(became.as_deref(), expected, "{text}"),
        }
    }
}

/// Patterns of a small alphabet, and all strings of up to five characters.
#[test]
fn rewritten_patterns_match_the_same_strings() {
    let looks = [
        "(?=a)",
        "(?!a)",
        "(?!ab|b$)",
        "(?=.*b)",
        "(?!.*aa)",
        "(?=..$)",
        "(?!$)",
    ];
    let before = ["", "^", "a", "^a?", "(?:^|b)"];
    let bodies = ["", "b", "[ab]*", "(ab|a)+$", ".{2,3}", "a*b?$", "(?!b)[^a]"];
    let alphabet = ['a', 'b', '\n'];
    let mut strings = vec![String::new()];
    for at in 0..strings.len() + 120 {
        let Some(from) = strings.get(at).cloned() else {
            break;
        };
        strings.extend(alphabet.iter().map(|c| format!("{from}{c}")));
    }
    let (mut rewritten, mut kept) = (0, 0);
    for start in before {
        for look in looks {
            for body in bodies {
                let text = format!("{start}{look}{body}");
                let Some(became) = plain(&text) else {
                    kept += 1;
                    continue;
                };
                assert!(
                    !became.contains("(?=") && !became.contains("(?!"),
                    "{became}"
                );
                rewritten += 1;
                for one in &strings {
                    assert_eq!(
                        matches(&text, one),
                        matches(&became, one),
                        "{text} became {became}: {one:?}"
                    );
                }
            }
        }
    }
    println!("{rewritten} rewritten, {kept} kept");
    assert!(rewritten > 150, "{rewritten} {kept}");
}
