//! The trace context that HTTP headers carry beside a message (W3C Trace Context).

use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use toolsure_guard::TraceContext;

/// The trace context of a request.
pub(super) fn read(headers: &HeaderMap) -> Option<TraceContext> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    // Several `tracestate` headers are one list (section 3.3.1); only the first is used.
    TraceContext::new(text(&TRACEPARENT)?, text(&TRACESTATE))
}

/// Writes the trace context of a message into its headers.
pub(super) fn write(context: &TraceContext, headers: &mut HeaderMap) {
    let parent = HeaderValue::from_str(&context.traceparent).ok();
    let state = context.tracestate.as_deref();
    let state = state.and_then(|state| HeaderValue::from_str(state).ok());
    for (name, value) in [(TRACEPARENT, parent), (TRACESTATE, state)] {
        match value {
            Some(value) => headers.insert(name, value),
            None => headers.remove(name),
        };
    }
}

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_context_takes_the_place_of_another() {
        let mut headers = HeaderMap::new();
        headers.insert(TRACESTATE, HeaderValue::from_static("a=1"));
        assert_eq!(read(&headers), None);
        headers.insert(TRACEPARENT, HeaderValue::from_static("p"));
        let client = read(&headers);
        assert_eq!(client, TraceContext::new("p", Some("a=1")));
        let guard = TraceContext::new("q", None);
        write(guard.as_ref().unwrap(), &mut headers);
        assert_eq!(read(&headers), guard);
        assert!(!headers.contains_key(TRACESTATE));
    }
}
