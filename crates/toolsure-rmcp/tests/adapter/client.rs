//! Clients behind the layer, against servers with scripted answers.

use rmcp::model::{CallToolResponse, ErrorCode, GetTaskParams};
use serde_json::{Value, json};
use toolsure_rmcp::{CallTyped as _, ClientLayer, TypedCallError};

use crate::support::client::{Over, call, connect, error, page};
use crate::support::script::{Reply, count, result, script};

const GOOD: &str = r#"{"name":"good","inputSchema":{"type":"object"}}"#;

/// A bad tool does not make the list unreadable; calling it returns the error.
#[tokio::test]
async fn bad_tools_do_not_spoil_the_list() {
    let bad = [
        (
            r#"{"name":"bad","inputSchema":true}"#,
            "`inputSchema` must be an object",
            false,
        ),
        (r#"{"name":"bad"}"#, "`inputSchema` is missing", false),
        (
            r#"{"name":"bad","inputSchema":{"type":"array"}}"#,
            "found `\"array\"`",
            false,
        ),
        (
            r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":true}"#,
            "`outputSchema` must be an object",
            false,
        ),
        (
            r##"{"name":"bad","inputSchema":{"type":"object","$ref":"#/$defs/no"}}"##,
            "inputSchema",
            true,
        ),
        (
            r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{"$ref":"http://127.0.0.1:1/x"}}"#,
            "outputSchema",
            true,
        ),
        (
            r#"{"name":"bad","inputSchema":{"type":"object"},"outputSchema":{"$schema":"urn:nope"}}"#,
            "urn:nope",
            true,
        ),
    ];
    for (text, reason, listed) in bad {
        for over in [Over::Lines, Over::Typed] {
            let script = script(move |method, _| match method {
                "tools/list" => page(&[GOOD, text]),
                _ => result(r#"{"content":[{"type":"text","text":"ran"}]}"#),
            });
            let seen = script.seen.clone();
            let (client, _) = connect(&ClientLayer::new(), script, over, false).await;
            let names = client.list_all_tools().await.unwrap();
            let names: Vec<_> = names.iter().map(|tool| &*tool.name).collect();
            assert_eq!(names.contains(&"bad"), listed, "{over:?} {text}");
            assert!(names.contains(&"good"), "{over:?} {text}");
            client.call_tool(call("good", json!({}))).await.unwrap();
            let (code, message) = error(client.call_tool(call("bad", json!({}))).await);
            assert_eq!(code, ErrorCode::INVALID_PARAMS.0, "{message}");
            assert!(message.contains(reason), "{message}");
            assert_eq!(count(&seen, "tools/call"), 1, "nothing was sent for it");
        }
    }
}

/// An argument schema in place of an input schema is listed as JSON Schema, and calls are checked
/// by it before they are sent.
#[tokio::test]
async fn an_argument_schema_in_place_of_an_input_schema_is_converted() {
    for over in [Over::Lines, Over::Typed] {
        let script = script(|method, _| match method {
            "tools/list" => {
                page(&[r#"{"name":"native","inputSchema":{"t":{"type":"string","isArray":true}}}"#])
            }
            _ => result(r#"{"content":[{"type":"text","text":"ran"}]}"#),
        });
        let seen = script.seen.clone();
        let (client, _) = connect(&ClientLayer::new(), script, over, false).await;
        let listed = client.list_all_tools().await.unwrap();
        let t = &listed[0].input_schema["properties"]["t"];
        assert_eq!(
            t,
            &json!({"type": "array", "items": {"type": "string"}}),
            "{over:?}"
        );
        let (code, _) = error(client.call_tool(call("native", json!({"t": "a"}))).await);
        assert_eq!(code, ErrorCode::INVALID_PARAMS.0);
        assert_eq!(count(&seen, "tools/call"), 0);
        client
            .call_tool(call("native", json!({"t": ["a"]})))
            .await
            .unwrap();
        assert_eq!(count(&seen, "tools/call"), 1);
    }
}

/// An answer that serde_json refuses still becomes an error, and a list with a tool that serde_json
/// refuses is still read.
#[tokio::test]
async fn what_cannot_be_read_is_answered() {
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    let answers = [
        "{\"content\":[],\"structuredContent\":1e400,\"x\":\"\\ud800\"}".to_owned(),
        format!("{{\"content\":[],\"structuredContent\":{deep}}}"),
        "{\"content\":[],\"content\":[]}".to_owned(),
    ];
    let mut next = answers.clone().into_iter();
    let script = script(move |method, _| match method {
        "tools/list" => page(&[
            GOOD,
            r#"{"name":"bad","inputSchema":{"type":"object","a":1,"a":2}}"#,
        ]),
        _ => result(next.next().unwrap()),
    });
    let (client, tools) = connect(&ClientLayer::new(), script, Over::Lines, false).await;
    assert_eq!(client.list_all_tools().await.unwrap().len(), 1);
    assert!(tools.snapshot().isolated_tool("bad").is_some());
    for _ in answers {
        let (code, message) = error(client.call_tool(call("good", json!({}))).await);
        assert_eq!(code, ErrorCode::INTERNAL_ERROR.0, "{message}");
        assert!(message.contains("cannot be read"), "{message}");
    }
}

/// An answer is read by its request, whatever its members look like.
#[tokio::test]
async fn answers_are_read_by_what_they_answer() {
    let script = script(|method, _| match method {
        "tools/list" => page(&[
            r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"integer"}}"#,
        ]),
        _ => result(
            r#"{"tools":[],"action":"accept","contents":[],"content":[],"structuredContent":7}"#,
        ),
    });
    let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, true).await;
    let answer = client.call_tool(call("t", json!({}))).await.unwrap();
    assert_eq!(answer.structured_content, Some(json!(7)));
}

/// Structured content is checked, and required if there is an output schema.
#[tokio::test]
async fn results_are_checked() {
    let integer =
        r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"integer"}}"#;
    let cases = [
        (r#"{"content":[],"structuredContent":0}"#, None),
        (
            r#"{"content":[],"structuredContent":null}"#,
            Some("output schema"),
        ),
        (
            r#"{"content":[],"structuredContent":false}"#,
            Some("output schema"),
        ),
        (
            r#"{"content":[],"structuredContent":""}"#,
            Some("output schema"),
        ),
        (
            r#"{"content":[],"structuredContent":[]}"#,
            Some("output schema"),
        ),
        (r#"{"content":[]}"#, Some("no `structuredContent`")),
        (r#"{"content":[],"isError":true}"#, None),
        (
            r#"{"content":[],"isError":true,"structuredContent":"x"}"#,
            None,
        ),
        (
            r#"{"resultType":"vendor","content":[]}"#,
            Some("resultType"),
        ),
    ];
    for over in [Over::Lines, Over::Typed] {
        for (answer, refused) in cases {
            let script = script(move |method, _| match method {
                "tools/list" => page(&[integer]),
                _ => result(answer),
            });
            let (client, _) = connect(&ClientLayer::new(), script, over, true).await;
            let outcome = client.call_tool(call("t", json!({}))).await;
            match refused {
                None => assert!(outcome.is_ok(), "{over:?} {answer} {outcome:?}"),
                Some(part) => {
                    let (code, message) = error(outcome);
                    assert_eq!(
                        code,
                        ClientLayer::INVALID_RESULT.0,
                        "{over:?} {answer} {message}"
                    );
                    assert!(message.contains(part), "{answer} {message}");
                }
            }
        }
    }
}

/// Arguments are checked before they are sent. The first call reads the list, once.
#[tokio::test]
async fn arguments_are_checked_before_they_are_sent() {
    let script = script(|method, params| match (method, params["cursor"].as_str()) {
        ("tools/list", None) => result(format!(r#"{{"tools":[{GOOD}],"nextCursor":""}}"#)),
        ("tools/list", Some("")) => {
            result(r#"{"tools":[{"name":"t","inputSchema":{"type":"object","required":["a"]}}]}"#)
        }
        _ => result(r#"{"content":[]}"#),
    });
    let seen = script.seen.clone();
    let (client, tools) = connect(&ClientLayer::new(), script, Over::Lines, false).await;
    let calls = (0..5).map(|_| client.call_tool(call("t", json!({}))));
    for outcome in futures::future::join_all(calls).await {
        let (code, message) = error(outcome);
        assert_eq!(code, ErrorCode::INVALID_PARAMS.0);
        assert!(message.contains("`a`"), "{message}");
    }
    assert_eq!(count(&seen, "tools/list"), 2, "two pages, once");
    assert_eq!(count(&seen, "tools/call"), 0);
    client.call_tool(call("t", json!({"a": 1}))).await.unwrap();
    client.call_tool(call("hidden", json!({}))).await.unwrap();
    assert_eq!(count(&seen, "tools/list"), 2);
    assert_eq!(count(&seen, "tools/call"), 2);
    assert_eq!(tools.snapshot().len(), 2);
}

#[tokio::test]
async fn unlisted_names_can_be_refused() {
    let script = script(|_, _| page(&[GOOD]));
    let seen = script.seen.clone();
    let (client, _) = connect(&ClientLayer::new().listed_only(), script, Over::Typed, true).await;
    let (code, message) = error(client.call_tool(call("hidden", json!({}))).await);
    assert_eq!(
        (code, &*message),
        (ErrorCode::INVALID_PARAMS.0, "unknown tool: hidden")
    );
    assert_eq!(count(&seen, "tools/call"), 0);
}

/// A changed list is read again. A changed schema that keeps its `$id` counts as new.
#[tokio::test]
async fn contracts_follow_the_list() {
    let mut lists = 0;
    let mut calls = 0;
    let changed = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;
    let script = script(move |method, _| {
        if method == "tools/list" {
            lists += 1;
            let of = if lists == 1 { "integer" } else { "string" };
            page(&[&format!(
                r#"{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{{"$id":"urn:x","type":"{of}"}}}}"#
            )])
        } else {
            calls += 1;
            match calls {
                1 => Reply::Notified(
                    changed.to_owned(),
                    r#"{"content":[],"structuredContent":1}"#.to_owned(),
                ),
                _ => result(r#"{"content":[],"structuredContent":"s"}"#),
            }
        }
    });
    let seen = script.seen.clone();
    let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, true).await;
    // A call that is open when the list changes is checked against the contract it was sent under.
    client.call_tool(call("t", json!({}))).await.unwrap();
    client.call_tool(call("t", json!({}))).await.unwrap();
    assert_eq!(count(&seen, "tools/list"), 2);
}

/// A list whose `ttlMs` has expired is read again, too, and not before. Calls and results are then
/// checked by the new list.
#[tokio::test(start_paused = true)]
async fn contracts_grow_old() {
    let mut lists = 0;
    let script = script(move |method, _| match method {
        "tools/list" => {
            lists += 1;
            let (of, required) = match lists {
                1 => ("integer", "[]"),
                _ => ("string", r#"["a"]"#),
            };
            result(format!(
                r#"{{"resultType":"complete","ttlMs":1000,"cacheScope":"private","tools":[{{"name":"t","inputSchema":{{"type":"object","required":{required}}},"outputSchema":{{"type":"{of}"}}}}]}}"#
            ))
        }
        _ => result(r#"{"content":[],"structuredContent":1}"#),
    });
    let seen = script.seen.clone();
    let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, true).await;
    for (advance, lists) in [(0, 1), (900, 1), (99, 1), (1, 2), (999, 2), (1, 3)] {
        tokio::time::advance(std::time::Duration::from_millis(advance)).await;
        let without = client.call_tool(call("t", json!({}))).await;
        assert_eq!(without.is_ok(), lists == 1, "{advance} {without:?}");
        assert_eq!(count(&seen, "tools/list"), lists, "{advance}");
        let with = client.call_tool(call("t", json!({"a": 1}))).await;
        if lists == 1 {
            with.unwrap();
        } else {
            assert_eq!(error(without).0, ErrorCode::INVALID_PARAMS.0);
            let (code, message) = error(with);
            assert_eq!(code, ClientLayer::INVALID_RESULT.0, "{message}");
        }
        assert_eq!(count(&seen, "tools/list"), lists, "{advance}");
    }
    // Three times both calls were sent, three times only the one with `a`.
    assert_eq!(count(&seen, "tools/call"), 9);
}

/// The program lists the tools again: from then on, calls are checked by the new list, although the
/// server has not said that it changed.
#[tokio::test]
async fn contracts_follow_a_list_that_the_program_reads() {
    let mut lists = 0;
    let script = script(move |method, _| match method {
        "tools/list" => {
            lists += 1;
            let required = if lists == 1 { "[]" } else { r#"["a"]"# };
            page(&[&format!(
                r#"{{"name":"t","inputSchema":{{"$id":"urn:x","type":"object","required":{required}}}}}"#
            )])
        }
        _ => result(r#"{"content":[]}"#),
    });
    let seen = script.seen.clone();
    let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, true).await;
    client.list_all_tools().await.unwrap();
    client.call_tool(call("t", json!({}))).await.unwrap();
    client.list_all_tools().await.unwrap();
    let (code, message) = error(client.call_tool(call("t", json!({}))).await);
    assert_eq!(code, ErrorCode::INVALID_PARAMS.0, "{message}");
    client.call_tool(call("t", json!({"a": 1}))).await.unwrap();
    assert_eq!(count(&seen, "tools/list"), 2);
    assert_eq!(count(&seen, "tools/call"), 2);
}

/// A new connection begins without a list, even if its layer has served another connection, and two
/// connections of one layer have their own lists.
#[tokio::test]
async fn contracts_end_with_their_connection() {
    let layer = ClientLayer::new();
    let mut clients = Vec::new();
    for required in ["a", "b"] {
        let script = script(move |method, _| match method {
            "tools/list" => page(&[&format!(
                r#"{{"name":"t","inputSchema":{{"$id":"urn:x","type":"object","required":["{required}"]}}}}"#
            )]),
            _ => result(r#"{"content":[]}"#),
        });
        let seen = script.seen.clone();
        let (client, tools) = connect(&layer, script, Over::Lines, false).await;
        assert_eq!(tools.snapshot().len(), 0);
        client
            .call_tool(call("t", json!({required: 1})))
            .await
            .unwrap();
        assert_eq!(count(&seen, "tools/list"), 1);
        clients.push((client, seen));
    }
    for ((client, seen), wrong) in clients.iter().zip(["b", "a"]) {
        let refused = client.call_tool(call("t", json!({wrong: 1}))).await;
        let (code, message) = error(refused);
        assert_eq!(code, ErrorCode::INVALID_PARAMS.0, "{message}");
        assert_eq!(count(seen, "tools/call"), 1);
    }
}

/// If the server refuses the headers, the layer reads the list and sends the call once more.
#[tokio::test]
async fn wrong_headers_are_tried_once_more() {
    for (mismatches, sent) in [(1, 2), (9, 2)] {
        let mut left = mismatches;
        let script = script(move |method, _| match method {
            "tools/list" => page(&[GOOD]),
            _ if left > 0 => {
                left -= 1;
                Reply::Error(r#"{"code":-32020,"message":"missing header"}"#.to_owned())
            }
            _ => result(r#"{"content":[]}"#),
        });
        let seen = script.seen.clone();
        let (client, _) = connect(&ClientLayer::new(), script, Over::Typed, true).await;
        let outcome = client.call_tool(call("good", json!({}))).await;
        assert_eq!(outcome.is_ok(), mismatches == 1, "{outcome:?}");
        assert_eq!(count(&seen, "tools/call"), sent);
        assert_eq!(count(&seen, "tools/list"), 2);
    }
}

/// The result of a task is checked against the contract of the tool that created it.
#[tokio::test]
async fn task_results_are_checked() {
    let task = r#""taskId":"7","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null"#;
    for (structured, good) in [("1", true), ("\"x\"", false)] {
        let script = script(move |method, _| match method {
            "tools/list" => page(&[
                r#"{"name":"t","inputSchema":{"type":"object"},"outputSchema":{"type":"integer"}}"#,
            ]),
            "tools/call" => result(format!(
                r#"{{"resultType":"task","status":"working",{task}}}"#
            )),
            _ => result(format!(
                r#"{{"resultType":"complete","status":"completed",{task},"result":{{"resultType":"complete","content":[],"structuredContent":{structured}}}}}"#
            )),
        });
        let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, true).await;
        let made = client.call_tool_once(call("t", json!({}))).await.unwrap();
        assert!(matches!(made, CallToolResponse::Task(_)));
        let outcome = client.get_task(GetTaskParams::new("7")).await;
        assert_eq!(outcome.is_ok(), good, "{outcome:?}");
    }
}

/// Structured content is read as a Rust type, whether or not an old server wrapped it.
#[tokio::test]
async fn typed_calls() {
    for modern in [true, false] {
        let (schema, value) = if modern {
            (r#"{"type":"array"}"#, "[1,2]")
        } else {
            (
                r#"{"type":"object","properties":{"result":{"type":"array"}},"required":["result"]}"#,
                r#"{"result":[1,2]}"#,
            )
        };
        let script = script(move |method, _| match method {
            "tools/list" => page(&[&format!(
                r#"{{"name":"t","inputSchema":{{"type":"object"}},"outputSchema":{schema}}}"#
            )]),
            _ => result(format!(r#"{{"content":[],"structuredContent":{value}}}"#)),
        });
        let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, modern).await;
        let numbers: Vec<u8> = client.call_typed("t", &json!({})).await.unwrap();
        assert_eq!(numbers, [1, 2]);
        let numbers: Vec<u8> = client.peer().call_typed("t", &json!({})).await.unwrap();
        assert_eq!(numbers, [1, 2]);
        let wrong = client
            .call_typed::<_, String>("t", &json!({}))
            .await
            .unwrap_err();
        assert!(
            wrong
                .to_string()
                .contains("cannot be read as `alloc::string::String`"),
            "{wrong}"
        );
        let none = client.call_typed::<_, Value>("t", &1).await.unwrap_err();
        assert!(matches!(none, TypedCallError::Arguments { .. }), "{none}");
    }
}
