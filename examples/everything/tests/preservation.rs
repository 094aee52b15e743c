//! The suite's scenarios about schemas, stricter: not that keywords are present, but that the
//! schema that was written is the schema that arrives, in every member and in their order.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

use everything::server::Everything;
use rmcp::model::{CallToolRequestParams, JsonObject, ProtocolVersion, Tool};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService, ServiceExt as _,
};
use serde_json::{Value, json};
use toolsure_rmcp::{ClientLayer, ServerLayer};

const KEY: [u8; 32] = [7; 32];

/// A checked client of the checked fixture server.
async fn client(version: &ProtocolVersion) -> RunningService<RoleClient, ()> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let server = ServerLayer::new().wrap(Everything::new(&KEY).unwrap());
    tokio::spawn(async move {
        let running = server.serve(theirs).await.unwrap();
        running.waiting().await.unwrap();
    });
    let lifecycle = if *version == ProtocolVersion::V_2026_07_28 {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![version.clone()],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    let transport = ClientLayer::new().transport(ours);
    ().serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

/// The tools as they are written, by name.
fn written() -> Vec<Value> {
    let mut all: Vec<Value> = serde_json::from_str(include_str!("../data/tools.json")).unwrap();
    let shapes: Vec<Value> = serde_json::from_str(include_str!("../data/shapes.json")).unwrap();
    all.extend(shapes);
    all.into_iter()
        .map(|mut entry| entry["tool"].take())
        .collect()
}

fn named<'a>(tools: &'a [Tool], name: &Value) -> Option<&'a Tool> {
    tools.iter().find(|tool| *name == *tool.name)
}

/// S5, S6: what is published is what was written; only the hostile tool is missing.
#[tokio::test]
async fn schemas_arrive_as_they_were_written() {
    let client = client(&ProtocolVersion::V_2026_07_28).await;
    let listed = client.list_all_tools().await.unwrap();
    for tool in written() {
        let Some(arrived) = named(&listed, &tool["name"]) else {
            assert_eq!(tool["name"], "hostile", "only the hostile tool is isolated");
            continue;
        };
        let input = Value::Object(JsonObject::clone(&arrived.input_schema));
        // The texts, not the values: order is part of what was written.
        assert_eq!(input.to_string(), tool["inputSchema"].to_string());
        let output = arrived.output_schema.as_ref();
        let output = output.map(|schema| json!(**schema).to_string());
        assert_eq!(output, tool.get("outputSchema").map(Value::to_string));
    }
    client.cancel().await.unwrap();
}

/// L2, L4, S6: the same over the older version, but for what that version cannot say.
#[tokio::test]
async fn old_readers_lose_only_what_they_cannot_read() {
    let client = client(&ProtocolVersion::V_2025_11_25).await;
    let listed = client.list_all_tools().await.unwrap();
    for tool in written() {
        let Some(arrived) = named(&listed, &tool["name"]) else {
            assert_eq!(tool["name"], "hostile");
            continue;
        };
        let mut wanted = tool["inputSchema"].clone();
        if tool["name"] == "any-member" {
            // Boolean schemas of properties are objects there that mean the same.
            wanted["properties"]["any"] = json!({});
            wanted["properties"]["none"] = json!({ "not": {} });
        }
        assert_eq!(
            Value::Object(JsonObject::clone(&arrived.input_schema)),
            wanted
        );
        if let Some(output) = &arrived.output_schema {
            assert_eq!(output.get("type"), Some(&json!("object")));
        }
    }
    client.cancel().await.unwrap();
}

/// S6: a schema makes the way to a server and back without losing a member.
#[tokio::test]
async fn a_schema_comes_back_whole() {
    for version in [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28] {
        let client = client(&version).await;
        let listed = client.list_all_tools().await.unwrap();
        let sent = named(&listed, &json!("json_schema_2020_12_tool")).unwrap();
        let schema = Value::Object(JsonObject::clone(&sent.input_schema));
        let mut arguments = JsonObject::new();
        arguments.insert("schema".to_owned(), schema.clone());
        let request = CallToolRequestParams::new("json_schema_echo").with_arguments(arguments);
        let result = client.call_tool(request).await.unwrap();
        let back = result.structured_content.unwrap();
        assert_eq!(back.to_string(), schema.to_string(), "{version}");
        client.cancel().await.unwrap();
    }
}
