//! The upstream side of an HTTP exchange: the request that goes there and what comes back.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::HeaderMap;
use toolgate_guard::{IdKey, Side};

use super::HttpExchange;
use crate::guard::response_step::{ResponseStep, failure};
use crate::guard::session_driver::{OutgoingMessage, Output};
use crate::guard::session_router::SessionUpstream;
use crate::guard::trace_headers;
use crate::guard::upstream_request::{UpstreamEvent, UpstreamRequest};
use crate::sse::Event;

impl HttpExchange {
    pub(super) fn launch(&mut self, outgoing: &OutgoingMessage) {
        let SessionUpstream::Endpoint(endpoint, ..) = &self.router.upstream else {
            return;
        };
        let limit = self.router.driver.ctx.bounds.message_bytes;
        let mut headers = self.upstream_headers();
        trace_headers::write(outgoing.trace.as_deref(), &mut headers);
        let message = Bytes::copy_from_slice(&outgoing.bytes);
        // The client takes its streams up again itself, so they are not taken up here.
        self.upstream_request = Some(UpstreamRequest::post(
            endpoint, headers, message, limit, false,
        ));
    }

    /// The client's headers, with the upstream's own name for the session.
    pub(super) fn upstream_headers(&self) -> HeaderMap {
        let mut headers = self.headers.clone();
        if let Some(session_ids) = self.router.session_ids() {
            headers.insert(crate::http::SESSION, session_ids.upstream_id);
        }
        headers
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
                self.upstream_request = None;
                self.whole_heard(body);
            }
            UpstreamEvent::End => self.ended("the answer ended before it was complete"),
            UpstreamEvent::Broken(fault) => self.ended(&fault.to_string()),
        }
    }

    /// An event of the upstream: its bytes go on as they came, unless its message was altered.
    fn event(&mut self, event: Event) {
        let data = event.data.as_deref().unwrap_or_default();
        if data.trim_ascii().is_empty() {
            self.ready.push(ResponseStep::Piece(event.raw, false));
            return;
        }
        let mut steps = Vec::new();
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let message = router.driver.read(data);
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.see(&message);
        }
        router
            .driver
            .take_read(Side::Server, message, &mut |output| match output {
                Output::Send(outgoing)
                    if outgoing.to == Side::Client && self.is_mine(&outgoing) =>
                {
                    let event = steps.is_empty().then_some(&event);
                    steps.push(self.step_of(outgoing, event));
                }
                output => router.route(output, Some(&mailbox)),
            });
        for step in steps {
            self.ready.push(step);
        }
    }

    fn is_mine(&self, outgoing: &OutgoingMessage) -> bool {
        let envelope = &outgoing.envelope;
        let id = &envelope.id;
        !envelope.is_answer() || id.is_none() || *id == self.id || self.id.is_none()
    }

    pub(super) fn step_of(&self, outgoing: OutgoingMessage, event: Option<&Event>) -> ResponseStep {
        ResponseStep::of(self.id.as_ref(), outgoing, event)
    }

    fn whole_heard(&mut self, body: Vec<u8>) {
        let (status, headers) = self.head.take().unwrap_or((200, HeaderMap::new()));
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let message = router.driver.read(&body);
        let envelope = message.envelope();
        let is_message = self.id.is_some() && envelope.is_answer() && envelope.id.is_some();
        let is_batch = self.owed && body.trim_ascii_start().first() == Some(&b'[');
        if let Some(rewriter) = &mut self.rewriter {
            rewriter.see(&message);
        }
        if is_message || is_batch {
            let mut answers = Vec::new();
            router
                .driver
                .take_read(Side::Server, message, &mut |output| match output {
                    Output::Send(outgoing)
                        if outgoing.to == Side::Client && self.is_mine(&outgoing) =>
                    {
                        answers.push(outgoing.bytes);
                    }
                    output => router.route(output, Some(&mailbox)),
                });
            let mut head = Some((status, headers));
            for answer in answers {
                self.ready
                    .push(ResponseStep::Answer(answer, None, head.take()));
            }
            if self.ready.is_empty() {
                self.ended("the answer is none to this request");
            }
            return;
        }
        let Some(id) = self.id.clone().filter(|_| self.open) else {
            self.ready.push(ResponseStep::Status(status, headers, body));
            return;
        };
        let why = match status {
            200..=299 => "the answer is not a JSON-RPC message".to_owned(),
            _ => format!("HTTP status {status}"),
        };
        let as_it_is = (400..500).contains(&status);
        self.fail(&id, &why, as_it_is);
        if as_it_is {
            // Refusals over HTTP (authorization, no session) are for the client to act on.
            self.ready.push(ResponseStep::Status(status, headers, body));
        }
    }

    /// The upstream's stream is over.
    fn ended(&mut self, why: &str) {
        self.ready.release();
        let place = self
            .upstream_request
            .take()
            .and_then(|upstream_request| upstream_request.place().0);
        match self.id.clone() {
            // The client of a legacy session takes it up again where it broke off.
            Some(_) if place.is_some() && !self.modern => self.ready.push(ResponseStep::Over),
            Some(id) if self.open => self.fail(&id, why, false),
            // A notification or an answer that did not arrive, or a stream that did not begin. One
            // that has begun just ends.
            None => self.ready.push(failure(None, why)),
            Some(_) => self.ready.push(ResponseStep::Over),
        }
    }

    /// Gives the request up; its answer is made here, unless something else is said.
    fn fail(&mut self, id: &IdKey, why: &str, silently: bool) {
        let (router, mailbox) = (Arc::clone(&self.router), self.mailbox.clone());
        let before = self.ready.len();
        router
            .driver
            .request_failed(id, why, &mut |output| match output {
                Output::Send(outgoing)
                    if outgoing.to == Side::Client && self.is_mine(&outgoing) =>
                {
                    if !silently {
                        let head = Some((502, HeaderMap::new()));
                        self.ready
                            .push(ResponseStep::Answer(outgoing.bytes, None, head));
                    }
                }
                output => router.route(output, Some(&mailbox)),
            });
        if self.ready.len() == before && !silently {
            self.ready.push(failure(Some(id), why));
        }
    }

    /// The guard ends and the time to answer is over.
    pub(super) fn expire(&mut self) {
        self.upstream_request = None;
        self.ready.release();
        match self.id.clone().filter(|_| self.open) {
            Some(id) => self.fail(&id, "the guard is shutting down", false),
            None => self.ready.push(ResponseStep::Over),
        }
    }
}
