//! The parts that tests replace: name resolution and the check of addresses.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;

use crate::address::is_public;

/// The answer of a [`Resolve`].
pub type Resolving<'r> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'r>>;

/// Resolves names to addresses.
pub trait Resolve: Send + Sync {
    /// The addresses of a host, with the port.
    fn resolve<'r>(&'r self, host: &'r str, port: u16) -> Resolving<'r>;
}

/// Decides which addresses may be connected to.
pub trait Addresses: Send + Sync {
    /// Whether a connection to this address is allowed.
    fn allows(&self, address: IpAddr) -> bool;
}

/// Removes the address checks of a [`Fetcher`](crate::Fetcher), for tests with local servers.
///
/// Other programs do not need it: they can read schemas from an internal server by other means, and
/// register the documents.
#[derive(Clone)]
pub struct Dangerous {
    pub(crate) names: Arc<dyn Resolve>,
    pub(crate) addresses: Arc<dyn Addresses>,
}

impl Dangerous {
    /// Uses these instead of the system's name resolution and the check for public addresses.
    #[must_use]
    pub fn new(names: Arc<dyn Resolve>, addresses: Arc<dyn Addresses>) -> Self {
        Self { names, addresses }
    }
}

impl Default for Dangerous {
    fn default() -> Self {
        Self {
            names: Arc::new(System),
            addresses: Arc::new(Public),
        }
    }
}

impl fmt::Debug for Dangerous {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Dangerous")
    }
}

struct System;

impl Resolve for System {
    fn resolve<'r>(&'r self, host: &'r str, port: u16) -> Resolving<'r> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}

struct Public;

impl Addresses for Public {
    fn allows(&self, address: IpAddr) -> bool {
        is_public(address)
    }
}
