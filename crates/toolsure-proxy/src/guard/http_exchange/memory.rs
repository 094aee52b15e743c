//! How the bytes of an exchange are counted.

use super::HttpExchange;
use crate::message_memory::{Holder, ReadLimit};
use crate::web::Piece;

impl HttpExchange {
    /// A part of a stream, counted as the client's.
    pub(super) fn piece(&mut self, bytes: Vec<u8>) -> Piece {
        let piece = Piece::of(bytes, self.holder());
        self.reading = None;
        piece
    }

    /// Who holds the bytes of the answer.
    pub(super) fn holder(&self) -> Option<&Holder> {
        self.slot.as_ref().map(|slot| &slot.holder)
    }

    /// How the upstream is read for the client.
    pub(super) fn read_limit(&self) -> ReadLimit {
        let unknown = self.router.driver.ctx.read_limit();
        let holder = self.holder().cloned();
        ReadLimit {
            holder: holder.unwrap_or(unknown.holder),
            ..unknown
        }
    }
}
