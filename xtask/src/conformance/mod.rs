//! `cargo xtask conformance`: runs the protocol's official suite against our fixture server and
//! client in both eras, and again with the guard in between.
//!
//! The suite passes checks that it does not run, so this command is stricter: every scenario that
//! the suite lists for the era must have a successful check, a warning is a failure, a server may
//! skip nothing, and the number of checks must not fall.

mod checks;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Javascript, Served};
use checks::{Checks, Skipping};

/// A protocol version and the minimum number of successful checks: for the server in the whole
/// suite, and for the client without the scenarios about authorisation.
struct Era {
    version: &'static str,
    server: u64,
    client: u64,
}

const ERAS: [Era; 2] = [
    Era {
        version: "2025-11-25",
        server: 83,
        client: 20,
    },
    Era {
        version: "2026-07-28",
        server: 153,
        client: 64,
    },
];

/// Whether the guard is between the suite and the program under test.
#[derive(Clone, Copy)]
enum Through {
    Nothing,
    TheGuard,
}

/// Runs the suite and returns how many checks failed. `--only NAME` runs one scenario,
/// `--server URL` checks another server than the fixture.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let suite = Suite {
        javascript: Javascript::install()?,
        output: build::target()?.join("conformance"),
    };
    peers::fresh(&suite.output)?;
    let only = arguments.option("only");
    let server = build::binary("everything-server")?;
    build::binary("everything-client")?;
    let toolsure = build::toolsure()?;
    let mut total = Tally::default();
    for (era, through) in ERAS
        .iter()
        .flat_map(|era| THROUGH.map(|through| (era, through)))
    {
        // Each combination gets a new server, so that none depends on state from another.
        let served = match arguments.option("server") {
            Some(_) => None,
            None => Some(Served::start(Command::new(&server).arg("--http"))?),
        };
        let url = arguments
            .option("server")
            .or(served.as_ref().map(|served| served.url.as_str()))
            .unwrap_or_default();
        let guard = match through {
            Through::Nothing => None,
            Through::TheGuard => Some(Served::guard(
                &mut Command::new(&toolsure),
                ["--upstream", url],
            )?),
        };
        let url = guard.as_ref().map_or(url, |guard| guard.url.as_str());
        let tally = suite.server(era, through, url, only)?;
        report("server", era, through, &tally);
        total.add(tally);
        let tally = suite.client(era, through, only)?;
        report("client", era, through, &tally);
        total.add(tally);
    }
    println!("{}", total.line());
    Ok(total.failed)
}

/// Runs the fixture client, which reaches the suite's server through the guard. The suite starts
/// this command with the server's URL as its only argument.
pub(crate) fn guarded_client(arguments: &Arguments) -> Result<u64, String> {
    let url = arguments.first().ok_or("no URL was given")?;
    let binaries = build::profile_directory()?;
    let guard = Served::guard(
        &mut Command::new(binaries.join("toolsure")),
        ["--upstream", url],
    )?;
    let mut client = Command::new(binaries.join("everything-client"));
    let status = client.arg(&guard.url).status();
    let status = status.map_err(|e| format!("everything-client: {e}"))?;
    Ok(u64::from(!status.success()))
}

const THROUGH: [Through; 2] = [Through::Nothing, Through::TheGuard];

impl Through {
    /// The suffix of file names and of lines in the report.
    fn suffix(self) -> &'static str {
        match self {
            Self::Nothing => "",
            Self::TheGuard => "-guarded",
        }
    }

    /// The command with which the suite starts the client.
    fn client(self) -> &'static str {
        match self {
            Self::Nothing => "./everything-client",
            Self::TheGuard => "./xtask guarded-client",
        }
    }
}

fn report(role: &str, era: &Era, through: Through, tally: &Tally) {
    print!("{}", tally.details());
    let (version, suffix) = (era.version, through.suffix());
    println!("{role} {version}{suffix}: {}", tally.line());
}

/// The installed suite.
struct Suite {
    javascript: Javascript,
    output: PathBuf,
}

impl Suite {
    /// Runs the whole suite against the server at `url`.
    fn server(
        &self,
        era: &Era,
        through: Through,
        url: &str,
        only: Option<&str>,
    ) -> Result<Tally, String> {
        let name = format!("server-{}{}", era.version, through.suffix());
        let output = self.output.join(name);
        // why: warnings count only if there is a list of expected failures, even an empty one.
        let expected = self.output.join("expected-failures.yml");
        std::fs::write(&expected, "server: []\nclient: []\n")
            .map_err(|e| format!("{}: {e}", expected.display()))?;
        let mut command = self.command();
        command.args(["server", "--url", url, "--spec-version", era.version]);
        match only {
            Some(name) => command.args(["--scenario", name]),
            None => command.args(["--suite", "all"]),
        };
        command.arg("--expected-failures").arg(&expected);
        let succeeded = succeeds(command.arg("-o").arg(&output))?;
        let mut tally = Tally::default();
        for scenario in self.scenarios(era, "Server scenarios")? {
            if only.is_none_or(|only| only == scenario) {
                Checks::of(&output, &format!("server-{scenario}"))?.judge(
                    &scenario,
                    Skipping::Fails,
                    &mut tally,
                );
            }
        }
        if !succeeded && tally.failed == 0 {
            tally.fail("the suite failed without a failed check".to_owned());
        }
        if only.is_none() {
            not_fewer(&mut tally, era.server);
        }
        Ok(tally)
    }

    /// Runs every client scenario of the era, one after the other.
    fn client(&self, era: &Era, through: Through, only: Option<&str>) -> Result<Tally, String> {
        let name = format!("client-{}{}", era.version, through.suffix());
        let output = self.output.join(name);
        let mut tally = Tally::default();
        for scenario in self.scenarios(era, "Client scenarios")? {
            let chosen = only.is_none_or(|only| only == scenario);
            if scenario.starts_with("auth/") || !chosen {
                continue;
            }
            let mut command = self.command();
            // why: the suite splits the command at spaces, and a path may contain spaces.
            command
                .current_dir(build::profile_directory()?)
                .args(["client", "--command", through.client()])
                .args(["--scenario", &scenario, "--spec-version", era.version]);
            let succeeded = succeeds(command.arg("-o").arg(&output))?;
            let failed = tally.failed;
            Checks::of(&output, &scenario)?.judge(&scenario, Skipping::Allowed, &mut tally);
            if !succeeded && tally.failed == failed {
                tally.fail(format!("{scenario}: the client failed, its checks did not"));
            }
        }
        if only.is_none() {
            not_fewer(&mut tally, era.client);
        }
        Ok(tally)
    }

    /// The names that the suite lists under a heading for an era.
    fn scenarios(&self, era: &Era, heading: &str) -> Result<Vec<String>, String> {
        let mut command = self.command();
        let output = command
            .args(["list", "--spec-version", era.version])
            .output()
            .map_err(|e| format!("the suite's list: {e}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let names: Vec<String> = text
            .lines()
            .skip_while(|line| !line.starts_with(heading))
            .skip(1)
            .map_while(|line| line.trim_start().strip_prefix("- "))
            .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
            .collect();
        if names.is_empty() {
            return Err(format!("the suite lists no {heading} for {}", era.version));
        }
        Ok(names)
    }

    fn command(&self) -> Command {
        let package = Path::new("@modelcontextprotocol/conformance/dist/index.js");
        self.javascript
            .node(&self.javascript.modules().join(package))
    }
}

/// Runs the suite quietly. Its report is in the files that it writes.
fn succeeds(command: &mut Command) -> Result<bool, String> {
    command.stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let status = command.status().map_err(|e| format!("the suite: {e}"))?;
    Ok(status.success())
}

/// A drop in the number of checks is a failure, too: something is no longer tested.
fn not_fewer(tally: &mut Tally, least: u64) {
    if tally.passed < least && tally.failed == 0 {
        let passed = tally.passed;
        tally.fail(format!("{passed} checks succeeded, {least} did before"));
    }
}
