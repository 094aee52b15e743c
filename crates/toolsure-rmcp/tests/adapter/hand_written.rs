//! A handler written by hand, without `get_tool`, with a list and results that the test sets.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests say what they expect by stopping"
)]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use toolsure_mcp::check::OnUndecided;
use toolsure_mcp::project::{OutputPolicy, TextFallback};
use toolsure_rmcp::{
    CheckedHandler, HostSchema, HostVerdict, ServerEvent, ServerHandlerExt as _, ServerLayer,
    Validator,
};

use crate::support::Wire;

/// Lists `tools`, one per page, and answers every call with `answer`.
#[derive(Clone)]
struct Hand {
    tools: Vec<Value>,
    answer: Value,
    lists: Arc<AtomicUsize>,
    calls: Arc<AtomicUsize>,
}

impl Hand {
    fn new(tools: &[Value], answer: Value) -> Self {
        Self {
            tools: tools.to_vec(),
            answer,
            lists: Arc::default(),
            calls: Arc::default(),
        }
    }
}

impl ServerHandler for Hand {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.lists.fetch_add(1, Ordering::Relaxed);
        let at: usize = match request.and_then(|request| request.cursor) {
            Some(cursor) => cursor.parse().unwrap(),
            None => 0,
        };
        let tools = self.tools.get(at).cloned().into_iter();
        let tools = tools.map(|tool| serde_json::from_value::<Tool>(tool).unwrap());
        let mut page = ListToolsResult::with_all_items(tools.collect());
        page.next_cursor = (at + 1 < self.tools.len()).then(|| (at + 1).to_string());
        Ok(page)
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let result: CallToolResult = serde_json::from_value(self.answer.clone()).unwrap();
        Ok(result.into())
    }
}

fn tool(name: &str, output: Option<Value>) -> Value {
    let mut tool = json!({"name": name, "inputSchema": {"type": "object"}});
    if let Some(output) = output {
        tool["outputSchema"] = output;
    }
    tool
}

async fn both(service: CheckedHandler<Hand>) -> [Wire; 2] {
    [
        Wire::modern(service.clone()),
        Wire::legacy(service, "2025-11-25").await,
    ]
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// A call of a tool that was never listed makes the layer read the list, page by page, once. An
/// unknown name does not reach the handler.
#[tokio::test]
async fn a_cold_call_meets_its_contract() {
    let strict = json!({"name": "b", "inputSchema": {"type": "object", "required": ["x"]}});
    let hand = Hand::new(
        &[tool("a", None), strict, tool("c", None)],
        json!({"content": []}),
    );
    let (lists, calls) = (Arc::clone(&hand.lists), Arc::clone(&hand.calls));
    let mut wire = Wire::modern(hand.checked());
    let refused = wire.call("b", json!({})).await;
    assert_eq!(refused["isError"], true);
    assert!(text(&refused).contains("`x`"), "{refused}");
    assert_eq!(
        lists.load(Ordering::Relaxed),
        2,
        "up to the page that names it"
    );
    assert_eq!(
        wire.call("b", json!({"x": 1})).await["isError"],
        Value::Null
    );
    assert_eq!(lists.load(Ordering::Relaxed), 2);
    assert_eq!(wire.call("no", json!({})).await["error"]["code"], -32602);
    assert_eq!(calls.load(Ordering::Relaxed), 1);
}

/// Malformed parameters, for which rmcp would report an unknown method.
#[tokio::test]
async fn malformed_calls_are_malformed_parameters() {
    let hand = Hand::new(&[tool("t", None)], json!({"content": []}));
    let calls = Arc::clone(&hand.calls);
    for mut wire in both(hand.checked()).await {
        for params in [
            json!({"name": "t", "arguments": [1]}),
            json!({"name": "t", "arguments": "{}"}),
            json!({"name": "t", "arguments": 5}),
            json!({"name": 5}),
            json!({}),
        ] {
            let answer = wire.ask("tools/call", params.clone()).await;
            assert_eq!(answer["error"]["code"], -32602, "{params} {answer}");
        }
        let other = wire.ask("vendor/x", json!({})).await;
        assert_eq!(other["error"]["code"], -32601);
    }
    assert_eq!(calls.load(Ordering::Relaxed), 0);
}

/// A result that violates the contract is not sent, and an event reports it. Both name the tool and
/// the violation.
#[tokio::test]
async fn bad_results_do_not_leave() {
    let integer = Some(json!({"type": "integer"}));
    let missing = "its result has no `structuredContent`";
    for (answer, fault) in [
        (json!({"content": [], "structuredContent": 1}), None),
        (
            json!({"content": [], "structuredContent": null}),
            Some("expected integer, found null"),
        ),
        (
            json!({"content": [], "structuredContent": "secret"}),
            Some("expected integer, found string"),
        ),
        (json!({"content": []}), Some(missing)),
        (json!({"content": [], "isError": false}), Some(missing)),
        (json!({"content": [], "isError": true}), None),
        // The output schema is not applied to errors.
        (
            json!({"content": [], "isError": true, "structuredContent": {"n": "x"}}),
            None,
        ),
    ] {
        let events = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&events);
        let layer = ServerLayer::new().observe(move |event| {
            if let ServerEvent::ResultRefused(_) = event {
                log.lock().unwrap().push(event.to_string());
            }
        });
        for mut wire in
            both(layer.wrap(Hand::new(&[tool("t", integer.clone())], answer.clone()))).await
        {
            let result = wire.call("t", json!({})).await;
            if let Some(fault) = fault {
                assert_eq!(result["isError"], true, "{answer} {result}");
                assert!(text(&result).contains("tool `t`"), "{result}");
                assert!(text(&result).contains(fault), "{result}");
                assert!(result.get("structuredContent").is_none());
            } else {
                assert_eq!(result["isError"], answer["isError"], "{answer} {result}");
                let structured = result.get("structuredContent");
                let sent = answer.get("structuredContent");
                let written = sent.map(Value::to_string);
                // Older clients check the value of an error too, so they get it as text.
                let is_told = structured.is_none()
                    && answer["isError"] == true
                    && written.is_some_and(|value| text(&result) == value);
                assert_eq!(
                    structured.is_some() || is_told,
                    sent.is_some(),
                    "{answer} {result}"
                );
            }
        }
        let events = events.lock().unwrap();
        assert_eq!(
            events.len(),
            if fault.is_some() { 2 } else { 0 },
            "{events:?}"
        );
        for event in &*events {
            assert!(event.contains("`t`"), "{event}");
            assert!(event.contains(fault.unwrap_or_default()), "{event}");
        }
    }
}

/// Structured content gets a text block, unless the author wrote one.
#[tokio::test]
async fn structured_content_has_text() {
    let image = ContentBlock::image("AAAA", "image/png");
    for (fallback, content, structured, blocks) in [
        (
            TextFallback::Always,
            json!([]),
            json!([1, 2]),
            vec!["[1,2]"],
        ),
        (
            TextFallback::Always,
            json!([]),
            json!({"a": 1}),
            vec!["{\"a\":1}"],
        ),
        (TextFallback::Always, json!([]), json!(null), vec!["null"]),
        (
            TextFallback::Always,
            json!([{"type": "text", "text": "mine"}]),
            json!([1]),
            vec!["mine"],
        ),
        (
            TextFallback::Always,
            json!([image]),
            json!(0),
            vec!["", "0"],
        ),
        (TextFallback::NonObject, json!([]), json!({"a": 1}), vec![]),
        (
            TextFallback::NonObject,
            json!([]),
            json!("s"),
            vec!["\"s\""],
        ),
        (TextFallback::Never, json!([]), json!("s"), vec![]),
    ] {
        let layer = ServerLayer::new().text(fallback);
        let answer = json!({"content": content, "structuredContent": structured});
        for mut wire in both(layer.wrap(Hand::new(&[tool("t", None)], answer))).await {
            let result = wire.call("t", json!({})).await;
            let found: Vec<_> = result["content"]
                .as_array()
                .unwrap()
                .iter()
                .map(|block| block["text"].as_str().unwrap_or_default())
                .collect();
            assert_eq!(found, blocks, "{fallback:?} {structured}");
        }
    }
}

/// A tool that can never work is neither listed nor called, and one event reports it. The other
/// tools work.
#[tokio::test]
async fn tools_that_can_never_work() {
    let array = json!({"name": "array", "inputSchema": {"type": "array"}});
    let external = tool(
        "external",
        Some(json!({"$ref": "http://127.0.0.1:1/schema"})),
    );
    let dangling = tool("dangling", Some(json!({"$ref": "#/$defs/no"})));
    let dialect = tool("dialect", Some(json!({"$schema": "urn:nope"})));
    let pattern = json!({"name": "pattern", "inputSchema": {"type": "object", "properties": {"a": {"pattern": "("}}}});
    let bad = [array, external, dangling, dialect, pattern];
    let mut tools = bad.to_vec();
    tools.push(tool("good", None));
    let events = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&events);
    let layer = ServerLayer::new().observe(move |event| {
        if let ServerEvent::ToolRefused(why) = event {
            log.lock().unwrap().push(why.name.clone());
        }
    });
    let hand = Hand::new(&tools, json!({"content": []}));
    let calls = Arc::clone(&hand.calls);
    for mut wire in both(layer.wrap(hand)).await {
        let mut cursor = json!({});
        let mut listed = Vec::new();
        loop {
            let page = wire.ask("tools/list", cursor).await;
            for tool in page["result"]["tools"].as_array().unwrap() {
                listed.push(tool["name"].as_str().unwrap().to_owned());
            }
            match page["result"].get("nextCursor") {
                Some(next) => cursor = json!({"cursor": next}),
                None => break,
            }
        }
        assert_eq!(listed, ["good"]);
        for tool in &bad {
            let answer = wire.call(tool["name"].as_str().unwrap(), json!({})).await;
            assert_eq!(answer["error"]["code"], -32602, "{answer}");
        }
        assert_eq!(wire.call("good", json!({})).await["content"], json!([]));
    }
    assert_eq!(calls.load(Ordering::Relaxed), 2);
    let events = events.lock().unwrap();
    assert_eq!(
        *events,
        ["array", "external", "dangling", "dialect", "pattern"]
    );
}

/// With the feature `ordered`, schemas are published with their keys in the order as written.
#[cfg(feature = "ordered")]
#[tokio::test]
async fn schemas_are_published_as_written() {
    let input = r##"{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","$defs":{"z":{"$anchor":"zz","type":"string"}},"properties":{"b":{"$ref":"#zz"},"a":{"const":1}},"if":{"required":["b"]},"then":{"minProperties":1},"allOf":[{"not":{"required":["c"]}}],"x-vendor":{"q":1,"p":[2]},"additionalProperties":false}"##;
    let text = format!("{{\"name\":\"t\",\"inputSchema\":{input}}}");
    let hand = Hand::new(
        &[serde_json::from_str(&text).unwrap()],
        json!({"content": []}),
    );
    for mut wire in both(hand.checked()).await {
        let line = wire.ask_text("tools/list", json!({})).await;
        assert!(line.contains(&format!("\"inputSchema\":{input}")), "{line}");
    }
}

/// With the feature `exact`, numbers are published as written, too.
#[cfg(feature = "exact")]
#[tokio::test]
async fn numbers_are_published_as_written() {
    let schema = r#"{"type":"object","properties":{"a":{"maximum":12345678901234567890123,"multipleOf":1.10}}}"#;
    let text = format!("{{\"name\":\"t\",\"inputSchema\":{schema}}}");
    let hand = Hand::new(
        &[serde_json::from_str(&text).unwrap()],
        json!({"content": []}),
    );
    let mut wire = Wire::modern(hand.checked());
    let line = wire.ask_text("tools/list", json!({})).await;
    assert!(line.contains(schema), "{line}");
}

/// What a client of an old era gets depends on the schema, not on the value.
#[tokio::test]
async fn old_readers_get_objects() {
    let union = json!({"anyOf": [{"type": "object"}, {"type": "string"}]});
    let referred = json!({"$ref": "#/$defs/o", "$defs": {"o": {"type": "object"}}});
    for (output, value, projected) in [
        (
            Some(json!({"type": "array"})),
            json!([1]),
            json!({"result": [1]}),
        ),
        (
            Some(union.clone()),
            json!({"a": 1}),
            json!({"result": {"a": 1}}),
        ),
        (Some(union), json!("x"), json!({"result": "x"})),
        (
            Some(json!({"type": "null"})),
            json!(null),
            json!({"result": null}),
        ),
        (
            Some(json!({"type": ["object", "null"]})),
            json!({}),
            json!({"result": {}}),
        ),
        (
            Some(json!({"type": "object"})),
            json!({"a": 1}),
            json!({"a": 1}),
        ),
        (Some(referred), json!({"a": 1}), json!({"a": 1})),
        (None, json!([1, 2, 3]), json!({"result": [1, 2, 3]})),
        (None, json!({"a": 1}), json!({"a": 1})),
    ] {
        let answer = json!({"content": [], "structuredContent": value});
        let [mut modern, mut legacy] =
            both(Hand::new(&[tool("t", output.clone())], answer).checked()).await;
        assert_eq!(
            modern.call("t", json!({})).await["structuredContent"],
            value
        );
        assert_eq!(
            modern.listed("t").await.unwrap().get("outputSchema"),
            output.as_ref()
        );
        let result = legacy.call("t", json!({})).await;
        assert_eq!(result["structuredContent"], projected, "{output:?}");
        assert_eq!(text(&result), value.to_string(), "the natural value");
        let listed = legacy.listed("t").await.unwrap();
        let schema = listed.get("outputSchema");
        assert_eq!(schema.is_some(), output.is_some());
        assert!(
            schema.is_none_or(|schema| schema["type"] == "object"),
            "{listed}"
        );
    }
}

/// References are rewritten. With `OutputPolicy::Drop`, schema and value are left out.
#[tokio::test]
async fn wrapping_and_dropping() {
    let output = json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array",
        "items": {"anyOf": [{"type": "integer"}, {"$ref": "#"}]}});
    let answer = json!({"content": [], "structuredContent": [1, [2]]});
    let hand = Hand::new(&[tool("t", Some(output))], answer);
    let mut wire = Wire::legacy(hand.clone().checked(), "2025-06-18").await;
    let listed = wire.listed("t").await.unwrap();
    let wrapped = &listed["outputSchema"];
    assert_eq!(
        wrapped["$schema"],
        "https://json-schema.org/draft/2020-12/schema"
    );
    assert_eq!(
        wrapped["properties"]["result"]["items"]["anyOf"][1]["$ref"],
        "#/properties/result"
    );
    assert_eq!(
        wire.call("t", json!({})).await["structuredContent"],
        json!({"result": [1, [2]]})
    );

    let lost = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&lost);
    let layer = ServerLayer::new()
        .output(OutputPolicy::Drop)
        .observe(move |event| {
            if let ServerEvent::Lost { .. } = event {
                log.lock().unwrap().push(event.to_string());
            }
        });
    let mut wire = Wire::legacy(layer.wrap(hand.clone()), "2025-11-25").await;
    assert!(
        wire.listed("t")
            .await
            .unwrap()
            .get("outputSchema")
            .is_none()
    );
    let result = wire.call("t", json!({})).await;
    assert!(result.get("structuredContent").is_none());
    assert_eq!(text(&result), "[1,[2]]");
    // Every loss is reported.
    assert_eq!(lost.lock().unwrap().len(), 2, "{lost:?}");

    // Clients older than structured content get neither schema nor value.
    let mut wire = Wire::legacy(hand.checked(), "2025-03-26").await;
    assert!(
        wire.listed("t")
            .await
            .unwrap()
            .get("outputSchema")
            .is_none()
    );
    let result = wire.call("t", json!({})).await;
    assert!(result.get("structuredContent").is_none());
    assert_eq!(text(&result), "[1,[2]]");
}

/// Boolean property schemas, in both schemas of a tool.
#[tokio::test]
async fn boolean_properties() {
    let schema = json!({"type": "object", "properties": {"a": true, "b": false}});
    let both_schemas = json!({"name": "t", "inputSchema": schema, "outputSchema": schema});
    let [mut modern, mut legacy] =
        both(Hand::new(&[both_schemas], json!({"content": []})).checked()).await;
    let natural = modern.listed("t").await.unwrap();
    let tool = legacy.listed("t").await.unwrap();
    for part in ["inputSchema", "outputSchema"] {
        assert_eq!(natural[part], schema);
        assert_eq!(tool[part]["properties"], json!({"a": {}, "b": {"not": {}}}));
    }
}

/// Before 2025-11-25, wrong arguments are answered with an error.
#[tokio::test]
async fn wrong_arguments_by_era() {
    let strict = json!({"name": "t", "inputSchema": {"type": "object", "required": ["x"]}});
    let hand = Hand::new(&[strict], json!({"content": []}));
    for (version, as_error) in [
        ("2024-11-05", true),
        ("2025-06-18", true),
        ("2025-11-25", false),
    ] {
        let mut wire = Wire::legacy(hand.clone().checked(), version).await;
        let answer = wire.call("t", json!({})).await;
        assert_eq!(
            answer["error"]["code"] == -32602,
            as_error,
            "{version} {answer}"
        );
        assert_eq!(answer["isError"] == true, !as_error, "{version} {answer}");
    }
}

/// A message whose check reaches its limit is refused, or passed if the policy says so. It never
/// counts as decided.
#[tokio::test]
async fn the_third_verdict() {
    let costly = json!({"name": "t", "inputSchema": {"type": "object", "properties":
        {"a": {"items": {"type": "integer"}}}}});
    let hand = Hand::new(&[costly], json!({"content": []}));
    let many = json!({"a": vec![1; 1000]});
    for (policy, passes) in [(OnUndecided::Refuse, false), (OnUndecided::Pass, true)] {
        let undecided = Arc::new(AtomicUsize::new(0));
        let log = Arc::clone(&undecided);
        let layer = ServerLayer::new()
            .fuel(100)
            .on_undecided(policy)
            .observe(move |event| {
                if let ServerEvent::Undecided { .. } = event {
                    log.fetch_add(1, Ordering::Relaxed);
                }
            });
        let mut wire = Wire::modern(layer.wrap(hand.clone()));
        let answer = wire.call("t", many.clone()).await;
        assert_eq!(answer["isError"] != true, passes, "{answer}");
        assert_eq!(undecided.load(Ordering::Relaxed), usize::from(passes));
    }
}

/// Only clients that know `ttlMs` and `cacheScope` get them.
#[tokio::test]
async fn lists_say_how_long_they_last() {
    let layer = ServerLayer::new().caching(Duration::from_millis(1500), CacheScope::Public);
    let [mut modern, mut legacy] =
        both(layer.wrap(Hand::new(&[tool("t", None)], json!({"content": []})))).await;
    let list = modern.ask("tools/list", json!({})).await;
    assert_eq!(list["result"]["ttlMs"], 1500);
    assert_eq!(list["result"]["cacheScope"], "public");
    let list = legacy.ask("tools/list", json!({})).await;
    assert!(list["result"].get("ttlMs").is_none());
    assert!(list["result"].get("cacheScope").is_none());
}

/// Accepts every schema and every value.
struct AnyDialect;

impl Validator for AnyDialect {
    fn compile(&self, _: &str) -> Result<Box<dyn HostSchema>, String> {
        Ok(Box::new(Self))
    }
}

impl HostSchema for AnyDialect {
    fn check(&self, _: &str) -> HostVerdict {
        HostVerdict::Valid
    }
}

/// A program's own engine decides on dialects that only it knows; references to other documents
/// never reach it.
#[tokio::test]
async fn a_validator_decides_on_unknown_dialects() {
    let draft3 = json!({"name": "draft3", "inputSchema": {"type": "object",
        "$schema": "http://json-schema.org/draft-03/schema#"}});
    let elsewhere = json!({"name": "elsewhere", "inputSchema": {"type": "object",
        "$schema": "urn:ours", "extends": {"$ref": "https://h.example/a"}}});
    for (validator, tool, works) in [
        (true, &draft3, true),
        (false, &draft3, false),
        (true, &elsewhere, false),
    ] {
        let hand = Hand::new(std::slice::from_ref(tool), json!({"content": []}));
        let layer = ServerLayer::new();
        let layer = if validator {
            layer.validator(AnyDialect)
        } else {
            layer
        };
        let mut wire = Wire::modern(layer.wrap(hand.clone()));
        let name = tool["name"].as_str().unwrap();
        assert_eq!(
            wire.listed(name).await.is_some(),
            works,
            "{name} {validator}"
        );
        wire.call(name, json!({})).await;
        assert_eq!(
            hand.calls.load(Ordering::Relaxed) > 0,
            works,
            "{name} {validator}"
        );
    }
}

/// An argument schema in place of an input schema is listed as JSON Schema, and calls are checked
/// by it.
#[tokio::test]
async fn an_argument_schema_in_place_of_an_input_schema_is_converted() {
    for input in [
        json!({"t": {"type": "string", "isArray": true}}),
        json!({"type": "object", "properties": {"t": {"type": "string", "isArray": true}}}),
    ] {
        let tool = json!({"name": "native", "inputSchema": input});
        let hand = Hand::new(&[tool], json!({"content": []}));
        for (modern, calls) in [(true, 1), (false, 2)] {
            let server = ServerLayer::new().wrap(hand.clone());
            let mut wire = if modern {
                Wire::modern(server)
            } else {
                Wire::legacy(server, "2025-11-25").await
            };
            let listed = wire.listed("native").await.unwrap();
            let t = &listed["inputSchema"]["properties"]["t"];
            assert_eq!(t, &json!({"type": "array", "items": {"type": "string"}}));
            wire.call("native", json!({"t": "a"})).await;
            wire.call("native", json!({"t": ["a"]})).await;
            assert_eq!(hand.calls.load(Ordering::Relaxed), calls);
        }
    }
}
