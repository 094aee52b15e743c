//! Reading the server's list: for the client that asks, and for calls that wait.

use std::collections::HashSet;

use rmcp::RoleClient;
use rmcp::model::{
    ClientRequest, JsonRpcMessage, ListToolsRequest, PaginatedRequestParams, RequestMetaObject,
    ServerResult,
};
use rmcp::transport::Transport;

use super::{GatedTransport, Pending};
use crate::client::ClientEvent;
use crate::client::book::Asked;
use crate::client::list::{self, Page};

impl<T: Transport<RoleClient>> GatedTransport<T> {
    /// Begins to read the list, if the gate is not at it.
    pub(super) fn read_list(&mut self, mut meta: RequestMetaObject) {
        if self.listing.is_none() {
            self.listing = Some(HashSet::new());
            // A call's own, where it wants to hear of its progress.
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

    /// A page that the client asked for: repaired, and written down.
    pub(super) fn listed(
        &mut self,
        result: ServerResult,
        cursor: Option<&str>,
        asked: Asked,
    ) -> ServerResult {
        match self.page(&result, cursor, asked) {
            Ok(page) => ServerResult::ListToolsResult(page.result),
            Err(reason) => {
                let reason = reason.as_str();
                self.gate.tell(&ClientEvent::Unlisted { reason });
                result
            }
        }
    }

    pub(super) fn own_page(
        &mut self,
        result: ServerResult,
        cursor: Option<String>,
        asked: Asked,
        meta: RequestMetaObject,
    ) {
        match self.page(&result, cursor.as_deref(), asked) {
            Err(reason) => {
                self.book.settle();
                self.give_up(&reason);
            }
            Ok(page) => {
                let next = page.listing.next_cursor().map(str::to_owned);
                let followed = self.listing.as_mut();
                match (next, followed) {
                    (None, _) | (_, None) => self.release(),
                    (Some(next), Some(followed)) => {
                        if followed.len() < PAGES && followed.insert(next.clone()) {
                            self.read_page(Some(next), meta);
                        } else {
                            self.book.settle();
                            self.give_up("the list has no end");
                        }
                    }
                }
            }
        }
    }

    fn page(
        &mut self,
        result: &ServerResult,
        cursor: Option<&str>,
        asked: Asked,
    ) -> Result<Page, String> {
        let text = list::text_of(result).map_err(|error| error.to_string())?;
        let mut page = self.gate.page(&text).map_err(|error| error.to_string())?;
        // What the transport below has dropped from its list stays dropped: over
        // HTTP, tools whose header annotations break the rules.
        if let ServerResult::ListToolsResult(below) = result {
            let kept: HashSet<_> = below.tools.iter().map(|tool| &*tool.name).collect();
            page.result.tools.retain(|tool| kept.contains(&*tool.name));
        }
        let ttl = page.result.ttl_ms;
        let written = self.book.page(&page.listing, cursor, asked, ttl);
        written.map_err(|error| error.to_string())?;
        Ok(page)
    }

    /// The list cannot be read: calls meet what is known of their tools.
    pub(super) fn give_up(&mut self, reason: &str) {
        self.gate.tell(&ClientEvent::Unlisted { reason });
        self.release();
    }

    /// The list is read: the calls that waited for it go on.
    fn release(&mut self) {
        self.listing = None;
        // Tools that changed while they were read are read again by the next
        // call; those that waited meet the list they waited for.
        for call in std::mem::take(&mut self.held) {
            if let Some(JsonRpcMessage::Request(request)) = self.judged(call) {
                let id = request.id.clone();
                self.send_own(JsonRpcMessage::Request(request), id);
            }
        }
    }
}

/// Pages of one list that the gate reads.
const PAGES: usize = 10_000;
