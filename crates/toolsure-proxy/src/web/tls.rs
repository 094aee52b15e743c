//! TLS for the server: a certificate and its key from PEM files, replaceable while it serves.

use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, ServerConfig};
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

    /// Accepts connections. A client certificate of one of the authorities is verified; a client may have none.
    pub(crate) fn acceptor(
        &self,
        clients: Option<&ClientAuthorities>,
    ) -> Result<TlsAcceptor, Fault> {
        let builder = ServerConfig::builder_with_provider(Arc::new(provider()))
            .with_safe_default_protocol_versions()
            .map_err(|error| {
                let message = format!("TLS cannot be served: {error}");
                Fault::new(Party::Operator, FaultKind::Config, Phase::Start, message)
            })?;
        let builder = match clients {
            Some(clients) => builder.with_client_cert_verifier(Arc::clone(&clients.0)),
            None => builder.with_no_client_auth(),
        };
        let config = builder.with_cert_resolver(Arc::<Current>::clone(&self.0));
        Ok(TlsAcceptor::from(Arc::new(config)))
    }
}

/// The certificate authorities whose certificates clients may show.
#[derive(Clone)]
pub struct ClientAuthorities(Arc<dyn ClientCertVerifier>);

impl ClientAuthorities {
    /// Reads the certificates of the authorities, PEM.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Config`] if the file cannot be read, or has no certificate of an authority.
    pub fn read(path: &Path) -> Result<Self, Fault> {
        let wrong = |error: &dyn std::fmt::Display| fault("client authorities", path, error);
        let found = CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect::<Result<Vec<_>, _>>)
            .map_err(|error| wrong(&error))?;
        let mut roots = RootCertStore::empty();
        for certificate in found {
            roots.add(certificate).map_err(|error| wrong(&error))?;
        }
        let provider = Arc::new(provider());
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider)
            .allow_unauthenticated()
            .build()
            .map_err(|error| wrong(&error))?;
        Ok(Self(verifier))
    }
}

impl std::fmt::Debug for ClientAuthorities {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ClientAuthorities")
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
