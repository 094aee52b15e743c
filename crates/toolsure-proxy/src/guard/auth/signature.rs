//! The signatures of tokens, verified by ring.

use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result};
use jsonwebtoken::signature::{Error, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature::{self as algorithms, RsaPublicKeyComponents, UnparsedPublicKey};

/// Has `jsonwebtoken` verify signatures with ring, unless the process has chosen another library.
pub(super) fn install() {
    static RING: CryptoProvider = CryptoProvider {
        signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
        verifier_factory: |algorithm, key| {
            let (algorithm, key) = (*algorithm, key.clone());
            Ok(Box::new(RingVerifier { algorithm, key }))
        },
        key_utils: KeyUtils::new_unimplemented(),
    };
    let _another_is_installed = RING.install_default();
}

struct RingVerifier {
    algorithm: Algorithm,
    key: DecodingKey,
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> std::result::Result<(), Error> {
        self.check(message, signature).map_err(|_| Error::new())
    }
}

impl RingVerifier {
    fn check(&self, message: &[u8], signature: &[u8]) -> Result<()> {
        if self.key.family() != self.algorithm.family() {
            return Err(ErrorKind::InvalidAlgorithm.into());
        }
        let rsa = |parameters| match self.key.kind() {
            DecodingKeyKind::RsaModulusExponent { n, e } => {
                let key = RsaPublicKeyComponents {
                    n: without_zeros(n),
                    e: without_zeros(e),
                };
                key.verify(parameters, message, signature)
            }
            DecodingKeyKind::SecretOrDer(_) => Err(ring::error::Unspecified),
        };
        let plain = |algorithm: &'static dyn algorithms::VerificationAlgorithm| {
            let bytes = self.key.try_get_as_bytes()?;
            let key = UnparsedPublicKey::new(algorithm, bytes);
            key.verify(message, signature)
                .map_err(|_| ErrorKind::InvalidSignature.into())
        };
        let verified = match self.algorithm {
            Algorithm::RS256 => rsa(&algorithms::RSA_PKCS1_2048_8192_SHA256),
            Algorithm::RS384 => rsa(&algorithms::RSA_PKCS1_2048_8192_SHA384),
            Algorithm::RS512 => rsa(&algorithms::RSA_PKCS1_2048_8192_SHA512),
            Algorithm::PS256 => rsa(&algorithms::RSA_PSS_2048_8192_SHA256),
            Algorithm::PS384 => rsa(&algorithms::RSA_PSS_2048_8192_SHA384),
            Algorithm::PS512 => rsa(&algorithms::RSA_PSS_2048_8192_SHA512),
            Algorithm::ES256 => return plain(&algorithms::ECDSA_P256_SHA256_FIXED),
            Algorithm::ES384 => return plain(&algorithms::ECDSA_P384_SHA384_FIXED),
            Algorithm::EdDSA => return plain(&algorithms::ED25519),
            _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
        };
        verified.map_err(|_| ErrorKind::InvalidSignature.into())
    }
}

/// A number without its leading zeros, as ring takes it.
fn without_zeros(number: &[u8]) -> &[u8] {
    let first = number.iter().position(|byte| *byte != 0);
    number
        .get(first.unwrap_or(number.len())..)
        .unwrap_or_default()
}
