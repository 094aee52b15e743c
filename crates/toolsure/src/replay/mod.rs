//! `toolsure replay`: serves a recording, for tests of clients without the server.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use clap::{Args, ValueEnum};
use toolsure_json::{Key as _, Node as _, OwnedDocument, View, equal_values, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::INVALID_PARAMS;

use crate::exit::{Exit, Failure};
use crate::listing::UNLIMITED;
use crate::local;
use crate::recording::{CallEnd, Exchange, Recording};
use crate::serve::{self, Called, Dispatch, Fault, ServeArgs, Served};
use crate::term::Term;

/// Serve a recording in place of the server
///
/// Speaks every published version of MCP. A call gets the recorded answer of the call with equal arguments: the order of
/// members and the spelling of numbers do not matter, and a member that has its schema's default counts as absent. Equal
/// calls get their answers in the recorded order, and the last one from then on. Any other call is refused.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ReplayArgs {
    /// A file that `toolsure test-server --record` wrote
    #[arg(value_name = "FILE")]
    file: PathBuf,

    #[command(flatten)]
    serve: ServeArgs,

    /// Answer calls as a broken server would
    #[arg(long, value_enum)]
    fault: Option<Broken>,

    /// Break only calls of this tool; may be repeated
    #[arg(long = "tool", value_name = "NAME", requires = "fault")]
    tools: Vec<String>,
}

/// How a server is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Broken {
    /// No answer
    Hang,
    /// Half of the answer, then the connection ends
    Cut,
    /// A result whose structured content does not match the output schema
    InvalidResult,
    /// The answer after 3 s
    Slow,
}

/// Runs the command until its input ends or a signal stops it.
pub(crate) fn run(args: &ReplayArgs, term: &Term) -> Result<Exit, Failure> {
    let recording = Recording::read(&args.file, local::BYTES)?;
    let replayed = Replayed {
        defaults: defaults(&recording.tools),
        used: Mutex::default(),
        broken: args.fault,
        broken_tools: args.tools.clone(),
        recording,
    };
    serve::run(Box::new(replayed), &args.serve, term)
}

/// A recording that answers calls.
#[derive(Debug)]
struct Replayed {
    recording: Recording,
    /// The defaults of members, as JSON texts, by tool and member.
    defaults: HashMap<String, HashMap<String, String>>,
    /// How often each exchange has answered.
    used: Mutex<HashMap<usize, usize>>,
    broken: Option<Broken>,
    broken_tools: Vec<String>,
}

impl Served for Replayed {
    fn info(&self) -> String {
        self.recording.server.clone()
    }

    fn instructions(&self) -> Option<&str> {
        self.recording.instructions.as_deref()
    }

    fn tools(&self, _: Era) -> Vec<String> {
        self.recording.tools.clone()
    }

    fn call(&self, name: &str, arguments: &str, era: Era) -> Option<Called> {
        let is_listed = self.defaults.contains_key(name);
        if !is_listed && !self.recording.exchanges.iter().any(|one| one.tool == name) {
            return None;
        }
        let Some(exchange) = self.recorded(name, arguments) else {
            return Some(Called {
                members: Err(self.unrecorded(name, arguments)),
                dispatch: Dispatch::AtOnce,
            });
        };
        let (members, dispatch) = match &exchange.ended {
            CallEnd::Result(text) => (Ok(members(text, era)), Dispatch::AtOnce),
            CallEnd::Error(code, message, data) => {
                let mut fault = Fault::plain(*code, message.clone());
                fault.data.clone_from(data);
                (Err(fault), Dispatch::AtOnce)
            }
            CallEnd::Silence => (Ok(String::new()), Dispatch::Never),
            CallEnd::Unreadable(_) | CallEnd::TooLarge(_) | CallEnd::Lost(_) => {
                (Ok(String::new()), Dispatch::Cut)
            }
        };
        let is_broken =
            self.broken_tools.is_empty() || self.broken_tools.iter().any(|it| it == name);
        let (members, dispatch) = match self.broken.filter(|_| is_broken) {
            None => (members, dispatch),
            Some(Broken::Hang) => (members, Dispatch::Never),
            Some(Broken::Cut) => (members, Dispatch::Cut),
            Some(Broken::Slow) => (members, Dispatch::After(SLOW)),
            Some(Broken::InvalidResult) => (Ok(INVALID_RESULT.to_owned()), dispatch),
        };
        Some(Called { members, dispatch })
    }
}

impl Replayed {
    /// The recorded call with equal arguments: the next one that has not answered yet, or else the last.
    fn recorded(&self, name: &str, arguments: &str) -> Option<&Exchange> {
        let defaults = self.defaults.get(name);
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let mut last = None;
        for (number, one) in self.recording.exchanges.iter().enumerate() {
            if one.tool != name || !is_same(&one.arguments, arguments, defaults) {
                continue;
            }
            last = Some((number, one));
            if !used.contains_key(&number) {
                break;
            }
        }
        let (number, exchange) = last?;
        let count = used.entry(number).or_default();
        *count = count.saturating_add(1);
        Some(exchange)
    }

    fn unrecorded(&self, name: &str, arguments: &str) -> Fault {
        let of_tool = self
            .recording
            .exchanges
            .iter()
            .filter(|one| one.tool == name);
        let closest = of_tool.min_by_key(|one| distance(&one.arguments, arguments));
        let closest = closest.map_or_else(
            || "no call of it is recorded".to_owned(),
            |one| format!("the closest is `{}`", quote(&one.arguments, 200)),
        );
        let message = format!(
            "no recorded call of `{}` has these arguments; {closest}",
            quote(name, 60)
        );
        Fault::plain(INVALID_PARAMS, message)
    }
}

/// The members of a recorded result. In versions in which results have a type and `_meta`, these are made anew.
fn members(text: &str, era: Era) -> String {
    let Ok(document) = OwnedDocument::read(text.as_bytes(), &UNLIMITED) else {
        return String::new();
    };
    let own = ["resultType", "_meta"];
    let members = document.document().root().members();
    let kept = members.filter(|(key, _)| !(era.has_result_types() && own.contains(&key.text())));
    let texts = kept.map(|(key, value)| {
        let name = toolsure_json::json_string(key.text());
        format!("{name}:{}", value.raw())
    });
    texts.collect::<Vec<_>>().join(",")
}

/// Whether two objects are equal, if members with their defaults count as absent.
fn is_same(one: &str, other: &str, defaults: Option<&HashMap<String, String>>) -> bool {
    let read = |text: &str| OwnedDocument::read(text.as_bytes(), &UNLIMITED);
    let (Ok(one), Ok(other)) = (read(one), read(other)) else {
        return false;
    };
    let (one, other) = (one.document().root(), other.document().root());
    let is_default = |name: &str, value: View<'_>| {
        let default = defaults.and_then(|defaults| defaults.get(name));
        default.is_some_and(|default| {
            let document = read(default);
            document.is_ok_and(|document| equal_values(document.document().root(), value))
        })
    };
    let includes = |outer: View<'_>, inner: View<'_>| {
        inner
            .members()
            .all(|(key, value)| match outer.member(key.text()) {
                Some(same) => equal_values(same, value),
                None => is_default(key.text(), value),
            })
    };
    includes(one, other) && includes(other, one)
}

/// How many members differ.
fn distance(one: &str, other: &str) -> usize {
    let read = |text: &str| OwnedDocument::read(text.as_bytes(), &UNLIMITED);
    let (Ok(one), Ok(other)) = (read(one), read(other)) else {
        return usize::MAX;
    };
    let (one, other) = (one.document().root(), other.document().root());
    let missing = |these: View<'_>, those: View<'_>| {
        let all = these.members();
        all.filter(|(key, _)| those.member(key.text()).is_none())
            .count()
    };
    let different = one.members().filter(|(key, value)| {
        let same = other.member(key.text());
        same.is_some_and(|same| !equal_values(same, *value))
    });
    // A member that only one has is further away than two values.
    let missing = missing(one, other).saturating_add(missing(other, one));
    missing.saturating_mul(2).saturating_add(different.count())
}

/// The defaults of the members of each tool's arguments.
fn defaults(tools: &[String]) -> HashMap<String, HashMap<String, String>> {
    let mut all = HashMap::new();
    for text in tools {
        let Ok(document) = OwnedDocument::read(text.as_bytes(), &UNLIMITED) else {
            continue;
        };
        let root = document.document().root();
        let name = root
            .member("name")
            .map_or("", |name| name.string())
            .to_owned();
        let schema = root.member("inputSchema");
        let properties = schema.and_then(|schema| schema.member("properties"));
        let members = properties.into_iter().flat_map(View::members);
        let own = members.filter_map(|(key, schema)| {
            let default = schema.member("default")?;
            Some((key.text().to_owned(), default.raw().to_owned()))
        });
        all.insert(name, own.collect());
    }
    all
}

/// How long a slow answer takes.
const SLOW: Duration = Duration::from_secs(3);
/// A result whose structured content fits few schemas.
const INVALID_RESULT: &str = r#""content":[{"type":"text","text":"{\"toolsure\":[null]}"}],"structuredContent":{"toolsure":[null]}"#;

const AFTER_HELP: &str = "\
Examples:
  toolsure replay calls.jsonl
  toolsure replay --http 127.0.0.1:8931 calls.jsonl
  toolsure replay --fault hang --tool get_order calls.jsonl

Exit codes:
  0  the input ended, or a signal stopped it
  2  wrong usage, or a file that is no recording";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_with_the_same_members_is_closer_than_one_without() {
        let asked = r#"{"a": 77, "b": 77}"#;
        let by_distance = [
            r#"{"b": 77, "a": 77.0}"#,
            r#"{"a": 77, "b": 1}"#,
            r#"{"a": 1, "b": 1}"#,
            "{}",
        ];
        let distances = by_distance.map(|one| distance(one, asked));
        assert_eq!(distances, [0, 1, 2, 4]);
    }

    #[test]
    fn equal_arguments_are_equal_in_json_and_with_defaults() {
        let defaults = HashMap::from([("limit".to_owned(), "10".to_owned())]);
        for (one, other, same) in [
            (r#"{"a": 1, "b": 2}"#, r#"{"b": 2.0, "a": 1}"#, true),
            (r#"{"a": 1}"#, r#"{"a": 1, "limit": 10}"#, true),
            (r#"{"a": 1}"#, r#"{"a": 1, "limit": 11}"#, false),
            (r#"{"a": 1}"#, "{}", false),
        ] {
            assert_eq!(is_same(one, other, Some(&defaults)), same, "{one} {other}");
        }
        assert_eq!(distance(r#"{"a": 1}"#, r#"{"a": 2, "b": 1}"#), 3);
    }
}
