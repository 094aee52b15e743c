//! What is refused, in which words, and where; limits at n and at n + 1.

#![expect(clippy::panic, reason = "a panic is how a test fails")]

use toolsure_pattern::{Limits, Pattern, PatternError, PatternErrorKind, PatternLimit, is_ecma262};

fn refusal(text: &str) -> PatternError {
    match Pattern::new(text, &Limits::default()) {
        Ok(_) => panic!("accepted: {text}"),
        Err(error) => error,
    }
}

#[test]
fn messages_and_places() {
    let rows = [
        ("(", 0..1, "unclosed group at byte 0 of the pattern: `(`"),
        (
            "a(b(c)",
            1..2,
            "unclosed group at byte 1 of the pattern: `(`",
        ),
        ("a)", 1..2, "unmatched `)` at byte 1 of the pattern: `)`"),
        (
            "^(abc]",
            1..2,
            "unclosed group at byte 1 of the pattern: `(`",
        ),
        (
            "[a",
            0..2,
            "unclosed bracket at byte 0 of the pattern: `[a`",
        ),
        ("*", 0..1, "nothing to repeat at byte 0 of the pattern: `*`"),
        (
            "a**",
            2..3,
            "nothing to repeat at byte 2 of the pattern: `*`",
        ),
        (
            "a|+",
            2..3,
            "nothing to repeat at byte 2 of the pattern: `+`",
        ),
        (
            "^?",
            1..2,
            "nothing to repeat at byte 1 of the pattern: `?`",
        ),
        (
            r"\b{2}",
            2..5,
            "nothing to repeat at byte 2 of the pattern: `{2}`",
        ),
        (
            "{1}",
            0..3,
            "nothing to repeat at byte 0 of the pattern: `{1}`",
        ),
        (
            "(?<=a)*",
            6..7,
            "nothing to repeat at byte 6 of the pattern: `*`",
        ),
        (
            "a{2,1}",
            1..6,
            "the bounds of the repetition are out of order at byte 1 of the pattern: `{2,1}`",
        ),
        (
            "[b-a]",
            1..4,
            "the ends of the range are out of order at byte 1 of the pattern: `b-a`",
        ),
        (
            r"[\w-az-a]",
            5..8,
            "the ends of the range are out of order at byte 5 of the pattern: `z-a`",
        ),
        (
            "a\\",
            1..2,
            "backslash at the end at byte 1 of the pattern: `\\`",
        ),
        (
            r"\p{Foo}",
            0..7,
            r"property that ECMA-262 does not list at byte 0 of the pattern: `\p{Foo}`",
        ),
        (
            r"\p{letter}",
            0..10,
            r"property that ECMA-262 does not list at byte 0 of the pattern: `\p{letter}`",
        ),
        (
            r"\p{Greek}",
            0..9,
            r"property that ECMA-262 does not list at byte 0 of the pattern: `\p{Greek}`",
        ),
        (
            r"\p{sc=greek}",
            0..12,
            r"property that ECMA-262 does not list at byte 0 of the pattern: `\p{sc=greek}`",
        ),
        (
            r"\pL",
            0..2,
            r"`\p` without a property in braces at byte 0 of the pattern: `\p`",
        ),
        (
            r"a\p{CWKCF}",
            1..10,
            r"property without a table here at byte 1 of the pattern: `\p{CWKCF}`",
        ),
        (
            r"\u{110000}",
            0..10,
            r"`\u{` without a code point at byte 0 of the pattern: `\u{110000}`",
        ),
        (
            r"\u{}",
            0..3,
            r"`\u{` without a code point at byte 0 of the pattern: `\u{`",
        ),
        (
            "(?P<a>b)",
            0..3,
            "unknown kind of group at byte 0 of the pattern: `(?P`",
        ),
        (
            "(?>a)",
            0..3,
            "unknown kind of group at byte 0 of the pattern: `(?>`",
        ),
        (
            "(?i)a",
            0..4,
            "unknown kind of group at byte 0 of the pattern: `(?i)`",
        ),
        (
            "(?-:a)",
            0..4,
            "unknown kind of group at byte 0 of the pattern: `(?-:`",
        ),
        (
            "(?ii:a)",
            0..4,
            "unknown kind of group at byte 0 of the pattern: `(?ii`",
        ),
        (
            "(?",
            0..2,
            "unknown kind of group at byte 0 of the pattern: `(?`",
        ),
        (
            "(?<1a>b)",
            0..4,
            "group name that is not an identifier at byte 0 of the pattern: `(?<1`",
        ),
        (
            "(?<>b)",
            0..4,
            "group name that is not an identifier at byte 0 of the pattern: `(?<>`",
        ),
        (
            "(?<a",
            0..4,
            "group name that is not an identifier at byte 0 of the pattern: `(?<a`",
        ),
        (
            "(?<a>)(?<a>)",
            6..11,
            "two groups of one name at byte 6 of the pattern: `(?<a>`",
        ),
        (
            "(?<a>(?<a>))",
            5..10,
            "two groups of one name at byte 5 of the pattern: `(?<a>`",
        ),
        (
            "(?:(?<a>)|b)(?<a>)",
            12..17,
            "two groups of one name at byte 12 of the pattern: `(?<a>`",
        ),
        (
            r"(?<a>)\k<b>",
            6..11,
            r"backreference to a group name that does not exist at byte 6 of the pattern: `\k<b>`",
        ),
        (
            r"(?<a>)\k",
            6..8,
            r"`\k` without a group name at byte 6 of the pattern: `\k`",
        ),
        (
            r"(?<a>)[\k]",
            7..9,
            r"`\k` inside brackets at byte 7 of the pattern: `\k`",
        ),
        (
            "(\u{202e}",
            0..1,
            "unclosed group at byte 0 of the pattern: `(`",
        ),
        (
            "[\u{202e}`\n",
            0..6,
            "unclosed bracket at byte 0 of the pattern: `[\\u{202e}`\\n`",
        ),
    ];
    for (text, span, message) in rows {
        let error = refusal(text);
        assert_eq!(error.to_string(), message, "{text}");
        assert_eq!(error.span(), span, "{text}");
        assert_eq!(error.limit(), None, "{text}");
        assert!(
            !is_ecma262(text) || error.kind() == PatternErrorKind::Unsupported,
            "{text}"
        );
    }
    assert_eq!(refusal("(").kind(), PatternErrorKind::Syntax);
    assert_eq!(refusal(r"\p{CWKCF}").kind(), PatternErrorKind::Unsupported);
    assert!(
        is_ecma262(r"\p{CWKCF}"),
        "the `u` grammar has it all the same"
    );
}

#[test]
fn excerpts_are_cut() {
    let error = refusal(&format!("[{}", "a".repeat(100)));
    let expected = format!(
        "unclosed bracket at byte 0 of the pattern: `[{}…`",
        "a".repeat(30)
    );
    assert_eq!(error.to_string(), expected);
}

#[test]
fn each_limit_holds_at_its_number() {
    let limits = Limits {
        length: 10,
        ..Limits::default()
    };
    assert!(Pattern::new(&"a".repeat(10), &limits).is_ok());
    let error = Pattern::new(&"a".repeat(11), &limits).unwrap_err();
    assert_eq!(error.kind(), PatternErrorKind::Limit);
    assert_eq!(error.limit(), Some((PatternLimit::Length, 10)));
    assert_eq!(
        error.to_string(),
        "pattern is longer than 10 bytes at byte 0 of the pattern: `aaaaaaaaaaa`"
    );

    let limits = Limits {
        depth: 3,
        ..Limits::default()
    };
    let nested = |n: usize| "(".repeat(n) + "a" + &")".repeat(n);
    assert!(Pattern::new(&nested(3), &limits).is_ok());
    let error = Pattern::new(&nested(4), &limits).unwrap_err();
    assert_eq!(error.limit(), Some((PatternLimit::Depth, 3)));
    assert_eq!(error.span(), 3..4);
    assert_eq!(
        error.to_string(),
        "pattern nests deeper than 3 levels at byte 3 of the pattern: `(`"
    );

    for text in [
        "^(?:ab|c)*d",
        "(a)\\1",
        "^[a-f]{3}$",
        r"^(?!x)[a-z]+\p{L}$",
        "^(a{1,20}){1,20}$",
    ] {
        let size = Pattern::new(text, &Limits::default()).unwrap().size();
        let limits = Limits {
            size,
            ..Limits::default()
        };
        assert!(Pattern::new(text, &limits).is_ok(), "{text}");
        let limits = Limits {
            size: size - 1,
            ..limits
        };
        let error = Pattern::new(text, &limits).unwrap_err();
        let expected = u64::try_from(size - 1).unwrap();
        assert_eq!(
            error.limit(),
            Some((PatternLimit::Size, expected)),
            "{text}"
        );
    }
}

#[test]
fn numbers_need_their_groups() {
    for (text, strict) in [
        (r"\1()", true),
        (r"()\1", true),
        (r"\2()", false),
        (r"(\1)\2", false),
    ] {
        assert_eq!(is_ecma262(text), strict, "{text}");
    }
}

#[test]
fn annex_b_is_told_apart() {
    let rows = [
        (r"^[a-z\-]+\.$", None, true),
        (r"a\-b", Some(1..3), false),
        (r"\_\@", Some(0..2), false),
        (r"[\w-.]", Some(1..5), false),
        ("a{", Some(1..2), false),
        ("a]", Some(1..2), false),
        (r"\a", Some(0..2), false),
        (r"\Z", Some(0..2), false),
        (r"\1", Some(0..2), false),
        (r"\07", Some(0..3), false),
        (r"(?=a)*", Some(5..6), false),
        (r"^\S(|(.|\n)*\S)\Z", Some(15..17), false),
        (r"(?<a>x)|(?<a>y)\k<a>", None, true),
        (r"(?i-s:x)", None, true),
        (r"(?<$𐊧\u{61}>x)", None, true),
        (r"\u{000000000000061}\ud83d\ude00\ud83d", None, true),
        ("([abc])+\\s+$", None, true),
    ];
    for (text, legacy, strict) in rows {
        let pattern = Pattern::new(text, &Limits::default()).unwrap();
        assert_eq!(pattern.legacy(), legacy, "{text}");
        assert_eq!(is_ecma262(text), strict, "{text}");
        assert_eq!(pattern.as_str(), text);
    }
}
