//! toolgate-json.
