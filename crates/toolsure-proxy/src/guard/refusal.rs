//! Refusals of a server over HTTP (401, 403), and the errors that clients get for them.

use std::sync::Arc;

use hyper::header::{HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use toolsure_guard::{HttpRefusal, Message};
use toolsure_json::{Kind, Node as _, json_string};
use toolsure_mcp::message::{Edits, Message as Decoded};

use super::mailbox::UpstreamHead;
use crate::http::Caller;

/// The refusal in a response; `None` if the status is not 401 or 403. `authorization` is the number
/// of the caller's authorization that was refused.
pub(super) fn refusal(
    status: u16,
    headers: &HeaderMap,
    authorization: u64,
) -> Option<Arc<HttpRefusal>> {
    let challenges = headers.get_all(WWW_AUTHENTICATE).iter();
    matches!(status, 401 | 403).then(|| {
        Arc::new(HttpRefusal {
            status,
            challenges: challenges.map(|it| it.as_bytes().to_vec()).collect(),
            authorization,
        })
    })
}

/// Adds the upstream's HTTP status to an error for the client. The status is in its `data`, because
/// a client on stdio cannot see it elsewhere, with the authorization servers that the server names;
/// the refusal is attached for the HTTP server that the
/// client may be connected to.
pub(super) fn with_refusal(
    message: &mut Message,
    status: u16,
    refusal: Option<&Arc<HttpRefusal>>,
    authorization_servers: &[String],
) {
    if status < 400 || !message.envelope().is_answer() {
        return;
    }
    let is_refused = refusal.is_some();
    if let Some(text) = with_status(message, status, is_refused, authorization_servers) {
        message.set_text(text);
    }
    message.refusal = refusal.cloned();
}

fn with_status(
    answer: &Message,
    status: u16,
    refused: bool,
    authorization_servers: &[String],
) -> Option<String> {
    answer.decode(|message, text| {
        let Decoded::Error(Some(_), error) = message else {
            return None;
        };
        let mut status = format!("\"status\":{status}");
        if !authorization_servers.is_empty() {
            let servers = authorization_servers
                .iter()
                .map(|server| json_string(server));
            let servers = servers.collect::<Vec<_>>().join(",");
            status.push_str(&format!(",\"authorization_servers\":[{servers}]"));
        }
        let code = format!(r#""code":"{CODE}""#);
        let mut edits = Edits::new();
        match error.member("data") {
            Some(data) if refused => edits.replace(data, format!("{{{code},{status}}}")),
            Some(data) if data.kind() == Kind::Object => {
                edits.reshape(data, |_, _| false, &[status]);
            }
            Some(_) => return None,
            None => {
                let members = if refused {
                    format!("{code},{status}")
                } else {
                    status
                };
                edits.reshape(error, |_, _| false, &[format!("\"data\":{{{members}}}")]);
            }
        }
        Some(edits.apply(text))
    })?
}

/// The status and headers for an error that a refusal caused; `None` if the caller has renewed its
/// authorization since.
pub(super) fn head(message: &Message, caller: &Caller) -> Option<UpstreamHead> {
    message.envelope().error?;
    let refusal = message.refusal.as_deref()?;
    if refusal.authorization != caller.authorization_number() {
        return None;
    }
    let mut headers = HeaderMap::new();
    for challenge in &refusal.challenges {
        if let Ok(challenge) = HeaderValue::from_bytes(challenge) {
            headers.append(WWW_AUTHENTICATE, challenge);
        }
    }
    Some(Box::new((refusal.status, headers)))
}

const CODE: &str = "server-refused";
