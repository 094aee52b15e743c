//! Equality, order, hashes and duplicates of whole values, and what they spend.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a panic is how a test fails"
)]

use std::cmp::Ordering;
use std::ops::ControlFlow;

use proptest::prelude::*;
use toolsure_json::{
    Meter, OwnedDocument, ReadLimits, compare, equal, first_duplicate, hash_value,
};

/// Counts up to a bound.
#[derive(Clone, Copy, Debug)]
struct Budget {
    spent: u64,
    allowed: u64,
}

impl Meter for Budget {
    type Stop = ();

    fn spend(&mut self, units: u64) -> ControlFlow<()> {
        self.spent += units;
        if self.spent > self.allowed {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// What a job answers and spends; the same with exactly that allowed, and
/// nothing with one unit less.
fn priced<T: PartialEq + std::fmt::Debug>(
    job: impl Fn(&mut Budget) -> ControlFlow<(), T>,
) -> (T, u64) {
    let run = |allowed: u64| {
        let mut budget = Budget { spent: 0, allowed };
        (job(&mut budget).continue_value(), budget.spent)
    };
    let (answer, spent) = run(u64::MAX);
    let answer = answer.unwrap();
    assert_eq!(run(spent), (Some(answer), spent));
    let (answer, spent_all) = run(u64::MAX);
    assert_eq!(spent_all, spent);
    assert!(spent == 0 || run(spent - 1).0.is_none());
    (answer.unwrap(), spent)
}

fn read(text: &str) -> OwnedDocument {
    let read = OwnedDocument::read(text, &ReadLimits::default());
    read.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn is_equal(left: &str, right: &str) -> bool {
    let (left, right) = (read(left), read(right));
    let (a, b) = (left.document().root(), right.document().root());
    let (same, spent) = priced(|budget| equal(a, b, budget));
    let (turned, spent_turned) = priced(|budget| equal(b, a, budget));
    assert_eq!((same, spent), (turned, spent_turned));
    let (order, _) = priced(|budget| compare(a, b, budget));
    let (order_turned, _) = priced(|budget| compare(b, a, budget));
    assert_eq!(order, order_turned.reverse());
    assert_eq!(order == Ordering::Equal, same);
    let (hash_a, _) = priced(|budget| hash_value(a, budget));
    let (hash_b, _) = priced(|budget| hash_value(b, budget));
    assert!(!same || hash_a == hash_b);
    same
}

#[test]
fn equal_values() {
    for (left, right) in [
        ("null", "null"),
        ("1", "1.0"),
        ("0", "-0"),
        ("1e2", "100"),
        ("[1,2]", "[1.0,2.0]"),
        (r#""a""#, r#""\u0061""#),
        ("[]", "[ ]"),
        ("{}", "{ }"),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#),
        (
            r#"{"a":{"x":1,"y":[]},"b":2}"#,
            r#"{"b":2.0,"a":{"y":[],"x":1}}"#,
        ),
        (r#"[{"a":1,"\u0062":2}]"#, r#"[{"b":2,"a":1}]"#),
        (
            "123456789012345678901234567890",
            "123456789012345678901234567890.0",
        ),
    ] {
        assert!(is_equal(left, right), "{left} {right}");
    }
}

#[test]
fn unequal_values() {
    for (left, right) in [
        ("null", "false"),
        ("0", "false"),
        ("1", "true"),
        ("0", "null"),
        (r#""""#, "null"),
        (r#""1""#, "1"),
        ("[]", "{}"),
        ("[]", "null"),
        ("[1]", "1"),
        ("[1,2]", "[2,1]"),
        ("[1]", "[1,1]"),
        ("[[]]", "[]"),
        ("[[1],2]", "[[2],1]"),
        (r#"{"a":1}"#, r#"{"a":2}"#),
        (r#"{"a":1}"#, r#"{"b":1}"#),
        (r#"{"a":1}"#, r#"{"a":1,"b":1}"#),
        (r#"{"a":1,"b":2}"#, r#"{"a":2,"b":1}"#),
        (r#"{"a":{"b":1}}"#, r#"{"b":{"a":1}}"#),
        (r#"{"a":[],"b":{}}"#, r#"{"a":{},"b":[]}"#),
        (r#""a""#, r#""A""#),
        (r#""é""#, r#""e\u0301""#),
        ("9007199254740993", "9007199254740992"),
        ("0.1", "0.1000000000000000055511151231257827"),
        ("1e1000000000", "1e1000000001"),
    ] {
        assert!(!is_equal(left, right), "{left} {right}");
    }
}

#[test]
fn prices() {
    let price = |text: &str| {
        let document = read(text);
        let root = document.document().root();
        let (same, spent) = priced(|budget| equal(root, root, budget));
        assert!(same);
        (spent, priced(|budget| hash_value(root, budget)).1)
    };
    for (text, for_equal, for_hash) in [
        ("null", 1, 1),
        ("\"short\"", 1, 1),
        ("\"0123456789abcdef\"", 2, 2),
        ("[1,2,3]", 4, 4),
        ("{\"a\":1}", 4, 3),
        ("{\"0123456789abcdef\":[]}", 6, 4),
        ("1234567890123456789012345678901234567890", 5, 3),
    ] {
        assert_eq!(price(text), (for_equal, for_hash), "{text}");
    }
}

fn duplicate(text: &str) -> Option<(usize, usize)> {
    let document = read(text);
    priced(|budget| first_duplicate(document.document().root(), budget)).0
}

#[test]
fn duplicates() {
    for (text, expect) in [
        ("1", None),
        ("{\"a\":1}", None),
        ("[]", None),
        ("[1]", None),
        ("[1,2]", None),
        ("[1,1]", Some((0, 1))),
        ("[1,2,1.0]", Some((0, 2))),
        ("[1,true]", None),
        ("[0,false,null,\"\",[],{}]", None),
        ("[\"a\",\"\\u0061\"]", Some((0, 1))),
        ("[3,2,1,2,3]", Some((1, 3))),
        ("[1,1,1]", Some((0, 1))),
        ("[2,1,1,2]", Some((1, 2))),
        ("[[1],[1,1],[[1]]]", None),
        ("[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", Some((0, 1))),
        ("[{\"a\":1},{\"a\":2},{\"b\":1},{\"a\":[1]}]", None),
        ("[[],[],{}]", Some((0, 1))),
    ] {
        assert_eq!(duplicate(text), expect, "{text}");
    }
}

/// Around the lengths where the method changes, with a pair in every place.
#[test]
fn every_duplicate_is_found() {
    for length in [2, 3, 15, 16, 17, 18, 40] {
        let items: Vec<String> = (0..length).map(|n| format!("[{n}]")).collect();
        assert_eq!(duplicate(&format!("[{}]", items.join(","))), None);
        for later in 1..length {
            for first in 0..later {
                let mut items = items.clone();
                items[later] = items[first].clone();
                let text = format!("[{}]", items.join(","));
                assert_eq!(duplicate(&text), Some((first, later)), "{text}");
            }
        }
    }
}

#[test]
fn large_arrays_are_not_quadratic() {
    let count = 20_000_u64;
    let items: Vec<String> = (0..count).map(|n| format!("{{\"id\":{n}}}")).collect();
    let document = read(&format!("[{}]", items.join(",")));
    let (found, spent) = priced(|budget| first_duplicate(document.document().root(), budget));
    assert_eq!(found, None);
    assert!(spent < 5 * count, "{spent}");
}

fn json() -> impl Strategy<Value = serde_json::Value> {
    use serde_json::Value;
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3_i64..3).prop_map(Value::from),
        Just(Value::from(0.5)),
        "[a-b]{0,2}".prop_map(Value::from),
        "[a-b]{30,33}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-d]{0,2}", inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same value, members in the order that the seed gives, numbers and
/// strings spelled another way.
fn respell(value: &serde_json::Value, seed: u64) -> String {
    use serde_json::Value;
    match value {
        Value::Number(number) if number.is_i64() => format!("{number}.0"),
        Value::Number(number) => format!("{number}0e0"),
        Value::String(text) => {
            let escaped = text.encode_utf16().map(|unit| format!("\\u{unit:04x}"));
            format!("\"{}\"", escaped.collect::<String>())
        }
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| respell(item, seed)).collect();
            format!("[ {} ]", items.join(" , "))
        }
        Value::Object(members) => {
            let mut members: Vec<String> = members
                .iter()
                .map(|(key, value)| {
                    let key = respell(&Value::from(key.as_str()), seed);
                    format!("{key}: {}", respell(value, seed))
                })
                .collect();
            if !members.is_empty() {
                let by = usize::try_from(seed).unwrap() % members.len();
                members.rotate_left(by);
                if seed & 8 == 0 {
                    members.reverse();
                }
            }
            format!("{{ {} }}", members.join(" , "))
        }
        _ => value.to_string(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Equality is that of the values, and neither answers nor prices depend
    /// on how they are written.
    #[test]
    fn spelling_does_not_matter(left in json(), right in json(), seed in 0..64_u64, same: bool) {
        let right = if same { left.clone() } else { right };
        let (a, b) = (read(&left.to_string()), read(&right.to_string()));
        let (c, d) = (read(&respell(&left, seed)), read(&respell(&right, seed + 1)));
        let (a, b) = (a.document().root(), b.document().root());
        let (c, d) = (c.document().root(), d.document().root());
        let (answer, spent) = priced(|budget| equal(a, b, budget));
        prop_assert_eq!(answer, left == right);
        prop_assert_eq!(priced(|budget| equal(c, d, budget)), (answer, spent));
        prop_assert_eq!(priced(|budget| equal(b, a, budget)), (answer, spent));
        let hash = priced(|budget| hash_value(a, budget));
        prop_assert_eq!(priced(|budget| hash_value(c, budget)), hash);
        let other = priced(|budget| hash_value(d, budget));
        prop_assert_eq!(hash.0 == other.0, answer);
        prop_assert_eq!(
            priced(|budget| first_duplicate(a, budget)),
            priced(|budget| first_duplicate(c, budget))
        );
    }

    #[test]
    fn order_is_total(values in prop::collection::vec(json(), 3)) {
        let documents: Vec<OwnedDocument> = values.iter().map(|v| read(&v.to_string())).collect();
        let order = |left: usize, right: usize| {
            let (a, b) = (documents[left].document().root(), documents[right].document().root());
            priced(|budget| compare(a, b, budget)).0
        };
        let mut ranks = [0, 1, 2];
        ranks.sort_by(|left, right| order(*left, *right));
        for (place, left) in ranks.iter().enumerate() {
            for right in ranks.iter().skip(place) {
                prop_assert_ne!(order(*left, *right), Ordering::Greater);
                prop_assert_eq!(order(*left, *right), order(*right, *left).reverse());
            }
        }
    }

    #[test]
    fn duplicates_agree_with_pairwise(items in prop::collection::vec(json(), 0..30)) {
        let expect = items.iter().enumerate().find_map(|(later, item)| {
            let first = items.iter().take(later).position(|other| other == item)?;
            Some((first, later))
        });
        let text = serde_json::Value::from(items).to_string();
        prop_assert_eq!(duplicate(&text), expect, "{}", text);
    }
}
