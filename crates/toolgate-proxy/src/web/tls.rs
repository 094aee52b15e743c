//! TLS for the server, from PEM files.

use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;
use toolgate_json::quote;

use crate::fault::{Fault, FaultKind, Party, Phase};

/// Reads a certificate and its key.
pub(crate) fn acceptor(certificate: &Path, key: &Path) -> Result<TlsAcceptor, Fault> {
    let chain = CertificateDer::pem_file_iter(certificate)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| fault("certificate", certificate, &error))?;
    let private = PrivateKeyDer::from_pem_file(key).map_err(|error| fault("key", key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| {
            builder
                .with_no_client_auth()
                .with_single_cert(chain, private)
        })
        .map_err(|error| fault("certificate", certificate, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

fn fault(what: &str, path: &Path, error: &dyn std::fmt::Display) -> Fault {
    let path = path.to_string_lossy();
    Fault::new(
        Party::Operator,
        FaultKind::Config,
        Phase::Start,
        format!(
            "the TLS {what} `{}` cannot be used: {}",
            quote(&path, 200),
            quote(&error.to_string(), 200)
        ),
    )
    .with_help("both files are PEM; the certificate file holds the chain, its own first")
}
