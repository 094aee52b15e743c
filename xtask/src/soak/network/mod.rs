//! Clients that vanish, do not read or open too much, and servers that die: what the guard keeps.
//!
//! One guard with short times and low limits, in its own process, before `xtask/soak/server.py`. Two
//! ordinary clients, one of each era, call all the time while the scenes come in turn. After the
//! last round and a rest the guard must hold what it held before.

mod dead;
mod defaults;
mod found;
mod guard;
mod limits;
mod readers;
mod request;
mod silent;
mod vanish;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use super::calls::Era;
use super::clients::{Counts, Disturbances, Load};
use crate::replicas::guards::Replica;
use found::Found;
use guard::{AtRest, Guard, at_rest, within};
use toolsure_testkit::tally::Tally;
use vanish::{How, Until};

pub(super) use defaults::defaults;

/// Runs rounds of all scenes for this time, and at least two.
///
/// # Errors
///
/// One line if something cannot be built or started.
pub(super) fn run(time: Duration) -> Result<Tally, String> {
    let (guard, process) = Guard::start(&settings())?;
    let before = at_rest(&process);
    let disturbances = Disturbances::with(SLACK);
    let none = Disturbances::default();
    let (ids, over) = (AtomicU64::new(0), AtomicBool::new(false));
    let goes_on = || !over.load(Ordering::Relaxed);
    let load = |kinds, disturbances| Load {
        aggregate: guard.address,
        direct: guard.address,
        goes_on: &goes_on,
        kinds,
        repeats: true,
        disturbances,
        ids: &ids,
    };
    // The server of a session does not die with that of all modern clients.
    let modern = load(&[(Era::Modern, false)], &disturbances);
    let legacy = load(&[(Era::Legacy, false)], &none);
    let begun = Instant::now();
    let mut found = Found::default();
    let mut rounds = 0;
    let counts = std::thread::scope(|scope| {
        let clients = [&modern, &legacy].map(|load| scope.spawn(|| load.run(1)));
        while rounds < FEWEST || begun.elapsed() < time {
            round(&guard, &disturbances, &mut found);
            rounds += 1;
        }
        over.store(true, Ordering::Relaxed);
        clients.map(|client| client.join())
    });
    let mut all = Counts::default();
    for counts in counts {
        all.add(counts.map_err(|_| "a client panicked".to_owned())?);
    }
    println!(
        "bad clients and dying servers, {rounds} rounds in {:.0} s: {} ordinary calls, {} sessions opened, {} requests sent again after 503; {} answers lost, {} given twice, {} not right; {} errors while a server was away",
        begun.elapsed().as_secs_f64(),
        all.calls,
        all.sessions,
        all.repeated,
        all.lost,
        all.twice,
        all.wrong,
        all.excused
    );
    found.print();
    let mut tally = found.tally;
    judge(&all, &mut tally);
    rest(&process, &before, &mut tally);
    let left = guard.left_behind();
    tally.claim(left.is_empty(), || {
        format!("processes of dead servers run: {left:?}")
    });
    println!();
    Ok(tally)
}

/// All scenes once.
fn round(guard: &Guard, disturbances: &Disturbances, found: &mut Found) {
    let (holds, held) = channel();
    std::thread::scope(|scope| {
        let vanishing = [How::Closed, How::Silent].map(|how| {
            let holds = holds.clone();
            let what = (how, Until::Ended);
            scope.spawn(move || vanish::scene(guard, what, PATIENCE, holds))
        });
        drop(holds);
        found.at_once(&[
            &|| readers::scene(guard, PATIENCE),
            &|| dead::in_session(guard, PATIENCE),
            &|| silent::stream(guard, KEEPALIVE, KEEPALIVE * 7 / 2),
            &|| silent::call(guard, 3),
        ]);
        // Nothing is sent: all ends are dropped when no connection is held.
        let _all_dropped = held.recv();
        let mut last = None;
        let none = within(PATIENCE, || {
            last = guard.state(None).ok();
            let open = last.as_ref().map(|state| state.slow + state.listening);
            open == Some(0)
        });
        found.tally.claim(none, || {
            format!("the server was not told that clients have vanished: {last:?}")
        });
        disturbances.begin();
        let died = dead::of_all(guard, PATIENCE);
        disturbances.end();
        found.scene(died);
        found.scene(limits::scene(guard, PATIENCE));
        // Their sessions end meanwhile.
        for scene in vanishing {
            let done = scene.join();
            found.scene(done.unwrap_or_else(|_| Err("a scene panicked".to_owned())));
        }
    });
}

fn judge(counts: &Counts, tally: &mut Tally) {
    for (what, count) in [
        ("answers lost", counts.lost),
        ("answers given twice", counts.twice),
        ("answers not right", counts.wrong),
    ] {
        tally.claim(count == 0, || {
            format!(
                "ordinary clients: {count} {what}: {}",
                counts.words.join("; ")
            )
        });
    }
    tally.claim(counts.repeated > 0, || {
        "the limit on connections did not reach the ordinary clients".to_owned()
    });
}

/// Waits until the guard holds no more than before, and claims that it does.
fn rest(guard: &Replica, before: &AtRest, tally: &mut Tally) {
    let rows = |now: &AtRest| {
        [
            ("descriptors", before.held.descriptors, now.held.descriptors),
            ("child processes", before.held.children, now.held.children),
            ("sessions", before.sessions, now.sessions),
            ("connections", before.connections, now.connections),
        ]
    };
    let mut now = at_rest(guard);
    within(PATIENCE, || {
        now = at_rest(guard);
        rows(&now).iter().all(|(_, before, now)| now <= before)
    });
    for (what, before, now) in rows(&now) {
        println!("{what}: {before} at the start, {now} at the end");
        tally.claim(now <= before, || {
            format!("{now} {what} after a rest, {before} at the start")
        });
    }
    let (begin, end) = (before.held.kib, now.held.kib);
    println!("resident: {begin} KiB at the start, {end} KiB at the end");
    tally.claim(end <= begin + MORE_KIB, || {
        format!("resident: {end} KiB after a rest, {begin} at the start")
    });
}

fn settings() -> Vec<String> {
    let [write, keepalive] = [WRITE, KEEPALIVE].map(|time| time.as_millis());
    vec![
        format!("times.keepalive={keepalive}ms"),
        format!("times.write={write}ms"),
        "times.after_exit=1s".to_owned(),
        "times.idle=6s".to_owned(),
        "times.grace=500ms".to_owned(),
        format!("limits.session_streams={}", limits::SESSION_STREAMS),
        format!("limits.caller_streams={}", limits::CALLER_STREAMS),
        format!("limits.connections={}", limits::CONNECTIONS),
    ]
}

/// How long an answer may lie before its client reads it.
const SLACK: Duration = Duration::from_millis(500);
const FEWEST: u32 = 2;
const KEEPALIVE: Duration = Duration::from_secs(1);
const WRITE: Duration = Duration::from_secs(2);
/// Far longer than any step here takes, with other work on the machine too.
const PATIENCE: Duration = Duration::from_secs(60);
/// What the guard may keep for itself, mostly memory that its allocator does not give back.
const MORE_KIB: u64 = 24 << 10;
