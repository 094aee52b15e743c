//! The answers of the server, as newer clients get them.

use toolsure_json::{Node as _, View};
use toolsure_mcp::message::{INVALID_PARAMS, RESOURCE_NOT_FOUND, URL_ELICITATION_REQUIRED, write};

use super::call::Call;
use crate::envelope::error_code;
use crate::message::Message;
use crate::translate::parsed_message::ParsedMessage;
use crate::translate::refusal::Refusal;
use crate::translate::rewrite;
use crate::translate::words::{self, Abilities, ELICITATION};

/// The answer to a call, for a client with these capabilities. `result` is `None` if it is an error.
pub(super) fn answer(
    call: &Call,
    parsed: &ParsedMessage<'_>,
    result: Option<View<'_>>,
    abilities: Abilities,
) -> Message {
    let id = call.caller.id.as_str();
    match result {
        Some(result) if words::is_object(result) => {
            let added = if call.is_kept { KEPT } else { PLAIN };
            let added: Vec<String> = added.iter().map(|&member| member.to_owned()).collect();
            let gone = |name: &str| {
                name == "resultType" || call.is_kept && matches!(name, "ttlMs" | "cacheScope")
            };
            rewrite::answer(parsed, Some(id), Some(result), gone, &added)
        }
        Some(_) => Refusal::answer("the server's result is not an object")
            .to(id)
            .into(),
        None => error(parsed, id, abilities),
    }
}

/// A server's error under the client's id. Two codes that do not exist in the modern era are replaced.
fn error(parsed: &ParsedMessage<'_>, id: &str, abilities: Abilities) -> Message {
    let error = parsed.view.member("error");
    match error.and_then(error_code) {
        Some(RESOURCE_NOT_FOUND) => {
            let mut edits = toolsure_mcp::message::Edits::new();
            let code = error.and_then(|error| error.member("code"));
            if let (Some(code), Some(old)) = (code, parsed.view.member("id")) {
                edits.replace(code, INVALID_PARAMS.to_string());
                edits.replace(old, id);
            }
            parsed.whole.edited(&edits)
        }
        Some(URL_ELICITATION_REQUIRED) => url_required(parsed, id, abilities).into(),
        _ => rewrite::answer(parsed, Some(id), None, |_| false, &[]),
    }
}

/// Turns "send the person to this address, then call again" (2025-11-25, client/elicitation) into a
/// question, after which the call is repeated.
fn url_required(parsed: &ParsedMessage<'_>, id: &str, abilities: Abilities) -> String {
    let data = parsed
        .view
        .member("error")
        .and_then(|error| error.member("data"));
    let wanted = data.and_then(|data| data.member("elicitations"));
    let mut requests = Vec::new();
    for (index, params) in wanted.into_iter().flat_map(View::items).enumerate() {
        let missing = abilities.missing(ELICITATION, Some(params));
        if let Ok(Some(required)) = missing {
            return Refusal::capability(ELICITATION, required).to(id);
        }
        requests.push(format!(
            r#""url-{}":{{"method":"{ELICITATION}","params":{}}}"#,
            index + 1,
            params.raw()
        ));
    }
    if requests.is_empty() {
        return Refusal::input("the server wants a person to visit a URL but names none").to(id);
    }
    let requests = requests.join(",");
    write::result(
        id,
        &format!(r#"{{"resultType":"input_required","inputRequests":{{{requests}}}}}"#),
    )
}

/// The members that every result has (2026-07-28, basic).
const PLAIN: &[&str] = &[r#""resultType":"complete""#];
/// The members of a result that can be cached. A legacy server does not send them.
const KEPT: &[&str] = &[
    r#""resultType":"complete""#,
    r#""ttlMs":0"#,
    r#""cacheScope":"private""#,
];
