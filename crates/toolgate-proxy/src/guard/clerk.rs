//! What an answer calls its session: the upstream's name is taken out, the client's put in.

use std::sync::Arc;

use hyper::header::{HeaderMap, HeaderValue};

use super::facts::negotiated;
use super::hub::{Hub, Named};
use super::names::{Names, Unnamed};
use super::reply::passed_on;
use crate::http::{SESSION, VERSION};

/// Renames sessions in the answers of one exchange.
pub(super) struct Clerk {
    names: Arc<Names>,
    /// The exchange is an `initialize`.
    pub(super) opens: bool,
    /// The version that its answer agrees on.
    version: Option<String>,
}

impl Clerk {
    pub(super) fn new(names: &Arc<Names>, opens: bool) -> Self {
        Self {
            names: Arc::clone(names),
            opens,
            version: None,
        }
    }

    /// Sees a message of the upstream, which may be the answer to `initialize`.
    pub(super) fn see(&mut self, message: &[u8]) {
        if self.opens && self.version.is_none() {
            self.version = negotiated(message);
        }
    }

    /// The client's name for what the upstream calls `theirs`.
    fn rename(
        &self,
        hub: &Hub,
        theirs: HeaderValue,
        client: &HeaderMap,
    ) -> Result<HeaderValue, Unnamed> {
        let named = hub.named();
        if let Some(named) = &named
            && named.theirs == theirs
        {
            return Ok(named.ours.clone());
        }
        let header = client.get(VERSION).and_then(|value| value.to_str().ok());
        let version = self.version.as_deref().or(header);
        let ours = self.names.of_upstream(&theirs, version, client)?;
        if named.is_none() {
            let ours = ours.clone();
            hub.name(Named { theirs, ours });
        }
        Ok(ours)
    }
}

/// The head of an upstream's answer as the client `client` is to see it. Without a clerk there is
/// no session to name.
pub(super) fn head(
    clerk: Option<&Clerk>,
    hub: &Hub,
    upstream: &HeaderMap,
    client: &HeaderMap,
) -> Result<HeaderMap, Unnamed> {
    let mut headers = passed_on(upstream);
    if let Some(theirs) = headers.remove(SESSION)
        && let Some(clerk) = clerk
    {
        headers.insert(SESSION, clerk.rename(hub, theirs, client)?);
    }
    Ok(headers)
}
