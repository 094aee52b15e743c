//! toolgate-schema.
