//! Plays the dialogues of `aggregate/`: what the client and several servers say, and what each is
//! sent, line by line. `aggregate/README.md` says how a dialogue is written.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

#[macro_use]
#[path = "support/played.rs"]
mod played;
#[path = "support/expected.rs"]
mod expected;

use std::collections::VecDeque;
use std::time::Duration;

use expected::matches;
use toolsure_guard::{
    Aggregator, AggregatorLimits, Connection, ConnectionId, Effect, Effects, Member, Report,
};

dialogues! { "aggregate":
    bounds
    calls
    discovery
    gone
    lists
    listening
    methods
    opening
    requests
    resources
    tasks
    unreadable
}

fn play(script: &str) {
    let mut play = Play {
        names: Vec::new(),
        aggregator: None,
        now: Duration::ZERO,
        said: VecDeque::new(),
    };
    for (index, line) in script.lines().enumerate() {
        if !line.is_empty() && !line.starts_with('#') {
            play.line(index + 1, line);
        }
    }
    play.silent(0, "the end");
}

struct Play {
    names: Vec<String>,
    aggregator: Option<Aggregator>,
    now: Duration,
    said: VecDeque<String>,
}

impl Play {
    fn line(&mut self, number: usize, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word.ends_with('<') || matches!(word, "!" | "version") {
            let said = self.said.pop_front();
            let said = said.unwrap_or_else(|| panic!("line {number}: silence for `{line}`"));
            assert!(
                matches(line, &said),
                "line {number}\n expected {line}\n    found {said}"
            );
            return;
        }
        self.silent(number, line);
        if word == "members" {
            return self.members(rest);
        }
        let now = self.now;
        let sender = word.strip_suffix('>');
        let aggregator = self.aggregator.as_mut().unwrap();
        let place = |name: &str| self.names.iter().position(|own| own == name).unwrap();
        let done = match (sender, word) {
            (Some("C"), _) => aggregator.on_message(Connection::Client, rest.as_bytes(), now),
            (Some(name), _) => {
                let from = Connection::Server(ConnectionId::new(place(name)));
                aggregator.on_message(from, rest.as_bytes(), now)
            }
            (None, "gone") => {
                let (name, why) = rest.split_once(' ').unwrap();
                aggregator.server_gone(place(name), why, now)
            }
            (None, "here") => aggregator.server_here(place(rest)),
            (None, "at") => {
                self.now = Duration::from_millis(rest.parse().unwrap());
                let now = self.now;
                aggregator.tick(now)
            }
            (None, "deadline") => {
                let at = aggregator.next_deadline();
                let found = at.map_or("none".to_owned(), |at| at.as_millis().to_string());
                assert_eq!(found, rest, "line {number}");
                Effects::default()
            }
            _ => panic!("line {number}: what is `{word}`?"),
        };
        for effect in done {
            let line = match effect {
                Effect::Send { to, message } => {
                    let line = json(message.into_bytes());
                    match to {
                        Connection::Client => format!("C< {line}"),
                        Connection::Server(at) => format!("{}< {line}", self.names[at.number()]),
                    }
                }
                Effect::Report(Report::Note {
                    connection: Some(at),
                    what,
                    detail,
                }) => format!("! {} {what} {detail}", self.names[at.number()]),
                Effect::ClientVersion(at, version) => {
                    format!("version {} {version}", self.names[at.number()])
                }
                Effect::Report(Report::Decision(record)) => {
                    let about = record.about.as_ref();
                    let shown = [
                        record.method.as_deref(),
                        record.tool.as_deref(),
                        about.map(|about| &*about.text),
                        record.detail.as_deref(),
                    ];
                    let shown: Vec<&str> = shown.into_iter().flatten().collect();
                    let action = record.action.name();
                    format!("! C {action} {} {}", record.code, shown.join(" | "))
                }
                other => panic!("line {number}: {other:?}"),
            };
            self.said.push_back(line);
        }
    }

    fn members(&mut self, rest: &str) {
        let mut bounds = AggregatorLimits::default();
        let mut members = Vec::new();
        self.names.clear();
        self.now = Duration::ZERO;
        for pair in rest.split_whitespace() {
            let (name, value) = pair.split_once('=').unwrap();
            match name {
                "pending" => bounds.pending = value.parse().unwrap(),
                "known" => bounds.known = value.parse().unwrap(),
                _ => {
                    self.names.push(name.to_owned());
                    members.push(Member {
                        name: name.to_owned(),
                        prefix: value.to_owned(),
                    });
                }
            }
        }
        self.aggregator = Some(Aggregator::new(members, bounds).unwrap());
    }

    fn silent(&self, number: usize, line: &str) {
        assert!(
            self.said.is_empty(),
            "line {number}, before `{line}`: not expected\n  {:#?}",
            self.said
        );
    }
}

fn json(line: Vec<u8>) -> String {
    let text = String::from_utf8(line).unwrap();
    let parsed = serde_json::from_str::<serde_json::Value>(&text);
    assert!(parsed.is_ok(), "no JSON: {text}");
    text
}
