//! `cargo xtask soak --defaults`: how long the guard takes with the default times.

use std::sync::mpsc::channel;
use std::time::Duration;

use super::found::Found;
use super::guard::Guard;
use super::silent::KEEPALIVE;
use super::vanish::{How, Until};
use super::{dead, silent, vanish};

/// Measures, prints, and returns how many claims failed. Takes two minutes.
///
/// # Errors
///
/// One line if something cannot be built or started.
pub(in crate::soak) fn defaults() -> Result<u64, String> {
    let (guard, _process) = Guard::start(&[])?;
    let mut all = Found::default();
    all.at_once(&[
        // The idle limit of 30 minutes is not waited for.
        &|| vanish::scene(&guard, (How::Closed, Until::Closed), PATIENCE, channel().0),
        &|| vanish::scene(&guard, (How::Silent, Until::Closed), PATIENCE, channel().0),
        &|| dead::in_session(&guard, PATIENCE),
        // The first comment comes after 15 s, the fourth just before the end.
        &|| silent::stream(&guard, KEEPALIVE, Duration::from_secs(61)),
        &|| silent::call(&guard, 120),
    ]);
    println!("with the default times:");
    all.print();
    print!("{}", all.tally.details());
    println!("{}", all.tally.line());
    Ok(all.tally.failed)
}

/// Longer than the longest step here takes.
const PATIENCE: Duration = Duration::from_secs(150);
