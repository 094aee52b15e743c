//! Hostile patterns and haystacks: bounded work, bounded stack, same answers.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use toolsure_pattern::{Limits, Pattern, PatternErrorKind, PatternLimit, is_ecma262};

/// The price of a match with this answer.
fn price(text: &str, haystack: &str, expected: bool) -> u64 {
    let pattern = Pattern::new(text, &Limits::default()).unwrap();
    let mut fuel = u64::MAX;
    assert_eq!(
        pattern.matches(haystack, &mut fuel),
        Some(expected),
        "{text}"
    );
    u64::MAX - fuel
}

#[test]
fn redos_patterns_cost_a_pass() {
    for text in [
        "^(a+)+$",
        "^(a|a)*$",
        "^(a|aa)+$",
        "^(a*)*$",
        "(a+)+$",
        "^(.*)*x$",
        "^([a-zA-Z]+)*$",
        r"^(\w+\s?)*$",
        "(x+x+)+y",
        "^(?=(a+)+$)a",
        "^(?!(a|a)*$)a*!$",
        "(.*a){20}b",
    ] {
        for n in [20, 28, 1_000, 10_000, 100_000] {
            let haystack = "a".repeat(n) + "!";
            let expected = text == "^(?!(a|a)*$)a*!$";
            let price = price(text, &haystack, expected);
            let most = u64::try_from(n).unwrap() + 20;
            assert!(price <= most, "{text} at {n}: {price}");
        }
    }
}

#[test]
fn the_backtracker_stops() {
    for (text, n) in [
        (r"^(a*)*\1b$", 28),
        (r"^(a*)*\1b$", 10_000),
        (r"^(a|a)*(?!x)\1$", 10_000),
        (r"(?=.*b)(?=.*c).{8,}", 100_000),
        (r"^(?:(?=a)a)*$", 1_000_000),
        (r"(a?){30}\1{30}b", 1_000),
    ] {
        let pattern = Pattern::new(text, &Limits::default()).unwrap();
        let haystack = "a".repeat(n) + "!";
        let mut fuel = 1_000_000;
        assert_eq!(pattern.matches(&haystack, &mut fuel), None, "{text}");
        assert_eq!(fuel, 0, "{text}");
        // And it can be used again.
        let mut fuel = 1_000_000;
        assert!(pattern.matches("", &mut fuel).is_some(), "{text}");
    }
}

#[test]
fn products_of_repetitions_are_refused_or_bounded() {
    for n in [2, 10, 50, 100, 120, 500, 1_000, 100_000, 4_000_000_000_u64] {
        for text in [
            format!("^(a{{1,{n}}}){{1,{n}}}$"),
            format!(r"(\p{{L}}{{1,{n}}}){{1,{n}}}"),
            format!("^((a{{{n}}}){{{n}}}){{{n}}}b$"),
            format!("(){{1,{n}}}(?:){{{n},}}x"),
            format!("(?:[ab]{{0,{n}}}[bc]{{0,{n}}})?x"),
        ] {
            match Pattern::new(&text, &Limits::default()) {
                Ok(pattern) => {
                    assert!(pattern.size() <= 1 << 20, "{text}");
                    let mut fuel = 2_000_000;
                    assert!(
                        pattern.matches(&"a".repeat(150), &mut fuel).is_some(),
                        "{text}"
                    );
                }
                Err(error) => {
                    assert_eq!(error.kind(), PatternErrorKind::Limit, "{text}");
                    assert_eq!(error.limit(), Some((PatternLimit::Size, 1 << 20)), "{text}");
                    assert!(n >= 50, "{text}: {error}");
                }
            }
        }
    }
}

#[test]
fn counted_runs_of_one_class_are_cheap() {
    let pattern = Pattern::new("^.{0,100000}$", &Limits::default()).unwrap();
    assert!(pattern.size() < 1_200);
    for (n, expected) in [(100_000, true), (100_001, false)] {
        let mut fuel = 100_000;
        assert_eq!(pattern.matches(&"😀".repeat(n), &mut fuel), Some(expected));
    }
}

#[test]
fn a_threaded_pattern_agrees_with_a_table() {
    // 2^n states: too many for a table from some n on.
    for n in 1..16 {
        let tail = "(a|b)".repeat(n);
        let haystack = "ab".repeat(20) + "a" + &"b".repeat(n);
        price(&format!("(a|b)*a{tail}$"), &haystack, true);
        price(
            &format!("^[ab]*a{tail}$"),
            &("b".repeat(40) + &"b".repeat(n)),
            false,
        );
        price(&format!(r"\ba[ab]{{{n}}}\b"), &haystack, n == 40);
    }
}

/// A parser, a compiler or a drop that recursed would need megabytes.
#[test]
fn a_stack_of_128_kib_is_enough() {
    let run = || {
        let limits = Limits {
            length: usize::MAX,
            ..Limits::default()
        };
        for n in [64, 65, 1_000, 100_000] {
            for (open, close) in [
                ("(", ")"),
                ("(?:", ")*"),
                ("(?=", ")"),
                ("(?<=", ")"),
                ("(?:a|", ")?"),
                ("(?!", "|b)"),
            ] {
                let text = format!("^{}a{}$", open.repeat(n), close.repeat(n));
                let result = Pattern::new(&text, &limits);
                if n > 64 {
                    let error = result.unwrap_err();
                    assert_eq!(error.limit(), Some((PatternLimit::Depth, 64)));
                } else {
                    let pattern = result.unwrap();
                    for haystack in ["", "a", "aaaa", "b"] {
                        pattern.matches(haystack, &mut 1_000_000);
                    }
                }
                assert!(is_ecma262(&text));
            }
            let text = "(a|".repeat(n) + &")".repeat(n);
            assert!(is_ecma262(&text));
            assert!(!is_ecma262(&(text + ")")));
            assert!(is_ecma262(&"[a-z]+".repeat(n)));
            assert!(!is_ecma262(&"(".repeat(n)));
            assert!(is_ecma262(&r"\1".repeat(n).replacen(r"\1", "()", 1)));
            let names: String = (0..n).map(|i| format!("(?<n{i}>")).collect();
            assert!(is_ecma262(&(names + &")".repeat(n))));
        }
    };
    let thread = std::thread::Builder::new().stack_size(128 << 10);
    thread.spawn(run).unwrap().join().unwrap();
}

#[test]
fn threads_share_a_pattern() {
    for text in [r"^(a*)b\1$", "(a|b)*a(a|b){14}c", r"^(?!x)\w+$"] {
        let pattern = Pattern::new(text, &Limits::default()).unwrap();
        let haystack = "a".repeat(50) + "b" + &"a".repeat(50);
        let mut fuel = 1_000_000;
        let expected = pattern.matches(&haystack, &mut fuel);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let mut spent = 1_000_000;
                        assert_eq!(pattern.matches(&haystack, &mut spent), expected);
                        assert_eq!(spent, fuel, "{text}");
                    }
                });
            }
        });
    }
}

/// Chains, copies of copies, many states, many classes, large expressions: each ends when its fuel does,
/// on a small stack.
#[test]
fn a_pattern_is_rewritten_within_its_fuel() {
    let words: String = (0..300).map(|n| format!("{:b}|", n * 37)).collect();
    let letters: String = ('а'..='я').map(|c| format!("(?=.*{c})")).collect();
    let patterns = [
        "^(?:(?:a?){100}){100}(?=b)c?".to_owned(),
        "(?!(?:(?:.?){100}){100}(?:a|b){100})x".to_owned(),
        "^(?=(?:(?:.){0,20}){0,150}(?=.)x)[^a-f]".to_owned(),
        "^(?=(?:a?){200}(?:b?){200}$)x*".to_owned(),
        "^(?!.*a.{6}b)(?!.*c.{6}d).*$".to_owned(),
        format!("^(?!(?:{words}z)$)(?:{words}y)*$"),
        format!("^{letters}.*$"),
        format!("(?=x){}", r"\p{L}".repeat(1_000)),
        format!("{}a{}", "(?:(?=b)".repeat(60), ")*".repeat(60)),
    ];
    for text in patterns {
        let rewrite = move || {
            let pattern = Pattern::new(&text, &Limits::default()).unwrap();
            let mut fuel = 100_000;
            assert_eq!(pattern.plain(&mut fuel), None, "{text}");
            (text, fuel)
        };
        let small = std::thread::Builder::new().stack_size(256 << 10);
        let (text, left) = small.spawn(rewrite).unwrap().join().unwrap();
        println!("{left} units left by {text:.60}");
    }
}
