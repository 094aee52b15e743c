//! What a protected resource says about its authorization (RFC 9728).

use std::sync::{Arc, Mutex, PoisonError};

use reqwest::Url;
use tokio::time::Instant;
use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits, View, json_string};
use toolsure_mcp::message::Edits;

/// The metadata of a protected resource.
#[derive(Debug)]
pub(crate) struct ResourceMetadata {
    document: OwnedDocument,
}

impl ResourceMetadata {
    /// Reads it strictly: clients decide by it where they send their users to log in.
    ///
    /// # Errors
    ///
    /// What is wrong, as one line.
    pub(super) fn read(body: Vec<u8>) -> Result<Self, String> {
        let limits = ReadLimits {
            bytes: METADATA_BYTES,
            depth: 16,
            duplicate_keys: DuplicateKeys::Refuse,
            ..ReadLimits::default()
        };
        let document = OwnedDocument::read(body, &limits).map_err(|error| error.to_string())?;
        let root = document.document().root();
        let is_text = |value: View<'_>| value.kind() == Kind::String;
        if root.kind() != Kind::Object || !root.member("resource").is_some_and(is_text) {
            return Err("`resource` is not a string".to_owned());
        }
        if let Some(servers) = root.member(SERVERS)
            && (servers.kind() != Kind::Array || !servers.items().all(is_text))
        {
            return Err(format!("`{SERVERS}` is not an array of strings"));
        }
        Ok(Self { document })
    }

    /// The metadata as those of the resource at another URL.
    pub(crate) fn at(&self, resource: &str) -> String {
        let document = self.document.document();
        let root = document.root();
        let mut edits = Edits::new();
        if let Some(own) = root.member("resource") {
            edits.replace(own, json_string(resource));
        }
        // It repeats the members, signed, with the other `resource`, and takes precedence.
        edits.remove_member(root, "signed_metadata");
        edits.apply(document.source())
    }

    /// The authorization servers whose tokens the resource takes.
    pub(crate) fn authorization_servers(&self) -> Vec<String> {
        let document = self.document.document();
        let servers = document.root().member(SERVERS);
        let items = servers.into_iter().flat_map(View::items);
        items.map(|server| server.string().to_owned()).collect()
    }
}

/// Why there are no metadata.
#[derive(Clone, Debug)]
pub(crate) enum NoMetadata {
    /// The server has none.
    Absent,
    /// They could not be fetched or read.
    Unusable(Arc<str>),
}

/// The metadata of one server, for a while; clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct MetadataCache {
    /// Where the last challenge of the server says that they are.
    named: Arc<Mutex<Option<Url>>>,
    /// Locked while they are fetched, so that they are fetched once.
    pub(super) known: Arc<tokio::sync::Mutex<Option<KnownMetadata>>>,
}

/// The outcome of a fetch.
#[derive(Debug)]
pub(super) struct KnownMetadata {
    /// Where the challenge said that the metadata are.
    pub(super) named: Option<Url>,
    pub(super) until: Instant,
    pub(super) found: Result<Arc<ResourceMetadata>, NoMetadata>,
}

impl MetadataCache {
    pub(super) fn named(&self) -> Option<Url> {
        self.lock().clone()
    }

    pub(super) fn set_named(&self, url: Url) {
        *self.lock() = Some(url);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Url>> {
        self.named.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Maximum bytes of the metadata.
pub(super) const METADATA_BYTES: usize = 64 << 10;
const SERVERS: &str = "authorization_servers";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_members_are_kept_but_those_that_name_the_other_resource() {
        let text = r#"{ "resource":"https://inner/mcp", "authorization_servers": ["https://auth"],
            "signed_metadata": "e30", "scopes_supported": ["a"] }"#;
        let metadata = ResourceMetadata::read(text.into()).unwrap();
        let outer = metadata.at("https://outer/\"mcp");
        let expected = serde_json::json!({"resource": "https://outer/\"mcp",
            "authorization_servers": ["https://auth"], "scopes_supported": ["a"]});
        let outer: serde_json::Value = serde_json::from_str(&outer).unwrap();
        assert_eq!(outer, expected);
        assert_eq!(metadata.authorization_servers(), ["https://auth"]);
    }

    #[test]
    fn it_is_read_strictly() {
        let padding = "x".repeat(METADATA_BYTES);
        for wrong in [
            "",
            "[]",
            "{}",
            r#"{"resource": 1}"#,
            r#"{"resource": "a", "resource": "b"}"#,
            r#"{"resource": "a", "authorization_servers": "b"}"#,
            r#"{"resource": "a", "authorization_servers": [1]}"#,
            r#"{"resource": "a"} {}"#,
            &format!(r#"{{"resource": "{padding}"}}"#),
        ] {
            let read = ResourceMetadata::read(wrong.into());
            assert!(read.is_err(), "{}", wrong.get(..50).unwrap_or(wrong));
        }
    }
}
