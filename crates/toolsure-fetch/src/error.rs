//! Why a document was not fetched.

use std::net::IpAddr;

/// Why a document was not fetched, or was fetched and refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// The text is not an absolute URI.
    #[error("it is not an absolute URI")]
    NotAbsolute,
    /// The scheme is not `https`.
    #[error("only https is fetched")]
    Scheme,
    /// The URI has a user or a password.
    #[error("it holds a user or a password")]
    UserInfo,
    /// The host is an address instead of a name.
    #[error("its host is not a name")]
    HostIsNoName,
    /// The operator did not list the host with this port.
    #[error("the host `{host}` with port {port} is not allowed")]
    HostNotAllowed {
        /// The host.
        host: String,
        /// The port.
        port: u16,
    },
    /// The host has an address that is not public.
    #[error("the host `{host}` has the address {address}, which is not public")]
    Address {
        /// The host.
        host: String,
        /// The first such address.
        address: IpAddr,
    },
    /// The name could not be resolved.
    #[error("the host `{host}` cannot be resolved: {reason}")]
    Resolve {
        /// The host.
        host: String,
        /// The system's reason.
        reason: String,
    },
    /// The connection was made to an address that was not checked.
    #[error("the connection was made to an address that was not checked")]
    Peer,
    /// The connection or the transfer failed.
    #[error("{0}")]
    Transfer(String),
    /// The status is neither 200 nor a redirect.
    #[error("the server answered with status {0}")]
    Status(u16),
    /// A redirect without a usable `Location`.
    #[error("the redirect names no URI")]
    Redirect,
    /// The body is encoded.
    #[error("the body is encoded ({0}); only plain bodies are read")]
    Encoded(String),
    /// The document is not JSON text that the compiler can read.
    #[error("it is not a JSON document: {0}")]
    NotJson(String),
    /// A limit was reached.
    #[error("the limit `{limit}` ({value}) was reached")]
    Limit {
        /// The name of the limit.
        limit: &'static str,
        /// Its value.
        value: String,
    },
    /// The lock does not have the URI, and is not open.
    #[error("the lock has no digest for it")]
    NotLocked,
    /// The digest differs from the one in the lock.
    #[error("its digest is {found}, and the lock has {locked}")]
    Digest {
        /// The digest of the document.
        found: String,
        /// The digest in the lock.
        locked: String,
    },
}
