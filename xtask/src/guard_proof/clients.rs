//! The published clients, installed under the target directory at pinned versions.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::scripts;
use crate::build;

/// A client.
#[derive(Clone, Copy)]
pub(super) enum Client {
    TypescriptV1,
    TypescriptV2,
    Python,
}

/// What a client saw of a server.
#[derive(Debug)]
pub(super) enum Saw {
    /// Nothing within [`PATIENCE`].
    Nothing,
    /// The names of its tools, and what a call of each gave.
    Answers { tools: Vec<String>, results: Value },
}

/// The clients, installed.
pub(super) struct Clients {
    folder: PathBuf,
}

impl Client {
    pub(super) const ALL: [Self; 3] = [Self::TypescriptV1, Self::TypescriptV2, Self::Python];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::TypescriptV1 => "TypeScript SDK 1.32.2",
            Self::TypescriptV2 => "TypeScript SDK 2.4.0",
            Self::Python => "Python SDK 2.3.0",
        }
    }
}

impl Clients {
    /// Installs what is not there yet.
    ///
    /// # Errors
    ///
    /// One line if npm or pip is absent or fails.
    pub(super) fn install() -> Result<Self, String> {
        let folder = build::target()?.join("guard-proof");
        let stamp = folder.join("installed");
        let wanted = [NPM.join(" "), PYPI.to_owned()].join("\n");
        if std::fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return Ok(Self { folder });
        }
        std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let mut npm = Command::new("npm");
        npm.args([
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--no-save",
        ])
        .arg("--prefix")
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

    /// Lets a client look at the server that a command starts.
    pub(super) fn run(&self, client: Client, server: &[&str]) -> Saw {
        let mut command = match client {
            Client::TypescriptV1 => node("v1"),
            Client::TypescriptV2 => node("v2"),
            Client::Python => {
                let mut python = Command::new(self.folder.join("python/bin/python"));
                python.arg(scripts("client.py"));
                python
            }
        };
        command
            .args(server)
            .current_dir(&self.folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let answers = command.spawn().ok().and_then(answers);
        answers.unwrap_or(Saw::Nothing)
    }
}

fn node(version: &str) -> Command {
    let mut node = Command::new("node");
    node.arg(scripts("client.mjs")).arg(version);
    node
}

/// The line that a client prints at its end, which fits into a pipe.
fn answers(mut child: Child) -> Option<Saw> {
    let end = Instant::now() + PATIENCE;
    while child.try_wait().ok()?.is_none() {
        if Instant::now() > end {
            // It may have ended by itself this moment.
            let _ended = child.kill();
            child.wait().ok()?;
            return None;
        }
        sleep(Duration::from_millis(20));
    }
    let output = child.wait_with_output().ok()?;
    let mut seen: Value = serde_json::from_slice(&output.stdout).ok()?;
    let names = seen.get("tools")?.as_array()?;
    Some(Saw::Answers {
        tools: names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        results: seen.get_mut("results")?.take(),
    })
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name}: {e}"))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{name}: {status}")),
    }
}

/// Of npm.
const NPM: [&str; 2] = [
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
];
/// Of PyPI.
const PYPI: &str = "mcp==2.3.0";
/// A client that has its answers needs about a second; one that hangs needs for ever.
const PATIENCE: Duration = Duration::from_secs(40);
