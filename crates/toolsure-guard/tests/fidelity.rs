//! What the guard need not change leaves byte for byte, whatever it is.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

use std::time::Duration;

use proptest::prelude::*;
use toolsure_guard::policy::WideNumbers;
use toolsure_guard::{
    Context, Conversation, Effect, Effects, Guard, Link, Policy, Purpose, ScopeKey, Side,
};

/// Names of members of which two may be the same.
const DOUBLED: &str = "[a-z]{1,3}";
/// Names that are numbered: a message about tools in which one stands twice is refused.
const SINGLE: &str = "[a-z]{1,6}";

/// JSON text as strangers write it: any spacing, any spelling of numbers and strings.
fn json(names: &'static str) -> impl Strategy<Value = String> {
    let space = prop::sample::select(vec!["", " ", "\t", " \r\n "]);
    let scalar = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,9})?([eE][+-]?[0-9]{1,4})?",
        r#""([a-z é😀]|\\[nrt"\\/]|\\u00[4-7][0-9a-f]|\\ud83d|\\ud83d\\ude00){0,8}""#,
    ];
    scalar.prop_recursive(4, 40, 5, move |inner| {
        let pair = (space.clone(), inner, space.clone());
        let padded = pair.prop_map(|(before, value, after)| format!("{before}{value}{after}"));
        prop_oneof![
            prop::collection::vec(padded.clone(), 0..5)
                .prop_map(|all| format!("[{}]", all.join(","))),
            prop::collection::vec((names, padded), 0..5).prop_map(move |all| object(names, all)),
        ]
    })
}

/// Without half pairs: a tool whose text readers disagree about is left out of a list.
fn whole(json: String) -> String {
    json.replace("\\ud83d\\ude00", "😀").replace("\\ud83d", "é")
}

/// Whether no number is beyond doubles: clients get no schema with such a number.
fn doubles_hold(json: &str) -> bool {
    let mut words = json.split(|c: char| !c.is_ascii_digit() && !"+-.eE".contains(c));
    words.all(|word| word.parse().is_ok_and(f64::is_finite) || word.parse::<f64>().is_err())
}

fn object(names: &str, members: Vec<(String, String)>) -> String {
    let members: Vec<String> = members
        .iter()
        .enumerate()
        .map(|(index, (name, value))| match names {
            DOUBLED => format!("\"{name}\" :{value}"),
            _ => format!("\"{name}{index}\" :{value}"),
        })
        .collect();
    format!("{{{}}}", members.join(","))
}

fn conversation(version: &str) -> Conversation {
    // Numbers that are infinity to most readers are refused by default.
    let mut policy = Policy::new();
    policy.wide_numbers = WideNumbers::Pass;
    let guard = Guard::new(policy).unwrap();
    let scope = guard.scope(&ScopeKey {
        upstream: "u".into(),
        context: Context::Session(1),
    });
    let link = Link {
        version: Some(version.to_owned()),
        ..Link::default()
    };
    Conversation::new(&guard, scope, link)
}

/// Whether the very text that came in goes on, and nothing else is sent.
fn passes(effects: Effects, to: Side, text: &str) -> bool {
    let mut sent = effects.into_iter().filter_map(|effect| match effect {
        Effect::Send { to, message } => Some((to, message)),
        _ => None,
    });
    let one = sent.next().is_some_and(|(whom, message)| {
        whom == to
            && message.purpose == Purpose::Forward
            && message.is_unchanged
            && message.bytes() == text.as_bytes()
    });
    one && sent.next().is_none()
}

const NOW: Duration = Duration::ZERO;

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    /// Messages that are not about tools, in both directions, in any order of members.
    #[test]
    fn other_messages_pass(
        method in "(resources|prompts|vendor|logging)/[a-z]{1,9}x",
        event in "(resources|vendor|notifications)/[a-z]{1,9}x",
        value in json(DOUBLED),
        extra in json(DOUBLED),
        id in prop_oneof!["[1-9][0-9]{0,12}", r#""[a-z]{1,9}""#],
        order in 0_usize..3,
    ) {
        let parts = [
            r#""jsonrpc":"2.0""#.to_owned(),
            format!(r#" "vendor" : {extra}"#),
        ];
        let message = |own: Vec<String>| {
            let mut all: Vec<String> = parts.iter().cloned().chain(own).collect();
            let turn = order % all.len();
            all.rotate_left(turn);
            format!("{{{}}}", all.join(", "))
        };
        for version in ["2025-11-25", "2025-03-26"] {
            let mut talk = conversation(version);
            let request = message(vec![
                format!("\"id\":{id}"),
                format!("\"method\":\"{method}\""),
                format!("\"params\":{value}"),
            ]);
            prop_assert!(passes(talk.on_message(Side::Client, request.as_bytes(), NOW), Side::Server, &request));
            let answer = message(vec![format!("\"id\":{id}"), format!("\"result\":{value}")]);
            prop_assert!(passes(talk.on_message(Side::Server, answer.as_bytes(), NOW), Side::Client, &answer));
            let request = message(vec![
                format!("\"id\":{id}"),
                format!("\"method\":\"{method}\""),
                format!("\"params\":{value}"),
            ]);
            prop_assert!(passes(talk.on_message(Side::Server, request.as_bytes(), NOW), Side::Client, &request));
            let error = message(vec![format!("\"id\":{id}"), format!("\"error\":{value}")]);
            prop_assert!(passes(talk.on_message(Side::Client, error.as_bytes(), NOW), Side::Server, &error));
            let note = message(vec![format!("\"method\":\"{event}\""), format!("\"params\":{value}")]);
            prop_assert!(passes(talk.on_message(Side::Client, note.as_bytes(), NOW), Side::Server, &note));
            prop_assert!(passes(talk.on_message(Side::Server, note.as_bytes(), NOW), Side::Client, &note));
            prop_assert_eq!(talk.open_requests(), 0);
        }
    }

    /// Messages about tools that keep every contract.
    #[test]
    fn tool_messages_in_order_pass(
        extra in json(SINGLE),
        described in json(SINGLE).prop_map(whole).prop_filter("numbers that doubles hold", |json| doubles_hold(json)),
        text in r#"([a-z é😀]|\\[nrt"\\/]){0,12}"#,
        number in "(0|[1-9][0-9]{0,15})(\\.0{1,3})?",
        modern in any::<bool>(),
    ) {
        let (version, tag, list) = if modern {
            ("2026-07-28", r#""resultType":"complete","#, r#""ttlMs":5,"cacheScope":"private","#)
        } else {
            ("2025-11-25", "", "")
        };
        let meta = format!(r#""_meta":{{"io.modelcontextprotocol/protocolVersion":"{version}","x":1.0}}"#);
        let mut talk = conversation(version);
        let ask = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#);
        prop_assert!(passes(talk.on_message(Side::Client, ask.as_bytes(), NOW), Side::Server, &ask));
        let tools = format!(
            r#"{{"jsonrpc":"2.0","id":1,"result":{{{tag}{list} "tools" : [ {{"name":"t","vendor":{described},"inputSchema":{{"type":"object","properties":{{"n":{{"type":"integer","vendor":{described}}}}}}},"outputSchema":{{"type":"object","required":["n"]}} }} ]}}}}"#
        );
        prop_assert!(passes(talk.on_message(Side::Server, tools.as_bytes(), NOW), Side::Client, &tools), "{}", tools);
        let call = format!(
            r#"{{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{{"vendor":{extra},"name":"t","arguments":{{"n": {number},"s":"{text}"}},{meta}}}}}"#
        );
        prop_assert!(passes(talk.on_message(Side::Client, call.as_bytes(), NOW), Side::Server, &call), "{}", call);
        let result = format!(
            r#"{{"jsonrpc":"2.0","id":2,"result":{{{tag}"content":[{{"type":"text","text":"{text}","vendor":{extra}}}],"structuredContent":{{"n": {number},"v":{extra}}},"vendor":{extra}}}}}"#
        );
        prop_assert!(passes(talk.on_message(Side::Server, result.as_bytes(), NOW), Side::Client, &result), "{}", result);
    }

    /// Whatever comes: no panic, and a request whose id can be read is answered or goes on.
    #[test]
    fn any_bytes_have_an_answer(bytes in prop::collection::vec(any::<u8>(), 0..200), message in json(DOUBLED)) {
        let mut talk = conversation("2025-11-25");
        for text in [bytes.as_slice(), message.as_bytes()] {
            let _ = talk.on_message(Side::Client, text, NOW).len();
            let _ = talk.on_message(Side::Server, text, NOW).len();
        }
        let broken = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{message}"#);
        let effects = talk.on_message(Side::Client, broken.as_bytes(), NOW);
        let to_client = |effect: &Effect| matches!(effect, Effect::Send { to, .. } if *to == Side::Client);
        let is_answered = effects.iter().any(to_client);
        prop_assert!(is_answered);
    }
}
