//! Simpler calls than one that found something.

use super::edges::{members, written};
use super::plan::{Call, CallKind};
use crate::contract::ToolContract;
use toolsure_json::{Kind, Node as _, OwnedDocument, ReadLimits, json_string};
use toolsure_schema::{Verdict, Workspace};

/// Calls with one member less, or with a shorter string, that the schema accepts as the call itself. Try each: the first with the
/// same finding takes the place of the call, and so on.
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
    let fewer = (0..all.len()).map(|at| {
        let mut fewer = all.clone();
        fewer.remove(at);
        fewer
    });
    let shorter = all.iter().enumerate().flat_map(|(at, (_, value))| {
        let all = &all;
        shorter(value).into_iter().map(move |text| {
            let mut other = all.clone();
            if let Some((_, value)) = other.get_mut(at) {
                *value = text;
            }
            other
        })
    });
    let calls = fewer.chain(shorter).map(|members| Call {
        arguments: written(&members),
        kind: call.kind.clone(),
    });
    let mut workspace = Workspace::new();
    let mut is_valid =
        |call: &Call| schema.check(&mut workspace, call.arguments.as_bytes()) == Ok(Verdict::Valid);
    calls.filter(|call| is_valid(call)).collect()
}

/// The JSON texts of shorter strings, the shortest first; none for another value.
fn shorter(value: &str) -> Vec<String> {
    let Ok(document) = OwnedDocument::read(value.as_bytes(), &ReadLimits::default()) else {
        return Vec::new();
    };
    let root = document.document().root();
    if root.kind() != Kind::String {
        return Vec::new();
    }
    let text = root.string();
    let count = text.chars().count();
    let mut lengths = vec![1, count / 16, count / 2, count.saturating_sub(1)];
    lengths.retain(|length| (1..count).contains(length));
    lengths.sort_unstable();
    lengths.dedup();
    let cut = |length: usize| text.chars().take(length).collect::<String>();
    lengths
        .into_iter()
        .map(|length| json_string(&cut(length)).to_string())
        .collect()
}
