//! A tracer that tells what it is told.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolsure_guard::{Begun, End, Outcome, Trace, TraceContext, Tracer};

/// Gives the contexts `1`, `2` and so on to requests that go to the server.
#[derive(Debug, Default)]
pub(super) struct RecordingTracer(Arc<Mutex<Recorded>>);

#[derive(Debug, Default)]
struct Recorded {
    lines: Vec<String>,
    sent: u64,
}

#[derive(Debug)]
struct Following {
    told: Arc<Mutex<Recorded>>,
    id: String,
    state: Option<String>,
}

impl RecordingTracer {
    pub(super) fn told(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.0).lines)
    }
}

impl Tracer for RecordingTracer {
    fn begin(&self, request: &Begun<'_>) -> Box<dyn Trace> {
        let id = request.id.raw();
        let mut line = format!("T begin {id} {}", request.method);
        for part in [
            request.target,
            request.era.map(|era| era.version()),
            request.parent.map(|parent| parent.traceparent.as_str()),
        ] {
            line.push_str(&format!(" {}", part.unwrap_or("-")));
        }
        lock(&self.0).lines.push(line);
        Box::new(Following {
            told: Arc::clone(&self.0),
            id,
            state: request.parent.and_then(|parent| parent.tracestate.clone()),
        })
    }
}

impl Trace for Following {
    fn sent(&mut self, _: Duration) -> Option<TraceContext> {
        let mut told = lock(&self.told);
        told.sent += 1;
        TraceContext::new(&told.sent.to_string(), self.state.as_deref())
    }

    fn heard(&mut self, _: Duration, answer: Outcome) {
        let line = format!("T heard {} {answer:?}", self.id);
        lock(&self.told).lines.push(line);
    }

    fn ended(self: Box<Self>, at: Duration, end: &End) {
        let answer = end
            .answer
            .map_or("nobody".to_owned(), |it| format!("{it:?}"));
        let mut line = format!("T end {} {answer} at {}", self.id, at.as_millis());
        if let Some(verdict) = end.verdict {
            let (filter, action) = (verdict.filter.name(), verdict.action.name());
            line.push_str(&format!(" {filter} {action} {}", verdict.code));
        }
        lock(&self.told).lines.push(line);
    }
}

fn lock(told: &Mutex<Recorded>) -> std::sync::MutexGuard<'_, Recorded> {
    told.lock().unwrap_or_else(PoisonError::into_inner)
}
