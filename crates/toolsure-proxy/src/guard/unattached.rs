//! Messages to an HTTP upstream that belong to no client request: the guard's own, and
//! notifications.

use std::sync::Arc;

use bytes::Bytes;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue};
use toolsure_guard::{Message, Side};

use super::session_driver::Output;
use super::session_router::SessionRouter;
use super::upstream_request::{ResponsePart, UpstreamRequest};
use crate::http::header_mirroring::{mirrored_headers, write};

impl SessionRouter {
    /// Posts a message that belongs to no client request, and passes its answer to the conversation.
    pub(super) async fn post_unattached(
        self: Arc<Self>,
        endpoint: Arc<crate::http::Endpoint>,
        mut headers: HeaderMap,
        message: Message,
    ) {
        let envelope = message.envelope().clone();
        let ctx = Arc::clone(&self.driver.ctx);
        for name in headers.keys().cloned().collect::<Vec<_>>() {
            if name.as_str().starts_with("mcp-param-") {
                headers.remove(name);
            }
        }
        headers.insert(
            ACCEPT,
            HeaderValue::from_static("application/json, text/event-stream"),
        );
        if envelope.version.is_some() {
            write(
                &mirrored_headers(&message, message.call.as_deref()),
                &mut headers,
            );
        }
        if let Some(session_ids) = self.session_ids() {
            headers.insert(crate::http::SESSION, session_ids.upstream_id);
        }
        let message = Bytes::from(message.into_bytes());
        let limit = ctx.read_limit();
        let mut upstream_request = UpstreamRequest::post(&endpoint, headers, message, limit, false);
        let mut head = (200, HeaderMap::new());
        let carried = async {
            loop {
                let (bytes, is_whole) = match upstream_request.receive_answer().await {
                    Ok(ResponsePart::Message { bytes, is_whole }) => (bytes, is_whole),
                    Ok(ResponsePart::Head(status, headers)) => {
                        head = (status, headers);
                        continue;
                    }
                    Err(why) => return Some(why),
                };
                let message = self.driver.read(bytes);
                let answer = message.envelope();
                if is_whole && (!answer.is_answer() || answer.id.is_none()) {
                    return Some(format!("HTTP status {}", head.0));
                }
                let own = envelope.id.as_ref();
                let is_last = is_whole || own.is_some_and(|id| answer.answers(id));
                self.take(Side::Server, message, None);
                if is_last {
                    return None;
                }
            }
        };
        let failed = match tokio::time::timeout(ctx.times.notify, carried).await {
            Ok(failed) => failed,
            Err(_) => Some("no answer in time".to_owned()),
        };
        if let (Some(why), Some(id)) = (failed, &envelope.id) {
            // The client can renew its authorization, or open another session, but it does so only if
            // it gets the refusal of its own server.
            let refused = matches!(head.0, 401 | 403 | 404).then(|| Box::new(head));
            let deliver = &mut |output| match output {
                Output::ToClient(message) => self.to_client(message, refused.clone(), None),
                output => self.route(output, None),
            };
            self.driver.request_failed(id, &why, deliver);
        }
    }
}
