//! `cargo xtask guard-proof`: odd tools with published clients, without the guard and with it.
//!
//! `xtask/guard-proof/odd-tools.json` has 687 tools that servers might have, each odd in one way. A
//! published client gets each together with two good tools. The rule: what works without the guard
//! works with it, no client hangs, and the good tools always work. `seen.json` records the outcome
//! for each client and tool, so that every change is noticed:
//!
//! * `cargo xtask guard-proof` tests all odd tools in one listing through the guard, those alone
//!   that affect the whole listing, and the README's examples without the guard;
//! * `--alone` tests every tool alone through the guard, `--direct` also without it;
//! * `--only WORD` tests tools whose name contains the word, both ways, and prints the outcomes;
//! * `--write` writes the outcomes to the record.

pub(crate) mod clients;
pub(crate) mod outcome;
pub(crate) mod scripts;
pub(crate) mod seen;

use std::collections::VecDeque;
use std::process::Command;
use std::sync::Mutex;

use serde_json::Value;
use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use clients::{CLIENTS, Clients, Job, Manner, Seen};
use outcome::Outcome;
use scripts::script;
use seen::{Record, Way};

/// One odd tool of `odd-tools.json`.
struct Case {
    name: String,
    /// Whether it is tested alone in every run.
    is_alone: bool,
    /// Why the guard may break the rule for this tool, if it may.
    exception: Option<String>,
    /// The calls, as JSON.
    calls: Vec<String>,
}

/// All odd tools that can be in a listing with others.
struct All {
    /// The case of each call.
    cases: Vec<String>,
    calls: Vec<String>,
}

/// Runs the tests and returns how many failed.
///
/// # Errors
///
/// One line if the clients cannot be installed or the command line cannot be built.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let clients = Clients::install()?;
    let toolsure = build::toolsure()?.display().to_string();
    let (cases, all) = cases()?;
    let mut record = Record::read(&script("seen.json"))?;
    let only = arguments.option("only");
    let is_taken = |case: &Case, way: Way| match (only, way) {
        (Some(word), _) => case.name.contains(word),
        (None, Way::Guarded) => case.is_alone || arguments.option("alone").is_some(),
        (None, Way::Direct) => {
            README.contains(&case.name.as_str()) || arguments.option("direct").is_some()
        }
    };
    let mut work = VecDeque::new();
    for way in [Way::Guarded, Way::Direct] {
        let mut jobs: Vec<Job> = cases
            .iter()
            .filter(|case| is_taken(case, way))
            .map(|case| job(&case.name, case.calls.clone(), way, &toolsure))
            .collect();
        if way == Way::Guarded && only.is_none() {
            jobs.insert(0, job(ALL, all.calls.clone(), way, &toolsure));
        }
        work.extend(
            CLIENTS
                .iter()
                .enumerate()
                .map(|(column, client)| (column, *client, way, jobs.clone())),
        );
    }
    let found = at_once(work, |(column, client, way, jobs)| {
        let seen = clients.run(client, jobs)?;
        Ok((column, way, seen))
    })?;
    let mut tally = Tally::default();
    for (column, way, servers) in &found {
        for seen in servers {
            if only.is_some() {
                print(*column, *way, seen);
            }
            judge((&cases, &all), &mut record, *column, *way, seen, &mut tally);
        }
    }
    if arguments.option("write").is_some() {
        record.write(cases.iter().map(|case| case.name.as_str()))?;
    }
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// Checks a client's results with one server against the rule and the record, and records them.
fn judge(
    (cases, among): (&[Case], &All),
    record: &mut Record,
    column: usize,
    way: Way,
    seen: &Seen,
    tally: &mut Tally,
) {
    let client = CLIENTS.get(column).map_or("", |client| client.name);
    if seen.case == ALL {
        let well = match &seen.listing {
            None => Ok(()),
            Some((outcome, why)) => Err(format!(
                "{client}, all odd tools in one listing: {outcome:?}: {why}"
            )),
        };
        tally.record(well);
        for (name, (outcome, why)) in among.cases.iter().zip(&seen.calls) {
            if let Some(case) = cases.iter().find(|case| case.name == *name) {
                let alone = record.outcome(name, Way::Guarded, column);
                let result = rule(case, record.outcome(name, Way::Direct, column), *outcome);
                let same = alone.is_none_or(|alone| alone == *outcome || case.exception.is_some());
                let result = result.and(match same {
                    true => Ok(()),
                    false => Err(format!("{outcome:?}, but alone {alone:?}")),
                });
                tally.record(result.map_err(|e| format!("{name} among all, {client}: {e}: {why}")));
            }
        }
        return;
    }
    let outcome = seen.outcome();
    let Some(case) = cases.iter().find(|case| case.name == seen.case) else {
        return;
    };
    if way == Way::Guarded {
        let result = rule(
            case,
            record.outcome(&case.name, Way::Direct, column),
            outcome,
        );
        tally.record(result.map_err(|e| format!("{}, {client}: {e}: {}", case.name, seen.why())));
    }
    let before = record.set(&case.name, way, column, outcome);
    tally.record(match before {
        Some(before) if before != outcome => Err(format!(
            "{}, {client}, {way:?}: recorded as {before:?}, now {outcome:?}: {}",
            case.name,
            seen.why()
        )),
        _ => Ok(()),
    });
}

/// The rule: what works without the guard works with it, nothing hangs, and good tools work.
fn rule(case: &Case, direct: Option<Outcome>, guarded: Outcome) -> Result<(), String> {
    let is_worse = match guarded {
        Outcome::Works => false,
        Outcome::Hangs | Outcome::NoTools | Outcome::GoodToolsFail => {
            return match &case.exception {
                Some(_) if guarded == Outcome::GoodToolsFail => Ok(()),
                _ => Err(format!("through the guard: {guarded:?}")),
            };
        }
        _ => matches!(direct, Some(Outcome::Works | Outcome::TextOnly)) && direct != Some(guarded),
    };
    match is_worse && case.exception.is_none() {
        true => Err(format!("without the guard {direct:?}, with it {guarded:?}")),
        false => Ok(()),
    }
}

fn print(column: usize, way: Way, seen: &Seen) {
    let client = CLIENTS.get(column).map_or("", |client| client.name);
    println!(
        "{}, {client}, {way:?}: {:?} {}",
        seen.case,
        seen.outcome(),
        seen.why()
    );
}

fn job(name: &str, calls: Vec<String>, way: Way, toolsure: &str) -> Job {
    let guard = [toolsure, "guard", "--log", "error", "--"].map(str::to_owned);
    let mut command = match way {
        Way::Guarded => guard.to_vec(),
        Way::Direct => Vec::new(),
    };
    command.extend(SERVER.map(str::to_owned));
    command.extend([
        script("server.py"),
        script("odd-tools.json"),
        name.to_owned(),
    ]);
    Job {
        case: name.to_owned(),
        command,
        calls,
        manner: match name {
            ALL => Manner::Each,
            _ => Manner::InTurn,
        },
        is_http: false,
    }
}

/// All cases, and the listing with all tools.
fn cases() -> Result<(Vec<Case>, All), String> {
    let mut server = Command::new(SERVER[0]);
    server.args(SERVER.iter().skip(1));
    server.args([&script("server.py"), &script("odd-tools.json"), "jobs"]);
    let output = server.output().map_err(|e| format!("python3: {e}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut cases = Vec::new();
    for line in said.lines() {
        let line: Value = serde_json::from_str(line).map_err(|e| format!("server.py: {e}"))?;
        let texts = |member: &str| -> Vec<String> {
            let texts = line
                .get(member)
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            texts.filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let text = |member: &str| line.get(member).and_then(Value::as_str);
        let (name, calls) = (text("case").unwrap_or_default(), texts("calls"));
        if name == ALL {
            let all = All {
                cases: texts("cases"),
                calls,
            };
            return Ok((cases, all));
        }
        cases.push(Case {
            name: name.to_owned(),
            is_alone: text("family").is_some_and(|family| ALONE.contains(&family)),
            exception: text("exception").map(str::to_owned),
            calls,
        });
    }
    let why = String::from_utf8_lossy(&output.stderr);
    Err(format!("server.py said too little: {why}"))
}

/// Does all the work on a few threads.
pub(crate) fn at_once<W: Send, F: Send>(
    work: VecDeque<W>,
    act: impl Fn(W) -> Result<F, String> + Sync,
) -> Result<Vec<F>, String> {
    let (work, found) = (Mutex::new(work), Mutex::new(Vec::new()));
    let next = || work.lock().ok().and_then(|mut work| work.pop_front());
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(piece) = next() {
                    let result = act(piece);
                    if let Ok(mut found) = found.lock() {
                        found.push(result);
                    }
                }
            });
        }
    });
    let found = found
        .into_inner()
        .map_err(|_| "a run of a client panicked".to_owned())?;
    found.into_iter().collect()
}

/// The name of the listing with all odd tools that can be together.
pub(crate) const ALL: &str = "all";
/// The fast command that starts `server.py`.
pub(crate) const SERVER: [&str; 3] = ["python3", "-I", "-S"];
/// The families of tools that affect more than the tool itself.
const ALONE: [&str; 3] = ["listing", "name", "envelope"];
/// The examples of the README, which shows what happens without the guard.
const README: [&str; 7] = [
    "output-root-array",
    "boolean-property-true",
    "dangling-ref",
    "external-ref",
    "paths-2-40-miss",
    "paths-2-40-met-all-of",
    "redos-miss",
];
const AT_ONCE: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_works_without_the_guard_must_work_with_it() {
        let mut case = Case {
            name: "odd".to_owned(),
            is_alone: false,
            exception: None,
            calls: Vec::new(),
        };
        for (direct, guarded, is_well) in [
            (Outcome::Works, Outcome::Works, true),
            (Outcome::NoTools, Outcome::Hidden, true),
            (Outcome::Error, Outcome::Hidden, true),
            (Outcome::Works, Outcome::Hidden, false),
            (Outcome::Works, Outcome::TextOnly, false),
            (Outcome::TextOnly, Outcome::TextOnly, true),
            (Outcome::NoTools, Outcome::NoTools, false),
            (Outcome::Hangs, Outcome::Hangs, false),
        ] {
            let held = rule(&case, Some(direct), guarded);
            assert_eq!(held.is_ok(), is_well, "{direct:?} {guarded:?}");
        }
        case.exception = Some("it is".to_owned());
        assert!(rule(&case, Some(Outcome::Works), Outcome::Hidden).is_ok());
        assert!(rule(&case, Some(Outcome::Works), Outcome::Hangs).is_err());
    }
}
