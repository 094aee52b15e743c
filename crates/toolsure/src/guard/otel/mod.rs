//! Spans and metrics for an OpenTelemetry collector, by the semantic conventions for MCP
//! (semantic-conventions, gen-ai/mcp), over OTLP/HTTP.
//!
//! Without an endpoint, none of this runs. With one, requests are traced ([`spans`]) and timed
//! ([`meters`]). Separate threads export the results from bounded queues ([`queue`],
//! [`http_sender`]), so that no request ever waits for the collector.

mod attributes;
mod http_sender;
mod instruments;
mod meters;
mod queue;
mod spans;

use std::env;
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use opentelemetry::metrics::MeterProvider as _;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry::{Key, KeyValue};
use opentelemetry_otlp::{
    MetricExporter, Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _,
};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use opentelemetry_sdk::trace::{Sampler, SdkTracerProvider};
use toolsure_guard::{Carrier, Link, Tracer};

use super::config::{self, Config, Upstream};
use super::metrics::Metrics;
use crate::exit::Failure;
use http_sender::HttpSender;
use instruments::Instruments;
use meters::Meters;
use queue::{Bounded, Counted, Counts};
use spans::Follower;

/// The exporters to the collector.
#[derive(Debug)]
pub(super) struct Telemetry {
    spans: Option<SdkTracerProvider>,
    meters: Option<(SdkMeterProvider, Meters)>,
}

/// What is needed to export telemetry about one upstream.
#[derive(Debug)]
pub(super) struct Line {
    instruments: Arc<Instruments>,
    /// Whether its clients use standard input and output, so that a connection is a session.
    stdio: bool,
}

impl Telemetry {
    /// Starts the exporters of the signals that have an endpoint; `None` if no signal has one.
    pub(super) fn start(config: &Config, metrics: &Arc<Metrics>) -> Result<Option<Self>, Failure> {
        if is(DISABLED, "true") {
            return Ok(None);
        }
        let settings = &config.telemetry;
        let spans = wanted(settings, TRACES);
        let meters = wanted(settings, METRICS);
        if !spans && !meters {
            return Ok(None);
        }
        if let Ok(protocol) = env::var(PROTOCOL)
            && !matches!(protocol.as_str(), "" | "http/protobuf")
        {
            tracing::warn!("`{PROTOCOL}`: only `http/protobuf` is supported");
        }
        let resource = resource();
        let telemetry = Self {
            spans: if spans {
                Some(tracers(settings, metrics, resource.clone())?)
            } else {
                None
            },
            meters: if meters {
                let provider = histograms(settings, metrics, resource)?;
                let meters = Meters::new(&provider.meter(SCOPE));
                Some((provider, meters))
            } else {
                None
            },
        };
        tracing::info!(spans, metrics = meters, "telemetry is exported");
        Ok(Some(telemetry))
    }

    /// What is needed to export telemetry about an upstream.
    pub(super) fn line(&self, name: &str, upstream: &Upstream, stdio: bool) -> Arc<Line> {
        let url = upstream.url.as_deref();
        let url = url.and_then(|url| reqwest::Url::parse(url).ok());
        let far = url.and_then(|url| {
            let port = url.port_or_known_default()?;
            Some((url.host_str()?.to_owned(), i64::from(port)))
        });
        let spans = self.spans.as_ref();
        let meters = self.meters.as_ref();
        let instruments = Arc::new(Instruments {
            upstream: name.to_owned(),
            far,
            tracer: spans.map(|spans| spans.tracer(SCOPE)),
            meters: meters.map(|(_, meters)| meters.clone()),
        });
        Arc::new(Line { instruments, stdio })
    }

    /// Exports what is left, and waits for that no longer than `limit`.
    pub(super) fn end(&self, limit: Duration) {
        let (done, ended) = mpsc::channel();
        let mut left: usize = 0;
        if let Some(spans) = self.spans.clone() {
            let done = done.clone();
            left += 1;
            thread::spawn(move || done.send(spans.shutdown_with_timeout(limit).is_ok()));
        }
        if let Some((meters, _)) = self.meters.clone() {
            left += 1;
            thread::spawn(move || done.send(meters.shutdown().is_ok()));
        }
        let until = Instant::now() + limit;
        for _ in 0..left {
            let rest = until.saturating_duration_since(Instant::now());
            if !matches!(ended.recv_timeout(rest), Ok(true)) {
                tracing::warn!("the last telemetry was not exported");
                return;
            }
        }
    }
}

impl Line {
    /// The tracer for the requests of a conversation.
    pub(super) fn tracer(&self, link: &Link) -> Arc<dyn Tracer> {
        Arc::new(Follower::new(&self.instruments, link))
    }

    /// Records the end of a client's connection.
    pub(super) fn disconnected(&self, lasted: Duration) {
        if self.stdio {
            self.session(Carrier::Stdio, lasted);
        }
    }

    /// Records the end of a session over HTTP.
    pub(super) fn session_closed(&self, lasted: Duration) {
        self.session(Carrier::Http, lasted);
    }

    /// A client on standard input and output, or in a session, has a server of its own, so the
    /// session with the server lasts as long as the client's.
    fn session(&self, client: Carrier, lasted: Duration) {
        let Instruments {
            upstream,
            far,
            meters,
            ..
        } = &*self.instruments;
        if let Some(meters) = meters {
            let server = match far {
                Some(_) => Carrier::Http,
                None => Carrier::Stdio,
            };
            meters.session(upstream, client, server, lasted);
        }
    }
}

fn tracers(
    settings: &config::Telemetry,
    metrics: &Arc<Metrics>,
    resource: Resource,
) -> Result<SdkTracerProvider, Failure> {
    let mut builder = SpanExporter::builder()
        .with_http()
        .with_http_client(HttpSender::new().map_err(|error| cannot(&*error))?)
        .with_protocol(Protocol::HttpBinary);
    if let Some(endpoint) = settings.at("v1/traces") {
        builder = builder.with_endpoint(endpoint);
    }
    let exporter = builder.build().map_err(|error| cannot(&error))?;
    let counts = Arc::new(Counts::new("spans", metrics));
    let processor = Bounded::new(Counted::new(exporter, &counts), counts);
    let mut provider = SdkTracerProvider::builder()
        .with_resource(resource)
        .with_span_processor(processor);
    if let Some(ratio) = settings.ratio() {
        let begun = Sampler::TraceIdRatioBased(ratio);
        provider = provider.with_sampler(Sampler::ParentBased(Box::new(begun)));
    }
    Ok(provider.build())
}

fn histograms(
    settings: &config::Telemetry,
    metrics: &Arc<Metrics>,
    resource: Resource,
) -> Result<SdkMeterProvider, Failure> {
    let mut builder = MetricExporter::builder()
        .with_http()
        .with_http_client(HttpSender::new().map_err(|error| cannot(&*error))?)
        .with_protocol(Protocol::HttpBinary);
    if let Some(endpoint) = settings.at("v1/metrics") {
        builder = builder.with_endpoint(endpoint);
    }
    let exporter = builder.build().map_err(|error| cannot(&error))?;
    let counts = Arc::new(Counts::new("metrics", metrics));
    Ok(SdkMeterProvider::builder()
        .with_resource(resource)
        .with_periodic_exporter(Counted::new(exporter, &counts))
        .build())
}

/// The resource from the environment, with our name and version where it has none.
fn resource() -> Resource {
    let found = Resource::builder().build();
    let said = |key: &'static str| found.get(&Key::from_static_str(key));
    let name = said("service.name").map(|name| name.to_string());
    let mut builder = Resource::builder();
    // The specification's default name.
    if name.is_none_or(|name| name.starts_with("unknown_service")) {
        builder = builder.with_service_name("toolsure-guard");
    }
    if said("service.version").is_none() {
        let version = env!("CARGO_PKG_VERSION");
        builder = builder.with_attribute(KeyValue::new("service.version", version));
    }
    builder.build()
}

/// A kind of telemetry: the variable with its endpoint, and the variable that disables it.
type Signal = (&'static str, &'static str);

fn wanted(settings: &config::Telemetry, (endpoint, exporter): Signal) -> bool {
    let said = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
    let somewhere = settings.endpoint.is_some() || said(ENDPOINT) || said(endpoint);
    somewhere && !is(exporter, "none")
}

fn is(name: &str, word: &str) -> bool {
    env::var(name).is_ok_and(|value| value.eq_ignore_ascii_case(word))
}

fn cannot(error: &dyn std::error::Error) -> Failure {
    let error = error.to_string();
    let error = toolsure_json::quote(&error, 256);
    Failure::usage(format!("telemetry cannot be exported: {error}"))
}

const TRACES: Signal = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_EXPORTER");
const METRICS: Signal = (
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_METRICS_EXPORTER",
);
const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";
const PROTOCOL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
const DISABLED: &str = "OTEL_SDK_DISABLED";
/// The name of the instrumentation scope.
const SCOPE: &str = "toolsure";
