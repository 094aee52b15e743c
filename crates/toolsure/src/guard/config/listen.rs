//! The settings of `[listen]`.

use std::net::SocketAddr;
use std::path::PathBuf;

use toolsure_json::quote;
use toolsure_proxy::guard::{ClientAuthorities, HttpListener, ServerCertificate};

use super::place::SHOWN;

/// The address for clients, and what is accepted there.
#[derive(Clone, Default)]
pub(crate) struct Listen {
    /// `None` means standard input and output.
    pub(crate) address: Option<SocketAddr>,
    pub(crate) hosts: Vec<String>,
    pub(crate) origins: Vec<String>,
    /// The URL under which clients know the guard.
    pub(crate) public_url: Option<String>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub(crate) trusted_proxies: Vec<String>,
    pub(crate) tls_certificate: Option<PathBuf>,
    pub(crate) tls_key: Option<PathBuf>,
    /// Certificate authorities of clients.
    pub(crate) tls_client_ca: Option<PathBuf>,
    /// Whether everybody who reaches a public address may use the guard.
    pub(crate) open: bool,
    /// The contents of both files, once read.
    pub(crate) certificate: Option<ServerCertificate>,
    /// The authorities of clients, once read.
    pub(crate) client_authorities: Option<ClientAuthorities>,
}

impl Listen {
    /// Reads the certificate and checks the origins and the URL.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        // The origin of a sandboxed page is `null`.
        let is_origin = |origin: &str| match origin.split_once("://") {
            Some((scheme, host)) => !scheme.is_empty() && !host.is_empty() && !host.contains('/'),
            None => origin == "null",
        };
        if let Some(wrong) = self.origins.iter().find(|origin| !is_origin(origin)) {
            let wrong = quote(wrong, SHOWN);
            return Err(format!(
                "`listen.origins`: `{wrong}` is not an origin; it has a scheme and no path, as in `https://app.example`"
            ));
        }
        if let Some(url) = &self.public_url {
            HttpListener::check_public_url(url)
                .map_err(|fault| format!("`listen.public_url`: {fault}"))?;
        }
        HttpListener::check_trusted_proxies(&self.trusted_proxies)
            .map_err(|fault| format!("`listen.trusted_proxies`: {fault}"))?;
        self.certificate = match (&self.tls_certificate, &self.tls_key) {
            (None, None) => None,
            (Some(certificate), Some(key)) => {
                let read = ServerCertificate::read(certificate, key);
                Some(read.map_err(|fault| fault.to_string())?)
            }
            _ => {
                return Err("`listen.tls_certificate` and `listen.tls_key` go together".into());
            }
        };
        self.client_authorities = match &self.tls_client_ca {
            None => None,
            Some(_) if self.certificate.is_none() => {
                return Err("`listen.tls_client_ca` needs `listen.tls_certificate`: clients show certificates over HTTPS only".into());
            }
            Some(path) => {
                let read = ClientAuthorities::read(path);
                Some(read.map_err(|fault| fault.to_string())?)
            }
        };
        Ok(())
    }
}
