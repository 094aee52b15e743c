//! Patterns rewritten without lookaround match the same strings.

use crate::{Inclusion, Limits, Pattern};

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
        (r"(?<!a)b", Some("")),
        (r"^(?!-)[a-z-]+(?<!-)$", Some("")),
        (r"^(?:a|b(?<=ab))+$", None),
        (r"(?<=a\b)c", None),
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
    let behinds = [
        "(?<=a)",
        "(?<!a)",
        "(?<!ab|^b)",
        "(?<=^a*b)",
        "(?<![^a])",
        "(?:b|(?<!a))",
        "(?<!a)$",
        "$(?<=b|^)",
    ];
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
    let ahead = looks.map(|look| (look, ""));
    let behind = behinds.map(|look| ("", look));
    let both = behinds.map(|look| ("(?!a)", look));
    for start in before {
        for (ahead, behind) in ahead.into_iter().chain(behind).chain(both) {
            for body in bodies {
                let after = body.chars().next().filter(char::is_ascii_alphabetic);
                let after: String = after.into_iter().collect();
                let text = format!("{start}{ahead}{body}{behind}{after}");
                let Some(became) = plain(&text) else {
                    kept += 1;
                    continue;
                };
                assert!(!became.contains("(?"), "{became}");
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
    assert!(rewritten > 350, "{rewritten} {kept}");
}

/// For each pair of patterns, the answer is that of all short strings, and a string that is said to be
/// excluded is.
#[test]
fn inclusions_are_those_of_all_short_strings() {
    let patterns = [
        "",
        "a",
        "^a",
        "a$",
        "^a+$",
        "^[ab]+$",
        "^(ab)*$",
        "^(?!b)",
        "^(?!.*bb)",
        "(?<!a)b",
        "^.{2}",
        "^$",
    ];
    let alphabet = ['a', 'b', 'c', '\n'];
    let mut strings = vec![String::new()];
    for at in 0..85 {
        let from: String = strings.get(at).cloned().unwrap_or_default();
        strings.extend(alphabet.iter().map(|c| format!("{from}{c}")));
    }
    let read =
        |text| Pattern::new(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
    for one in patterns {
        for other in patterns {
            for least in [0, 2] {
                let only: Vec<&String> = strings
                    .iter()
                    .filter(|text| {
                        text.len() >= least && matches(one, text) && !matches(other, text)
                    })
                    .collect();
                let found = read(one).included_in(&read(other), least, &mut 100_000);
                match found.unwrap_or_else(|| panic!("{one} {other}")) {
                    Inclusion::Included => assert!(only.is_empty(), "{one} in {other}: {only:?}"),
                    Inclusion::Excluded(text) => {
                        assert!(
                            matches(one, &text) && !matches(other, &text),
                            "{one} {other} {text:?}"
                        );
                        let shortest = only.iter().map(|text| text.len()).min();
                        assert_eq!(Some(text.len()), shortest, "{one} {other} {text:?}");
                    }
                }
            }
        }
    }
}

/// Rows: a pattern, and what is left of it with which bounds.
#[test]
fn lookaheads_that_bound_a_length_become_bounds() {
    let strings: Vec<String> = (0..7)
        .flat_map(|length| ["a", "b", "\n", "-a"].map(|one| one.repeat(length)))
        .collect();
    for (text, expected) in [
        ("^(?=.{2,4}$)[ab]*$", Some((2, Some(4)))),
        ("^(?!.{4})[ab]*$", Some((0, Some(3)))),
        ("^(?!.{0,2}$)[ab]*$", Some((3, None))),
        ("^(?=.{2,})(?!.{5,})(-?[ab])*$", Some((2, Some(4)))),
        ("^(?=..$)[ab]*$", Some((2, Some(2)))),
        (r"^(?=[\s\S]{2,4}$)", Some((2, Some(4)))),
        ("^(?=.{0,3}$)(?!b)[ab]+$", Some((0, Some(3)))),
        // The rest allows what the lookahead forbids.
        ("^(?=.{2,4}$)", None),
        ("^(?=.{2,4}$)[^-]*$", None),
        ("^(?=[b]{2}$)[ab]*$", None),
        ("^(?!.{2,3}$)[ab]*$", None),
        ("^(?=.a.$)[ab]*$", None),
        ("(?=.{2,4}$)[ab]*$", None),
        ("^a(?=.{2}$)[ab]*$", None),
    ] {
        let pattern =
            Pattern::new(text, &Limits::default()).unwrap_or_else(|error| panic!("{error}"));
        let split = pattern.plain_with_lengths(&mut 100_000);
        let bounds = split.as_ref().map(|one| (one.min, one.max));
        assert_eq!(bounds, expected, "{text}");
        let Some(split) = split else {
            continue;
        };
        assert!(!split.text.contains("(?"), "{text}: {}", split.text);
        for one in &strings {
            let length = u64::try_from(one.chars().count()).unwrap_or(u64::MAX);
            let fits = (split.min..=split.max.unwrap_or(u64::MAX)).contains(&length);
            let both = fits && matches(&split.text, one);
            assert_eq!(matches(text, one), both, "{text}: {one:?}");
        }
    }
}
