//! Clients that leave large results unread, or read a few bytes at a time.

use std::time::{Duration, Instant};

use serde_json::json;

use super::found::Found;
use super::guard::{Guard, within};
use super::request::{Begun, Request};
use crate::replicas::load;

/// Clients that read nothing, and clients that read 16 bytes at a time, are disconnected. One that
/// takes some seconds gets everything.
pub(super) fn scene(guard: &Guard, patience: Duration) -> Result<Found, String> {
    let mut found = Found::default();
    let to = guard.address;
    let session = load::open(to)?;
    let large = json!({"bytes": BYTES});
    let readers = [None, None, Some(&*session), None, None, Some(&*session)];
    let readers = readers.map(|session| {
        let begun = Request::call(session, "large", &large).begin(to)?;
        begun.without_waiting()
    });
    let mut readers: Vec<Begun> = readers.into_iter().collect::<Result<_, String>>()?;
    let mut steady = Request::call(None, "large", &large).begin(to)?;
    let ports: Vec<u16> = readers.iter().map(Begun::port).collect();
    let mut connected = guard.connected(&ports);
    found.tally.claim(connected.len() == ports.len(), || {
        format!(
            "only {} of {} readers are connected",
            connected.len(),
            ports.len()
        )
    });
    let begun = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !steady.has_ended && begun.elapsed() < patience {
                std::thread::sleep(STEADY_PAUSE);
                steady.read(STEADY_BYTES);
            }
        });
        let closed = within(patience, || {
            std::thread::sleep(PAUSE);
            for reader in readers.iter_mut().skip(3) {
                reader.read(16);
            }
            connected = guard.connected(&ports);
            connected.is_empty()
        });
        found.tally.claim(closed, || {
            format!(
                "{} clients that leave results unread are connected after {patience:?}",
                connected.len()
            )
        });
    });
    found.time("slow readers: all closed".to_owned(), begun.elapsed());
    let some = readers.iter().skip(3).all(|reader| reader.first.is_some());
    found.tally.claim(some, || {
        "a client that reads a few bytes got none".to_owned()
    });
    let got = steady.body().len();
    found.tally.claim(steady.has_ended && got > BYTES, || {
        format!("a client that reads slowly got {got} bytes of a result of {BYTES}")
    });
    load::close(to, &session)?;
    Ok(found)
}

/// More than the buffers of a connection take.
const BYTES: usize = 8_000_000;
/// Between two reads of a few bytes.
const PAUSE: Duration = Duration::from_millis(250);
/// The whole result takes about two seconds.
const STEADY_BYTES: usize = 256 << 10;
const STEADY_PAUSE: Duration = Duration::from_millis(50);
