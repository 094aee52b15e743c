//! The four histograms of the OpenTelemetry conventions for MCP.

use std::time::Duration;

use opentelemetry::KeyValue;
use opentelemetry::metrics::{Histogram, Meter};
use toolsure_guard::Carrier;

use super::attributes::{TRANSPORT, UPSTREAM, transport};

/// The instruments. Each has at most 2,000 combinations of attributes and counts the others
/// together under `otel.metric.overflow`, which is the SDK's own limit.
#[derive(Clone, Debug)]
pub(super) struct Meters {
    pub(super) server: Histogram<f64>,
    pub(super) client: Histogram<f64>,
    server_session: Histogram<f64>,
    client_session: Histogram<f64>,
}

impl Meters {
    pub(super) fn new(meter: &Meter) -> Self {
        Self {
            server: seconds(
                meter,
                "mcp.server.operation.duration",
                "Time from a client's request to its answer.",
            ),
            client: seconds(
                meter,
                "mcp.client.operation.duration",
                "Time from a request to the server to its answer.",
            ),
            server_session: seconds(
                meter,
                "mcp.server.session.duration",
                "How long a client's session lasted.",
            ),
            client_session: seconds(
                meter,
                "mcp.client.session.duration",
                "How long a session with the server lasted.",
            ),
        }
    }

    pub(super) fn session(
        &self,
        upstream: &str,
        client: Carrier,
        server: Carrier,
        lasted: Duration,
    ) {
        for (histogram, carrier) in [
            (&self.server_session, client),
            (&self.client_session, server),
        ] {
            let attributes = [
                KeyValue::new(UPSTREAM, upstream.to_owned()),
                KeyValue::new(TRANSPORT, transport(carrier)),
            ];
            histogram.record(lasted.as_secs_f64(), &attributes);
        }
    }
}

fn seconds(meter: &Meter, name: &'static str, what: &'static str) -> Histogram<f64> {
    meter
        .f64_histogram(name)
        .with_unit("s")
        .with_description(what)
        .with_boundaries(BOUNDS.to_vec())
        .build()
}

/// The buckets of the conventions, for all four histograms.
const BOUNDS: [f64; 14] = [
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0,
];
