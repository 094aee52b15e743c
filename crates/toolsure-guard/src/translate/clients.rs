//! How many clients use a translator.

/// How many clients use the translator.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a connection belongs to one client, or to several"
)]
pub enum Clients {
    /// One client.
    #[default]
    One,
    /// Several clients whose messages share one stream. A request of a legacy server in the middle of a
    /// call does not say which call it belongs to, so each call that allows such requests has its own
    /// session with the server.
    Many,
}
