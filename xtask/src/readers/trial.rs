//! What is tried: results, tools and pages made from the protocol's own JSON Schema.

use std::path::Path;

use serde_json::{Value, json};
use toolsure_analysis::readers::State;
use toolsure_testkit::protocol::{Definitions, UNKNOWN, WORDS, Wrong, correct, wrong};

use crate::guard_proof::clients::MODERN;

/// The trials of one server.
pub(super) struct Set {
    pub(super) kind: Kind,
    /// The protocol version that has these messages; all, if it is `None`.
    pub(super) version: Option<&'static str>,
    /// The cases of `server.py` are in this file.
    pub(super) file: String,
    pub(super) trials: Vec<Trial>,
}

/// How a client reaches the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Way {
    Direct,
    /// Through the guard, over stdio.
    Guarded,
    /// Through a guard that listens.
    Http,
}

/// What differs from trial to trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Result,
    Tool,
    Page,
    /// Only the readers with the fact at this place of the table's tried facts try it directly.
    Fact(usize),
    /// Output schemas as draft 7 reads them.
    Draft7,
}

/// A tool of a server.
pub(super) struct Trial {
    /// The name of the tool.
    pub(super) name: String,
    /// What is tried, for messages.
    pub(super) what: String,
    /// The case of `server.py`, besides the name.
    pub(super) case: Value,
    /// The call, after the name.
    pub(super) call: Value,
    pub(super) need: Need,
    /// Whether it breaks the fact that it is about.
    pub(super) breaks: bool,
    /// What differs from a correct message, if anything does.
    pub(super) place: Option<(Wrong, State)>,
}

/// What must arrive through the guard. Nothing may hang in any case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// The text of the result.
    Text,
    /// The text, which need not be in a text block.
    Words,
    /// A result.
    Result,
    /// Nothing: the guard may refuse it.
    Nothing,
}

/// The results of a version: a correct one, then the others.
pub(super) fn results(version: &str, all: &Definitions) -> Option<Vec<Trial>> {
    let correct = tagged(version, correct("CallToolResult", all)?);
    let mut trials = vec![trial(None, json!({ "answer": &correct }), Need::Text)];
    for (wrong, state) in wrong_with_states(&correct) {
        let content = wrong.value.get("content").unwrap_or(&Value::Null);
        let first = ["/content", "/content/0"];
        let is_first = first.contains(&&*wrong.place) || wrong.place.starts_with("/content/0/");
        let need = match content.to_string().contains(WORDS) {
            _ if is_other_kind(&wrong) => Need::Nothing,
            true if is_first => Need::Words,
            true => Need::Text,
            false => Need::Result,
        };
        let case = json!({ "answer": &wrong.value });
        trials.push(trial(Some((wrong, state)), case, need));
    }
    Some(numbered(trials))
}

/// The tools of a version: a correct one, then the others.
pub(super) fn tools(all: &Definitions) -> Option<Vec<Trial>> {
    let mut correct = correct("Tool", all)?;
    set(&mut correct, "name", json!("@name"));
    for schema in ["inputSchema", "outputSchema"] {
        set(&mut correct, schema, json!({ "type": "object" }));
    }
    let with = |tool: &Value| {
        let text = [json!({ "type": "text", "text": WORDS })];
        let answer = json!({ "content": text, "structuredContent": {} });
        json!({ "raw": tool.to_string(), "answer": answer })
    };
    let mut trials = vec![trial(None, with(&correct), Need::Text)];
    for (wrong, state) in wrong_with_states(&correct) {
        // The name is how a trial is known.
        if wrong.place == "/name" {
            continue;
        }
        let need = match wrong.place.starts_with("/inputSchema") {
            true => Need::Nothing,
            false => Need::Text,
        };
        let case = with(&wrong.value);
        trials.push(trial(Some((wrong, state)), case, need));
    }
    let mut trials = numbered(trials);
    for one in &mut trials {
        let raw = one.case.get("raw").and_then(Value::as_str);
        let raw = raw.unwrap_or_default().replace("@name", &one.name);
        set(&mut one.case, "raw", json!(raw));
    }
    Some(trials)
}

/// The pages of a version with one tool: a correct one, then the others.
pub(super) fn pages(version: &str, all: &Definitions) -> Option<Vec<Trial>> {
    let mut correct = tagged(version, correct("ListToolsResult", all)?);
    correct.as_object_mut()?.remove("tools");
    if version == MODERN {
        // Clients would not ask for the next page again.
        set(&mut correct, "ttlMs", json!(0));
    }
    let mut trials = vec![trial(None, json!({ "listing": &correct }), Need::Text)];
    for (wrong, state) in wrong_with_states(&correct) {
        let case = json!({ "listing": &wrong.value });
        trials.push(trial(Some((wrong, state)), case, Need::Text));
    }
    Some(numbered(trials))
}

/// The schema has any text as the type of a result.
fn tagged(version: &str, mut result: Value) -> Value {
    if version == MODERN {
        set(&mut result, "resultType", json!("complete"));
    }
    result
}

/// Whether a result says that it is one of a kind that nobody knows.
fn is_other_kind(wrong: &Wrong) -> bool {
    wrong.place == "/resultType" && wrong.value.get("resultType").is_some_and(Value::is_string)
}

fn wrong_with_states(correct: &Value) -> impl Iterator<Item = (Wrong, State)> {
    wrong(correct).into_iter().map(|wrong| {
        let state = match (
            correct.pointer(&wrong.place),
            wrong.value.pointer(&wrong.place),
        ) {
            (_, None) => State::Missing,
            (_, Some(Value::Null)) => State::Null,
            (Some(Value::Number(_)), Some(Value::Number(found)))
                if found.is_f64() && found.as_f64().is_some_and(|it| it.fract() == 0.0) =>
            {
                State::OtherSpelling
            }
            (Some(correct), Some(found)) if kind(correct) == kind(found) => State::OutOfRange,
            _ => State::OtherType,
        };
        (wrong, state)
    })
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn trial(place: Option<(Wrong, State)>, mut case: Value, need: Need) -> Trial {
    set(&mut case, "exact", json!(true));
    let what = place.as_ref().map_or_else(
        || "a correct one".to_owned(),
        |(wrong, _)| {
            let found = wrong.value.pointer(&wrong.place);
            let outer = wrong.place.rsplit_once('/').map_or("", |(outer, _)| outer);
            let outer = wrong.value.pointer(outer);
            let is_more = outer.is_some_and(|outer| outer.get(UNKNOWN).is_some());
            match found {
                Some(found) => format!("{} {found}", wrong.place),
                None if is_more => format!("{} unknown instead", wrong.place),
                None => format!("{} absent", wrong.place),
            }
        },
    );
    Trial {
        name: String::new(),
        what,
        case,
        call: json!({}),
        need,
        breaks: false,
        place,
    }
}

/// Sets a member of an object.
pub(super) fn set(object: &mut Value, member: &str, value: Value) {
    if let Some(members) = object.as_object_mut() {
        members.insert(member.to_owned(), value);
    }
}

/// Gives each trial a name of its own.
pub(super) fn numbered(mut trials: Vec<Trial>) -> Vec<Trial> {
    for (index, trial) in trials.iter_mut().enumerate() {
        trial.name = format!("odd-{index}");
    }
    trials
}

impl Set {
    /// Writes the cases for `server.py`.
    ///
    /// # Errors
    ///
    /// One line if the file cannot be written.
    pub(super) fn write(
        folder: &Path,
        file: &str,
        kind: Kind,
        version: Option<&'static str>,
        trials: Vec<Trial>,
    ) -> Result<Self, String> {
        let path = folder.join(format!("{file}.json"));
        let cases = trials.iter().map(|trial| {
            let mut case = trial.case.clone();
            set(&mut case, "name", json!(trial.name));
            set(&mut case, "family", json!("reader"));
            case
        });
        let cases = Value::Array(cases.collect());
        std::fs::write(&path, cases.to_string()).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(Self {
            kind,
            version,
            file: path.display().to_string(),
            trials,
        })
    }
}
