//! `cargo xtask interop`: runs our server with the clients of other SDKs, and our client with their
//! servers, over both transports, in every era that the peer supports. Runs it all again through
//! the guard, in each of the four combinations of transports, with and without translation.
//!
//! `interop/cases.json` has the expected results. If a defect of a peer changes a result,
//! `interop/defects.json` describes the result and gives the reason, and the result must match it.
//!
//! Also has clients log in to a protected server; see `login`. Also holds what pages say of these
//! programs against the programs; see `sentences`.

mod judge;
mod login;
mod peer;
mod run;
mod sentences;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Javascript, Python, Served};
use judge::Standard;
use peer::{MODERN, Peer, Role, Script};
use run::{Between, Run, output};

/// The transports between client and server.
const TRANSPORTS: [&str; 2] = ["stdio", "http"];

/// The name of the check of what pages say.
const SENTENCES: &str = "sentences";

/// The name of the check of logins.
const LOGIN: &str = "login";

/// Everything that may be between them.
const BETWEEN: [Between; 5] = [
    Between::Nothing,
    Between::Guard("stdio"),
    Between::Guard("http"),
    Between::Translator("stdio"),
    Between::Translator("http"),
];

/// Runs every pair, and returns how many checks failed. `--only PEER` runs one peer,
/// `--only sentences` only what pages say, `--only login` only the logins.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let only = arguments.option("only");
    let (javascript, python) = (Javascript::install()?, Python::install()?);
    let mut total = Tally::default();
    if only.is_none_or(|only| only == SENTENCES) {
        let mut tally = Tally::default();
        sentences::check(&javascript, &python, &mut tally)?;
        print!("{}", tally.details());
        println!("{SENTENCES}: {}", tally.line());
        total.add(tally);
    }
    if only.is_none_or(|only| only == LOGIN) {
        let mut tally = Tally::default();
        login::check(&javascript, &python, &mut tally)?;
        print!("{}", tally.details());
        println!("{LOGIN}: {}", tally.line());
        total.add(tally);
    }
    let is_taken = |peer: &&Peer| only.is_none_or(|only| only == peer.name);
    let taken: Vec<&Peer> = peer::ALL.iter().filter(is_taken).collect();
    if taken.is_empty() {
        println!("{}", total.line());
        return match only {
            Some(SENTENCES | LOGIN) | None => Ok(total.failed),
            Some(other) => Err(format!("there is no peer `{other}`")),
        };
    }
    let harness = Harness {
        javascript,
        python,
        server: build::binary("everything-server")?,
        client: build::binary("everything-client")?,
        toolsure: build::toolsure()?,
    };
    let mut standard = Standard::read(&peers::scripts())?;
    for peer in taken {
        let mut tally = Tally::default();
        for era in peer.eras {
            for transport in TRANSPORTS {
                for between in BETWEEN {
                    let report = harness.report(peer, era, transport, between)?;
                    let run = Run {
                        peer: peer.name,
                        era,
                        transport,
                        role: peer.role,
                        between,
                    };
                    standard.judge(&run, &report, &mut tally);
                }
            }
        }
        print!("{}", tally.details());
        println!("{}: {}", peer.name, tally.line());
        total.add(tally);
    }
    if only.is_none() {
        let mut tally = Tally::default();
        standard.judge_itself(&mut tally);
        print!("{}", tally.details());
        println!("known faults: {}", tally.line());
        total.add(tally);
    }
    println!("{}", total.line());
    Ok(total.failed)
}

/// The installed and built programs.
struct Harness {
    javascript: Javascript,
    python: Python,
    server: PathBuf,
    client: PathBuf,
    toolsure: PathBuf,
}

impl Harness {
    /// Runs the client of one pair and returns its report.
    fn report(
        &self,
        peer: &Peer,
        era: &str,
        transport: &str,
        between: Between,
    ) -> Result<Value, String> {
        let theirs = match peer.script {
            Script::Javascript(name) => self.javascript.script(name)?,
            Script::Python(name) => self.python.script(name),
        };
        let peer_serves = peer.role != Role::Client;
        let (mut client, mut server) = if peer_serves {
            let mut client = Command::new(&self.client);
            client.arg("--report");
            (client, theirs)
        } else {
            (theirs, Command::new(&self.server))
        };
        client.args([era, transport]);
        client.env("INTEROP_CASES", peers::scripts().join("cases.json"));
        // A server that the client starts inherits the client's environment.
        for command in [&mut client, &mut server] {
            command.env("INTEROP_SHAPES", peers::shapes());
        }
        let far = match between {
            Between::Nothing => transport,
            Between::Guard(far) | Between::Translator(far) => far,
        };
        let served = match far {
            "http" => {
                server.arg(if peer_serves { "http" } else { "--http" });
                Some(Served::start(&mut server)?)
            }
            _ => {
                server.args(peer_serves.then_some("stdio"));
                None
            }
        };
        let translate: &[&str] = match (between, era) {
            (Between::Translator(_), MODERN) => &["--translate", "modern-clients"],
            (Between::Translator(_), _) => &["--translate", "legacy-clients"],
            _ => &[],
        };
        let mut behind: Vec<OsString> = translate.iter().map(OsString::from).collect();
        match &served {
            Some(served) => behind.extend(["--upstream", &served.url].map(OsString::from)),
            None => behind.extend(std::iter::once("--".into()).chain(line(&server))),
        }
        match (between, transport, &served) {
            (Between::Nothing, _, Some(served)) => output(client.arg(&served.url), peer.name),
            (Between::Nothing, _, None) => output(client.args(line(&server)), peer.name),
            (_, "http", _) => {
                let mut toolsure = Command::new(&self.toolsure);
                toolsure.env("INTEROP_SHAPES", peers::shapes());
                let guard = Served::guard(&mut toolsure, &behind)?;
                output(client.arg(&guard.url), peer.name)
            }
            _ => {
                client.arg(&self.toolsure).arg("guard").args(&behind);
                output(&mut client, peer.name)
            }
        }
    }
}

/// The program and the arguments of a command.
fn line(command: &Command) -> impl Iterator<Item = OsString> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_owned)
}
