//! Calls that the server has, and its questions to their clients.

use std::collections::VecDeque;
use std::time::Duration;

use toolsure_mcp::message::Request;

use super::handles::Repeated;
use crate::renumber::RequestOrigin;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::words::{self, Level};

/// A request that the server has.
#[derive(Debug)]
pub(super) struct Call {
    /// The client's request.
    pub(super) caller: RequestOrigin,
    pub(super) may_ask: bool,
    /// Whether the answer says how long it may be cached.
    pub(super) is_kept: bool,
    pub(super) level: Option<Level>,
    /// The hash that a request must match to continue this one.
    pub(super) repeated: Repeated,
    /// Questions of the server that the client has not seen yet.
    pub(super) asks: VecDeque<Ask>,
    /// The question that the client has seen and not answered.
    pub(super) shown: Option<Shown>,
    /// The server's answer, if it arrived while the client was asked.
    pub(super) answer: Option<Vec<u8>>,
    /// How many questions the server asked.
    pub(super) questions: usize,
}

impl Call {
    pub(super) fn new(request: &Request<'_>, level: Option<Level>, repeated: Repeated) -> Self {
        let may_ask = words::may_ask(request.method);
        Self {
            caller: RequestOrigin::of(request),
            may_ask,
            is_kept: words::is_kept(request.method),
            level,
            repeated,
            asks: VecDeque::new(),
            shown: None,
            answer: None,
            questions: 0,
        }
    }
}

/// A question of the server.
#[derive(Debug)]
pub(super) struct Ask {
    /// The server's id, as it wrote it.
    pub(super) id: String,
    pub(super) method: &'static str,
    /// As JSON text.
    pub(super) params: Option<String>,
}

impl Ask {
    pub(super) fn new(
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        method: &'static str,
    ) -> Self {
        Self {
            id: request.id.raw().to_owned(),
            method,
            params: request.params.map(|params| parsed.raw(params).to_owned()),
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.id.len() + self.params.as_ref().map_or(0, String::len)
    }

    /// The error answer to the server's question.
    pub(super) fn refused(&self, why: &str) -> String {
        Refusal::unanswered(why).to(&self.id)
    }
}

/// The question that the client was given.
#[derive(Debug)]
pub(super) struct Shown {
    /// `None` if the server has withdrawn it.
    pub(super) ask: Option<Ask>,
    /// The name under which the answer arrives.
    pub(super) name: String,
    pub(super) handle: String,
    pub(super) until: Duration,
}
