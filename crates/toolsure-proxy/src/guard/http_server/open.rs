//! `initialize`: a client opens a session.

use std::sync::Arc;

use hyper::Response;
use hyper::header::HeaderMap;
use tokio::sync::oneshot;
use toolsure_guard::{Envelope, Message};
use toolsure_mcp::message::INTERNAL_ERROR;

use super::session_table::NotOpened;
use super::{HttpServer, STOPPING, UpstreamPool};
use crate::guard::http_exchange::HttpExchange;
use crate::guard::reply::{SERVER_GONE, error, onward};
use crate::guard::request_permit::RequestPermit;
use crate::guard::session_router::{SessionRouter, SessionUpstream};
use crate::web::ResponseBody;

impl HttpServer {
    /// Opens a session, with the client's `initialize`.
    pub(super) async fn open(
        &self,
        headers: HeaderMap,
        envelope: &Envelope,
        message: Message,
        slot: RequestPermit,
    ) -> Response<ResponseBody> {
        let id = envelope.id.as_ref();
        if self.ctx.is_stopping() {
            return self.refusals.unavailable("stopping", id, STOPPING);
        }
        let table = &self.sessions;
        let counted = Arc::clone(&slot.counted);
        // Until the session is stored.
        let place = match table.room(&counted) {
            Ok(place) => place,
            Err(limit) => return self.refusals.limited(limit, id),
        };
        let sender = Arc::clone(&slot.sender);
        match &table.upstream_pool {
            UpstreamPool::Endpoint(endpoint) => {
                let passed = onward(&headers);
                let caller = sender.caller();
                let upstream = SessionUpstream::Endpoint(
                    Arc::clone(endpoint),
                    Arc::clone(&passed),
                    caller.clone(),
                );
                let (driver, number) = table.begin(&sender);
                let router = SessionRouter::new(driver, upstream);
                let mut exchange = HttpExchange::new(Arc::clone(&router), passed, false, slot);
                exchange.rewriter = table.session_id_rewriter(true, &sender);
                // The session, which has a clock, begins only with the answer.
                exchange.keeps_time = true;
                let response = exchange.post(envelope, message).await;
                if let Some(session_ids) = router.session_ids() {
                    let opened = (router, number, caller, counted);
                    table.add_session(&session_ids.client_id, &sender, opened);
                }
                drop(place);
                response
            }
            UpstreamPool::Children(pool) => {
                let peer = slot.peer.as_deref().cloned().unwrap_or_default();
                let who = (&*sender, counted, peer);
                let opened = table.open_child(pool, place, who, message.bytes()).await;
                let session = match opened {
                    Ok(session) => session,
                    Err(why) => return self.not_opened(why, envelope),
                };
                let mut exchange = HttpExchange::new(session.router, onward(&headers), false, slot);
                let known_as = session.name.to_str().unwrap_or_default().to_owned();
                exchange.session_id = Some(session.name);
                exchange.caller = Some(session.caller);
                let (opened, was_opened) = oneshot::channel();
                exchange.opened = Some(opened);
                let table = Arc::clone(table);
                tokio::spawn(async move {
                    // The client has left, or got an answer that opens no session.
                    if was_opened.await.is_err() {
                        table.end_session(&known_as);
                    }
                });
                exchange.post(envelope, message).await
            }
        }
    }

    fn not_opened(&self, why: NotOpened, envelope: &Envelope) -> Response<ResponseBody> {
        let id = envelope.id.as_ref();
        match why {
            NotOpened::Limit(limit) => self.refusals.limited(limit, id),
            NotOpened::Nameless(no_session_id) => {
                let (status, text) = no_session_id.response();
                error(status, id, ("session-unopened", INTERNAL_ERROR), &text)
            }
            NotOpened::Failed(fault) => {
                error(502, id, (SERVER_GONE, INTERNAL_ERROR), &fault.to_string())
            }
            NotOpened::Invalid(why) => self.refusals.no_session(why, envelope),
        }
    }
}
