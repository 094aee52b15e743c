//! Legacy sessions that go on here although another replica opened them: what is behind is opened
//! as the client had opened it there, which the session's name tells.
//!
//! This is for upstreams in this process with HTTP servers behind them, which keep nothing for a
//! session. What keeps something, a process or a server with a session of its own, cannot move.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hyper::header::{AUTHORIZATION, HeaderMap};
use toolgate_guard::{Context, IdKey, Shape, Side};
use toolgate_json::{Node as _, View};
use toolgate_mcp::message::Message;

use super::{Desk, Far, Session};
use crate::guard::facts::{negotiated, read};
use crate::guard::hub::{Delivery, Hub, Way, mailbox};
use crate::guard::inner::Caller;
use crate::guard::names::{NoSession, Place, Stays};
use crate::guard::porter::Porter;
use crate::http::{SESSION, Standing};

/// Sessions that are being opened here, and those that shall not be.
#[derive(Default)]
pub(super) struct Moving {
    /// One turn for each name: whoever comes first opens it, the others wait for that.
    turns: Mutex<HashMap<String, Turn>>,
    /// Names that were deleted here, the newest last.
    over: Mutex<VecDeque<String>>,
}

type Turn = Arc<tokio::sync::Mutex<()>>;

impl Moving {
    /// The client has deleted the session that it names.
    pub(super) fn over(&self, headers: &HeaderMap) {
        let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
        if let Some(name) = name {
            let mut over = self.names_over();
            if over.len() >= REMEMBERED {
                over.pop_front();
            }
            over.push_back(name.to_owned());
        }
    }

    fn is_over(&self, name: &str) -> bool {
        self.names_over().iter().any(|over| over == name)
    }

    fn turn(&self, name: &str) -> Turn {
        Arc::clone(self.turns().entry(name.to_owned()).or_default())
    }

    /// Gives a turn back; the last one takes it with it.
    fn done(&self, name: &str, turn: Turn) {
        let mut turns = self.turns();
        drop(turn);
        if turns
            .get(name)
            .is_some_and(|kept| Arc::strong_count(kept) == 1)
        {
            turns.remove(name);
        }
    }

    fn turns(&self) -> MutexGuard<'_, HashMap<String, Turn>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn names_over(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.over.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    /// The session that a request names, opened here if it is not and can be.
    pub(super) async fn session_for(
        self: &Arc<Self>,
        headers: &HeaderMap,
    ) -> Result<Option<Session>, NoSession> {
        match self.session_of(headers) {
            Err(NoSession::Asleep) => {}
            known => return known,
        }
        let (desk, headers) = (Arc::clone(self), headers.clone());
        // Not by whoever asks, who may leave: others wait for it too.
        let opening = tokio::spawn(async move {
            let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
            let name = name.ok_or(NoSession::Unknown)?;
            let turn = desk.moving.turn(name);
            let session = {
                let _turn = turn.lock().await;
                match desk.session_of(&headers) {
                    Err(NoSession::Asleep) => desk.wake(name, &headers).await.map(Some),
                    known => known,
                }
            };
            desk.moving.done(name, turn);
            session
        });
        opening.await.unwrap_or(Err(NoSession::Unopened))
    }

    /// Opens here what is behind a session.
    async fn wake(self: &Arc<Self>, name: &str, headers: &HeaderMap) -> Result<Session, NoSession> {
        let told = self.names.read(name, None, headers)?;
        let (Place::Anywhere(opening), Far::Children(nursery)) = (&told.claim.place, &self.far)
        else {
            return Err(NoSession::Unknown);
        };
        if !nursery.moves() {
            return Err(NoSession::Elsewhere(Stays::Process));
        }
        if self.moving.is_over(name) {
            return Err(NoSession::Unknown);
        }
        if self.house.is_stopping() {
            return Err(NoSession::Unopened);
        }
        if !self.has_room() {
            return Err(NoSession::NoRoom);
        }
        let place = nursery.place().ok_or(NoSession::NoRoom)?;
        let number = self.contexts.fetch_add(1, Ordering::Relaxed);
        let porter = Porter::new(&self.house, Context::Session(number), self.link(None));
        porter.stand_for_session(name.as_bytes());
        let caller = Caller::new(headers.get(AUTHORIZATION));
        let caller = caller.standing_for(Standing::Session(name.into()));
        let started = nursery.start(&self.house, &caller);
        let (child, input) = started.map_err(|_observed| NoSession::Unopened)?;
        let hub = Hub::new(porter, Way::Child(input));
        let talking = Arc::clone(self).talk(Arc::clone(&hub), child, name.to_owned(), place);
        tokio::spawn(talking);
        let opened = replay(&hub, opening).await;
        let session = Session {
            hub,
            number,
            caller,
            told: told.clone(),
        };
        let why = match opened {
            false => NoSession::Unopened,
            true if session.caller.is_kept() => NoSession::Elsewhere(Stays::Kept),
            true => {
                let session = self.keep(name, session);
                // It looked for the session before there was one.
                if session.hub.gone.load(Ordering::Acquire) {
                    self.end_session(name).await;
                }
                return Ok(session);
            }
        };
        self.dismiss(&session).await;
        Err(why)
    }
}

/// Says to a new peer what the client had said to another. `false`: it does not open.
async fn replay(hub: &Arc<Hub>, opening: &str) -> bool {
    let id = IdKey::Text(ID.into());
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":"{ID}","method":"initialize","params":{opening}}}"#);
    let (mailbox, mut inbox) = mailbox();
    hub.open(&id, &mailbox);
    hub.take(Side::Client, request.as_bytes(), Some(&mailbox));
    let opened = loop {
        let ticking = Arc::clone(hub);
        let mut deliver = move |order| ticking.route(order, None);
        tokio::select! {
            biased;
            delivery = inbox.next() => match delivery {
                Some(Delivery::ToClient(parcel)) => {
                    if let Shape::Answer { id: Some(own), .. } = &parcel.shape
                        && *own == id
                    {
                        break negotiated(&parcel.bytes).is_some();
                    }
                    // No client has asked for anything yet.
                }
                Some(_) => {}
                None => break false,
            },
            () = hub.porter.clock(&mut deliver) => {}
        }
    };
    hub.close(&id);
    if opened {
        hub.take(Side::Client, READY, None);
    }
    opened
}

/// What of a client's `initialize` opens a session like it: the version, its capabilities and who
/// it is.
pub(super) fn opening(initialize: &[u8]) -> Option<String> {
    read(initialize, |message| {
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
const ID: &str = "toolgate/initialize";
const READY: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
/// Names that were deleted and are remembered.
const REMEMBERED: usize = 1_024;
