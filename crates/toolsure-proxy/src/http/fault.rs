//! Faults of the HTTP transport.

use reqwest::Url;
use reqwest::header::WWW_AUTHENTICATE;
use toolsure_json::quote;

use super::connections::Failure;
use super::response::Response;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::notes::excerpt;

/// The server refuses access: 401 or 403.
pub(super) fn auth(phase: Phase, url: &Url, response: &Response) -> Fault {
    let code = response.status().as_u16();
    let wants = response
        .headers()
        .get(WWW_AUTHENTICATE)
        .map(|value| format!(" (`{}`)", excerpt(value.as_bytes())));
    let word = if code == 401 {
        "requires authorization"
    } else {
        "forbids access"
    };
    let origin = url.origin().ascii_serialization();
    Fault::new(
        Party::Operator,
        FaultKind::Auth(code),
        phase,
        format!(
            "`{}` {word}: HTTP status {code}{}",
            quote(&origin, 100),
            wants.unwrap_or_default()
        ),
    )
    .with_help("give credentials with `--header 'Authorization: Bearer …'`")
}

/// No connection could be made, or it was lost.
pub(super) fn unreachable(phase: Phase, url: &Url, failure: &Failure) -> Fault {
    let origin = url.origin().ascii_serialization();
    let word = if failure.is_connect {
        "cannot reach"
    } else {
        "lost the connection to"
    };
    let message = format!(
        "{word} `{}`: {}",
        quote(&origin, 100),
        cause(&*failure.error)
    );
    Fault::new(Party::Network, FaultKind::Unreachable, phase, message)
        .with_help("is the server running, and the URL right?")
}

/// A status without an answer, with an excerpt of the body.
pub(super) fn status(phase: Phase, method: &str, code: u16, body: &[u8]) -> Fault {
    let said = if body.trim_ascii().is_empty() {
        String::new()
    } else {
        format!(": `{}`", excerpt(body))
    };
    let by = if code >= 500 {
        Party::Server
    } else {
        Party::Operator
    };
    let fault = Fault::new(
        by,
        FaultKind::Status(code),
        phase,
        format!("HTTP status {code} for `{method}`{said}"),
    );
    match code {
        404 | 405 => fault.with_help(
            "is the path right (often `/mcp`)? servers that speak only the older HTTP+SSE transport are not supported",
        ),
        _ => fault,
    }
}

/// A redirect that is not followed.
pub(super) fn redirect(phase: Phase, message: String) -> Fault {
    Fault::new(Party::Server, FaultKind::Redirect, phase, message)
}

/// A body that ended early.
pub(super) fn broken(phase: Phase, error: &dyn std::error::Error) -> Fault {
    Fault::new(
        Party::Network,
        FaultKind::Unreachable,
        phase,
        format!("the answer was cut off: {}", cause(error)),
    )
}

/// The innermost cause of an error, escaped and cut; the outer errors only repeat the URL.
pub(super) fn cause(error: &dyn std::error::Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    quote(&innermost.to_string(), 200).to_string()
}
