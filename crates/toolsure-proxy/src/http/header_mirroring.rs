//! The headers that mirror a modern message's version, method, name and annotated arguments
//! (2026-07-28, basic/transports/streamable-http): made for an upstream, compared for a client.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hyper::header::{HeaderMap, HeaderName, HeaderValue};
use toolsure_guard::Message;
use toolsure_json::{Kind, Node as _, Number, View};
use toolsure_mcp::contract::{HeaderParameter, ToolContract};
use toolsure_mcp::message::Message as Decoded;

use super::{METHOD, VERSION};

/// A header, with its value according to the body.
#[derive(Debug, PartialEq)]
pub(crate) struct MirroredHeader {
    pub(crate) name: HeaderName,
    /// `None` if the body has no value, so that the header must be absent.
    pub(crate) value: Option<String>,
    numeric: bool,
}

/// The headers that a message requires, in order. Without the contract of the called tool, headers
/// for its arguments are left out.
pub(crate) fn mirrored_headers(
    message: &Message,
    contract: Option<&ToolContract>,
) -> Vec<MirroredHeader> {
    let envelope = message.envelope();
    let text = |name, value: Option<&str>| MirroredHeader {
        name,
        value: value.map(str::to_owned),
        numeric: false,
    };
    let mut all = vec![
        text(VERSION, envelope.version.as_deref()),
        text(METHOD, envelope.method.as_deref()),
    ];
    if envelope.name.is_some() {
        all.push(text(NAME, envelope.name.as_deref()));
    }
    all.extend(
        contract
            .map(|contract| of_arguments(message, contract))
            .unwrap_or_default(),
    );
    all
}

/// The headers that the annotated arguments of a call require.
pub(crate) fn of_arguments(message: &Message, contract: &ToolContract) -> Vec<MirroredHeader> {
    let parameters = contract.headers().ok();
    let Some(parameters) = parameters.filter(|parameters| !parameters.is_empty()) else {
        return Vec::new();
    };
    let of_arguments = message.decode(|message, _| {
        let Decoded::Request(request) = message else {
            return Vec::new();
        };
        let arguments = request.params.and_then(|params| params.member("arguments"));
        let each = parameters.iter();
        each.filter_map(|parameter| argument(parameter, arguments))
            .collect()
    });
    of_arguments.unwrap_or_default()
}

/// The headers of a request that repeat its arguments.
pub(crate) fn given_of_arguments(headers: &HeaderMap) -> HeaderMap {
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        if name.as_str().starts_with("mcp-param-") {
            // A header that occurs twice is kept twice.
            kept.append(name.clone(), value.clone());
        }
    }
    kept
}

fn argument(parameter: &HeaderParameter, arguments: Option<View<'_>>) -> Option<MirroredHeader> {
    let name = format!("mcp-param-{}", parameter.name.to_ascii_lowercase());
    let mut at = arguments;
    for step in &parameter.path {
        at = at.and_then(|view| view.member(step));
    }
    let value = at.and_then(|view| match view.kind() {
        Kind::String => Some(view.string().to_owned()),
        Kind::Number => {
            let whole = view.number().as_i64();
            Some(whole.map_or_else(|| view.raw().to_owned(), |whole| whole.to_string()))
        }
        Kind::Boolean => Some(view.raw().to_owned()),
        _ => None,
    });
    Some(MirroredHeader {
        name: HeaderName::from_bytes(name.as_bytes()).ok()?,
        value,
        numeric: at.is_some_and(|view| view.kind() == Kind::Number),
    })
}

/// Sets the mirrored headers of a message for an upstream, and removes those without a value.
pub(crate) fn write(mirrored: &[MirroredHeader], headers: &mut HeaderMap) {
    for one in mirrored {
        let value = one.value.as_deref().map(encode);
        match value.and_then(|value| HeaderValue::from_str(&value).ok()) {
            Some(value) => headers.insert(&one.name, value),
            None => headers.remove(&one.name),
        };
    }
}

/// What is wrong with the first header that contradicts the body.
pub(crate) fn mismatch(mirrored: &[MirroredHeader], headers: &HeaderMap) -> Option<String> {
    mirrored.iter().find_map(|one| {
        let name = shown(&one.name);
        let mut given = headers.get_all(&one.name).iter();
        let (first, second) = (given.next(), given.next());
        match (&one.value, first) {
            (None, None) => None,
            (None, Some(_)) => Some(format!(
                "the header `{name}` has no counterpart in the body"
            )),
            (Some(_), None) => Some(format!("the header `{name}` is missing")),
            (Some(_), Some(_)) if second.is_some() => {
                Some(format!("the header `{name}` is given twice"))
            }
            (Some(value), Some(header)) => {
                let same = header
                    .to_str()
                    .ok()
                    .and_then(decode)
                    .is_some_and(|header| one.is(value, &header));
                (!same).then(|| format!("the header `{name}` does not match the body"))
            }
        }
    })
}

impl MirroredHeader {
    fn is(&self, value: &str, header: &str) -> bool {
        if value == header {
            return true;
        }
        self.numeric
            && match (Number::parse(value), Number::parse(header)) {
                (Some(value), Some(header)) => value.compare(&header).is_eq(),
                _ => false,
            }
    }
}

/// Spells a header name as the protocol does, for messages. In memory, header names are in lower
/// case.
fn shown(name: &HeaderName) -> String {
    let mut upper = true;
    let spelled = name.as_str().chars().map(|c| {
        let c = if upper { c.to_ascii_uppercase() } else { c };
        upper = c == '-';
        c
    });
    let spelled: String = spelled.collect();
    spelled.replace("Mcp-Protocol", "MCP-Protocol")
}

/// Encodes a value as a header. Visible ASCII, with spaces and tabs only inside, stays as it is.
fn encode(value: &str) -> String {
    let plain = value
        .bytes()
        .all(|byte| matches!(byte, b' '..=b'~' | b'\t'));
    let bare = value.trim_matches([' ', '\t']) == value;
    let sentinel = value.starts_with(OPEN) && value.ends_with(CLOSE);
    if plain && bare && !sentinel {
        return value.to_owned();
    }
    format!("{OPEN}{}{CLOSE}", STANDARD.encode(value))
}

fn decode(header: &str) -> Option<String> {
    let inner = header
        .strip_prefix(OPEN)
        .and_then(|rest| rest.strip_suffix(CLOSE));
    match inner {
        None => Some(header.to_owned()),
        Some(inner) => String::from_utf8(STANDARD.decode(inner).ok()?).ok(),
    }
}

pub(crate) const NAME: HeaderName = HeaderName::from_static("mcp-name");
const OPEN: &str = "=?base64?";
const CLOSE: &str = "?=";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_header_cannot_carry_is_wrapped_and_unwrapped() {
        for (value, header) in [
            ("eu", "eu"),
            ("a b", "a b"),
            (" a", "=?base64?IGE=?="),
            ("ü", "=?base64?w7w=?="),
            ("a\nb", "=?base64?YQpi?="),
            ("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?="),
            ("", ""),
        ] {
            assert_eq!(encode(value), header, "{value:?}");
            assert_eq!(decode(header).as_deref(), Some(value), "{header:?}");
        }
        // Without padding, outside the alphabet, not UTF-8.
        for bad in ["=?base64?w7w?=", "=?base64?*?=", "=?base64?/w==?="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
