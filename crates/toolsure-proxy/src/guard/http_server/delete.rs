//! DELETE: a client ends its session.

use std::sync::Arc;

use hyper::header::HeaderMap;
use hyper::{Method, Response};
use tokio::time::timeout;
use toolsure_guard::Envelope;
use toolsure_mcp::message::{INTERNAL_ERROR, INVALID_REQUEST};

use super::{HttpServer, UpstreamPool};
use crate::guard::reply::{SERVER_GONE, error, onward, respond};
use crate::guard::request_permit::RequestPermit;
use crate::guard::tickets::NoSession;
use crate::http::SESSION;
use crate::web::ResponseBody;

impl HttpServer {
    pub(super) async fn delete(
        &self,
        headers: &HeaderMap,
        slot: &RequestPermit,
    ) -> Response<ResponseBody> {
        let session = match self
            .sessions
            .session_of(headers, &slot.sender, &slot.counted)
        {
            Ok(session) => session,
            // Nothing of the session is here; it is remembered as deleted, so that it is not opened
            // here.
            Err(NoSession::NotOpenHere) => {
                self.sessions.deleted(headers);
                return respond(204, HeaderMap::new(), ResponseBody::empty());
            }
            Err(why) => return self.refusals.no_session(why, &Envelope::default()),
        };
        if let Some(session) = &session
            && let Some(refused) =
                self.refusals
                    .of_other_version(&session.router, headers, &Envelope::default())
        {
            return refused;
        }
        let name = headers.get(SESSION).and_then(|name| name.to_str().ok());
        match &self.sessions.upstream_pool {
            UpstreamPool::Endpoint(endpoint) => {
                let mut passed = onward(headers);
                if let Some(session_ids) = session.and_then(|session| session.router.session_ids())
                {
                    Arc::make_mut(&mut passed).insert(SESSION, session_ids.upstream_id);
                }
                let sent = endpoint.send(
                    crate::fault::Phase::Request,
                    Method::DELETE,
                    &passed,
                    bytes::Bytes::new(),
                );
                let answer = timeout(self.ctx.times.notify, sent).await;
                if let Some(name) = name {
                    self.sessions.end_session(name);
                }
                match answer {
                    Ok(Ok(answer)) => {
                        let status = answer.status().as_u16();
                        respond(status, HeaderMap::new(), ResponseBody::empty())
                    }
                    Ok(Err(fault)) => {
                        error(502, None, (SERVER_GONE, INTERNAL_ERROR), &fault.to_string())
                    }
                    Err(_) => error(
                        504,
                        None,
                        ("server-timeout", INTERNAL_ERROR),
                        "the upstream did not answer",
                    ),
                }
            }
            UpstreamPool::Children(_) => match name {
                None => error(
                    400,
                    None,
                    ("session", INVALID_REQUEST),
                    "send `Mcp-Session-Id`",
                ),
                Some(name) if self.sessions.end_session(name) => {
                    self.sessions.deleted(headers);
                    respond(204, HeaderMap::new(), ResponseBody::empty())
                }
                Some(_) => self
                    .refusals
                    .no_session(NoSession::Unknown, &Envelope::default()),
            },
        }
    }
}
