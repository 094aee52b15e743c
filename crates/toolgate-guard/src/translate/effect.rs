//! What a translator wants done.

use std::borrow::Cow;

/// One of a translator's connections to the server, numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub(super) u64);

impl ConnectionId {
    /// Its number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

/// One thing to do. TranslatorEffects are carried out in the order they were made.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries steps out must carry out every kind of them"
)]
pub enum TranslatorEffect<'m> {
    /// Connect to the server once more. Messages for this connection may follow at once.
    Open(ConnectionId),
    /// End a connection; nothing that still comes from it is wanted.
    Close(ConnectionId),
    /// Send a message to the client. Borrowed is the very text that came in.
    ToClient(Cow<'m, [u8]>),
    /// Send a message to the server.
    ToServer(ConnectionId, Cow<'m, [u8]>),
    /// The client's connection has nothing behind it any more: end it.
    Finish,
    /// Something that an operator may want to read in a log.
    Note {
        /// What happened, in one word or two.
        what: &'static str,
        /// The particulars, without any value of a message.
        detail: String,
    },
}

/// Effects, in order.
#[derive(Debug, Default)]
pub struct TranslatorEffects<'m>(Vec<TranslatorEffect<'m>>);

impl<'m> TranslatorEffects<'m> {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn push(&mut self, effect: TranslatorEffect<'m>) {
        self.0.push(effect);
    }

    pub(super) fn client(&mut self, message: impl Into<Vec<u8>>) {
        self.push(TranslatorEffect::ToClient(Cow::Owned(message.into())));
    }

    pub(super) fn server(&mut self, connection: ConnectionId, message: impl Into<Vec<u8>>) {
        self.push(TranslatorEffect::ToServer(
            connection,
            Cow::Owned(message.into()),
        ));
    }

    pub(super) fn note(&mut self, what: &'static str, detail: impl Into<String>) {
        let detail = detail.into();
        self.push(TranslatorEffect::Note { what, detail });
    }
}

impl<'m> IntoIterator for TranslatorEffects<'m> {
    type Item = TranslatorEffect<'m>;
    type IntoIter = std::vec::IntoIter<TranslatorEffect<'m>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
