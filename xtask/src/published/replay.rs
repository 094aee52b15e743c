//! Published clients get from a recording what they get from the server that was recorded.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolsure_testkit::tally::Tally;

use super::client::Client;
use super::harness::{Harness, Target};
use super::server::{Published, Running};
use crate::peers::Served;

/// Records a server with `toolsure test-server`, replays it on both transports, and asks both and the server.
///
/// # Errors
///
/// One line if a program cannot be started, or a client makes no report.
pub(super) fn run(harness: &Harness, server: &Published) -> Result<Tally, String> {
    let mut tally = Tally::default();
    let file = harness.folder.with_extension("recording.jsonl");
    let command = server.command(harness, &server.transports.stdio)?;
    let recorded = Command::new(&harness.toolsure)
        .args(["test-server", "--quiet", "--allow-writes", "--rate", "1000"])
        .args(["--call-timeout", "5", "--record"])
        .arg(&file)
        .arg("--")
        .args(&command)
        .output()
        .map_err(|e| format!("toolsure: {e}"))?;
    let requests = requests(&file)?;
    tally.claim(requests.len() > MANY, || {
        let said = String::from_utf8_lossy(&recorded.stderr);
        format!("only {} answers were recorded: {said}", requests.len())
    });
    let replay = [
        harness.toolsure.display().to_string(),
        "replay".to_owned(),
        file.display().to_string(),
    ];
    for client in [Client::TypescriptV1, Client::TypescriptV2, Client::Python] {
        for era in server.eras.iter().filter(|era| client.speaks(era)) {
            let mut of_server = Vec::new();
            // What differs between two runs of the server is compared between the replays alone.
            for _ in 0..2 {
                let running = Running::start(harness, server, "stdio", None)?;
                of_server.push(client.ask(harness, era, &running.target, &requests)?);
            }
            let stdio = Target::Command(replay.to_vec());
            let stdio = client.ask(harness, era, &stdio, &requests)?;
            // The shell gives it the port that is free.
            let mut served = Command::new("sh");
            served.args(["-c", r#"exec "$0" "$@" --http 127.0.0.1:"$PORT""#]);
            let served = Served::on_port(served.args(&replay))?;
            let http = Target::Url(served.url.clone());
            let http = client.ask(harness, era, &http, &requests)?;
            let mut steady = 0_usize;
            for (index, request) in requests.iter().enumerate() {
                let at = |answers: &[Value]| answers.get(index).cloned().unwrap_or_default();
                let answers: Vec<Value> = of_server.iter().map(|one| at(one)).collect();
                let (stdio, http) = (at(&stdio), at(&http));
                let place = format!("{}, a recording of {}", client.name(), server.server);
                tally.claim(!stdio.is_null() && stdio == http, || {
                    format!("{place}: {request}: over stdio {stdio}, over HTTP {http}")
                });
                if let [one, other] = answers.as_slice()
                    && one == other
                {
                    steady = steady.saturating_add(1);
                    tally.claim(*one == stdio, || {
                        format!("{place}: {request}: from the server {one}, replayed {stdio}")
                    });
                }
            }
            tally.claim(steady > MANY, || {
                format!(
                    "{}: only {steady} answers were the same twice",
                    client.name()
                )
            });
        }
    }
    Ok(tally)
}

/// The list, and each recorded call that was answered, once. Answers in which a secret was masked are left out.
fn requests(file: &Path) -> Result<Vec<Value>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut requests = vec![json!({ "method": "tools/list" })];
    for line in text.lines().filter(|line| !line.contains("\"***\"")) {
        let line: Value =
            serde_json::from_str(line).map_err(|e| format!("{}: {e}", file.display()))?;
        let is_answered = line.get("result").or(line.get("error")).is_some();
        let (Some(name), Some(arguments)) = (line.get("tool"), line.get("arguments")) else {
            continue;
        };
        let params = json!({ "name": name, "arguments": arguments });
        let request = json!({ "method": "tools/call", "params": params });
        // A client's own request could be too long for a command's environment.
        let is_short = request.to_string().len() < LONGEST;
        if is_answered && is_short && !requests.contains(&request) {
            requests.push(request);
        }
    }
    Ok(requests)
}

/// Fewer answers would prove nothing.
const MANY: usize = 20;
/// Bytes of a request.
const LONGEST: usize = 1_000;
