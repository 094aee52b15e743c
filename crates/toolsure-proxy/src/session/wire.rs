//! One interface to both transports.

use std::time::Duration;

use tokio::time::Instant;
use toolsure_mcp::message::write;

use crate::fault::{Fault, Phase};
use crate::http::{Call, Http, Outcome};
use crate::message::Answer;
use crate::notes::Notes;
use crate::stdio::Stdio;

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
        id: i64,
        method: &str,
        params: &str,
        until: Instant,
    ) -> Result<Option<Answer>, Fault> {
        let text = write::request(&id.to_string(), method, Some(params));
        match self {
            Self::Stdio(stdio) => {
                stdio.send(phase, &text, until).await?;
                Ok(stdio
                    .answer(phase, &[id], until)
                    .await?
                    .map(|(_, answer)| answer))
            }
            Self::Http(http) => {
                let call = Call {
                    id,
                    method,
                    text,
                    era: None,
                    opens_session: false,
                };
                match http.ask(phase, call, until).await? {
                    Outcome::Answer(answer) => Ok(Some(answer)),
                    Outcome::Status(fault) => Err(fault),
                    Outcome::Silence => Ok(None),
                }
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
