//! The fixture client: what the suite's client scenarios expect of a host.

use rmcp::ClientHandler;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequestParams, ElicitResult, ElicitationAction,
    GetPromptRequestParams, Implementation, JsonObject, ListRootsResult, ProtocolVersion,
    ReadResourceRequestParams, Role, Root, SamplingMessage, SamplingMessageContentBlock, Tool,
};
use rmcp::service::{RequestContext, RoleClient};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::connect::{Failure, Session, Target, connect};

/// A host that answers every question without a user.
#[derive(Debug, Clone, Copy)]
pub struct Host;

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder()
            .enable_elicitation()
            .enable_roots()
            .enable_sampling()
            .build();
        let name = Implementation::new("everything-client", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, name)
    }

    /// Accepts, with the default of every field that has one.
    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = serde_json::to_value(&request).map_err(internal)?;
        let fields = asked.pointer("/requestedSchema/properties");
        let content: JsonObject = fields
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())))
            .collect();
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(Value::Object(content)))
    }

    async fn create_message(
        &self,
        _request: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let text = SamplingMessageContentBlock::text("An answer without a model.");
        let message = SamplingMessage::new(Role::Assistant, text);
        Ok(CreateMessageResult::new(message, "none".to_owned()))
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![Root::new("file:///fixture")]))
    }
}

/// What the suite says in `MCP_CONFORMANCE_CONTEXT`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Context {
    #[serde(default)]
    tool_calls: Vec<ToolCall>,
}

#[derive(Debug, Deserialize)]
struct ToolCall {
    name: String,
    #[serde(default)]
    arguments: JsonObject,
}

/// The suite's arguments for its client.
#[derive(Debug)]
pub struct Orders {
    scenario: String,
    version: ProtocolVersion,
    context: Context,
}

impl Orders {
    /// Reads the suite's environment variables.
    ///
    /// # Errors
    ///
    /// If one is missing, or is not what the suite says it is.
    pub fn from_environment() -> Result<Self, Failure> {
        let version = std::env::var("MCP_CONFORMANCE_PROTOCOL_VERSION")?;
        let context = match std::env::var("MCP_CONFORMANCE_CONTEXT") {
            Ok(text) => serde_json::from_str(&text)?,
            Err(_) => Context::default(),
        };
        Ok(Self {
            scenario: std::env::var("MCP_CONFORMANCE_SCENARIO")?,
            version: serde_json::from_value(Value::String(version))?,
            context,
        })
    }
}

/// Connects to `url` in the era that the suite names and does what its scenario needs.
///
/// # Errors
///
/// Whatever fails between client and server.
pub async fn run(url: &str, orders: &Orders) -> Result<(), Failure> {
    let session = connect(&Target::Http(url.to_owned()), &orders.version).await?;
    perform(&session, orders).await?;
    session.cancel().await?;
    Ok(())
}

async fn perform(session: &Session, orders: &Orders) -> Result<(), Failure> {
    let tools = session.list_all_tools().await?;
    match orders.scenario.as_str() {
        "http-standard-headers" => {
            read_resources(session).await?;
            read_prompts(session).await?;
        }
        "json-schema-2020-12-preservation" => return echo_schema(session, &tools).await,
        // The scenario's server answers no call.
        "json-schema-ref-no-deref" => return Ok(()),
        _ => {}
    }
    if !orders.context.tool_calls.is_empty() {
        for call in &orders.context.tool_calls {
            let mut arguments = call.arguments.clone();
            // why: where the suite says null it means absent; its schemas have no place
            // for a null, and the layer sends no call that breaks them.
            arguments.retain(|_, value| !value.is_null());
            call_tool(session, &call.name, arguments).await?;
        }
        return Ok(());
    }
    for tool in &tools {
        call_tool(session, &tool.name, least_arguments(tool)).await?;
    }
    Ok(())
}

async fn call_tool(session: &Session, name: &str, arguments: JsonObject) -> Result<(), Failure> {
    let request = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
    let result = session.call_tool(request).await?;
    eprintln!("{name}: {} content blocks", result.content.len());
    Ok(())
}

/// Sends back the schema that the list had.
async fn echo_schema(session: &Session, tools: &[Tool]) -> Result<(), Failure> {
    let named = tools
        .iter()
        .find(|tool| tool.name == "json_schema_2020_12_tool")
        .ok_or("the list has no json_schema_2020_12_tool")?;
    let mut arguments = JsonObject::new();
    let schema = JsonObject::clone(&named.input_schema);
    arguments.insert("schema".to_owned(), Value::Object(schema));
    call_tool(session, "json_schema_echo", arguments).await
}

async fn read_resources(session: &Session) -> Result<(), Failure> {
    for resource in session.list_all_resources().await? {
        let request = ReadResourceRequestParams::new(resource.uri.clone());
        session.read_resource(request).await?;
    }
    Ok(())
}

async fn read_prompts(session: &Session) -> Result<(), Failure> {
    for prompt in session.list_all_prompts().await? {
        session
            .get_prompt(GetPromptRequestParams::new(prompt.name))
            .await?;
    }
    Ok(())
}

/// A value for every required argument, by its type.
fn least_arguments(tool: &Tool) -> JsonObject {
    let schema = &tool.input_schema;
    let required = schema.get("required").and_then(Value::as_array);
    let names = required.into_iter().flatten().filter_map(Value::as_str);
    names
        .map(|name| {
            let property = schema.get("properties").and_then(|all| all.get(name));
            let kind = property.and_then(|property| property.get("type"));
            let value = match kind.and_then(Value::as_str) {
                Some("number" | "integer") => json!(1),
                Some("boolean") => json!(true),
                Some("array") => json!([]),
                Some("object") => json!({}),
                _ => json!("text"),
            };
            (name.to_owned(), value)
        })
        .collect()
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
