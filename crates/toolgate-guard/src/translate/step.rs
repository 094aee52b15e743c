//! What a translator wants done.

use std::borrow::Cow;

/// One of a translator's connections to the server, numbered from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Leg(pub(super) u64);

impl Leg {
    /// Its number.
    #[must_use]
    pub fn number(self) -> u64 {
        self.0
    }
}

/// One thing to do. Steps are carried out in the order they were made.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries steps out must carry out every kind of them"
)]
pub enum Step<'m> {
    /// Connect to the server once more. Messages for this leg may follow at once.
    Open(Leg),
    /// End a connection; nothing that still comes from it is wanted.
    Close(Leg),
    /// Send a message to the client. Borrowed is the very text that came in.
    ToClient(Cow<'m, [u8]>),
    /// Send a message to the server.
    ToServer(Leg, Cow<'m, [u8]>),
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

/// What is to be done, in order.
#[derive(Debug, Default)]
pub struct Steps<'m>(Vec<Step<'m>>);

impl<'m> Steps<'m> {
    pub(super) fn new() -> Self {
        Self::default()
    }

    pub(super) fn push(&mut self, step: Step<'m>) {
        self.0.push(step);
    }

    pub(super) fn client(&mut self, message: impl Into<Vec<u8>>) {
        self.push(Step::ToClient(Cow::Owned(message.into())));
    }

    pub(super) fn server(&mut self, leg: Leg, message: impl Into<Vec<u8>>) {
        self.push(Step::ToServer(leg, Cow::Owned(message.into())));
    }

    pub(super) fn note(&mut self, what: &'static str, detail: impl Into<String>) {
        let detail = detail.into();
        self.push(Step::Note { what, detail });
    }
}

impl<'m> IntoIterator for Steps<'m> {
    type Item = Step<'m>;
    type IntoIter = std::vec::IntoIter<Step<'m>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}
