//! All four legs: each transport in each era, and what a client must see on it.

use std::process::ExitCode;

use rmcp::model::{CallToolResult, ContentBlock, ProtocolVersion};
use serde_json::{Value, json};

use crate::Failure;
use crate::client::{Session, Transport, connect};

/// Runs every leg and reports; the exit code says whether all checks passed.
pub(crate) async fn run() -> Result<ExitCode, Failure> {
    let (mut passed, mut failed) = (0_u32, 0_u32);
    for transport in [Transport::Stdio, Transport::Http] {
        for version in [ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28] {
            let session = connect(transport, version.clone()).await?;
            for (what, seen) in leg(&session, &version).await? {
                match seen {
                    Ok(()) => passed += 1,
                    Err(instead) => {
                        failed += 1;
                        println!("{transport:?} {version}: {what}: found {instead}");
                    }
                }
            }
            session.cancel().await?;
            println!("{transport:?} {version}: done");
        }
    }
    println!("{passed} passed, {failed} failed");
    Ok(if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

type Checks = Vec<(&'static str, Result<(), String>)>;

const GREETERS: [&str; 3] = ["greet-type", "greet-json-schema", "greet-argument-schema"];

/// The tools whose output is an object to readers of every era.
async fn leg(session: &Session, version: &ProtocolVersion) -> Result<Checks, Failure> {
    let modern = *version == ProtocolVersion::V_2026_07_28;
    // Clients before 2026-07-28 get output that may not be an object inside one.
    let wrapped = |natural: Value| {
        if modern {
            natural
        } else {
            json!({ "result": natural })
        }
    };
    let mut checks = list(session, modern).await?;
    for name in GREETERS {
        let greeted = call(session, name, json!({ "name": "world" })).await;
        checks.push(("a greeting", is(&text(&greeted), &json!("Hello, world!"))));
        let refused = call(session, name, json!({})).await;
        checks.push(("a name is required", names(&refused, "name")));
        let empty = call(session, name, json!({ "name": "" })).await;
        checks.push(("a name is not empty", names(&empty, "name")));
    }

    let weather = call(session, "get-weather", json!({ "city": "Tokyo" })).await;
    let tokyo = json!({ "city": "Tokyo", "conditions": "sunny", "celsius": 21 });
    checks.push(("an object in both eras", is(&structured(&weather), &tokyo)));

    let forecasts = call(session, "list-forecasts", json!({ "hours": 2 })).await;
    let hours = json!([{ "hour": "09:00", "celsius": 19 }, { "hour": "10:00", "celsius": 20 }]);
    checks.push((
        "an array",
        is(&structured(&forecasts), &wrapped(hours.clone())),
    ));
    let readable = text(&forecasts);
    let readable = readable
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    checks.push(("its text", is(&readable.unwrap_or_default(), &hours)));
    let none = call(session, "list-forecasts", json!({ "hours": 0 })).await;
    checks.push(("at least one hour", names(&none, "hours")));

    let count = call(session, "get-count", json!({})).await;
    checks.push(("a number", is(&structured(&count), &wrapped(json!(1)))));
    checks.push(("its text", is(&text(&count), &json!("1"))));

    let harbour = json!({ "id": "s1", "name": "harbour" });
    for key in [json!({ "id": "s1" }), json!({ "name": "harbour" })] {
        let found = call(session, "find-by-id-or-name", key).await;
        checks.push((
            "one of two keys",
            is(&structured(&found), &wrapped(harbour.clone())),
        ));
    }
    let nothing = call(session, "find-by-id-or-name", json!({ "id": "s2" })).await;
    checks.push((
        "null is a result",
        is(&structured(&nothing), &wrapped(Value::Null)),
    ));
    let both = json!({ "id": "s1", "name": "harbour" });
    let refused = call(session, "find-by-id-or-name", both).await;
    checks.push(("not both keys", names(&refused, "`name`")));
    Ok(checks)
}

/// What the list must say.
async fn list(session: &Session, modern: bool) -> Result<Checks, Failure> {
    let tools = session.list_all_tools().await?;
    let mut checks = Checks::new();
    let mut listed: Vec<&str> = tools.iter().map(|tool| tool.name.as_ref()).collect();
    listed.sort_unstable();
    let all = json!([
        "find-by-id-or-name",
        "get-count",
        "get-weather",
        "greet-argument-schema",
        "greet-json-schema",
        "greet-type",
        "list-forecasts"
    ]);
    checks.push(("all tools", is(&json!(listed), &all)));
    for tool in &tools {
        let input = Value::Object((*tool.input_schema).clone());
        if GREETERS.contains(&tool.name.as_ref()) {
            let required = input.get("required").cloned().unwrap_or_default();
            checks.push(("`name` is required", is(&required, &json!(["name"]))));
        }
        let output = tool.output_schema.as_ref();
        let root = output.and_then(|schema| schema.get("type")).cloned();
        let root = root.unwrap_or_default();
        match tool.name.as_ref() {
            "find-by-id-or-name" => {
                let branches = input.get("oneOf").and_then(Value::as_array);
                let count = branches.map(Vec::len);
                checks.push(("two branches", is(&json!(count), &json!(2))));
            }
            "get-weather" => checks.push(("an object's schema", is(&root, &json!("object")))),
            "list-forecasts" => {
                let kind = if modern { "array" } else { "object" };
                checks.push(("an array's schema", is(&root, &json!(kind))));
            }
            "get-count" => {
                let kind = if modern { "integer" } else { "object" };
                checks.push(("a number's schema", is(&root, &json!(kind))));
            }
            _ => {}
        }
    }
    Ok(checks)
}

/// A call's result, or the words of its refusal.
type Outcome = Result<CallToolResult, String>;

async fn call(session: &Session, name: &'static str, arguments: Value) -> Outcome {
    let request = rmcp::model::CallToolRequestParams::new(name);
    let request = match arguments {
        Value::Object(arguments) => request.with_arguments(arguments),
        _ => request,
    };
    let result = session.call_tool(request).await;
    let result = result.map_err(|error| error.to_string())?;
    if result.is_error == Some(true) {
        return Err(first_text(&result).unwrap_or_default());
    }
    Ok(result)
}

fn first_text(result: &CallToolResult) -> Option<String> {
    let mut texts = result.content.iter().filter_map(ContentBlock::as_text);
    texts.next().map(|block| block.text.clone())
}

fn text(outcome: &Outcome) -> Value {
    match outcome {
        Ok(result) => json!(first_text(result)),
        Err(refusal) => json!({ "refused": refusal }),
    }
}

fn structured(outcome: &Outcome) -> Value {
    match outcome {
        Ok(result) => match &result.structured_content {
            Some(content) => content.clone(),
            None => json!("no structured content"),
        },
        Err(refusal) => json!({ "refused": refusal }),
    }
}

fn is(seen: &Value, wanted: &Value) -> Result<(), String> {
    if seen == wanted {
        Ok(())
    } else {
        Err(format!("{seen}, not {wanted}"))
    }
}

/// A refusal that names what is wrong.
fn names(outcome: &Outcome, what: &str) -> Result<(), String> {
    match outcome {
        Err(refusal) if refusal.contains(what) => Ok(()),
        Err(refusal) => Err(format!("a refusal without `{what}`: {refusal}")),
        Ok(_) => Err("a result".to_owned()),
    }
}
