//! Streams and connections at their limits.

use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::json;

use super::found::Found;
use super::guard::{Guard, within};
use super::request::{Begun, Request};
use crate::replicas::http;
use crate::replicas::load;

pub(super) const SESSION_STREAMS: usize = 4;
pub(super) const CALLER_STREAMS: usize = 8;
pub(super) const CONNECTIONS: usize = 40;

/// One session opens more streams than it may, its caller more than it may, and then connections
/// come to their limit.
pub(super) fn scene(guard: &Guard, patience: Duration) -> Result<Found, String> {
    let mut found = Found::default();
    let to = guard.address;
    let sessions = [load::open(to)?, load::open(to)?, load::open(to)?];
    let [first, second, third] = &sessions;
    let mut streams = Vec::new();
    // Two beyond the limit of a session are still within that of the caller.
    for (session, count, ended) in [
        (first, SESSION_STREAMS + 2, 2),
        (second, 3, 2),
        (third, 3, SESSION_STREAMS + 2 + 3 + 3 - CALLER_STREAMS),
    ] {
        for _ in 0..count {
            let mut stream = Request::listen(session).begin(to)?;
            // The next one is newer only if this one is open.
            let is_open = within(patience, || {
                stream.read_for(A_MOMENT);
                stream.first.is_some()
            });
            found
                .tally
                .claim(is_open, || "a stream does not begin".to_owned());
            streams.push(stream);
        }
        found
            .tally
            .record(oldest_ended(&mut streams, ended, patience));
    }
    found.tally.record(connections(guard, &streams, patience));
    drop(streams);
    let again = within(patience, || answer(to).is_ok_and(|status| status == 200));
    found.tally.claim(again, || {
        "no call is answered after connections were at their limit".to_owned()
    });
    for session in &sessions {
        // Repeated as long as the guard has no room for the connection.
        let closed = within(patience, || {
            load::close(to, session).is_ok_and(|status| status != 503)
        });
        found
            .tally
            .claim(closed, || "a session does not end".to_owned());
    }
    Ok(found)
}

/// Waits until this many streams have ended, and checks that they are the oldest.
fn oldest_ended(streams: &mut [Begun], count: usize, patience: Duration) -> Result<(), String> {
    let mut ended = Vec::new();
    within(patience, || {
        for stream in &mut *streams {
            stream.read_for(A_MOMENT);
        }
        ended = streams.iter().map(|stream| stream.has_ended).collect();
        ended.iter().filter(|ended| **ended).count() >= count
    });
    let oldest: Vec<bool> = (0..streams.len()).map(|at| at < count).collect();
    match ended == oldest {
        true => Ok(()),
        false => Err(format!(
            "not the {count} oldest streams ended, but: {ended:?}"
        )),
    }
}

/// Opens connections up to the limit, besides those of the streams, and keeps them for a moment.
fn connections(guard: &Guard, streams: &[Begun], patience: Duration) -> Result<(), String> {
    let to = guard.address;
    let open = (0..CONNECTIONS).map(|_| TcpStream::connect(to));
    let open: Vec<TcpStream> = open
        .collect::<Result<_, _>>()
        .map_err(|e| format!("{to}: {e}"))?;
    let mut last = Ok(0);
    let is_full = within(patience, || {
        last = answer(to);
        last == Ok(503)
    });
    if !is_full {
        let count = open.len() + streams.len();
        return Err(format!(
            "beside {count} connections a new one gets {last:?}"
        ));
    }
    let ready = http::request(guard.admin, "GET", "/readyz", &[], "")?;
    std::thread::sleep(FULL_FOR);
    match ready.status {
        503 => Ok(()),
        status => Err(format!("no connection is free, and /readyz says {status}")),
    }
}

/// The status of a call on a connection of its own. One of 503 must say when to come again.
fn answer(to: SocketAddr) -> Result<u16, String> {
    let reply = Request::call(None, "get-weather", &json!({"city": "Tokyo"})).ask(to)?;
    match (reply.status, reply.header("retry-after")) {
        (503, None) => Err(format!("503 without Retry-After: {}", reply.body)),
        (status, _) => Ok(status),
    }
}

const A_MOMENT: Duration = Duration::from_millis(10);
/// How long connections stay at their limit.
const FULL_FOR: Duration = Duration::from_secs(1);
