//! The reason for the guard, shown: one odd tool and today's clients, without it and with it.
//!
//! Without the guard one array-root `outputSchema`, one boolean property schema or one dangling
//! `$ref` takes a server's whole list of tools from a client, and one hostile schema hangs it.
//! Through the guard every client uses every good tool. The clients are the published ones, at
//! pinned versions; both halves are checked, so that the claim falls when a client mends its ways.

mod clients;

use serde_json::{Value, json};
use toolgate_testkit::place;
use toolgate_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use clients::{Client, Clients, Saw};

/// What one odd tool does.
struct Scenario {
    name: &'static str,
    /// What becomes of each client without the guard, in the order of [`Client::ALL`].
    without: [Fate; 3],
    /// What the odd tool gives through the guard, or `None` if it is not listed.
    odd: Option<Odd>,
}

/// What the odd tool gives through the guard.
#[derive(Clone, Copy)]
enum Odd {
    /// What the client is given, as JSON.
    Works(&'static str),
    /// An error result, and the client goes on.
    Refused,
}

/// What becomes of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It has no tools at all.
    NoTools,
    /// It has the good tools and cannot use the odd one.
    OneLost,
    /// It has all tools.
    Well,
    /// It calls the odd tool and never comes back.
    Hangs,
}

const SCENARIOS: [Scenario; 6] = [
    Scenario {
        name: "array-root",
        without: [Fate::NoTools; 3],
        odd: Some(Odd::Works(r#"{"result":[1,2,3]}"#)),
    },
    Scenario {
        name: "boolean-property",
        without: [Fate::NoTools, Fate::Well, Fate::Well],
        odd: Some(Odd::Works(r#"[{"type":"text","text":"{\"any\": [1]}"}]"#)),
    },
    Scenario {
        name: "dangling-ref",
        without: [Fate::NoTools, Fate::OneLost, Fate::OneLost],
        odd: None,
    },
    Scenario {
        name: "external-ref",
        without: [Fate::NoTools, Fate::OneLost, Fate::OneLost],
        odd: None,
    },
    Scenario {
        name: "doubling",
        without: [Fate::Hangs; 3],
        odd: Some(Odd::Refused),
    },
    Scenario {
        name: "redos",
        without: [Fate::Hangs; 3],
        odd: Some(Odd::Refused),
    },
];

/// Runs the proof; gives how many of its claims failed.
///
/// # Errors
///
/// One line if the clients cannot be installed or the command line not be built.
pub(crate) fn run(_: &Arguments) -> Result<u64, String> {
    let clients = Clients::install()?;
    let toolgate = build::toolgate()?.display().to_string();
    let server = scripts("server.py");
    let mut tally = Tally::default();
    for scenario in &SCENARIOS {
        let plain = ["python3", server.as_str(), scenario.name];
        let guarded: Vec<&str> = [toolgate.as_str(), "guard", "--log", "error", "--"]
            .into_iter()
            .chain(plain)
            .collect();
        // A client that hangs does so for its whole time: all of them side by side.
        let seen = std::thread::scope(|scope| {
            let runs: Vec<_> = Client::ALL
                .iter()
                .flat_map(|client| [(client, &plain[..]), (client, &guarded[..])])
                .map(|(client, command)| scope.spawn(|| clients.run(*client, command)))
                .collect();
            let seen = runs.into_iter().map(|run| run.join());
            seen.collect::<Result<Vec<_>, _>>()
        });
        let seen = seen.map_err(|_| "a run of a client panicked".to_owned())?;
        for ((client, fate), pair) in Client::ALL.iter().zip(scenario.without).zip(seen.chunks(2)) {
            let [without, with] = pair else { continue };
            let label = format!("{}, {}", scenario.name, client.name());
            let found = Fate::of(without);
            println!(
                "{label}: without {found:?}, with the guard {:?}",
                Fate::of(with)
            );
            tally.record(match found == fate {
                true => Ok(()),
                false => Err(format!(
                    "{label}, without the guard: {found:?}, not {fate:?}: {without:?}"
                )),
            });
            let well = scenario.holds(with);
            tally
                .record(well.map_err(|why| format!("{label}, through the guard: {why}: {with:?}")));
        }
    }
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

impl Fate {
    fn of(saw: &Saw) -> Self {
        match saw {
            Saw::Nothing => Self::Hangs,
            Saw::Answers { tools, .. } if tools.is_empty() => Self::NoTools,
            Saw::Answers { results, .. } if is_error(results.get("odd")) => Self::OneLost,
            Saw::Answers { tools, .. } if tools.len() < 3 => Self::OneLost,
            Saw::Answers { .. } => Self::Well,
        }
    }
}

impl Scenario {
    /// Whether a client has all it should have through the guard.
    fn holds(&self, saw: &Saw) -> Result<(), String> {
        let Saw::Answers { tools, results } = saw else {
            return Err("no answer".to_owned());
        };
        let listed: &[&str] = match self.odd {
            Some(_) => &["add", "odd", "greet"],
            None => &["add", "greet"],
        };
        if tools != listed {
            return Err(format!("the tools are not {listed:?}"));
        }
        let greeting = json!([{"type": "text", "text": "hello Ada"}]);
        for (name, expected) in [("add", json!({"sum": 3})), ("greet", greeting)] {
            if results.get(name) != Some(&expected) {
                return Err(format!("`{name}` does not give {expected}"));
            }
        }
        let odd = results.get("odd");
        match self.odd {
            Some(Odd::Works(text)) => {
                let expected: Option<Value> = serde_json::from_str(text).ok();
                match odd == expected.as_ref() {
                    true => Ok(()),
                    false => Err(format!("`odd` does not give {text}")),
                }
            }
            Some(Odd::Refused) if !is_error(odd) => Err("`odd` is not refused".to_owned()),
            Some(Odd::Refused) | None => Ok(()),
        }
    }
}

fn is_error(result: Option<&Value>) -> bool {
    result.is_some_and(|result| result.get("error").is_some())
}

/// The path of one of the proof's scripts.
fn scripts(name: &str) -> String {
    let folder = place::workspace().join("xtask/guard-proof");
    folder.join(name).display().to_string()
}
