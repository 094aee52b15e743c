//! toolgate-proxy.
