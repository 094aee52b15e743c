//! The text of a message, and what was read from it.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use toolsure_json::{
    Document, DuplicateKeys, Parsed, ReadError, ReadErrorKind, ReadLimits, Reader,
};
use toolsure_mcp::message::{Edits, Incoming, Message as Decoded};

use crate::envelope::Envelope;
use crate::reading::{read_message, replace_lone_surrogates};

/// The text of a message, and what was read from it.
pub(super) struct Text {
    pub(super) state: State,
    /// Takes the memory that the text was read into.
    pub(super) readers: Option<Arc<Readers>>,
    pub(super) envelope: OnceLock<Envelope>,
}

pub(super) enum State {
    Unread(Vec<u8>),
    Read {
        parsed: Parsed,
        stand_in: Option<Box<StandIn>>,
        limits: ReadLimits,
    },
    Unreadable {
        bytes: Vec<u8>,
        error: ReadError,
        limits: ReadLimits,
    },
}

/// The text as it came, if a stand-in was read in its place.
pub(super) struct StandIn {
    pub(super) original: Vec<u8>,
    /// Why the original could not be read.
    pub(super) flaw: ReadError,
}

/// Memory for reading messages, kept from one message for the next.
#[derive(Default)]
#[expect(
    clippy::vec_box,
    reason = "a reader is passed on with each message, and would be moved each time"
)]
pub(crate) struct Readers(Mutex<Vec<Box<Reader>>>);

impl Readers {
    pub(super) fn take(&self) -> Box<Reader> {
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        readers.pop().unwrap_or_default()
    }

    fn put(&self, reader: Box<Reader>) {
        let mut readers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < MOST_READERS {
            readers.push(reader);
        }
    }
}

impl State {
    pub(super) fn read(reader: Box<Reader>, bytes: Vec<u8>, limits: &ReadLimits) -> Self {
        match reader.parse(bytes, limits) {
            Ok(parsed) => Self::Read {
                parsed,
                stand_in: None,
                limits: *limits,
            },
            Err((bytes, flaw)) => Self::stand_in(bytes, flaw, limits),
        }
    }

    /// Reads a text again that has equal members or half a surrogate pair: of equal members the last
    /// counts, and half a pair is U+FFFD.
    fn stand_in(original: Vec<u8>, error: ReadError, limits: &ReadLimits) -> Self {
        let is_readable = matches!(
            error.kind(),
            ReadErrorKind::DuplicateKey | ReadErrorKind::LoneSurrogate
        );
        let text = std::str::from_utf8(&original).ok().filter(|_| is_readable);
        let Some(text) = text.map(replace_lone_surrogates) else {
            return Self::Unreadable {
                bytes: original,
                error,
                limits: *limits,
            };
        };
        let lenient = ReadLimits {
            duplicate_keys: DuplicateKeys::KeepLast,
            ..*limits
        };
        let strict = ReadLimits {
            duplicate_keys: DuplicateKeys::Refuse,
            ..lenient
        };
        // This flaw matters more, because another reader could see another value.
        let flaw = match Reader::new().read(text.as_bytes(), &strict) {
            Err(again) if again.kind() == ReadErrorKind::DuplicateKey => again,
            _ => error,
        };
        match Box::<Reader>::default().parse(text.into_owned().into_bytes(), &lenient) {
            Ok(parsed) => Self::Read {
                parsed,
                stand_in: Some(Box::new(StandIn { original, flaw })),
                limits: *limits,
            },
            Err((_, error)) => Self::Unreadable {
                bytes: original,
                error,
                limits: *limits,
            },
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Unread(bytes) | Self::Unreadable { bytes, .. } => bytes,
            Self::Read {
                stand_in: Some(stand_in),
                ..
            } => &stand_in.original,
            Self::Read { parsed, .. } => parsed.document().source().as_bytes(),
        }
    }

    /// The limits that it was read within, if it was read.
    pub(super) fn limits(&self) -> Option<&ReadLimits> {
        match self {
            Self::Unread(_) => None,
            Self::Read { limits, .. } | Self::Unreadable { limits, .. } => Some(limits),
        }
    }
}

impl Text {
    pub(super) fn new(state: State, readers: Option<Arc<Readers>>) -> Arc<Self> {
        let envelope = OnceLock::new();
        Arc::new(Self {
            state,
            readers,
            envelope,
        })
    }

    /// What was read, or why it cannot be read, if it was tried.
    pub(super) fn document(&self) -> Result<Document<'_>, Option<&ReadError>> {
        match &self.state {
            State::Unread(_) => Err(None),
            State::Unreadable { error, .. } => Err(Some(error)),
            State::Read { parsed, .. } => Ok(parsed.document()),
        }
    }

    /// The text that was read, as it came; empty if it cannot be read.
    pub(super) fn source(&self) -> &str {
        match &self.state {
            State::Read {
                parsed,
                stand_in: None,
                ..
            } => parsed.document().source(),
            State::Read { .. } => std::str::from_utf8(self.state.bytes()).unwrap_or_default(),
            State::Unread(_) | State::Unreadable { .. } => "",
        }
    }

    /// The text with these changes, read within the same limits: what they do not touch is not parsed again.
    /// If a stand-in was read, the text is not read yet.
    pub(super) fn edited(&self, edits: &Edits) -> Arc<Self> {
        let State::Read {
            parsed,
            stand_in: None,
            limits,
        } = &self.state
        else {
            let bytes = edits.apply(self.source()).into_bytes();
            return Self::new(State::Unread(bytes), None);
        };
        let readers = self.readers.as_ref();
        let reader = readers.map_or_else(Box::default, |readers| readers.take());
        let state = match edits.apply_to(parsed, reader) {
            Ok(parsed) => State::Read {
                parsed,
                stand_in: None,
                limits: *limits,
            },
            // Its receiver finds out what is wrong.
            Err((bytes, _)) => State::Unread(bytes),
        };
        Self::new(state, self.readers.clone())
    }

    pub(super) fn envelope(&self) -> &Envelope {
        self.envelope.get_or_init(|| {
            let Ok(document) = self.document() else {
                let of = read_message(self.state.bytes(), |message, _| Envelope::of(&message));
                return of.unwrap_or_default();
            };
            match Incoming::of(document) {
                Incoming::Batch(_) => Envelope::batch(),
                Incoming::Single(view) => Decoded::decode(view)
                    .map_or_else(|_| Envelope::default(), |message| Envelope::of(&message)),
            }
        })
    }

    /// Takes the envelope of this text, unless it has another, which is returned.
    pub(super) fn give(&self, envelope: Envelope) -> Option<Box<Envelope>> {
        let envelope = self.envelope.set(envelope).err()?;
        (self.envelope.get() != Some(&envelope)).then(|| Box::new(envelope))
    }

    /// The bytes alone; the memory that they were read into goes back.
    pub(super) fn take(&mut self) -> Vec<u8> {
        match std::mem::replace(&mut self.state, State::Unread(Vec::new())) {
            State::Unread(bytes) | State::Unreadable { bytes, .. } => bytes,
            State::Read {
                parsed, stand_in, ..
            } => {
                let (text, reader) = parsed.into_parts();
                if let Some(readers) = self.readers.as_ref().filter(|_| text.len() <= WARM_BYTES) {
                    readers.put(reader);
                }
                stand_in.map_or_else(|| text.into_bytes(), |stand_in| stand_in.original)
            }
        }
    }
}

impl Drop for Text {
    fn drop(&mut self) {
        self.take();
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.state.bytes().len())
    }
}

/// The bytes of a text: a copy if clones share it.
pub(super) fn bytes_of(mut text: Arc<Text>) -> Vec<u8> {
    match Arc::get_mut(&mut text) {
        Some(text) => text.take(),
        None => text.state.bytes().to_vec(),
    }
}

/// The maximum number of memories that are kept for other messages.
const MOST_READERS: usize = 64;
/// The largest message after which memory is kept: a tape has 24 bytes for each value.
const WARM_BYTES: usize = 256 << 10;
