//! The fetcher: from schemas to the documents that they refer to.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;

use reqwest::{Certificate, Url};
use tokio::time::{Instant, timeout_at};
use toolgate_json::{OwnedDocument, ReadLimits, quote};
use toolgate_schema::Compiler;

use crate::dangerous::Dangerous;
use crate::error::FetchError;
use crate::hop::{Answer, Terms, over};
use crate::host::Host;
use crate::limits::Limits;
use crate::lock::{Digest, Lock};

/// Fetches documents from allowed hosts.
#[derive(Debug, Clone)]
pub struct Fetcher {
    terms: Terms,
    lock: Lock,
    compiler: Compiler,
}

/// A document that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Document {
    /// The URI that was asked for, without fragment. References lead to it by this URI,
    /// also where it was found through redirects.
    pub uri: String,
    /// Its bytes, as they came.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub digest: Digest,
}

/// What happened to one URI. Its `Display` is one line for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The URI that was asked for; foreign, not escaped.
    pub uri: String,
    /// The URIs that redirects led to; foreign, not escaped.
    pub redirects: Vec<String>,
    /// The digest, the size and the address of what was fetched, or why nothing was.
    pub outcome: Result<(Digest, usize, SocketAddr), FetchError>,
}

/// The redirects of one document, with its bytes and the address, or why there are none.
type Transfer = Result<(Vec<String>, Vec<u8>, SocketAddr), (Vec<String>, FetchError)>;

/// What a run brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// The documents, in the order in which they were asked for.
    pub documents: Vec<Document>,
    /// One event for each URI that was asked for.
    pub events: Vec<Event>,
}

impl Fetched {
    /// Whether some URI could not be fetched.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.events.iter().any(|event| event.outcome.is_err())
    }
}

impl Fetcher {
    /// A fetcher that may ask these hosts. Without hosts it fetches nothing.
    #[must_use]
    pub fn new(hosts: impl IntoIterator<Item = Host>) -> Self {
        Self {
            terms: Terms {
                hosts: hosts.into_iter().collect(),
                limits: Limits::default(),
                authorities: Vec::new(),
                dangerous: Dangerous::default(),
            },
            lock: Lock::default().open(),
            compiler: Compiler::new(),
        }
    }

    /// Sets the bounds.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.terms.limits = limits;
        self
    }

    /// Takes only documents that a lock has, or that an [open](Lock::open) one does not refuse.
    #[must_use]
    pub fn lock(mut self, lock: Lock) -> Self {
        self.lock = lock;
        self
    }

    /// Uses this compiler to find references, with its dialects and limits.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.compiler = compiler;
        self
    }

    /// Trusts certificates of one more authority, in PEM.
    ///
    /// # Errors
    ///
    /// The text is not a certificate.
    pub fn authority(mut self, pem: &[u8]) -> Result<Self, FetchError> {
        let found = Certificate::from_pem_bundle(pem)
            .map_err(|error| FetchError::Transfer(quote(&error.to_string(), 200).to_string()))?;
        self.terms.authorities.extend(found);
        Ok(self)
    }

    /// Takes the protection of addresses off. For tests only.
    #[must_use]
    pub fn dangerous(mut self, dangerous: Dangerous) -> Self {
        self.terms.dangerous = dangerous;
        self
    }

    /// Fetches the documents that these schemas refer to and that are not registered, and those that they refer to.
    ///
    /// `registered` are documents that are in hand, by URI. A URI is asked for once. A
    /// reference that cannot be followed ends the search in its schema, since
    /// the compiler refuses it in any case; the other schemas are searched.
    pub async fn references(&self, schemas: &[&str], registered: &[(&str, &[u8])]) -> Fetched {
        let mut fetched = Fetched::default();
        let mut compiler = self.compiler.clone();
        for (uri, bytes) in registered {
            match compiler.clone().register(uri, bytes) {
                Ok(more) => compiler = more,
                Err(error) => fetched.refuse(uri, FetchError::NotJson(error.to_string())),
            }
        }
        let until = Instant::now().checked_add(self.terms.limits.time);
        let mut asked: HashMap<String, bool> = HashMap::new();
        for schema in schemas {
            while let Err(error) = compiler.compile(schema.as_bytes()) {
                let Some(uri) = error.denied_uri().map(str::to_owned) else {
                    break;
                };
                // What is in hand by now is not denied again.
                if asked.contains_key(&uri) {
                    break;
                }
                let allowed = self.terms.limits.documents;
                let result = if asked.len() >= allowed {
                    let error = over("documents", &allowed.to_string());
                    Err(error).map_err(|error| (Vec::new(), error))
                } else {
                    self.fetch(&uri, until).await
                };
                let taken = result.and_then(|(redirects, bytes, peer)| {
                    match compiler.clone().register(&uri, &bytes) {
                        Ok(more) => compiler = more,
                        Err(error) => {
                            return Err((redirects, FetchError::NotJson(error.to_string())));
                        }
                    }
                    Ok((redirects, bytes, peer))
                });
                asked.insert(uri.clone(), taken.is_ok());
                fetched.take(uri, taken);
            }
        }
        fetched
    }

    /// Fetches one document and follows its redirects.
    async fn fetch(&self, uri: &str, until: Option<Instant>) -> Transfer {
        let mut redirects = Vec::new();
        let limits = &self.terms.limits;
        let own = Instant::now().checked_add(limits.document_time);
        let (deadline, limit, value) = match (own, until) {
            (Some(own), Some(until)) if until < own => (until, "time", limits.time),
            (Some(own), _) => (own, "document_time", limits.document_time),
            (None, Some(until)) => (until, "time", limits.time),
            (None, None) => (Instant::now(), "time", limits.time),
        };
        let work = self.follow(uri, &mut redirects);
        let result = match timeout_at(deadline, work).await {
            Ok(result) => result,
            Err(_) => Err(over(limit, &format!("{value:?}"))),
        };
        match result {
            Ok((bytes, peer)) => Ok((redirects, bytes, peer)),
            Err(error) => Err((redirects, error)),
        }
    }

    async fn follow(
        &self,
        uri: &str,
        redirects: &mut Vec<String>,
    ) -> Result<(Vec<u8>, SocketAddr), FetchError> {
        let mut url = Url::parse(uri).map_err(|_invalid| FetchError::NotAbsolute)?;
        // What is wrong with the URI itself is said before what is wrong with the lock.
        self.terms.admit(&url)?;
        self.lock.may_fetch(uri)?;
        let allowed = self.terms.limits.redirects;
        loop {
            match self.terms.ask(&url).await? {
                Answer::Body(bytes, peer) => {
                    self.lock.verify(uri, Digest::of(&bytes))?;
                    let limits = ReadLimits::default();
                    return match OwnedDocument::read(bytes.clone(), &limits) {
                        Ok(_) => Ok((bytes, peer)),
                        Err(error) => Err(FetchError::NotJson(error.to_string())),
                    };
                }
                Answer::Redirect(_) if redirects.len() >= allowed => {
                    return Err(over("redirects", &allowed.to_string()));
                }
                Answer::Redirect(target) => {
                    redirects.push(target.as_str().to_owned());
                    url = target;
                }
            }
        }
    }
}

impl Fetched {
    fn refuse(&mut self, uri: &str, error: FetchError) {
        self.take(uri.to_owned(), Err((Vec::new(), error)));
    }

    fn take(&mut self, uri: String, result: Transfer) {
        let (redirects, outcome) = match result {
            Ok((redirects, bytes, peer)) => {
                let (digest, size) = (Digest::of(&bytes), bytes.len());
                self.documents.push(Document {
                    uri: uri.clone(),
                    bytes,
                    digest,
                });
                (redirects, Ok((digest, size, peer)))
            }
            Err((redirects, error)) => (redirects, Err(error)),
        };
        self.events.push(Event {
            uri,
            redirects,
            outcome,
        });
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uri = quote(&self.uri, URI_CHARS);
        match &self.outcome {
            Ok((digest, size, peer)) => {
                write!(
                    f,
                    "fetched {uri}: {size} bytes from {peer}, sha256 {digest}"
                )?;
            }
            Err(error) => write!(f, "refused {uri}: {error}")?,
        }
        for redirect in &self.redirects {
            write!(f, ", redirected to {}", quote(redirect, URI_CHARS))?;
        }
        Ok(())
    }
}

const URI_CHARS: usize = 300;
