//! What the fixture server offers, read once from the files beside this crate.

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResult, JsonObject, Prompt, PromptMessage, Resource, ResourceContents,
    ResourceTemplate, Tool,
};
use serde::Deserialize;
use serde_json::Value;

use crate::ask::Ask;

/// A tool and what a call of it does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolEntry {
    pub(crate) tool: Tool,
    /// The answer, where it is always the same.
    #[serde(default)]
    pub(crate) answer: Option<CallToolResult>,
    /// What the tool asks the client before it answers.
    #[serde(default)]
    pub(crate) ask: Option<Ask>,
    /// What the tool does besides answering.
    #[serde(default)]
    pub(crate) act: Option<Act>,
}

/// What some tools do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Act {
    /// Three progress notifications.
    Progress,
    /// Three log messages, if the client wants them.
    Log,
    /// Refuses clients without sampling.
    NeedSampling,
    /// Announces a change of the tools.
    AnnounceTools,
    /// Announces a change of the prompts.
    AnnouncePrompts,
    /// Answers with the argument `schema`.
    EchoSchema,
}

/// A prompt and its messages; `$name` in them is replaced by an argument.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PromptEntry {
    pub(crate) prompt: Prompt,
    messages: Vec<Value>,
    #[serde(default)]
    pub(crate) ask: Option<Ask>,
}

impl PromptEntry {
    /// The messages with the arguments in their places.
    pub(crate) fn messages(&self, arguments: &JsonObject) -> Result<Vec<PromptMessage>, ErrorData> {
        self.messages
            .iter()
            .map(|message| read(fill(message, arguments)))
            .collect()
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Resources {
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    contents: Vec<ResourceContents>,
}

impl Resources {
    /// The contents at `uri`: a listed resource, or a record of the template.
    pub(crate) fn at(&self, uri: &str) -> Option<ResourceContents> {
        let listed = self.contents.iter().find(|contents| match contents {
            ResourceContents::TextResourceContents { uri: known, .. }
            | ResourceContents::BlobResourceContents { uri: known, .. } => known == uri,
            _ => false,
        });
        listed.cloned().or_else(|| {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let record = serde_json::json!({ "id": id, "templateTest": true, "data": format!("Record {id}") });
            Some(
                ResourceContents::text(record.to_string(), uri)
                    .with_mime_type("application/json"),
            )
        })
    }
}

/// All that the server offers.
#[derive(Debug)]
pub(crate) struct Material {
    pub(crate) tools: Vec<ToolEntry>,
    pub(crate) prompts: Vec<PromptEntry>,
    pub(crate) resources: Resources,
}

impl Material {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// If one of them is not what its type says.
    pub(crate) fn read() -> Result<Self, serde_json::Error> {
        let mut tools: Vec<ToolEntry> = serde_json::from_str(include_str!("../data/tools.json"))?;
        let shapes: Vec<ToolEntry> = serde_json::from_str(include_str!("../data/shapes.json"))?;
        tools.extend(shapes);
        Ok(Self {
            tools,
            prompts: serde_json::from_str(include_str!("../data/prompts.json"))?,
            resources: serde_json::from_str(include_str!("../data/resources.json"))?,
        })
    }
}

/// A copy of `value` with `$name` in its texts replaced by the argument of that name.
pub(crate) fn fill(value: &Value, arguments: &JsonObject) -> Value {
    match value {
        Value::String(text) => {
            let filled = arguments.iter().fold(text.clone(), |text, (name, given)| {
                let given = given
                    .as_str()
                    .map_or_else(|| given.to_string(), str::to_owned);
                text.replace(&format!("${name}"), &given)
            });
            Value::String(filled)
        }
        Value::Array(items) => items.iter().map(|item| fill(item, arguments)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), fill(member, arguments)))
            .collect(),
        other => other.clone(),
    }
}

/// `value` as one of the protocol's types.
pub(crate) fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value)
        .map_err(|error| ErrorData::internal_error(format!("the fixture's data: {error}"), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_what_their_types_say() {
        let material = Material::read().unwrap();
        for entry in &material.tools {
            let doings = [
                entry.answer.is_some(),
                entry.ask.is_some(),
                entry.act.is_some(),
            ];
            let done = doings.iter().filter(|doing| **doing).count();
            assert_eq!(done, 1, "`{}` does {done} things", entry.tool.name);
        }
        for resource in &material.resources.resources {
            assert!(material.resources.at(&resource.uri).is_some());
        }
        for entry in &material.prompts {
            entry.messages(&JsonObject::new()).unwrap();
        }
    }

    #[test]
    fn arguments_take_their_places() {
        let arguments = serde_json::json!({ "a": "one", "n": 2 });
        let filled = fill(
            &serde_json::json!({ "text": ["$a and $n"] }),
            arguments.as_object().unwrap(),
        );
        assert_eq!(filled, serde_json::json!({ "text": ["one and 2"] }));
    }
}
