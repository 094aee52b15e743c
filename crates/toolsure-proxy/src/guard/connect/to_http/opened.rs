//! How the client opened its session: the messages that open another one in its place.

use bytes::Bytes;
use toolsure_guard::{IdKey, Message, Purpose};

/// How the client opened its session.
#[derive(Default)]
pub(super) struct Opened {
    pub(super) initialize: Option<(IdKey, Bytes)>,
    pub(super) initialized: bool,
    /// The client's last request that set the log level.
    pub(super) level: Option<Bytes>,
}

impl Opened {
    pub(super) fn remember(&mut self, message: &Message) {
        if message.purpose != Purpose::Forward {
            return;
        }
        let bytes = || Bytes::copy_from_slice(message.bytes());
        let envelope = message.envelope();
        match (envelope.method.as_deref(), &envelope.id) {
            (Some("initialize"), Some(id)) => {
                *self = Self {
                    initialize: Some((id.clone(), bytes())),
                    ..Self::default()
                };
            }
            (Some("logging/setLevel"), Some(_)) => self.level = Some(bytes()),
            (Some("notifications/initialized"), None) => {
                self.initialized = true;
            }
            _ => {}
        }
    }
}
