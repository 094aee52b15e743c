//! The limits of one run of a fetcher.

use std::time::Duration;

/// The limits of one run of [`Fetcher::references`](crate::Fetcher::references).
#[derive(Debug, Clone)]
#[expect(
    clippy::exhaustive_structs,
    reason = "built by struct update from the default"
)]
pub struct Limits {
    /// Documents per run. Default 16.
    pub documents: usize,
    /// Bytes of one document. Default 1 MiB.
    pub bytes: usize,
    /// Redirects per document. Default 3.
    pub redirects: usize,
    /// Time to resolve a name, and the same time again to connect. Default 5 seconds.
    pub connect: Duration,
    /// Time for one document, redirects and body included. Default 15 seconds.
    pub document_time: Duration,
    /// Time for all documents. Default 60 seconds.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            documents: 16,
            bytes: 1 << 20,
            redirects: 3,
            connect: Duration::from_secs(5),
            document_time: Duration::from_secs(15),
            time: Duration::from_secs(60),
        }
    }
}
