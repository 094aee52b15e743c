//! The server: tools whose schemas come from Rust types, from JSON Schema text and from an
//! argument schema, and whose results are an object, an array, a number and perhaps null.

use rmcp::ServerHandler;
use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{JsonObject, Tool};
use rmcp::{tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolsure_mcp::argument::ArgumentSchema;
use toolsure_mcp::publish::ToolDefinition;
use toolsure_rmcp::{ServerLayer, Union};

use crate::Failure;

/// Whom to greet.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Greeting {
    #[schemars(length(min = 1))]
    name: String,
}

/// Where.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Place {
    pub(crate) city: String,
}

/// The weather there.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Weather {
    pub(crate) city: String,
    pub(crate) conditions: String,
    pub(crate) celsius: i32,
}

/// How far ahead.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Span {
    #[schemars(range(min = 1, max = 8))]
    pub(crate) hours: u8,
}

/// One hour's weather.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Forecast {
    pub(crate) hour: String,
    pub(crate) celsius: i32,
}

/// Exactly one of two keys: published as `{"type": "object", "oneOf": [...]}`.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Key {
    Id(String),
    Name(String),
}

/// What a key leads to.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Station {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// The handler.
#[derive(Debug, Clone)]
pub(crate) struct Forecaster {
    router: ToolRouter<Self>,
}

/// The layer that all handlers of this server share.
pub(crate) fn layer() -> Result<ServerLayer, Failure> {
    Ok(ServerLayer::new().fixed_tools())
}

#[tool_router]
impl Forecaster {
    /// A handler with all its routes.
    ///
    /// # Errors
    ///
    /// A tool that could never work.
    pub(crate) fn new() -> Result<Self, Failure> {
        let mut router = Self::tool_router();
        router.add_route(ToolRoute::new(greet_by_json_schema()?, Self::greet));
        router.add_route(ToolRoute::new(greet_by_argument_schema()?, Self::greet));
        Ok(Self { router })
    }

    #[tool(
        name = "greet-type",
        description = "Greets; the schema is a Rust type's."
    )]
    fn greet_type(&self, Parameters(greeting): Parameters<Greeting>) -> String {
        hello(&greeting.name)
    }

    // The arguments have passed their schema when a handler runs.
    fn greet(&self, arguments: JsonObject) -> String {
        let name = arguments.get("name").and_then(Value::as_str);
        hello(name.unwrap_or_default())
    }

    #[tool(name = "get-weather", description = "The weather now, as an object.")]
    fn get_weather(&self, Parameters(place): Parameters<Place>) -> Json<Weather> {
        Json(Weather {
            city: place.city,
            conditions: "sunny".to_owned(),
            celsius: 21,
        })
    }

    #[tool(
        name = "list-forecasts",
        description = "The coming hours, as an array."
    )]
    fn list_forecasts(&self, Parameters(span): Parameters<Span>) -> Json<Vec<Forecast>> {
        let hours = (9_u8..).take(span.hours.into());
        Json(
            hours
                .map(|hour| Forecast {
                    hour: format!("{hour:02}:00"),
                    celsius: i32::from(hour) + 10,
                })
                .collect(),
        )
    }

    #[tool(
        name = "get-count",
        description = "How many stations there are, as a number."
    )]
    fn get_count(&self) -> Json<u32> {
        Json(1)
    }

    #[tool(
        name = "find-by-id-or-name",
        description = "A station by one of two keys, or null."
    )]
    fn find(&self, Parameters(Union(key)): Parameters<Union<Key>>) -> Json<Option<Station>> {
        let known = match key {
            Key::Id(id) => id == "s1",
            Key::Name(name) => name == "harbour",
        };
        Json(known.then(|| Station {
            id: "s1".to_owned(),
            name: "harbour".to_owned(),
        }))
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Forecaster {}

fn greet_by_json_schema() -> Result<Tool, Failure> {
    let definition = ToolDefinition::new("greet-json-schema")
        .description("Greets; the schema is JSON Schema text.")
        .input(
            r#"{
              "type": "object",
              "properties": { "name": { "type": "string", "minLength": 1 } },
              "required": ["name"]
            }"#,
        );
    Ok(toolsure_rmcp::tool(definition)?)
}

fn greet_by_argument_schema() -> Result<Tool, Failure> {
    let schema = ArgumentSchema::read(
        br#"{
          "schemaVersion": "2025-10-09",
          "properties": { "name": { "type": "string", "minLength": 1 } },
          "required": ["name"]
        }"#,
    )?;
    let definition = ToolDefinition::new("greet-argument-schema")
        .description("Greets; the schema is an argument schema.")
        .input(schema.to_json_schema());
    Ok(toolsure_rmcp::tool(definition)?)
}

fn hello(name: &str) -> String {
    format!("Hello, {name}!")
}
