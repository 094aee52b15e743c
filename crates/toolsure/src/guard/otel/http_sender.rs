//! The HTTP client of an exporter: the guard's own kind of client, on a small runtime that only the
//! exporter's thread drives.

use std::env;
use std::error::Error;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::{Builder, Runtime};

#[derive(Debug)]
pub(super) struct HttpSender {
    client: reqwest::Client,
    /// `None` once it is dropped.
    runtime: Option<Runtime>,
}

impl HttpSender {
    pub(super) fn new() -> Result<Self, Box<dyn Error>> {
        let timeout = env::var(TIMEOUT).ok().and_then(|ms| ms.parse().ok());
        let client = toolsure_proxy::http_client()
            .timeout(timeout.map_or(PATIENCE, Duration::from_millis))
            .build()?;
        let runtime = Builder::new_current_thread().enable_all().build();
        Ok(Self {
            client,
            runtime: Some(runtime?),
        })
    }
}

impl HttpClient for HttpSender {
    fn send_bytes<'post, 'sent>(
        &'post self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'sent>>
    where
        'post: 'sent,
    {
        Box::pin(async move {
            match &self.runtime {
                // Exporters run on their own threads, which may block.
                Some(runtime) => runtime.block_on(self.client.send_bytes(request)),
                None => Err("the exporter has ended".into()),
            }
        })
    }
}

impl Drop for HttpSender {
    fn drop(&mut self) {
        // The last owner may be a task, which must not block.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// The variable with the timeout of one export, in milliseconds.
const TIMEOUT: &str = "OTEL_EXPORTER_OTLP_TIMEOUT";
const PATIENCE: Duration = Duration::from_secs(10);
