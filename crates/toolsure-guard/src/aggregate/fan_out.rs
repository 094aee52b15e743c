//! Requests that go to all servers, and the answers that are there.

use std::time::Duration;

use toolsure_mcp::era::Era;
use toolsure_mcp::message::{INTERNAL_ERROR, Request};

use super::known::Subject;
use super::route::Refused;
use crate::reading::OwnedReading;
use crate::renumber::RequestOrigin;

/// The request that goes to all servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FanOutKind {
    Initialize,
    Discover,
    List(ListOf),
    /// `logging/setLevel`
    Level,
}

/// Which list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ListOf {
    Tools,
    Prompts,
    Resources,
    Templates,
    Tasks,
}

impl ListOf {
    /// The member that holds the items, and the member that identifies an item.
    pub(super) fn members(self) -> (&'static str, &'static str) {
        match self {
            Self::Tools => ("tools", "name"),
            Self::Prompts => ("prompts", "name"),
            Self::Resources => ("resources", "uri"),
            Self::Templates => ("resourceTemplates", "uriTemplate"),
            Self::Tasks => ("tasks", "taskId"),
        }
    }

    pub(super) fn subject(self) -> Option<Subject> {
        match self {
            Self::Tools | Self::Prompts => None,
            Self::Resources => Some(Subject::Uri),
            Self::Templates => Some(Subject::Template),
            Self::Tasks => Some(Subject::Task),
        }
    }
}

/// A request that several servers work on.
#[derive(Debug)]
pub(super) struct FanOut {
    pub(super) client: RequestOrigin,
    pub(super) kind: FanOutKind,
    pub(super) modern: bool,
    /// When the fan-out started.
    began: Duration,
    deadline: Duration,
    /// Whether the request is for the first page of a list.
    pub(super) first: bool,
    /// By server.
    parts: Vec<Part>,
    /// The `data` and the HTTP refusal of the first error, for the answer if all servers failed.
    pub(super) refused: Option<Refused>,
}

/// The part of one server in a fan-out.
#[derive(Debug)]
pub(super) enum Part {
    /// The server was not asked, because it has nothing, or nothing more.
    None,
    Awaited,
    /// Its result, as received.
    Answer(String),
    Failed(i64, String),
}

impl FanOut {
    /// A fan-out of a request of the client that starts now, of which no server has a part yet.
    pub(super) fn new(request: &Request<'_>, kind: FanOutKind, now: Duration) -> Self {
        Self {
            client: RequestOrigin::of(request),
            kind,
            modern: declares_version(request),
            began: now,
            deadline: now,
            first: true,
            parts: Vec::new(),
            refused: None,
        }
    }

    /// Begins to wait, for so long at most.
    pub(super) fn wait(&mut self, patience: Duration) {
        let patience = match self.kind {
            // A server that does not speak this version may stay silent while the client waits.
            FanOutKind::Discover => patience.min(SILENCE),
            _ => patience,
        };
        self.deadline = self.began.saturating_add(patience);
    }

    /// Adds the part of the next server.
    pub(super) fn add(&mut self, part: Part) {
        self.parts.push(part);
    }

    /// When to give up waiting.
    pub(super) fn deadline(&self) -> Duration {
        self.deadline
    }

    /// Shortens the wait to what a server gets that was silent before.
    pub(super) fn hurry(&mut self) {
        let soon = self.began.saturating_add(SILENCE);
        self.deadline = self.deadline.min(soon);
    }

    /// The part of each server.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Sets the part of a server that has answered, or that will not.
    pub(super) fn set_part(&mut self, route: usize, part: Part) {
        if let Some(slot) = self.parts.get_mut(route) {
            *slot = part;
        }
    }

    /// Whether no server has still to answer.
    pub(super) fn is_complete(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part, Part::Awaited))
    }

    /// Parses the answers again, each with its server.
    pub(super) fn answers(&self) -> Vec<(usize, OwnedReading)> {
        let parts = self.parts.iter().enumerate();
        let answers = parts.filter_map(|(route, part)| match part {
            // They were parsed when they arrived.
            Part::Answer(text) => Some((route, OwnedReading::read(text.as_str()).ok()?)),
            _ => None,
        });
        answers.collect()
    }
}

/// Whether an error to `server/discover` says that the server does not know the method. If the server
/// is down or broken instead, the error says nothing about its versions.
pub(super) fn refuses_discovery(code: i64) -> bool {
    code != INTERNAL_ERROR
}

/// How long a server may take to say that it knows `server/discover`, and how long a server that was
/// silent before may take to answer at all.
const SILENCE: Duration = Duration::from_secs(5);

/// Whether a request declares its version itself and needs no session.
pub(super) fn declares_version(request: &Request<'_>) -> bool {
    matches!(Era::declared(request.params), Some(Ok(era)) if era.declares_version())
}
