//! Faults at the size at which they hurt: depth, bytes, numbers of requests.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::time::Duration;

use toolsure_guard::{
    Context, Conversation, Effect, Effects, Guard, Link, Policy, Purpose, Recovery, Report,
    ScopeKey, Side,
};
use toolsure_mcp::check::OnUndecided;

const NOW: Duration = Duration::ZERO;

fn key(number: u64) -> ScopeKey {
    ScopeKey {
        upstream: "u".into(),
        context: Context::Session(number),
    }
}

fn conversation(guard: &Guard) -> Conversation {
    let link = Link {
        version: Some("2025-11-25".to_owned()),
        ..Link::default()
    };
    Conversation::new(guard, guard.scope(&key(1)), link)
}

fn sent(effects: Effects, to: Side) -> Vec<String> {
    effects
        .into_iter()
        .filter_map(|effect| match effect {
            Effect::Send { to: whom, message } if whom == to => {
                Some(String::from_utf8(message.into_bytes()).unwrap())
            }
            _ => None,
        })
        .collect()
}

fn learn(talk: &mut Conversation, tools: &str) {
    let ask = br#"{"jsonrpc":"2.0","id":"l","method":"tools/list"}"#;
    assert_eq!(
        sent(talk.on_message(Side::Client, ask, NOW), Side::Server).len(),
        1
    );
    let list = format!(r#"{{"jsonrpc":"2.0","id":"l","result":{{"tools":[{tools}]}}}}"#);
    assert_eq!(
        sent(
            talk.on_message(Side::Server, list.as_bytes(), NOW),
            Side::Client
        )
        .len(),
        1
    );
}

const TOOL: &str = r#"{"name":"t","inputSchema":{"type":"object"}}"#;

/// A message of 100,000 levels, from either side, ends its request with an error.
#[test]
fn deep_messages() {
    let guard = Guard::new(Policy::new()).unwrap();
    let mut talk = conversation(&guard);
    learn(&mut talk, TOOL);
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    let deep = format!(
        r#"{{"jsonrpc":"2.0","method":"tools/call","params":{{"name":"t","arguments":{{"a":{open}{close}}}}},"id":1}}"#
    );
    let answers = sent(
        talk.on_message(Side::Client, deep.as_bytes(), NOW),
        Side::Client,
    );
    assert!(
        answers[..]
            .iter()
            .all(|answer| answer.contains(r#""id":1,"error":{"code":-32700"#))
    );
    assert_eq!(answers.len(), 1);
    let call = br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"t"}}"#;
    assert_eq!(
        sent(talk.on_message(Side::Client, call, NOW), Side::Server).len(),
        1
    );
    let deep = format!(r#"{{"jsonrpc":"2.0","result":{{"content":{open}{close}}},"id":2}}"#);
    let answers = sent(
        talk.on_message(Side::Server, deep.as_bytes(), NOW),
        Side::Client,
    );
    assert_eq!(answers.len(), 1);
    assert!(
        answers
            .iter()
            .all(|answer| answer.contains(r#""id":2,"error""#))
    );
    assert!(talk.is_idle());
}

/// A message of 64 MiB, dropped as it arrives, is answered with an error by its id.
#[test]
fn large_messages() {
    let guard = Guard::new(Policy::new()).unwrap();
    let mut talk = conversation(&guard);
    let mut recovery = Recovery::new();
    recovery.feed(br#"{"jsonrpc":"2.0","method":"tools/call","params":{"blob":""#);
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        recovery.feed(&chunk);
    }
    recovery.feed(br#""},"id":"big"}"#);
    let found = recovery.finish();
    assert!(found.bytes > 64 << 20);
    let answers = sent(talk.oversize(Side::Client, &found, NOW), Side::Client);
    assert_eq!(answers.len(), 1);
    assert!(
        answers
            .iter()
            .all(|answer| answer.contains(r#""id":"big","error""#))
    );
}

/// 10,000 calls at once, answered in another order: nothing is lost, nothing is left.
#[test]
fn ten_thousand_at_once() {
    let guard = Guard::new(Policy::new()).unwrap();
    let mut talk = conversation(&guard);
    learn(&mut talk, TOOL);
    for id in 0..10_000 {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#
        );
        assert_eq!(
            sent(
                talk.on_message(Side::Client, call.as_bytes(), NOW),
                Side::Server
            ),
            [call]
        );
    }
    assert_eq!(talk.open_requests(), 10_000);
    for id in (0..9_000).rev() {
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[]}}}}"#);
        assert_eq!(
            sent(
                talk.on_message(Side::Server, answer.as_bytes(), NOW),
                Side::Client
            ),
            [answer]
        );
    }
    // The child dies: the rest is answered, oldest first.
    let answers = sent(talk.server_gone("killed", NOW), Side::Client);
    assert_eq!(answers.len(), 1_000);
    for (answer, id) in answers.iter().zip(9_000..) {
        assert!(
            answer.contains(&format!("\"id\":{id},\"error\"")),
            "{answer}"
        );
    }
    assert!(talk.is_idle());
}

/// 1,000 calls that come before any list wait for one request, and then all go to the server.
#[test]
fn a_thousand_calls_wait_for_one_list() {
    let guard = Guard::new(Policy::new()).unwrap();
    let mut talk = conversation(&guard);
    let mut asks = 0;
    for id in 0..1_000 {
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"t"}}}}"#
        );
        asks += sent(
            talk.on_message(Side::Client, call.as_bytes(), NOW),
            Side::Server,
        )
        .len();
    }
    assert_eq!(asks, 1);
    let list = format!(r#"{{"jsonrpc":"2.0","id":"toolsure-1","result":{{"tools":[{TOOL}]}}}}"#);
    let effects = talk.on_message(Side::Server, list.as_bytes(), NOW);
    let calls = sent(effects, Side::Server);
    assert_eq!(calls.len(), 1_000);
    assert!(
        calls
            .iter()
            .enumerate()
            .all(|(id, call)| call.contains(&format!("\"id\":{id},")))
    );
}

/// The number of scopes with a cached list is bounded, and equal pages are held once.
#[test]
fn cached_lists_are_shared_and_bounded() {
    let mut policy = Policy::new();
    policy.limits.scopes = 100;
    let guard = Guard::new(policy).unwrap();
    for number in 0..1_000 {
        let mut talk = Conversation::new(&guard, guard.scope(&key(number)), Link::default());
        learn(&mut talk, TOOL);
    }
    let (scopes, bytes) = guard.cached_lists();
    assert!(scopes <= 100, "{scopes}");
    assert!(bytes < 1_000, "{bytes}");
}

/// Invented identities push other invented ones out of memory, and not what is known of callers.
#[test]
fn scopes_that_know_nothing_are_forgotten_first() {
    let mut policy = Policy::new();
    policy.limits.scopes = 100;
    let guard = Guard::new(policy).unwrap();
    let mut talk = conversation(&guard);
    learn(&mut talk, TOOL);
    for number in 2..10_000 {
        let _scope = guard.scope(&key(number));
    }
    // The guard would ask for the list if it had forgotten it.
    let mut again = conversation(&guard);
    let call = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"t"}}"#;
    let asked = sent(again.on_message(Side::Client, call, NOW), Side::Server);
    assert!(asked[0].contains("tools/call"), "{asked:?}");
}

/// A page that was asked for before the tools changed is no public list of now, whichever of those
/// who share it was told of the change.
#[test]
fn an_old_page_is_not_a_public_list() {
    let guard = Guard::new(Policy::new()).unwrap();
    let link = Link {
        version: Some("2026-07-28".to_owned()),
        ..Link::default()
    };
    // Only contexts without a session share public lists.
    let key = |number| ScopeKey {
        context: Context::Bearer([number; 32]),
        ..key(1)
    };
    let talk = |number| Conversation::new(&guard, guard.scope(&key(number)), link.clone());
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#;
    let ask = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#);
    let page = format!(
        r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":[{TOOL}]}}}}"#
    );
    let call = format!(
        r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"name":"t",{meta}}}}}"#
    );
    let change = br#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    for (is_changed, expected) in [(false, "tools/call"), (true, "tools/list")] {
        let (mut one, mut other, mut third) = (talk(1), talk(2), talk(3));
        let _sent = one.on_message(Side::Client, ask.as_bytes(), NOW);
        if is_changed {
            let _passed = other.on_message(Side::Server, change, NOW);
        }
        let _passed = one.on_message(Side::Server, page.as_bytes(), NOW);
        let asked = sent(
            third.on_message(Side::Client, call.as_bytes(), NOW),
            Side::Server,
        );
        assert!(asked[0].contains(expected), "{is_changed}: {asked:?}");
    }
}

/// An error about a result names the tool, and repeats at most the beginning of a long name.
#[test]
fn errors_about_results_name_the_tool_in_short() {
    let mut policy = Policy::new();
    policy.on_unlisted = OnUndecided::Pass;
    let guard = Guard::new(policy).unwrap();
    let mut talk = conversation(&guard);
    let name = "n".repeat(10_000);
    let call =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#);
    for (at, result) in ["5", r#"{"content":[],"content":[]}"#].iter().enumerate() {
        let asked = sent(
            talk.on_message(Side::Client, call.as_bytes(), NOW),
            Side::Server,
        );
        assert!(asked[0].contains("tools/list"), "{asked:?}");
        let none = format!(
            r#"{{"jsonrpc":"2.0","id":"toolsure-{}","error":{{"code":-32601,"message":"none"}}}}"#,
            at + 1
        );
        let called = sent(
            talk.on_message(Side::Server, none.as_bytes(), NOW),
            Side::Server,
        );
        assert!(called[0].contains("tools/call"), "{called:?}");
        let answer = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
        let told = sent(
            talk.on_message(Side::Server, answer.as_bytes(), NOW),
            Side::Client,
        )
        .concat();
        let shown = format!("tool `{}…` ", "n".repeat(127));
        assert!(told.contains(&shown), "{told}");
        assert!(!told.contains(&"n".repeat(128)), "{told}");
    }
}

/// What is kept as long as a session is bounded, since a client can open many.
#[test]
fn what_opens_a_session_is_bounded() {
    let guard = Guard::new(Policy::new()).unwrap();
    for (method, filler, allowed) in [
        ("initialize", 60_000, true),
        ("initialize", 66_000, false),
        ("logging/setLevel", 66_000, false),
        ("resources/list", 66_000, true),
    ] {
        let mut talk = conversation(&guard);
        let filler = "x".repeat(filler);
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"filler":"{filler}"}}}}"#
        );
        let effects = talk.on_message(Side::Client, request.as_bytes(), NOW);
        let is_sent = sent(effects, Side::Server).len() == 1;
        assert_eq!(is_sent, allowed, "{method} of {} bytes", request.len());
        if !allowed {
            let effects = talk.on_message(Side::Client, request.as_bytes(), NOW);
            let answer = sent(effects, Side::Client).concat();
            let said = format!("more than the 65536 that `{method}` may have");
            assert!(answer.contains(&said), "{answer}");
            assert!(answer.contains("client-message-bytes"), "{answer}");
        }
    }
}

/// What the guard says itself is a message of its own kind, and a record has no secrets.
#[test]
fn records_have_no_values() {
    let guard = Guard::new(Policy::new()).unwrap();
    let mut talk = conversation(&guard);
    learn(
        &mut talk,
        r#"{"name":"login","inputSchema":{"type":"object","properties":{"password":{"type":"string","maxLength":3},"pin":{"enum":["1"]}}},"outputSchema":{"type":"object","properties":{"token":{"type":"integer"}}}}"#,
    );
    let call = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"login","arguments":{"password":"hunter2-secret","pin":"hunter2-secret"}}}"#;
    let good = br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"login","arguments":{}}}"#;
    let bad = br#"{"jsonrpc":"2.0","id":2,"result":{"content":[],"structuredContent":{"token":"hunter2-secret"}}}"#;
    let mut lines = Vec::new();
    let mut answers = 0;
    for effects in [
        talk.on_message(Side::Client, call, NOW),
        talk.on_message(Side::Client, good, NOW),
        talk.on_message(Side::Server, bad, NOW),
    ] {
        for effect in effects {
            match effect {
                Effect::Report(Report::Decision(record)) => lines.push(record.to_json()),
                Effect::Send { message, .. } if message.purpose == Purpose::Answer => answers += 1,
                Effect::Send { .. } => {}
                other => panic!("nobody asked for {other:?}"),
            }
        }
    }
    assert_eq!(answers, 1);
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(
        lines.iter().all(|line| !line.contains("hunter2")),
        "{lines:?}"
    );
    assert!(
        lines
            .iter()
            .any(|line| line.contains("/password maxLength")),
        "{lines:?}"
    );
}
