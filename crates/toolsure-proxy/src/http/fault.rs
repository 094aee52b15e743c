//! Faults of the HTTP transport.

use std::error::Error;

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
    let help = match (url.scheme(), is_other_protocol(&*failure.error)) {
        ("https", true) => {
            "the server answers without TLS: if it is the right one, its URL begins with `http://`"
        }
        (_, true) => {
            "the server does not answer in HTTP/1.1: if it expects TLS, its URL begins with `https://`"
        }
        (_, false) => "is the server running, and the URL right?",
    };
    Fault::new(Party::Network, FaultKind::Unreachable, phase, message).with_help(help)
}

/// Whether the bytes of a server belong to another protocol: they are no TLS records where these are
/// expected, or no HTTP/1.1.
fn is_other_protocol(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let tls = error.downcast_ref::<rustls::Error>();
        let http = error.downcast_ref::<hyper::Error>();
        if tls.is_some_and(|error| matches!(error, rustls::Error::InvalidMessage(_)))
            || http.is_some_and(hyper::Error::is_parse)
        {
            return true;
        }
        // The source of an I/O error is that of the error inside it, which is passed over.
        let inner = error.downcast_ref::<std::io::Error>();
        let inner = inner.and_then(std::io::Error::get_ref);
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

/// A status without an answer, with what the body says.
pub(super) fn status(phase: Phase, method: &str, code: u16, body: &[u8]) -> Fault {
    let words = words(body);
    let said = match words.is_empty() {
        true => String::new(),
        false => format!(": `{}`", excerpt(&words)),
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

/// What a body says, for a message: the title of an HTML page or else its text, and any other body
/// as it is, with single spaces between words.
pub(super) fn words(body: &[u8]) -> Vec<u8> {
    // What follows could not be shown, and pages may be long.
    let head = body.get(..HEAD).unwrap_or(body);
    let text = String::from_utf8_lossy(head);
    let start = text.trim_start().get(..5).unwrap_or_default();
    let is_page = ["<!doc", "<html", "<head", "<body"]
        .iter()
        .any(|tag| start.eq_ignore_ascii_case(tag));
    let single = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let said = is_page.then(|| single(&title(&text).unwrap_or_else(|| without_tags(&text))));
    let said = said.filter(|said| !said.is_empty());
    said.unwrap_or_else(|| single(&text)).into_bytes()
}

/// The text of the first `<title>` that is not empty.
fn title(page: &str) -> Option<String> {
    // In ASCII, so that the bytes of both have the same places.
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let start = start
        .checked_add(lower.get(start..)?.find('>')?)?
        .checked_add(1)?;
    let end = start.checked_add(lower.get(start..)?.find("</title")?)?;
    let title = page.get(start..end)?.trim();
    (!title.is_empty()).then(|| title.to_owned())
}

fn without_tags(page: &str) -> String {
    let parts = page.split('<').enumerate();
    let texts = parts.map(|(index, part)| match (index, part.split_once('>')) {
        (0, _) => part,
        (_, Some((_, text))) => text,
        (_, None) => "",
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// A redirect that is not followed.
pub(super) fn redirect(phase: Phase, message: String) -> Fault {
    Fault::new(Party::Server, FaultKind::Redirect, phase, message)
}

/// A body that ended early.
pub(super) fn broken(phase: Phase, error: &dyn Error) -> Fault {
    Fault::new(
        Party::Network,
        FaultKind::Unreachable,
        phase,
        format!("the answer was cut off: {}", cause(error)),
    )
}

/// The innermost cause of an error, escaped and cut; the outer errors only repeat the URL.
pub(super) fn cause(error: &dyn Error) -> String {
    let mut innermost = error;
    while let Some(source) = innermost.source() {
        innermost = source;
    }
    quote(&innermost.to_string(), 200).to_string()
}

/// The bytes of a body that are searched for what it says.
const HEAD: usize = 16 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_shown_by_its_words() {
        for (body, said) in [
            ("", ""),
            (" \r\n", ""),
            ("no\n  such\tpage\n", "no such page"),
            (
                "{\n  \"detail\": \"Not Found\"\n}",
                "{ \"detail\": \"Not Found\" }",
            ),
            (
                "<!DOCTYPE html>\n<html><head>\n<title lang=en>404\n Not Found</title></head><body>x</body></html>",
                "404 Not Found",
            ),
            (
                "<html>\r\n<head><title></title></head>\r\n<body>\r\n<h1>Cannot</h1><p>POST /</body>",
                "Cannot POST /",
            ),
            ("<HTML><TITLE>\u{130}x</TITLE>", "\u{130}x"),
            ("<!doctype html><title>never ends", "never ends"),
            ("<html>\n<body", "<html> <body"),
            ("<a> is not a page\n", "<a> is not a page"),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&words(body.as_bytes())),
                said,
                "{body}"
            );
        }
        let long = [
            b"<html>".as_slice(),
            &vec![b'<'; 1 << 20],
            b"<title>x</title>",
        ]
        .concat();
        assert!(words(&long).len() <= HEAD);
    }
}
