//! A request as two spans: `SERVER` from its arrival to the answer to the client and, inside of it,
//! `CLIENT` from sending it to the server to the server's answer. The server receives the context
//! of the second span.
//!
//! No attribute contains an argument, a result or a token. Names chosen by others are shortened; in
//! metrics, an unknown method or tool is `_OTHER`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use opentelemetry::propagation::{Extractor, Injector, TextMapPropagator as _};
use opentelemetry::trace::{Span as _, SpanKind, Status, TraceContextExt as _, Tracer as _};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::Span;
use toolsure_guard::{
    Action, Begun, Carrier, End, Filter, IdKey, Link, Outcome, Trace, TraceContext, Tracer,
};
use toolsure_json::quote;
use toolsure_mcp::message::Method;

use super::attributes::{
    ERROR, ID, METHOD, OPERATION, OTHER, PROMPT, TOOL, TRANSPORT, UPSTREAM, VERSION, transport,
};
use super::instruments::Instruments;

/// Traces the requests of one conversation.
#[derive(Debug)]
pub(super) struct Follower {
    instruments: Arc<Instruments>,
    client: Carrier,
    server: Carrier,
}

impl Follower {
    pub(super) fn new(instruments: &Arc<Instruments>, link: &Link) -> Self {
        Self {
            instruments: Arc::clone(instruments),
            client: link.client,
            server: link.server,
        }
    }
}

impl Tracer for Follower {
    fn begin(&self, request: &Begun<'_>) -> Box<dyn Trace> {
        let method = known(request.method);
        let mut common = vec![KeyValue::new(METHOD, method)];
        let mut name = method.to_owned();
        if let Some(target) = request.target {
            let target = cut(target);
            name = format!("{method} {target}");
            if method == "tools/call" {
                common.push(KeyValue::new(OPERATION, "execute_tool"));
                common.push(KeyValue::new(TOOL, target));
            } else {
                common.push(KeyValue::new(PROMPT, target));
            }
        }
        if let Some(era) = request.era {
            common.push(KeyValue::new(VERSION, era.version()));
        }
        common.push(KeyValue::new(UPSTREAM, self.instruments.upstream.clone()));
        let parent = request.parent.map(extract).unwrap_or_default();
        let mut followed = Followed {
            instruments: Arc::clone(&self.instruments),
            server_carrier: self.server,
            client_carrier: self.client,
            began: request.at,
            clock: SystemTime::now(),
            id: shown(request.id),
            name,
            common,
            has_parent: parent.span().span_context().is_valid(),
            server: None,
            client: None,
            sent: None,
        };
        followed.server = followed.span(SpanKind::Server, request.at, &parent);
        if let Some(span) = &mut followed.server
            && method == OTHER
        {
            // A span can have the method that was asked for; metrics cannot.
            span.set_attribute(KeyValue::new(METHOD, cut(request.method)));
        }
        Box::new(followed)
    }
}

/// One traced request.
#[derive(Debug)]
struct Followed {
    instruments: Arc<Instruments>,
    client_carrier: Carrier,
    server_carrier: Carrier,
    began: Duration,
    /// The time of day when it began.
    clock: SystemTime,
    id: String,
    name: String,
    /// The attributes of all its spans and metrics.
    common: Vec<KeyValue>,
    /// Whether the client sent a trace context.
    has_parent: bool,
    server: Option<Span>,
    client: Option<Span>,
    /// When it was sent to the server; `None` once the server has answered.
    sent: Option<Duration>,
}

impl Followed {
    fn time(&self, at: Duration) -> SystemTime {
        self.clock + at.saturating_sub(self.began)
    }

    fn span(&self, kind: SpanKind, at: Duration, parent: &Context) -> Option<Span> {
        let tracer = self.instruments.tracer.as_ref()?;
        let carrier = self.carrier(&kind);
        let mut attributes = self.common.clone();
        attributes.push(KeyValue::new(ID, self.id.clone()));
        attributes.push(KeyValue::new(TRANSPORT, transport(carrier)));
        if carrier == Carrier::Http {
            attributes.push(KeyValue::new("network.protocol.name", "http"));
        }
        if let (SpanKind::Client, Some((host, port))) = (&kind, &self.instruments.far) {
            attributes.push(KeyValue::new("server.address", host.clone()));
            attributes.push(KeyValue::new("server.port", *port));
        }
        let builder = tracer
            .span_builder(self.name.clone())
            .with_kind(kind)
            .with_start_time(self.time(at))
            .with_attributes(attributes);
        Some(builder.start_with_context(tracer, parent))
    }

    fn carrier(&self, kind: &SpanKind) -> Carrier {
        match kind {
            SpanKind::Client => self.server_carrier,
            _ => self.client_carrier,
        }
    }

    /// Ends the server's part of the request.
    fn end_client(&mut self, at: Duration, mut failed: Vec<KeyValue>) {
        let Some(sent) = self.sent.take() else {
            return;
        };
        if let Some(span) = self.client.take() {
            finish(span, &failed, self.time(at));
        }
        if let Some(meters) = &self.instruments.meters {
            let took = at.saturating_sub(sent).as_secs_f64();
            failed.extend_from_slice(&self.common);
            failed.push(KeyValue::new(TRANSPORT, transport(self.server_carrier)));
            meters.client.record(took, &failed);
        }
    }
}

impl Trace for Followed {
    fn sent(&mut self, at: Duration) -> Option<TraceContext> {
        self.sent = Some(at);
        let server = self.server.as_ref()?.span_context().clone();
        let parent = Context::new().with_remote_span_context(server);
        let span = self.span(SpanKind::Client, at, &parent)?;
        let own = span.span_context().clone();
        self.client = Some(span);
        (own.is_sampled() || self.has_parent).then(|| inject(own))?
    }

    fn heard(&mut self, at: Duration, answer: Outcome) {
        self.end_client(at, error(answer));
    }

    fn ended(mut self: Box<Self>, at: Duration, end: &End) {
        // A request that ends without the server's answer has failed there.
        let why = end.verdict.map_or(CANCELLED, |verdict| verdict.code);
        self.end_client(at, vec![KeyValue::new(ERROR, why)]);
        let mut failed = match end.answer {
            Some(answer) => error(answer),
            None => vec![KeyValue::new(ERROR, CANCELLED)],
        };
        if let Some(mut span) = self.server.take() {
            if let Some(verdict) = end.verdict {
                span.set_attribute(KeyValue::new("toolsure.filter", verdict.filter.name()));
                span.set_attribute(KeyValue::new("toolsure.action", verdict.action.name()));
                span.set_attribute(KeyValue::new("toolsure.code", verdict.code));
            }
            finish(span, &failed, self.time(at));
        }
        if let Some(meters) = &self.instruments.meters {
            let unknown = end.verdict.is_some_and(|verdict| {
                verdict.filter == Filter::Admission && verdict.action == Action::Refused
            });
            if unknown {
                let tool = self.common.iter_mut().find(|one| one.key.as_str() == TOOL);
                if let Some(tool) = tool {
                    tool.value = OTHER.into();
                }
            }
            let took = at.saturating_sub(self.began).as_secs_f64();
            failed.append(&mut self.common);
            failed.push(KeyValue::new(TRANSPORT, transport(self.client_carrier)));
            meters.server.record(took, &failed);
        }
    }
}

fn finish(mut span: Span, failed: &[KeyValue], at: SystemTime) {
    if !failed.is_empty() {
        span.set_status(Status::error(""));
        span.set_attributes(failed.iter().cloned());
    }
    span.end_with_timestamp(at);
}

/// The attributes of an answer that is an error.
fn error(answer: Outcome) -> Vec<KeyValue> {
    match answer {
        Outcome::Error(code) => {
            let code = code.to_string();
            vec![
                KeyValue::new(ERROR, code.clone()),
                KeyValue::new("rpc.response.status_code", code),
            ]
        }
        Outcome::ToolError => vec![KeyValue::new(ERROR, "tool_error")],
        _ => Vec::new(),
    }
}

/// The method's name in MCP; `_OTHER` if it is not a request of clients.
fn known(method: &str) -> &'static str {
    let known = Method::of(method).filter(|known| known.is_request_of_client());
    known.map_or(OTHER, |known| known.name)
}

/// An untrusted text, escaped and cut.
fn cut(text: &str) -> String {
    quote(text, SHOWN).to_string()
}

fn shown(id: &IdKey) -> String {
    match id {
        IdKey::Number(number) => number.to_string(),
        IdKey::Text(text) => cut(text),
        IdKey::Other(number) => cut(number),
    }
}

/// The two headers of a trace context, for the propagator.
struct Carried(HashMap<&'static str, String>);

impl Extractor for Carried {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key).map(String::as_str)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().copied().collect()
    }
}

impl Injector for Carried {
    fn set(&mut self, key: &str, value: String) {
        for name in [TRACEPARENT, TRACESTATE] {
            if key == name && !value.is_empty() {
                self.0.insert(name, value);
                return;
            }
        }
    }
}

fn extract(context: &TraceContext) -> Context {
    let mut carried = Carried(HashMap::new());
    carried.set(TRACEPARENT, context.traceparent.clone());
    carried.set(TRACESTATE, context.tracestate.clone().unwrap_or_default());
    TraceContextPropagator::new().extract_with_context(&Context::new(), &carried)
}

fn inject(span: opentelemetry::trace::SpanContext) -> Option<TraceContext> {
    let context = Context::new().with_remote_span_context(span);
    let mut carried = Carried(HashMap::new());
    TraceContextPropagator::new().inject_context(&context, &mut carried);
    TraceContext::new(carried.get(TRACEPARENT)?, carried.get(TRACESTATE))
}

const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";
/// The error of a request whose client did not wait for the answer.
const CANCELLED: &str = "cancelled";
/// Maximum characters of an untrusted name.
const SHOWN: usize = 128;
