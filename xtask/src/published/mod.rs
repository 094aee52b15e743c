//! `cargo xtask published`: published clients must get the same answers from published servers
//! through the guard as without it, in each of the four combinations of transports.
//!
//! `interop/published.json` has the servers and the requests. Everything that a client returns to
//! its user is compared, as JSON; the guard changes one thing, the dialect that an output schema declares. `toolsure check` must also open a server of each version of the
//! SDKs, without the guard and through it (`minors`). Of the first server a recording is made, and the clients must get from
//! it what they get from the server (`replay`).

mod client;
mod harness;
mod minors;
mod replay;

use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::peers::{self, Served};
use client::Client;
use harness::{Harness, Target};

/// A published server and the requests to it.
#[derive(Deserialize)]
struct Published {
    server: String,
    /// Its script under `node_modules`.
    node: Option<String>,
    /// Its Python module.
    python: Option<String>,
    transports: Transports,
    eras: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    requests: Vec<Value>,
}

/// The server's arguments for each of its transports.
#[derive(Deserialize)]
struct Transports {
    stdio: Vec<String>,
    http: Option<Vec<String>>,
}

/// Runs every server with every client, and returns how many answers differ. `--only SERVER` runs
/// one server; `--only minors` runs one of each SDK version, `--only replay` the recording.
///
/// # Errors
///
/// One line if a peer cannot be installed or started, or a client makes no report.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let harness = Harness::install()?;
    let only = arguments.option("only");
    let mut total = Tally::default();
    for server in servers()? {
        if only.is_some_and(|only| only != server.server) {
            continue;
        }
        let mut tally = Tally::default();
        for client in Client::ALL {
            for era in server.eras.iter().filter(|era| client.speaks(era)) {
                server.compare(&harness, client, era, &mut tally)?;
            }
        }
        print!("{}", tally.details());
        println!("{}: {}", server.server, tally.line());
        total.add(tally);
    }
    if only.is_none_or(|only| only == "minors") {
        let tally = minors::run(&harness)?;
        print!("{}", tally.details());
        println!("minors: {}", tally.line());
        total.add(tally);
    }
    if only.is_none_or(|only| only == "replay")
        && let Some(server) = servers()?.first()
    {
        let tally = replay::run(&harness, server)?;
        print!("{}", tally.details());
        println!("replay: {}", tally.line());
        total.add(tally);
    }
    println!("{}", total.line());
    Ok(total.failed)
}

fn servers() -> Result<Vec<Published>, String> {
    let path = peers::scripts().join("published.json");
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

impl Published {
    /// Runs one client with the server: without the guard over each of the server's transports, and
    /// through the guard over each of the guard's.
    fn compare(
        &self,
        harness: &Harness,
        client: Client,
        era: &str,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let requests = self.requests(harness, client)?;
        for far in ["stdio", "http"] {
            if far == "http" && self.transports.http.is_none() {
                continue;
            }
            let mut answers = Vec::new();
            for near in [None, Some("stdio"), Some("http")] {
                peers::fresh(&harness.folder)?;
                let running = Running::start(harness, self, far, near)?;
                answers.push(client.ask(harness, era, &running.target, &requests)?);
            }
            let [without, through @ ..] = answers.as_slice() else {
                continue;
            };
            for (near, through) in ["stdio", "http"].iter().zip(through) {
                let place = format!("{} {era} {near} guard {far}", client.name());
                for (index, request) in requests.iter().enumerate() {
                    let (without, through) = (without.get(index), through.get(index));
                    tally.record(
                        same(without, through)
                            .map_err(|why| format!("{} {place}: {request}: {why}", self.server)),
                    );
                }
            }
        }
        Ok(())
    }

    /// The requests of this client.
    fn requests(&self, harness: &Harness, client: Client) -> Result<Vec<Value>, String> {
        let some = self.requests.iter().take(client.most());
        some.map(|request| {
            let text = harness.filled(&request.to_string());
            serde_json::from_str(&text).map_err(|e| format!("published.json: {e}"))
        })
        .collect()
    }

    /// Its command line.
    fn command(&self, harness: &Harness, arguments: &[String]) -> Result<Vec<String>, String> {
        let mut command = vec!["env".to_owned()];
        let env = self.env.iter();
        command.extend(env.map(|(name, value)| format!("{name}={}", harness.filled(value))));
        let program = match (&self.node, &self.python) {
            (Some(script), _) => harness
                .javascript
                .node(&harness.javascript.modules().join(script)),
            (None, Some(module)) => harness.python.module(module),
            (None, None) => return Err(format!("{} names no program", self.server)),
        };
        command.extend(client::words(&program));
        command.extend(arguments.iter().map(|argument| harness.filled(argument)));
        Ok(command)
    }
}

/// The programs that must run while a client makes requests, and the target for the client.
struct Running {
    target: Target,
    /// Dropped in this order: the guard before the server.
    _served: Vec<Served>,
}

impl Running {
    /// Starts a server on the transport `far` and, in front of it, the guard on `near`.
    fn start(
        harness: &Harness,
        server: &Published,
        far: &str,
        near: Option<&str>,
    ) -> Result<Self, String> {
        let mut served = Vec::new();
        let mut target = match (&server.transports.http, far) {
            (Some(arguments), "http") => {
                let command = server.command(harness, arguments)?;
                let (program, arguments) = command.split_first().ok_or("no command")?;
                let http = Served::on_port(Command::new(program).args(arguments))?;
                let url = http.url.clone();
                served.insert(0, http);
                Target::Url(url)
            }
            _ => Target::Command(server.command(harness, &server.transports.stdio)?),
        };
        let behind: Vec<String> = match &target {
            Target::Url(url) => vec!["--upstream".to_owned(), url.clone()],
            Target::Command(command) => [vec!["--".to_owned()], command.clone()].concat(),
        };
        let toolsure = harness.toolsure.display().to_string();
        match near {
            None => {}
            Some("http") => {
                let guard = Served::guard(&mut Command::new(toolsure), &behind)?;
                target = Target::Url(guard.url.clone());
                served.insert(0, guard);
            }
            Some(_) => {
                let guard = [toolsure, "guard".to_owned()];
                target = Target::Command(guard.into_iter().chain(behind).collect());
            }
        }
        Ok(Self {
            target,
            _served: served,
        })
    }
}

/// An answer as the guard lists it: an output schema that declares draft 7, and means the same in
/// 2020-12, is in 2020-12, which is the dialect of a schema that declares none.
fn listed(answer: &Value) -> Value {
    let mut answer = answer.clone();
    let tools = answer
        .pointer_mut("/result/tools")
        .and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten() {
        let schema = tool.get_mut("outputSchema").and_then(Value::as_object_mut);
        if let Some(schema) = schema
            && schema
                .get("$schema")
                .is_some_and(|dialect| dialect == DRAFT_7)
        {
            schema.remove("$schema");
        }
    }
    answer
}

const DRAFT_7: &str = "http://json-schema.org/draft-07/schema#";

/// Checks that both are answers, and equal but for [`listed`].
fn same(without: Option<&Value>, through: Option<&Value>) -> Result<(), String> {
    match (without, through) {
        (Some(without), _) if without.get("result").is_none() => Err(format!(
            "there is no answer even without the guard: {without}"
        )),
        (Some(without), Some(through)) if listed(without) == *through => Ok(()),
        (Some(without), Some(through)) => {
            Err(format!("without the guard {without}, through it {through}"))
        }
        _ => Err("there is no answer".to_owned()),
    }
}
