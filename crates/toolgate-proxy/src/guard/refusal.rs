//! A server of several, or of another era, that refuses a client over HTTP (401, 403).
//!
//! The client must see the status and the challenge, or it cannot authorize itself (2025-11-25,
//! basic/authorization). Between the guards in this process are only lines: the refusal is kept
//! with the caller under a mark that nobody can guess, the mark goes through the lines in the
//! error, and the HTTP server turns it into the status of its answer.

use hyper::header::{HeaderMap, WWW_AUTHENTICATE};
use toolgate_guard::{Side, hex, read_message};
use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::message::{Edits, Message};

use super::session_driver::{OutgoingMessage, Output};
use crate::http::{Caller, Refusal};

/// A refusal, if a status with its headers is one.
pub(super) fn refusal(status: u16, headers: &HeaderMap) -> Option<Refusal> {
    let challenges = headers.get_all(WWW_AUTHENTICATE).iter().cloned().collect();
    matches!(status, 401 | 403).then_some(Refusal { status, challenges })
}

/// An order with the mark of a refusal in it, if it is the error that tells the client of it.
pub(super) fn marked(output: Output, caller: &Caller, refusal: &Refusal) -> Output {
    match output {
        Output::Send(mut outgoing)
            if outgoing.to == Side::Client && outgoing.envelope.is_answer() =>
        {
            if let Some(mark) = new_mark()
                && let Some(bytes) = with_mark(&outgoing.bytes, refusal.status, &mark)
            {
                caller.refused(mark, refusal.clone());
                outgoing.bytes = bytes;
            }
            Output::Send(outgoing)
        }
        output => output,
    }
}

/// An order with the status in it with which the upstream has answered, if it is the error that
/// tells the client of it: over lines there is no other place for it.
pub(super) fn with_status(output: Output, status: u16) -> Output {
    match output {
        Output::Send(mut outgoing)
            if status >= 400 && outgoing.to == Side::Client && outgoing.envelope.is_answer() =>
        {
            let member = format!("\"status\":{status}");
            let told = read_message(&outgoing.bytes, |message, text| {
                let Message::Error(Some(_), error) = message else {
                    return None;
                };
                let mut edits = Edits::new();
                match error.member("data") {
                    Some(data) if data.kind() == Kind::Object => {
                        edits.reshape(data, |_, _| false, &[member]);
                    }
                    Some(_) => return None,
                    None => {
                        let data = format!("\"data\":{{{member}}}");
                        edits.reshape(error, |_, _| false, &[data]);
                    }
                }
                Some(edits.apply(text).into_bytes())
            });
            if let Some(told) = told.flatten() {
                outgoing.bytes = told;
            }
            Output::Send(outgoing)
        }
        output => output,
    }
}

fn with_mark(answer: &[u8], status: u16, mark: &str) -> Option<Vec<u8>> {
    read_message(answer, |message, text| {
        let Message::Error(Some(_), error) = message else {
            return None;
        };
        let data = format!(r#"{{"code":"{CODE}","status":{status},"{MARK}":"{mark}"}}"#);
        let mut edits = Edits::new();
        match error.member("data") {
            Some(old) => edits.replace(old, data),
            None => edits.reshape(error, |_, _| false, &[format!("\"data\":{data}")]),
        }
        Some(edits.apply(text).into_bytes())
    })?
}

/// The head of the answer that an error with a mark is.
pub(super) fn head(outgoing: &OutgoingMessage, caller: &Caller) -> Option<Box<(u16, HeaderMap)>> {
    if !caller.has_refusals() || !outgoing.envelope.is_answer() {
        return None;
    }
    let mark = read_message(&outgoing.bytes, |message, _| {
        let Message::Error(_, error) = message else {
            return None;
        };
        let mark: View<'_> = error.member("data")?.member(MARK)?;
        (mark.kind() == Kind::String).then(|| mark.string().to_owned())
    })??;
    let Refusal { status, challenges } = caller.refusal(&mark)?;
    let mut headers = HeaderMap::new();
    for challenge in challenges {
        headers.append(WWW_AUTHENTICATE, challenge);
    }
    Some(Box::new((status, headers)))
}

fn new_mark() -> Option<String> {
    let mut mark = [0_u8; 16];
    getrandom::fill(&mut mark).ok()?;
    Some(hex(&mark))
}

const CODE: &str = "server-refused";
const MARK: &str = "refusal";
