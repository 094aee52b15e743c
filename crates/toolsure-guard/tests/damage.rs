//! A session in which one message is damaged: cut or split at any byte, lost, repeated or late, on
//! either side of each kind of hub. Whatever comes, every request that arrived whole is
//! answered once, and everything that leaves is JSON.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a panic is how a test fails"
)]

#[expect(dead_code, reason = "the fuzz target uses the rest")]
#[path = "support/simulated.rs"]
mod simulated;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::Value;
use simulated::{Kind, Sent, Session, sent};
use toolsure_guard::{Guard, NodeId, Side};

/// What happens to one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Damage {
    /// Only its first bytes arrive; none at all if there are 0.
    Cut(usize),
    /// It arrives as two messages.
    Split(usize),
    /// It arrives twice.
    Twice,
    /// It arrives after everything else.
    Late,
}

/// One run of a session.
struct Run {
    session: Session,
    damage: Option<(Side, usize, Damage)>,
    /// How many messages each side has sent.
    counts: BTreeMap<&'static str, usize>,
    late: Vec<(Option<NodeId>, Vec<u8>)>,
    /// The lengths of the messages of each side.
    lengths: BTreeMap<&'static str, Vec<usize>>,
    servers: BTreeSet<NodeId>,
    /// How often each id of the client arrived whole, arrived damaged, and was answered.
    whole: BTreeMap<String, usize>,
    damaged: BTreeMap<String, usize>,
    answers: BTreeMap<String, usize>,
    /// What the hub has sent to the server and is not answered.
    asked: VecDeque<Sent>,
}

impl Run {
    fn new(kind: Kind, guard: &Guard, number: u64, damage: Option<(Side, usize, Damage)>) -> Self {
        Self {
            session: Session::new(kind, guard, number),
            damage,
            counts: BTreeMap::new(),
            late: Vec::new(),
            lengths: BTreeMap::new(),
            servers: BTreeSet::new(),
            whole: BTreeMap::new(),
            damaged: BTreeMap::new(),
            answers: BTreeMap::new(),
            asked: VecDeque::new(),
        }
    }

    /// Plays the session to its end.
    fn play(mut self) -> Self {
        let kind = self.session.kind;
        let calls = [kind.call(10), kind.call(11)];
        for message in kind.opening().into_iter().chain(calls) {
            self.arrive(None, message.as_bytes());
            self.answer_all();
        }
        for (from, message) in std::mem::take(&mut self.late) {
            self.deliver(from, &message, true);
            self.answer_all();
        }
        for server in self.servers.clone() {
            let sent = sent(self.session.gone(server));
            self.leave(sent);
        }
        self
    }

    fn answer_all(&mut self) {
        while let Some(asked) = self.asked.pop_front() {
            if let Some(answer) = self.session.kind.answer(&asked.bytes) {
                self.arrive(asked.to, answer.as_bytes());
            }
        }
    }

    /// A message of one side arrives, as its damage wants it.
    fn arrive(&mut self, from: Option<NodeId>, message: &[u8]) {
        let side = side_of(from);
        let count = self.counts.entry(side.name()).or_default();
        let index = *count;
        *count += 1;
        let lengths = self.lengths.entry(side.name()).or_default();
        lengths.push(message.len());
        let damage = self
            .damage
            .filter(|(of, at, _)| *of == side && *at == index);
        match damage.map(|(_, _, damage)| damage) {
            None => self.deliver(from, message, true),
            Some(Damage::Cut(at)) => self.broken(from, message, &[&message[..at]]),
            Some(Damage::Split(at)) => {
                let (first, second) = message.split_at(at);
                self.broken(from, message, &[first, second]);
            }
            Some(Damage::Twice) => {
                self.deliver(from, message, true);
                self.deliver(from, message, true);
            }
            Some(Damage::Late) => self.late.push((from, message.to_vec())),
        }
    }

    fn broken(&mut self, from: Option<NodeId>, message: &[u8], pieces: &[&[u8]]) {
        if from.is_none()
            && let Some(id) = request_id(message)
        {
            *self.damaged.entry(id).or_default() += pieces.len();
        }
        for piece in pieces {
            // Transports drop blank lines.
            if !piece.is_empty() {
                self.deliver(from, piece, false);
            }
        }
    }

    fn deliver(&mut self, from: Option<NodeId>, message: &[u8], whole: bool) {
        if whole
            && from.is_none()
            && let Some(id) = request_id(message)
        {
            *self.whole.entry(id).or_default() += 1;
        }
        let sent = sent(self.session.say(from, message));
        self.leave(sent);
    }

    /// Messages that leave the hub.
    fn leave(&mut self, sent: Vec<Sent>) {
        for one in sent {
            let message: Value = serde_json::from_slice(&one.bytes).unwrap();
            match one.to {
                Some(server) => {
                    self.servers.insert(server);
                    self.asked.push_back(one);
                }
                None => {
                    if message.get("method").is_none()
                        && let Some(id) = message.get("id")
                    {
                        *self.answers.entry(id.to_string()).or_default() += 1;
                    }
                }
            }
        }
    }

    /// Every request that arrived whole is answered once; one that arrived damaged, at most once for
    /// each piece.
    fn check(&self) {
        let (kind, damage) = (self.session.kind, self.damage);
        for (id, whole) in &self.whole {
            let answers = self.answers.get(id).copied().unwrap_or_default();
            let damaged = self.damaged.get(id).copied().unwrap_or_default();
            assert!(
                (*whole..=whole + damaged).contains(&answers),
                "{kind:?}, {damage:?}: {answers} answers to {id}, which arrived {whole} times whole \
                 and in {damaged} damaged pieces"
            );
        }
    }
}

fn side_of(server: Option<NodeId>) -> Side {
    match server {
        None => Side::Client,
        Some(_) => Side::Server,
    }
}

fn request_id(message: &[u8]) -> Option<String> {
    let message: Value = serde_json::from_slice(message).ok()?;
    message.get("method")?;
    Some(message.get("id")?.to_string())
}

fn every_damage(kind: Kind) {
    let guard = kind.guard();
    let whole = Run::new(kind, &guard, 0, None).play();
    whole.check();
    assert_eq!(whole.answers.get("10"), Some(&1), "{kind:?}");
    let mut number = 0;
    let mut damaged = |side, index, damage| {
        number += 1;
        let damage = Some((side, index, damage));
        Run::new(kind, &guard, number, damage).play().check();
    };
    for side in [Side::Client, Side::Server] {
        for (index, length) in whole.lengths[side.name()].iter().enumerate() {
            damaged(side, index, Damage::Twice);
            damaged(side, index, Damage::Late);
            for at in 0..*length {
                damaged(side, index, Damage::Cut(at));
                damaged(side, index, Damage::Split(at));
            }
        }
    }
}

#[test]
fn filters() {
    every_damage(Kind::Filters);
}

#[test]
fn legacy_clients() {
    every_damage(Kind::LegacyClients);
}

#[test]
fn modern_clients() {
    every_damage(Kind::ModernClients);
}

#[test]
fn aggregate() {
    every_damage(Kind::Aggregate);
}
