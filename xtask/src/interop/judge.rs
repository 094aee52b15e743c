//! Compares what a client saw of a server with the expected results.

use std::path::Path;

use serde_json::{Value, json};
use toolsure_testkit::tally::Tally;

use super::peer::{MODERN, Role};
use super::run::{Between, Run};

/// The cases, and the known defects of the peers.
pub(super) struct Standard {
    cases: Value,
    defects: Vec<Defect>,
}

/// A known defect of a peer.
struct Defect {
    fields: Value,
    /// Whether a run looked it up.
    met: bool,
}

impl Standard {
    /// Reads `cases.json` and `defects.json`.
    ///
    /// # Errors
    ///
    /// One line if a file is missing or not JSON.
    pub(super) fn read(folder: &Path) -> Result<Self, String> {
        let Value::Array(defects) = read(&folder.join("defects.json"))? else {
            return Err("defects.json is not an array".to_owned());
        };
        let unmet = |fields| Defect { fields, met: false };
        Ok(Self {
            cases: read(&folder.join("cases.json"))?,
            defects: defects.into_iter().map(unmet).collect(),
        })
    }

    /// Compares a report with the expected results, case by case.
    pub(super) fn judge(&mut self, run: &Run<'_>, report: &Value, tally: &mut Tally) {
        let between = match run.between {
            Between::Nothing => String::new(),
            Between::Guard(far) => format!(" guard {far}"),
            Between::Translator(far) => format!(" translator {far}"),
        };
        let place = format!("{} {} {}{between}", run.peer, run.era, run.transport);
        let named = |what: &str, result: Result<(), String>| {
            result.map_err(|reason| format!("{place}: {what}: {reason}"))
        };
        let listed = match self.defect(run, "the list") {
            Some(defect) => as_told(&defect, &json!({ "listed": report.get("listed") })),
            None => self.lists(report, run),
        };
        tally.record(named("the list", listed));
        let calls = self.cases.get("calls").and_then(Value::as_array).cloned();
        for call in calls.iter().flatten() {
            let name = call.get("case").and_then(Value::as_str).unwrap_or_default();
            let seen = report.pointer("/calls").and_then(|calls| calls.get(name));
            let Some(seen) = seen else {
                tally.record(named(name, Err("was not called".to_owned())));
                continue;
            };
            let result = match self.defect(run, name) {
                Some(defect) => as_told(&defect, seen),
                None => outcome(call, seen, run),
            };
            tally.record(named(name, result));
        }
    }

    /// Checks that every known defect gives a reason, and was looked up.
    pub(super) fn judge_itself(&self, tally: &mut Tally) {
        for Defect { fields, met } in &self.defects {
            let result = match fields.get("why").and_then(Value::as_str) {
                None | Some("") => Err(format!("does not say why: {fields}")),
                Some(_) if !met => Err(format!("is of no peer, era, transport and case: {fields}")),
                Some(_) => Ok(()),
            };
            tally.record(result);
        }
    }

    /// The known defect of the peer in this case.
    fn defect(&mut self, run: &Run<'_>, case: &str) -> Option<Value> {
        let names = |defect: &Value, member: &str, word: &str| match defect.get(member) {
            None => true,
            Some(Value::Array(words)) => words.iter().any(|known| known == word),
            Some(known) => known == word,
        };
        let between = match run.between {
            Between::Nothing => "nothing",
            Between::Guard(_) => "guard",
            Between::Translator(_) => "translator",
        };
        let defect = self.defects.iter_mut().find(|Defect { fields, .. }| {
            names(fields, "peer", run.peer)
                && names(fields, "era", run.spoken())
                && names(fields, "transport", run.transport)
                && names(fields, "between", between)
                && names(fields, "case", case)
        })?;
        defect.met = true;
        Some(defect.fields.clone())
    }

    /// Checks that all good tools are listed. Our server and the guard do not list the hostile
    /// tool; our client keeps it in the list and refuses to call it.
    fn lists(&self, report: &Value, run: &Run<'_>) -> Result<(), String> {
        let Some(listed) = report.get("listed").and_then(Value::as_array) else {
            return Err(format!("none: {:?}", report.get("list_error")));
        };
        let wanted = self.cases.get("listed").and_then(Value::as_array);
        let absent: Vec<&Value> = wanted
            .into_iter()
            .flatten()
            .filter(|name| !listed.contains(name))
            .collect();
        if !absent.is_empty() {
            return Err(format!("without {absent:?}"));
        }
        let filtered = run.role == Role::Client || !matches!(run.between, Between::Nothing);
        match self.cases.get("hostile") {
            Some(hostile) if listed.contains(hostile) == filtered => {
                Err(format!("{hostile} is where it should not be: {listed:?}"))
            }
            _ => Ok(()),
        }
    }
}

/// A known defect must show exactly as described, so that a fix is noticed.
fn as_told(defect: &Value, seen: &Value) -> Result<(), String> {
    let known = defect.get("sees").unwrap_or(&Value::Null);
    let same = match (known.get("refused"), seen.get("refused")) {
        (Some(word), Some(text)) => contains(text, word),
        _ => known == seen,
    };
    if same {
        Ok(())
    } else {
        Err(format!("no longer the known fault {known}, but {seen}"))
    }
}

fn outcome(call: &Value, seen: &Value, run: &Run<'_>) -> Result<(), String> {
    if let Some(word) = call.get("refused") {
        return match seen.get("refused") {
            Some(text) if contains(text, word) => Ok(()),
            _ => Err(format!("no refusal that names {word}, but {seen}")),
        };
    }
    if let Some(text) = call.get("text") {
        return same("the text", seen.get("text"), text);
    }
    let natural = call.get("gives").unwrap_or(&Value::Null);
    let object = call.get("object").is_some();
    let modern = run.era == MODERN && run.behind() == MODERN;
    let as_it_is = object || (modern && run.role != Role::WrappingServer);
    let expected = if as_it_is {
        natural.clone()
    } else {
        json!({ "result": natural })
    };
    same("the structured content", seen.get("structured"), &expected)?;
    // Our server always returns a text; others need not.
    if run.role != Role::Client {
        return Ok(());
    }
    let text = seen.get("text").and_then(Value::as_str);
    let value = text.and_then(|text| serde_json::from_str::<Value>(text).ok());
    same("the value of the text", value.as_ref(), natural)
}

fn same(what: &str, seen: Option<&Value>, wanted: &Value) -> Result<(), String> {
    match seen {
        Some(seen) if seen == wanted => Ok(()),
        Some(seen) => Err(format!("{what} is {seen}, not {wanted}")),
        None => Err(format!("{what} is absent")),
    }
}

fn contains(text: &Value, word: &Value) -> bool {
    match (text.as_str(), word.as_str()) {
        (Some(text), Some(word)) => text.contains(word),
        _ => false,
    }
}

/// Reads a file of JSON.
pub(super) fn read(path: &Path) -> Result<Value, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Run<'static> = Run {
        peer: "a-peer",
        era: "2025-11-25",
        transport: "stdio",
        role: Role::Client,
        between: Between::Nothing,
    };

    fn standard() -> Standard {
        Standard {
            cases: json!({
                "listed": ["good"],
                "hostile": "bad",
                "calls": [
                    { "case": "an array", "tool": "good", "gives": [1] },
                    { "case": "no name", "tool": "good", "refused": "name" }
                ]
            }),
            defects: Vec::new(),
        }
    }

    fn report() -> Value {
        json!({
            "listed": ["good"],
            "calls": {
                "an array": { "structured": { "result": [1] }, "text": "[ 1 ]" },
                "no name": { "refused": "`name` is required" }
            }
        })
    }

    fn failed(standard: &mut Standard, report: &Value) -> u64 {
        let mut tally = Tally::default();
        standard.judge(&RUN, report, &mut tally);
        assert_eq!(tally.passed + tally.failed, 3);
        tally.failed
    }

    #[test]
    fn each_departure_fails() {
        assert_eq!(failed(&mut standard(), &report()), 0);
        let departures = [
            ("/listed", json!(["good", "bad"])),
            ("/listed", json!([])),
            ("/listed", Value::Null),
            (
                "/calls/an array",
                json!({ "structured": [1], "text": "[1]" }),
            ),
            (
                "/calls/an array",
                json!({ "structured": { "result": [1] } }),
            ),
            ("/calls/an array", json!({ "refused": "no" })),
            ("/calls/no name", json!({ "structured": 1 })),
            ("/calls/no name", json!({ "refused": "no" })),
        ];
        for (place, other) in departures {
            let mut report = report();
            if let Some(member) = report.pointer_mut(place) {
                *member = other;
            }
            assert_eq!(failed(&mut standard(), &report), 1, "{place}");
        }
    }

    #[test]
    fn a_known_fault_is_expected_as_it_is_told() {
        let mut standard = standard();
        let sees = json!({ "structured": [1], "text": "[1]" });
        standard.defects.push(Defect {
            fields: json!({ "peer": ["a-peer"], "case": "an array", "why": "…", "sees": sees }),
            met: false,
        });
        assert_eq!(failed(&mut standard, &report()), 1);
        let mut faulty = report();
        if let Some(member) = faulty.pointer_mut("/calls/an array") {
            *member = sees;
        }
        assert_eq!(failed(&mut standard, &faulty), 0);
    }
    #[test]
    fn a_server_lists_the_hostile_tool_and_may_wrap_in_both_eras() {
        let judged = |role, era, listed: Value, structured: Value| {
            let mut report = report();
            for (place, value) in [
                ("/listed", listed),
                ("/calls/an array", json!({ "structured": structured })),
            ] {
                if let Some(member) = report.pointer_mut(place) {
                    *member = value;
                }
            }
            let mut tally = Tally::default();
            let run = Run { era, role, ..RUN };
            standard().judge(&run, &report, &mut tally);
            tally.failed
        };
        let all = || json!(["good", "bad"]);
        let wrapped = || json!({ "result": [1] });
        assert_eq!(judged(Role::Server, MODERN, all(), json!([1])), 0);
        assert_eq!(judged(Role::Server, MODERN, all(), wrapped()), 1);
        assert_eq!(judged(Role::Server, MODERN, json!(["good"]), json!([1])), 1);
        assert_eq!(judged(Role::Server, RUN.era, all(), wrapped()), 0);
        assert_eq!(judged(Role::WrappingServer, MODERN, all(), wrapped()), 0);
        assert_eq!(judged(Role::WrappingServer, MODERN, all(), json!([1])), 1);
    }

    #[test]
    fn a_known_fault_of_nobody_fails_and_so_does_one_without_a_reason() {
        for (case, why, wanted) in [
            ("an array", "it is", 0),
            ("an arrow", "it is", 1),
            ("an array", "", 1),
        ] {
            let mut standard = standard();
            let fields = json!({ "case": case, "why": why, "sees": {} });
            standard.defects.push(Defect { fields, met: false });
            standard.judge(&RUN, &report(), &mut Tally::default());
            let mut tally = Tally::default();
            standard.judge_itself(&mut tally);
            assert_eq!(tally.failed, wanted, "{case} {why}");
        }
    }
}
