//! The upstream side of an HTTP exchange: the request to the upstream, its response, and what the client gets of
//! its head.

use std::sync::Arc;

use bytes::Bytes;
use hyper::Response;
use hyper::header::HeaderMap;
use toolsure_guard::{IdKey, Message, MessageKind, Side};
use toolsure_mcp::message::INTERNAL_ERROR;

use super::HttpExchange;
use super::own_id::with_id;
use crate::guard::mailbox::UpstreamHead;
use crate::guard::reply::{SERVER_GONE, error, error_body};
use crate::guard::response_step::{ResponseStep, failure};
use crate::guard::session_driver::Output;
use crate::guard::session_id_rewriter;
use crate::guard::session_router::SessionUpstream;
use crate::guard::tickets::NoSessionId;
use crate::guard::trace_headers;
use crate::guard::upstream_request::{ENDED, UpstreamEvent, UpstreamRequest};
use crate::http::LAST_EVENT_ID;
use crate::http::header_mirroring::{mirrored_headers, write};
use crate::message_memory::{Holder, ReadLimit};
use crate::sse::{self, Event};
use crate::web::{Piece, ResponseBody};

impl HttpExchange {
    pub(super) fn launch(&mut self, message: Message) {
        let router = Arc::clone(&self.router);
        let SessionUpstream::Endpoint(endpoint, ..) = &router.upstream else {
            return;
        };
        if self.is_batch {
            self.sent = message.requests();
        }
        let limit = self.read_limit();
        let mut headers = self.upstream_headers();
        if message.envelope().version.is_some()
            && (!message.is_unchanged || message.headers_unknown)
        {
            // The client's headers do not mirror this message: it was altered, or the client does
            // not know the headers.
            let mirrored = mirrored_headers(&message, message.call.as_deref());
            write(&mirrored, Arc::make_mut(&mut headers));
        }
        if let Some(trace) = message.trace.as_deref() {
            trace_headers::write(trace, Arc::make_mut(&mut headers));
        }
        let message = Bytes::from(message.into_bytes());
        // The client resumes its streams itself, so they are not resumed here.
        self.upstream_request = Some(UpstreamRequest::post(
            endpoint, headers, message, limit, false,
        ));
    }

    /// The client's headers, with the upstream's session id.
    pub(super) fn upstream_headers(&mut self) -> Arc<HeaderMap> {
        if let Some(session_ids) = self.router.session_ids() {
            let headers = Arc::make_mut(&mut self.headers);
            headers.insert(crate::http::SESSION, session_ids.upstream_id);
        }
        Arc::clone(&self.headers)
    }

    pub(super) async fn heard(&mut self, heard: UpstreamEvent) {
        match heard {
            UpstreamEvent::Head {
                headers,
                stream: true,
                ..
            } if self
                .rewriter
                .as_ref()
                .is_some_and(|rewriter| rewriter.opens) =>
            {
                self.ready.hold(headers);
            }
            UpstreamEvent::Head {
                headers,
                stream: true,
                ..
            } => self.ready.push(ResponseStep::Stream(headers)),
            UpstreamEvent::Head {
                status, headers, ..
            } => self.head = Some((status, headers)),
            UpstreamEvent::Event(event) => self.event(event),
            UpstreamEvent::Whole(body) => {
                let read = self.upstream_request.take();
                self.reading = read.and_then(UpstreamRequest::into_reading);
                self.whole_heard(body);
            }
            UpstreamEvent::End => self.ended(ENDED),
            UpstreamEvent::Broken(fault) => self.ended(&fault.to_string()),
        }
    }

    /// Handles an event of the upstream. Its bytes are forwarded unchanged unless its message was
    /// altered.
    fn event(&mut self, event: Event) {
        let data = event.data.as_deref().unwrap_or_default();
        if data.trim_ascii().is_empty() {
            let piece = event.unambiguous().into_owned();
            self.ready.push(ResponseStep::Piece(piece, false));
            return;
        }
        let mut steps = Vec::new();
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let is_replay = self.listens && self.headers.contains_key(LAST_EVENT_ID);
        let message = router.driver.read(data).replayed(is_replay);
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.see(&message);
        }
        router
            .driver
            .take(Side::Server, message, &mut |output| match output {
                Output::ToClient(message) if self.is_mine(&message) => {
                    // An event is forwarded unchanged only if all of its message is.
                    let is_part = message.is_unchanged && message.bytes().len() != data.len();
                    let event = (steps.is_empty() && !is_part).then_some(&event);
                    steps.push(self.step_of(message, event, None));
                }
                output => router.route(output, Some(&mailbox)),
            });
        for step in steps {
            self.ready.push(step);
        }
    }

    /// Whether a message belongs to this response. Answers to other requests do not, except on a
    /// stream that the client listens on, where it may resume another stream.
    fn is_mine(&self, message: &Message) -> bool {
        let envelope = message.envelope();
        let Some(id) = envelope.id.as_ref().filter(|_| envelope.is_answer()) else {
            return true;
        };
        self.listens || self.id.as_ref() == Some(id) || self.batch.contains(id)
    }

    pub(super) fn step_of(
        &mut self,
        message: Message,
        event: Option<&Event>,
        head: Option<UpstreamHead>,
    ) -> ResponseStep {
        let message = self.restored(message);
        let kind = message.envelope().kind;
        let is_whole = matches!(kind, MessageKind::Answer | MessageKind::Batch);
        if !self.is_batch || !is_whole {
            return ResponseStep::of(self.id.as_ref(), message, event, head);
        }
        let message = self.router.driver.read(message);
        for id in message.answers() {
            self.answered(&id);
        }
        let bytes = match event {
            Some(event) => event.with_data(message.bytes()),
            None => sse::event(message.bytes()),
        };
        ResponseStep::Piece(bytes, self.batch.is_empty())
    }

    /// Marks a request of the batch as answered.
    pub(super) fn answered(&mut self, id: &IdKey) {
        if let Some(at) = self.batch.iter().position(|own| own == id) {
            self.batch.swap_remove(at);
            if !self.batch.contains(id) {
                self.router.close(id);
            }
        }
    }

    fn whole_heard(&mut self, body: Vec<u8>) {
        let (status, headers) = self.head.take().unwrap_or((200, HeaderMap::new()));
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let is_array = body.trim_ascii_start().first() == Some(&b'[');
        let is_empty = body.trim_ascii().is_empty();
        let message = router.driver.read(body);
        let envelope = message.envelope();
        let is_message = self.id.is_some() && envelope.is_answer() && envelope.id.is_some();
        // The response to a message that is no request may contain answers to other requests.
        let is_stray = self.id.is_none() && !self.is_batch && (200..300).contains(&status);
        let is_batch = self.owed && is_array;
        let is_batch = is_batch || self.is_batch && (200..300).contains(&status);
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.see(&message);
        }
        if is_stray && !is_empty {
            router.take(Side::Server, message, None);
            let accepted = ResponseStep::Status(202, HeaderMap::new(), Vec::new());
            return self.ready.push(accepted);
        }
        if is_message || is_batch {
            let mut answers = Vec::new();
            router
                .driver
                .take(Side::Server, message, &mut |output| match output {
                    Output::ToClient(message) if self.is_mine(&message) => {
                        answers.push(message);
                    }
                    output => router.route(output, Some(&mailbox)),
                });
            let mut head = Some((status, headers));
            for answer in answers {
                let step = if self.is_batch || !answer.envelope().is_answer() {
                    self.step_of(answer, None, None)
                } else {
                    let answer = self.restored(answer).into_bytes();
                    ResponseStep::Answer(answer, None, head.take())
                };
                self.ready.push(step);
            }
            if self.ready.is_empty() || self.is_batch {
                self.ended("the answer does not belong to this request");
            }
            return;
        }
        let Some(id) = self.id.clone().filter(|_| self.open) else {
            if self.streams || !self.ready.is_empty() {
                // The response has begun, so it is too late for a status.
                let why = format!("HTTP status {status}");
                for id in self.batch.clone() {
                    self.fail_of_batch(&id, &why);
                }
                return;
            }
            for id in std::mem::take(&mut self.batch) {
                // The client gets the status instead.
                let deliver = &mut |output| match output {
                    Output::ToClient(_) => {}
                    output => router.route(output, Some(&mailbox)),
                };
                let why = format!("HTTP status {status}");
                router.driver.request_failed(&id, &why, deliver);
                router.close(&id);
            }
            self.ready
                .push(ResponseStep::Status(status, headers, message.into_bytes()));
            return;
        };
        let why = match status {
            200..=299 => "the answer is not a JSON-RPC message".to_owned(),
            _ => format!("HTTP status {status}"),
        };
        // A stream that has begun has no other status any more.
        let as_it_is = (400..500).contains(&status) && !self.streams;
        self.fail(&id, &why, as_it_is);
        if as_it_is {
            // The client must act on refusals over HTTP (authorization, no session).
            self.ready
                .push(ResponseStep::Status(status, headers, message.into_bytes()));
        }
    }

    /// Handles the end of the upstream's response.
    fn ended(&mut self, why: &str) {
        self.ready.release();
        let place = self
            .upstream_request
            .take()
            .and_then(|upstream_request| upstream_request.place().0);
        for id in std::mem::take(&mut self.sent) {
            self.fail_of_batch(&id, why);
        }
        if let Some(next) = self.queue.pop_front() {
            return self.launch(next);
        }
        match self.id.clone() {
            // The client of a legacy session resumes the stream where it broke off.
            Some(_) if place.is_some() && !self.modern => self.ready.push(ResponseStep::Over),
            Some(id) if self.open => self.fail(&id, why, false),
            None if self.is_batch => {}
            // A notification or an answer did not arrive, or a stream did not begin. A stream that
            // has begun just ends.
            None => self.ready.push(failure(None, why)),
            Some(_) => self.ready.push(ResponseStep::Over),
        }
    }

    /// Fails a request of a batch, unless it has its answer.
    fn fail_of_batch(&mut self, id: &IdKey, why: &str) {
        if !self.batch.contains(id) {
            return;
        }
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        router
            .driver
            .request_failed(id, why, &mut |output| match output {
                Output::ToClient(message) if self.is_mine(&message) => {
                    let step = self.step_of(message, None, None);
                    self.ready.push(step);
                }
                output => router.route(output, Some(&mailbox)),
            });
        if self.batch.contains(id) {
            self.answered(id);
            let error = sse::event(&error_body(Some(id), (SERVER_GONE, INTERNAL_ERROR), why));
            let last = self.batch.is_empty();
            self.ready.push(ResponseStep::Piece(error, last));
        }
    }

    /// Fails the request, and answers it with an error unless `silently` is set.
    fn fail(&mut self, id: &IdKey, why: &str, silently: bool) {
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let before = self.ready.len();
        router
            .driver
            .request_failed(id, why, &mut |output| match output {
                Output::ToClient(message) if self.is_mine(&message) => {
                    if !silently {
                        let head = Some((502, HeaderMap::new()));
                        let bytes = self.restored(message).into_bytes();
                        self.ready.push(ResponseStep::Answer(bytes, None, head));
                    }
                }
                output => router.route(output, Some(&mailbox)),
            });
        if self.ready.len() == before && !silently {
            self.ready.push(failure(Some(id), why));
        }
    }

    /// Fails the open requests, because the guard is ending and the time to answer is over.
    pub(super) fn expire(&mut self) {
        self.upstream_request = None;
        self.ready.release();
        let stopping = "the guard is shutting down";
        self.queue.clear();
        for id in self.batch.clone() {
            self.fail_of_batch(&id, stopping);
        }
        match self.id.clone().filter(|_| self.open) {
            Some(id) => self.fail(&id, stopping, false),
            None if self.is_batch => {}
            None => self.ready.push(ResponseStep::Over),
        }
    }

    /// A message with the client's own id, if it answers this request.
    fn restored(&mut self, mut message: Message) -> Message {
        let answers = |id| message.envelope().answers(id);
        if self.id.as_ref().is_some_and(answers) {
            let opened = self.opened.take();
            match message.envelope().agreed {
                Some(_) => drop(opened.map(|opened| opened.send(()))),
                None => self.is_unopened |= opened.is_some(),
            }
        }
        if let Some(clients_id) = &self.clients_id
            && self.id.as_ref().is_some_and(answers)
            && let Some(text) = with_id(&message, clients_id)
        {
            message.set_text(text);
        }
        message
    }

    /// The headers of the upstream's response, as the client gets them.
    pub(super) fn head_of(&self, upstream: HeaderMap) -> Result<HeaderMap, NoSessionId> {
        session_id_rewriter::head(
            self.rewriter.as_ref(),
            &self.router,
            upstream,
            &self.headers,
        )
    }

    /// The error if the upstream's session cannot get a session id.
    pub(super) fn nameless(&self, no_session_id: NoSessionId) -> Response<ResponseBody> {
        let (status, text) = no_session_id.response();
        error(
            status,
            self.id.as_ref(),
            ("session-unopened", INTERNAL_ERROR),
            &text,
        )
    }

    pub(super) fn name_session(&mut self, headers: &mut HeaderMap) {
        let name = self.session_id.take();
        if let Some(name) = name.filter(|_| !self.is_unopened) {
            headers.insert(crate::http::SESSION, name);
        }
    }

    /// A part of a stream, counted as the client's.
    pub(super) fn piece(&mut self, bytes: Vec<u8>) -> Piece {
        let piece = Piece::of(bytes, self.holder());
        self.reading = None;
        piece
    }

    /// Who holds the bytes of the answer.
    pub(super) fn holder(&self) -> Option<&Holder> {
        self.slot.as_ref().map(|slot| &slot.holder)
    }

    /// How the upstream is read for the client.
    pub(super) fn read_limit(&self) -> ReadLimit {
        let unknown = self.router.driver.ctx.read_limit();
        let holder = self.holder().cloned();
        ReadLimit {
            holder: holder.unwrap_or(unknown.holder),
            ..unknown
        }
    }
}
