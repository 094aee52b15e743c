//! What the tests of this crate share: catalogs from text, calls, JSON equality.

#![expect(clippy::unwrap_used, reason = "a panic is how a test fails")]

pub(crate) mod protocol;
pub(crate) mod random;

use std::ops::ControlFlow;
use std::sync::Arc;

use toolsure_json::{Document, OwnedDocument, ReadLimits, Unmetered, View, equal};
use toolsure_mcp::catalog::{Catalog, Listing, ToolSet};
use toolsure_mcp::check::{Checker, Decision};
use toolsure_mcp::contract::{SchemaStore, ToolContract};
use toolsure_mcp::era::Era;
use toolsure_mcp::project::{ProjectedResult, Projection};
use toolsure_schema::{Compiler, Formats};

/// Reads JSON text.
pub(crate) fn json(text: &str) -> OwnedDocument {
    let read = OwnedDocument::read(text, &ReadLimits::default());
    assert!(read.is_ok(), "{read:?}: {text}");
    read.unwrap()
}

/// Whether two JSON texts are the same value.
pub(crate) fn same(a: &str, b: &str) -> bool {
    let (a, b) = (json(a), json(b));
    same_value(a.document().root(), b.document().root())
}

/// Whether two values are the same.
pub(crate) fn same_value(a: View<'_>, b: View<'_>) -> bool {
    matches!(equal(a, b, &mut Unmetered), ControlFlow::Continue(true))
}

/// The text of the value that a pointer leads to.
pub(crate) fn at<'d>(document: Document<'d>, pointer: &str) -> Option<&'d str> {
    document.at_pointer(pointer).map(View::raw)
}

/// A page of tools, each JSON text.
pub(crate) fn page(tools: &[&str]) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":2,"result":{{"tools":[{}]}}}}"#,
        tools.join(",")
    )
}

/// A page as a listing.
pub(crate) fn listing(tools: &[&str]) -> Listing {
    Listing::read(page(tools)).unwrap()
}

/// The tools of a page.
pub(crate) fn tools(tools: &[&str]) -> Arc<ToolSet> {
    let catalog = Catalog::new(SchemaStore::new());
    catalog.load([page(tools).as_bytes()]).unwrap();
    catalog.snapshot()
}

/// The tools of a page, whose formats are asserted.
pub(crate) fn asserting(tools: &[&str]) -> Arc<ToolSet> {
    let compiler = Compiler::new().formats(Formats::Assert);
    let catalog = Catalog::new(SchemaStore::with(compiler, SchemaStore::BYTES));
    catalog.load([page(tools).as_bytes()]).unwrap();
    catalog.snapshot()
}

/// A tool with an input and perhaps an output schema.
pub(crate) fn tool(name: &str, input: &str, output: Option<&str>) -> String {
    let output = output.map_or_else(String::new, |output| format!(r#","outputSchema":{output}"#));
    format!(r#"{{"name":"{name}","inputSchema":{input}{output}}}"#)
}

/// One contract.
pub(crate) fn contract(input: &str, output: Option<&str>) -> Arc<ToolContract> {
    let text = tool("t", input, output);
    Arc::new(ToolContract::read(text.as_bytes(), &SchemaStore::new()).unwrap())
}

/// A contract that takes anything and promises this.
pub(crate) fn promising(output: &str) -> Arc<ToolContract> {
    contract(r#"{"type":"object"}"#, Some(output))
}

/// Checks a call given by the tool's name and the text of its arguments.
pub(crate) fn call(tools: &ToolSet, name: &str, arguments: &str) -> Decision {
    let message = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
    );
    Checker::new().check_call_message(tools, message.as_bytes())
}

/// Checks a result given by its text.
pub(crate) fn result(tool: &Arc<ToolContract>, era: Era, result: &str) -> Decision {
    Checker::new().check_result(tool, era, json(result).document().root())
}

/// The stable code of a refusal, or `pass`.
pub(crate) fn code(decision: &Decision) -> &'static str {
    decision
        .refusal()
        .map_or("pass", |refusal| refusal.fault.code())
}

/// Projects a result given by its text.
pub(crate) fn told(reader: Era, tool: Option<&ToolContract>, result: &str) -> ProjectedResult {
    let document = json(result);
    Projection::to(reader)
        .result(tool, Era::V2026_07_28, document.document().root())
        .unwrap()
}

/// A file of the shared data.
pub(crate) fn shared(path: &str) -> String {
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(path);
    std::fs::read_to_string(&file).unwrap()
}

/// The files of a folder of the shared data with an ending, in order.
pub(crate) fn shared_files(folder: &str, ending: &str) -> Vec<(String, String)> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared")
        .join(folder);
    let entries = std::fs::read_dir(&root).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.retain(|path| path.extension().is_some_and(|found| found == ending));
    let name = |path: &std::path::Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    files
        .iter()
        .map(|path| (name(path), std::fs::read_to_string(path).unwrap()))
        .collect()
}
