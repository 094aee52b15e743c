//! Servers that try to get a result past the layer: by versions, kinds of results, and tasks.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests say what they expect by stopping"
)]

use std::sync::{Arc, Mutex};

use rmcp::handler::client::ClientHandler;
use rmcp::model::{
    CallToolResponse, GetTaskParams, ProtocolVersion, TaskPayload, TaskStatusNotificationParams,
};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, NotificationContext, RoleClient, ServiceError,
};
use serde_json::{Value, json};
use toolsure_mcp::check::OnUndecided;
use toolsure_rmcp::{ClientEvent, ClientLayer};

use crate::support::client::{Over, call, connect, error, page};
use crate::support::script::{Reply, Script, result, script, script_of};

const STRICT: &str = concat!(
    r#"{"name":"strict","inputSchema":{"type":"object"},"outputSchema":"#,
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}"#
);
const LOOSE: &str = r#"{"name":"loose","inputSchema":{"type":"object"}}"#;
const TASK: &str = r#""taskId":"7","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttlMs":null"#;
const BAD: &str = r#"{"content":[],"structuredContent":{"n":"x"}}"#;

/// The code of the error, and `code` and `tool` of its data.
fn data(outcome: Result<impl std::fmt::Debug, ServiceError>) -> (i32, String, Value) {
    match outcome {
        Err(ServiceError::McpError(error)) => {
            let mut data = error.data.unwrap();
            let code = data["code"].as_str().unwrap().to_owned();
            (error.code.0, code, data["tool"].take())
        }
        other => (0, format!("{other:?}"), Value::Null),
    }
}

/// Only the answer to `initialize` sets the version of the connection.
#[tokio::test]
async fn another_answer_does_not_change_the_version() {
    let old = r#"{"protocolVersion":"2024-11-05","capabilities":{},"serverInfo":{"name":"x","version":"0"}}"#;
    for over in [Over::Lines, Over::Typed] {
        let script = script(move |method, _| match method {
            "tools/list" => page(&[STRICT]),
            "tools/call" => result(r#"{"content":[]}"#),
            _ => result(old),
        });
        let (client, _) = connect(&ClientLayer::new(), script, over, false).await;
        assert!(client.list_prompts(None).await.is_err());
        // 2024-11-05 would not require structured content.
        let (code, message) = error(client.call_tool(call("strict", json!({}))).await);
        assert_eq!(code, ClientLayer::INVALID_RESULT.0, "{over:?} {message}");
    }
}

/// Structured content is checked in the versions that do not have it, too, and not required there.
#[tokio::test]
async fn old_versions_are_checked() {
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let is_required = version >= "2025-06-18";
        let cases = [
            (BAD, false),
            (r#"{"content":[],"structuredContent":null}"#, false),
            (r#"{"content":[],"structuredContent":{"n":1}}"#, true),
            (
                r#"{"content":[],"structuredContent":{"n":"x"},"isError":true}"#,
                true,
            ),
            (r#"{"content":[]}"#, !is_required),
        ];
        for over in [Over::Lines, Over::Typed] {
            for (answer, passes) in cases {
                let script = script_of(version, move |method, _| match method {
                    "tools/list" => page(&[STRICT]),
                    _ => result(answer),
                });
                let (client, _) = connect(&ClientLayer::new(), script, over, false).await;
                let outcome = client.call_tool(call("strict", json!({}))).await;
                assert_eq!(
                    outcome.is_ok(),
                    passes,
                    "{version} {over:?} {answer} {outcome:?}"
                );
                if !passes {
                    assert_eq!(error(outcome).0, ClientLayer::INVALID_RESULT.0);
                }
            }
        }
    }
}

/// `resultType` is an unknown member in a legacy session: the other members are the result. Where
/// rmcp has dropped them, the answer is refused with the reason.
#[tokio::test]
async fn result_types_mean_nothing_in_legacy_sessions() {
    let kinds = [
        ("task", format!(r#""status":"working",{TASK}"#)),
        ("input_required", r#""requestState":"x""#.to_owned()),
        ("vendor", r#""a":1"#.to_owned()),
    ];
    for (tag, members) in kinds {
        for (over, n, passes) in [
            (Over::Lines, "1", true),
            (Over::Lines, "\"x\"", false),
            (Over::Typed, "1", tag == "vendor"),
            (Over::Typed, "\"x\"", false),
        ] {
            let answer = format!(
                r#"{{"resultType":"{tag}",{members},"content":[],"structuredContent":{{"n":{n}}}}}"#
            );
            let script = script(move |method, _| match method {
                "tools/list" => page(&[STRICT, LOOSE]),
                _ => result(answer.clone()),
            });
            let (client, _) = connect(&ClientLayer::new(), script, over, false).await;
            let outcome = client.call_tool_once(call("strict", json!({}))).await;
            if passes {
                let Ok(CallToolResponse::Complete(result)) = outcome else {
                    unreachable!("{over:?} {tag}: {outcome:?}");
                };
                assert_eq!(result.structured_content, Some(json!({"n": 1})));
                continue;
            }
            let (code, message) = error(outcome);
            assert_eq!(
                code,
                ClientLayer::INVALID_RESULT.0,
                "{over:?} {tag} {message}"
            );
            assert!(
                !message.contains("no `structuredContent`"),
                "{tag} {message}"
            );
            // A tool without an output schema does not make a task, either.
            let loose = client.call_tool_once(call("loose", json!({}))).await;
            let is_final = matches!(loose, Ok(CallToolResponse::Complete(_)));
            assert_eq!(
                is_final,
                over == Over::Lines || tag == "vendor",
                "{tag} {loose:?}"
            );
            if !is_final {
                assert!(error(loose).1.contains(&format!("`resultType` `{tag}`")));
            }
        }
    }
}

/// A server whose calls all create task 7, which completes with `structured`.
fn tasks(structured: &'static str) -> Script {
    script(move |method, params| {
        let id = params["taskId"].as_str().unwrap_or("7");
        let task = TASK.replace("\"7\"", &format!("\"{id}\""));
        let inner = format!(r#"{{"resultType":"complete",{structured}}}"#);
        let completed = format!(r#""status":"completed",{task},"result":{inner}"#);
        match method {
            "tools/list" => page(&[STRICT, LOOSE]),
            "tools/call" => result(format!(
                r#"{{"resultType":"task","status":"working",{TASK}}}"#
            )),
            _ => Reply::Notified(
                format!(
                    r#"{{"jsonrpc":"2.0","method":"notifications/tasks","params":{{{completed}}}}}"#
                ),
                format!(r#"{{"resultType":"complete",{completed}}}"#),
            ),
        }
    })
}

/// A client that keeps the results of tasks from notifications.
#[derive(Clone, Default)]
struct Notified(Arc<Mutex<Vec<Value>>>);

impl ClientHandler for Notified {
    async fn on_task_status(
        &self,
        params: TaskStatusNotificationParams,
        _: NotificationContext<RoleClient>,
    ) {
        if let TaskPayload::Completed { result } = params.task.payload {
            self.0.lock().unwrap().push(Value::Object(result));
        }
    }
}

/// Tools to call, a task to ask for, its result, and the code and the tool of the error.
type Case<'a> = (&'a [&'a str], &'a str, &'a str, Option<(&'a str, &'a str)>);

/// The result of a task is refused if the tool that created it is unknown: two tools claim the
/// task, or no call created it. Tasks of tools that are not listed pass, as their results do.
#[tokio::test]
async fn results_of_unknown_tasks_are_refused() {
    let good = r#""content":[],"structuredContent":{"n":1}"#;
    let bad = r#""content":[],"structuredContent":{"n":"x"}"#;
    let missing = r#""content":[]"#;
    let cases: [Case<'_>; 9] = [
        (&["strict"], "7", good, None),
        (&["strict"], "7", bad, Some(("result-invalid", "strict"))),
        (
            &["strict"],
            "7",
            missing,
            Some(("result-missing", "strict")),
        ),
        (
            &["strict", "strict"],
            "7",
            bad,
            Some(("result-invalid", "strict")),
        ),
        (&["loose", "strict"], "7", bad, Some(("task-unknown", ""))),
        (&["hidden", "strict"], "7", good, Some(("task-unknown", ""))),
        (&["strict"], "8", bad, Some(("task-unknown", ""))),
        (&[], "7", bad, Some(("task-unknown", ""))),
        (&["hidden"], "7", bad, None),
    ];
    for (calls, id, structured, refused) in cases {
        for policy in [OnUndecided::Refuse, OnUndecided::Pass] {
            let events = Arc::<Mutex<Vec<String>>>::default();
            let log = Arc::clone(&events);
            let layer = ClientLayer::new().on_undecided(policy);
            let layer = layer.observe(move |event: &ClientEvent<'_>| {
                log.lock().unwrap().push(event.to_string());
            });
            let script = tasks(structured);
            let transport = layer.lines(script.read, script.write);
            let notified = Notified::default();
            let mode = ClientLifecycleMode::Discover {
                preferred_versions: vec![ProtocolVersion::V_2026_07_28],
            };
            let handler = notified.clone();
            let client = handler.serve_with_lifecycle(transport, mode).await.unwrap();
            for name in calls {
                let made = client.call_tool_once(call(name, json!({}))).await;
                assert!(matches!(made, Ok(CallToolResponse::Task(_))), "{made:?}");
            }
            let outcome = client.get_task(GetTaskParams::new(id)).await;
            let about = format!("{calls:?} {id} {structured} {policy:?}");
            let is_unknown = matches!(refused, Some(("task-unknown", _)));
            let refused = refused.filter(|_| !is_unknown || policy == OnUndecided::Refuse);
            match refused {
                None => assert!(outcome.is_ok(), "{about}: {outcome:?}"),
                Some((code, tool)) => {
                    let tool = if tool.is_empty() {
                        Value::Null
                    } else {
                        json!(tool)
                    };
                    let expected = (ClientLayer::INVALID_RESULT.0, code.to_owned(), tool);
                    assert_eq!(data(outcome), expected, "{about}");
                }
            }
            // The notification comes before the answer; its handler may run after it.
            while notified.0.lock().unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
            let result = notified.0.lock().unwrap().remove(0);
            assert_eq!(
                result["isError"] == true,
                refused.is_some(),
                "{about}: {result}"
            );
            let reported = events.lock().unwrap().join("\n");
            assert_eq!(
                reported.contains(&format!("task `{id}`")),
                is_unknown,
                "{about}: {reported}"
            );
        }
    }
}

/// The result of a task is final: it cannot announce another.
#[tokio::test]
async fn results_of_tasks_are_final() {
    for inner in [
        format!(
            r#"{{"resultType":"task","status":"working",{TASK},"structuredContent":{{"n":"x"}}}}"#
        ),
        r#"{"resultType":"input_required","requestState":"x","structuredContent":{"n":"x"}}"#
            .to_owned(),
    ] {
        let script = script(move |method, _| match method {
            "tools/list" => page(&[STRICT]),
            "tools/call" => result(format!(
                r#"{{"resultType":"task","status":"working",{TASK}}}"#
            )),
            _ => result(format!(
                r#"{{"resultType":"complete","status":"completed",{TASK},"result":{inner}}}"#
            )),
        });
        let (client, _) = connect(&ClientLayer::new(), script, Over::Lines, true).await;
        client
            .call_tool_once(call("strict", json!({})))
            .await
            .unwrap();
        let outcome = client.get_task(GetTaskParams::new("7")).await;
        let expected = (
            ClientLayer::INVALID_RESULT.0,
            "result-malformed".to_owned(),
            json!("strict"),
        );
        assert_eq!(data(outcome), expected);
    }
}
