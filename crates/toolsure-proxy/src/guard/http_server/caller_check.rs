//! Finds out who sends a request, and refuses those who do not prove it.

use std::sync::Arc;

use hyper::header::{AUTHORIZATION, HOST, HeaderMap, HeaderValue, WWW_AUTHENTICATE};
use hyper::{Response, StatusCode};
use toolsure_guard::{Peer, Record};
use toolsure_json::quote;
use toolsure_mcp::message::{INTERNAL_ERROR, INVALID_REQUEST};

use super::client_connection::ClientConnection;
use super::protected_resource::ProtectedResource;
use super::refusals::Refusals;
use crate::guard::auth::{Authenticator, Proof, Unauthenticated};
use crate::guard::context::GuardContext;
use crate::guard::event::Event;
use crate::guard::identity::Identity;
use crate::guard::reply::error;
use crate::web::ResponseBody;

/// Verifies the callers of requests.
pub(super) struct CallerCheck {
    pub(super) ctx: Arc<GuardContext>,
    /// Verifies callers, if that is not left to the servers.
    pub(super) authenticator: Option<Authenticator>,
    /// The authorization that clients need.
    pub(super) protected: Option<ProtectedResource>,
    pub(super) refusals: Arc<Refusals>,
}

impl CallerCheck {
    /// The sender of a request. Its headers have what goes on to servers afterwards, and nothing else that proves
    /// who it is.
    pub(super) async fn identify(
        &self,
        headers: &mut HeaderMap,
        client: &ClientConnection,
    ) -> Result<Arc<Identity>, Response<ResponseBody>> {
        let Some(authenticator) = &self.authenticator else {
            return Ok(client.unverified(headers));
        };
        let verifier = authenticator.current();
        let proof = Proof {
            certificates: &client.certificates,
            is_from_proxy: client.is_from_proxy(),
        };
        let found = verifier.identify(headers, &proof).await;
        let refuse = |why| self.unauthenticated(&why, headers.get(HOST), &client.address);
        let sender = found.map_err(refuse)?;
        headers.remove(AUTHORIZATION);
        if let Some(authorization) = &sender.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        if let Some(header) = &verifier.header
            && !proof.is_from_proxy
        {
            headers.remove(header);
        }
        Ok(sender)
    }

    /// The answer to a request without a caller (RFC 6750, section 3; RFC 9728, section 5.1).
    fn unauthenticated(
        &self,
        why: &Unauthenticated,
        host: Option<&HeaderValue>,
        from: &str,
    ) -> Response<ResponseBody> {
        let (text, code) = match why {
            Unauthenticated::Missing => ("send a token, `Authorization: Bearer …`", None),
            Unauthenticated::Invalid(why) => (why.as_str(), Some("invalid_token")),
            Unauthenticated::Undecided(why) => {
                if self.refusals.is_first_in_a_while("issuer") {
                    let detail = format!("{why} (reported at most once a minute)");
                    self.ctx.note("issuer-unreachable", &detail);
                }
                let text = "the token cannot be checked now: the keys of its issuer cannot be had";
                return self.refusals.unavailable("issuer", None, text);
            }
        };
        self.refusals.rejected(401, "unauthenticated");
        if code.is_some() && self.refusals.is_first_in_a_while("unauthenticated") {
            let detail = format!("{from}: {text} (reported at most once a minute)");
            self.ctx.note("unauthenticated", &detail);
        }
        let mut parts = Vec::new();
        if let Some(code) = code {
            parts.push(format!("error=\"{code}\""));
            // The texts have no quotation mark.
            parts.push(format!("error_description=\"{}\"", text.replace('`', "'")));
        }
        let metadata = self
            .protected
            .as_ref()
            .and_then(|own| own.metadata_url(host));
        parts.extend(metadata.map(|url| format!("resource_metadata=\"{url}\"")));
        let challenge = match parts.is_empty() {
            true => "Bearer".to_owned(),
            false => format!("Bearer {}", parts.join(", ")),
        };
        let mut response = error(401, None, ("unauthenticated", INVALID_REQUEST), text);
        if let Ok(challenge) = HeaderValue::from_str(&challenge) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }

    /// The answer to a caller that no rule is for: it could use nothing, so it gets no session and starts no server.
    /// Without a challenge, because the guard knows of no scope that would help (RFC 6750, section 3.1).
    pub(super) fn not_admitted(&self, peer: Arc<Peer>) -> Response<ResponseBody> {
        self.refusals.rejected(403, "caller-not-allowed");
        if self.refusals.is_first_in_a_while("caller-not-allowed") {
            let caller = peer.caller.as_deref().unwrap_or("a caller without a name");
            let detail = format!(
                "{} was refused: no rule of `[[callers]]` is for it (reported at most once a minute)",
                quote(caller, SHOWN)
            );
            self.ctx.note("caller-not-allowed", &detail);
        }
        let record = Record::not_admitted(self.ctx.now(), peer);
        self.ctx.observe(&Event::Verdict(&record));
        let text = "the caller is known, but no rule lets it use anything here; the operator of the guard can add one";
        error(403, None, ("caller-not-allowed", INVALID_REQUEST), text)
    }

    /// Keeps a server's demand for authorization from callers who authenticate here and whose tokens the server
    /// does not get: they could not meet it.
    pub(super) fn keep_to_itself(&self, response: &mut Response<ResponseBody>) {
        let authenticator = self.authenticator.as_ref();
        if authenticator.is_none_or(|own| own.current().passes_on()) {
            return;
        }
        let challenge = response.headers_mut().remove(WWW_AUTHENTICATE);
        if response.status() == StatusCode::UNAUTHORIZED {
            self.ctx.note(
                "upstream-unauthorized",
                "the server wants an authorization that the guard does not send: set one in `headers`",
            );
            let text = "the server refuses the authorization of the guard";
            *response = error(502, None, ("server-refused", INTERNAL_ERROR), text);
        }
        drop(challenge);
    }
}

/// Maximum characters of a caller's name in a message.
const SHOWN: usize = 128;
