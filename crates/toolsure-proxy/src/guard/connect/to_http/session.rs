//! The stream for a legacy server's own messages, and what replaces a session that the server has lost:
//! after a 404, another session is opened with the client's messages (2025-11-25, basic/transports,
//! "Session Management").
//!
//! The client on stdio knows nothing about HTTP sessions, so it does not see this. But the server's
//! lists may have changed, and the client is notified of that.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hyper::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::Method;
use tokio::time::timeout;
use toolsure_guard::{IdKey, Side, ToolsEvent};
use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::{Message, write};

use super::{BOTH, ToHttp};
use crate::fault::Phase;
use crate::guard::upstream_request::{ResponsePart, UpstreamEvent, UpstreamRequest};
use crate::http::{EVENT_STREAM, LAST_EVENT_ID, SESSION, VERSION};

/// The contents of the answer to `initialize`.
struct OpenedSession {
    session: Option<HeaderValue>,
    version: Option<String>,
    /// The lists whose changes the server announces.
    notifies: Vec<&'static str>,
}

impl ToHttp {
    /// Opens a session in place of `lost`, unless that was done already.
    ///
    /// # Errors
    ///
    /// Why no session could be opened.
    pub(super) async fn reopen_session(self: &Arc<Self>, lost: &HeaderValue) -> Result<(), String> {
        let _one_at_a_time = self.reopening.lock().await;
        let (initialize, initialized, level) = {
            let state = self.state();
            if state.is_over {
                return Err("the connection was closed".to_owned());
            }
            if state.session.as_ref() != Some(lost) {
                return Ok(());
            }
            let opened = &state.opened;
            let initialize = opened.initialize.clone();
            let initialize = initialize.ok_or("it was not opened here")?;
            (initialize, opened.initialized, opened.level.clone())
        };
        let opening = timeout(self.ctx.times.notify, self.initialize(initialize)).await;
        let answer = opening.map_err(|_| "no answer in time")??;
        let spoken = {
            let state = self.state();
            let spoken = state.version.as_ref().and_then(|it| it.to_str().ok());
            spoken.map(str::to_owned)
        };
        if answer.version != spoken {
            return Err("its protocol version has changed".to_owned());
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
        let ready = initialized
            .then(|| Bytes::from(write::notification("notifications/initialized", None)));
        for message in ready.into_iter().chain(level) {
            let sent = timeout(
                self.ctx.times.notify,
                self.send_notification(headers.clone(), message),
            )
            .await;
            sent.map_err(|_| "it did not accept the opening messages in time")??;
        }
        {
            let mut state = self.state();
            state.session = answer.session;
            if let Some(listening) = state.listening.take() {
                listening.abort();
            }
        }
        if initialized {
            self.listen();
        }
        self.ctx.note(
            "session-opened-again",
            "the server no longer knew the session",
        );
        self.changed(&answer.notifies);
        Ok(())
    }

    async fn initialize(&self, (id, message): (IdKey, Bytes)) -> Result<OpenedSession, String> {
        let headers = self.endpoint.headers();
        let mut upstream_request = self.send(headers, message);
        let mut session = None;
        loop {
            let message = match upstream_request.receive_answer().await? {
                ResponsePart::Head(200, headers) => {
                    session = self.session_of(&headers);
                    continue;
                }
                ResponsePart::Head(status, _) => return Err(format!("HTTP status {status}")),
                ResponsePart::Message { bytes, .. } => bytes,
            };
            let answer = self.ctx.guard.read(message);
            let envelope = answer.envelope();
            if envelope.answers(&id) {
                let version = envelope.agreed.clone();
                if version.is_none() {
                    return Err("it refuses `initialize`".to_owned());
                }
                return Ok(OpenedSession {
                    session,
                    version: version.map(Cow::into_owned),
                    notifies: answer
                        .decode(|answer, _| notifies(answer))
                        .unwrap_or_default(),
                });
            }
        }
    }

    /// Sends a message whose answer does not matter.
    async fn send_notification(&self, headers: HeaderMap, message: Bytes) -> Result<(), String> {
        let mut upstream_request = self.send(headers, message);
        while let Some(received) = upstream_request.receive().await? {
            match received {
                ResponsePart::Head(status, _) if status >= 400 => {
                    return Err(format!("HTTP status {status}"));
                }
                ResponsePart::Head(..) | ResponsePart::Message { .. } => {}
            }
        }
        Ok(())
    }

    fn send(&self, mut headers: HeaderMap, message: Bytes) -> UpstreamRequest {
        headers.insert(ACCEPT, HeaderValue::from_static(BOTH));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let limit = self.ctx.read_limit();
        UpstreamRequest::post(&self.endpoint, headers, message, limit, false)
    }

    /// Reports that the server's lists may have changed. The client is notified only of those lists
    /// whose changes the server has declared to announce.
    fn changed(&self, notifies: &[&'static str]) {
        let receivers = self
            .driver
            .tools_event(self.server, ToolsEvent::SessionEnded);
        self.start_sending_to_others(receivers);
        for kind in LISTS {
            let method = format!("notifications/{kind}/list_changed");
            let note = write::notification(&method, None);
            match notifies.contains(&kind) {
                true => self.heard(note),
                false => {
                    for message in self.driver.handle_unseen(self.server, Side::Server, note) {
                        self.queue().push(message);
                    }
                }
            }
        }
    }

    /// Opens the stream for a legacy server's own messages, and keeps it open.
    pub(super) fn listen(self: &Arc<Self>) {
        let mut state = self.state();
        if state.listening.is_some() || state.version.is_none() || state.is_over {
            return;
        }
        let task = tokio::spawn(Arc::clone(self).read_stream());
        state.listening = Some(task.abort_handle());
    }

    async fn read_stream(self: Arc<Self>) {
        let mut last_id: Option<String> = None;
        let mut quiet = 0_u32;
        loop {
            let mut headers = self.common();
            headers.insert(ACCEPT, HeaderValue::from_static(EVENT_STREAM));
            if let Some(id) = last_id
                .as_deref()
                .and_then(|id| HeaderValue::from_str(id).ok())
            {
                headers.insert(LAST_EVENT_ID, id);
            }
            let session = headers.get(SESSION).cloned();
            let mut upstream_request =
                UpstreamRequest::listen(&self.endpoint, headers, self.ctx.read_limit());
            loop {
                match upstream_request.next().await {
                    // 405: there is no such stream; 404: no such session.
                    UpstreamEvent::Head {
                        stream: false,
                        status,
                        ..
                    } if status < 500 => {
                        if let Some(lost) = session.filter(|_| status == 404) {
                            // If no session can be opened, the next request fails with the reason.
                            let _said_then = self.reopen_session(&lost).await;
                            self.sent().await;
                        }
                        return;
                    }
                    UpstreamEvent::Head { .. } => {}
                    UpstreamEvent::Event(event) => {
                        quiet = 0;
                        if let Some(data) = event.data.filter(|data| !data.trim_ascii().is_empty())
                        {
                            self.heard(data);
                            self.sent().await;
                        }
                    }
                    UpstreamEvent::Whole(_) | UpstreamEvent::End | UpstreamEvent::Broken(_) => {
                        break;
                    }
                }
            }
            let (id, retry) = upstream_request.place();
            last_id = id.or(last_id);
            quiet = quiet.saturating_add(1).min(6);
            let pause = retry.unwrap_or(RETRY).saturating_mul(1 << (quiet - 1));
            tokio::time::sleep(pause.min(LONGEST_RETRY)).await;
        }
    }

    /// Ends the session at the server.
    pub(super) async fn delete(&self) {
        let headers = self.common();
        let none = Bytes::new();
        let phase = Phase::Request;
        let delete = self.endpoint.send(phase, Method::DELETE, &headers, none);
        let _unheard = timeout(self.ctx.times.grace, delete).await;
    }
}

fn notifies(answer: Message<'_>) -> Vec<&'static str> {
    let Message::Result(outcome) = answer else {
        return Vec::new();
    };
    let capabilities: Option<View<'_>> = outcome.result.member("capabilities");
    let notifies = |kind: &&str| {
        let declared = capabilities.and_then(|all| all.member(kind)?.member("listChanged"));
        declared.is_some_and(|it| it.kind() == Kind::Boolean && it.boolean())
    };
    LISTS.into_iter().filter(|kind| notifies(kind)).collect()
}

const RETRY: Duration = Duration::from_secs(1);
const LONGEST_RETRY: Duration = Duration::from_secs(30);
const LISTS: [&str; 3] = ["tools", "prompts", "resources"];
