//! What measures the traffic of one upstream, and the upstream as telemetry names it.

use opentelemetry_sdk::trace::SdkTracer;

use super::meters::Meters;

/// The instruments for one upstream. A signal that is not exported has none.
#[derive(Debug)]
pub(super) struct Instruments {
    /// The upstream's name.
    pub(super) upstream: String,
    /// The host and port of an upstream over HTTP.
    pub(super) far: Option<(String, i64)>,
    pub(super) tracer: Option<SdkTracer>,
    pub(super) meters: Option<Meters>,
}
