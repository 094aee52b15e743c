//! A client starts its server.

use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::schemars::JsonSchema;
use rmcp::{ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use serde::{Deserialize, Serialize};
use tokio::process::Command;
use toolsure_rmcp::{CallTyped as _, ClientLayer, ServerHandlerExt as _, ServerLines};

#[derive(Serialize, Deserialize, JsonSchema)]
struct Query {
    #[schemars(range(min = 1, max = 24))]
    hours: u8,
}

struct Weather;

#[tool_router]
impl Weather {
    #[tool(description = "degrees Celsius, hour by hour")]
    fn forecast(&self, Parameters(query): Parameters<Query>) -> Json<Vec<i32>> {
        Json((0..query.hours).map(|hour| 20 - i32::from(hour)).collect())
    }
}

#[tool_handler]
impl ServerHandler for Weather {}

/// Set in the process that acts as the server.
const SERVES: &str = "TOOLSURE_TEST_SERVES";

/// The server for the other test, which starts this program again. The output of the test runner is
/// noise that the client skips.
#[tokio::test]
async fn the_server() {
    if std::env::var_os(SERVES).is_some() {
        let pipes = ServerLines::new(tokio::io::stdin(), tokio::io::stdout());
        let running = Weather.checked().serve(pipes).await.unwrap();
        running.waiting().await.unwrap();
        // A thread may still be reading standard input, and nothing would end it.
        std::process::exit(0);
    }
}

#[tokio::test]
async fn a_server_is_started_and_ended() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "command::the_server",
        "--nocapture",
        "--test-threads=2",
    ]);
    command.env(SERVES, "1");
    let server = ClientLayer::new().command(command).unwrap();
    let client = ().serve(server).await.unwrap();
    let degrees: Vec<i32> = client
        .call_typed("forecast", &Query { hours: 2 })
        .await
        .unwrap();
    assert_eq!(degrees, [20, 19]);
    let refused = client
        .call_typed::<_, Vec<i32>>("forecast", &Query { hours: 99 })
        .await;
    assert!(refused.unwrap_err().to_string().contains("/hours"));
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn a_program_that_is_not_there_is_an_error() {
    let started = ClientLayer::new().command(Command::new("/nonexistent/weather-server"));
    assert_eq!(started.unwrap_err().kind(), std::io::ErrorKind::NotFound);
}
