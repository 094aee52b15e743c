//! `cargo xtask gateways`: compares the guard with other gateways, each of which serves the same
//! stdio server over Streamable HTTP.
//!
//! All run at the same time and are called in turn, so that other load on the machine affects each
//! of them. Memory is that of a gateway's own processes, without the server's. The table is a
//! measurement and not a test: only a failed call fails the command.

mod load;
pub(crate) mod memory;

use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{Javascript, Python};
use load::{Endpoint, Session};

/// The calls of each round, first one after the other, then with [`AT_ONCE`] at the same time.
const CALLS: usize = 300;
const AT_ONCE: usize = 32;
const ROUNDS: u64 = 10;
const START: Duration = Duration::from_secs(90);

/// A running gateway, its session, and its measurements.
struct Gateway {
    name: &'static str,
    child: Child,
    session: Session,
    /// The seconds that each round took.
    single: Vec<f64>,
    many: Vec<f64>,
    /// Microseconds of each call that was made alone.
    calls: Vec<f64>,
}

/// Measures and prints the table. `--rounds N` sets the number of rounds (10).
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let rounds = arguments.number("rounds")?.unwrap_or(ROUNDS);
    let mut gateways = start_all(&build::quick_server()?)?;
    for _ in 0..rounds {
        for gateway in &mut gateways {
            gateway
                .round()
                .map_err(|e| format!("{}: {e}", gateway.name))?;
        }
    }
    print_table(&gateways);
    Ok(0)
}

fn start_all(server: &Path) -> Result<Vec<Gateway>, String> {
    let toolsure = build::toolsure()?;
    let javascript = Javascript::gateways()?;
    let python = Python::gateways()?;
    let server = server.display().to_string();
    let mut all = Vec::new();
    all.push(Gateway::start("toolsure guard", |port| {
        let mut command = Command::new(&toolsure);
        command.args(["guard", "--listen", &format!("127.0.0.1:{port}")]);
        command.args(["--set", "log.level=error"]);
        command.args(["--", &server, "echo-stdio"]);
        command
    })?);
    all.push(Gateway::start("mcp-proxy (npm)", |port| {
        let mut command = javascript.node(&javascript.modules().join(".bin/mcp-proxy"));
        command.args(["--host", "127.0.0.1", "--server", "stream"]);
        command.args(["--port", &port.to_string()]);
        command.args(["--", &server, "echo-stdio"]);
        command
    })?);
    all.push(Gateway::start("supergateway", |port| {
        let mut command = javascript.node(&javascript.modules().join(".bin/supergateway"));
        command.args(["--stdio", &format!("{server} echo-stdio")]);
        command.args(["--outputTransport", "streamableHttp", "--stateful"]);
        command.args(["--logLevel", "none", "--port", &port.to_string()]);
        command
    })?);
    all.push(Gateway::start("mcp-proxy (PyPI)", |port| {
        let mut command = python.module("mcp_proxy");
        command.args(["--host", "127.0.0.1", "--port", &port.to_string()]);
        command.args(["--log-level", "ERROR", "--", &server, "echo-stdio"]);
        command
    })?);
    Ok(all)
}

impl Gateway {
    fn start(name: &'static str, command: impl FnOnce(u16) -> Command) -> Result<Self, String> {
        let port = free_port().map_err(|e| format!("no free port: {e}"))?;
        let mut command = command(port);
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(|e| format!("{name}: {e}"))?;
        let endpoint = Endpoint { port, path: "/mcp" };
        let end = Instant::now() + START;
        let session = loop {
            match Session::open(endpoint) {
                Ok(session) => break session,
                Err(error) if Instant::now() > end => {
                    let _ended = child.kill();
                    let _status = child.wait();
                    return Err(format!("{name} does not answer: {error}"));
                }
                Err(_) => std::thread::sleep(Duration::from_millis(200)),
            }
        };
        Ok(Self {
            name,
            child,
            session,
            single: Vec::new(),
            many: Vec::new(),
            calls: Vec::new(),
        })
    }

    fn round(&mut self) -> Result<(), String> {
        let times = self.session.one_by_one(CALLS)?;
        self.single.push(times.iter().sum());
        self.calls.extend(times.iter().map(|seconds| seconds * 1e6));
        self.many.push(self.session.at_once(AT_ONCE, CALLS)?);
        Ok(())
    }

    fn median_call(&self) -> f64 {
        median(&self.calls)
    }

    /// Calls per second: one after the other, and many at once.
    fn rates(&self) -> [f64; 2] {
        let calls = f64::from(u32::try_from(CALLS).unwrap_or(u32::MAX));
        [&self.single, &self.many].map(|rounds| calls / median(rounds))
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ended = self.child.kill();
        let _status = self.child.wait();
    }
}

fn print_table(gateways: &[Gateway]) {
    let Some(ours) = gateways.first() else { return };
    let own_memory = memory::of(&ours.child);
    println!(
        "| gateway | median call, µs | calls/s, one | of ours | calls/s, {AT_ONCE} | of ours | memory, MiB | of ours |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for gateway in gateways {
        let [one, many] = gateway.rates();
        let [own_one, own_many] = ours.rates();
        let memory = memory::of(&gateway.child);
        println!(
            "| {} | {:.0} | {one:.0} | 1/{:.1} | {many:.0} | 1/{:.1} | {:.1} | {:.1} |",
            gateway.name,
            gateway.median_call(),
            own_one / one,
            own_many / many,
            memory,
            memory / own_memory,
        );
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

fn free_port() -> std::io::Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    Ok(listener.local_addr()?.port())
}
