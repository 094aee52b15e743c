//! The head of the response to a client.

use hyper::Response;
use hyper::header::HeaderMap;
use toolsure_mcp::message::INTERNAL_ERROR;

use super::HttpExchange;
use crate::guard::reply::error;
use crate::guard::session_id_rewriter;
use crate::guard::tickets::NoSessionId;
use crate::web::ResponseBody;

impl HttpExchange {
    /// The headers of the upstream's response, as the client gets them.
    pub(super) fn head_of(&self, upstream: HeaderMap) -> Result<HeaderMap, NoSessionId> {
        session_id_rewriter::head(
            self.rewriter.as_ref(),
            &self.router,
            upstream,
            &self.headers,
        )
    }

    /// The error if the upstream's session cannot get a session id.
    pub(super) fn nameless(&self, no_session_id: NoSessionId) -> Response<ResponseBody> {
        let (status, text) = no_session_id.response();
        error(
            status,
            self.id.as_ref(),
            ("session-unopened", INTERNAL_ERROR),
            &text,
        )
    }

    pub(super) fn name_session(&mut self, headers: &mut HeaderMap) {
        let name = self.session_id.take();
        if let Some(name) = name.filter(|_| !self.is_unopened) {
            headers.insert(crate::http::SESSION, name);
        }
    }
}
