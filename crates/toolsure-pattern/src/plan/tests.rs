//! Compares scans, tables and threads with each other, on texts longer than the blocks that scans
//! and tables process at once.

use super::*;
use crate::parse;

/// A random number generator: splitmix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((z ^ (z >> 31)) % u64::try_from(bound).unwrap()).unwrap()
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// Classes with some of their members.
const CLASSES: [(&str, &str); 12] = [
    ("[0-9a-f]", "059af"),
    (r"\d", "0189"),
    ("-", "-"),
    ("T", "T"),
    (":", ":"),
    ("[a-z]", "amz"),
    ("[A-Za-z0-9_-]", "Zz9_-"),
    (r"\w", "a_9"),
    ("[^\\s]", "a-é😀"),
    (".", "a:é"),
    ("[é-ü]", "éü"),
    (r"\p{Lu}", "AÉ"),
];

/// A pattern of repeated classes, and a text that it may match.
fn pair(random: &mut Random) -> (String, String) {
    let (mut pattern, mut text) = (String::new(), String::new());
    if random.below(5) > 0 {
        pattern.push('^');
    }
    let fixed = random.below(2) == 0;
    for _ in 0..1 + random.below(9) {
        let (class, members) = *random.of(&CLASSES);
        let members: Vec<char> = members.chars().collect();
        let min = random.below(10);
        let max = if fixed { min } else { min + random.below(9) };
        let bounds = match random.below(3) {
            0 if !fixed => format!("{{{min},}}"),
            _ => format!("{{{min},{max}}}"),
        };
        pattern.push_str(&format!("{class}{bounds}"));
        let odd = random.below(10);
        for _ in 0..min + random.below(max - min + 1) + usize::from(odd == 0) {
            text.push(*random.of(&members));
        }
    }
    if random.below(3) > 0 {
        pattern.push('$');
    }
    if random.below(3) == 0 && !text.is_empty() {
        let mut chars: Vec<char> = text.chars().collect();
        let at = random.below(chars.len());
        chars[at] = *random.of(&['-', 'x', '0', 'é', '\n', '😀']);
        text = chars.into_iter().collect();
    }
    (pattern, text)
}

#[test]
fn scans_tables_and_threads_agree() {
    let mut random = Random(7);
    let (mut scans, mut tables, mut found) = (0, 0, 0);
    let rounds = 1_000;
    for _ in 0..rounds {
        let (pattern, text) = pair(&mut random);
        let parsed = parse::parse(&pattern, 64, 1 << 20).unwrap();
        let ast = &parsed.ast;
        let program = linear::compile(ast, &[parsed.root]).unwrap();
        let mut fuel = u64::MAX;
        let expected = Threads::new(&program).run(ast, &program, &text, &mut fuel);
        found += usize::from(expected == Some(true));
        if let Some(scan) = Recogniser::of(ast, &[parsed.root]) {
            scans += 1;
            let answer = Some(scan.matches(&text));
            assert_eq!(answer, expected, "scan of `{pattern}` in {text:?}");
        }
        if let Some(table) = Dfa::build(ast, &program, crate::dfa::MAX_TABLE, u64::MAX) {
            tables += 1;
            let answer = table.matches(&text);
            assert_eq!(answer, expected, "table of `{pattern}` in {text:?}");
        }
    }
    let enough = |count: usize| count > rounds / 10 && count < rounds;
    assert!(
        enough(scans) && enough(tables) && enough(found),
        "{scans}, {tables}, {found} of {rounds}"
    );
}

/// Building tables is not paid for with fuel, so the patterns of a schema share the time that it may
/// take: few ones may take longer, and each as long as its size pays for.
#[test]
fn a_table_is_built_within_its_share() {
    let has_table = |pattern: &str, count: usize| {
        let parsed = parse::parse(pattern, 64, 1 << 20).unwrap();
        let (mut plan, _) = plan(&parsed.ast, parsed.root);
        plan.share(&parsed.ast, count);
        let Plan::Linear(linear) = plan else {
            panic!("`{pattern}` is not matched by an automaton");
        };
        linear.matches(&parsed.ast, "x", &mut 1_000_000).unwrap();
        let engine = linear.engine.get().unwrap().as_deref().unwrap();
        matches!(engine, Engine::Table(_))
    };
    for (pattern, few, many) in [
        (
            r"^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]{2,63}$",
            true,
            true,
        ),
        (
            r"^(today|tomorrow|\d{4}-\d{2}-\d{2}|today\.\.\*|\*\.\.today)$",
            true,
            true,
        ),
        (r"\p{L}.{3}\p{N}", true, true),
        (r"\b(?:foo|bar)\b.{0,10}\b(?:baz|qux)\b", true, false),
        (r"(a|b){40}[^x]*(?:y.{40})?$", false, false),
        (r"(a|b|c).{200}(d|e)", false, false),
    ] {
        assert_eq!(has_table(pattern, 20), few, "`{pattern}` among few");
        assert_eq!(has_table(pattern, 100_000), many, "`{pattern}` among many");
    }
}
