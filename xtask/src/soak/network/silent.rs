//! Event streams on which nothing happens, and calls that take long.

use std::time::{Duration, Instant};

use serde_json::json;

use super::found::Found;
use super::guard::Guard;
use super::request::Request;
use crate::replicas::load;

/// Listens in a session for this time, or until there are some comments. The stream has nothing else.
pub(super) fn stream(guard: &Guard, keepalive: Duration, time: Duration) -> Result<Found, String> {
    let mut found = Found::default();
    let session = load::open(guard.address)?;
    let mut stream = Request::listen(&session).begin(guard.address)?;
    let begun = Instant::now();
    while !stream.has_ended && begun.elapsed() < time + SLACK {
        stream.read_for(keepalive / 4);
        if begun.elapsed() > time && stream.body().len() > FEW {
            break;
        }
    }
    let body = stream.body();
    let text = String::from_utf8_lossy(body);
    let comments = text.lines().filter(|line| *line == ":").count();
    let is_right = comments > 1 && !text.contains("data:") && !stream.has_ended;
    found.tally.claim(is_right, || {
        format!("an idle stream has {comments} comments: {text:?}")
    });
    let each = body.len() / comments.max(1);
    let minute = u128::try_from(each).unwrap_or(0) * 60_000 / KEEPALIVE.as_millis();
    found.line(format!(
        "an idle stream: {each} bytes of HTTP for each comment; {minute} in a minute with the default keepalive of {KEEPALIVE:?}"
    ));
    if keepalive == KEEPALIVE {
        found.line(format!(
            "an idle stream: {} bytes in {time:?}, {comments} comments",
            body.len()
        ));
    }
    load::close(guard.address, &session)?;
    Ok(found)
}

/// Makes a call that is answered after some seconds, as a client that accepts event streams.
pub(super) fn call(guard: &Guard, seconds: u64) -> Result<Found, String> {
    let mut found = Found::default();
    let slow = json!({"seconds": seconds});
    let mut call = Request::call(None, "slow", &slow).begin(guard.address)?;
    call.read_for(Duration::from_secs(seconds) + SLACK);
    let is_whole = call.has_ended && String::from_utf8_lossy(call.body()).contains("late");
    found.tally.claim(is_whole, || {
        format!("a call of {seconds} s is not answered")
    });
    let first = call.first.unwrap_or(Duration::MAX);
    found.time(format!("a silent call of {seconds} s: first byte"), first);
    Ok(found)
}

/// The default of `times.keepalive`.
pub(super) const KEEPALIVE: Duration = Duration::from_secs(15);
/// More bytes than one comment has.
const FEW: usize = 15;
const SLACK: Duration = Duration::from_secs(20);
