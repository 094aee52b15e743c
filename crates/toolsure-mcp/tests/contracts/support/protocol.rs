//! The protocol's own schemas, compiled by our engine.

use toolsure_mcp::era::Era;
use toolsure_schema::{Compiler, Schema, Workspace};
use toolsure_testkit::protocol;

/// The schema of a version, if `TOOLSURE_MCP_SCHEMAS` has it.
pub(crate) fn text(era: Era) -> Option<String> {
    let folder = std::env::var_os("TOOLSURE_MCP_SCHEMAS")?;
    protocol::text(folder.as_ref(), era.version())
}

/// The definitions of a version by name.
pub(crate) fn definitions(era: Era) -> Option<protocol::Definitions> {
    protocol::definitions(&text(era)?)
}

/// The schema of one kind of message.
pub(crate) fn definition(era: Era, name: &str) -> Option<Schema> {
    let text = text(era)?;
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    let compiler = Compiler::new()
        .register("https://spec.invalid/schema.json", text.as_bytes())
        .unwrap();
    let reference = format!(
        r##"{{"$schema":{},"$ref":"https://spec.invalid/schema.json#/{}/{name}"}}"##,
        schema.get("$schema")?,
        protocol::shelf(&schema)
    );
    let compiled = compiler.compile(reference.as_bytes());
    Some(compiled.unwrap_or_else(|error| unreachable!("{error}")))
}

pub(crate) fn has_definition(era: Era, name: &str) -> bool {
    definitions(era).is_some_and(|all| all.contains_key(name))
}

/// Fails unless a text is valid.
pub(crate) fn check(schema: &Schema, text: &str, what: &str) {
    let mut workspace = Workspace::new();
    let report = schema.explain(&mut workspace, text.as_bytes()).unwrap();
    assert!(
        report.verdict.is_valid(),
        "{what}: {}\n{text}",
        report.summary()
    );
}
