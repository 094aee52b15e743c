//! Clients behind the layer, when the server's list cannot be read, or only in part. The part that
//! was read is checked; other calls are refused with the reason.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::model::{CallToolRequestParams, ErrorData, JsonObject};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};
use toolsure_rmcp::{ClientEvent, ClientLayer, OnUnreadList};

use crate::support::script::{Reply, Script, count, result, script};

type Client = RunningService<RoleClient, ()>;

async fn connect(layer: &ClientLayer, script: Script) -> Client {
    ().serve(layer.lines(script.read, script.write))
        .await
        .unwrap()
}

fn call(name: &str, arguments: Value) -> CallToolRequestParams {
    let arguments: JsonObject = arguments.as_object().cloned().unwrap();
    CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
}

fn error(outcome: Result<impl std::fmt::Debug, ServiceError>) -> ErrorData {
    match outcome {
        Err(ServiceError::McpError(error)) => error,
        other => ErrorData::internal_error(format!("no error: {other:?}"), None),
    }
}

/// The kind of a refusal, and whether the call was sent, from its `data`.
fn data(error: &ErrorData) -> (&str, bool) {
    let data = error.data.as_ref().unwrap();
    (
        data.get("kind").unwrap().as_str().unwrap(),
        data.get("sent").unwrap().as_bool().unwrap(),
    )
}

/// A tool that takes an object with a string `a`.
const CHECKED: &str =
    r#"{"name":"checked","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}}}"#;

/// A tool whose schema has `properties` nested this many times.
fn deep(properties: usize) -> String {
    let (open, close) = (
        r#"{"properties":{"a":"#.repeat(properties),
        "}}".repeat(properties),
    );
    format!(
        r#"{{"name":"deep","inputSchema":{{"type":"object","properties":{{"a":{open}{{}}{close}}}}}}}"#
    )
}

/// A tool that is nested deeper than rmcp can read affects no other tool.
#[tokio::test]
async fn a_deep_tool_spoils_no_other() {
    for levels in [55, 58, 62, 100, 3_000] {
        let deep = deep(levels);
        let script = script(move |method, _| match method {
            "tools/list" => result(format!(r#"{{"tools":[{deep},{CHECKED}]}}"#)),
            _ => result(r#"{"content":[]}"#),
        });
        let seen = script.seen.clone();
        let client = connect(&ClientLayer::new(), script).await;
        let refused = error(client.call_tool(call("checked", json!({"a": 1}))).await);
        assert_eq!(
            data(&refused),
            ("arguments", false),
            "{levels}: {refused:?}"
        );
        let listed = client.list_all_tools().await.unwrap();
        assert!(listed.iter().any(|tool| tool.name == "checked"), "{levels}");
        client
            .call_tool(call("checked", json!({"a": "b"})))
            .await
            .unwrap();
        let outcome = client.call_tool(call("deep", json!({"a": 1}))).await;
        if levels > 62 {
            assert_eq!(data(&error(outcome)), ("schema", false), "{levels}");
        }
        assert!(count(&seen, "tools/call") <= 2, "{levels}");
    }
}

/// If nothing of a list can be read, no call passes unless the policy allows it, and the refusal
/// says why.
#[tokio::test]
async fn an_unreadable_list_lets_nothing_pass() {
    type List = fn() -> Reply;
    let cases: [(List, &str); 5] = [
        (
            || Reply::Error(r#"{"code":-32603,"message":"the disk is full"}"#.to_owned()),
            "the disk is full",
        ),
        (
            || Reply::Error(r#"{"code":-32601,"message":"no such method"}"#.to_owned()),
            "-32601",
        ),
        (|| result("{}"), "`tools`"),
        (|| result(r#"{"tools":{"a":1}}"#), "`tools`"),
        (|| result("7"), "`tools`"),
    ];
    for (list, reason) in cases {
        for policy in [OnUnreadList::Refuse, OnUnreadList::Pass] {
            let script = script(move |method, _| match method {
                "tools/list" => list(),
                _ => result(r#"{"content":[]}"#),
            });
            let seen = script.seen.clone();
            let events = Arc::new(Mutex::new(Vec::new()));
            let log = Arc::clone(&events);
            let layer = ClientLayer::new()
                .on_unread_list(policy)
                .observe(move |event| log.lock().unwrap().push(event.to_string()));
            let client = connect(&layer, script).await;
            for _ in 0..2 {
                let outcome = client.call_tool(call("any", json!({}))).await;
                match policy {
                    OnUnreadList::Refuse => {
                        let error = error(outcome);
                        assert_eq!(data(&error), ("schema", false), "{error:?}");
                        assert!(error.message.contains(reason), "{error:?}");
                    }
                    OnUnreadList::Pass => assert!(outcome.is_ok(), "{outcome:?}"),
                }
            }
            let passed = if policy == OnUnreadList::Pass { 2 } else { 0 };
            assert_eq!(count(&seen, "tools/call"), passed);
            assert_eq!(count(&seen, "tools/list"), 1, "not asked again at once");
            let events = events.lock().unwrap();
            let unchecked = events
                .iter()
                .filter(|event| event.contains("passed unchecked"));
            assert_eq!(unchecked.count(), passed, "{events:?}");
            let unread = events
                .iter()
                .filter(|event| event.contains("could not be read"));
            assert_eq!(
                unread.count(),
                passed + 1 + if passed == 0 { 2 } else { 0 },
                "{events:?}"
            );
        }
    }
}

/// Malformed members beside `tools` do no harm. If the rest of a list cannot be requested, the part
/// that was read is checked.
#[tokio::test]
async fn what_was_read_is_checked() {
    let harmless = [
        r#""ttlMs":"soon""#,
        r#""_meta":7"#,
        r#""nextCursor":null"#,
        r#""cacheScope":"world""#,
    ];
    let endless = [
        r#""nextCursor":5"#,
        r#""nextCursor":"again""#,
        r#""nextCursor":"error""#,
    ];
    for (member, known_whole) in harmless
        .map(|member| (member, true))
        .into_iter()
        .chain(endless.map(|member| (member, false)))
    {
        let script = script(
            move |method, params| match (method, params["cursor"].as_str()) {
                ("tools/list", None) => result(format!(r#"{{"tools":[{CHECKED}],{member}}}"#)),
                ("tools/list", Some("again")) => result(r#"{"tools":[],"nextCursor":"again"}"#),
                ("tools/list", _) => Reply::Error(r#"{"code":-32603,"message":"gone"}"#.to_owned()),
                _ => result(r#"{"content":[]}"#),
            },
        );
        let seen = script.seen.clone();
        let client = connect(&ClientLayer::new(), script).await;
        let wrong = error(client.call_tool(call("checked", json!({"a": 1}))).await);
        assert_eq!(data(&wrong), ("arguments", false), "{member} {wrong:?}");
        let right = client.call_tool(call("checked", json!({"a": "b"}))).await;
        assert!(right.is_ok(), "{member} {right:?}");
        let other = client.call_tool(call("other", json!({}))).await;
        assert_eq!(other.is_ok(), known_whole, "{member} {other:?}");
        if !known_whole {
            assert_eq!(data(&error(other)), ("schema", false), "{member}");
        }
        assert!(count(&seen, "tools/list") <= 2, "{member}");
        let listed = client.list_tools(None).await.unwrap();
        assert_eq!(listed.tools.len(), 1, "{member}");
    }
}

/// A tool that cannot be read and has no name could be any tool.
#[tokio::test]
async fn an_unreadable_tool_without_a_name_could_be_any() {
    let nameless = r#"{"name":"\ud800","inputSchema":{"type":"object"}}"#;
    let script = script(move |method, _| match method {
        "tools/list" => result(format!(r#"{{"tools":[{nameless},{CHECKED}]}}"#)),
        _ => result(r#"{"content":[]}"#),
    });
    let client = connect(&ClientLayer::new(), script).await;
    client
        .call_tool(call("checked", json!({"a": "b"})))
        .await
        .unwrap();
    let other = error(client.call_tool(call("other", json!({}))).await);
    assert_eq!(data(&other), ("schema", false), "{other:?}");
}

/// The layer's own list has a deadline. Answers after it are ignored.
#[tokio::test(start_paused = true)]
async fn a_list_that_does_not_come_is_not_waited_for() {
    let mut lists = 0;
    let script = script(move |method, _| {
        lists += usize::from(method == "tools/list");
        match (method, lists) {
            ("tools/list", 1) => Reply::Nothing,
            ("tools/list", _) => result(format!(r#"{{"tools":[{CHECKED}]}}"#)),
            _ => result(r#"{"content":[]}"#),
        }
    });
    let seen = script.seen.clone();
    let layer = ClientLayer::new().list_timeout(Duration::from_secs(3));
    let client = connect(&layer, script).await;
    let begun = tokio::time::Instant::now();
    let late = error(client.call_tool(call("checked", json!({}))).await);
    assert_eq!(data(&late), ("schema", false), "{late:?}");
    assert!(late.message.contains("more than 3s"), "{late:?}");
    assert!(begun.elapsed() < Duration::from_secs(4));
    assert_eq!(count(&seen, "notifications/cancelled"), 1);
    // After a while the layer requests the list again.
    tokio::time::advance(Duration::from_secs(6)).await;
    client.call_tool(call("checked", json!({}))).await.unwrap();
}

/// The tools of an older list stay known if a newer list cannot be read.
#[tokio::test(start_paused = true)]
async fn an_older_list_counts_where_a_newer_one_is_missing() {
    let mut lists = 0;
    let script = script(move |method, _| {
        lists += usize::from(method == "tools/list");
        match (method, lists) {
            ("tools/list", 1) => result(format!(r#"{{"ttlMs":1000,"tools":[{CHECKED}]}}"#)),
            ("tools/list", _) => Reply::Error(r#"{"code":-32603,"message":"gone"}"#.to_owned()),
            _ => result(r#"{"content":[]}"#),
        }
    });
    let client = connect(&ClientLayer::new(), script).await;
    let right = json!({"a": "b"});
    client
        .call_tool(call("checked", right.clone()))
        .await
        .unwrap();
    client.call_tool(call("other", json!({}))).await.unwrap();
    tokio::time::advance(Duration::from_secs(2)).await;
    client.call_tool(call("checked", right)).await.unwrap();
    let wrong = error(client.call_tool(call("checked", json!({"a": 1}))).await);
    assert_eq!(data(&wrong), ("arguments", false));
    let other = error(client.call_tool(call("other", json!({}))).await);
    assert!(other.message.contains("gone"), "{other:?}");
}

/// A page above the limit is not read, and the error says so.
#[tokio::test]
async fn a_page_has_a_bound() {
    for (bytes, is_read) in [(CHECKED.len(), false), (1 << 12, true)] {
        let script = script(move |method, _| match method {
            "tools/list" => result(format!(r#"{{"tools":[{CHECKED}]}}"#)),
            _ => result(r#"{"content":[]}"#),
        });
        let client = connect(&ClientLayer::new().max_list_bytes(bytes), script).await;
        let outcome = client.call_tool(call("checked", json!({}))).await;
        assert_eq!(outcome.is_ok(), is_read, "{outcome:?}");
        let listed = client.list_all_tools().await;
        assert_eq!(listed.is_ok(), is_read, "{listed:?}");
        if !is_read {
            assert!(error(listed).message.contains("are allowed"));
        }
    }
}

const ANSWER: &str = r#"{"content":[],"structuredContent":{"v":"text"}}"#;

/// A result that violates a contract which may be out of date is checked against the newest one.
#[tokio::test]
async fn a_result_meets_the_newest_contract() {
    let listed = |of: &str, ttl: u32| {
        format!(
            r#"{{"ttlMs":{ttl},"tools":[{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{{"type":"object","properties":{{"v":{{"type":"{of}"}}}}}}}}]}}"#
        )
    };
    let cases = [
        // The tool changed, and the server did not report it.
        (0, "string", None, 2),
        // The tool did not change: the result is wrong.
        (0, "integer", Some("result"), 2),
        // The tool changed, but the result is wrong all the same.
        (0, "boolean", Some("result"), 2),
        // The server guarantees its list, but reports a change with the result.
        (60_000, "changed", None, 2),
        // The server guarantees its list.
        (60_000, "string", Some("result"), 1),
    ];
    for (ttl, then, refused, lists) in cases {
        let mut asked = 0;
        let script = script(move |method, _| {
            asked += usize::from(method == "tools/list");
            match method {
                "tools/list" if asked == 1 => result(listed("integer", ttl)),
                "tools/list" if then == "changed" => result(listed("string", ttl)),
                "tools/list" => result(listed(then, ttl)),
                _ if then == "changed" => Reply::Notified(
                    r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#.to_owned(),
                    ANSWER.to_owned(),
                ),
                _ => result(ANSWER),
            }
        });
        let seen = script.seen.clone();
        let refusals = Arc::new(Mutex::new(0));
        let seen_refusals = Arc::clone(&refusals);
        let layer = ClientLayer::new().observe(move |event| {
            if let ClientEvent::ResultRefused(_) = event {
                *seen_refusals.lock().unwrap() += 1;
            }
        });
        let client = connect(&layer, script).await;
        let outcome = client.call_tool(call("t", json!({}))).await;
        match refused {
            None => assert!(outcome.is_ok(), "{then} {outcome:?}"),
            Some(kind) => {
                let error = error(outcome);
                assert_eq!(error.code, ClientLayer::INVALID_RESULT);
                assert_eq!(data(&error), (kind, true));
            }
        }
        assert_eq!(count(&seen, "tools/list"), lists, "{ttl} {then}");
        assert_eq!(count(&seen, "tools/call"), 1);
        assert_eq!(*refusals.lock().unwrap(), usize::from(refused.is_some()));
    }
}
