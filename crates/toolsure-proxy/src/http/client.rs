//! The settings of HTTP clients.

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};

use super::connections::AGENT;

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
