//! Turns the command line into the sources of listings, and asks for consent if a file names commands.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use clap::Args;
use toolsure_json::{quote, shown_command, shown_url};
use toolsure_proxy::{Fault, HttpTarget, Launch};

use super::config::Server;
use super::listed::{Listing, TOOLS};
use super::live::{self, Peer};
use super::saved::{self, Saved, SavedListing};
use crate::exit::Failure;
use crate::glob;
use crate::local;
use crate::term::{Term, WARNING};
use crate::yaml;

/// What to look at: a file, a server that runs, or one to start.
#[derive(Debug, Args)]
pub(crate) struct TargetArgs {
    /// URLs of Streamable HTTP servers, and JSON files with saved listings or `mcpServers`; a folder
    /// or pattern (`servers/**/*.json`) stands for its files, `-` for standard input
    #[arg(value_name = "URL|FILE", conflicts_with_all = ["command", "demo"])]
    pub(crate) targets: Vec<String>,

    /// The command that starts a server on standard input and output
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "demo")]
    pub(crate) command: Vec<OsString>,

    /// Use the built-in demonstration server
    #[arg(long)]
    pub(crate) demo: bool,

    /// Use only this server of an `mcpServers` file; may be repeated
    #[arg(long = "server", value_name = "NAME")]
    pub(crate) servers: Vec<String>,

    /// Start the commands in an `mcpServers` file without asking
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// Add a header to every HTTP request; may be repeated
    #[arg(long = "header", short = 'H', value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<String>,

    /// Time limit for each server, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub(crate) timeout: Duration,

    /// Open servers with `initialize` alone, for those that do not survive a `server/discover`
    #[arg(long)]
    pub(crate) no_probe: bool,

    /// Maximum size of each file, in bytes or with a unit (`100MiB`), at most 1 GiB
    #[arg(long, value_name = "N", default_value = "1GiB", value_parser = local::bytes)]
    pub(crate) max_file_bytes: usize,
}

/// One source of a listing.
#[derive(Debug)]
pub(crate) enum Source {
    Live {
        target: String,
        peer: Box<Peer>,
        /// For a server of a configuration: its name (untrusted), and the place that names it.
        entry: Option<(String, (String, usize))>,
    },
    File(Box<SavedListing>),
    /// One of several files, which cannot be read; the others are. The name is escaped.
    Unreadable {
        target: String,
        failure: Failure,
    },
}

impl Source {
    /// A server that is not named on the command line; the name is not escaped.
    pub(crate) fn live(name: &str, peer: Peer) -> Self {
        Self::Live {
            target: quote(name, 120).to_string(),
            peer: Box::new(peer),
            entry: None,
        }
    }

    /// Reads it with its other lists, and what it lists for other clients: to clients with capabilities it may list
    /// more, or something else, and to those of an older version, if it speaks 2026-07-28 too. What a guard may
    /// meet is in one of them.
    pub(crate) fn read_for_all(
        self,
        args: &TargetArgs,
        term: &Term,
    ) -> Result<(Listing, Vec<Listing>), Failure> {
        let again = match &self {
            Self::Live { target, peer, .. } => Some((target.clone(), peer.clone())),
            _ => None,
        };
        let listing = self.read(args, true, term)?;
        let server = listing.server.as_ref();
        let is_modern = server.is_some_and(|server| server.era() == "modern");
        let Some((target, peer)) = again.filter(|_| listing.fault.is_none()) else {
            return Ok((listing, Vec::new()));
        };
        let mut others = Vec::new();
        for (is_capable, is_older) in [(true, false), (false, true), (true, true)] {
            if is_older && !is_modern {
                continue;
            }
            let timeout = if is_older {
                args.timeout.min(OLDER)
            } else {
                args.timeout
            };
            let mut options = live::options(timeout, !is_older && !args.no_probe);
            if is_capable {
                CAPABILITIES.clone_into(&mut options.capabilities);
            }
            let other = live::read(target.clone(), (*peer).clone(), options, !is_older, term)?;
            match &other.fault {
                None => others.push(other),
                Some(fault) if !is_older => term.aside(&format!(
                    "{WARNING}note{WARNING:#}: {target}: what it lists to clients with capabilities cannot be read: {fault}\n"
                )),
                // It need not speak an older version.
                Some(_) => {}
            }
        }
        Ok((listing, others))
    }

    /// Reads it; opens a server for that. With `all_lists`, reads its other lists too.
    pub(crate) fn read(
        self,
        args: &TargetArgs,
        all_lists: bool,
        term: &Term,
    ) -> Result<Listing, Failure> {
        match self {
            Self::Live {
                target,
                peer,
                entry,
            } => {
                let options = live::options(args.timeout, !args.no_probe);
                let mut listing = live::read(target, *peer, options, all_lists, term)?;
                (listing.key, listing.named_at) = entry.unzip();
                Ok(listing)
            }
            Self::File(listing) => {
                let mut listing = listing.into_listing();
                listing
                    .pages
                    .retain(|page| all_lists || page.method == TOOLS);
                Ok(listing)
            }
            Self::Unreadable { target, failure } => {
                let fault = Fault::config(failure.message, failure.help);
                Ok(Listing::failed(target, fault))
            }
        }
    }
}

/// The sources that the command line names.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    pub(crate) sources: Vec<Source>,
    /// The servers of configurations that are left out.
    pub(crate) skipped: Vec<Skipped>,
}

/// A server of a configuration that is not opened.
#[derive(Debug)]
pub(crate) struct Skipped {
    /// Its name in the file: untrusted, not escaped.
    pub(crate) server: String,
    /// Why, in a few words; escaped.
    pub(crate) reason: String,
    /// The file that names it, escaped, and the line.
    pub(crate) named_at: (String, usize),
}

/// Finds the sources that the command line names.
pub(crate) fn sources(args: &TargetArgs, term: &Term) -> Result<Sources, Failure> {
    if !args.headers.is_empty() && !args.targets.iter().any(|target| is_url(target)) {
        return Err(Failure::usage("`--header` is for a URL"));
    }
    if args.demo {
        return demo().map(Sources::of_one);
    }
    if args.targets.is_empty() && args.command.is_empty() {
        return Err(
            Failure::usage("there is no server and no listing to look at").with_help(
                "give the URL of a server, its command after `--`, a saved listing, or `--demo`",
            ),
        );
    }
    if args.targets.is_empty() {
        return child(&args.command).map(Sources::of_one);
    }
    let mut sources = Vec::new();
    let mut servers = Vec::new();
    for target in &args.targets {
        if is_url(target) {
            sources.push(http(target, &args.headers)?);
            continue;
        }
        let (files, found_by_us) = expand(target)?;
        let before = sources.len().saturating_add(servers.len());
        let is_one_of_several = found_by_us || args.targets.len() > 1;
        for path in files {
            let found = match read(&path, args.max_file_bytes, found_by_us, term) {
                Err(failure) if is_one_of_several => {
                    let target = saved::shown_name(&path);
                    sources.push(Source::Unreadable { target, failure });
                    continue;
                }
                found => found?,
            };
            match found {
                None => {}
                Some(Saved::Listing(_)) if !args.servers.is_empty() && !found_by_us => {
                    return Err(Failure::usage("`--server` is for an `mcpServers` file"));
                }
                Some(Saved::Listing(listing)) => sources.push(Source::File(listing)),
                Some(Saved::Listings(listings)) => {
                    let wanted = |listing: &SavedListing| {
                        let key = listing.key.as_ref();
                        args.servers.is_empty() || key.is_some_and(|key| args.servers.contains(key))
                    };
                    let listings = listings.into_iter().filter(wanted);
                    sources.extend(listings.map(|one| Source::File(Box::new(one))));
                }
                Some(Saved::Servers(found)) => servers.extend(found),
            }
        }
        if before == sources.len().saturating_add(servers.len()) && found_by_us {
            let target = quote(target, 200);
            return Err(Failure::usage(format!(
                "there is no listing and no configuration in `{target}`"
            )));
        }
    }
    let mut skipped = Vec::new();
    if !servers.is_empty() || sources.is_empty() {
        let chosen = choose(servers, args, term)?;
        sources.extend(chosen.sources);
        skipped = chosen.skipped;
    }
    Ok(Sources { sources, skipped })
}

impl Sources {
    fn of_one(source: Source) -> Self {
        Self {
            sources: vec![source],
            skipped: Vec::new(),
        }
    }
}

/// Expands a target to files. The flag is true if they were found, not named.
fn expand(target: &str) -> Result<(Vec<String>, bool), Failure> {
    let is_folder = Path::new(target).is_dir();
    let readable = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
            || (!is_folder && yaml::is_yaml(path) && yaml::is_yaml(Path::new(target)))
    };
    match glob::expand(target, readable)? {
        None => Ok((vec![target.to_owned()], false)),
        Some(found) => {
            let found = found.into_iter().map(|path| path.display().to_string());
            Ok((found.collect(), true))
        }
    }
}

/// Reads a file. `None` if it was found, not named, and contains something else.
fn read(path: &str, most: usize, found_by_us: bool, term: &Term) -> Result<Option<Saved>, Failure> {
    match saved::read(path, most, term) {
        Err(failure) if found_by_us && failure.message.ends_with(saved::NOTHING) => Ok(None),
        read => read.map(Some),
    }
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
        target: shown_url(url),
        peer: Box::new(Peer::Http(target)),
        entry: None,
    })
}

fn child(command: &[OsString]) -> Result<Source, Failure> {
    let [program, args @ ..] = command else {
        return Err(Failure::usage("no command after `--`"));
    };
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    let launch = Launch::new(program).args(args);
    Ok(Source::Live {
        target: quote(&shown_command(words.iter().map(AsRef::as_ref)), 120).to_string(),
        peer: Box::new(Peer::Child(launch)),
        entry: None,
    })
}

fn demo() -> Result<Source, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage(format!("cannot find this program: {error}")))?;
    let launch = Launch::new(program).arg("serve-demo");
    Ok(Source::Live {
        target: "toolsure serve-demo".to_owned(),
        peer: Box::new(Peer::Child(launch)),
        entry: None,
    })
}

/// Selects the requested servers, and asks before commands from a file are started. A server that
/// was requested by name is opened even if the file disables it.
fn choose(servers: Vec<Server>, args: &TargetArgs, term: &Term) -> Result<Sources, Failure> {
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
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    for server in servers {
        let is_named = args.servers.contains(&server.name);
        if !is_named && !args.servers.is_empty() {
            continue;
        }
        let reason = match (&server.disabled, &server.peer) {
            (Some(member), _) if !is_named => format!("is disabled (`{member}`)"),
            (_, Ok(_)) => {
                chosen.push(server);
                continue;
            }
            (_, Err(reason)) if is_named => {
                let name = quote(&server.name, 60);
                return Err(Failure::usage(format!("server `{name}`: {reason}")));
            }
            (_, Err(reason)) => reason.clone(),
        };
        skipped.push(Skipped {
            server: server.name,
            reason,
            named_at: server.named_at,
        });
    }
    match skipped.as_slice() {
        _ if !chosen.is_empty() => {}
        [] => return Err(Failure::usage("the file names no server")),
        skipped => {
            let each: Vec<String> = skipped.iter().map(Skipped::to_string).collect();
            return Err(Failure::usage(each.join("; ")));
        }
    }
    consent(&chosen, args.yes, term)?;
    for skipped in &skipped {
        term.aside(&format!(
            "{WARNING}note{WARNING:#}: {skipped}; it is skipped\n"
        ));
    }
    let sources = chosen.into_iter().filter_map(|server| {
        Some(Source::Live {
            target: quote(&server.name, 60).to_string(),
            peer: Box::new(server.peer.ok()?),
            entry: Some((server.name, server.named_at)),
        })
    });
    Ok(Sources {
        sources: sources.collect(),
        skipped,
    })
}

impl std::fmt::Display for Skipped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = quote(&self.server, 60);
        let reason = &self.reason;
        match reason.starts_with("is ") {
            true => write!(f, "server `{name}` {reason}"),
            false => write!(f, "server `{name}`: {reason}"),
        }
    }
}

/// Extensions of the files that are read in folders.
const EXTENSIONS: [&str; 2] = ["json", "jsonc"];

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

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| "not a number of seconds".to_owned())?;
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|duration| (SHORTEST..=LONGEST).contains(duration))
        .ok_or_else(|| "must be from 0.1 to 3600 seconds".to_owned())
}

/// The shortest and the longest `--timeout`.
const SHORTEST: Duration = Duration::from_millis(100);
const LONGEST: Duration = Duration::from_secs(3600);

/// The capabilities of clients that servers look at when they list tools.
const CAPABILITIES: &str = r#"{"roots":{"listChanged":true},"sampling":{"tools":{},"context":{}},"elicitation":{"form":{},"url":{}},"tasks":{"list":{},"cancel":{},"requests":{"sampling":{"createMessage":{}},"elicitation":{"create":{}}}},"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}"#;
/// How long a server may take to open in an older version, which it need not speak.
const OLDER: Duration = Duration::from_secs(10);
