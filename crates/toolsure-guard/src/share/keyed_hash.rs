//! HMAC-SHA-256 (RFC 2104) over lists of strings. It names callers in the store, and cannot be made or
//! checked without the secret.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// HMAC-SHA-256 under one secret.
pub(super) struct KeyedHash(Hmac<Sha256>);

impl KeyedHash {
    pub(super) fn new(secret: &[u8]) -> Self {
        // Keys of any length are valid, so the error cannot occur.
        let hmac = Hmac::new_from_slice(secret);
        Self(hmac.unwrap_or_else(|_| Hmac::new(&Default::default())))
    }

    /// The hash of some parts. The length of each part precedes it, so that no two lists of parts give the
    /// same input.
    pub(super) fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut hmac = self.0.clone();
        for part in parts {
            hmac.update(&part.len().to_be_bytes());
            hmac.update(part);
        }
        hmac.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_keep_their_names_in_the_store() {
        // HMAC-SHA-256 of the length and the text, as `openssl dgst -hmac` computes it.
        let long = [0xaa; 131];
        for (secret, expected) in [(&b"Jefe"[..], JEFE), (&long[..], LONG)] {
            let hash = KeyedHash::new(secret).hash(&[b"what do ya want for nothing?"]);
            assert_eq!(crate::text::hex(&hash), expected);
        }
    }

    #[test]
    fn parts_are_told_apart() {
        let keyed = KeyedHash::new(b"secret");
        assert_ne!(keyed.hash(&[b"ab", b"c"]), keyed.hash(&[b"a", b"bc"]));
        assert_ne!(keyed.hash(&[b"a"]), KeyedHash::new(b"other").hash(&[b"a"]));
    }

    const JEFE: &str = "f80838b2e599dfbe7a38f7a7a17809946762357529df986b87919b732a79be43";
    const LONG: &str = "6ba39cd3b0d202f2bea61433145fe8914b5d2dfd44537a0d8ee6cdee1307abfe";
}
