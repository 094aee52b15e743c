//! What a modern request declares of its client.

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::Request;

use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::words::{self, Abilities, CAPABILITIES, CLIENT_INFO, LOG_LEVEL, Level};

/// The declarations of a modern request.
pub(super) struct Declared<'a> {
    /// Client capabilities as JSON text; each set has a session of its own.
    pub(super) capabilities: String,
    pub(super) abilities: Abilities,
    pub(super) info: Option<&'a str>,
    pub(super) level: Option<Level>,
}

impl<'a> Declared<'a> {
    pub(super) fn read(request: &Request<'a>) -> Result<Self, Refusal> {
        let meta = request.params.and_then(|params| params.member("_meta"));
        let member = |name| meta.and_then(|meta| meta.member(name));
        let capabilities = member(CAPABILITIES).filter(|is| words::is_object(*is));
        let Some(capabilities) = capabilities else {
            let text = format!("`_meta` must have an object `{CAPABILITIES}`");
            return Err(Refusal::params(text));
        };
        let info = member(CLIENT_INFO).filter(|is| is.kind() == Kind::Object);
        Ok(Self {
            capabilities: rewrite::legacy_capabilities(capabilities),
            abilities: Abilities::of(capabilities),
            info: info.map(View::raw),
            level: member(LOG_LEVEL).and_then(Level::read),
        })
    }
}
