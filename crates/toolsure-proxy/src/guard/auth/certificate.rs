//! The names in client certificates.

use std::sync::Arc;

use ring::digest::{SHA256, digest};
use rustls::pki_types::CertificateDer;
use toolsure_guard::hex;
use webpki::EndEntityCert;

/// The DNS names and the URIs among the subject alternative names of a certificate, and its digest. The common
/// name is no identity (RFC 9525).
pub(crate) fn names(certificate: &CertificateDer<'_>) -> Vec<Arc<str>> {
    let mut names: Vec<Arc<str>> = Vec::new();
    if let Ok(read) = EndEntityCert::try_from(certificate) {
        names.extend(read.valid_uri_names().map(Arc::from));
        names.extend(read.valid_dns_names().map(Arc::from));
    }
    let own = hex(digest(&SHA256, certificate).as_ref());
    names.push(format!("sha256:{own}").into());
    names
}
