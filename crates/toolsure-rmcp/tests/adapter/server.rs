//! Three kinds of servers behind the layer, line by line, in both eras.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{CallToolResult, JsonObject, ProtocolVersion};
use rmcp::{ServerHandler, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolsure_mcp::publish::ToolDefinition;
use toolsure_rmcp::{ServerEvent, ServerHandlerExt as _, ServerLayer, Union};

use crate::support::Wire;

#[derive(Debug, Deserialize, JsonSchema)]
struct Query {
    #[schemars(range(min = 1, max = 24))]
    hours: u8,
}

#[derive(Debug, Serialize, JsonSchema)]
struct Forecast {
    hour: String,
    celsius: i32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Id {
    id: u32,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Find {
    Id(Id),
    Name(Name),
}

/// A server with rmcp's macros and a route with a raw schema.
#[derive(Clone)]
struct Weather {
    router: ToolRouter<Self>,
    /// How often `forecasts` ran.
    ran: Arc<AtomicUsize>,
}

#[tool_router]
impl Weather {
    fn new() -> Self {
        let lying =
            toolsure_rmcp::tool(ToolDefinition::new("lying").output(r#"{"type": "integer"}"#));
        let mut router = Self::tool_router();
        router.add_route(ToolRoute::new(lying.unwrap(), Self::lying));
        Self {
            router,
            ran: Arc::default(),
        }
    }

    #[tool(description = "the next hours")]
    fn forecasts(&self, Parameters(query): Parameters<Query>) -> Json<Vec<Forecast>> {
        self.ran.fetch_add(1, Ordering::Relaxed);
        let hour = |n: u8| Forecast {
            hour: format!("{n:02}:00"),
            celsius: 20,
        };
        Json((0..query.hours).map(hour).collect())
    }

    #[tool(description = "one number")]
    fn count(&self) -> Json<i64> {
        Json(0)
    }

    #[tool(description = "nothing or something")]
    fn maybe(&self) -> Json<Option<Forecast>> {
        Json(None)
    }

    #[tool(description = "by id or name")]
    fn find(&self, Parameters(Union(find)): Parameters<Union<Find>>) -> String {
        match find {
            Find::Id(Id { id }) => format!("#{id}"),
            Find::Name(Name { name }) => name,
        }
    }

    fn lying(&self, _arguments: JsonObject) -> CallToolResult {
        CallToolResult::structured(json!("no integer"))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Weather {}

/// Arguments are checked before the handler runs: it never runs with arguments that are wrong or
/// malformed.
#[tokio::test]
async fn arguments_are_checked_first() {
    for modern in [true, false] {
        let weather = Weather::new();
        let ran = Arc::clone(&weather.ran);
        let mut wire = if modern {
            Wire::modern(weather.checked())
        } else {
            Wire::legacy(weather.checked(), "2025-11-25").await
        };
        let bad = wire.call("forecasts", json!({"hours": 0})).await;
        assert_eq!(bad["isError"], true);
        assert!(bad.get("structuredContent").is_none());
        assert_eq!(bad.get("resultType").is_some(), modern);
        let text = bad["content"][0]["text"].as_str().unwrap();
        assert!(text.contains("/hours"), "{text}");
        assert!(text.contains('1'), "{text}");
        let unknown = wire.call("nope", json!({})).await;
        assert_eq!(unknown["error"]["code"], -32602);
        let absent = wire.ask("tools/call", json!({"name": "forecasts"})).await;
        assert_eq!(
            absent["result"]["isError"], true,
            "absent arguments are {{}}"
        );
        for malformed in [json!([1]), json!("{}"), json!(5)] {
            let refused = wire.call("forecasts", malformed).await;
            assert_eq!(refused["error"]["code"], -32602, "{refused}");
        }
        assert_eq!(ran.load(Ordering::Relaxed), 0);
        // The handler accepts 200 hours; only the schema forbids them.
        let long = wire.call("forecasts", json!({"hours": 200})).await;
        assert_eq!(long["isError"], true, "{long}");
        assert_eq!(ran.load(Ordering::Relaxed), 0);
        let good = wire.call("forecasts", json!({"hours": 1})).await;
        assert_ne!(good["isError"], true, "{good}");
        assert_eq!(ran.load(Ordering::Relaxed), 1);
    }
}

#[tokio::test]
async fn results_are_projected_by_era() {
    let mut modern = Wire::modern(Weather::new().checked());
    let mut legacy = Wire::legacy(Weather::new().checked(), "2025-11-25").await;
    let arguments = json!({"hours": 2});
    let natural = modern.call("forecasts", arguments.clone()).await;
    assert_eq!(natural["structuredContent"].as_array().unwrap().len(), 2);
    let wrapped = legacy.call("forecasts", arguments).await;
    assert_eq!(
        wrapped["structuredContent"]["result"],
        natural["structuredContent"]
    );
    assert_eq!(wrapped["content"], natural["content"]);
    assert_eq!(
        legacy.call("count", json!({})).await["structuredContent"],
        json!({"result": 0})
    );
    assert_eq!(
        modern.call("maybe", json!({})).await["structuredContent"],
        Value::Null
    );
    assert_eq!(
        legacy.call("maybe", json!({})).await["structuredContent"],
        json!({"result": null})
    );
    let lying = modern.call("lying", json!({})).await;
    assert_eq!(lying["isError"], true);
    assert!(
        lying["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("lying")
    );
    let listed = legacy.listed("forecasts").await.unwrap();
    assert_eq!(listed["outputSchema"]["type"], "object");
    assert_eq!(listed["outputSchema"]["required"], json!(["result"]));
    assert_eq!(
        modern.listed("forecasts").await.unwrap()["outputSchema"]["type"],
        "array"
    );
    let find = modern.listed("find").await.unwrap();
    assert_eq!(find["inputSchema"]["type"], "object");
    assert!(find["inputSchema"]["anyOf"].is_array());
    assert_eq!(
        modern.call("find", json!({"id": 3})).await["content"][0]["text"],
        "#3"
    );
    assert_eq!(
        modern.call("find", json!({"nope": 3})).await["isError"],
        true
    );
}

/// A tool's result inside a question to the client's model has the form that the client's version
/// can read, and each change is reported.
#[test]
fn results_in_sampling_messages_have_the_form_of_the_client() {
    let reported = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&reported);
    let layer = ServerLayer::new().observe(move |event| {
        if let ServerEvent::Lost { .. } = event {
            log.lock().unwrap().push(event.to_string());
        }
    });
    let asked = json!({"maxTokens": 9, "messages": [{"role": "user", "content": [
        {"type": "tool_result", "toolUseId": "1", "content": [], "structuredContent": [1]},
        {"type": "tool_result", "toolUseId": "2", "content": [], "structuredContent": {"a": 1}},
    ]}]});
    for (version, array, reports) in [
        (ProtocolVersion::V_2025_11_25, json!({"result": [1]}), 1),
        (ProtocolVersion::V_2026_07_28, json!([1]), 0),
    ] {
        reported.lock().unwrap().clear();
        let params = serde_json::from_value(asked.clone()).unwrap();
        let params = layer.sampling(params, Some(&version)).unwrap();
        let told = serde_json::to_value(params).unwrap();
        let structured = |at: usize| &told["messages"][0]["content"][at]["structuredContent"];
        assert_eq!(*structured(0), array, "{version}");
        assert_eq!(*structured(1), json!({"a": 1}), "{version}");
        assert_eq!(reported.lock().unwrap().len(), reports, "{version}");
    }
}
