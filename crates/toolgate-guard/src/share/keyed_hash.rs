//! A hash that nobody can make, or check a guess with, who has not the secret.

use sha2::{Digest as _, Sha256};

/// HMAC-SHA-256 (RFC 2104) under one secret.
pub(super) struct KeyedHash {
    inner: Sha256,
    outer: Sha256,
}

impl KeyedHash {
    pub(super) fn new(secret: &[u8]) -> Self {
        let mut block = [0_u8; BLOCK];
        let digest: [u8; 32];
        let key = match secret.len() <= BLOCK {
            true => secret,
            false => {
                digest = Sha256::digest(secret).into();
                &digest
            }
        };
        for (to, from) in block.iter_mut().zip(key) {
            *to = *from;
        }
        let begun = |pad: u8| {
            let mut hash = Sha256::new();
            hash.update(block.map(|byte| byte ^ pad));
            hash
        };
        Self {
            inner: begun(0x36),
            outer: begun(0x5c),
        }
    }

    /// The hash of some parts, each told with its length, so that no two lists
    /// of parts are the same text.
    pub(super) fn hash(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut text = Vec::new();
        for part in parts {
            text.extend_from_slice(&part.len().to_be_bytes());
            text.extend_from_slice(part);
        }
        self.of(&text)
    }

    fn of(&self, text: &[u8]) -> [u8; 32] {
        let mut inner = self.inner.clone();
        inner.update(text);
        let mut outer = self.outer.clone();
        outer.update(inner.finalize());
        outer.finalize().into()
    }
}

/// Bytes of a block of SHA-256.
const BLOCK: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::share::hex;

    #[test]
    fn it_is_the_hash_of_the_standard() {
        // RFC 4231, test cases 2 and 6.
        let short = KeyedHash::new(b"Jefe").of(b"what do ya want for nothing?");
        assert_eq!(
            hex(short.iter()),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
        let long = KeyedHash::new(&[0xaa; 131])
            .of(b"Test Using Larger Than Block-Size Key - Hash Key First");
        assert_eq!(
            hex(long.iter()),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        );
    }

    #[test]
    fn parts_are_told_apart() {
        let keyed = KeyedHash::new(b"secret");
        assert_ne!(keyed.hash(&[b"ab", b"c"]), keyed.hash(&[b"a", b"bc"]));
        assert_ne!(keyed.hash(&[b"a"]), KeyedHash::new(b"other").hash(&[b"a"]));
    }
}
