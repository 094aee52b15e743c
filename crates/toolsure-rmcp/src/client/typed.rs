//! Calls with Rust types for arguments and results.

use std::future::Future;

use rmcp::RoleClient;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult};
use rmcp::service::{Peer, RunningService, Service, ServiceError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use thiserror::Error;
use toolsure_mcp::typed::UntypedResult;

use crate::{era, integers};

/// Calls a tool with a Rust value and reads its structured content as another Rust value.
///
/// Before 2026-07-28, servers wrap output that is not an object as `{"result": …}`. If such an
/// object cannot be read as an `Out`, its `result` is read instead, so that one call works with all
/// versions.
pub trait CallTyped {
    /// Calls `name` with the members of `arguments`, which must be an object.
    ///
    /// It is an error if the server creates a task for the call. For a [`Peer`], a request for more
    /// input is an error, too; a [`RunningService`] answers it.
    ///
    /// ```
    /// use rmcp::RoleClient;
    /// use rmcp::service::RunningService;
    /// use serde::Serialize;
    /// use toolsure_rmcp::{CallTyped as _, TypedCallError};
    ///
    /// #[derive(Serialize)]
    /// struct Query {
    ///     hours: u8,
    /// }
    ///
    /// async fn forecast(
    ///     client: &RunningService<RoleClient, ()>,
    ///     hours: u8,
    /// ) -> Result<Vec<i32>, TypedCallError> {
    ///     client.call_typed("forecast", &Query { hours }).await
    /// }
    /// ```
    fn call_typed<In, Out>(
        &self,
        name: &str,
        arguments: &In,
    ) -> impl Future<Output = Result<Out, TypedCallError>> + Send
    where
        In: Serialize + Sync,
        Out: DeserializeOwned;
}

/// Why a typed call failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TypedCallError {
    /// The arguments are not a JSON object.
    #[error("the arguments for tool `{tool}` are not a JSON object: {reason}")]
    Arguments {
        /// The tool.
        tool: String,
        /// Their kind, or the serialiser's error.
        reason: String,
    },
    /// The call failed, or a layer refused it or its result.
    #[error(transparent)]
    Service(#[from] ServiceError),
    /// The result cannot be read as the type.
    #[error(transparent)]
    Result(UntypedResult),
    /// The answer is not the final one: a task, or a request for more input.
    #[error("tool `{tool}` did not answer with its result yet")]
    NotFinal {
        /// The tool.
        tool: String,
    },
}

impl CallTyped for Peer<RoleClient> {
    async fn call_typed<In, Out>(&self, name: &str, arguments: &In) -> Result<Out, TypedCallError>
    where
        In: Serialize + Sync,
        Out: DeserializeOwned,
    {
        let params = params(name, arguments)?;
        match self.call_tool_once(params).await? {
            CallToolResponse::Complete(result) => value(name, result, wraps(self)),
            _ => Err(TypedCallError::NotFinal {
                tool: name.to_owned(),
            }),
        }
    }
}

impl<S: Service<RoleClient>> CallTyped for RunningService<RoleClient, S> {
    async fn call_typed<In, Out>(&self, name: &str, arguments: &In) -> Result<Out, TypedCallError>
    where
        In: Serialize + Sync,
        Out: DeserializeOwned,
    {
        let params = params(name, arguments)?;
        let result = self.call_tool(params).await?;
        value(name, result, wraps(self.peer()))
    }
}

fn params<In: Serialize>(
    name: &str,
    arguments: &In,
) -> Result<CallToolRequestParams, TypedCallError> {
    let malformed = |reason: String| TypedCallError::Arguments {
        tool: name.to_owned(),
        reason,
    };
    match serde_json::to_value(arguments) {
        Ok(Value::Object(arguments)) => {
            Ok(CallToolRequestParams::new(name.to_owned()).with_arguments(arguments))
        }
        Ok(other) => Err(malformed(format!("found {}", kind(&other)))),
        Err(error) => Err(malformed(error.to_string())),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Whether the server wraps output that is not an object.
fn wraps(peer: &Peer<RoleClient>) -> bool {
    let info = peer.peer_info();
    let version = info.as_ref().map(|info| &info.protocol_version);
    !era::of_version(version).is_modern()
}

fn value<Out: DeserializeOwned>(
    tool: &str,
    result: CallToolResult,
    wraps: bool,
) -> Result<Out, TypedCallError> {
    let tool = || tool.to_owned();
    if result.is_error == Some(true) {
        let text = result.content.iter().find_map(|block| block.as_text());
        let text = text.map_or("", |text| &text.text);
        return Err(TypedCallError::Result(UntypedResult::ToolError {
            tool: tool(),
            text: text.chars().take(SHOWN).collect(),
        }));
    }
    let Some(value) = result.structured_content else {
        return Err(TypedCallError::Result(UntypedResult::Without {
            tool: tool(),
        }));
    };
    read(value, wraps).map_err(|error| {
        TypedCallError::Result(UntypedResult::Type {
            tool: tool(),
            rust: std::any::type_name::<Out>(),
            error,
        })
    })
}

/// Reads a value: first unchanged, then with its whole numbers as integers, so that serde reads
/// `1.0` as an `i64`, then the value inside `result`.
fn read<Out: DeserializeOwned>(mut value: Value, wraps: bool) -> Result<Out, String> {
    let mut read = placed(&value);
    if read.is_err() && integers::as_integers(&mut value) {
        read = placed(&value);
    }
    if read.is_ok() {
        return read;
    }
    let object = value.as_object();
    let object = object.filter(|object| wraps && object.len() == 1);
    match object.and_then(|object| object.get("result")) {
        Some(inner) => placed(inner),
        None => read,
    }
}

/// Reads a value. An error names the location.
fn placed<Out: DeserializeOwned>(value: &Value) -> Result<Out, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let place = error.path().to_string();
        match place.as_str() {
            "." => error.into_inner().to_string(),
            place => format!("at `{place}`: {}", error.inner()),
        }
    })
}

/// The most characters of a tool's error text that an error shows.
const SHOWN: usize = 200;
