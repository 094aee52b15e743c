//! What a tool or a prompt asks the client before it answers, in rounds.
//!
//! In the modern era each round is a result `input_required` and the client calls again
//! with its responses; the server keeps nothing, the round is sealed in `requestState`.
//! In the legacy era each question is a request to the client, in the middle of the call.

use rmcp::ErrorData;
use rmcp::model::{
    ClientCapabilities, CreateMessageResult, ElicitResult, InputRequest, InputRequests,
    InputRequiredResult, InputResponses, JsonObject, ListRootsResult, RequestStateCodec,
    SealOptions,
};
use rmcp::service::{Peer, RoleServer};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::material::{fill, read};

/// The questions, round by round.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ask {
    rounds: Vec<Map<String, Value>>,
    /// Whether the round travels in a sealed state. More than one round needs it.
    #[serde(default)]
    sealed: bool,
    /// Leaves out what the client cannot do, rather than refusing the call.
    #[serde(default)]
    only_declared: bool,
}

/// One call, as far as questions go.
pub(crate) struct Turn<'a> {
    /// The tool or prompt; a sealed state is good for no other.
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a JsonObject,
    pub(crate) responses: Option<&'a InputResponses>,
    pub(crate) state: Option<&'a str>,
    pub(crate) capabilities: &'a ClientCapabilities,
}

/// What a call leads to.
pub(crate) enum Reply {
    /// The client is asked, and calls again.
    More(InputRequiredResult),
    /// All questions are answered; these are the answers of the last round.
    Done(InputResponses),
}

impl Ask {
    /// The next step of a modern call.
    ///
    /// # Errors
    ///
    /// Invalid parameters if the state is not one that this server sealed for this name;
    /// a missing capability if the client cannot answer.
    pub(crate) fn next(
        &self,
        turn: &Turn<'_>,
        seals: &RequestStateCodec,
    ) -> Result<Reply, ErrorData> {
        let round = match turn.state {
            None => 0,
            Some(state) => opened(seals, state, turn.name)?,
        };
        // why: without its state a sealed round may not be skipped.
        let may_answer = !self.sealed || turn.state.is_some();
        let asked = self.requests(round, turn)?;
        let answered = turn
            .responses
            .filter(|_| may_answer)
            .and_then(|given| answers(&asked, given));
        match answered {
            None => self.more(asked, round, turn.name, seals),
            Some(given) if self.rounds.len() == round.saturating_add(1) => Ok(Reply::Done(given)),
            Some(_) => {
                let round = round.saturating_add(1);
                self.more(self.requests(round, turn)?, round, turn.name, seals)
            }
        }
    }

    /// All rounds of a legacy call, one request after the other.
    ///
    /// # Errors
    ///
    /// A missing capability, or what went wrong between client and server.
    pub(crate) async fn all(
        &self,
        turn: &Turn<'_>,
        peer: &Peer<RoleServer>,
    ) -> Result<InputResponses, ErrorData> {
        let mut last = InputResponses::new();
        for round in 0..self.rounds.len() {
            last.clear();
            for (key, request) in self.requests(round, turn)? {
                last.insert(key, request_at_once(request, peer).await?);
            }
        }
        Ok(last)
    }

    fn more(
        &self,
        asked: InputRequests,
        round: usize,
        name: &str,
        seals: &RequestStateCodec,
    ) -> Result<Reply, ErrorData> {
        let state = if self.sealed {
            let options = SealOptions::new().associated_data(name.as_bytes());
            Some(seals.seal_json_with(&round, &options).map_err(internal)?)
        } else {
            None
        };
        Ok(Reply::More(InputRequiredResult::new(Some(asked), state)))
    }

    /// The requests of one round, with the call's arguments in their places.
    fn requests(&self, round: usize, turn: &Turn<'_>) -> Result<InputRequests, ErrorData> {
        let Some(asked) = self.rounds.get(round) else {
            return Err(ErrorData::invalid_params(
                format!("`requestState` names round {round}, which does not exist"),
                None,
            ));
        };
        let mut requests = InputRequests::new();
        let mut undeclared = ClientCapabilities::default();
        for (key, request) in asked {
            let request: InputRequest = read(fill(request, turn.arguments))?;
            if declares(turn.capabilities, &request) {
                requests.insert(key.clone(), request);
            } else {
                require(&mut undeclared, &request);
            }
        }
        if undeclared == ClientCapabilities::default()
            || (self.only_declared && !requests.is_empty())
        {
            Ok(requests)
        } else {
            Err(ErrorData::missing_required_client_capability(undeclared))
        }
    }
}

/// The round in a sealed state.
fn opened(seals: &RequestStateCodec, state: &str, name: &str) -> Result<usize, ErrorData> {
    seals
        .open_json_with(state, name.as_bytes())
        .map_err(|error| ErrorData::invalid_params(format!("`requestState`: {error}"), None))
}

/// The responses to `asked`, if all are there and of the right shape; others are ignored.
fn answers(asked: &InputRequests, given: &InputResponses) -> Option<InputResponses> {
    asked
        .iter()
        .map(|(key, request)| {
            let response = given.get(key)?;
            has_shape(request, response).then(|| (key.clone(), response.clone()))
        })
        .collect()
}

fn has_shape(request: &InputRequest, response: &Value) -> bool {
    match request {
        InputRequest::Elicitation(_) => ElicitResult::deserialize(response).is_ok(),
        InputRequest::CreateMessage(_) => CreateMessageResult::deserialize(response).is_ok(),
        InputRequest::ListRoots(_) => ListRootsResult::deserialize(response).is_ok(),
        _ => false,
    }
}

fn declares(capabilities: &ClientCapabilities, request: &InputRequest) -> bool {
    match request {
        InputRequest::Elicitation(_) => capabilities.elicitation.is_some(),
        InputRequest::CreateMessage(_) => capabilities.sampling.is_some(),
        InputRequest::ListRoots(_) => capabilities.roots.is_some(),
        _ => false,
    }
}

fn require(capabilities: &mut ClientCapabilities, request: &InputRequest) {
    match request {
        InputRequest::Elicitation(_) => capabilities.elicitation = Some(Default::default()),
        InputRequest::CreateMessage(_) => capabilities.sampling = Some(Default::default()),
        InputRequest::ListRoots(_) => capabilities.roots = Some(Default::default()),
        _ => {}
    }
}

async fn request_at_once(
    request: InputRequest,
    peer: &Peer<RoleServer>,
) -> Result<Value, ErrorData> {
    match request {
        InputRequest::Elicitation(request) => value(peer.create_elicitation(request.params).await),
        InputRequest::CreateMessage(request) => value(peer.create_message(request.params).await),
        InputRequest::ListRoots(_) => value(peer.list_roots().await),
        _ => Err(internal(
            "the fixture asks what this protocol has no word for",
        )),
    }
}

fn value<T: serde::Serialize, E: std::fmt::Display>(
    response: Result<T, E>,
) -> Result<Value, ErrorData> {
    serde_json::to_value(response.map_err(internal)?).map_err(internal)
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
