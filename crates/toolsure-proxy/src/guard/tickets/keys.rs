//! The keys that encrypt session ids, and the encryption.
//!
//! ```text
//!   name   = base64url( format ‖ salt ‖ ChaCha20-Poly1305(key, ticket) )
//!   key    = HKDF-Expand( HKDF-Extract(secret), label ‖ salt )        RFC 5869, RFC 8439
//! ```
//!
//! Each session id has its own key, derived from 24 random bytes. So the number of ids that one
//! secret may encrypt has no practical limit, and the nonce can be constant.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, Prk, Salt};

use crate::fault::{Fault, FaultKind, Party, Phase};

/// The secrets that encrypt session ids. A handle: clones share the secrets, and see them replaced.
///
/// All replicas of a guard need the same secrets. Without any, session ids are encrypted with a
/// random secret of this process: they are valid here only, until the process ends.
#[derive(Clone)]
pub struct SessionKeys(Arc<RwLock<Arc<Ring>>>);

struct Ring {
    /// The first encrypts, all decrypt.
    keys: Vec<Prk>,
    /// This process's own key; `None` if the system gave no randomness.
    own: Option<Prk>,
    generation: u64,
}

impl SessionKeys {
    /// Minimum bytes of a secret. A secret of 32 random bytes, however encoded, cannot be guessed.
    pub const SHORTEST: usize = 32;
    /// Maximum bytes of a secret.
    pub const LONGEST: usize = 1_024;
    /// Maximum number of secrets. All are tried on an invalid session id.
    pub const MOST: usize = 8;

    /// Replaces the secrets: session ids are encrypted with the first, and decrypted with any.
    /// Session ids that no secret decrypts become invalid.
    ///
    /// # Errors
    ///
    /// There are more than [`MOST`](Self::MOST), or one is shorter than
    /// [`SHORTEST`](Self::SHORTEST), longer than [`LONGEST`](Self::LONGEST), or given twice. Then
    /// the present ones stay. The fault contains no secret.
    pub fn replace<S: AsRef<[u8]>>(&self, secrets: &[S]) -> Result<(), Fault> {
        Self::check(secrets)?;
        let mut ring = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *ring = Arc::new(Ring {
            keys: secrets.iter().map(|secret| key(secret.as_ref())).collect(),
            own: ring.own.clone(),
            generation: ring.generation.saturating_add(1),
        });
        Ok(())
    }

    /// Checks secrets without using them.
    ///
    /// # Errors
    ///
    /// As [`replace`](Self::replace).
    pub fn check<S: AsRef<[u8]>>(secrets: &[S]) -> Result<(), Fault> {
        let (most, shortest, longest) = (Self::MOST, Self::SHORTEST, Self::LONGEST);
        if secrets.len() > most {
            let found = secrets.len();
            return Err(bad(format!("at most {most} session keys, found {found}")));
        }
        for (index, secret) in secrets.iter().enumerate() {
            let (number, length) = (index.saturating_add(1), secret.as_ref().len());
            if !(shortest..=longest).contains(&length) {
                return Err(bad(format!(
                    "session key {number} has {length} bytes, not {shortest} to {longest}"
                )));
            }
            let before = secrets.iter().take(index);
            if before
                .into_iter()
                .any(|one| one.as_ref() == secret.as_ref())
            {
                return Err(bad(format!("session key {number} is a duplicate")));
            }
        }
        Ok(())
    }

    /// How many times the secrets were replaced.
    pub(super) fn generation(&self) -> u64 {
        self.ring().generation
    }

    /// Encrypts a ticket; `None` if the system gives no randomness.
    pub(super) fn seal(&self, mut ticket: Vec<u8>) -> Option<String> {
        let mut salt = [0_u8; SALT];
        getrandom::fill(&mut salt).ok()?;
        let ring = self.ring();
        let key = ring.keys.first().or(ring.own.as_ref())?;
        let (key, nonce) = of_one_name(key, &salt)?;
        key.seal_in_place_append_tag(nonce, Aad::from([FORMAT]), &mut ticket)
            .ok()?;
        let mut sealed = vec![FORMAT];
        sealed.extend_from_slice(&salt);
        sealed.append(&mut ticket);
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Decrypts the ticket in a session id. Also returns the generation of the secrets.
    pub(super) fn open(&self, name: &str) -> Option<(Vec<u8>, u64)> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let sealed = URL_SAFE_NO_PAD.decode(name).ok()?;
        let (&[format], rest) = sealed.split_first_chunk()?;
        let (salt, ticket) = rest.split_first_chunk::<SALT>()?;
        if format != FORMAT {
            return None;
        }
        let ring = self.ring();
        let own = ring.own.as_ref().filter(|_| ring.keys.is_empty());
        ring.keys.iter().chain(own).find_map(|key| {
            let (key, nonce) = of_one_name(key, salt)?;
            let mut ticket = ticket.to_vec();
            let opened = key.open_in_place(nonce, Aad::from([FORMAT]), &mut ticket);
            Some((opened.ok()?.to_vec(), ring.generation))
        })
    }

    fn ring(&self) -> Arc<Ring> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Default for SessionKeys {
    /// A random secret of this process.
    fn default() -> Self {
        let mut secret = [0_u8; 32];
        let filled = getrandom::fill(&mut secret);
        Self(Arc::new(RwLock::new(Arc::new(Ring {
            keys: Vec::new(),
            own: filled.ok().map(|()| key(&secret)),
            generation: 0,
        }))))
    }
}

impl fmt::Debug for SessionKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SessionKeys({})", self.ring().keys.len())
    }
}

fn key(secret: &[u8]) -> Prk {
    Salt::new(HKDF_SHA256, LABEL).extract(secret)
}

fn of_one_name(key: &Prk, salt: &[u8; SALT]) -> Option<(LessSafeKey, Nonce)> {
    let info: [&[u8]; 2] = [LABEL, salt];
    let derived = key.expand(&info, &CHACHA20_POLY1305).ok()?;
    let key = LessSafeKey::new(UnboundKey::from(derived));
    Some((key, Nonce::assume_unique_for_key([0; NONCE_LEN])))
}

fn bad(message: String) -> Fault {
    Fault::new(Party::Operator, FaultKind::Config, Phase::Start, message)
}

const LABEL: &[u8] = b"toolsure session name 1";
const FORMAT: u8 = 1;
const SALT: usize = 24;
/// Maximum characters of a session id: enough for the longest ticket, with room to grow.
const LONGEST_NAME: usize = 4_096;

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(secrets: &[&str]) -> SessionKeys {
        let keys = SessionKeys::default();
        keys.replace(secrets).unwrap();
        keys
    }

    const OLD: &str = "an old secret of more than 32 bytes";
    const NEW: &str = "a new secret of more than 32 bytes!";

    #[test]
    fn who_has_the_secret_opens_and_nobody_else() {
        let sealed = keys(&[OLD]).seal(b"ticket".to_vec()).unwrap();
        assert_eq!(keys(&[OLD]).open(&sealed).unwrap().0, b"ticket");
        assert_eq!(keys(&[NEW]).open(&sealed), None);
        assert_eq!(SessionKeys::default().open(&sealed), None);
        let own = SessionKeys::default();
        let sealed = own.seal(b"ticket".to_vec()).unwrap();
        assert_eq!(own.clone().open(&sealed).unwrap().0, b"ticket");
        assert_eq!(SessionKeys::default().open(&sealed), None);
        assert!(!sealed.contains("ticket") && !format!("{own:?}").contains("ticket"));
    }

    #[test]
    fn secrets_are_rotated_without_a_session_lost() {
        let one = keys(&[OLD]);
        let sealed = one.seal(b"ticket".to_vec()).unwrap();
        one.replace(&[NEW, OLD]).unwrap();
        assert!(one.open(&sealed).is_some());
        let fresh = one.seal(b"ticket".to_vec()).unwrap();
        assert_eq!(keys(&[OLD]).open(&fresh), None);
        assert!(keys(&[NEW]).open(&fresh).is_some());
        one.replace(&[NEW]).unwrap();
        assert_eq!(one.open(&sealed), None);
        // Without secrets again: ids from this process's own secret are valid again.
        let own = SessionKeys::default();
        let sealed = own.seal(b"ticket".to_vec()).unwrap();
        own.replace(&[NEW]).unwrap();
        assert_eq!(own.open(&sealed), None);
        own.replace::<&str>(&[]).unwrap();
        assert!(own.open(&sealed).is_some());
    }

    #[test]
    fn no_name_is_like_another_and_none_can_be_bent() {
        let keys = keys(&[OLD]);
        let sealed = keys.seal(b"ticket".to_vec()).unwrap();
        assert_ne!(sealed, keys.seal(b"ticket".to_vec()).unwrap());
        let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bent = bytes.clone();
                *bent.get_mut(at).unwrap() ^= 1 << bit;
                assert_eq!(keys.open(&URL_SAFE_NO_PAD.encode(bent)), None, "{at} {bit}");
            }
            let cut = URL_SAFE_NO_PAD.encode(bytes.get(..at).unwrap());
            assert_eq!(keys.open(&cut), None, "{at}");
        }
        for odd in [
            "",
            "=",
            "ü",
            &"A".repeat(LONGEST_NAME),
            &"A".repeat(1 << 20),
        ] {
            assert_eq!(keys.open(odd), None);
        }
        assert_eq!(keys.open(&format!("{sealed}=")), None);
    }

    #[test]
    fn secrets_have_bounds_and_are_in_no_message() {
        let long = "x".repeat(SessionKeys::LONGEST + 1);
        let many: Vec<String> = (0..9).map(|n| format!("{n}{OLD}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        for (secrets, expected) in [
            (
                &["hush, hush"][..],
                "session key 1 has 10 bytes, not 32 to 1024",
            ),
            (
                &[OLD, &long],
                "session key 2 has 1025 bytes, not 32 to 1024",
            ),
            (&[OLD, OLD], "session key 2 is a duplicate"),
            (&many, "at most 8 session keys, found 9"),
        ] {
            let fault = SessionKeys::check(secrets).unwrap_err();
            assert_eq!(fault.to_string(), expected);
        }
    }
}
