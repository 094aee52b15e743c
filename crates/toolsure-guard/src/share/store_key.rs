//! Names and hashes as parts of the store's keys.

use sha2::{Digest as _, Sha256};

use crate::text::hex;

/// The first bytes of a digest as hexadecimal digits.
pub(super) fn short_hex(digest: &[u8; 32], bytes: usize) -> String {
    hex(digest.get(..bytes).unwrap_or(digest))
}

/// A foreign name as a part of a key: unchanged if it is plain and short, otherwise hashed.
pub(super) fn field(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    if !name.is_empty() && name.len() <= LONGEST && name.chars().all(plain) {
        return name.to_owned();
    }
    let digest: [u8; 32] = Sha256::digest(name.as_bytes()).into();
    format!("#{}", short_hex(&digest, NAMED))
}

/// Bytes of a hash that names a caller or a tool with an unusual name.
pub(super) const NAMED: usize = 16;
/// Maximum bytes of a name that is used in a key without hashing.
const LONGEST: usize = 128;
