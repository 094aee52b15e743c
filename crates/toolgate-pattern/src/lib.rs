//! toolgate-pattern.
