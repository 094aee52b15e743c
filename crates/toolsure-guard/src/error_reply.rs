//! The error that is sent in place of a message that cannot be read.

use toolsure_mcp::message::INTERNAL_ERROR;

use crate::fault::Act;
use crate::id::IdKey;
use crate::side::Side;
use crate::unparsable::Recovery;

/// The error to send because a message cannot be read, so that nobody waits forever. Each variant with
/// a string holds a JSON-RPC error.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ErrorReply {
    /// The message was a request: the error goes back to its sender.
    ToSender(String),
    /// The message was an answer: the error replaces it.
    InPlace(String),
    /// Nobody waits for it.
    NotNeeded,
}

impl ErrorReply {
    /// The reply to an unreadable message of `from`. `is_json` means that it is valid JSON but not a
    /// JSON-RPC message; `why` is one line.
    pub(crate) fn of(from: Side, message: &[u8], is_json: bool, why: &str) -> Self {
        let found = Recovery::of(message);
        // The id is written anew, because the error must be readable whatever the message contains.
        let Some(id) = found.id.as_deref().and_then(IdKey::read) else {
            return Self::NotNeeded;
        };
        let is_answer = match from {
            Side::Client => found.is_answer,
            // If the message has neither a method nor a result, it is more likely an answer.
            Side::Server => found.is_answer || found.method.is_none(),
        };
        let act = match (from, is_json) {
            (Side::Client, false) => Act::ClientSentNoJson,
            (Side::Client, true) => Act::ClientSentNoMessage,
            (Side::Server, false) => Act::ServerAnsweredNoJson,
            (Side::Server, true) => Act::ServerAnsweredNoMessage,
        };
        match is_answer {
            true => Self::InPlace(act.error(&id.raw(), INTERNAL_ERROR, &lost(from, why))),
            false => Self::ToSender(act.error(&id.raw(), act.rpc_code(), why)),
        }
    }
}

/// The text of the error that replaces an answer of `from`.
pub(crate) fn lost(from: Side, why: &str) -> String {
    format!("the {from}'s answer was lost: {why}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_that_waits_is_answered() {
        let of = |from, message: &str| ErrorReply::of(from, message.as_bytes(), false, "cut");
        let cut = r#"{"jsonrpc":"2.0","id":"a","#;
        let [refused, lost] = [
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32700,"message":"cut","data":{"code":"client-json"}}}"#,
            r#"{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"the server's answer was lost: cut","data":{"code":"server-json"}}}"#,
        ];
        assert_eq!(
            of(Side::Client, cut),
            ErrorReply::ToSender(refused.to_owned())
        );
        assert_eq!(of(Side::Server, cut), ErrorReply::InPlace(lost.to_owned()));
        let request = format!(r#"{cut}"method":"ping","params":"#);
        assert!(matches!(
            of(Side::Client, &request),
            ErrorReply::ToSender(_)
        ));
        assert!(matches!(
            of(Side::Server, &request),
            ErrorReply::ToSender(_)
        ));
        let answer = format!(r#"{cut}"result":{{"#);
        assert!(matches!(of(Side::Client, &answer), ErrorReply::InPlace(_)));
        assert!(matches!(of(Side::Server, &answer), ErrorReply::InPlace(_)));
        for nobody in ["", "x", r#"{"method":"notifications/x","#, r#"{"id":null,"#] {
            assert_eq!(of(Side::Server, nobody), ErrorReply::NotNeeded, "{nobody}");
        }
    }
}
