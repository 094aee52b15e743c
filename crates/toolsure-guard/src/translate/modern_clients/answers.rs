//! The answers of the server, as newer clients get them.

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{INVALID_PARAMS, RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED, write};

use super::ModernClients;
use crate::connection::ConnectionId;
use crate::envelope::error_code;
use crate::message::{Message, kept};
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words::{self, ELICITATION};

impl ModernClients {
    /// Answers a call with the answer that was kept for it.
    pub(super) fn deliver(
        &mut self,
        connection: ConnectionId,
        number: i64,
        answer: &[u8],
        turn: &mut Turn,
    ) {
        let answer = kept(answer);
        let Ok(parsed) = ParsedMessage::of(&answer) else {
            return;
        };
        let result = rewrite::outcome(&parsed);
        self.finish(connection, number, &parsed, result, turn);
    }

    /// Answers a call.
    pub(super) fn finish(
        &mut self,
        connection: ConnectionId,
        number: i64,
        parsed: &ParsedMessage<'_>,
        result: Option<View<'_>>,
        turn: &mut Turn,
    ) {
        let session = self.sessions.get_mut(&connection);
        let Some(mut call) = session.and_then(|session| session.calls.remove(&number)) else {
            return;
        };
        self.left(&call.caller.key);
        self.release(&call);
        // The server asked this for a call that ends now, so no client can answer it.
        for ask in call.asks.drain(..) {
            turn.out.server(connection, ask.refused("the call is over"));
        }
        let id = call.caller.id.as_str();
        let answer = match result {
            Some(result) if words::is_object(result) => {
                let added = if call.is_kept { KEPT } else { PLAIN };
                let added: Vec<String> = added.iter().map(|&member| member.to_owned()).collect();
                let gone = |name: &str| {
                    name == "resultType" || call.is_kept && matches!(name, "ttlMs" | "cacheScope")
                };
                rewrite::answer(parsed, Some(id), Some(result), gone, &added)
            }
            Some(_) => Refusal::answer("the server's result is not an object")
                .to(id)
                .into(),
            None => self.error(connection, parsed, id),
        };
        turn.out.client(answer);
        self.admit(turn);
    }

    /// A server's error under the client's id. Two codes that do not exist in the modern era are replaced.
    pub(super) fn error(
        &self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        id: &str,
    ) -> Message {
        let error = parsed.view.member("error");
        match error.and_then(error_code) {
            Some(RESOURCE_NOT_FOUND) => {
                let mut edits = toolsure_mcp::message::Edits::new();
                let code = error.and_then(|error| error.member("code"));
                if let (Some(code), Some(old)) = (code, parsed.view.member("id")) {
                    edits.replace(code, INVALID_PARAMS.to_string());
                    edits.replace(old, id);
                }
                parsed.whole.edited(&edits)
            }
            Some(URL_ELICITATION_REQUIRED) => self.url_required(connection, parsed, id).into(),
            _ => rewrite::answer(parsed, Some(id), None, |_| false, &[]),
        }
    }

    /// Turns "send the person to this address, then call again" (2025-11-25, client/elicitation) into a
    /// question, after which the call is repeated.
    pub(super) fn url_required(
        &self,
        connection: ConnectionId,
        parsed: &ParsedMessage<'_>,
        id: &str,
    ) -> String {
        let data = parsed
            .view
            .member("error")
            .and_then(|error| error.member("data"));
        let wanted = data.and_then(|data| data.member("elicitations"));
        let abilities = self
            .sessions
            .get(&connection)
            .map(|session| session.abilities);
        let mut requests = Vec::new();
        for (index, params) in wanted.into_iter().flat_map(View::items).enumerate() {
            let missing = abilities
                .unwrap_or_default()
                .missing(ELICITATION, Some(params));
            if let Ok(Some(required)) = missing {
                return Refusal::capability(ELICITATION, required).to(id);
            }
            requests.push(format!(
                r#""url-{}":{{"method":"{ELICITATION}","params":{}}}"#,
                index + 1,
                params.raw()
            ));
        }
        if requests.is_empty() {
            return Refusal::input("the server wants a person to visit a URL but names none")
                .to(id);
        }
        let requests = requests.join(",");
        write::result(
            id,
            &format!(r#"{{"resultType":"input_required","inputRequests":{{{requests}}}}}"#),
        )
    }
}

/// The members that every result has (2026-07-28, basic).
const PLAIN: &[&str] = &[r#""resultType":"complete""#];
/// The members of a result that can be cached. A legacy server does not send them.
const KEPT: &[&str] = &[
    r#""resultType":"complete""#,
    r#""ttlMs":0"#,
    r#""cacheScope":"private""#,
];
