//! Transfer of legacy sessions between replicas: a replica that does not know a session opens its
//! upstream with the `initialize` that the session id contains.
//!
//! This works for upstreams in this process whose HTTP servers keep no state for a session. A
//! session with a process, or with a server that has a session of its own, cannot move.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hyper::header::HeaderMap;
use tokio::time::timeout;
use toolsure_guard::{IdKey, Peer, Side, read_message};
use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{Message, write};

use super::{Session, SessionTable};
use crate::guard::http_server::process_pool::UpstreamPool;
use crate::guard::identity::Identity;
use crate::guard::mailbox::{MailboxItem, mailbox};
use crate::guard::request_permit::RequestPermit;
use crate::guard::session_router::{SessionRouter, SessionUpstream};
use crate::guard::tickets::caller::digest;
use crate::guard::tickets::{NoSession, NotMovable, SessionLocation};
use crate::http::{SESSION, Standing};

impl SessionTable {
    /// The session of a request, which is opened here if it is not open and can move.
    pub(in crate::guard::http_server) async fn session_for(
        self: &Arc<Self>,
        headers: &HeaderMap,
        slot: &RequestPermit,
    ) -> Result<Option<Session>, NoSession> {
        match self.session_of(headers, &slot.sender, &slot.counted) {
            Err(NoSession::NotOpenHere) => {}
            known => return known,
        }
        let (table, headers) = (Arc::clone(self), headers.clone());
        let (sender, counted) = (Arc::clone(&slot.sender), Arc::clone(&slot.counted));
        // In a task of its own: the client may leave while others wait for the session too.
        let opening = tokio::spawn(async move {
            let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
            let name = name.ok_or(NoSession::Unknown)?;
            let turn = table.transfers.turn(name);
            let session = {
                let _turn = turn.lock().await;
                match table.session_of(&headers, &sender, &counted) {
                    Err(NoSession::NotOpenHere) => {
                        let opened = table.open_here(name, &sender, counted).await;
                        opened.map(Some)
                    }
                    known => known,
                }
            };
            table.transfers.done(name, turn);
            session
        });
        opening.await.unwrap_or(Err(NoSession::OpeningFailed))
    }

    /// Opens a session here, with the contents of its ticket.
    async fn open_here(
        self: &Arc<Self>,
        name: &str,
        sender: &Identity,
        counted: Arc<str>,
    ) -> Result<Session, NoSession> {
        let ticket = self.tickets.read(name, None, sender)?;
        let (SessionLocation::Anywhere(opening), UpstreamPool::Children(pool)) =
            (&ticket.contents.location, &self.upstream_pool)
        else {
            return Err(NoSession::Unknown);
        };
        if !pool.moves() {
            return Err(NoSession::OnOtherReplica(NotMovable::Process));
        }
        if self.transfers.is_over(name) {
            return Err(NoSession::Unknown);
        }
        if self.ctx.is_stopping() {
            return Err(NoSession::OpeningFailed);
        }
        let limit = NoSession::Limit;
        let _place = self.room(&counted).map_err(limit)?;
        let permit = self.permit(pool, &counted).await.map_err(limit)?;
        let (driver, number) = self.begin(sender);
        driver.stand_for_session(name.as_bytes());
        let caller = sender.caller().standing_for(Standing::Session(name.into()));
        let caller = caller.recorded_as(Arc::new(Peer {
            caller: sender.name.clone(),
            session: Some(digest(name.as_bytes()).into()),
            verified: sender.verified.clone(),
            ..Peer::default()
        }));
        let started = pool.start(&self.ctx, &caller);
        let (child, input) = started.map_err(|_observed| NoSession::OpeningFailed)?;
        let router = SessionRouter::new(driver, SessionUpstream::Child(input));
        let talking =
            Arc::clone(self).read_child(Arc::clone(&router), child, name.to_owned(), permit);
        tokio::spawn(talking);
        let opened = timeout(self.ctx.patience(), replay(&router, opening)).await;
        let opened = opened.unwrap_or(false);
        let session = Session {
            router,
            number,
            caller,
            counted,
            ticket: ticket.clone(),
        };
        let why = match opened {
            false => NoSession::OpeningFailed,
            true if session.caller.is_kept() => {
                NoSession::OnOtherReplica(NotMovable::UpstreamSession)
            }
            true => {
                let session = self.insert_session(name, session);
                // The task that reads the child ended before the session was stored.
                if session.router.gone.load(Ordering::Acquire) {
                    self.end_session(name);
                }
                return Ok(session);
            }
        };
        self.release_session(&session);
        Err(why)
    }
}

/// Repeats a client's opening messages to a new peer. `false` if the peer does not open a session.
async fn replay(router: &Arc<SessionRouter>, opening: &str) -> bool {
    let id = IdKey::Text(ID.into());
    let request = write::request(&id.raw(), "initialize", Some(opening));
    let (mailbox, mut inbox) = mailbox();
    router.open(&id, &mailbox);
    router.take(Side::Client, request, Some(&mailbox));
    let opened = loop {
        let ticking = Arc::clone(router);
        let mut deliver = move |output| ticking.route(output, None);
        tokio::select! {
            biased;
            item = inbox.next() => {
                // No client has sent other requests yet.
                if let MailboxItem::ToClient(message, _) = item
                    && message.envelope().answers(&id)
                {
                    break message.envelope().agreed.is_some();
                }
            },
            () = router.driver.clock(&mut deliver) => {}
        }
    };
    router.close(&id);
    if opened {
        let ready = write::notification("notifications/initialized", None);
        router.take(Side::Client, ready, None);
    }
    opened
}

/// The parameters of a client's `initialize` that open an equal session: version, capabilities and
/// client info.
pub(super) fn opening(initialize: &[u8]) -> Option<String> {
    read_message(initialize, |message, _| {
        let Message::Request(request) = message else {
            return None;
        };
        let params: View<'_> = request.params?;
        let members = MEMBERS.iter().filter_map(|name| {
            let member = params.member(name)?;
            Some(format!("\"{name}\":{}", member.raw()))
        });
        Some(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    })?
}

const MEMBERS: [&str; 3] = ["protocolVersion", "capabilities", "clientInfo"];
const ID: &str = "toolsure/initialize";
