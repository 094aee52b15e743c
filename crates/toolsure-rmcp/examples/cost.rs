//! Measures what the layer costs: calls per second of an echo tool over standard input and output,
//! plain and checked in turn.
//!
//! `cargo run --release -p toolsure-rmcp --example cost -- [ROUNDS] [CALLS]`
//!
//! Starts itself twice as a server, once plain and once behind the layer, and writes the same calls
//! to both in turn: one after another, and 64 at a time. Prints the medians and their ratio, and
//! the CPU time that the two servers took for all their calls.

use std::io::{self, BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::{ServerHandler, ServiceExt as _, tool, tool_handler, tool_router};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolsure_rmcp::ServerHandlerExt as _;

/// A schema of moderate size: bounds, an enum, a list of objects.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Purchase {
    #[schemars(length(min = 1, max = 64))]
    customer: String,
    #[schemars(range(min = 1, max = 100))]
    priority: u8,
    express: bool,
    note: Option<String>,
    items: Vec<Item>,
    currency: Currency,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Item {
    sku: String,
    #[schemars(range(min = 1))]
    count: u32,
    price: f64,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Currency {
    Eur,
    Usd,
    Gbp,
}

struct Echo {
    router: ToolRouter<Self>,
}

#[tool_router]
impl Echo {
    #[tool(description = "answers what it is asked")]
    fn echo(&self, Parameters(order): Parameters<Purchase>) -> Json<Purchase> {
        Json(order)
    }
}

#[tool_handler(router = self.router)]
impl ServerHandler for Echo {}

#[tokio::main(flavor = "current_thread")]
async fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let first = arguments.next();
    let echo = || Echo {
        router: Echo::tool_router(),
    };
    let stdio = rmcp::transport::stdio();
    match first.as_deref() {
        Some("--plain") => waited(echo().serve(stdio).await).await,
        Some("--checked") => waited(echo().checked().serve(stdio).await).await,
        rounds => {
            let number = |text: Option<&str>, default| {
                text.map_or(Ok(default), str::parse)
                    .map_err(io::Error::other)
            };
            let rounds = number(rounds, 40)?;
            let calls = number(arguments.next().as_deref(), 2_000)?;
            compare(rounds, calls)
        }
    }
}

async fn waited<
    S: rmcp::Service<rmcp::RoleServer>,
    E: std::error::Error + Send + Sync + 'static,
>(
    service: Result<rmcp::service::RunningService<rmcp::RoleServer, S>, E>,
) -> io::Result<()> {
    let running = service.map_err(io::Error::other)?;
    running.waiting().await.map_err(io::Error::other)?;
    Ok(())
}

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    line: String,
    calls: Vec<Duration>,
}

impl Server {
    fn start(mode: &str) -> io::Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(mode)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (input, output) = pipes.ok_or_else(|| io::Error::other("no pipes"))?;
        let mut server = Self {
            child,
            input,
            output: BufReader::new(output),
            line: String::new(),
            calls: Vec::new(),
        };
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params":
            {"protocolVersion": "2025-11-25", "capabilities": {},
             "clientInfo": {"name": "cost", "version": "0"}}});
        server.input.write_all(format!("{hello}\n").as_bytes())?;
        server.answer()?;
        let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        server.input.write_all(format!("{ready}\n").as_bytes())?;
        Ok(server)
    }

    fn answer(&mut self) -> io::Result<()> {
        self.line.clear();
        self.output.read_line(&mut self.line)?;
        if self.line.contains("\"result\"") && !self.line.contains("\"isError\":true") {
            Ok(())
        } else {
            Err(io::Error::other(format!("an error: {}", self.line)))
        }
    }

    /// Makes `calls` calls, `window` of them at the same time.
    fn round(&mut self, calls: usize, window: usize) -> io::Result<()> {
        let call = |id: usize| {
            json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params":
            {"name": "echo", "arguments": {"customer": "Ada Lovelace", "priority": 3,
             "express": true, "note": null, "currency": "gbp", "items": [
                {"sku": "engine-1", "count": 2, "price": 12.5},
                {"sku": "card-deck", "count": 40, "price": 0.25},
                {"sku": "gear", "count": 1000, "price": 3.0}]}}})
        };
        let call: String = (1..=window).map(|id| format!("{}\n", call(id))).collect();
        let began = Instant::now();
        for _ in 0..calls / window {
            self.input.write_all(call.as_bytes())?;
            for _ in 0..window {
                self.answer()?;
            }
        }
        self.calls.push(began.elapsed());
        Ok(())
    }

    /// The server's CPU time so far, in clock ticks.
    fn ticks(&self) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        let (_, fields) = stat.rsplit_once(')')?;
        let fields: Vec<_> = fields.split_whitespace().collect();
        let field = |n: usize| fields.get(n)?.parse::<u64>().ok();
        Some(field(11)? + field(12)?)
    }

    fn median(&mut self) -> Duration {
        self.calls.sort();
        let middle = self.calls.get(self.calls.len() / 2).copied();
        self.calls.clear();
        middle.unwrap_or_default()
    }
}

fn compare(rounds: usize, calls: usize) -> io::Result<()> {
    let mut plain = Server::start("--plain")?;
    let mut checked = Server::start("--checked")?;
    for window in [1, 64] {
        let calls = calls / window * window;
        plain.round(calls, window)?;
        checked.round(calls, window)?;
        plain.calls.clear();
        checked.calls.clear();
        let before = (plain.ticks(), checked.ticks());
        for round in 0..rounds {
            // The servers take turns at going first, too.
            if round % 2 == 0 {
                plain.round(calls, window)?;
                checked.round(calls, window)?;
            } else {
                checked.round(calls, window)?;
                plain.round(calls, window)?;
            }
        }
        let ticks = |now: Option<u64>, then: Option<u64>| now?.checked_sub(then?);
        let cpu = (
            ticks(plain.ticks(), before.0),
            ticks(checked.ticks(), before.1),
        );
        let (of_plain, of_checked) = (plain.median(), checked.median());
        let rate = |time: Duration| {
            f64::from(u32::try_from(calls).unwrap_or(u32::MAX)) / time.as_secs_f64()
        };
        println!(
            "{window:2} at a time: plain {:.0}/s, checked {:.0}/s, {:.1} % of plain; CPU ticks {cpu:?}",
            rate(of_plain),
            rate(of_checked),
            100.0 * of_plain.as_secs_f64() / of_checked.as_secs_f64(),
        );
    }
    for mut server in [plain, checked] {
        drop(server.input);
        server.child.wait()?;
    }
    Ok(())
}
