//! The settings of the tools whose names match, `[[tools]]`.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use toolsure_guard::policy;
use toolsure_json::quote;
use toolsure_mcp::argument::ArgumentSchema;

use super::place::SHOWN;
use super::rate::RateWords;
use super::read::read;

/// The settings of the tools whose names match.
#[derive(Clone, Default)]
pub(super) struct ToolRule {
    pub(super) pattern: Option<String>,
    /// A file with an argument schema; the next field has its text instead.
    pub(super) argument_schema: Option<PathBuf>,
    pub(super) argument_schema_text: Option<String>,
    pub(super) rule: policy::ToolRule,
    pub(super) rate: RateWords,
    /// Where it begins in the file.
    pub(super) place: Range<usize>,
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
