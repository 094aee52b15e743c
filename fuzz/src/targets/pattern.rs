//! Patterns beside a backtracking engine for ECMA-262, and within their bound.

use toolsure_pattern::{Limits, Pattern, is_ecma262};

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{join, two_texts};
use crate::seeds::Seeds;

pub(super) const TARGET: Target = Target {
    name: "pattern",
    about: "a pattern matches what the crate `regress` matches, also written without lookaround, and pays for each step",
    run,
    seeds,
    gate: 150_000,
};

fn run(input: &[u8]) -> Outcome {
    let Some((pattern, text)) = two_texts(input) else {
        return Ok(());
    };
    let Ok(ours) = Pattern::new(pattern, &Limits::default()) else {
        return Ok(());
    };
    ensure!(
        ours.size() <= Limits::default().size,
        "a pattern over its bound: {}",
        ours.size()
    );
    let mut fuel = FUEL;
    let Some(matched) = ours.matches(text, &mut fuel) else {
        return Ok(());
    };
    let used = FUEL - fuel;
    for budget in [used, used / 2] {
        let mut fuel = budget;
        let again = ours.matches(text, &mut fuel);
        ensure!(
            again == Some(matched) || (budget < used && again.is_none()),
            "`{pattern}` on {text:?}: {matched} for {used}, {again:?} with {budget}"
        );
    }
    let mut fuel = PLAIN;
    if let Some(plain) = ours.plain(&mut fuel) {
        let again = Pattern::new(&plain, &Limits::default())
            .map_err(|error| format!("`{pattern}` became `{plain}`: {error}"))?;
        let again = again.matches(text, &mut { FUEL });
        ensure!(
            again.is_none_or(|again| again == matched),
            "`{pattern}` became `{plain}`: {matched} and {again:?} on {text:?}"
        );
    }
    // The other engine backtracks: only short texts, and no large counts.
    let counts = pattern
        .split(|c: char| !c.is_ascii_digit())
        .any(|count| count.len() > 1);
    if pattern.len() > 40
        || text.len() > 24
        || counts
        || ours.legacy().is_some()
        || !is_ecma262(pattern)
    {
        return Ok(());
    }
    let Ok(theirs) = regress::Regex::with_flags(pattern, "u") else {
        return Ok(());
    };
    let found = theirs.find(text).is_some();
    ensure!(
        found == matched,
        "`{pattern}` on {text:?}: {matched}, the other engine says {found}"
    );
    Ok(())
}

fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    PATTERNS
        .iter()
        .flat_map(|pattern| TEXTS.iter().map(move |text| join(&[pattern, text])))
        .collect()
}

const FUEL: u64 = 1_000_000;
/// What a pattern may spend on being rewritten.
const PLAIN: u64 = 20_000;

const PATTERNS: &[&str] = &[
    "^a+$",
    "^(a|b)*c",
    "\\bword\\b",
    "[^a-z]",
    "(?=.*\\d)(?=.*[a-z]).{3,}",
    "^(?!x)",
    "(?<=a)b",
    "(?<!a)b",
    "\\p{Lu}\\p{Script=Greek}",
    "[\\d\\w-]",
    "^.{1,3}$",
    "a??b",
    "(ab){2,}",
    "\\u{1F600}",
    "[\\u0041-\\u005A]",
    "^\\s*$",
    "(?:)",
    "^[a-zA-Z0-9_-]{1,64}$",
    "\\x41",
    "\\cA",
    "[^]",
    "[]",
    "(a*)*b",
    "^$",
    "x|",
    "(?i:ab)",
    "\\B",
    "$^",
    "(?<name>a)",
    "\\P{L}+",
    "^\\d{4}-\\d\\d-\\d\\d$",
];

const TEXTS: &[&str] = &[
    "",
    "a",
    "aaa",
    "abc",
    "ab\n",
    "word word",
    "A1b",
    "\u{1F600}",
    "\u{3b1}\u{391}",
    "2026-11-23",
    " \t\u{2028}",
    "_-x",
    "\u{0}",
];
