//! Reads the schemas that the settings name: documents for references, argument schemas.

use std::sync::Arc;

use toolgate_json::quote;
use toolgate_mcp::argument::ArgumentSchema;

use super::finish::{file, read};
use super::{Config, ToolRule};

impl Config {
    /// Registers the documents that references may resolve to.
    pub(super) fn register(&mut self) -> Result<(), String> {
        for (uri, path) in &self.documents {
            let bytes = read(path).map_err(|why| format!("`schemas.documents`: {why}"))?;
            let made = self.policy.compiler.clone().register(uri, &bytes);
            self.policy.compiler = made.map_err(|error| {
                let uri = quote(uri, SHOWN);
                format!("`schemas.documents`: {} as `{uri}`: {error}", file(path))
            })?;
        }
        Ok(())
    }
}

impl ToolRule {
    /// Reads the argument schema.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let pattern = self.pattern.as_deref().unwrap_or_default();
        let wrong = |why: String| format!("`[[tools]]` for `{}`: {why}", quote(pattern, SHOWN));
        let text = match (&self.argument_schema, &self.argument_schema_text) {
            (None, None) => return Ok(()),
            (Some(path), None) => read(path).map_err(wrong)?,
            (None, Some(text)) => text.clone().into_bytes(),
            (Some(_), Some(_)) => {
                let why = "set only one of `argument_schema` and `argument_schema_text`";
                return Err(wrong(why.to_owned()));
            }
        };
        let schema = ArgumentSchema::read(&text);
        let schema = schema.map_err(|error| wrong(format!("the argument schema: {error}")))?;
        self.rule.argument_schema = Some(Arc::new(schema));
        Ok(())
    }
}

/// Maximum characters of an untrusted text in a message.
const SHOWN: usize = 60;
