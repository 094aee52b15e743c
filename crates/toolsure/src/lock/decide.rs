//! `toolsure lock approve` and `reject`: what becomes of a candidate.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use toolsure_analysis::diff::{Change, Differ, Kind, ToolChange};
use toolsure_guard::policy::{ChangeClass, name_matches};
use toolsure_json::quote;

use super::tool_change::{flag_of, has_texts, lacking, new_name, put};
use crate::diff::{Sides, human};
use crate::exit::{Exit, Failure};
use crate::locked::{
    Candidate, Comparison, LockFile, LockedServer, approval, compare, digest, own_name, shown,
};
use crate::policy::Date;
use crate::render::count_of;
use crate::settings::{Asserted, SchemaArgs};
use crate::term::Term;

/// Approve definitions of a candidate: they become those of the lock file
///
/// A tool is approved if all that changed in it is. Without flags that choose, it asks for each group of
/// changes on a terminal.
#[derive(Debug, Args)]
#[command(after_help = APPROVE_HELP)]
pub(super) struct ApproveArgs {
    /// What `toolsure lock review` wrote
    candidate: PathBuf,

    /// Approve changes of this class; may be repeated or separated by commas
    #[arg(long = "class", value_name = "CLASS", value_delimiter = ',', value_parser = classes())]
    classes: Vec<ChangeClass>,

    /// Approve this group of changes, by its number in the review; may be repeated
    #[arg(long = "group", value_name = "N", value_delimiter = ',')]
    groups: Vec<usize>,

    /// Approve tools that the lock file does not have
    #[arg(long)]
    new: bool,

    /// Approve that tools are gone: they leave the lock file
    #[arg(long)]
    gone: bool,

    /// Let a place change without approval from now on, such as `get_time:/_meta/builtAt`, or a part of a
    /// text: `get_time:/description: The zone is *`; may be repeated
    #[arg(long, value_name = "TOOL:/PLACE")]
    may_change: Vec<String>,

    /// Approve all changes
    #[arg(long, conflicts_with_all = ["classes", "groups", "new", "gone"])]
    all: bool,

    #[command(flatten)]
    which: Which,

    /// Who approves [default: `$USER`]
    #[arg(long, value_name = "NAME")]
    by: Option<String>,

    /// Why, for those who read the lock file
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,

    #[command(flatten)]
    schemas: SchemaArgs<Asserted>,
}

/// Reject definitions of a candidate: a guard refuses them, and does not ask for approval
#[derive(Debug, Args)]
pub(super) struct RejectArgs {
    /// What `toolsure lock review` wrote
    candidate: PathBuf,

    #[command(flatten)]
    which: Which,

    #[command(flatten)]
    schemas: SchemaArgs<Asserted>,
}

/// Which tools a decision is about.
#[derive(Debug, Args)]
struct Which {
    /// Only tools with such a name, in which `*` stands for any characters; may be repeated
    #[arg(long = "tool", value_name = "PATTERN")]
    tools: Vec<String>,

    /// Only this server of a candidate for several; may be repeated
    #[arg(long = "server", value_name = "NAME")]
    servers: Vec<String>,
}

impl Which {
    fn has_server(&self, key: Option<&String>) -> bool {
        self.servers.is_empty() || key.is_some_and(|key| self.servers.contains(key))
    }

    fn has_tool(&self, name: &str) -> bool {
        let mut patterns = self.tools.iter();
        let name = own_name(name);
        self.tools.is_empty() || patterns.any(|pattern| name_matches(pattern, name))
    }
}

fn classes() -> impl clap::builder::TypedValueParser<Value = ChangeClass> {
    use clap::builder::{PossibleValuesParser, TypedValueParser as _};
    let words = ChangeClass::ALL
        .iter()
        .filter(|class| **class != ChangeClass::New);
    PossibleValuesParser::new(words.map(|class| class.name())).map(|word| {
        let mut all = ChangeClass::ALL.into_iter();
        all.find(|class| class.name() == word)
            .unwrap_or(ChangeClass::Other)
    })
}

/// A candidate, and the lock file that it is for.
struct Open {
    path: PathBuf,
    lock_path: PathBuf,
    candidate: LockFile,
    reviewed: Candidate,
    lock: LockFile,
    differ: Differ,
}

impl Open {
    fn read(path: &Path, schemas: &SchemaArgs<Asserted>) -> Result<Self, Failure> {
        let written_by = "`toolsure lock review` writes one, if something changed";
        let (candidate, _) = LockFile::read(path).map_err(|failure| match path.exists() {
            true => failure,
            false => failure.with_help(written_by),
        })?;
        let reviewed = candidate.candidate.clone().ok_or_else(|| {
            Failure::usage(format!("`{}` is no candidate", shown(path))).with_help(written_by)
        })?;
        let lock_path = path.with_file_name(&reviewed.lock);
        let (lock, base) = LockFile::read_or_empty(&lock_path)?;
        if base != reviewed.base {
            return Err(Failure::usage(format!(
                "`{}` is not the lock file that was compared with this candidate",
                shown(&lock_path)
            ))
            .with_help("review again: `toolsure lock review`"));
        }
        Ok(Self {
            path: path.to_owned(),
            lock_path,
            candidate,
            reviewed,
            lock,
            differ: Differ::new().compiler(schemas.compiler_with_documents()?),
        })
    }

    /// Lets places change from now on, in the servers that the decision is about.
    fn let_change(&mut self, args: &ApproveArgs) -> Result<(), Failure> {
        if args.may_change.is_empty() {
            return Ok(());
        }
        let by = args.by.clone().or_else(user);
        let at = Date::today().to_string();
        for (key, new) in &self.candidate.servers {
            if !args.which.has_server(key.as_ref()) {
                continue;
            }
            let is_first = !self.lock.servers.contains_key(key);
            let lock = self.lock.servers.entry(key.clone()).or_default();
            if is_first {
                lock.pins.clone_from(&new.pins);
            }
            lock.let_change(&args.may_change)?;
            let who = (by.as_deref(), args.note.as_deref());
            lock.approvals
                .push(approval(&at, who, &[], &args.may_change));
        }
        Ok(())
    }

    /// Moves what is approved to the lock file, and notes who approved it.
    fn store(&mut self, approved: &[Approved], args: &ApproveArgs) {
        let by = args.by.clone().or_else(user);
        let at = Date::today().to_string();
        let keys: BTreeSet<&Option<String>> = approved.iter().map(|(key, _)| key).collect();
        for key in keys {
            let Some(new) = self.candidate.servers.get(key) else {
                continue;
            };
            let is_first = !self.lock.servers.contains_key(key);
            let lock = self.lock.servers.entry(key.clone()).or_default();
            let mut names = Vec::new();
            for (_, tool) in approved.iter().filter(|(its, _)| its == key) {
                put(lock, tool, new);
                names.push(tool.name.clone());
            }
            if is_first {
                lock.pins.clone_from(&new.pins);
            }
            lock.protocol.clone_from(&new.protocol);
            lock.server.clone_from(&new.server);
            let who = (by.as_deref(), args.note.as_deref());
            lock.approvals.push(approval(&at, who, &names, &[]));
        }
    }

    /// What changed in each server, by its name.
    fn reports(&self) -> Result<Vec<(Option<String>, Comparison)>, Failure> {
        let report = |(key, new): (&Option<String>, &LockedServer)| {
            let report = compare(self.lock.servers.get(key), new, &self.differ)?;
            Ok((key.clone(), report))
        };
        self.candidate.servers.iter().map(report).collect()
    }

    /// Writes the lock file, and what of the candidate is not decided.
    fn write(mut self) -> Result<usize, Failure> {
        self.lock.write(&self.lock_path)?;
        let (_, base) = LockFile::read_or_empty(&self.lock_path)?;
        let mut left = 0_usize;
        for (key, Comparison { report, .. }) in self.reports()? {
            let (lock, new) = (
                self.lock.servers.get(&key),
                self.candidate.servers.get(&key),
            );
            let is_left = |tool: &&ToolChange| {
                let name = new.map_or(&tool.name, |new| new_name(tool, new));
                let definition = new.and_then(|new| new.definitions.get(name));
                let rejected = lock.and_then(|lock| lock.rejected.get(name));
                let digest = definition
                    .and_then(|text| digest(text))
                    .map(|digest| digest.to_string());
                !rejected
                    .zip(digest)
                    .is_some_and(|(all, digest)| all.contains(&digest))
            };
            left = left.saturating_add(report.tools.iter().filter(is_left).count());
        }
        if left == 0 {
            let name = shown(&self.path);
            std::fs::remove_file(&self.path)
                .map_err(|error| Failure::usage(format!("cannot remove `{name}`: {error}")))?;
            return Ok(0);
        }
        self.candidate.candidate = Some(Candidate {
            base,
            ..self.reviewed
        });
        self.candidate.write(&self.path)?;
        Ok(left)
    }
}

/// A definition that is approved: its server, and what changed in it.
type Approved = (Option<String>, ToolChange);

pub(super) fn approve(args: &ApproveArgs, term: &Term) -> Result<Exit, Failure> {
    let mut open = Open::read(&args.candidate, &args.schemas)?;
    open.let_change(args)?;
    let Chosen { approved, missing } = choose(&open, args, term)?;
    if approved.is_empty() && args.may_change.is_empty() {
        let nothing = format!("nothing of `{}` was approved", shown(&open.path));
        let message = match missing.is_empty() {
            true => nothing,
            false => format!("{nothing}: {}", missing.join("; ")),
        };
        return Err(Failure::usage(message)
            .with_help("a tool is approved if all of its changes are: `--all` with `--tool PATTERN` takes all of them"));
    }
    for missing in &missing {
        term.note(missing);
    }
    let reviewed = &open.reviewed;
    let is_unseen = |name: &String| !reviewed.has_shown_texts || reviewed.not_shown.contains(name);
    let unseen = approved.iter().find(|(key, tool)| {
        let new = open.candidate.servers.get(key);
        has_texts(tool) && new.is_some_and(|new| is_unseen(new_name(tool, new)))
    });
    if let Some((_, tool)) = unseen {
        return Err(Failure::usage(format!(
            "the review did not show all texts of `{}`",
            quote(&tool.name, 80)
        ))
        .with_help("review again for people, without `--quiet` and `--format`; a definition of more than 1 MiB cannot be approved"));
    }
    open.store(&approved, args);
    finish(open, "approved", approved.len(), term)
}

/// What the flags choose.
struct Chosen {
    approved: Vec<Approved>,
    /// What else tools need of which only some changes were chosen.
    missing: Vec<String>,
}

/// The definitions that the flags choose, or somebody at the terminal.
fn choose(open: &Open, args: &ApproveArgs, term: &Term) -> Result<Chosen, Failure> {
    let chooses = !args.classes.is_empty() || !args.groups.is_empty() || args.new || args.gone;
    let takes_all = args.all || (!chooses && !args.which.tools.is_empty());
    let asks = !chooses && !takes_all && args.may_change.is_empty();
    let mut number = 0_usize;
    let (mut approved, mut missing) = (Vec::new(), Vec::new());
    for (key, Comparison { report, also }) in open.reports()? {
        let Some(new) = open.candidate.servers.get(&key) else {
            continue;
        };
        if !args.which.has_server(key.as_ref()) {
            // Its groups keep their numbers.
            number = number.saturating_add(human::groups_in(&report));
            continue;
        }
        let sides = Sides {
            report,
            server: key.as_ref().map(|key| quote(key, 60).to_string()),
            old: shown(&open.lock_path),
            new: shown(&open.path),
            old_file: None,
            new_file: None,
        };
        let groups = human::groups(&sides, &mut number, term.stdout().columns);
        let mut chosen: BTreeSet<usize> = args.groups.iter().copied().collect();
        for group in groups.iter().filter(|_| asks) {
            term.write(&group.text)?;
            match term.ask("approve?") {
                Some(true) => drop(chosen.insert(group.number)),
                Some(false) => {}
                None => {
                    return Err(Failure::usage(
                        "there is no terminal to ask on: say what to approve with `--all`, or with `--class CLASS`",
                    )
                    .with_help("`--group`, `--new`, `--gone` and `--tool` choose too"));
                }
            }
        }
        let is_chosen = |group: &human::Group<'_>| chosen.contains(&group.number);
        for (index, tool) in sides.report.tools.iter().enumerate() {
            let own_groups = |change: &Change| {
                let all = groups.iter().filter(|group| group.has(index, change));
                all.collect::<Vec<_>>()
            };
            let by_group =
                |change: &Change| own_groups(change).iter().any(|group| is_chosen(group));
            let is_renamed = tool
                .changes
                .iter()
                .any(|change| change.kind == Kind::ToolRenamed);
            // One tool is gone, and another one is new, whatever they have in common.
            let as_both = is_renamed && args.gone && args.new;
            let by_kind = |change: &Change| match change.kind {
                Kind::ToolRemoved => args.gone,
                Kind::ToolAdded => args.new,
                Kind::ToolRenamed => as_both,
                _ => args.classes.contains(&ChangeClass::of_change(change)),
            };
            let is_listed = !tool
                .changes
                .iter()
                .any(|change| change.kind == Kind::ToolNotListed);
            let is_approved =
                |change: &Change| takes_all || as_both || by_kind(change) || by_group(change);
            // What no change says is approved by its class, or with everything that the review showed.
            let mut hidden = also.get(&tool.name).into_iter().flatten();
            let is_known = takes_all
                || as_both
                || tool.changes.iter().all(by_group)
                || hidden.all(|class| args.classes.contains(class));
            let all = is_listed && is_known && tool.changes.iter().all(is_approved);
            if !args.which.has_tool(new_name(tool, new)) {
                continue;
            }
            if all {
                approved.push((key.clone(), tool.clone()));
                continue;
            }
            let is_begun = tool.changes.iter().any(is_approved);
            if is_begun && is_listed && missing.len() < NAMED {
                let rest = tool.changes.iter().filter(|change| !is_approved(change));
                let words = rest.clone().map(flag_of);
                let hidden = also.get(&tool.name).into_iter().flatten();
                let hidden = hidden.filter(|class| !is_known && !args.classes.contains(class));
                let words = words.chain(hidden.map(|class| format!("`--class {class}`")));
                let words: BTreeSet<String> = words.collect();
                let groups = rest.flat_map(own_groups).map(|group| group.number);
                let groups: BTreeSet<usize> = groups.collect();
                missing.push(lacking(&tool.name, &words, &groups));
            }
        }
    }
    Ok(Chosen { approved, missing })
}

pub(super) fn reject(args: &RejectArgs, term: &Term) -> Result<Exit, Failure> {
    let mut open = Open::read(&args.candidate, &args.schemas)?;
    let mut number = 0_usize;
    for (key, Comparison { report, .. }) in open.reports()? {
        let Some(new) = open
            .candidate
            .servers
            .get(&key)
            .filter(|_| args.which.has_server(key.as_ref()))
        else {
            continue;
        };
        let is_first = !open.lock.servers.contains_key(&key);
        let lock = open.lock.servers.entry(key).or_default();
        if is_first {
            lock.pins.clone_from(&new.pins);
        }
        for tool in &report.tools {
            let name = new_name(tool, new);
            let Some(definition) = new
                .definitions
                .get(name)
                .filter(|_| args.which.has_tool(name))
            else {
                continue;
            };
            let digest = digest(definition).ok_or_else(|| {
                Failure::usage(format!(
                    "the definition of tool `{}` has no digest: a number in it is beyond a double",
                    quote(name, 80)
                ))
            })?;
            let rejected = lock.rejected.entry(name.clone()).or_default();
            let digest = digest.to_string();
            if !rejected.contains(&digest) {
                rejected.push(digest);
                number = number.saturating_add(1);
            }
        }
    }
    if number == 0 {
        return Err(Failure::usage(format!(
            "there is nothing to reject in `{}`",
            shown(&open.path)
        )));
    }
    finish(open, "rejected", number, term)
}

fn finish(open: Open, done: &str, number: usize, term: &Term) -> Result<Exit, Failure> {
    let (path, lock_path) = (shown(&open.path), shown(&open.lock_path));
    let left = open.write()?;
    let definitions = count_of(number, "definition");
    term.write(&match left {
        0 => format!("{done} {definitions} in {lock_path}\n"),
        left => format!(
            "{done} {definitions} in {lock_path}; {} left in {path}\n",
            count_of(left, "definition")
        ),
    })?;
    Ok(Exit::Ok)
}

/// The name of who runs the command.
fn user() -> Option<String> {
    let name = |variable| std::env::var(variable).ok().filter(|name| !name.is_empty());
    name("USER").or_else(|| name("USERNAME"))
}

/// Tools of which a message says what else they need.
const NAMED: usize = 8;

const APPROVE_HELP: &str = "\
Examples:
  toolsure lock approve tools.lock.candidate.json
  toolsure lock approve tools.lock.candidate.json --class words,wider --note 'read by two'
  toolsure lock approve tools.lock.candidate.json --all --tool 'get_*'";
