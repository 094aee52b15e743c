//! Servers that try to get a result past the layer: by versions, kinds of results, and tasks.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

#[path = "support/client.rs"]
mod client;
#[path = "support/script.rs"]
#[expect(dead_code, reason = "another test uses the rest")]
mod script;

use serde_json::json;
use toolgate_rmcp::ClientLayer;

use client::{Over, call, connect, error, page};
use script::{result, script, script_of};

const STRICT: &str = concat!(
    r#"{"name":"strict","inputSchema":{"type":"object"},"outputSchema":"#,
    r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}"#
);
const BAD: &str = r#"{"content":[],"structuredContent":{"n":"x"}}"#;

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
