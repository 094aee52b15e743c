//! Simpler calls than one that found something.

use super::edges::{members, written};
use super::plan::{Call, CallKind};
use crate::contract::ToolContract;
use toolsure_schema::{Verdict, Workspace};

/// Calls with one member less, that the schema accepts as the call itself. Try each: the first with the same finding takes the
/// place of the call, and so on.
///
/// ```
/// use toolsure_mcp::contract::{SchemaStore, ToolContract};
/// use toolsure_mcp::testing::{Call, smaller};
///
/// let tool = br#"{"name": "find", "inputSchema": {"type": "object", "required": ["a"]}}"#;
/// let tool = ToolContract::read(tool, &SchemaStore::new())?;
/// let simpler = smaller(&tool, &Call::valid(r#"{"a": 1, "b": 2}"#, "both"));
/// assert_eq!(simpler.len(), 1);
/// assert_eq!(simpler[0].arguments, r#"{"a":1}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn smaller(tool: &ToolContract, call: &Call) -> Vec<Call> {
    let (Ok(schema), Some(all)) = (tool.input(), members(&call.arguments)) else {
        return Vec::new();
    };
    if !matches!(call.kind, CallKind::Valid(_)) {
        // An invalid one is made as small as it can be.
        return Vec::new();
    }
    let mut calls = Vec::new();
    for at in 0..all.len() {
        let mut fewer = all.clone();
        fewer.remove(at);
        let arguments = written(&fewer);
        let verdict = schema.check(&mut Workspace::new(), arguments.as_bytes());
        if verdict == Ok(Verdict::Valid) {
            calls.push(Call {
                arguments,
                kind: call.kind.clone(),
            });
        }
    }
    calls
}
