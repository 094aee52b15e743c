//! Traces a request through the guard: the events for a tracer, and the trace context that a message
//! carries in `_meta` (SEP-414; W3C Trace Context).
//!
//! The guard is independent of any tracing system. It reports when a request of the client arrives,
//! goes to the server, is answered there and ends, and adds the context that it is given to the message
//! for the server. Without a tracer no message is touched.

use std::fmt;
use std::time::Duration;

use toolsure_json::{Document, Kind, Node as _, View, json_string};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::Edits;

use crate::id::IdKey;
use crate::record::{Action, Filter};

/// Follows the requests of one conversation's client. It is called while a message is being handled, so
/// it must return at once.
pub trait Tracer: fmt::Debug + Send + Sync {
    /// A request has arrived.
    fn begin(&self, request: &Begun<'_>) -> Box<dyn Trace>;
}

/// One request that is traced. It is dropped without [`ended`](Trace::ended) only if its conversation
/// is dropped.
pub trait Trace: fmt::Debug + Send {
    /// The request goes to the server. Returns the context for the message; with `None` the message keeps
    /// the context that it has.
    fn sent(&mut self, at: Duration) -> Option<TraceContext>;

    /// The server answered; the client's answer need not be the same.
    fn heard(&mut self, at: Duration, answer: Outcome);

    /// The request has ended.
    fn ended(self: Box<Self>, at: Duration, end: &End);
}

/// A request that arrived.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Begun<'a> {
    /// The time, on the clock that is passed in.
    pub at: Duration,
    /// Its id.
    pub id: &'a IdKey,
    /// The method, as the client wrote it.
    pub method: &'a str,
    /// The tool or the prompt that the request names, as the client wrote it.
    pub target: Option<&'a str>,
    /// The era of the request; unknown for `initialize`.
    pub era: Option<Era>,
    /// The parent context, as the client wrote it.
    pub parent: Option<&'a TraceContext>,
}

/// A trace context as text, in the form of W3C Trace Context.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "the specification has these two fields, and is frozen"
)]
pub struct TraceContext {
    /// `traceparent`.
    pub traceparent: String,
    /// `tracestate`.
    pub tracestate: Option<String>,
}

/// The kind of answer that a request got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// A result.
    Result,
    /// The result of a tool that failed: `isError`.
    ToolError,
    /// A JSON-RPC error with this code; 0 for one whose code is not an integer.
    Error(i64),
}

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct End {
    /// The answer to the client; `None` if the client no longer waits.
    pub answer: Option<Outcome>,
    /// The first violation in the request or its answer.
    pub verdict: Option<Verdict>,
}

/// A violation that a filter found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// Which filter.
    pub filter: Filter,
    /// What happened to the message.
    pub action: Action,
    /// The code in the audit record.
    pub code: &'static str,
}

impl TraceContext {
    /// The context in a request's `_meta`. A `tracestate` longer than
    /// [`TRACESTATE`](Self::TRACESTATE) is left out, as the specification allows.
    pub(crate) fn read(params: View<'_>) -> Option<Self> {
        let meta = params.member(META)?;
        let text = |name| meta.member(name).filter(|it| it.kind() == Kind::String);
        let traceparent = text(TRACEPARENT)?.string();
        Self::new(traceparent, text(TRACESTATE).map(|state| state.string()))
    }

    /// A context from its two strings; `None` if `traceparent` is too long.
    #[must_use]
    pub fn new(traceparent: &str, tracestate: Option<&str>) -> Option<Self> {
        let state = tracestate.filter(|state| state.len() <= Self::TRACESTATE);
        (traceparent.len() <= Self::TRACEPARENT).then(|| Self {
            traceparent: traceparent.to_owned(),
            tracestate: state.map(str::to_owned),
        })
    }

    /// The longest `tracestate` that is passed on, in bytes (W3C Trace Context, section 3.3.1.5).
    pub const TRACESTATE: usize = 512;
    /// The longest `traceparent` that is accepted, in bytes; in version 00 it has 55.
    pub const TRACEPARENT: usize = 256;

    /// The request with this context in place of its own. `None` if the context cannot be added because
    /// `params` or `_meta` is not an object.
    pub(crate) fn splice(&self, request: Document<'_>) -> Option<String> {
        let root = request.root();
        let mut members = vec![format!(
            "\"{TRACEPARENT}\":{}",
            json_string(&self.traceparent)
        )];
        if let Some(state) = &self.tracestate {
            members.push(format!("\"{TRACESTATE}\":{}", json_string(state)));
        }
        let whole = format!("\"{META}\":{{{}}}", members.join(","));
        let mut edits = Edits::new();
        let keep = |_: usize, _: View<'_>| false;
        match root.member("params") {
            None => {
                let params = format!("\"params\":{{{whole}}}");
                edits.reshape(root, keep, &[params]);
            }
            Some(params) if params.kind() != Kind::Object => return None,
            Some(params) => match params.member(META) {
                None => edits.reshape(params, keep, &[whole]),
                Some(meta) if meta.kind() != Kind::Object => return None,
                Some(meta) => edits.reshape(meta, is_context, &members),
            },
        }
        Some(edits.apply(request.source()))
    }
}

/// Whether a member of `_meta` belongs to the trace context.
fn is_context(_: usize, member: View<'_>) -> bool {
    let name = member.name();
    name.is_some_and(|name| matches!(name.string(), TRACEPARENT | TRACESTATE))
}

impl End {
    pub(crate) fn new(answer: Option<Outcome>, verdict: Option<Verdict>) -> Self {
        Self { answer, verdict }
    }
}

const META: &str = "_meta";
const TRACEPARENT: &str = "traceparent";
const TRACESTATE: &str = "tracestate";

#[cfg(test)]
mod tests {
    use super::*;
    use toolsure_json::{OwnedDocument, ReadLimits};

    #[test]
    fn a_context_is_put_where_it_belongs_and_nothing_else_moves() {
        let context = TraceContext {
            traceparent: "P".to_owned(),
            tracestate: Some("a=\"".to_owned()),
        };
        for (request, expected) in [
            (
                r#"{"id" : 1.0}"#,
                Some(r#"{"id" : 1.0,"params":{"_meta":{"traceparent":"P","tracestate":"a=\""}}}"#),
            ),
            (
                r#"{"params": { "x" : 1 }, "id":1}"#,
                Some(
                    r#"{"params": { "x" : 1,"_meta":{"traceparent":"P","tracestate":"a=\""} }, "id":1}"#,
                ),
            ),
            (
                r#"{"params":{"_meta":{}}}"#,
                Some(r#"{"params":{"_meta":{"traceparent":"P","tracestate":"a=\""}}}"#),
            ),
            (
                r#"{"params":{"_meta":{"tracestate":"old","baggage":"b=1","traceparent":"Q"},"z":0}}"#,
                Some(
                    r#"{"params":{"_meta":{"baggage":"b=1","traceparent":"P","tracestate":"a=\""},"z":0}}"#,
                ),
            ),
            (
                r#"{"params":{"_meta":{"trace\u0070arent":7}}}"#,
                Some(r#"{"params":{"_meta":{"traceparent":"P","tracestate":"a=\""}}}"#),
            ),
            (r#"{"params":{"_meta":[]}}"#, None),
            (r#"{"params":[]}"#, None),
        ] {
            let document = OwnedDocument::read(request, &ReadLimits::default()).unwrap();
            let spliced = context.splice(document.document());
            assert_eq!(spliced.as_deref(), expected, "{request}");
        }
    }

    #[test]
    fn a_context_is_read_within_bounds() {
        let long = "a".repeat(600);
        for (params, expected) in [
            (r#"{"_meta":{"traceparent":"P"}}"#.to_owned(), Some(None)),
            (
                r#"{"_meta":{"traceparent":"P","tracestate":"a=1"}}"#.to_owned(),
                Some(Some("a=1")),
            ),
            (
                format!(r#"{{"_meta":{{"traceparent":"P","tracestate":"{long}"}}}}"#),
                Some(None),
            ),
            (format!(r#"{{"_meta":{{"traceparent":"{long}"}}}}"#), None),
            (r#"{"_meta":{"traceparent":1}}"#.to_owned(), None),
            (r#"{"_meta":{"tracestate":"a=1"}}"#.to_owned(), None),
            ("{}".to_owned(), None),
        ] {
            let document = OwnedDocument::read(params.as_str(), &ReadLimits::default()).unwrap();
            let read = TraceContext::read(document.document().root());
            let state = read.as_ref().map(|context| context.tracestate.as_deref());
            assert_eq!(state, expected, "{params}");
        }
    }
}
