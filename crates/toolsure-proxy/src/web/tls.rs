//! TLS for the server: a certificate and its key from PEM files, replaceable while it serves.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::ServerConfig;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use tokio_rustls::TlsAcceptor;
use toolsure_json::quote;

use crate::fault::{Fault, FaultKind, Party, Phase};

/// The certificate that a guard serves HTTPS with (TLS 1.2 and 1.3). A handle: clones share the
/// certificate, and see it replaced.
#[derive(Clone)]
pub struct ServerCertificate(Arc<Current>);

struct Current(RwLock<Arc<CertifiedKey>>);

impl ServerCertificate {
    /// Reads a certificate chain (the server's own certificate first) and its private key, both
    /// PEM.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] if a file cannot be read or is not PEM, or if the key belongs to
    /// another certificate.
    pub fn read(certificate: &Path, key: &Path) -> Result<Self, Fault> {
        let chain = CertificateDer::pem_file_iter(certificate)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| fault("certificate", certificate, &error))?;
        if chain.is_empty() {
            return Err(fault("certificate", certificate, &"it contains none"));
        }
        let private =
            PrivateKeyDer::from_pem_file(key).map_err(|error| fault("key", key, &error))?;
        let both = CertifiedKey::from_der(chain, private, &provider())
            .map_err(|error| fault("key", key, &error))?;
        Ok(Self(Arc::new(Current(RwLock::new(Arc::new(both))))))
    }

    /// Replaces the certificate with that of `other`, for new connections. Open connections stay as
    /// they are.
    pub fn replace(&self, other: &Self) {
        let other = other.0.get();
        *self.0.0.write().unwrap_or_else(PoisonError::into_inner) = other;
    }

    pub(crate) fn acceptor(&self) -> Result<TlsAcceptor, Fault> {
        let config = ServerConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| {
                let message = format!("TLS cannot be served: {error}");
                Fault::new(Party::Operator, FaultKind::Config, Phase::Start, message)
            })?
            .with_no_client_auth()
            .with_cert_resolver(Arc::<Current>::clone(&self.0));
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

impl std::fmt::Debug for ServerCertificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ServerCertificate")
    }
}

impl Current {
    fn get(&self) -> Arc<CertifiedKey> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl std::fmt::Debug for Current {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Current")
    }
}

impl ResolvesServerCert for Current {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.get())
    }
}

fn provider() -> CryptoProvider {
    rustls::crypto::ring::default_provider()
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
    .with_help("both files must be PEM; the certificate file holds the chain, the server's own certificate first")
}
