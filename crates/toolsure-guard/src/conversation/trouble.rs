//! Messages that cannot be accepted: not JSON, not a message, or above a limit.
//!
//! No request may stay open because of such a message: the side that waits for an answer is found
//! by the id that can be recovered, and gets an error.

use toolsure_json::{ReadError, ReadErrorKind};
use toolsure_mcp::message::INTERNAL_ERROR;

use super::Conversation;
use super::open::What;
use super::turn::Turn;
use crate::envelope::method_name;
use crate::error_reply;
use crate::fault::Act;
use crate::id::IdKey;
use crate::record::{Action, Filter};
use crate::side::Side;
use crate::unparsable::{Recovered, Recovery};

impl Conversation {
    /// Handles a text that cannot be read.
    pub(super) fn unreadable(
        &mut self,
        turn: &mut Turn<'_>,
        from: Side,
        error: Option<&ReadError>,
    ) {
        let found = Recovery::of(turn.message.bytes());
        let too_long = error.is_some_and(|error| error.kind() == ReadErrorKind::TooLong);
        let act = match (from, too_long) {
            (Side::Client, true) => Act::ClientSentTooMuch,
            (Side::Client, false) => Act::ClientSentNoJson,
            (Side::Server, true) => Act::ServerAnsweredTooMuch,
            (Side::Server, false) => Act::ServerAnsweredNoJson,
        };
        if from == Side::Server && !too_long && self.salvage(turn, &found) {
            return;
        }
        let why = error.map(ToString::to_string).unwrap_or_default();
        self.lost(turn, from, &found, act, &why);
    }

    /// Answers the side that waits for a lost message.
    pub(super) fn lost(
        &mut self,
        turn: &mut Turn<'_>,
        from: Side,
        found: &Recovered,
        act: Act,
        text: &str,
    ) {
        match from {
            Side::Client => self.client_lost(turn, found, act, text),
            Side::Server => self.server_lost(turn, found, act, text),
        }
    }

    fn client_lost(&mut self, turn: &mut Turn<'_>, found: &Recovered, act: Act, text: &str) {
        if found.is_answer {
            // The server waits for it.
            let key = found.id.as_deref().and_then(IdKey::read);
            if let (Some(key), Some(id)) = (key, &found.id) {
                self.server_requests.remove(&key);
                let answer = act.error(id, INTERNAL_ERROR, &error_reply::lost(Side::Client, text));
                turn.answer(Side::Server, key, answer, Some(INTERNAL_ERROR));
            }
            let mut record = turn.fault(Side::Client, Filter::Envelope, Action::Refused, act);
            record.detail = Some(text.to_owned());
            turn.audit(record);
            return;
        }
        let method = found.method.as_deref();
        turn.refuse_text(found.id.as_deref(), method, act, text);
    }

    /// The id of the request that an answer with this id is for, if the server wrote a number as a string or a
    /// string as a number.
    pub(super) fn asked_otherwise(&self, key: &IdKey) -> Option<IdKey> {
        if self.open.contains(key) || self.list_fetch.is_own(key) {
            return None;
        }
        let asked = key.of_other_type()?;
        let open = self.open.get(&asked)?;
        (!matches!(open.what, What::Parked)).then_some(asked)
    }

    fn server_lost(&mut self, turn: &mut Turn<'_>, found: &Recovered, act: Act, text: &str) {
        let is_request = found.method.is_some() && !found.is_answer;
        let key = found.id.as_deref().and_then(IdKey::read);
        let key = key.map(|key| match is_request {
            true => key,
            false => self.asked_otherwise(&key).unwrap_or(key),
        });
        if let Some(key) = key.as_ref().filter(|_| !is_request)
            && let Some(open) = self.open.remove_sent(key)
        {
            let said = error_reply::lost(Side::Server, text);
            return turn.fail(key.clone(), &open, act, &said);
        }
        match key {
            Some(key) if is_request => {
                // A request of the server, which waits for an answer.
                let code = act.rpc_code();
                let answer = act.error(&key.raw(), code, text);
                turn.answer(Side::Server, key, answer, Some(code));
                let mut record = turn.fault(Side::Server, Filter::Envelope, Action::Refused, act);
                record.method = found.method.as_deref().map(method_name);
                record.detail = Some(text.to_owned());
                turn.audit(record);
            }
            Some(key) if self.list_fetch.is_own(&key) => self.list_fetch.fail(turn, text),
            _ => {
                let act = if found.is_json {
                    act
                } else {
                    Act::ServerMadeNoise
                };
                let mut record = turn.fault(Side::Server, Filter::Envelope, Action::Dropped, act);
                record.method = found.method.as_deref().map(method_name);
                record.detail = Some(text.to_owned());
                turn.audit(record);
            }
        }
    }

    /// Handles a page of tools that cannot be read because of some of its tools: the others are still
    /// listed.
    fn salvage(&mut self, turn: &mut Turn<'_>, found: &Recovered) -> bool {
        let key = found.id.as_deref().and_then(IdKey::read);
        let Some(key) = key.filter(|_| !found.is_ambiguous) else {
            return false;
        };
        if self.list_fetch.is_own(&key) {
            self.list_fetch.answered(turn, &self.scope, &self.open);
            return true;
        }
        let is_list = |open: &super::open::Open| matches!(open.what, What::List { .. });
        if self.open.get(&key).is_some_and(is_list)
            && let Some(open) = self.open.remove(&key)
        {
            self.page(turn, key, &open);
            return true;
        }
        false
    }
}
