//! The published clients, at pinned versions below the target directory, and their results.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::outcome::Outcome;
use super::scripts::script;
use crate::build;

/// A client with one protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Client {
    /// Its name in `seen.json`.
    pub(super) name: &'static str,
    sdk: Sdk,
    version: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sdk {
    TypescriptV1,
    TypescriptV2,
    Python,
}

/// In the order of the columns in `seen.json`.
pub(super) const CLIENTS: [Client; 5] = [
    Client {
        name: "TypeScript SDK 1.32.2, 2025-11-25",
        sdk: Sdk::TypescriptV1,
        version: LEGACY,
    },
    Client {
        name: "TypeScript SDK 2.4.0, 2025-11-25",
        sdk: Sdk::TypescriptV2,
        version: LEGACY,
    },
    Client {
        name: "TypeScript SDK 2.4.0, 2026-07-28",
        sdk: Sdk::TypescriptV2,
        version: MODERN,
    },
    Client {
        name: "Python SDK 2.3.0, 2025-11-25",
        sdk: Sdk::Python,
        version: LEGACY,
    },
    Client {
        name: "Python SDK 2.3.0, 2026-07-28",
        sdk: Sdk::Python,
        version: MODERN,
    },
];

/// What a client must do with one server.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) case: String,
    pub(super) command: Vec<String>,
    /// For each call, as JSON: the name, the arguments, and the expected content if given.
    pub(super) calls: Vec<String>,
    /// Whether each call is reported at once, so that calls after one that hangs still count.
    pub(super) each: bool,
}

/// The results of a client with one server.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) case: String,
    /// The outcome of the list and the good tools, if it is bad, with the client's message.
    pub(super) listing: Option<(Outcome, String)>,
    /// The outcome of each call, with the client's message.
    pub(super) calls: Vec<(Outcome, String)>,
}

/// The installed clients.
pub(super) struct Clients {
    folder: PathBuf,
}

impl Clients {
    /// Installs missing packages.
    ///
    /// # Errors
    ///
    /// One line if npm or pip is missing or fails.
    pub(super) fn install() -> Result<Self, String> {
        let folder = build::target()?.join("guard-proof");
        let stamp = folder.join("installed");
        let wanted = [NPM.join(" "), PYPI.to_owned()].join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return Ok(Self { folder });
        }
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund"])
            .args(["--no-save", "--prefix"])
            .arg(&folder)
            .args(NPM);
        run(&mut npm)?;
        let environment = folder.join("python");
        run(Command::new("python3")
            .args(["-m", "venv"])
            .arg(&environment))?;
        run(Command::new(environment.join("bin/pip")).args(["install", "--quiet", PYPI]))?;
        std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
        Ok(Self { folder })
    }

    /// Runs all jobs with one client, in as few processes as its hangs allow.
    ///
    /// # Errors
    ///
    /// One line if the client cannot be started or its output cannot be understood.
    pub(super) fn run(&self, client: Client, mut jobs: Vec<Job>) -> Result<Vec<Seen>, String> {
        let mut all = Vec::new();
        jobs.reverse();
        // What is known about the last job in the list, whose client hung before.
        let mut begun = Seen::default();
        while !jobs.is_empty() {
            let (mut child, lines) = self.start(client, &jobs)?;
            let mut patience = FIRST_PATIENCE;
            while let Some(job) = jobs.last_mut() {
                begun.case.clone_from(&job.case);
                let Ok(line) = lines.recv_timeout(patience) else {
                    let reason = "no word from the client".to_owned();
                    // Another process makes the calls after the one that hangs.
                    if job.each && !job.calls.is_empty() {
                        job.calls.remove(0);
                        begun.calls.push((Outcome::Hangs, reason));
                    } else {
                        begun.listing = Some((Outcome::Hangs, reason));
                        all.push(std::mem::take(&mut begun));
                        jobs.pop();
                    }
                    break;
                };
                patience = PATIENCE;
                let line: Value = serde_json::from_str(&line)
                    .map_err(|e| format!("{}: {e}: {line}", client.name))?;
                if let Some(call) = line.get("call") {
                    begun.calls.push(called(call)?);
                    job.calls.remove(0);
                    continue;
                }
                begun.finish(&line, job.each)?;
                all.push(std::mem::take(&mut begun));
                jobs.pop();
            }
            end(&mut child)?;
        }
        Ok(all)
    }

    /// Starts a client with the jobs (in reverse order). Also returns the lines that it prints.
    fn start(&self, client: Client, jobs: &[Job]) -> Result<(Child, Receiver<String>), String> {
        let file = self
            .folder
            .join(format!("jobs-{:?}", std::thread::current().id()));
        let lines: Vec<String> = jobs.iter().rev().map(Job::line).collect();
        std::fs::write(&file, lines.join("\n")).map_err(|e| format!("{}: {e}", file.display()))?;
        let mut command = match client.sdk {
            Sdk::TypescriptV1 => node("v1"),
            Sdk::TypescriptV2 => node("v2"),
            Sdk::Python => {
                let mut python = Command::new(self.folder.join("python/bin/python"));
                python.arg(script("client.py"));
                python
            }
        };
        command.arg(client.version).arg(&file);
        command.current_dir(&self.folder).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command
            .spawn()
            .map_err(|e| format!("{}: {e}", client.name))?;
        let output = child.stdout.take().ok_or("a client without an output")?;
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                // Nothing reads the lines of an abandoned client.
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Ok((child, receiver))
    }
}

impl Job {
    fn line(&self) -> String {
        let (case, command) = (json!(self.case), json!(self.command));
        let (calls, each) = (self.calls.join(","), self.each);
        format!(r#"{{"case":{case},"command":{command},"calls":[{calls}],"each":{each}}}"#)
    }
}

impl Seen {
    /// Adds what the client reports when it is done with a server.
    fn finish(&mut self, line: &Value, each: bool) -> Result<(), String> {
        if let Some(why) = line.get("failed").and_then(Value::as_str) {
            self.listing = Some((Outcome::NoTools, one_line(why)));
        } else if line.get("good") != Some(&Value::Bool(true)) {
            self.listing = Some((Outcome::GoodToolsFail, String::new()));
        }
        let calls = line.get("calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten().filter(|_| !each) {
            self.calls.push(called(call)?);
        }
        Ok(())
    }

    /// The outcome for one odd tool: that of the listing if it is bad, else that of the first call.
    pub(super) fn outcome(&self) -> Outcome {
        match (&self.listing, self.calls.first()) {
            (Some((outcome, _)), _) | (None, Some((outcome, _))) => *outcome,
            // There is nothing to call, and the list is good.
            (None, None) => Outcome::Hidden,
        }
    }

    /// The client's message for that outcome.
    pub(super) fn why(&self) -> &str {
        match (&self.listing, self.calls.first()) {
            (Some((_, why)), _) | (None, Some((_, why))) => why,
            (None, None) => "",
        }
    }
}

/// `[WORD, ERROR]`
fn called(call: &Value) -> Result<(Outcome, String), String> {
    let text = |at: usize| call.get(at).and_then(Value::as_str).unwrap_or_default();
    let outcome = Outcome::from_word(text(0)).ok_or_else(|| format!("no outcome: {call}"))?;
    Ok((outcome, one_line(text(1))))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn node(version: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(script("client.mjs")).arg(version);
    node
}

/// Ends a client. Its servers end when their input does.
fn end(child: &mut Child) -> Result<(), String> {
    // It may have ended on its own.
    let _ended = child.kill();
    child
        .wait()
        .map(|_| ())
        .map_err(|e| format!("a client: {e}"))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {status}")),
    }
}

const LEGACY: &str = "2025-11-25";
const MODERN: &str = "2026-07-28";
/// The npm packages.
const NPM: [&str; 2] = [
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
];
/// The PyPI package.
const PYPI: &str = "mcp==2.3.0";
/// Clients give up a request after four seconds. A client that hangs reports nothing at all.
const PATIENCE: Duration = Duration::from_secs(9);
/// The client has to be loaded first.
const FIRST_PATIENCE: Duration = Duration::from_secs(25);
