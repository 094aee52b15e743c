//! The streams that a caller listens on are bounded.

use std::sync::PoisonError;

use super::HttpServer;
use crate::guard::http_exchange::HttpExchange;

impl HttpServer {
    /// Counts a stream among those of its caller, and ends the oldest if there are too many. A guard
    /// that stops ends it at once.
    pub(super) fn limit_streams(&self, exchange: &HttpExchange) {
        let most = self.ctx.bounds.caller_streams;
        let mut listeners = self
            .listeners
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        listeners.add(exchange.listener(), exchange.mailbox(), most);
        if self.ctx.is_stopping() {
            listeners.close();
        }
    }
}
