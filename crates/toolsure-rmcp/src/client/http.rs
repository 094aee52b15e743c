//! The part of the layer below rmcp's Streamable HTTP transport. It corrects lists that rmcp could
//! read only in part, and answers that it could not read.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures::stream::{BoxStream, StreamExt as _};
use http::{HeaderName, HeaderValue};
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Error as SseError, Sse};

use super::decode::{self, Asked};

type Events = BoxStream<'static, Result<Sse, SseError>>;

/// Wraps rmcp's HTTP client and corrects answers before rmcp reads them. Made
/// by [`ClientLayer::http`](super::ClientLayer::http).
///
/// Events of a stream are corrected as text. An answer that is one JSON body was already read by
/// the inner client: lists are corrected afterwards, and a body that is not a message is the inner
/// client's error.
#[derive(Debug, Clone)]
pub struct CheckedHttp<C> {
    inner: C,
    lists: Lists,
}

/// The requests for lists that have no answer yet. The answer may come on any stream.
#[derive(Debug, Clone, Default)]
struct Lists(Arc<Mutex<HashSet<RequestId>>>);

impl Lists {
    fn ids(&self) -> MutexGuard<'_, HashSet<RequestId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, message: &ClientJsonRpcMessage) {
        if let JsonRpcMessage::Request(request) = message
            && matches!(request.request, ClientRequest::ListToolsRequest(_))
        {
            self.ids().insert(request.id.clone());
        }
    }

    fn asked(&self, id: &RequestId) -> Option<Asked> {
        self.ids().contains(id).then_some(Asked::List)
    }

    /// Corrects the answer to one of these requests, which is then forgotten.
    fn mended(&self, message: ServerJsonRpcMessage) -> ServerJsonRpcMessage {
        match &message {
            JsonRpcMessage::Response(response) if self.ids().remove(&response.id) => {
                decode::mended(message)
            }
            _ => message,
        }
    }

    /// The text that replaces an event, if rmcp would misread it.
    fn mended_text(&self, text: &str) -> Option<String> {
        let read: Result<ServerJsonRpcMessage, _> = serde_json::from_str(text);
        let is_list = match &read {
            Ok(JsonRpcMessage::Response(response)) => self.ids().contains(&response.id),
            Ok(_) => false,
            Err(_) => true,
        };
        // An empty event is not a message; it gives the stream its first event id.
        if !is_list || text.trim().is_empty() {
            return None;
        }
        let mended = decode::with_tools(text, |id| self.asked(id))?;
        if let JsonRpcMessage::Response(response) = &mended {
            self.ids().remove(&response.id);
        }
        serde_json::to_string(&mended).ok()
    }

    fn events(&self, events: Events) -> Events {
        let lists = self.clone();
        let mend = move |event: Result<Sse, SseError>| {
            let mut event = event?;
            if let Some(text) = &event.data
                && let Some(mended) = lists.mended_text(text)
            {
                event.data = Some(mended);
            }
            Ok(event)
        };
        events.map(mend).boxed()
    }

    fn answer(&self, answer: StreamableHttpPostResponse) -> StreamableHttpPostResponse {
        match answer {
            StreamableHttpPostResponse::Json(message, session) => {
                StreamableHttpPostResponse::Json(self.mended(message), session)
            }
            StreamableHttpPostResponse::Sse(events, session) => {
                StreamableHttpPostResponse::Sse(self.events(events), session)
            }
            other => other,
        }
    }
}

impl<C> CheckedHttp<C> {
    pub(super) fn new(inner: C) -> Self {
        Self {
            inner,
            lists: Lists::default(),
        }
    }
}

impl<C: StreamableHttpClient + Sync> StreamableHttpClient for CheckedHttp<C> {
    type Error = C::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<C::Error>> {
        self.lists.note(&message);
        let inner = &self.inner;
        let answer = inner.post_message(uri, message, session_id, auth_header, headers);
        Ok(self.lists.answer(answer.await?))
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, StreamableHttpError<C::Error>> {
        self.lists.note(&message);
        let answer = self.inner.post_message_with_max_sse_event_size(
            uri,
            message,
            session_id,
            auth_header,
            headers,
            max_sse_event_size,
        );
        Ok(self.lists.answer(answer.await?))
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), StreamableHttpError<C::Error>> {
        let inner = &self.inner;
        inner
            .delete_session(uri, session_id, auth_header, headers)
            .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<Events, StreamableHttpError<C::Error>> {
        let inner = &self.inner;
        let events = inner.get_stream(uri, session_id, last_event_id, auth_header, headers);
        Ok(self.lists.events(events.await?))
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        max_sse_event_size: usize,
    ) -> Result<Events, StreamableHttpError<C::Error>> {
        let events = self.inner.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            headers,
            max_sse_event_size,
        );
        Ok(self.lists.events(events.await?))
    }
}
