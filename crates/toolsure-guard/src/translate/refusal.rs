//! Errors for messages that cannot be translated.

use toolsure_json::quote;
use toolsure_mcp::message::{
    INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, MISSING_CAPABILITY,
    UNSUPPORTED_VERSION, write,
};

use crate::fault::unsupported_version;

/// An error answer that the translator makes itself.
#[derive(Debug, Clone)]
pub(super) struct Refusal {
    code: i64,
    /// A stable name for machines, in `data.code`.
    name: &'static str,
    text: String,
    /// Further members of `data`.
    data: Option<String>,
}

impl Refusal {
    fn new(code: i64, name: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            name,
            text: text.into(),
            data: None,
        }
    }

    /// The method exists in the client's era, but not in the server's.
    pub(super) fn method(method: &str, why: &str) -> Self {
        let method = quote(method, SHOWN);
        let text = format!("`{method}` is not translated: {why}");
        Self::new(METHOD_NOT_FOUND, "translate-method", text)
    }

    /// The parameters have a form that cannot be translated.
    pub(super) fn params(text: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, "translate-params", text)
    }

    /// The session is not open, or is already open.
    pub(super) fn order(text: impl Into<String>) -> Self {
        Self::new(INVALID_REQUEST, "translate-order", text)
    }

    pub(super) fn id_reused() -> Self {
        let text = "the id belongs to a request that is still open";
        Self::new(INVALID_REQUEST, "client-id-reused", text)
    }

    /// A limit of the translator is exceeded.
    pub(super) fn limit(text: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, "translate-limit", text)
    }

    /// The server does not speak the era that is translated to.
    pub(super) fn other_era(name: &'static str, text: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, name, text)
    }

    pub(super) fn version(requested: &str) -> Self {
        let mut refusal = Self::new(
            UNSUPPORTED_VERSION,
            "client-version",
            "Unsupported protocol version",
        );
        refusal.data = Some(unsupported_version(requested));
        refusal
    }

    /// The server needs what the client did not declare. `required` is JSON text.
    pub(super) fn capability(method: &str, required: &str) -> Self {
        let method = quote(method, SHOWN);
        let text = format!(
            "the server asks for `{method}` first, and the client did not declare \
             the capability: {required}"
        );
        let mut refusal = Self::new(MISSING_CAPABILITY, "client-capability", text);
        refusal.data = Some(format!(r#""requiredCapabilities":{required}"#));
        refusal
    }

    /// The server asks for something that no client supports.
    pub(super) fn input(text: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, "server-input", text)
    }

    /// The client did not provide what the server asks for.
    pub(super) fn unanswered(text: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, "client-input", text)
    }

    /// The server's answer has no form in the client's era.
    pub(super) fn answer(text: impl Into<String>) -> Self {
        Self::new(INTERNAL_ERROR, "server-answer", text)
    }

    /// `requestState` does not belong to a parked call.
    pub(super) fn state(text: impl Into<String>) -> Self {
        Self::new(INVALID_PARAMS, "request-state", text)
    }

    pub(super) fn gone(why: &str) -> Self {
        let text = format!("the server is gone: {why}");
        Self::new(INTERNAL_ERROR, "server-gone", text)
    }

    /// The answer. `id` is JSON text.
    pub(super) fn to(&self, id: &str) -> String {
        let mut data = format!(r#"{{"code":"{}""#, self.name);
        if let Some(more) = &self.data {
            data.push(',');
            data.push_str(more);
        }
        data.push('}');
        write::error(id, self.code, &self.text, Some(&data))
    }
}

/// Maximum characters of a name that a text repeats.
const SHOWN: usize = 64;
