//! Clients behind the layer, connected to a scripted server.
#![expect(clippy::unwrap_used, reason = "tests say what they expect by stopping")]

use rmcp::model::{CallToolRequestParams, JsonObject, ProtocolVersion};
use rmcp::service::{
    ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService, ServiceError,
};
use serde_json::Value;
use toolsure_rmcp::{ClientLayer, ToolWatch};

use super::script::{Reply, Script, result};

pub(crate) type Client = RunningService<RoleClient, ()>;

/// Which of the layer's transports a client uses.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Over {
    Lines,
    Typed,
}

pub(crate) async fn connect(
    layer: &ClientLayer,
    script: Script,
    over: Over,
    modern: bool,
) -> (Client, ToolWatch) {
    let mode = if modern {
        ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        }
    } else {
        ClientLifecycleMode::Initialize
    };
    match over {
        Over::Lines => {
            let transport = layer.lines(script.read, script.write);
            let tools = transport.tools();
            (
                ().serve_with_lifecycle(transport, mode).await.unwrap(),
                tools,
            )
        }
        Over::Typed => {
            let transport = layer.transport((script.read, script.write));
            let tools = transport.tools();
            (
                ().serve_with_lifecycle(transport, mode).await.unwrap(),
                tools,
            )
        }
    }
}

pub(crate) fn call(name: &str, arguments: Value) -> CallToolRequestParams {
    let arguments: JsonObject = arguments.as_object().cloned().unwrap();
    CallToolRequestParams::new(name.to_owned()).with_arguments(arguments)
}

/// A page with these tools, each given as JSON text.
pub(crate) fn page(tools: &[&str]) -> Reply {
    result(format!(
        r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{}]}}"#,
        tools.join(",")
    ))
}

pub(crate) fn error(outcome: Result<impl std::fmt::Debug, ServiceError>) -> (i32, String) {
    match outcome {
        Err(ServiceError::McpError(error)) => (error.code.0, error.message.into_owned()),
        other => (0, format!("{other:?}")),
    }
}
