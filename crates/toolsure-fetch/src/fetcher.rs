//! The fetcher: finds the references of schemas and fetches the documents.

use std::collections::HashMap;
use std::fmt;
use std::net::SocketAddr;

use reqwest::{Certificate, Url};
use tokio::time::{Instant, timeout_at};
use toolsure_json::{OwnedDocument, ReadLimits, quote, shown_url};
use toolsure_schema::Compiler;

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
    /// The requested URI, without a fragment. References use this URI even if the document was
    /// found through redirects.
    pub uri: String,
    /// Its bytes, as received.
    pub bytes: Vec<u8>,
    /// The digest of the bytes.
    pub digest: Digest,
}

/// The outcome for one URI. Its `Display` is one line for a log, with URIs without the user, password,
/// query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The requested URI; untrusted, not escaped.
    pub uri: String,
    /// The URIs of the redirects; untrusted, not escaped.
    pub redirects: Vec<String>,
    /// The digest, the size and the server's address of a document; or why there is none.
    pub outcome: Result<(Digest, usize, SocketAddr), FetchError>,
}

/// The redirects of one document, with its bytes and the server's address, or with an error.
type Transfer = Result<(Vec<String>, Vec<u8>, SocketAddr), (Vec<String>, FetchError)>;

/// The result of a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Fetched {
    /// The documents, in the order of the requests.
    pub documents: Vec<Document>,
    /// One event per URI that was needed, and per registered document that cannot be read.
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
    /// A fetcher that may send requests to these hosts. Without hosts it fetches nothing.
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

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.terms.limits = limits;
        self
    }

    /// Accepts only documents in the lock; an [open](Lock::open) lock also accepts other URIs.
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

    /// Trusts the certificates of one more authority, in PEM.
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

    /// Removes the address checks. For tests only.
    #[must_use]
    pub fn dangerous(mut self, dangerous: Dangerous) -> Self {
        self.terms.dangerous = dangerous;
        self
    }

    /// Fetches the documents that these schemas refer to and that are not registered, and the
    /// documents that those refer to.
    ///
    /// `registered` are documents that the caller already has, by URI. Each URI is requested once.
    /// A reference that cannot be resolved ends the search in its schema, because the compiler
    /// refuses the schema in any case; the search continues in the other schemas.
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
                // A fetched document is registered and is not denied again, so this URI has failed.
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
        // Errors of the URI itself come before errors of the lock.
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
        let uri = shown_url(&self.uri);
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
            write!(f, ", redirected to {}", shown_url(redirect))?;
        }
        Ok(())
    }
}
