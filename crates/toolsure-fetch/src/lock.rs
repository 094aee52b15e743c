//! The lock: the digest that each URI's document had when an operator reviewed it.

use std::collections::BTreeMap;
use std::fmt;
use std::fmt::Write as _;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use toolsure_json::{json_string, quote};

use crate::error::FetchError;

/// The SHA-256 digest of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Parses 64 hexadecimal digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut bytes = [0; 32];
        if text.len() != 64 || !text.is_ascii() {
            return None;
        }
        for (index, byte) in bytes.iter_mut().enumerate() {
            let at = index.checked_mul(2)?;
            let digits = text.get(at..at.checked_add(2)?)?;
            *byte = u8::from_str_radix(digits, 16)
                .ok()
                .filter(|_| !digits.contains('+'))?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Digests by URI. A document with another digest is refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lock {
    digests: BTreeMap<String, Digest>,
    /// Whether other URIs may be fetched, too.
    open: bool,
}

/// Why a lock cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the lock cannot be read: {0}")]
#[non_exhaustive]
pub struct LockError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default)]
    document: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    uri: String,
    sha256: String,
}

impl Lock {
    /// Parses a lock. Other URIs than those in it are refused, unless it is [opened](Self::open).
    ///
    /// # Errors
    ///
    /// The text is not TOML of this form, a digest is malformed, or a URI occurs twice.
    ///
    /// ```
    /// use toolsure_fetch::Lock;
    ///
    /// let text = "version = 1\n\n[[document]]\nuri = \"https://a.example/s.json\"\n\
    ///     sha256 = \"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a\"\n";
    /// let lock = Lock::parse(text)?;
    /// assert_eq!(lock.to_string(), text);
    /// # Ok::<(), toolsure_fetch::LockError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, LockError> {
        let file: File = toml::from_str(text)
            .map_err(|error| LockError(quote(error.message(), 200).to_string()))?;
        if file.version != VERSION {
            return Err(LockError(format!("version {} is unknown", file.version)));
        }
        let mut lock = Self::default();
        for entry in file.document {
            let uri = quote(&entry.uri, 200).to_string();
            let digest = Digest::parse(&entry.sha256)
                .ok_or_else(|| LockError(format!("the digest of `{uri}` is malformed")))?;
            if lock.digests.insert(entry.uri, digest).is_some() {
                return Err(LockError(format!("`{uri}` is in it twice")));
            }
        }
        Ok(lock)
    }

    /// Allows other URIs, too. Documents of the URIs in the lock must still match.
    #[must_use]
    pub fn open(mut self) -> Self {
        self.open = true;
        self
    }

    /// Adds a document, or replaces its digest.
    pub fn insert(&mut self, uri: &str, digest: Digest) {
        self.digests.insert(uri.to_owned(), digest);
    }

    /// Checks whether this URI may be requested at all.
    pub(crate) fn may_fetch(&self, uri: &str) -> Result<(), FetchError> {
        if self.open || self.digests.contains_key(uri) {
            return Ok(());
        }
        Err(FetchError::NotLocked)
    }

    /// Checks a document against the digest in the lock, if there is one.
    pub(crate) fn verify(&self, uri: &str, found: Digest) -> Result<(), FetchError> {
        match self.digests.get(uri) {
            Some(locked) if *locked != found => Err(FetchError::Digest {
                found: found.to_string(),
                locked: locked.to_string(),
            }),
            Some(_) => Ok(()),
            None => self.may_fetch(uri),
        }
    }
}

impl fmt::Display for Lock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = format!("version = {VERSION}\n");
        for (uri, digest) in &self.digests {
            let uri = json_string(uri);
            write!(text, "\n[[document]]\nuri = {uri}\nsha256 = \"{digest}\"\n")?;
        }
        f.write_str(&text)
    }
}

const VERSION: u32 = 1;
