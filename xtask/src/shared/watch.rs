//! What a guard says of itself, and waiting until it says so.

use std::time::{Duration, Instant};

use crate::replicas::guards::Replica;
use crate::replicas::http::request;

/// A metric of a guard, summed over all its series.
pub(crate) fn metric(guard: &Replica, name: &str) -> u64 {
    let page = request(guard.admin, "GET", "/metrics", &[], "").unwrap_or_default();
    let own = page.body.lines().filter(|line| line.starts_with(name));
    own.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok())
        .sum()
}

/// The body of a page at a guard's admin address, if the status is 200.
pub(crate) fn page(guard: &Replica, path: &str) -> Option<String> {
    let page = request(guard.admin, "GET", path, &[], "").ok()?;
    (page.status == 200).then_some(page.body)
}

/// Waits until a condition holds. The error names the condition if it never does.
pub(crate) fn until(what: &str, mut so: impl FnMut() -> bool) -> Result<(), String> {
    let begun = Instant::now();
    while begun.elapsed() < PATIENCE {
        if so() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err(format!("{what}: not within {PATIENCE:?}"))
}

/// Waits until a guard has written an update to the store since `before`.
pub(super) fn exchanged(guard: &Replica, what: &str, before: u64) -> Result<(), String> {
    let name = updates_metric(what);
    until("the store was not updated", || {
        metric(guard, &name) > before
    })
}

pub(super) fn updates_metric(what: &str) -> String {
    format!("toolsure_guard_store_written_total{{what=\"{what}\"}}")
}

/// Far longer than any step here takes.
const PATIENCE: Duration = Duration::from_secs(60);
