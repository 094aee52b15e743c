//! `cargo xtask guard-instructions`: counts the instructions that the released guard takes for one call and
//! its answer, input and output included, with callgrind.
//!
//! On each path one client makes its calls one after the other, to a guard that runs under valgrind. Servers
//! run outside. Two guards that answer different numbers of calls differ by what these calls take. The table is
//! a measurement and not a test: only a failed call fails the command.

use std::fs::Permissions;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::json;
use toolsure_testkit::place;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Served};
use crate::replicas::guards::Replica;
use crate::replicas::http::Connection;
use crate::replicas::load::{LEGACY, MODERN, meta};
use crate::soak::calls::{self, Era};

/// Counts twice and prints the table. Words select paths.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let scene = Scene::start()?;
    println!("| client | servers | instructions | second run |");
    println!("|---|---|---|---|");
    for (name, client, servers) in PATHS {
        if !arguments.words.iter().all(|word| name.contains(word)) {
            continue;
        }
        let one_call = || {
            let few = scene.instructions(client, servers, FEW)?;
            let many = scene.instructions(client, servers, MANY)?;
            Ok(many.saturating_sub(few) / (MANY - FEW))
        };
        let failed = |why: String| format!("{name}: {why}");
        let first = one_call().map_err(failed)?;
        let second = one_call().map_err(failed)?;
        let change = (float(second) / float(first) - 1.0) * 100.0;
        println!("| {name} | {first} | {change:+.2} % |");
    }
    Ok(0)
}

#[derive(Clone, Copy, PartialEq)]
enum Client {
    /// On stdio, 2025-11-25.
    Lines,
    /// Over HTTP, 2025-11-25.
    Session,
    /// Over HTTP, 2026-07-28.
    Modern,
    /// The same with a token and rules.
    Caller,
}

#[derive(Clone, Copy)]
enum Servers {
    Program,
    Http,
    Translated,
    Two,
    TwoTranslated,
}

/// What all guards share.
struct Scene {
    /// Runs the guard under valgrind.
    script: PathBuf,
    folder: PathBuf,
    /// The server over HTTP.
    served: Served,
}

impl Scene {
    fn start() -> Result<Self, String> {
        let toolsure = build::release("toolsure")?;
        let folder = build::target()?.join("guard-instructions");
        peers::fresh(&folder)?;
        let workspace = place::workspace();
        let prelude = place::text(&workspace.join("crates/toolsure-proxy/tests/guard/prelude.py"))?;
        let server = place::text(&workspace.join("xtask/guard-instructions/server.py"))?;
        write(&folder, "server.py", &(prelude + &server))?;
        write(&folder, "keys", "a key of sessions, of 32 bytes or more")?;
        // One worker, because it differs from run to run how several share the work of one client. With the
        // variable for the allocator the guard does not start itself again, which valgrind would not follow.
        let text = format!(
            "#!/bin/sh\nexport TOKIO_WORKER_THREADS=1 MALLOC_MMAP_THRESHOLD_=1048576\n\
             exec valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file='{}' '{}' \"$@\"\n",
            folder.join("report").display(),
            toolsure.display()
        );
        let script = write(&folder, "guard.sh", &text)?;
        let runs = std::fs::set_permissions(&script, Permissions::from_mode(0o755));
        runs.map_err(|e| format!("{}: {e}", script.display()))?;
        let [python, words @ ..] = &program(&folder, LEGACY);
        let served = Served::start(Command::new(python).args(words).arg("http"))?;
        Ok(Self {
            script,
            folder,
            served,
        })
    }

    /// All instructions of a guard that answers this many calls, from its start to its end.
    fn instructions(&self, client: Client, servers: Servers, calls: u64) -> Result<u64, String> {
        let settings = self.settings(client, servers);
        let config = write(&self.folder, "guard.toml", &settings)?;
        let tool = match servers {
            Servers::Two | Servers::TwoTranslated => "b_add",
            _ => "add",
        };
        let mut guard = Guard::start(self, client, &config)?;
        let mut more = String::new();
        match client {
            Client::Modern | Client::Caller => more = format!(r#","_meta":{}"#, meta()),
            _ => guard.open()?,
        }
        // All ids are equally long.
        for id in FIRST_ID..FIRST_ID + calls {
            let call = format!(
                r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{"text":"hello","count":3}}{more}}}}}"#
            );
            let answer = guard.ask(&call, tool)?;
            if !answer.contains("structuredContent") || !answer.contains(&id.to_string()) {
                return Err(format!("`{call}` is answered `{answer}`"));
            }
        }
        guard.end()?;
        let report = place::text(&self.folder.join("report"))?;
        collected(&report).ok_or_else(|| format!("valgrind counted nothing: {report}"))
    }

    fn settings(&self, client: Client, servers: Servers) -> String {
        let (own, other, translate) = match client {
            Client::Modern | Client::Caller => (MODERN, LEGACY, "modern-clients"),
            _ => (LEGACY, MODERN, "legacy-clients"),
        };
        let (names, version, translate) = match servers {
            Servers::Http => return format!("[upstreams.a]\nurl = \"{}\"\n", self.served.url),
            Servers::Program => (["a"].as_slice(), own, "off"),
            Servers::Translated => (["a"].as_slice(), other, translate),
            Servers::Two => (["a", "b"].as_slice(), own, "off"),
            Servers::TwoTranslated => (["a", "b"].as_slice(), other, translate),
        };
        let command = json!(program(&self.folder, version));
        let upstream = |name| {
            format!("[upstreams.{name}]\ncommand = {command}\ntranslate = \"{translate}\"\n")
        };
        let mut settings: String = names.iter().map(upstream).collect();
        if client == Client::Caller {
            settings.push_str(RULES);
        }
        settings
    }
}

/// A guard and its client.
enum Guard {
    Lines(Child, Option<ChildStdin>, BufReader<ChildStdout>),
    /// One connection, the protocol version, the caller's token, and the session after it was opened.
    Http(
        Replica,
        Connection,
        Era,
        Option<&'static str>,
        Option<String>,
    ),
}

impl Guard {
    fn start(scene: &Scene, client: Client, config: &Path) -> Result<Self, String> {
        let config = config.display().to_string();
        let era = match client {
            Client::Lines => return Self::lines(&scene.script, &config),
            Client::Session => Era::Legacy,
            Client::Modern | Client::Caller => Era::Modern,
        };
        let token = (client == Client::Caller).then_some(TOKEN);
        let keys = scene.folder.join("keys");
        let replica = Replica::start_with(&scene.script, &["--config", &config], &keys, &[])?;
        let connection = Connection::open(replica.address)?;
        Ok(Self::Http(replica, connection, era, token, None))
    }

    fn lines(script: &Path, config: &str) -> Result<Self, String> {
        let mut command = Command::new(script);
        command.args(["guard", "--quiet", "--config", config]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().map_err(|e| format!("the guard: {e}"))?;
        let (to, from) = (child.stdin.take(), child.stdout.take());
        let from = from.ok_or("the guard has no output")?;
        Ok(Self::Lines(child, to, BufReader::new(from)))
    }

    fn open(&mut self) -> Result<(), String> {
        let answer = self.ask(&calls::initialize().to_string(), "")?;
        if !answer.contains(LEGACY) {
            return Err(format!("the guard opens no session: {answer}"));
        }
        let initialized = calls::initialized().to_string();
        match self {
            Self::Lines(_, to, _) => written(to, &initialized),
            Self::Http(..) => self.ask(&initialized, "").map(|_nothing| ()),
        }
    }

    /// Sends a message and returns its answer. Over HTTP the headers name the tool.
    fn ask(&mut self, text: &str, tool: &str) -> Result<String, String> {
        match self {
            Self::Lines(_, to, from) => {
                written(to, text)?;
                let mut answer = String::new();
                let read = from.read_line(&mut answer);
                read.map(|_bytes| answer)
                    .map_err(|e| format!("no answer: {e}"))
            }
            Self::Http(_, connection, era, token, session) => {
                let mut headers = calls::headers(*era, tool, session.as_deref());
                headers.extend(token.map(|token| ("Authorization", token)));
                let reply = connection.request("POST", "/mcp", &headers, text.as_bytes())?;
                if session.is_none() {
                    *session = reply.header("mcp-session-id").map(str::to_owned);
                }
                Ok(reply.body)
            }
        }
    }

    /// Lets it end, which makes valgrind write its report.
    fn end(self) -> Result<(), String> {
        let ended_well = match self {
            Self::Lines(mut child, to, _from) => {
                drop(to);
                let status = child.wait().map_err(|e| format!("wait: {e}"))?;
                status.success()
            }
            Self::Http(mut replica, connection, ..) => {
                drop(connection);
                replica.terminate()?;
                replica.ended_well()?
            }
        };
        ended_well
            .then_some(())
            .ok_or("the guard failed".to_owned())
    }
}

fn written(to: &mut Option<ChildStdin>, text: &str) -> Result<(), String> {
    let to = to.as_mut().ok_or("the guard has no input")?;
    let written = to.write_all(format!("{text}\n").as_bytes());
    written.map_err(|e| format!("the guard takes nothing: {e}"))
}

/// The command of a server on stdio that answers requests of this version.
fn program(folder: &Path, version: &str) -> [String; 5] {
    let server = folder.join("server.py").display().to_string();
    ["python3", "-I", "-S", &server, version].map(str::to_owned)
}

/// The count in a report of valgrind.
fn collected(report: &str) -> Option<u64> {
    let (_, count) = report.split_once("Collected : ")?;
    count.split_whitespace().next()?.parse().ok()
}

fn write(folder: &Path, name: &str, text: &str) -> Result<PathBuf, String> {
    let path = folder.join(name);
    let written = std::fs::write(&path, text);
    written.map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(path)
}

fn float(count: u64) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The same paths as in `crates/toolsure-proxy/tests/reads.rs`, and one with a caller who authenticates.
const PATHS: [(&str, Client, Servers); 11] = {
    use Client::{Caller, Lines, Modern, Session};
    use Servers::{Http, Program, Translated, Two, TwoTranslated};
    [
        ("stdio, 2025-11-25 | program", Lines, Program),
        ("stdio, 2025-11-25 | HTTP server", Lines, Http),
        ("stdio, 2025-11-25 | program, translated", Lines, Translated),
        ("stdio, 2025-11-25 | two programs", Lines, Two),
        ("stdio, 2025-11-25 | two, translated", Lines, TwoTranslated),
        ("HTTP, 2025-11-25 | program", Session, Program),
        ("HTTP, 2026-07-28 | program", Modern, Program),
        ("HTTP, 2026-07-28 | program, translated", Modern, Translated),
        ("HTTP, 2026-07-28 | two programs", Modern, Two),
        ("HTTP, 2026-07-28 | two, translated", Modern, TwoTranslated),
        (
            "HTTP, 2026-07-28, a caller with rules | program",
            Caller,
            Program,
        ),
    ]
};
const TOKEN: &str = "Bearer the-token-of-one-caller";
const RULES: &str = r#"
[auth]
tokens = { one = "sha256:2d3b2c6ba34fbaef4b0dc87c10fbd7d250cce9fab84b1da89e5cc352c2f70b44", two = "sha256:0000000000000000000000000000000000000000000000000000000000000000" }
[[callers]]
token = "two"
[[callers]]
token = "one"
tools = ["read_*", "@readOnlyHint", "add", "!delete_*"]
"#;
/// The numbers of calls of the two guards. What only first calls take is in both.
const FEW: u64 = 200;
const MANY: u64 = 1_200;
const FIRST_ID: u64 = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_says_how_many_instructions_there_were() {
        let report = "==7== Events    : Ir\n==7== Collected : 4711\n==7==\n";
        assert_eq!(collected(report), Some(4711));
        assert_eq!(collected("==7== no\n"), None);
    }
}
