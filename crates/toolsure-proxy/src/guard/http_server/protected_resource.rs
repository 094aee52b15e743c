//! The guard as a protected resource (RFC 9728): it serves the metadata of its server for its own
//! address, and names that address in the server's challenges.

use std::sync::Arc;

use hyper::Response;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use reqwest::Url;
use toolsure_json::json_string;
use toolsure_mcp::message::{INTERNAL_ERROR, INVALID_REQUEST};

use crate::guard::auth::Authenticator;
use crate::guard::options::HttpListener;
use crate::guard::reply::{SERVER_GONE, error, respond};
use crate::http::{Endpoint, NoMetadata, WELL_KNOWN, well_known, with_metadata_url};
use crate::web::ResponseBody;

/// The authorization that clients need.
pub(in crate::guard) struct ProtectedResource {
    whose: Whose,
    /// The guard's own URL, if the operator has set it.
    public: Option<Url>,
    scheme: &'static str,
    path: String,
}

/// Whose authorization clients need.
pub(in crate::guard) enum Whose {
    /// That of the server at this endpoint.
    Server(Arc<Endpoint>),
    /// Tokens for the guard, of the issuer that this names.
    Issuer(Authenticator),
}

impl ProtectedResource {
    pub(in crate::guard) fn new(
        whose: Whose,
        public: Option<Url>,
        listener: &HttpListener,
    ) -> Self {
        let scheme = match listener.tls {
            Some(_) => "https",
            None => "http",
        };
        Self {
            whose,
            public,
            scheme,
            path: listener.path.clone(),
        }
    }

    /// The paths of the metadata.
    pub(in crate::guard) fn paths(&self) -> Vec<String> {
        let public = self.public.as_ref().map(|url| well_known(url.path()));
        let own = [WELL_KNOWN.to_owned(), well_known(&self.path)];
        own.into_iter().chain(public).collect()
    }

    /// The origin and the path of the guard, as the sender of a request knows it. Its `Host` was
    /// found to be allowed.
    fn address(&self, host: Option<&HeaderValue>) -> Option<(String, &str)> {
        if let Some(public) = &self.public {
            return Some((public.origin().ascii_serialization(), public.path()));
        }
        let host = host?.to_str().ok()?;
        Some((format!("{}://{host}", self.scheme), &self.path))
    }

    /// The response to a request for the metadata.
    pub(super) async fn metadata(&self, request: &HeaderMap) -> Response<ResponseBody> {
        let Some((origin, path)) = self.address(request.get(HOST)) else {
            return error(400, None, ("metadata", INVALID_REQUEST), "send `Host`");
        };
        let resource = format!("{origin}{path}");
        let found = match &self.whose {
            Whose::Server(endpoint) => endpoint.resource_metadata().await,
            Whose::Issuer(authenticator) => {
                let verifier = authenticator.current();
                let Some(issuer) = verifier.issuer() else {
                    let text = "there is no authorization server for tokens";
                    return error(404, None, ("metadata", INVALID_REQUEST), text);
                };
                let (resource, issuer) = (json_string(&resource), json_string(issuer));
                let own = format!(
                    r#"{{"resource":{resource},"authorization_servers":[{issuer}],"bearer_methods_supported":["header"]}}"#
                );
                return metadata(own);
            }
        };
        match found {
            Ok(found) => metadata(found.at(&resource)),
            Err(NoMetadata::Absent) => {
                let text = "the upstream has no metadata of a protected resource";
                error(404, None, ("metadata", INVALID_REQUEST), text)
            }
            Err(NoMetadata::Unusable(why)) => {
                let text = format!("the upstream's metadata of a protected resource: {why}");
                error(502, None, (SERVER_GONE, INTERNAL_ERROR), &text)
            }
        }
    }

    /// The URL of the metadata of the guard.
    pub(super) fn metadata_url(&self, host: Option<&HeaderValue>) -> Option<String> {
        if let Whose::Issuer(authenticator) = &self.whose {
            authenticator.current().issuer()?;
        }
        let (origin, path) = self.address(host)?;
        Some(format!("{origin}{}", well_known(path)))
    }

    /// Has the challenges in a response name the metadata of the guard.
    pub(super) fn rename(&self, response: &mut HeaderMap, host: Option<&HeaderValue>) {
        if !response.contains_key(WWW_AUTHENTICATE) {
            return;
        }
        if let Whose::Server(endpoint) = &self.whose {
            endpoint.learn_metadata_url(response);
        }
        let Some(url) = self.metadata_url(host) else {
            return;
        };
        if let hyper::header::Entry::Occupied(mut challenges) = response.entry(WWW_AUTHENTICATE) {
            for challenge in challenges.iter_mut() {
                let renamed = with_metadata_url(challenge.as_bytes(), &url);
                if let Ok(renamed) = HeaderValue::from_bytes(&renamed) {
                    *challenge = renamed;
                }
            }
        }
    }
}

/// A response with metadata.
fn metadata(body: String) -> Response<ResponseBody> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    respond(200, headers, ResponseBody::Whole(body.into()))
}
