//! What the fixture client sees of any server: its tools, and the outcome of every call of a
//! list of cases, in the form that the scripts for other SDKs write too.

use rmcp::model::{CallToolRequestParams, ContentBlock, JsonObject, ProtocolVersion};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connect::{Failure, Session, Target, connect};

#[derive(Debug, Deserialize)]
struct Cases {
    calls: Vec<Case>,
}

#[derive(Debug, Deserialize)]
struct Case {
    case: String,
    tool: String,
    arguments: JsonObject,
}

/// The report on the server at `target` in the era of `version`, for the cases in the file
/// `cases`.
///
/// # Errors
///
/// If the cases cannot be read, or the connection fails; what fails after that is reported.
pub async fn report(target: &Target, version: &str, cases: &str) -> Result<Value, Failure> {
    let cases: Cases = serde_json::from_str(&std::fs::read_to_string(cases)?)?;
    let version: ProtocolVersion = serde_json::from_value(version.into())?;
    let session = connect(target, &version).await?;
    let mut seen = match session.list_all_tools().await {
        Ok(tools) => {
            let names: Vec<_> = tools.into_iter().map(|tool| tool.name).collect();
            json!({ "listed": names })
        }
        Err(error) => json!({ "listed": null, "list_error": error.to_string() }),
    };
    let mut calls = JsonObject::new();
    for case in cases.calls {
        let outcome = outcome(&session, case.tool, case.arguments).await;
        calls.insert(case.case, outcome);
    }
    if let Some(members) = seen.as_object_mut() {
        members.insert("calls".to_owned(), Value::Object(calls));
    }
    session.cancel().await?;
    Ok(seen)
}

async fn outcome(session: &Session, tool: String, arguments: JsonObject) -> Value {
    let request = CallToolRequestParams::new(tool).with_arguments(arguments);
    let result = match session.call_tool(request).await {
        Ok(result) => result,
        Err(error) => return json!({ "refused": error.to_string() }),
    };
    let mut texts = result.content.iter().filter_map(ContentBlock::as_text);
    let text = texts.next().map(|block| block.text.clone());
    if result.is_error == Some(true) {
        return json!({ "refused": text.unwrap_or_default() });
    }
    let mut report = json!({ "text": text });
    if let (Some(members), Some(content)) = (report.as_object_mut(), result.structured_content) {
        members.insert("structured".to_owned(), content);
    }
    report
}
