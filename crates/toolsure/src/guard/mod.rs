//! `toolsure guard`: a proxy in front of a server that blocks everything that breaks a contract.
//!
//! This module has the settings ([`config`]), the reporting on a running guard ([`log`],
//! [`metrics`], [`otel`], [`audit`], [`admin`]), the shared store ([`store`]) and the order in
//! which all of it starts and ends ([`serve`], [`guards`]). `toolsure-guard` decides what may pass, and
//! `toolsure-proxy` transports it.

mod admin;
mod allocator;
mod args;
mod audit;
mod config;
mod explain_access;
mod guards;
mod log;
mod metrics;
mod options;
#[cfg(feature = "otel")]
mod otel;
#[cfg(not(feature = "otel"))]
#[path = "otel_off.rs"]
mod otel;
mod page;
mod print_config;
mod recent;
mod serve;
mod signals;
mod state;
#[cfg(feature = "valkey")]
mod store;
#[cfg(not(feature = "valkey"))]
#[path = "store_off.rs"]
mod store;
mod watch;

use std::path::{Path, PathBuf};

use toolsure_guard::translate::Translate;
use toolsure_json::{quote, shown_command, shown_url};

pub(crate) use args::GuardArgs;
use config::{Config, Environment, Server, Sources, Upstream};

use crate::exit::{Exit, Failure};
use crate::listing::Source;
use crate::render::count_of;
use crate::term::Term;

/// Runs the command.
pub(crate) fn run(args: &GuardArgs, term: &Term) -> Result<Exit, Failure> {
    if let Some(client) = args.print_config {
        return print_config(client, args, term);
    }
    let sources = sources(args, term.quiet)?;
    let config = match Config::load(&sources) {
        Ok(config) => config,
        Err(faults) => {
            term.aside(&faults.draw(term.stderr()));
            let errors = count_of(faults.len(), "error");
            return Err(Failure::usage(format!("{errors} in the settings")));
        }
    };
    if args.check_config {
        let missing = missing_program(&config).or_else(|| missing_audit_folder(&config));
        if let Some(missing) = missing {
            return Err(missing);
        }
        term.note(&summary(&config));
        return Ok(Exit::Ok);
    }
    if !args.explain_access.is_empty() {
        return explain_access::run(&args.explain_access, &config, term);
    }
    allocator::give_memory_back();
    serve::run(config, &sources)
}

/// The first upstream whose program cannot be started: there is none where it is looked for.
fn missing_program(config: &Config) -> Option<Failure> {
    config.upstreams.iter().find_map(|(name, upstream)| {
        let program = upstream.command.first()?;
        let given = upstream.env.iter().find(|(key, _)| key == "PATH");
        let paths = given
            .map(|(_, paths)| paths.into())
            .or_else(|| std::env::var_os("PATH"));
        let here = std::env::current_dir().unwrap_or_default();
        let folder = upstream
            .dir
            .as_ref()
            .map_or(here.clone(), |dir| here.join(dir));
        let error = which::which_in(program, paths, folder).err()?;
        let program = quote(program, 120);
        let failure = Failure::usage(format!(
            "upstream `{name}`: the program `{program}` cannot be started: {error}"
        ));
        Some(failure.with_help(
            "install it, or give its path in `command`; a relative path is looked for in `dir`",
        ))
    })
}

/// The folder of the audit log, if there is none: the guard makes the file only.
fn missing_audit_folder(config: &Config) -> Option<Failure> {
    let folder = config.audit.file.as_ref()?.parent()?;
    let is_there = folder.as_os_str().is_empty() || folder.is_dir();
    (!is_there).then(|| {
        let folder = folder.to_string_lossy();
        let folder = quote(&folder, 200);
        Failure::usage(format!("`audit.file`: there is no folder `{folder}`"))
    })
}

/// The server of an upstream in the settings of a guard, and its lock file: the one with this name, or the only one.
pub(crate) fn locked_upstream(
    file: &Path,
    server: Option<&str>,
    term: &Term,
) -> Result<(PathBuf, String, Source), Failure> {
    let sources = Sources {
        file: Some(file),
        environment: Environment::of_process(),
        flags: Vec::new(),
        server: Server::default(),
        makes_locks: true,
    };
    let config = Config::load(&sources).map_err(|faults| {
        term.aside(&faults.draw(term.stderr()));
        let errors = count_of(faults.len(), "error");
        Failure::usage(format!("{errors} in the settings"))
    })?;
    let locked = config.upstreams.iter();
    let locked: Vec<_> = locked
        .filter_map(|(name, upstream)| Some((name, upstream, upstream.lock.as_ref()?)))
        .collect();
    let found = match (server, locked.as_slice()) {
        (None, [only]) => Some(*only),
        (None, _) => None,
        (Some(server), all) => all.iter().copied().find(|(name, ..)| *name == server),
    };
    let (name, upstream, lock) = found.ok_or_else(|| {
        let names = locked.iter().map(|(name, ..)| format!("`{name}`"));
        let names = names.collect::<Vec<_>>().join(", ");
        Failure::usage("there is no such upstream with a `lock` in the settings").with_help(
            match locked.is_empty() {
                true => "give it one: `lock = \"tools.lock.json\"`".to_owned(),
                false => format!("choose one with `--server`: {names}"),
            },
        )
    })?;
    let peer = options::peer(name, upstream)?;
    Ok((lock.clone(), name.clone(), Source::live(name, peer)))
}

fn print_config(client: args::Client, args: &GuardArgs, term: &Term) -> Result<Exit, Failure> {
    if args.command.is_empty() && args.upstream.is_none() && args.config.is_none() {
        return Err(
            Failure::usage("there is no server to put the guard in front of")
                .with_help("give a command after `--`, `--upstream URL` or `--config FILE`"),
        );
    }
    if args.listen.is_some() {
        return Err(Failure::usage(
            "`--print-config` is for a guard that the client starts, on standard input and output",
        )
        .with_help("leave out `--listen`"));
    }
    let program = std::env::current_exe()
        .map_err(|error| Failure::usage(format!("cannot find this program: {error}")))?;
    term.write(&print_config::render(client, args, &program))?;
    Ok(Exit::Ok)
}

/// The sources of this run's settings.
fn sources(args: &GuardArgs, quiet: bool) -> Result<Sources<'_>, Failure> {
    let upstream = upstream(args)?;
    Ok(Sources {
        file: args.config.as_deref(),
        environment: Environment::of_process(),
        flags: args.overrides(quiet).map_err(Failure::usage)?,
        server: Server {
            name: args.name.clone(),
            upstream,
            lock: args.lock.clone(),
            translate: args.translate.clone(),
        },
        makes_locks: false,
    })
}

fn upstream(args: &GuardArgs) -> Result<Option<Upstream>, Failure> {
    if args.upstream.is_none() && args.command.is_empty() {
        return Ok(None);
    }
    let headers = args.headers.iter().map(|header| {
        let (name, value) = header
            .split_once(':')
            .ok_or_else(|| Failure::usage("a header is written `Name: value`"))?;
        Ok((name.trim().to_owned(), value.trim().to_owned()))
    });
    let headers = headers.collect::<Result<_, Failure>>()?;
    Ok(Some(Upstream::new(
        args.command.clone(),
        args.upstream.clone(),
        headers,
    )))
}

/// Describes a valid configuration.
fn summary(config: &Config) -> String {
    let mut text = String::from("the settings are valid");
    let scheme = match config.listen.certificate {
        Some(_) => "https",
        None => "http",
    };
    for (name, upstream) in &config.upstreams {
        let server = match &upstream.url {
            Some(url) => shown_url(url),
            None => shown_command(upstream.command.iter().map(String::as_str)),
        };
        let clients = match (upstream.listen.or(config.listen.address), &upstream.path) {
            (Some(address), Some(path)) => format!("{scheme}://{address}{path}"),
            _ => "standard input and output".to_owned(),
        };
        text.push_str(&format!("\n  {name}: {clients} -> {}", quote(&server, 120)));
        if config.merged().iter().any(|(merged, _)| merged == name) {
            let prefix = Config::prefix(name, upstream);
            text.push_str(&format!(" (names begin with `{prefix}`)"));
        }
        match upstream.translate.mode() {
            Some(Translate::LegacyClients) => text.push_str(", translated for legacy clients"),
            Some(Translate::ModernClients) => text.push_str(", translated for modern clients"),
            None => {}
        }
    }
    if let Some(store) = &config.shared.store {
        text.push_str(&format!("\n  replicas share state in {}", shown_url(store)));
    }
    text
}
