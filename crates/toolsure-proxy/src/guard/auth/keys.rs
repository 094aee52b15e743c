//! The keys of an issuer (RFC 7517): fetched when they are needed, and kept.
//!
//! They are fetched again when they are old, and when a token names a key that is not among them, but not
//! more often than once in [`PAUSE`]. While the issuer cannot be reached, the old ones are used for [`KEPT`].

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use bytes::Bytes;
use hyper::Method;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use jsonwebtoken::{Algorithm, AlgorithmFamily, DecodingKey};
use reqwest::Url;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};
use toolsure_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadLimits, View, shown_url};

use super::refusal::config;
use super::token_issuer::TokenIssuer;
use crate::fault::{Fault, Phase};
use crate::http::{Endpoint, HttpTarget, body};

/// Why there is no key for a token.
#[derive(Debug)]
pub(super) enum KeyError {
    /// The issuer has none.
    Unknown,
    /// The issuer cannot be asked, for this reason.
    Unavailable(String),
}

/// The keys of an issuer.
pub(super) struct KeyStore {
    issuer: String,
    keys_url: Option<String>,
    authorities: Option<PathBuf>,
    target: HttpTarget,
    current: RwLock<Arc<Keys>>,
    /// Grows when a key is gone or new.
    generation: AtomicU64,
    /// Locked while they are fetched; when that was last tried, and why it failed.
    fetching: tokio::sync::Mutex<Option<(Instant, Option<String>)>>,
    /// For the requests that wait for it.
    waiting: Semaphore,
}

#[derive(Default)]
struct Keys {
    all: Vec<Key>,
    fetched: Option<Instant>,
}

struct Key {
    id: Option<String>,
    /// The only algorithm that it is for.
    algorithm: Option<String>,
    /// The curve, if it is a point on one.
    curve: Option<String>,
    key: DecodingKey,
    text: String,
}

impl KeyStore {
    pub(super) fn new(settings: &TokenIssuer) -> Result<Self, Fault> {
        let url = settings.keys_url.as_ref().unwrap_or(&settings.issuer);
        let mut target = HttpTarget::new(url)?;
        if let Some(authorities) = &settings.authorities {
            target = target.trusting(authorities)?;
        }
        if Url::parse(&settings.issuer).is_err() {
            let shown = shown_url(&settings.issuer);
            return Err(config(format!("the issuer `{shown}` is not a URL")));
        }
        Ok(Self {
            issuer: settings.issuer.clone(),
            keys_url: settings.keys_url.clone(),
            authorities: settings.authorities.clone(),
            target,
            current: RwLock::default(),
            generation: AtomicU64::new(1),
            fetching: tokio::sync::Mutex::default(),
            waiting: Semaphore::new(MOST_WAITING),
        })
    }

    /// Whether both fetch from the same place, and trust the same authorities.
    pub(super) fn is_of_same(&self, other: &Self) -> bool {
        let place = |it: &Self| {
            (
                it.issuer.clone(),
                it.keys_url.clone(),
                it.authorities.clone(),
            )
        };
        place(self) == place(other)
    }

    /// Whether they need not be fetched again yet.
    pub(super) fn is_fresh(&self) -> bool {
        let fetched = self.current().fetched;
        fetched.is_some_and(|fetched| fetched.elapsed() < FRESH)
    }

    pub(super) fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// The keys that a token with this key id and algorithm may be signed with, and their generation.
    pub(super) async fn of(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<(Vec<DecodingKey>, u64), KeyError> {
        let now = Instant::now();
        let age = |keys: &Keys| {
            let fetched = keys.fetched?;
            Some(now.saturating_duration_since(fetched))
        };
        let generation = self.generation();
        let mut keys = self.current();
        let mut failed = None;
        let is_fresh = age(&keys).is_some_and(|age| age < FRESH);
        if !is_fresh || keys.fitting(id, algorithm).is_empty() {
            failed = self.fetch_again(now).await.err();
            keys = self.current();
        }
        if age(&keys).is_none_or(|age| age >= KEPT) {
            let why = failed.unwrap_or_else(|| "they were not fetched".to_owned());
            return Err(KeyError::Unavailable(why));
        }
        let found = keys.fitting(id, algorithm);
        match (found.is_empty(), failed) {
            (false, _) => Ok((found, generation)),
            // The issuer may have a new key that cannot be fetched now.
            (true, Some(why)) => Err(KeyError::Unavailable(why)),
            (true, None) => Err(KeyError::Unknown),
        }
    }

    fn current(&self) -> Arc<Keys> {
        let current = self.current.read();
        Arc::clone(&current.unwrap_or_else(PoisonError::into_inner))
    }

    /// Fetches the keys, unless somebody has done so after `asked`, or a short time ago.
    async fn fetch_again(&self, asked: Instant) -> Result<(), String> {
        let waiting = self.waiting.try_acquire();
        let _waiting = waiting.map_err(|_| "too many requests wait for the issuer".to_owned())?;
        let mut last = self.fetching.lock().await;
        if let Some((at, failed)) = &*last
            && (*at >= asked || at.elapsed() < PAUSE)
        {
            return failed.clone().map_or(Ok(()), Err);
        }
        let fetched = timeout(PATIENCE, self.fetch()).await;
        let fetched = fetched.unwrap_or_else(|_| Err("no answer in time".to_owned()));
        let failed = fetched.as_ref().err().cloned();
        *last = Some((Instant::now(), failed.clone()));
        let all = fetched?;
        let texts = |keys: &[Key]| keys.iter().map(|key| key.text.clone()).collect::<Vec<_>>();
        let mut current = self.current.write().unwrap_or_else(PoisonError::into_inner);
        if texts(&current.all) != texts(&all) {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        *current = Arc::new(Keys {
            all,
            fetched: Some(Instant::now()),
        });
        Ok(())
    }

    async fn fetch(&self) -> Result<Vec<Key>, String> {
        let url = match &self.keys_url {
            Some(url) => url.clone(),
            None => self.discover().await?,
        };
        let document = self.get(&url).await?;
        let root = document.document().root();
        let keys = root.member("keys").filter(|it| it.kind() == Kind::Array);
        let keys = keys.ok_or("the key set has no `keys`")?;
        Ok(keys.items().take(MOST_KEYS).filter_map(Key::read).collect())
    }

    /// Where the metadata of the issuer say that its keys are.
    async fn discover(&self) -> Result<String, String> {
        let mut why = String::new();
        for url in places(&self.issuer) {
            let document = match self.get(&url).await {
                Ok(document) => document,
                Err(error) => {
                    why = error;
                    continue;
                }
            };
            let root = document.document().root();
            let text = |name: &str| root.member(name).map_or("", |member| member.string());
            if text("issuer") != self.issuer {
                return Err("the metadata of the issuer name another issuer".to_owned());
            }
            let keys_url = text("jwks_uri");
            let is_secure =
                keys_url.starts_with("https://") || !self.issuer.starts_with("https://");
            if keys_url.is_empty() || !is_secure {
                return Err("the metadata of the issuer have no https `jwks_uri`".to_owned());
            }
            return Ok(keys_url.to_owned());
        }
        Err(why)
    }

    async fn get(&self, url: &str) -> Result<OwnedDocument, String> {
        let endpoint = self.target.at(url).and_then(Endpoint::new);
        let endpoint = endpoint.map_err(|fault| fault.to_string())?;
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let sent = endpoint.send(Phase::Request, Method::GET, &headers, Bytes::new());
        let response = sent.await.map_err(|fault| fault.to_string())?;
        let status = response.status().as_u16();
        if status != 200 {
            return Err(format!(
                "`{}` answered HTTP status {status}",
                shown_url(url)
            ));
        }
        let body = body(Phase::Request, response, SET_BYTES).await;
        let body = body.map_err(|fault| fault.to_string())?;
        let limits = ReadLimits {
            bytes: SET_BYTES,
            duplicate_keys: DuplicateKeys::Refuse,
            ..ReadLimits::default()
        };
        OwnedDocument::read(body, &limits).map_err(|error| format!("`{}`: {error}", shown_url(url)))
    }
}

impl Keys {
    /// The keys for a token. One without a key id may be signed with any.
    fn fitting(&self, id: Option<&str>, algorithm: Algorithm) -> Vec<DecodingKey> {
        let fits = |key: &&Key| {
            let is_named = id.is_none_or(|id| key.id.as_deref() == Some(id));
            is_named && key.fits(algorithm)
        };
        let fitting = self.all.iter().filter(fits);
        fitting
            .map(|key| key.key.clone())
            .take(MOST_TRIED)
            .collect()
    }
}

impl Key {
    /// Reads a public key for signatures; `None` for any other.
    fn read(view: View<'_>) -> Option<Self> {
        let text = |name: &str| {
            let member = view.member(name)?;
            (member.kind() == Kind::String).then(|| member.string())
        };
        if text("use").is_some_and(|used| used != "sig") {
            return None;
        }
        let key = match text("kty")? {
            "RSA" => DecodingKey::from_rsa_components(text("n")?, text("e")?),
            "EC" => DecodingKey::from_ec_components(text("x")?, text("y")?),
            "OKP" => DecodingKey::from_ed_components(text("x")?),
            // A secret in a public set is none.
            _ => return None,
        };
        Some(Self {
            id: text("kid").map(str::to_owned),
            algorithm: text("alg").map(str::to_owned),
            curve: text("crv").map(str::to_owned),
            key: key.ok()?,
            text: view.raw().to_owned(),
        })
    }

    fn fits(&self, algorithm: Algorithm) -> bool {
        let name = format!("{algorithm:?}");
        let curve = match algorithm {
            Algorithm::ES256 => Some("P-256"),
            Algorithm::ES384 => Some("P-384"),
            Algorithm::EdDSA => Some("Ed25519"),
            _ => None,
        };
        let is_for_it = self.algorithm.as_ref().is_none_or(|only| {
            // RFC 9864 names the curve.
            *only == name || algorithm == Algorithm::EdDSA && only == "Ed25519"
        });
        let is_rsa = self.key.family() == AlgorithmFamily::Rsa;
        self.key.family() == algorithm.family()
            && is_for_it
            && (is_rsa || self.curve.as_deref() == curve)
    }
}

/// Where the metadata of an issuer may be.
fn places(issuer: &str) -> Vec<String> {
    let base = issuer.trim_end_matches('/');
    let mut places = vec![format!("{base}/.well-known/openid-configuration")];
    if let Ok(url) = Url::parse(issuer) {
        let (origin, path) = (url.origin().ascii_serialization(), url.path());
        let path = path.trim_end_matches('/');
        places.push(format!(
            "{origin}/.well-known/oauth-authorization-server{path}"
        ));
    }
    places
}

/// How long keys are used before they are fetched again.
const FRESH: Duration = Duration::from_secs(300);
/// How long they are used while the issuer cannot be asked.
const KEPT: Duration = Duration::from_secs(3_600);
/// The time between two attempts to fetch them.
const PAUSE: Duration = Duration::from_secs(5);
/// For the issuer to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum bytes of metadata and of a key set.
const SET_BYTES: usize = 256 << 10;
/// How many requests wait for the keys at the same time.
const MOST_WAITING: usize = 64;
const MOST_KEYS: usize = 100;
/// How many keys without an id are tried.
const MOST_TRIED: usize = 8;
