//! Names and versions of programs, each as the protocol's `Implementation`.

/// Our own, for `clientInfo` and `serverInfo`.
pub(crate) const TOOLSURE: &str = concat!(
    r#"{"name":"toolsure","version":""#,
    env!("CARGO_PKG_VERSION"),
    r#""}"#
);

/// For a server that does not send its own, because the protocol versions with sessions require one.
pub(crate) const UNNAMED: &str = r#"{"name":"unnamed","version":"unknown"}"#;
