//! `toolsure lock review`: compares servers with their lock file, and leaves a candidate beside it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;
use toolsure_analysis::diff::{Differ, Kind};
use toolsure_guard::policy::ChangeClass;
use toolsure_json::quote;

use crate::compilers::{Compilers, FetchArgs};
use crate::diff::{Sides, approval_word, human, json, markdown};
use crate::exit::{Exit, Failure};
use crate::guard::locked_upstream;
use crate::listing::{self, Skipped, TargetArgs, WithOthers, exit_of};
use crate::locked::{
    Candidate, Comparison, LockFile, LockedServer, candidate_of, compare, digest, shown,
    texts_beyond,
};
use crate::policy::Remarks;
use crate::render::{count, hang};
use crate::settings::{Asserted, SchemaArgs};
use crate::term::{BOLD, DIM, Term, WARNING};

/// Compare servers with their lock file, show what changed, and leave a candidate for approval
///
/// The candidate is beside the lock file: `tools.lock.candidate.json` for `tools.lock.json`. Without a lock
/// file, everything is new.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct ReviewArgs {
    /// The lock file; the first `approve` creates it
    #[arg(value_name = "LOCK")]
    lock: Option<PathBuf>,

    #[command(flatten)]
    target: TargetArgs,

    /// Take the server, its environment and headers, and the lock file from the settings of a guard
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lock", "command", "demo"])]
    config: Option<PathBuf>,

    /// Output format
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    schemas: SchemaArgs<Asserted>,

    #[command(flatten)]
    fetch: FetchArgs,
}

/// How to print what changed.
#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
enum Format {
    /// Text for people
    Human,
    /// The JSON document of `toolsure diff`
    Json,
    /// Markdown, for a comment on a pull request
    Markdown,
}

pub(super) fn run(args: &ReviewArgs, term: &Term) -> Result<Exit, Failure> {
    let compilers = Compilers::new(args.schemas.compiler_with_documents()?, &args.fetch)?;
    let (path, listings, skipped) = listings(args, &compilers, term)?;
    let (lock, base) = LockFile::read_or_empty(&path)?;
    if lock.candidate.is_some() {
        return Err(Failure::usage(format!(
            "`{}` is a candidate, not a lock file",
            shown(&path)
        )));
    }
    let candidate_path = candidate_of(&path);
    let differ = Differ::new().compiler(compilers.compiler());
    let (mut exit, mut faults) = (Exit::Ok, Vec::new());
    let mut candidate = LockFile::default();
    let mut compared = BTreeMap::new();
    for (listing, others) in &listings {
        if let Some(fault) = &listing.fault {
            faults.push(format!("{}: {fault}", listing.target));
            exit = exit.worst(exit_of(fault.kind()));
            continue;
        }
        let key = lock.key_of(listing.key.as_deref());
        let (mut new, left_out) = LockedServer::of(listing, others)?;
        for why in left_out {
            term.aside(&format!(
                "{WARNING}note{WARNING:#}: {}: {why}\n",
                listing.target
            ));
        }
        let old = lock.servers.get(&key);
        new.may_change = None;
        let Comparison { report, also } = compare(old, &new, &differ)?;
        let sides = Sides {
            report,
            server: key.as_ref().map(|key| quote(key, 60).to_string()),
            old: shown(&path),
            new: listing.target.clone(),
            old_file: None,
            new_file: None,
        };
        compared.insert(key.clone(), (sides, also));
        candidate.servers.insert(key, new);
    }
    if args.target.servers.is_empty() && args.config.is_none() {
        // A server of the lock file that nobody names any more.
        let named: Vec<_> = listings
            .iter()
            .map(|(listing, _)| listing.key.as_ref())
            .collect();
        for (key, old) in &lock.servers {
            let is_there = key.is_none()
                || named.contains(&key.as_ref())
                || candidate.servers.contains_key(key)
                || skipped
                    .iter()
                    .any(|skipped| Some(&skipped.server) == key.as_ref());
            if is_there {
                continue;
            }
            let new = LockedServer::default();
            let Comparison { report, also } = compare(Some(old), &new, &differ)?;
            let sides = Sides {
                report,
                server: key.as_ref().map(|key| quote(key, 60).to_string()),
                old: shown(&path),
                new: "(gone)".to_owned(),
                old_file: None,
                new_file: None,
            };
            compared.insert(key.clone(), (sides, also));
            candidate.servers.insert(key.clone(), new);
        }
    }
    // In the order of the candidate's servers.
    let (pairs, hidden): (Vec<Sides>, Vec<_>) = compared.into_values().unzip();
    let changed = pairs.iter().any(|sides| sides.report.class().is_some());
    let columns = term.stdout().columns;
    let mut texts = Vec::new();
    // Whoever approves has seen the texts only if all of them were printed.
    let has_shown_texts = args.format == Format::Human && !term.quiet;
    let mut not_shown = Vec::new();
    for ((key, server), sides) in candidate.servers.iter().zip(&pairs) {
        let (text, cut) = texts_of(lock.servers.get(key), server, sides, columns);
        texts.push(text);
        not_shown.extend(cut);
    }
    candidate.candidate = Some(Candidate {
        lock: path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        base,
        has_shown_texts,
        not_shown,
    });
    if changed {
        candidate.write(&candidate_path)?;
        exit = exit.worst(Exit::Invalid);
    } else if faults.is_empty() {
        // What an earlier review left has become untrue.
        match std::fs::remove_file(&candidate_path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                let name = shown(&candidate_path);
                return Err(Failure::usage(format!("cannot remove `{name}`: {error}")));
            }
            _ => {}
        }
    }
    for message in &faults {
        term.failure(&Failure {
            exit,
            message: message.clone(),
            help: None,
        });
    }
    match args.format {
        Format::Human => {
            let mut number = 0_usize;
            for (sides, texts) in pairs.iter().zip(&texts) {
                term.write(&human::numbered(sides, &mut number, columns))?;
                if !term.quiet {
                    term.write(texts)?;
                }
            }
        }
        Format::Json => {
            let remarks = Remarks::default();
            term.write_bytes(json::render(&pairs, &faults, &remarks, exit, false).as_bytes())?;
        }
        Format::Markdown => term.write_bytes(markdown::render(&pairs).as_bytes())?,
    }
    if changed {
        term.note(&format!(
            "tools by what changed in them: {}",
            by_class(&pairs, &hidden)
        ));
        term.note(&format!(
            "approve with `toolsure lock approve {0}` in a terminal, or anywhere with `toolsure lock approve {0} --all`, `--class`, `--new` or `--gone` (both for what is renamed); reject with `toolsure lock reject {0}`",
            shown(&candidate_path)
        ));
    }
    Ok(exit)
}

/// The lock file, and the listings to compare with it.
fn listings(
    args: &ReviewArgs,
    compilers: &Compilers,
    term: &Term,
) -> Result<(PathBuf, Vec<WithOthers>, Vec<Skipped>), Failure> {
    if let Some(config) = &args.config {
        let server = match args.target.servers.as_slice() {
            [] => None,
            [server] => Some(server.as_str()),
            _ => return Err(Failure::usage("`--config` takes one `--server`")),
        };
        let (lock, name, source) = locked_upstream(config, server, term)?;
        let mut all = source.read_for_all(&args.target, term)?;
        all.0.key = Some(name);
        return Ok((lock, vec![all], Vec::new()));
    }
    let lock = args.lock.as_deref();
    let lock =
        lock.ok_or_else(|| Failure::usage("`lock review` needs a lock file, or `--config`"))?;
    let (listings, skipped) = listing::all_lists(&args.target, compilers, term)?;
    Ok((lock.to_owned(), listings, skipped))
}

/// How many tools have a change of each class, by the words of `approve`.
fn by_class(pairs: &[Sides], hidden: &[BTreeMap<String, Vec<ChangeClass>>]) -> String {
    let mut number_of: BTreeMap<&str, usize> = BTreeMap::new();
    let tools = pairs.iter().zip(hidden);
    let tools =
        tools.flat_map(|(sides, also)| sides.report.tools.iter().map(move |tool| (tool, also)));
    for (tool, also) in tools {
        let words = tool.changes.iter().map(approval_word);
        let also = also
            .get(&tool.name)
            .into_iter()
            .flatten()
            .map(|class| class.name());
        for word in words.chain(also).collect::<BTreeSet<_>>() {
            let number = number_of.entry(word).or_default();
            *number = number.saturating_add(1);
        }
    }
    let numbers = number_of
        .iter()
        .map(|(word, number)| format!("{number} {word}"));
    numbers.collect::<Vec<_>>().join(", ")
}

/// New definitions, and the texts of others that the old ones do not have; and the definitions that are too long to be shown.
fn texts_of(
    old: Option<&LockedServer>,
    new: &LockedServer,
    sides: &Sides,
    columns: Option<usize>,
) -> (String, Vec<String>) {
    let (mut out, mut cut) = (String::new(), Vec::new());
    for tool in &sides.report.tools {
        let changes = tool.changes.iter();
        let is_there = |kind| matches!(kind, Kind::ToolRemoved | Kind::ToolNotListed);
        if changes.clone().any(|change| is_there(change.kind)) {
            continue;
        }
        let name = match changes
            .clone()
            .any(|change| change.kind == Kind::ToolRenamed)
        {
            true => new.definitions.keys().nth(tool.index).unwrap_or(&tool.name),
            false => &tool.name,
        };
        let Some(definition) = new.definitions.get(name) else {
            continue;
        };
        let mut line = |text: &str| {
            let _ = writeln!(out, "{}", hang(text, columns));
        };
        let rejected = old
            .and_then(|old| old.rejected.get(name))
            .is_some_and(|rejected| {
                digest(definition).is_some_and(|digest| rejected.contains(&digest.to_string()))
            });
        let before = old.and_then(|old| old.definitions.get(&tool.name));
        let is_long = definition.len() > DEFINITION_BYTES;
        cut.extend(is_long.then(|| name.clone()));
        let name = quote(name, 80);
        if rejected {
            line(&format!(
                "{BOLD}{name}{BOLD:#}: this definition was rejected"
            ));
        }
        if is_long {
            line(&format!(
                "{BOLD}{name}{BOLD:#}: more than 1 MiB, which is not shown and cannot be approved"
            ));
            continue;
        }
        let Some(before) = before else {
            line(&format!("{BOLD}{name}{BOLD:#}: the definition"));
            let value: Option<Value> = serde_json::from_str(definition).ok();
            let text = value.map_or_else(|| definition.clone(), |value| format!("{value:#}"));
            for part in text.lines() {
                line(&format!(
                    "    {DIM}{}{DIM:#}",
                    quote(part, DEFINITION_BYTES)
                ));
            }
            continue;
        };
        let found = texts_beyond(Some(before), definition);
        if found.is_empty() {
            continue;
        }
        let texts = count(u64::try_from(found.len()).unwrap_or(u64::MAX), "new text");
        line(&format!("{BOLD}{name}{BOLD:#}: {texts}"));
        for text in &found {
            line(&format!(
                "    {DIM}{}{DIM:#}",
                quote(text, DEFINITION_BYTES)
            ));
        }
    }
    (out, cut)
}

/// Maximum bytes of a definition that is shown whole.
const DEFINITION_BYTES: usize = 1 << 20;

const AFTER_HELP: &str = "\
Examples:
  toolsure lock review tools.lock.json -- npx -y some-server
  toolsure lock review --config toolsure.toml --server files
  toolsure lock review tools.lock.json new-listing.json --format markdown

Exit codes, the first that applies to a server or file:
  2  wrong usage, or a file that cannot be read or written
  3  the server requires authorization
  4  the server cannot be reached, died, did not answer or sent invalid messages
  1  something changed
  0  nothing changed";
