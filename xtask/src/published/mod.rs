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
mod server;

use serde_json::Value;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::peers;
use client::Client;
use harness::Harness;
use server::{Published, Running, servers};

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
