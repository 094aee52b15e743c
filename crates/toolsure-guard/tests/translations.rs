//! Plays the dialogues of `translations/`: what each side says, and what the
//! translator between the eras must do about it. `translations/README.md` says
//! how a dialogue is written.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::string_slice,
    reason = "a panic is how a test fails"
)]

#[path = "support/expected.rs"]
mod expected;
#[macro_use]
#[path = "support/played.rs"]
mod played;

use std::collections::VecDeque;
use std::time::Duration;

use expected::matches;
use toolsure_guard::translate::{Clients, Translate, Translator};
use toolsure_guard::{Connection, ConnectionId, Effect, Effects, Policy, Report, ToolsEvent};

dialogues! { "translations":
    legacy_bounds
    legacy_inputs
    legacy_session
    legacy_subscription
    methods_legacy
    modern_abandoned
    modern_bounds
    modern_inputs
    modern_session
    modern_several
    modern_subscription
    same_era
    tools_changed
    unreadable
}

/// Plays a dialogue and panics at the first line that does not hold.
fn play(text: &str) {
    let mut stage = Stage::default();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim_end();
        if !line.is_empty() && !line.starts_with('#') {
            stage.line(number + 1, line);
        }
    }
    stage.expect_silence(text.lines().count(), "the end");
}

#[derive(Default)]
struct Stage {
    policy: Policy,
    translator: Option<Translator>,
    connections: Vec<ConnectionId>,
    now: Duration,
    said: VecDeque<String>,
    /// The last `requestState` that the client was given.
    state: String,
}

impl Stage {
    fn line(&mut self, number: usize, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let rest = &rest.replace("$STATE", &self.state);
        if word.ends_with('<') || matches!(word, "open" | "close" | "finish" | "note" | "tools") {
            let said = self.said.pop_front();
            let said = said.unwrap_or_else(|| "nothing".to_owned());
            let expected = format!("{word} {rest}");
            assert!(
                matches(expected.trim_end(), &said),
                "line {number}: expected\n  {expected}\nfound\n  {said}"
            );
            return;
        }
        self.expect_silence(number, line);
        let now = self.now;
        match word {
            "limit" => {
                let (name, value) = rest.split_once('=').unwrap();
                let value: usize = value.parse().unwrap();
                match name {
                    "pending" => self.policy.limits.pending = value,
                    "parked" => self.policy.limits.parked = value,
                    "parked_bytes" => self.policy.limits.parked_bytes = value,
                    "ms" => {
                        let ms = u64::try_from(value).unwrap();
                        self.policy.request_timeout = Some(Duration::from_millis(ms));
                    }
                    _ => panic!("line {number}: what is `{name}`?"),
                }
            }
            "legacy-clients" => self.begin(Translate::LegacyClients, Clients::One),
            "modern-client" => self.begin(Translate::ModernClients, Clients::One),
            "modern-clients" => self.begin(Translate::ModernClients, Clients::Many),
            "C>" => self.event(
                |it| it.on_message(Connection::Client, rest.as_bytes(), now),
                Some(rest),
            ),
            "at" => {
                self.now = Duration::from_millis(rest.parse().unwrap());
                let now = self.now;
                self.event(|it| it.tick(now), None);
            }
            "gone" => {
                let (connection, why) = rest.split_once(' ').unwrap();
                let connection = self.connection(number, connection);
                self.event(|it| it.server_gone(connection, why, now), None);
            }
            "restarted" => self.event(|it| it.tools_event(ToolsEvent::SessionEnded), None),
            "deadline" => {
                let deadline = self.translator.as_ref().unwrap().next_deadline();
                let found = deadline.map_or("none".to_owned(), |at| at.as_millis().to_string());
                assert_eq!(&found, rest, "line {number}");
            }
            _ => {
                let connection = word
                    .strip_prefix('S')
                    .and_then(|word| word.strip_suffix('>'));
                let Some(connection) = connection else {
                    panic!("line {number}: what is `{word}`?");
                };
                let connection = self.connection(number, connection);
                self.event(
                    |it| it.on_message(Connection::Server(connection), rest.as_bytes(), now),
                    Some(rest),
                );
            }
        }
    }

    fn begin(&mut self, translate: Translate, clients: Clients) {
        let policy = &self.policy;
        self.translator = Some(Translator::new(translate, clients, [7; 32], policy));
        self.connections.clear();
    }

    fn connection(&self, number: usize, connection: &str) -> ConnectionId {
        let of = |one: &&ConnectionId| one.number().to_string() == connection;
        let found = self.connections.iter().find(of);
        *found.unwrap_or_else(|| panic!("line {number}: there is no connection {connection}"))
    }

    fn event(&mut self, event: impl FnOnce(&mut Translator) -> Effects, message: Option<&str>) {
        for step in event(self.translator.as_mut().unwrap()) {
            if let Effect::Open(connection) = &step {
                self.connections.push(*connection);
            }
            let said = shown(&step, message);
            if let Some((_, after)) = said.split_once(r#""requestState":""#)
                && said.starts_with("C<")
            {
                self.state = after.split('"').next().unwrap().to_owned();
            }
            self.said.push_back(said);
        }
    }

    fn expect_silence(&self, number: usize, line: &str) {
        assert!(
            self.said.is_empty(),
            "line {number}, before `{line}`: nobody expected\n  {:#?}",
            self.said
        );
    }
}

/// A step as a dialogue writes it.
fn shown(step: &Effect, message: Option<&str>) -> String {
    let (to, sent) = match step {
        Effect::Open(connection) => return format!("open {}", connection.number()),
        Effect::Close(connection) => return format!("close {}", connection.number()),
        Effect::Finish => return "finish".to_owned(),
        Effect::Report(Report::Note { what, detail, .. }) => {
            return format!("note {what} {detail}");
        }
        Effect::Tools(ToolsEvent::Changed) => return "tools changed".to_owned(),
        Effect::Tools(ToolsEvent::SessionEnded) => return "tools session".to_owned(),
        Effect::Send { to, message } => (to, message),
        Effect::Abandon { .. }
        | Effect::Report(Report::Decision(_))
        | Effect::ClientVersion(..) => {
            panic!("not a translator's: {step:?}")
        }
    };
    let bytes = sent.bytes();
    let whom = match to {
        Connection::Client => "C<".to_owned(),
        Connection::Server(connection) => format!("S{}<", connection.number()),
    };
    let text = std::str::from_utf8(bytes).unwrap();
    let is_json = serde_json::from_str::<serde_json::Value>(text).is_ok();
    assert!(is_json, "the translator wrote no JSON: {text}");
    if sent.is_unchanged && Some(text) == message {
        return format!("{whom} same");
    }
    match sent.ttl {
        Some(ttl) => format!("{whom} ttl={} {text}", ttl.as_millis()),
        None => format!("{whom} {text}"),
    }
}
