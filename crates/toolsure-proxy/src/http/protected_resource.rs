//! An endpoint as a protected resource: fetches its metadata (RFC 9728), from its own origin only.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{ACCEPT, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Method, Url};
use tokio::time::{Instant, timeout};

use super::challenge::metadata_url;
use super::endpoint::{Endpoint, body};
use super::resource_metadata::{KnownMetadata, METADATA_BYTES, NoMetadata, ResourceMetadata};
use crate::fault::Phase;

impl Endpoint {
    /// Remembers where a challenge in a response says that the metadata are.
    pub(crate) fn learn_metadata_url(&self, response: &HeaderMap) {
        let challenges = response.get_all(WWW_AUTHENTICATE).iter();
        let mut named = challenges.filter_map(|challenge| metadata_url(challenge.as_bytes()));
        if let Some(named) = named.next()
            && let Ok(mut url) = Url::parse(&named)
            // A server cannot have the guard send requests to others.
            && url.origin() == self.url().origin()
            && url.username().is_empty()
            && url.password().is_none()
        {
            url.set_fragment(None);
            self.metadata().set_named(url);
        }
    }

    /// The metadata of the server, at most a minute old.
    pub(crate) async fn resource_metadata(&self) -> Result<Arc<ResourceMetadata>, NoMetadata> {
        let cache = self.metadata();
        let mut known = cache.known.lock().await;
        let named = cache.named();
        if let Some(known) = &*known
            && known.named == named
            && Instant::now() < known.until
        {
            return known.found.clone();
        }
        let fetched = timeout(PATIENCE, self.fetch_metadata(named.as_ref())).await;
        let found = fetched.unwrap_or_else(|_| Err(unusable("no answer in time")));
        let age = if found.is_ok() { KEPT } else { RETRY };
        *known = Some(KnownMetadata {
            named,
            until: Instant::now() + age,
            found: found.clone(),
        });
        found
    }

    /// Fetches the metadata from where a challenge said that they are, or else from the well-known
    /// places (RFC 9728, section 3.1).
    async fn fetch_metadata(
        &self,
        named: Option<&Url>,
    ) -> Result<Arc<ResourceMetadata>, NoMetadata> {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
        let mut places: Vec<Url> = named.into_iter().cloned().collect();
        for path in [well_known(self.url().path()), WELL_KNOWN.to_owned()] {
            let mut place = self.url().clone();
            place.set_path(&path);
            place.set_query(None);
            place.set_fragment(None);
            if !places.contains(&place) {
                places.push(place);
            }
        }
        let mut why = NoMetadata::Absent;
        for place in &places {
            let sent = self.send_from(place, Phase::Request, Method::GET, &headers, Bytes::new());
            let response = sent.await.map_err(|fault| unusable(&fault.to_string()))?;
            match response.status().as_u16() {
                200 => {}
                400..=499 => continue,
                status => {
                    why = unusable(&format!("HTTP status {status}"));
                    continue;
                }
            }
            let body = body(Phase::Request, response, METADATA_BYTES).await;
            let read = body.map_err(|fault| fault.to_string());
            match read.and_then(ResourceMetadata::read) {
                Ok(metadata) => return Ok(Arc::new(metadata)),
                Err(wrong) => why = unusable(&wrong),
            }
        }
        Err(why)
    }
}

/// The path of the metadata of a resource with this path.
pub(crate) fn well_known(path: &str) -> String {
    match path {
        "/" => WELL_KNOWN.to_owned(),
        path => format!("{WELL_KNOWN}{path}"),
    }
}

fn unusable(why: &str) -> NoMetadata {
    NoMetadata::Unusable(why.into())
}

pub(crate) const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";
/// For the server to answer with its metadata.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long metadata are used, and how long the lack of them.
const KEPT: Duration = Duration::from_secs(60);
const RETRY: Duration = Duration::from_secs(3);
