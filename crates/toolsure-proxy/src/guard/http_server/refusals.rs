//! Responses to refused requests: over a limit, in an unknown session, for another host.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hyper::Response;
use hyper::header::{HOST, HeaderMap, HeaderValue, RETRY_AFTER};
use tokio::time::Instant;
use toolsure_guard::{Envelope, IdKey};
use toolsure_json::quote;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{INTERNAL_ERROR, INVALID_REQUEST};

use super::limit::{Limit, limit_of};
use crate::guard::context::GuardContext;
use crate::guard::event::Event;
use crate::guard::reply::error;
use crate::guard::session_router::SessionRouter;
use crate::guard::tickets::NoSession;
use crate::http::{SESSION, VERSION};
use crate::web::{Refusal, ResponseBody};

/// Refuses requests, and says in the log when limits are reached.
pub(super) struct Refusals {
    ctx: Arc<GuardContext>,
    /// Whether a request for a host that is not allowed was logged; only the first one is.
    host_refusal_logged: AtomicBool,
    /// When the log last said that a limit is reached, by limit.
    limits_noted: Mutex<HashMap<&'static str, Instant>>,
}

impl Refusals {
    pub(super) fn new(ctx: &Arc<GuardContext>) -> Arc<Self> {
        Arc::new(Self {
            ctx: Arc::clone(ctx),
            host_refusal_logged: AtomicBool::new(false),
            limits_noted: Mutex::default(),
        })
    }

    pub(super) fn no_session(&self, why: NoSession, envelope: &Envelope) -> Response<ResponseBody> {
        let id = envelope.id.as_ref().filter(|_| envelope.is_request());
        if let NoSession::Limit(limit) = why {
            return self.limited(limit, id);
        }
        let (status, word, text) = why.response();
        if why == NoSession::OpeningFailed {
            return self.unavailable(word, id, text);
        }
        self.rejected(status, word);
        error(status, id, (word, INVALID_REQUEST), text)
    }

    /// Refuses a request whose header names an unsupported version (2025-11-25, basic/transports,
    /// "Protocol Version Header"), or in a session, a version without sessions. Ignores messages
    /// that name their own version, and `initialize`, which negotiates one.
    pub(super) fn unsupported(
        &self,
        headers: &HeaderMap,
        envelope: &Envelope,
    ) -> Option<Response<ResponseBody>> {
        let version = headers.get(VERSION)?;
        if envelope.version.is_some() || envelope.method.as_deref() == Some("initialize") {
            return None;
        }
        let text = version.to_str().unwrap_or("?");
        let in_session = headers.contains_key(SESSION);
        let fits = Era::from_version(text).is_some_and(|era| era.has_sessions() || !in_session);
        if fits {
            return None;
        }
        self.rejected(400, "version");
        let why = format!(
            "`MCP-Protocol-Version: {}` is not supported here; a session has one of {}",
            quote(text, SHOWN),
            Era::SESSION_VERSIONS.join(", ")
        );
        let id = envelope.id.as_ref().filter(|_| envelope.is_request());
        Some(error(400, id, ("version", INVALID_REQUEST), &why))
    }

    /// Refuses a request in a session whose header names another version than the session has.
    pub(super) fn of_other_version(
        &self,
        router: &SessionRouter,
        headers: &HeaderMap,
        envelope: &Envelope,
    ) -> Option<Response<ResponseBody>> {
        let named = headers.get(VERSION)?;
        let agreed = router.driver.era()?.version();
        if named.as_bytes() == agreed.as_bytes() {
            return None;
        }
        self.rejected(400, "version");
        let named = String::from_utf8_lossy(named.as_bytes());
        let why = format!(
            "`MCP-Protocol-Version: {}` is not the version of this session; send {agreed}, which `initialize` agreed on",
            quote(&named, SHOWN)
        );
        let id = envelope.id.as_ref().filter(|_| envelope.is_request());
        Some(error(400, id, ("version", INVALID_REQUEST), &why))
    }

    pub(super) fn turn_away(
        &self,
        refusal: Refusal,
        headers: &HeaderMap,
    ) -> Response<ResponseBody> {
        let status = refusal.status.as_u16();
        self.rejected(status, refusal.why);
        if status == 403
            && refusal.why == "host"
            && !self.host_refusal_logged.swap(true, Ordering::AcqRel)
        {
            let host = headers.get(HOST).map_or(&b""[..], HeaderValue::as_bytes);
            let host = String::from_utf8_lossy(host);
            let detail = format!(
                "a request for `{}` was refused (reported once): if clients know this server by that name, add it to `listen.hosts`",
                quote(&host, SHOWN)
            );
            self.ctx.note("host-refused", &detail);
        }
        let mut response = error(status, None, (refusal.why, INVALID_REQUEST), refusal.text);
        if status == 405 {
            let allow = HeaderValue::from_static("POST, GET, DELETE");
            response.headers_mut().insert("allow", allow);
        }
        response
    }

    /// Refuses a request over a limit.
    pub(super) fn limited(&self, limit: Limit, id: Option<&IdKey>) -> Response<ResponseBody> {
        self.later(limit.status(), limit.code(), id, limit.text())
    }

    pub(super) fn unavailable(
        &self,
        why: &'static str,
        id: Option<&IdKey>,
        text: &str,
    ) -> Response<ResponseBody> {
        self.later(503, why, id, text)
    }

    /// Refuses a request that may be sent again.
    fn later(
        &self,
        status: u16,
        why: &'static str,
        id: Option<&IdKey>,
        text: &str,
    ) -> Response<ResponseBody> {
        self.rejected(status, why);
        let mut response = error(status, id, (why, INTERNAL_ERROR), text);
        let after = HeaderValue::from_static("1");
        response.headers_mut().insert(RETRY_AFTER, after);
        response
    }

    pub(super) fn rejected(&self, status: u16, why: &'static str) {
        self.ctx.observe(&Event::Rejected { status, why });
        if let Some(setting) = limit_of(why)
            && self.is_first_in_a_while(why)
        {
            let detail = format!(
                "a limit is reached, and requests are refused with status {status}: {why} (limits.{setting}; reported at most once a minute)"
            );
            self.ctx.note("limit-reached", &detail);
        }
    }

    pub(super) fn is_first_in_a_while(&self, why: &'static str) -> bool {
        let mut noted = self
            .limits_noted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let before = noted.get(why).copied();
        let is_first =
            before.is_none_or(|before| now.saturating_duration_since(before) >= NOTED_EACH);
        if is_first {
            noted.insert(why, now);
        }
        is_first
    }
}

/// Maximum characters of untrusted text in a message.
const SHOWN: usize = 100;
/// How often the log says that a limit is reached.
const NOTED_EACH: Duration = Duration::from_secs(60);
