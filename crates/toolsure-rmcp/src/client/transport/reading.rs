//! Reads the server's list, for the client and for calls that wait for it.

use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientNotification, ClientRequest,
    ErrorData, JsonRpcMessage, ListToolsRequest, PaginatedRequestParams, RequestId,
    RequestMetaObject, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::Transport;

use super::{CheckedTransport, OwnListing, Pending};
use crate::client::ClientEvent;
use crate::client::list::{self, Page};
use toolsure_mcp::catalog::AskedPage;

impl<T: Transport<RoleClient>> CheckedTransport<T> {
    /// Begins to read the list, unless the layer is already reading it.
    pub(super) fn read_list(&mut self, mut meta: RequestMetaObject) {
        if self.listing.is_none() {
            let deadline = tokio::time::sleep(self.layer.options.list_timeout);
            self.listing = Some(OwnListing {
                followed: HashSet::new(),
                deadline: Box::pin(deadline),
            });
            // The `_meta` comes from the call, whose progress token must not be used twice.
            meta.0.remove("progressToken");
            self.read_page(None, meta);
        }
    }

    fn read_page(&mut self, cursor: Option<String>, meta: RequestMetaObject) {
        let params = PaginatedRequestParams::default().with_cursor(cursor.clone());
        let mut request = ListToolsRequest::with_param(params);
        request.extensions.insert(meta.clone());
        let id = self.own_id();
        let asked = self.book.ask();
        let pending = Pending::OwnPage {
            cursor,
            asked,
            meta,
        };
        self.pending.insert(id.clone(), pending);
        let request = ClientRequest::ListToolsRequest(request);
        self.send_own(JsonRpcMessage::request(request, id.clone()), id);
    }

    /// Repairs and records a page that the client requested.
    pub(super) fn listed(
        &mut self,
        id: RequestId,
        result: ServerResult,
        cursor: Option<&str>,
        asked: AskedPage,
    ) -> ServerJsonRpcMessage {
        match self.page(result, cursor, asked) {
            Ok((page, below)) => {
                let mut typed = page.typed(|event| self.layer.emit_event(event));
                // Tools that the transport below has dropped stay dropped: over HTTP, tools whose
                // header annotations break the rules.
                if let Some(kept) = below {
                    typed.tools.retain(|tool| kept.contains(&*tool.name));
                }
                JsonRpcMessage::response(ServerResult::ListToolsResult(typed), id)
            }
            Err(reason) => {
                self.layer
                    .emit_event(&ClientEvent::UnreadList { reason: &reason });
                let text = format!("the server's list of tools cannot be read: {reason}");
                JsonRpcMessage::error(ErrorData::internal_error(text, None), Some(id))
            }
        }
    }

    pub(super) fn own_page(
        &mut self,
        result: ServerResult,
        cursor: Option<String>,
        asked: AskedPage,
        meta: RequestMetaObject,
    ) {
        let page = match self.page(result, cursor.as_deref(), asked) {
            Ok((page, _)) => page,
            Err(reason) => return self.give_up(&reason),
        };
        let Some(listing) = &mut self.listing else {
            return;
        };
        match page.next_cursor() {
            None => {
                if let Some(reason) = self.book.unread().cloned() {
                    self.layer
                        .emit_event(&ClientEvent::UnreadList { reason: &reason });
                }
                self.release();
            }
            Some(next) => {
                let next = next.to_owned();
                let followed = &mut listing.followed;
                if followed.len() < PAGES && followed.insert(next.clone()) {
                    self.read_page(Some(next), meta);
                } else {
                    self.give_up("the list has no end: a cursor comes again, or too many come");
                }
            }
        }
    }

    fn page(
        &mut self,
        result: ServerResult,
        cursor: Option<&str>,
        asked: AskedPage,
    ) -> Result<(Page, Option<HashSet<String>>), String> {
        let (text, below) = list::take_text(result).map_err(|error| error.to_string())?;
        let allowed = self.layer.options.list_bytes;
        if text.len() > allowed {
            let bytes = text.len();
            return Err(format!("a page has {bytes} bytes, {allowed} are allowed"));
        }
        let page = Page::read(text).map_err(|error| error.to_string())?;
        for isolated in page.isolated() {
            self.layer.emit_event(&ClientEvent::Isolated(isolated));
        }
        self.book.page(&page, cursor, asked)?;
        Ok((page, below))
    }

    /// Stops reading a list that cannot be read, or not to its end. Calls are then checked with the
    /// part that is known.
    pub(super) fn give_up(&mut self, reason: &str) {
        self.layer.emit_event(&ClientEvent::UnreadList { reason });
        self.book.incomplete(reason);
        self.release();
    }

    /// Cancels the list, because it has taken too long.
    pub(super) fn list_is_late(&mut self) {
        let mut waiting = self.pending.iter();
        let id = waiting.find(|(_, pending)| matches!(pending, Pending::OwnPage { .. }));
        if let Some(id) = id.map(|(id, _)| id.clone()) {
            self.pending.remove(&id);
            let reason = Some("the list took too long".to_owned());
            let params = CancelledNotificationParam::new(Some(id.clone()), reason);
            let cancelled = CancelledNotification::new(params);
            let cancelled = ClientNotification::CancelledNotification(cancelled);
            self.send_own(JsonRpcMessage::notification(cancelled), id);
        }
        let waited = self.layer.options.list_timeout;
        self.give_up(&format!("the server took more than {waited:?} to answer"));
    }

    /// The list has been read, so the calls and results that waited for it continue.
    fn release(&mut self) {
        self.listing = None;
        for doubted in std::mem::take(&mut self.doubted) {
            let answer = self.judged_again(doubted);
            self.ready.push_back(answer);
        }
        // If the tools changed meanwhile, the next call reads the list again. The calls that waited
        // use this list.
        for call in std::mem::take(&mut self.held) {
            if let Some(JsonRpcMessage::Request(request)) = self.judged(call) {
                let id = request.id.clone();
                self.send_own(JsonRpcMessage::Request(request), id);
            }
        }
    }
}

/// The maximum number of pages of one list that the layer reads.
const PAGES: usize = 10_000;
