//! What HTTP clients have in common: their settings and errors.

use std::error::Error;
use std::time::Duration;

use hyper_util::client::legacy;
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};

/// A builder for HTTP clients like this crate's own: HTTP/1.1, rustls with the platform's trust
/// store, no redirects.
pub fn http_client() -> ClientBuilder {
    // Set once per process; later calls return an error, which is ignored.
    let _already_set = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(Policy::none())
        .http1_only()
        .user_agent(AGENT)
}

/// Why a request got no response.
#[derive(Debug)]
pub(super) struct Failure {
    /// Whether no connection could be made.
    pub(super) is_connect: bool,
    pub(super) error: BoxError,
}

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

impl Failure {
    pub(super) fn unreachable(error: impl Into<BoxError>) -> Self {
        Self {
            is_connect: true,
            error: error.into(),
        }
    }
}

impl From<legacy::Error> for Failure {
    fn from(error: legacy::Error) -> Self {
        Self {
            is_connect: error.is_connect(),
            error: error.into(),
        }
    }
}

impl From<reqwest::Error> for Failure {
    fn from(error: reqwest::Error) -> Self {
        Self {
            is_connect: error.is_connect(),
            error: error.into(),
        }
    }
}

/// The connect timeout: a host that does not respond in time counts as unreachable.
pub(super) const CONNECT: Duration = Duration::from_secs(10);
pub(super) const AGENT: &str = concat!("toolsure/", env!("CARGO_PKG_VERSION"));
