//! Tests of policies: which are invalid, and how rules apply.

use super::*;

fn rule(name: &str, change: impl FnOnce(&mut ToolRule)) -> ToolRule {
    let mut rule = ToolRule::new(name);
    change(&mut rule);
    rule
}

/// Each direction can be set for each tool; the later rule counts.
#[test]
fn later_rules_count_member_by_member() {
    let mut policy = Policy::new();
    policy.tools = vec![
        rule("read_*", |rule| {
            rule.arguments = Some(Mode::Audit);
            rule.results = Some(Mode::Off);
        }),
        rule("read_file", |rule| rule.results = Some(Mode::Enforce)),
        rule("*", |rule| rule.listing = Some(Mode::Off)),
    ];
    let terms = policy.terms("read_file");
    assert_eq!(
        (terms.listing, terms.arguments, terms.results),
        (Mode::Off, Mode::Audit, Mode::Enforce)
    );
    let terms = policy.terms("write");
    assert_eq!(
        (terms.listing, terms.arguments, terms.results),
        (Mode::Off, Mode::Enforce, Mode::Enforce)
    );
}

#[test]
fn policies_that_make_no_sense() {
    let rate = |calls, per, burst| Rate {
        calls,
        per: Duration::from_nanos(per),
        burst,
    };
    let cases: [(&str, Policy); 5] = [
        ("`rate`: `calls` must not be 0", {
            let mut policy = Policy::new();
            policy.rate = Some(rate(0, 1, 1));
            policy
        }),
        ("`rate`: `per` is too short for so many calls", {
            let mut policy = Policy::new();
            policy.rate = Some(rate(2, 1, 1));
            policy
        }),
        ("`tools[0].rate`: `burst` must not be 0", {
            let mut policy = Policy::new();
            policy.tools = vec![rule("a", |rule| rule.rate = Some(rate(1, 1, 0)))];
            policy
        }),
        ("`tools[0].name`: must not be empty", {
            let mut policy = Policy::new();
            policy.tools = vec![ToolRule::new("")];
            policy
        }),
        ("`limits.depth`: must not be 0", {
            let mut policy = Policy::new();
            policy.limits.depth = 0;
            policy
        }),
    ];
    for (expected, policy) in cases {
        assert_eq!(policy.check().unwrap_err().to_string(), expected);
    }
    assert_eq!(Policy::new().check(), Ok(()));
}
