//! `cargo xtask readers`: the real readers with what servers may send, without the guard and with it.
//!
//! * Each fact of the table of readers (`docs/readers.md`) whose evidence is `tried` is tried with the
//!   pinned package of that reader; a fact that nothing tries is a failure.
//! * From the protocol's own JSON Schema of both versions: results, tools and pages, each wrong in one
//!   place. Through the guard, over stdio and over HTTP, nothing hangs, the text of each result arrives,
//!   and each tool is listed.
//! * Output schemas in which draft 7 differs: what our engine accepts by the schema, the first
//!   TypeScript SDK accepts by the schema that the guard lists.
//!
//! `--only WORD` takes the clients whose name contains the word; `--seed S` chooses other schemas.

mod draft7;
mod facts;
mod trial;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolsure_analysis::readers::Fact;
use toolsure_testkit::protocol::{self, WORDS};
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::guard_proof::clients::{
    CLIENTS, Client, Clients, Job, LEGACY, MODERN, Manner, OTHERS, Seen,
};
use crate::guard_proof::outcome::Outcome;
use crate::guard_proof::scripts::script;
use crate::guard_proof::{ALL, SERVER, at_once};
use facts::{Tried, breaking, is_consequence, own, tried};
use trial::{Kind, Need, Set, Way};

/// The outcome of each trial of a set with a client, one way.
type Outcomes = HashMap<(usize, Way, usize), Vec<(Outcome, String)>>;

/// Tries everything and returns how many trials failed.
///
/// # Errors
///
/// One line if something cannot be installed, built or started.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let clients = Clients::install()?;
    let folder = build::target()?.join("readers");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let toolsure = build::toolsure()?.display().to_string();
    let mut tally = Tally::default();
    let tried = tried();
    let seed = arguments.number("seed")?.unwrap_or(1);
    let sets = sets(&folder, &tried, seed, &mut tally)?;
    let only = arguments.option("only").unwrap_or_default();
    let all: Vec<Client> = CLIENTS.into_iter().chain(OTHERS).collect();
    let columns = all.iter().enumerate();
    let columns: Vec<(usize, Client)> = columns
        .filter(|(_, client)| client.name.contains(only))
        .map(|(column, client)| (column, *client))
        .collect();
    let mut work = VecDeque::new();
    for way in [Way::Direct, Way::Guarded, Way::Http] {
        for (column, client) in &columns {
            let taken = sets.iter().enumerate();
            let taken = taken.filter(|(_, set)| is_taken(set, *client, way, &tried));
            let jobs: Vec<Job> = taken
                .map(|(index, set)| {
                    let audit = audit(&folder, *column, index, way);
                    job(index, set, way, &tried, &toolsure, &audit)
                })
                .collect();
            work.push_back((*column, *client, way, jobs));
        }
    }
    let found = at_once(work, |(column, client, way, jobs)| {
        let seen = clients.run(client, jobs)?;
        Ok((column, way, seen))
    })?;
    let mut outcomes = Outcomes::new();
    for (column, way, servers) in found {
        for seen in servers {
            let index: usize = seen.case.parse().unwrap_or_default();
            if let Some(set) = sets.get(index) {
                let is_paged = is_paged(set, way, &tried);
                outcomes.insert((column, way, index), of_trials(set, is_paged, seen));
            }
        }
    }
    let held = hold(&columns, &tried, &sets, &outcomes, &mut tally);
    for (column, client) in &columns {
        guarded(*column, *client, &sets, &outcomes, &mut tally);
    }
    figures(&folder, &columns, &held, &sets, &outcomes);
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// Everything that is tried.
fn sets(folder: &Path, tried: &[Tried], seed: u64, tally: &mut Tally) -> Result<Vec<Set>, String> {
    let schemas = schemas()?;
    let mut sets = Vec::new();
    for version in [LEGACY, MODERN] {
        let text = protocol::text(&schemas, version);
        let all = text.as_deref().and_then(protocol::definitions);
        let all = all.ok_or_else(|| format!("{}: no {version}", schemas.display()))?;
        for (kind, name, trials) in [
            (Kind::Result, "results", trial::results(version, &all)),
            (Kind::Tool, "tools", trial::tools(&all)),
            (Kind::Page, "pages", trial::pages(version, &all)),
        ] {
            let trials = trials.ok_or_else(|| format!("no {name} in {version}"))?;
            let file = format!("{name}-{version}");
            sets.push(Set::write(folder, &file, kind, Some(version), trials)?);
        }
    }
    for (index, fact) in tried.iter().enumerate() {
        match own(&fact.fact.fact) {
            Ok(trials) if trials.is_empty() => {}
            Ok(trials) => {
                let (file, kind) = (format!("fact-{index}"), Kind::Fact(index));
                sets.push(Set::write(folder, &file, kind, None, trials)?);
            }
            Err(why) => tally.fail(why),
        }
    }
    for (index, trials) in draft7::trials(seed)?.into_iter().enumerate() {
        let file = format!("draft7-{index}");
        let set = Set::write(folder, &file, Kind::Draft7, Some(LEGACY), trials)?;
        sets.push(set);
    }
    Ok(sets)
}

/// The folder with the protocol's schemas: that of the environment, or else one that npm brings.
fn schemas() -> Result<PathBuf, String> {
    if let Some(folder) = std::env::var_os("TOOLSURE_MCP_SCHEMAS") {
        return Ok(folder.into());
    }
    let folder = build::target()?.join("protocol-schemas");
    if folder.join(MODERN).is_dir() {
        return Ok(folder);
    }
    Err(format!(
        "{}: no schemas; `.ci/run` writes them, or TOOLSURE_MCP_SCHEMAS names their folder",
        folder.display()
    ))
}

/// Whether a client tries a set.
fn is_taken(set: &Set, client: Client, way: Way, tried: &[Tried]) -> bool {
    let is_version = set.version.is_none_or(|version| version == client.version);
    is_version
        && match (set.kind, way) {
            (Kind::Draft7, _) => client.is_first_sdk() && way != Way::Http,
            (Kind::Fact(index), Way::Direct) => {
                tried.get(index).is_some_and(|fact| fact.is_of(client))
            }
            _ => true,
        }
}

/// Whether the trials are one page each, because one may take the whole list.
fn is_paged(set: &Set, way: Way, tried: &[Tried]) -> bool {
    match (set.kind, way) {
        (Kind::Page, _) | (Kind::Tool, Way::Direct) => true,
        (Kind::Fact(index), Way::Direct) => {
            let lost = |fact: &Tried| is_consequence(fact.fact.consequence, Outcome::NoTools);
            tried.get(index).and_then(lost) == Some(true)
        }
        _ => false,
    }
}

fn job(index: usize, set: &Set, way: Way, tried: &[Tried], toolsure: &str, audit: &Path) -> Job {
    let mut command = Vec::new();
    let http: &[&str] = match way {
        Way::Direct | Way::Guarded => &[],
        Way::Http => &["--listen", "127.0.0.1:0"],
    };
    if way != Way::Direct {
        // An audit log is appended to.
        let _absent = std::fs::remove_file(audit);
        let audit = audit.display().to_string();
        let guard = [
            toolsure,
            "guard",
            "--log",
            if way == Way::Http { "info" } else { "error" },
            "--audit-log",
            &audit,
        ];
        let guard = guard.iter().chain(http).chain(&["--"]);
        command.extend(guard.map(|word| (*word).to_owned()));
    }
    command.extend(SERVER.map(str::to_owned));
    let is_paged = is_paged(set, way, tried);
    let which = if is_paged { "pages" } else { ALL };
    command.extend([script("server.py"), set.file.clone(), which.to_owned()]);
    let calls = set.trials.iter();
    Job {
        case: index.to_string(),
        command,
        calls: calls
            .map(|trial| json!([trial.name, trial.call]).to_string())
            .collect(),
        manner: match set.kind {
            Kind::Draft7 => Manner::Checks,
            _ if is_paged => Manner::Lists(set.trials.len()),
            _ => Manner::AtOnce(WORDS),
        },
        is_http: way == Way::Http,
    }
}

fn audit(folder: &Path, column: usize, set: usize, way: Way) -> PathBuf {
    folder.join(format!("audit-{way:?}-{column}-{set}.jsonl"))
}

/// The outcome of each trial: that of the list if it is bad, else that of the call or the page.
fn of_trials(set: &Set, is_paged: bool, seen: Seen) -> Vec<(Outcome, String)> {
    let nothing = (Outcome::NoTools, "no word of it".to_owned());
    let trials = set.trials.iter().enumerate();
    let outcomes = trials.map(|(index, trial)| {
        let own = seen.calls.get(index).cloned();
        // A page is known by its tool: a client, or the guard, may ask more often.
        let mut calls = seen.calls.iter();
        let own = match calls.find(|(_, listed)| *listed == trial.name && is_paged) {
            Some(page) => Some(page.clone()),
            None if is_paged => own.map(|(outcome, why)| match outcome {
                Outcome::Works => (Outcome::Hidden, format!("{why} in its place")),
                _ => (outcome, why),
            }),
            None => own,
        };
        seen.listing
            .clone()
            .or(own)
            .unwrap_or_else(|| nothing.clone())
    });
    outcomes.collect()
}

/// Checks each fact with each client of its readers. Returns how many facts each client holds.
fn hold(
    columns: &[(usize, Client)],
    tried: &[Tried],
    sets: &[Set],
    outcomes: &Outcomes,
    tally: &mut Tally,
) -> HashMap<usize, usize> {
    let mut held: HashMap<usize, usize> = HashMap::new();
    for (number, fact) in tried.iter().enumerate() {
        let mut names: BTreeSet<&str> = match &fact.fact.fact {
            Fact::Member(_, names, _) => names.iter().copied().collect(),
            _ => BTreeSet::from([""]),
        };
        let mut is_tried = false;
        for (column, client) in columns {
            if !fact.is_of(*client) {
                continue;
            }
            is_tried = true;
            let mut own = Tally::default();
            let mut broken: HashMap<&str, bool> = HashMap::new();
            for (index, set) in sets.iter().enumerate() {
                if let Some(found) = outcomes.get(&(*column, Way::Direct, index)) {
                    fact.judge((number, client.name), set, found, &mut broken, &mut own);
                }
            }
            // Not every version has each member.
            for (name, is_lost) in &broken {
                names.remove(name);
                own.claim(*is_lost, || {
                    format!("{}: `{}`: {name} is taken", client.name, fact.fact.fact)
                });
            }
            if own.failed == 0 && !broken.is_empty() {
                *held.entry(*column).or_default() += 1;
            }
            tally.add(own);
        }
        let is_whole = columns.len() == CLIENTS.len() + OTHERS.len();
        tally.claim(names.is_empty() && is_tried || !is_whole, || {
            format!("nothing tries {names:?} of `{}`", fact.fact.fact)
        });
    }
    held
}

impl Tried {
    /// Whether a client is one of its readers.
    fn is_of(&self, client: Client) -> bool {
        let mut readers = self.readers.iter();
        readers.any(|reader| client.readers.contains(reader))
    }

    /// Checks what a client did with a set without the guard. `broken` tells for each member that
    /// the fact names, or for the fact itself, whether breaking it had the consequence.
    fn judge(
        &self,
        (number, client): (usize, &str),
        set: &Set,
        found: &[(Outcome, String)],
        broken: &mut HashMap<&'static str, bool>,
        tally: &mut Tally,
    ) {
        let all = set.trials.iter().enumerate();
        let all = all.filter(|_| set.kind == Kind::Fact(number));
        let own = all.map(|(at, trial)| ("", true, at, trial));
        for (name, must, at, trial) in own.chain(breaking(&self.fact.fact, set)) {
            let Some((outcome, why)) = found.get(at) else {
                continue;
            };
            let breaks = trial.breaks || trial.place.is_some();
            let is_so = match breaks {
                true => is_consequence(self.fact.consequence, *outcome) == Some(true),
                false => *outcome == Outcome::Works,
            };
            *broken.entry(name).or_default() |= is_so && breaks;
            tally.claim(is_so || !must, || {
                let (fact, says) = (self.fact.fact, self.fact.consequence.words());
                let what = &trial.what;
                format!("{client}: `{fact}`, otherwise {says}: {what}: {outcome:?} {why}")
            });
        }
    }
}

/// Through the guard nothing hangs, and all that can arrive does.
fn guarded(column: usize, client: Client, sets: &[Set], outcomes: &Outcomes, tally: &mut Tally) {
    let both = [Way::Guarded, Way::Http];
    let all = sets.iter().enumerate();
    for ((index, set), way) in all.flat_map(|set| both.map(|way| (set, way))) {
        let Some(found) = outcomes.get(&(column, way, index)) else {
            continue;
        };
        for (trial, (outcome, why)) in set.trials.iter().zip(found) {
            let is_well = match trial.need {
                Need::Text => *outcome == Outcome::Works,
                Need::Words => matches!(outcome, Outcome::Works | Outcome::OtherValue),
                Need::Result => !matches!(
                    outcome,
                    Outcome::Hangs | Outcome::Error | Outcome::NoTools | Outcome::GoodToolsFail
                ),
                // A page of an unknown kind is no page.
                Need::Nothing if set.kind == Kind::Page => *outcome != Outcome::Hangs,
                Need::Nothing => !matches!(
                    outcome,
                    Outcome::Hangs | Outcome::NoTools | Outcome::GoodToolsFail
                ),
            };
            tally.claim(is_well, || {
                let (kind, what) = (set.kind, &trial.what);
                format!(
                    "{}, {way:?}, {kind:?}, {what}: {outcome:?} {why}",
                    client.name
                )
            });
        }
    }
}

/// Prints a row for each client.
fn figures(
    folder: &Path,
    columns: &[(usize, Client)],
    held: &HashMap<usize, usize>,
    sets: &[Set],
    outcomes: &Outcomes,
) {
    println!(
        "{:<42} {:>5} {:>6}   directly: hung   lost   through the guard: hung   lost   told",
        "", "facts", "tried"
    );
    for (column, client) in columns {
        let count = |ways: &[Way], is: &dyn Fn(Outcome) -> bool| -> usize {
            let own = outcomes.iter();
            let own = own.filter(|((of, way, _), _)| of == column && ways.contains(way));
            let found = own.flat_map(|(_, found)| found);
            found.filter(|(outcome, _)| is(*outcome)).count()
        };
        let is_lost = |outcome| {
            matches!(
                outcome,
                Outcome::Error | Outcome::NoTools | Outcome::GoodToolsFail | Outcome::Hidden
            )
        };
        let is_hung = |outcome| outcome == Outcome::Hangs;
        let told: usize = (0..sets.len())
            .map(|index| told(&audit(folder, *column, index, Way::Guarded)))
            .sum();
        println!(
            "{:<42} {:>5} {:>6} {:>16} {:>6} {:>25} {:>6} {:>6}",
            client.name,
            held.get(column).copied().unwrap_or_default(),
            count(&[Way::Guarded, Way::Http], &|_| true),
            count(&[Way::Direct], &is_hung),
            count(&[Way::Direct], &is_lost),
            count(&[Way::Guarded, Way::Http], &is_hung),
            count(&[Way::Guarded, Way::Http], &is_lost),
            told
        );
    }
}

/// The number of tools about which an audit log says more than that they passed.
fn told(audit: &Path) -> usize {
    let text = std::fs::read_to_string(audit).unwrap_or_default();
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    let tools: BTreeSet<String> = lines
        .filter(|line: &Value| line.get("code").is_some_and(|code| code != "passed"))
        .filter_map(|line| Some(line.get("tool")?.as_str()?.to_owned()))
        .collect();
    tools.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The client with rmcp is built with the version of `dependencies.lock`.
    #[test]
    fn the_version_of_rmcp_is_the_locked_one() {
        let lock = toolsure_testkit::place::workspace().join("dependencies.lock");
        let lock = std::fs::read_to_string(lock).unwrap();
        let own: Vec<&Client> = OTHERS
            .iter()
            .filter(|one| one.readers == ["rmcp"])
            .collect();
        assert_eq!(own.len(), 2);
        for client in own {
            let (name, _) = client.name.split_once(',').unwrap();
            let line = format!("{name} ");
            assert!(lock.lines().any(|one| one.starts_with(&line)), "{name}");
        }
    }

    /// Else `cargo xtask readers` would fail, which needs npm and Python.
    #[test]
    fn each_fact_that_is_called_tried_is_tried() {
        for fact in tried() {
            let what = fact.fact.fact;
            assert!(own(&what).is_ok(), "{what}");
            let is_seen = is_consequence(fact.fact.consequence, Outcome::Works);
            assert!(is_seen.is_some(), "{what}: {:?}", fact.fact.consequence);
            for reader in &fact.readers {
                let mut all = CLIENTS.iter().chain(&OTHERS);
                let is_installed = all.any(|client| client.readers.contains(reader));
                assert!(is_installed, "{what}: no package of {reader}");
            }
        }
    }
}
