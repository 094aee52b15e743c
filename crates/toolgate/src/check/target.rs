//! From the command line to what is to be checked, with consent where a file names commands.

use std::ffi::OsString;
use std::time::Duration;

use toolgate_json::quote;
use toolgate_proxy::{Fault, HttpTarget, Launch};

use super::TargetArgs;
use super::config::Server;
use super::live::{self, Peer};
use super::report::Report;
use super::saved::{self, Listing, Saved};
use crate::compilers::Compilers;
use crate::exit::Failure;
use crate::term::Term;

/// One thing to check.
#[derive(Debug)]
pub(crate) enum Source {
    Live { target: String, peer: Box<Peer> },
    Listing(Box<Listing>),
}

impl Source {
    pub(crate) fn check(
        self,
        timeout: Duration,
        compilers: &Compilers,
        term: &Term,
    ) -> Result<Report, Failure> {
        match self {
            Self::Live { target, peer } => live::check(target, *peer, timeout, compilers, term),
            Self::Listing(listing) => Ok(listing.check(compilers, term)),
        }
    }
}

/// Everything that the command line names.
pub(crate) fn sources(args: &TargetArgs, term: &Term) -> Result<Vec<Source>, Failure> {
    let url = args.target.as_deref().filter(|target| is_url(target));
    if url.is_none() && !args.headers.is_empty() {
        return Err(Failure::usage("`--header` is for a URL"));
    }
    if let Some(url) = url {
        return Ok(vec![http(url, &args.headers)?]);
    }
    if let Some(path) = &args.target {
        return match saved::read(path)? {
            Saved::Listing(_) if !args.servers.is_empty() => {
                Err(Failure::usage("`--server` is for an `mcpServers` file"))
            }
            Saved::Listing(listing) => Ok(vec![Source::Listing(listing)]),
            Saved::Servers(servers) => choose(servers, args, term),
        };
    }
    if args.demo {
        return demo().map(|source| vec![source]);
    }
    child(&args.command).map(|source| vec![source])
}

fn is_url(target: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| {
        target
            .get(..scheme.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(scheme))
    })
}

fn http(url: &str, headers: &[String]) -> Result<Source, Failure> {
    let mut target = HttpTarget::new(url).map_err(|fault| usage(&fault))?;
    for header in headers {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| Failure::usage("a header is written `Name: value`"))?;
        target = target
            .header(name.trim(), value.trim())
            .map_err(|fault| usage(&fault))?;
    }
    Ok(Source::Live {
        target: quote(url, 120).to_string(),
        peer: Box::new(Peer::Http(target)),
    })
}

fn child(command: &[OsString]) -> Result<Source, Failure> {
    let [program, args @ ..] = command else {
        return Err(Failure::usage("no command after `--`"));
    };
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let launch = Launch::new(program).args(args);
    Ok(Source::Live {
        target: quote(&words.join(" "), 120).to_string(),
        peer: Box::new(Peer::Child(launch)),
    })
}

fn demo() -> Result<Source, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage(format!("cannot find this program: {error}")))?;
    let launch = Launch::new(program).arg("serve-demo");
    Ok(Source::Live {
        target: "toolgate serve-demo".to_owned(),
        peer: Box::new(Peer::Child(launch)),
    })
}

/// Takes the servers that were asked for, and asks before commands from a file are started.
fn choose(servers: Vec<Server>, args: &TargetArgs, term: &Term) -> Result<Vec<Source>, Failure> {
    let known = servers
        .iter()
        .map(|server| format!("`{}`", quote(&server.name, 60)))
        .collect::<Vec<_>>()
        .join(", ");
    for wanted in &args.servers {
        if !servers.iter().any(|server| server.name == *wanted) {
            let message = format!("there is no server `{}` in the file", quote(wanted, 60));
            return Err(Failure::usage(message).with_help(format!(
                "it names {}",
                if known.is_empty() { "none" } else { &known }
            )));
        }
    }
    let chosen: Vec<Server> = servers
        .into_iter()
        .filter(|server| args.servers.is_empty() || args.servers.contains(&server.name))
        .collect();
    if chosen.is_empty() {
        return Err(Failure::usage("the file names no server"));
    }
    consent(&chosen, args.yes, term)?;
    chosen
        .into_iter()
        .map(|server| {
            let name = quote(&server.name, 60).to_string();
            let peer = server
                .peer
                .map_err(|reason| Failure::usage(format!("server `{name}`: {reason}")))?;
            Ok(Source::Live {
                target: name,
                peer: Box::new(peer),
            })
        })
        .collect()
}

fn consent(servers: &[Server], yes: bool, term: &Term) -> Result<(), Failure> {
    let commands: Vec<String> = servers
        .iter()
        .filter_map(|server| {
            server
                .command
                .as_ref()
                .map(|command| format!("  {}: {command}", quote(&server.name, 60)))
        })
        .collect();
    if yes || commands.is_empty() {
        return Ok(());
    }
    let list = commands.join("\n");
    match term.ask(&format!("the file would start:\n{list}\nstart?")) {
        Some(true) => Ok(()),
        Some(false) => Err(Failure::usage("nothing was started")),
        None => Err(Failure::usage(format!(
            "the file would start commands, and there is no terminal to ask on:\n{list}"
        ))
        .with_help("add `--yes` if you trust the file")),
    }
}

fn usage(fault: &Fault) -> Failure {
    let failure = Failure::usage(fault.to_string());
    match fault.help() {
        Some(help) => failure.with_help(help),
        None => failure,
    }
}
