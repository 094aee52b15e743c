//! A client with rmcp that lists and calls the odd tools of one server after the other:
//! `proof-client rmcp VERSION JOBS`. `client.mjs` says what it takes and prints; of the manners of a job
//! it has "words" and "lists".

use std::error::Error;
use std::process::Stdio;
use std::time::Duration;

use futures::StreamExt as _;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};
use tokio::time::{error::Elapsed, sleep, timeout};

type Failure = Box<dyn Error + Send + Sync>;
type Session = RunningService<RoleClient, ()>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failure> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [_, version, jobs] = words.as_slice() else {
        return Err("usage: proof-client rmcp VERSION JOBS".into());
    };
    // The HTTP client asks for one even where nothing is encrypted.
    let _already = rustls::crypto::ring::default_provider().install_default();
    for line in std::fs::read_to_string(jobs)?.lines() {
        let job: Value = serde_json::from_str(line)?;
        let case = job.get("case").cloned().unwrap_or_default();
        let seen = match look(&job, version).await {
            Ok((is_good, calls)) => json!({ "case": case, "good": is_good, "calls": calls }),
            Err(why) => json!({ "case": case, "failed": first(&why.to_string()) }),
        };
        println!("{seen}");
    }
    Ok(())
}

/// Connects and does a job. Returns whether the good tools work, and the outcomes.
async fn look(job: &Value, version: &str) -> Result<(bool, Vec<Value>), Failure> {
    let (session, _server) = connect(job, version).await?;
    let outcomes = match job.get("lists").and_then(Value::as_u64) {
        Some(times) => {
            let mut pages = Vec::new();
            for _ in 0..times {
                // A page may say that it holds for some milliseconds.
                sleep(HOLDS).await;
                pages.push(list(&session).await);
            }
            Ok((true, pages))
        }
        None => calls(&session, job).await,
    };
    session.cancel().await?;
    outcomes
}

/// Makes the calls of a job, as many at once as a server may take.
async fn calls(session: &Session, job: &Value) -> Result<(bool, Vec<Value>), Failure> {
    let words = job.get("words").and_then(Value::as_str);
    let words = words.ok_or("a manner that this client does not have")?;
    let tools = timeout(LONG, session.list_all_tools()).await??;
    let is_listed = |name: &str| tools.iter().any(|tool| tool.name == name);
    let calls = job.get("calls").and_then(Value::as_array);
    let outcomes = futures::stream::iter(calls.into_iter().flatten()).map(async |call| {
        let name = call.get(0).and_then(Value::as_str).unwrap_or_default();
        match is_listed(name) {
            true => hear(session, name, call.get(1), words).await,
            false => json!(["hidden"]),
        }
    });
    let outcomes = outcomes.buffered(AT_ONCE).collect().await;
    let is_good = is_listed("add") && is_listed("greet");
    Ok((is_good && good_tools_work(session).await, outcomes))
}

/// Starts the server of a job and connects to it. The server ends with the returned process.
async fn connect(job: &Value, version: &str) -> Result<(Session, Child), Failure> {
    let words = job.get("command").and_then(Value::as_array);
    let mut words = words.into_iter().flatten().filter_map(Value::as_str);
    let mut command = Command::new(words.next().ok_or("no command")?);
    command.args(words).kill_on_drop(true);
    let lifecycle = match version {
        "2026-07-28" => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        _ => ClientLifecycleMode::Initialize,
    };
    if job.get("http") == Some(&Value::Bool(true)) {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let log = child.stderr.take().ok_or("a guard without a log")?;
        let mut lines = BufReader::new(log).lines();
        let url = loop {
            let line = lines.next_line().await?;
            let line = line.ok_or("the guard does not listen")?;
            if let Some((_, rest)) = line.split_once("http://127") {
                let end = rest.find(|c: char| c.is_whitespace() || c == '"');
                let rest = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
                break format!("http://127{rest}");
            }
        };
        // Its log would fill the pipe.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        let transport = StreamableHttpClientTransport::from_uri(url);
        return Ok((().serve_with_lifecycle(transport, lifecycle).await?, child));
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn()?;
    let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
        return Err("the server has no pipes".into());
    };
    let session = ().serve_with_lifecycle((output, input), lifecycle);
    Ok((session.await?, child))
}

/// Whether the words of a result arrive. Elsewhere than in a text block, they are another value.
async fn hear(session: &Session, name: &str, arguments: Option<&Value>, words: &str) -> Value {
    let content = match ask(session, name, arguments).await {
        Ok(result) => result.content,
        Err(why) => return why,
    };
    let is_said = |block: &ContentBlock| match block {
        ContentBlock::Text(block) => block.text.contains(words),
        _ => false,
    };
    let all = serde_json::to_string(&content).unwrap_or_default();
    if content.iter().any(is_said) {
        json!(["works"])
    } else if all.contains(words) {
        json!(["other-value"])
    } else {
        json!(["text-only", first(&all)])
    }
}

async fn ask(
    session: &Session,
    name: &str,
    arguments: Option<&Value>,
) -> Result<CallToolResult, Value> {
    let arguments: JsonObject = arguments
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let request = CallToolRequestParams::new(name.to_owned()).with_arguments(arguments);
    match timeout(WAIT, session.call_tool(request)).await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(why)) => Err(json!(["error", first(&why.to_string())])),
        Err(why) => Err(hangs(&why)),
    }
}

async fn list(session: &Session) -> Value {
    let tools = match timeout(SHORT, session.list_all_tools()).await {
        Ok(Ok(tools)) => tools,
        Ok(Err(why)) => return json!(["no-tools", first(&why.to_string())]),
        Err(why) => return hangs(&why),
    };
    let is_good = |name: &&str| matches!(*name, "add" | "greet");
    let (good, odd): (Vec<&str>, Vec<&str>) =
        tools.iter().map(|tool| &*tool.name).partition(is_good);
    match (good.len(), odd.as_slice()) {
        (2, []) => json!(["hidden"]),
        (2, odd) => json!(["works", odd.join(",")]),
        _ => json!(["good-tools-fail"]),
    }
}

async fn good_tools_work(session: &Session) -> bool {
    let add = ask(session, "add", Some(&json!({ "a": 1, "b": 2 }))).await;
    let greet = ask(session, "greet", Some(&json!({ "name": "Ada" }))).await;
    let (Ok(add), Ok(greet)) = (add, greet) else {
        return false;
    };
    add.structured_content == Some(json!({ "sum": 3 })) && greet.is_error != Some(true)
}

fn hangs(why: &Elapsed) -> Value {
    json!(["hangs", why.to_string()])
}

/// The first characters of a message.
fn first(text: &str) -> String {
    text.chars().take(300).collect()
}

const WAIT: Duration = Duration::from_secs(4);
/// Of one small page.
const SHORT: Duration = Duration::from_millis(2_500);
/// Of a list of many tools.
const LONG: Duration = Duration::from_secs(30);
const AT_ONCE: usize = 50;
const HOLDS: Duration = Duration::from_millis(6);
