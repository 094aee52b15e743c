//! Bounds what waits for the collector, and counts what is exported or lost.

use std::env;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use opentelemetry::Context;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::OTelSdkResult;
use opentelemetry_sdk::metrics::Temporality;
use opentelemetry_sdk::metrics::data::ResourceMetrics;
use opentelemetry_sdk::metrics::exporter::PushMetricExporter;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Span, SpanData, SpanExporter, SpanProcessor,
};
use toolsure_json::quote;

use super::super::metrics::Metrics;

/// Counts what is exported and what is lost.
pub(super) struct Counts {
    signal: &'static str,
    metrics: Arc<Metrics>,
    /// Spans that wait or are being exported.
    waiting: AtomicUsize,
    failing: AtomicBool,
}

impl Counts {
    pub(super) fn new(signal: &'static str, metrics: &Arc<Metrics>) -> Self {
        Self {
            signal,
            metrics: Arc::clone(metrics),
            waiting: AtomicUsize::new(0),
            failing: AtomicBool::new(false),
        }
    }

    fn exported(&self, count: usize, result: &OTelSdkResult) {
        let signal = self.signal;
        let outcome = if result.is_ok() { "sent" } else { "failed" };
        self.metrics.telemetry(signal, outcome, count);
        let failed_before = self.failing.swap(result.is_err(), Ordering::Relaxed);
        match result {
            Err(error) if !failed_before => {
                let error = error.to_string();
                let error = quote(&error, 256).to_string();
                tracing::warn!(signal, error, "telemetry is not exported");
            }
            Ok(()) if failed_before => tracing::info!(signal, "telemetry is exported again"),
            _ => {}
        }
    }
}

impl std::fmt::Debug for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Counts({})", self.signal)
    }
}

/// A queue of spans for the collector. Spans that do not fit are dropped and counted.
#[derive(Debug)]
pub(super) struct Bounded {
    next: BatchSpanProcessor,
    counts: Arc<Counts>,
    room: usize,
}

impl Bounded {
    pub(super) fn new<E: SpanExporter + 'static>(exporter: E, counts: Arc<Counts>) -> Self {
        let room = env::var(QUEUE).ok().and_then(|room| room.parse().ok());
        let room = room.filter(|room| *room > 0).unwrap_or(ROOM);
        // The processor's queue never overflows, because no more spans are admitted than fit.
        let config = BatchConfigBuilder::default().with_max_queue_size(room);
        let next = BatchSpanProcessor::builder(exporter).with_batch_config(config.build());
        Self {
            next: next.build(),
            counts,
            room,
        }
    }
}

impl SpanProcessor for Bounded {
    fn on_start(&self, span: &mut Span, context: &Context) {
        self.next.on_start(span, context);
    }

    fn on_end(&self, span: SpanData) {
        let more = |waiting: usize| (waiting < self.room).then(|| waiting + 1);
        let waiting = &self.counts.waiting;
        match waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
            Ok(_) => self.next.on_end(span),
            Err(_) => self.counts.metrics.telemetry("spans", "dropped", 1),
        }
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.next.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.next.shutdown_with_timeout(timeout)
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.next.set_resource(resource);
    }
}

/// An exporter that counts its exports.
#[derive(Debug)]
pub(super) struct Counted<E> {
    inner: E,
    counts: Arc<Counts>,
}

impl<E> Counted<E> {
    pub(super) fn new(inner: E, counts: &Arc<Counts>) -> Self {
        Self {
            inner,
            counts: Arc::clone(counts),
        }
    }
}

impl<E: SpanExporter> SpanExporter for Counted<E> {
    async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let result = self.inner.export(batch).await;
        self.counts.exported(count, &result);
        self.counts.waiting.fetch_sub(count, Ordering::Relaxed);
        result
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.inner.set_resource(resource);
    }
}

impl<E: PushMetricExporter> PushMetricExporter for Counted<E> {
    async fn export(&self, metrics: &ResourceMetrics) -> OTelSdkResult {
        let result = self.inner.export(metrics).await;
        self.counts.exported(1, &result);
        result
    }

    fn force_flush(&self) -> OTelSdkResult {
        self.inner.force_flush()
    }

    fn shutdown_with_timeout(&self, timeout: Duration) -> OTelSdkResult {
        self.inner.shutdown_with_timeout(timeout)
    }

    fn temporality(&self) -> Temporality {
        self.inner.temporality()
    }
}

/// The variable with the maximum number of waiting spans.
const QUEUE: &str = "OTEL_BSP_MAX_QUEUE_SIZE";
/// The default of that variable in the specification.
const ROOM: usize = 2_048;
