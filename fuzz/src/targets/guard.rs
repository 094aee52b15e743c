//! The guard's hub, without I/O, between two sides that say anything at any time.
//!
//! The first part of an input names what stands between them, each other part is an event, written
//! as in the guard's own dialogues (`crates/toolsure-guard/tests/cases`): `C> TEXT` the client says
//! this, `S> TEXT`, `S2> TEXT` and `a> TEXT` a server does, `at MS` time passes, `gone client` and
//! `gone server` a side leaves. `answer` lets a server answer what it was asked, `reload N` puts
//! another policy in force.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use toolsure_guard::policy::{
    BadResult, Mode, OnUndecided, Project, ProjectionLimits, Projector, Repair, reader,
};
use toolsure_guard::{
    HubEffect, HubEffects, IdKey, NodeId, Policy, Report, replace_lone_surrogates,
};
use toolsure_json::{DuplicateKeys, Kind as Json, Node as _, OwnedDocument, ReadLimits, View};
use toolsure_testkit::place;

use super::target::Target;
use crate::Outcome;
use crate::ensure;
use crate::input::{join, parts};
use crate::seeds::Seeds;

#[expect(
    dead_code,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "shared with the guard's own tests, where a panic is how one fails"
)]
#[path = "../../../crates/toolsure-guard/tests/support/simulated.rs"]
mod simulated;

use simulated::{KINDS, Kind, Sent, Session};

pub(super) const TARGET: Target = Target {
    name: "guard",
    about: "whatever both sides say: no request has two answers, each that arrived whole has one at the end, and all that leaves is JSON",
    run,
    seeds,
    gate: 9_000,
};

fn run(input: &[u8]) -> Outcome {
    let mut parts = parts(input);
    let name = parts.next().unwrap_or_default();
    let kind = KINDS
        .into_iter()
        .find(|kind| kind.name().as_bytes() == name);
    let kind = kind.unwrap_or(Kind::Filters);
    let mut run = Run::new(kind);
    for event in parts.take(MOST_EVENTS) {
        if run.ended {
            break;
        }
        run.event(event)?;
    }
    run.finish()
}

/// How often something happened to each id of the client.
type Count = HashMap<IdKey, usize>;

struct Run {
    session: Session,
    /// Servers that have a connection.
    servers: BTreeSet<NodeId>,
    /// What servers were asked and have not answered.
    asked: VecDeque<Sent>,
    /// The last state that a client was given to come back with.
    state: String,
    /// Requests that arrived whole.
    whole: Count,
    /// Messages that may or may not be a request of this id.
    doubtful: Count,
    cancelled: HashSet<IdKey>,
    answers: Count,
    /// The client has left, or was left.
    ended: bool,
}

impl Run {
    fn new(kind: Kind) -> Self {
        let session = Session::new(kind, &kind.guard(), 0);
        Self {
            servers: session.servers.iter().copied().collect(),
            session,
            asked: VecDeque::new(),
            state: String::new(),
            whole: Count::new(),
            doubtful: Count::new(),
            cancelled: HashSet::new(),
            answers: Count::new(),
            ended: false,
        }
    }

    fn event(&mut self, event: &[u8]) -> Outcome {
        let space = event.iter().position(|byte| *byte == b' ');
        let (word, rest) = event
            .split_at_checked(space.unwrap_or(event.len()))
            .unwrap_or_default();
        let rest = rest.strip_prefix(b" ").unwrap_or(rest);
        match word {
            b"C>" => {
                let text = self.with_state(rest);
                self.note_client(&text);
                self.say(None, &text)
            }
            b"at" => self.pass(number(rest)),
            b"gone" if rest.starts_with(b"server") => {
                for server in self.servers.clone() {
                    self.close(server)?;
                }
                Ok(())
            }
            b"gone" => {
                self.ended = true;
                Ok(())
            }
            b"answer" => self.answer(),
            b"reload" => {
                let policy = policy(&self.session.guard.policy(), number(rest));
                let changed = self.session.guard.replace(policy);
                changed.map_err(|error| format!("the policy is refused: {error}"))
            }
            _ => match server(word) {
                Some(at) => match self.session.servers.get(at).copied() {
                    Some(server) => self.say(Some(server), rest),
                    None => Ok(()),
                },
                None => Ok(()),
            },
        }
    }

    /// A client's message with the state that it was given.
    fn with_state(&self, text: &[u8]) -> Vec<u8> {
        match std::str::from_utf8(text) {
            Ok(text) => text.replace("$STATE", &self.state).into_bytes(),
            Err(_) => text.to_vec(),
        }
    }

    /// Counts what the client asks for.
    fn note_client(&mut self, text: &[u8]) {
        let strict = read(text, DuplicateKeys::Refuse);
        let plain = strict.is_some();
        let Some(document) = strict.or_else(|| read(text, DuplicateKeys::KeepLast)) else {
            // An id may still be found in it, and is answered if so.
            self.doubt_all(text);
            return;
        };
        if !plain {
            self.doubt_all(text);
            return;
        }
        let root = document.document().root();
        let messages: Vec<View<'_>> = match root.kind() {
            Json::Array => root.items().collect(),
            _ => vec![root],
        };
        let mut unclear = messages.len() > 1;
        for message in messages {
            let id = message.member("id").and_then(|id| IdKey::read(id.raw()));
            let method = message
                .member("method")
                .filter(|name| name.kind() == Json::String);
            if let Some(method) = method
                && method.string() == "notifications/cancelled"
                && let Some(params) = message.member("params")
                && let Some(of) = params.member("requestId")
            {
                self.cancelled.extend(IdKey::read(of.raw()));
            }
            match (id, method) {
                // A stream is open for as long as anybody may have something to say.
                (Some(id), Some(method)) if method.string() == "subscriptions/listen" => {
                    *self.doubtful.entry(id).or_default() += 1;
                }
                (Some(id), Some(_)) if message.member("result").is_none() => {
                    *self.whole.entry(id).or_default() += 1;
                }
                (Some(id), _) => *self.doubtful.entry(id).or_default() += 1,
                (None, _) => unclear |= method.is_some(),
            }
        }
        // A batch, or a message without a clear id, may be answered as a whole.
        if unclear {
            self.doubt_all(text);
        }
    }

    /// Any id whose text is in a message may be that of a request.
    fn doubt_all(&mut self, text: &[u8]) {
        let text = replace(text);
        let words = text.split(|c: char| !(c.is_ascii_alphanumeric() || "-+._\"\\".contains(c)));
        let known: Vec<IdKey> = words.filter_map(IdKey::read).collect();
        for id in known {
            *self.doubtful.entry(id).or_default() += 1;
        }
        // An id with other characters is only known by the answer: see `finish`.
        self.doubtful.entry(IdKey::Text("".into())).or_default();
    }

    fn say(&mut self, from: Option<NodeId>, text: &[u8]) -> Outcome {
        let effects = self.session.say(from, text);
        self.carry_out(effects)
    }

    fn close(&mut self, server: NodeId) -> Outcome {
        let effects = self.session.gone(server);
        self.carry_out(effects)
    }

    fn pass(&mut self, to: u64) -> Outcome {
        let to = Duration::from_millis(to.min(LONGEST_MS));
        self.session.now = self.session.now.max(to);
        let now = self.session.now;
        for _ in 0..MOST_TIMERS {
            let effects = self.session.hub.tick(now);
            self.session.note_opened(&effects);
            self.carry_out(effects)?;
            let next = self.session.hub.next_deadline();
            if next.is_none_or(|next| next > now) {
                return Ok(());
            }
        }
        Err(format!("at {now:?} the timer never has enough"))
    }

    /// The servers answer what they were asked.
    fn answer(&mut self) -> Outcome {
        for _ in 0..MOST_ANSWERS {
            let Some(asked) = self.asked.pop_front() else {
                break;
            };
            if let Some(answer) = self.session.kind.answer(&asked.bytes) {
                self.say(asked.to, answer.as_bytes())?;
            }
        }
        Ok(())
    }

    fn carry_out(&mut self, effects: HubEffects) -> Outcome {
        for (count, effect) in effects.into_iter().enumerate() {
            ensure!(count < MOST_EFFECTS, "more than {MOST_EFFECTS} effects");
            match effect {
                HubEffect::ToClient(message) => {
                    let bytes = message.into_bytes();
                    self.sent(Sent { to: None, bytes })?;
                }
                HubEffect::ToServer(server, message) => {
                    let (to, bytes) = (Some(server), message.into_bytes());
                    self.sent(Sent { to, bytes })?;
                }
                HubEffect::Open(server, _) => drop(self.servers.insert(server)),
                HubEffect::Close(server) => drop(self.servers.remove(&server)),
                HubEffect::Finish(_) => self.ended = true,
                HubEffect::Report(_, Report::Decision(record)) => {
                    let line = record.to_json();
                    ensure!(
                        read(line.as_bytes(), DuplicateKeys::Refuse).is_some()
                            && !line.contains('\n'),
                        "the record is not JSON of one line: {line:?}"
                    );
                }
                HubEffect::Abandon(..)
                | HubEffect::MemberGone(..)
                | HubEffect::Tools(_)
                | HubEffect::Received(..)
                | HubEffect::Report(_, Report::Note { .. }) => {}
            }
        }
        Ok(())
    }

    fn sent(&mut self, sent: Sent) -> Outcome {
        // What came in may have had two members of one name, also in a part that was not altered.
        let Some(document) = read(&sent.bytes, DuplicateKeys::KeepLast) else {
            let shown = String::from_utf8_lossy(&sent.bytes);
            return Err(format!("leaves to {:?} and is not JSON: {shown}", sent.to));
        };
        let root = document.document().root();
        let messages: Vec<View<'_>> = match root.kind() {
            Json::Array => root.items().collect(),
            _ => vec![root],
        };
        match sent.to {
            Some(_) => {
                if self.asked.len() < MOST_ANSWERS {
                    self.asked.push_back(sent);
                }
            }
            None => {
                for message in messages {
                    let state = message
                        .member("result")
                        .and_then(|result| result.member("requestState"));
                    if let Some(state) = state.filter(|state| state.kind() == Json::String) {
                        state.string().clone_into(&mut self.state);
                    }
                    let id = message.member("id").and_then(|id| IdKey::read(id.raw()));
                    if message.member("method").is_none()
                        && let Some(id) = id
                    {
                        self.answered(id, message.raw())?;
                    }
                }
            }
        }
        Ok(())
    }

    fn answered(&mut self, id: IdKey, answer: &str) -> Outcome {
        let answers = self.answers.entry(id.clone()).or_default();
        *answers += 1;
        let whole = self.whole.get(&id).copied().unwrap_or_default();
        let doubtful = self.doubtful.get(&id).copied().unwrap_or_default();
        // Ids that are no plain words are not found in messages that cannot be read.
        let plain = id
            .raw()
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-+._\"".contains(c));
        let unread = self.doubtful.contains_key(&IdKey::Text("".into()));
        ensure!(
            *answers <= whole + doubtful || (unread && !plain),
            "{answers} answers to {id}, which came {whole} times whole and {doubtful} times in doubt; the last: {answer}"
        );
        Ok(())
    }

    /// Every server ends; then nobody may wait for anything.
    fn finish(mut self) -> Outcome {
        if self.ended {
            return Ok(());
        }
        // What one cannot answer any more may be asked of the next.
        let mut closed = BTreeSet::new();
        while let Some(server) = self.servers.difference(&closed).next().copied() {
            ensure!(closed.len() < MOST_SERVERS, "servers are opened for ever");
            closed.insert(server);
            self.close(server)?;
        }
        for (id, whole) in &self.whole {
            let answers = self.answers.get(id).copied().unwrap_or_default();
            ensure!(
                answers >= *whole || self.cancelled.contains(id) || self.ended,
                "{answers} answers to {id}, which was asked {whole} times"
            );
        }
        Ok(())
    }
}

/// Another policy, one of a few dozen.
fn policy(old: &Policy, number: u64) -> Policy {
    let mut policy = old.clone();
    let bit = |at: u32| number.checked_shr(at).unwrap_or_default() & 1 == 1;
    policy.repair = if bit(0) { Repair::All } else { Repair::Certain };
    policy.results = if bit(1) { Mode::Audit } else { Mode::Enforce };
    policy.bad_result = if bit(2) {
        BadResult::DropStructured
    } else {
        BadResult::Flag
    };
    policy.project = if bit(3) { Project::Drop } else { Project::Wrap };
    policy.on_unlisted = if bit(4) {
        OnUndecided::Pass
    } else {
        OnUndecided::Refuse
    };
    policy.inline_refs = bit(5);
    policy.arguments = if bit(6) { Mode::Off } else { Mode::Enforce };
    policy.limits.pending = if bit(7) { 2 } else { 1_000 };
    let reader = if bit(9) { "openai-strict" } else { "gemini" };
    policy.project_for = self::reader(reader).filter(|_| bit(8)).map(|reader| {
        let limits = ProjectionLimits::without_relations();
        Arc::new(Projector::new(reader).limits(limits))
    });
    policy
}

/// The place among the servers of the one that a dialogue names: `S`, `S2`, or a member of an aggregate by
/// its letter.
fn server(word: &[u8]) -> Option<usize> {
    match word {
        b"S>" => Some(0),
        [b'S', digit @ b'1'..=b'9', b'>'] => Some(usize::from(digit - b'1')),
        [letter @ b'a'..=b'c', b'>'] => Some(usize::from(letter - b'a')),
        _ => None,
    }
}

fn number(text: &[u8]) -> u64 {
    let text = std::str::from_utf8(text).unwrap_or_default();
    text.trim().parse().unwrap_or_default()
}

fn replace(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    replace_lone_surrogates(&text).into_owned()
}

fn read(text: &[u8], duplicate_keys: DuplicateKeys) -> Option<OwnedDocument> {
    let text = replace_lone_surrogates(std::str::from_utf8(text).ok()?);
    let limits = ReadLimits {
        duplicate_keys,
        ..LIMITS
    };
    OwnedDocument::read(text.as_bytes(), &limits).ok()
}

/// The guard's own dialogues, and sessions in which the server answers everything.
fn seeds(_: &Seeds) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for kind in KINDS {
        let mut events = vec![kind.name().to_owned()];
        for message in kind.opening() {
            events.extend([format!("C> {message}"), "answer".to_owned()]);
        }
        events.extend([
            format!("C> {}", kind.call(10)),
            format!("C> {}", kind.call(11)),
        ]);
        events.extend([
            "answer".to_owned(),
            format!("reload {}", 7),
            format!("C> {}", kind.call(12)),
        ]);
        events.push("answer".to_owned());
        seeds.push(join(&events));
    }
    let tests = place::workspace().join("crates/toolsure-guard/tests");
    for folder in ["cases", "translations", "aggregate"] {
        let files = place::files(&tests.join(folder), "txt").unwrap_or_default();
        for file in files {
            let Ok(text) = fs::read_to_string(&file) else {
                continue;
            };
            let name = match folder {
                "aggregate" => Kind::Aggregate,
                "translations" if text.contains("modern-client") => Kind::ModernClients,
                "translations" => Kind::LegacyClients,
                _ => Kind::Filters,
            };
            let said: Vec<&str> = text.lines().filter(|line| is_event(line)).collect();
            for piece in said.chunks(MOST_EVENTS / 4) {
                let mut events = vec![name.name()];
                events.extend(piece);
                seeds.push(join(&events));
            }
        }
    }
    seeds
}

fn is_event(line: &str) -> bool {
    let word = line.split(' ').next().unwrap_or_default();
    matches!(word, "C>" | "at" | "gone") || server(word.as_bytes()).is_some()
}

/// What leaves may be as deep and as long as what came in.
const LIMITS: ReadLimits = ReadLimits {
    bytes: usize::MAX,
    depth: 100_000,
    nodes: usize::MAX,
    digits: usize::MAX,
    duplicate_keys: DuplicateKeys::Refuse,
};
/// Events of one input.
const MOST_EVENTS: usize = 80;
/// Effects of one event: one message for each that is pending, and a few.
const MOST_EFFECTS: usize = 10_000;
/// Connections to servers that one input may open.
const MOST_SERVERS: usize = 1_000;
/// Requests to servers that are remembered.
const MOST_ANSWERS: usize = 1_000;
/// How often a timer may want to be called again at once.
const MOST_TIMERS: usize = 100;
/// An hour.
const LONGEST_MS: u64 = 3_600_000;
