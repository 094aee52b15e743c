//! Translates messages of older clients for the server.

use toolsure_json::Node as _;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{Message, Notification, Request, write};

use super::{Call, CallStage, LegacyClients, Own, Stage};
use crate::id::IdKey;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::turn::Turn;
use crate::translate::words::{self, Abilities, Level};

impl LegacyClients {
    pub(in crate::translate) fn client(&mut self, parsed: &ParsedMessage<'_>, turn: &mut Turn) {
        match parsed.message {
            Message::Request(request) => self.request(parsed, &request, turn),
            Message::Notification(notification) => {
                self.notification(parsed, &notification, turn);
            }
            Message::Result(outcome) => self.answered(parsed, outcome.id, turn),
            Message::Error(Some(id), _) => self.answered(parsed, id, turn),
            Message::Error(None, _) => turn
                .out
                .note("client-error", "an error that names no request"),
        }
    }

    fn request(&mut self, parsed: &ParsedMessage<'_>, request: &Request<'_>, turn: &mut Turn) {
        let id = request.id.raw();
        match Era::declared(request.params) {
            Some(Ok(era)) if era.declares_version() => return self.send_on(parsed, turn),
            Some(Err(version)) => return turn.out.client(Refusal::version(version).to(id)),
            // A declaration of an older version is ignored: those versions have no such declaration.
            Some(Ok(_)) | None => {}
        }
        let key = IdKey::of(request.id);
        if self.calls.contains_key(&key) || self.own.contains_key(&key) {
            return turn.out.client(Refusal::id_reused().to(id));
        }
        let refusal = match request.method {
            "ping" => return turn.out.client(write::result(id, "{}")),
            "initialize" => self.initialize(request, turn),
            _ if self.session.stage == Stage::Closed => {
                Err(Refusal::order("a session begins with `initialize`"))
            }
            "logging/setLevel" => self.set_level(request, turn),
            "resources/subscribe" | "resources/unsubscribe" => {
                let why = "the server has no subscriptions that outlive a request";
                Err(Refusal::method(request.method, why))
            }
            method if method.starts_with("tasks/") => Err(Refusal::method(method, words::NO_TASKS)),
            _ => self.call(parsed, request, key, turn),
        };
        if let Err(refusal) = refusal {
            turn.out.client(refusal.to(id));
        }
    }

    /// Opens the session by asking the server for its description.
    fn initialize(&mut self, request: &Request<'_>, turn: &mut Turn) -> Result<(), Refusal> {
        if self.session.stage != Stage::Closed {
            return Err(Refusal::order("the session is open already"));
        }
        let member = |name| request.params.and_then(|params| params.member(name));
        let capabilities = member("capabilities").filter(|is| words::is_object(*is));
        let asked = member("protocolVersion").map(|version| version.string());
        let known = asked.and_then(Era::from_version);
        let info = member("clientInfo").filter(|is| words::is_object(*is));
        self.session.stage = Stage::Opening;
        self.session.era = known
            .filter(|era| era.has_sessions())
            .unwrap_or(Era::NEWEST_WITH_SESSIONS);
        self.session.info = info.map(|info| info.raw().to_owned());
        self.session.capabilities =
            capabilities.map_or_else(|| "{}".to_owned(), rewrite::modern_capabilities);
        self.session.abilities = capabilities.map(Abilities::of).unwrap_or_default();
        let meta = self.declaration().join(",");
        let own = Own::Discover(request.id.raw().to_owned());
        self.ask(
            "server/discover",
            &format!(r#"{{"_meta":{{{meta}}}}}"#),
            own,
            turn,
        );
        Ok(())
    }

    fn set_level(&mut self, request: &Request<'_>, turn: &mut Turn) -> Result<(), Refusal> {
        if !self.session.logs && self.session.stage == Stage::Open {
            return Err(Refusal::method(request.method, "the server writes no log"));
        }
        let level = request.params.and_then(|params| params.member("level"));
        let Some(level) = level.and_then(Level::read) else {
            return Err(Refusal::params(
                "`level` must be one of the protocol's levels",
            ));
        };
        self.session.level = Some(level);
        turn.out.client(write::result(request.id.raw(), "{}"));
        Ok(())
    }

    /// Sends any other request to the server, with the declarations that the server requires.
    fn call(
        &mut self,
        parsed: &ParsedMessage<'_>,
        request: &Request<'_>,
        key: IdKey,
        turn: &mut Turn,
    ) -> Result<(), Refusal> {
        let allowed = self.bounds.pending;
        if self.calls.len() >= allowed {
            let text = format!("more open requests than the limit of {allowed} (pending)");
            return Err(Refusal::limit(text));
        }
        let message = rewrite::modernised(parsed, request, &self.declaration(), None)?;
        let bytes = parsed.whole.bytes();
        let is_kept = words::may_ask(request.method) && self.held.hold(bytes.len()).is_ok();
        let text = is_kept.then(|| bytes.to_vec());
        let call = Call {
            id: request.id.raw().to_owned(),
            method: crate::envelope::method_name(request.method),
            text,
            rounds: 0,
            stage: CallStage::Pending(None),
        };
        self.calls.insert(key, call);
        self.send(message, turn);
        Ok(())
    }

    fn notification(
        &mut self,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        match notification.method {
            "notifications/initialized" => self.listen(turn),
            "notifications/cancelled" => self.cancel(parsed, notification, turn),
            // The modern era has neither changing roots nor requests to clients
            // that could make progress.
            "notifications/roots/list_changed" | "notifications/progress" => {}
            _ => self.send_on(parsed, turn),
        }
    }

    /// Handles the cancellation of a request by the client.
    fn cancel(
        &mut self,
        parsed: &ParsedMessage<'_>,
        notification: &Notification<'_>,
        turn: &mut Turn,
    ) {
        let id = notification
            .params
            .and_then(|params| params.member("requestId"));
        let call = id.and_then(|id| self.forget(&IdKey::read(id.raw())?, turn));
        match (call.map(|call| call.stage), id) {
            (Some(CallStage::Asking(_)), _) => {}
            (Some(CallStage::Pending(Some(own))), Some(id)) => {
                let message = rewrite::replaced(parsed, id, &own.raw());
                self.send(message, turn);
            }
            _ => self.send_on(parsed, turn),
        }
    }
}
