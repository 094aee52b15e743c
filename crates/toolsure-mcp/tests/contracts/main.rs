//! What the crate promises: catalogs, contracts, checks, results, repairs, projections.

mod argument_schemas_in_place;
mod argument_versions;
mod checks;
mod client;
mod clients;
mod conformance_ids;
mod costs;
mod malformed_tools;
mod projection;
mod recordings;
mod refusal_text;
mod server;
mod spec_results;
mod spec_schema;
mod store_threads;
mod support;
mod testing;
#[cfg(feature = "schemars")]
mod typed;
mod wrapping;
