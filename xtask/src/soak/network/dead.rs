//! Servers that end while a process of theirs holds their standard output.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::found::Found;
use super::guard::{Guard, within};
use super::request::Request;
use crate::replicas::load;

/// The server of a session ends at a call. The error has the exit code, and in another session a
/// process of its own answers.
pub(super) fn in_session(guard: &Guard, patience: Duration) -> Result<Found, String> {
    let to = guard.address;
    let session = load::open(to)?;
    let before = guard.state(Some(&session))?.process;
    let mut found = dies(guard, Some(&session), before, patience)?;
    let mut gone = Ok(0);
    let ended = within(patience, || {
        let reply = Request::call(Some(&session), "state", &json!({})).ask(to);
        gone = reply.map(|reply| reply.status);
        gone == Ok(404)
    });
    found.tally.claim(ended, || {
        format!("a session without its server gets {gone:?}")
    });
    let session = load::open(to)?;
    let after = guard.state(Some(&session))?.process;
    found.tally.claim(after != before, || {
        "the server of a new session is the dead one".to_owned()
    });
    load::close(to, &session)?;
    Ok(found)
}

/// The server of all modern clients ends at a call. The error has the exit code, and the next call
/// is answered by another process.
pub(super) fn of_all(guard: &Guard, patience: Duration) -> Result<Found, String> {
    let before = guard.state(None)?.process;
    let mut found = dies(guard, None, before, patience)?;
    let after = guard.state(None)?.process;
    found.tally.claim(after != before, || {
        "the server of modern clients is the dead one".to_owned()
    });
    Ok(found)
}

fn dies(
    guard: &Guard,
    session: Option<&str>,
    process: u32,
    patience: Duration,
) -> Result<Found, String> {
    let mut found = Found::default();
    let begun = Instant::now();
    let reply = Request::call(session, "die", &json!({})).ask(guard.address)?;
    let what = "a dead server whose child holds its output: noticed by a call";
    found.time(what.to_owned(), begun.elapsed());
    let message = reply.message();
    let text = message.pointer("/error/message").and_then(Value::as_str);
    let named = text.is_some_and(|text| text.contains("status 7"));
    found.tally.claim(named, || {
        format!("the error does not name the exit code: {message}")
    });
    // Not even a zombie, because it is the guard's own child. Somebody else reaps what it left.
    let reaped = within(patience, || {
        !Path::new(&format!("/proc/{process}")).exists()
    });
    found.tally.claim(reaped, || {
        format!("the dead server {process} is not reaped")
    });
    let ended = within(patience, || guard.left_behind().is_empty());
    found.tally.claim(ended, || {
        format!("a dead server's children run: {:?}", guard.left_behind())
    });
    Ok(found)
}
