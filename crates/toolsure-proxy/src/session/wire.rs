//! One interface to both transports.

use std::time::Duration;

use tokio::time::Instant;
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::message::write;

use crate::fault::{Fault, Phase};
use crate::http::{Call, Http, Outcome};
use crate::message::Answer;
use crate::notes::Notes;
use crate::stdio::Stdio;

/// One request.
pub(super) struct Request<'a> {
    pub(super) id: i64,
    pub(super) method: &'a str,
    pub(super) params: String,
    /// For a call: the contract of its tool.
    pub(super) contract: Option<&'a ToolContract>,
}

impl Request<'_> {
    fn text(&self) -> String {
        write::request(&self.id.to_string(), self.method, Some(&self.params))
    }

    fn call(&self) -> Call<'_> {
        Call {
            id: self.id,
            method: self.method,
            text: self.text(),
            era: None,
            opens_session: false,
            contract: self.contract,
        }
    }
}

/// The transport of an open session.
#[derive(Debug)]
pub(super) enum Wire {
    Stdio(Box<Stdio>),
    Http(Box<Http>),
}

impl Wire {
    /// Sends a request; `None` if there is no answer before the deadline.
    pub(super) async fn ask(
        &mut self,
        phase: Phase,
        request: &Request<'_>,
        until: Instant,
    ) -> Result<Option<Answer>, Fault> {
        match self {
            Self::Stdio(stdio) => {
                stdio.send(phase, &request.text(), until).await?;
                let answer = stdio.answer(phase, &[request.id], until).await?;
                Ok(answer.map(|(_, answer)| answer))
            }
            Self::Http(http) => match http.ask(phase, request.call(), until).await? {
                Outcome::Answer(answer) => Ok(Some(answer)),
                Outcome::Status(fault) => Err(fault),
                Outcome::Silence => Ok(None),
            },
        }
    }

    /// Sends two requests before it waits for either answer; `None` for one without an answer before the deadline.
    pub(super) async fn ask_both(
        &mut self,
        phase: Phase,
        requests: [&Request<'_>; 2],
        until: Instant,
    ) -> Result<[Option<Answer>; 2], Fault> {
        let stdio = match self {
            Self::Stdio(stdio) => stdio,
            Self::Http(http) => {
                let calls = requests.map(Request::call);
                return http.ask_both(phase, calls, until).await;
            }
        };
        for request in requests {
            stdio.send(phase, &request.text(), until).await?;
        }
        let mut answers = [None, None];
        let mut ids: Vec<i64> = requests.iter().map(|request| request.id).collect();
        while let Some((id, answer)) = stdio.answer(phase, &ids, until).await? {
            ids.retain(|one| *one != id);
            let at = requests.iter().position(|request| request.id == id);
            if let Some(place) = at.and_then(|at| answers.get_mut(at)) {
                *place = Some(answer);
            }
            if ids.is_empty() {
                break;
            }
        }
        Ok(answers)
    }

    /// Sends a request and cancels it.
    pub(super) async fn ask_and_cancel(
        &mut self,
        phase: Phase,
        request: &Request<'_>,
        (until, limit): (Instant, Duration),
    ) -> Result<(), Fault> {
        match self {
            Self::Stdio(stdio) => {
                let text = request.text();
                stdio
                    .send_and_cancel(phase, (request.id, &text), until)
                    .await
            }
            Self::Http(http) => {
                http.ask_and_cancel(phase, request.call(), (until, limit))
                    .await
            }
        }
    }

    pub(super) fn notes(&self) -> &Notes {
        match self {
            Self::Stdio(stdio) => stdio.notes(),
            Self::Http(http) => http.notes(),
        }
    }

    /// Adds what a child wrote to its standard error, unless the fault has it already.
    pub(super) fn with_last_words(&self, fault: Fault) -> Fault {
        match self {
            Self::Stdio(stdio) if fault.stderr().is_empty() => fault.with_stderr(stdio.stderr()),
            _ => fault,
        }
    }

    pub(super) async fn close(self, grace: Duration) {
        match self {
            Self::Stdio(stdio) => {
                stdio.close(grace).await;
            }
            Self::Http(http) => http.close(grace).await,
        }
    }
}
