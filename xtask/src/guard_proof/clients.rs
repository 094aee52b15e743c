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
use crate::peers::{install_into, make_environment, run};

/// A client with one protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// Its name in `seen.json`.
    pub(crate) name: &'static str,
    /// Its package.
    package: &'static str,
    /// The readers of the table (`toolsure_analysis::readers`) that it is.
    pub(crate) readers: &'static [&'static str],
    pub(crate) version: &'static str,
}

/// In the order of the columns in `seen.json`.
pub(crate) const CLIENTS: [Client; 5] = [
    Client {
        name: "TypeScript SDK 1.32.2, 2025-11-25",
        package: SDK1,
        readers: &["typescript-sdk", "typescript-sdk-1"],
        version: LEGACY,
    },
    Client {
        name: "TypeScript SDK 2.4.0, 2025-11-25",
        package: SDK2,
        readers: &["typescript-sdk", "typescript-sdk-2"],
        version: LEGACY,
    },
    Client {
        name: "TypeScript SDK 2.4.0, 2026-07-28",
        package: SDK2,
        readers: &["typescript-sdk", "typescript-sdk-2"],
        version: MODERN,
    },
    Client {
        name: "Python SDK 2.3.0, 2025-11-25",
        package: "mcp",
        readers: PYTHON,
        version: LEGACY,
    },
    Client {
        name: "Python SDK 2.3.0, 2026-07-28",
        package: "mcp",
        readers: PYTHON,
        version: MODERN,
    },
];

/// Others, which `seen.json` does not have.
pub(crate) const OTHERS: [Client; 7] = [
    Client {
        name: "TypeScript SDK 2.0.0-beta.1, 2025-11-25",
        package: "client-beta1",
        readers: CLAUDE,
        version: LEGACY,
    },
    Client {
        name: "TypeScript SDK 2.0.0-beta.3, 2025-11-25",
        package: "client-beta3",
        readers: CLAUDE,
        version: LEGACY,
    },
    Client {
        name: "TypeScript SDK 2.0.0-beta.5, 2025-11-25",
        package: "client-beta5",
        readers: CLAUDE,
        version: LEGACY,
    },
    Client {
        name: "fastmcp 4.2.3, 2025-11-25",
        package: "fastmcp",
        readers: FASTMCP,
        version: LEGACY,
    },
    Client {
        name: "fastmcp 4.2.3, 2026-07-28",
        package: "fastmcp",
        readers: FASTMCP,
        version: MODERN,
    },
    Client {
        name: "rmcp 3.9.0, 2025-11-25",
        package: RMCP,
        readers: &[RMCP],
        version: LEGACY,
    },
    Client {
        name: "rmcp 3.9.0, 2026-07-28",
        package: RMCP,
        readers: &[RMCP],
        version: MODERN,
    },
];

/// What a client must do with one server.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) case: String,
    pub(crate) command: Vec<String>,
    /// For each call, as JSON: the name, the arguments, and the expected content if given.
    pub(crate) calls: Vec<String>,
    pub(crate) manner: Manner,
    /// Whether the command is a guard that says on standard error where it listens.
    pub(crate) is_http: bool,
}

/// How a client makes its calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// One after the other, and all are reported at the end.
    InTurn,
    /// Each is reported at once, so that calls after one that hangs still count.
    Each,
    /// Many at once. A call works if a text block of its result has these words.
    AtOnce(&'static str),
    /// It only lists, so many times.
    Lists(usize),
    /// It calls nothing, and checks values by the listed output schemas.
    Checks,
}

impl Client {
    /// Whether it validates as version 1 of the TypeScript SDK does.
    pub(crate) fn is_first_sdk(self) -> bool {
        self.package == SDK1
    }
}

impl Manner {
    /// The members of a job.
    fn members(self) -> String {
        match self {
            Self::InTurn => String::new(),
            Self::Each => r#","each":true"#.to_owned(),
            Self::AtOnce(words) => format!(r#","words":{}"#, json!(words)),
            Self::Lists(times) => format!(r#","lists":{times}"#),
            Self::Checks => r#","checks":true"#.to_owned(),
        }
    }

    /// The maximum time without a word from a client.
    fn patience(self) -> Duration {
        match self {
            Self::InTurn | Self::Each => PATIENCE,
            // There are hundreds of calls, and each that hangs takes as long as the client waits.
            Self::AtOnce(_) | Self::Lists(_) | Self::Checks => LONG_PATIENCE,
        }
    }
}

/// The results of a client with one server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) case: String,
    /// The outcome of the list and the good tools, if it is bad, with the client's message.
    pub(crate) listing: Option<(Outcome, String)>,
    /// The outcome of each call, with the client's message.
    pub(crate) calls: Vec<(Outcome, String)>,
}

/// The installed clients.
pub(crate) struct Clients {
    folder: PathBuf,
    /// The client with rmcp.
    rmcp: PathBuf,
}

impl Clients {
    /// Installs missing packages.
    ///
    /// # Errors
    ///
    /// One line if npm or pip is missing or fails.
    pub(crate) fn install() -> Result<Self, String> {
        let folder = build::target()?.join("guard-proof");
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let load = folder.join("load.mjs");
        std::fs::write(&load, LOAD).map_err(|e| format!("{}: {e}", load.display()))?;
        let stamp = folder.join("installed");
        let wanted = [NPM.join(" "), PYPI.join(" ")].join("\n");
        let rmcp = build::binary("proof-client")?;
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return Ok(Self { folder, rmcp });
        }
        let mut npm = Command::new("npm");
        npm.args(["install", "--silent", "--no-audit", "--no-fund"])
            .args(["--no-save", "--prefix"])
            .arg(&folder)
            .args(NPM);
        run(&mut npm)?;
        let environment = folder.join("python");
        make_environment(&environment)?;
        run(install_into(&environment).args(PYPI))?;
        std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
        Ok(Self { folder, rmcp })
    }

    /// Runs all jobs with one client, in as few processes as its hangs allow.
    ///
    /// # Errors
    ///
    /// One line if the client cannot be started or its output cannot be understood.
    pub(crate) fn run(&self, client: Client, mut jobs: Vec<Job>) -> Result<Vec<Seen>, String> {
        let mut all = Vec::new();
        jobs.reverse();
        // What is known about the last job in the list, whose client hung before.
        let mut begun = Seen::default();
        while !jobs.is_empty() {
            let (mut child, lines) = self.start(client, &jobs)?;
            let mut loading = FIRST_PATIENCE;
            while let Some(job) = jobs.last_mut() {
                let each = job.manner == Manner::Each;
                let patience = loading + job.manner.patience();
                loading = Duration::ZERO;
                begun.case.clone_from(&job.case);
                let Ok(line) = lines.recv_timeout(patience) else {
                    let reason = "no word from the client".to_owned();
                    // Another process makes the calls after the one that hangs.
                    if each && !job.calls.is_empty() {
                        job.calls.remove(0);
                        begun.calls.push((Outcome::Hangs, reason));
                    } else {
                        begun.listing = Some((Outcome::Hangs, reason));
                        all.push(std::mem::take(&mut begun));
                        jobs.pop();
                    }
                    break;
                };
                let line: Value = serde_json::from_str(&line)
                    .map_err(|e| format!("{}: {e}: {line}", client.name))?;
                if let Some(call) = line.get("call") {
                    begun.calls.push(called(call)?);
                    job.calls.remove(0);
                    continue;
                }
                begun.finish(&line, each)?;
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
        let is_python = PYPI.iter().any(|wanted| wanted.starts_with(client.package));
        let mut command = if client.package == RMCP {
            Command::new(&self.rmcp)
        } else if is_python {
            let mut command = Command::new(self.folder.join("python/bin/python"));
            command.arg(script("client.py"));
            command
        } else {
            let mut command = Command::new("node");
            command.arg(script("client.mjs"));
            command
        };
        command.arg(client.package);
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
        let (calls, manner) = (self.calls.join(","), self.manner.members());
        let http = self.is_http;
        format!(r#"{{"case":{case},"command":{command},"calls":[{calls}],"http":{http}{manner}}}"#)
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
    pub(crate) fn outcome(&self) -> Outcome {
        match (&self.listing, self.calls.first()) {
            (Some((outcome, _)), _) | (None, Some((outcome, _))) => *outcome,
            // There is nothing to call, and the list is good.
            (None, None) => Outcome::Hidden,
        }
    }

    /// The client's message for that outcome.
    pub(crate) fn why(&self) -> &str {
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

/// Ends a client. Its servers end when their input does.
fn end(child: &mut Child) -> Result<(), String> {
    // It may have ended on its own.
    let _ended = child.kill();
    child
        .wait()
        .map(|_| ())
        .map_err(|e| format!("a client: {e}"))
}

pub(crate) const LEGACY: &str = "2025-11-25";
pub(crate) const MODERN: &str = "2026-07-28";
/// Imports a package for `client.mjs`, from the folder in which the packages are.
const LOAD: &str = "export default (name) => import(name);\n";
const SDK1: &str = "@modelcontextprotocol/sdk";
/// A program of the workspace, with the version of `dependencies.lock`.
const RMCP: &str = "rmcp";
const SDK2: &str = "@modelcontextprotocol/client";
/// Who reads as the betas of SDK 2 do.
const PYTHON: &[&str] = &["python-sdk"];
const FASTMCP: &[&str] = &["python-sdk", "fastmcp"];
const CLAUDE: &[&str] = &["claude-code", "claude-desktop"];
/// The npm packages.
const NPM: [&str; 5] = [
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "client-beta1@npm:@modelcontextprotocol/client@2.0.0-beta.1",
    "client-beta3@npm:@modelcontextprotocol/client@2.0.0-beta.3",
    "client-beta5@npm:@modelcontextprotocol/client@2.0.0-beta.5",
];
/// The PyPI packages.
const PYPI: [&str; 2] = ["mcp==2.3.0", "fastmcp==4.2.3"];
/// Clients give up a request after four seconds. A client that hangs reports nothing at all.
const PATIENCE: Duration = Duration::from_secs(30);
const LONG_PATIENCE: Duration = Duration::from_secs(90);
/// The client has to be loaded first.
const FIRST_PATIENCE: Duration = Duration::from_secs(16);
