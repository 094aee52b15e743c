//! A session that the server has forgotten: it answers 404, and another is opened as the client
//! had opened the first (2025-11-25, basic/transports, "Session Management").
//!
//! The client on the other side has no part in sessions, so it is not told; but what the server
//! lists may be another, and that it is told.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::Method;
use tokio::io::AsyncWrite;
use tokio::time::timeout;
use toolgate_guard::{IdKey, Purpose, Shape, Side};
use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::message::Message;

use super::{BOTH, Caller};
use crate::fault::Phase;
use crate::guard::facts::{answered, negotiated, read};
use crate::guard::flight::{Flight, Heard};
use crate::guard::porter::{Order, Parcel};
use crate::http::{SESSION, VERSION};

/// How the client opened its session.
#[derive(Default)]
pub(super) struct Opened {
    initialize: Option<(IdKey, Bytes)>,
    initialized: Option<Bytes>,
    /// The log level that it set last.
    level: Option<Bytes>,
}

impl Opened {
    pub(super) fn remember(&mut self, parcel: &Parcel) {
        if parcel.purpose != Purpose::Forward {
            return;
        }
        let bytes = || Bytes::copy_from_slice(&parcel.bytes);
        match &parcel.shape {
            Shape::Request { id, method } if method == "initialize" => {
                *self = Self {
                    initialize: Some((id.clone(), bytes())),
                    ..Self::default()
                };
            }
            Shape::Request { method, .. } if method == "logging/setLevel" => {
                self.level = Some(bytes());
            }
            Shape::Notification { method } if method == "notifications/initialized" => {
                self.initialized = Some(bytes());
            }
            _ => {}
        }
    }
}

/// What the answer to `initialize` says.
struct Answer {
    session: Option<HeaderValue>,
    version: Option<String>,
    /// Which lists it will tell of when they change.
    tells: Vec<&'static str>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Caller<W> {
    /// Opens a session in the place of `lost`, unless that was done since.
    ///
    /// # Errors
    ///
    /// Why there is none.
    pub(super) async fn open_again(self: &Arc<Self>, lost: &HeaderValue) -> Result<(), String> {
        let _one_at_a_time = self.reopening.lock().await;
        let (initialize, initialized, level) = {
            let state = self.state();
            if state.session.as_ref() != Some(lost) {
                return Ok(());
            }
            let opened = &state.opened;
            let initialize = opened.initialize.clone();
            let initialize = initialize.ok_or("it was not opened here")?;
            (initialize, opened.initialized.clone(), opened.level.clone())
        };
        let opening = timeout(self.house.times.notify, self.initialize(initialize)).await;
        let answer = opening.map_err(|_| "no answer in time")??;
        let spoken = {
            let state = self.state();
            let spoken = state.version.as_ref().and_then(|it| it.to_str().ok());
            spoken.map(str::to_owned)
        };
        if answer.version != spoken {
            return Err("it speaks another version now".to_owned());
        }
        let mut headers = self.endpoint.headers();
        for (name, value) in [
            (SESSION, answer.session.clone()),
            (VERSION, self.state().version.clone()),
        ] {
            if let Some(value) = value {
                headers.insert(name, value);
            }
        }
        let ready = initialized.is_some();
        for message in initialized.into_iter().chain(level) {
            let told = timeout(self.house.times.notify, self.told(headers.clone(), message)).await;
            told.map_err(|_| "it did not take what the client had said in time")??;
        }
        {
            let mut state = self.state();
            state.session = answer.session;
            if let Some(listening) = state.listening.take() {
                listening.abort();
            }
        }
        if ready {
            self.listen();
        }
        self.house
            .note("session-opened-again", "the server had forgotten it");
        self.changed(&answer.tells);
        Ok(())
    }

    async fn initialize(&self, (id, message): (IdKey, Bytes)) -> Result<Answer, String> {
        let headers = self.endpoint.headers();
        let mut flight = self.send(headers, message);
        let mut session = None;
        loop {
            let message = match flight.next().await {
                Heard::Head {
                    status: 200,
                    headers,
                    ..
                } => {
                    session = self.session_of(&headers);
                    continue;
                }
                Heard::Head { status, .. } => return Err(format!("HTTP status {status}")),
                Heard::Whole(body) => body,
                Heard::Event(event) => event.data.unwrap_or_default(),
                Heard::End => return Err("the answer ended before it was complete".to_owned()),
                Heard::Broken(fault) => return Err(fault.to_string()),
            };
            if answered(&message).as_ref() == Some(&id) {
                let version = negotiated(&message);
                if version.is_none() {
                    return Err("it refuses `initialize`".to_owned());
                }
                return Ok(Answer {
                    session,
                    version,
                    tells: read(&message, tells).unwrap_or_default(),
                });
            }
        }
    }

    /// Sends what is answered by nothing that matters.
    async fn told(&self, headers: HeaderMap, message: Bytes) -> Result<(), String> {
        let mut flight = self.send(headers, message);
        loop {
            match flight.next().await {
                Heard::Head { status, .. } if status >= 400 => {
                    return Err(format!("HTTP status {status}"));
                }
                Heard::Head { .. } | Heard::Event(_) => {}
                Heard::Whole(_) | Heard::End => return Ok(()),
                Heard::Broken(fault) => return Err(fault.to_string()),
            }
        }
    }

    fn send(&self, mut headers: HeaderMap, message: Bytes) -> Flight {
        headers.insert(ACCEPT, HeaderValue::from_static(BOTH));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let limit = self.house.bounds.message_bytes;
        Flight::post(&self.endpoint, headers, message, limit, false)
    }

    /// What is known of the lists is of the past; the client hears it where the server has said
    /// that it tells.
    fn changed(&self, tells: &[&'static str]) {
        for kind in LISTS {
            let note =
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/{kind}/list_changed"}}"#);
            let deliver = &mut |order| match order {
                Order::Send(parcel) if parcel.to == Side::Client && !tells.contains(&kind) => {}
                order => self.deliver(order),
            };
            self.porter.take(Side::Server, note.as_bytes(), deliver);
        }
    }

    /// Ends a session at the server.
    pub(super) async fn delete(&self) {
        let headers = self.common();
        let none = Bytes::new();
        let phase = Phase::Request;
        let delete = self.endpoint.send(phase, Method::DELETE, headers, none);
        let _unheard = timeout(self.house.times.grace, delete).await;
    }
}

fn tells(answer: Message<'_>) -> Vec<&'static str> {
    let Message::Result(outcome) = answer else {
        return Vec::new();
    };
    let capabilities: Option<View<'_>> = outcome.result.member("capabilities");
    let tells = |kind: &&str| {
        let tells = capabilities.and_then(|all| all.member(kind)?.member("listChanged"));
        tells.is_some_and(|tells| tells.kind() == Kind::Boolean && tells.boolean())
    };
    LISTS.into_iter().filter(|kind| tells(kind)).collect()
}

const LISTS: [&str; 3] = ["tools", "prompts", "resources"];
