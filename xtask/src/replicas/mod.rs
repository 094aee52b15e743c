//! `cargo xtask replicas`: three guards behind a load balancer, one killed, one ended under load.
//!
//! The guards share only a key file, and Envoy sends each request to the next one. Clients of both
//! eras call all the time; the legacy clients use sessions that were opened through any of the
//! guards. Every call must get its own correct answer. A call in progress when its guard is killed
//! may first get an error status, and then the client repeats it.

mod envoy;
pub(crate) mod guards;
pub(crate) mod http;
pub(crate) mod load;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use crate::build;
use crate::peers::{self, Served};
use envoy::Envoy;
use guards::Replica;
use load::Load;

/// Runs the test and returns how many of its claims failed.
///
/// # Errors
///
/// One line if something cannot be built, installed or started.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    let calls = arguments.number("calls")?.unwrap_or(CALLS);
    let server = build::binary("everything-server")?;
    let toolsure = build::binary("toolsure")?;
    let folder = build::target()?.join("replicas");
    peers::fresh(&folder)?;
    let keys = folder.join("keys");
    std::fs::write(&keys, KEYS).map_err(|e| format!("{}: {e}", keys.display()))?;
    let server = Served::start(Command::new(&server).arg("--http"))?;
    let replicas = (0..3).map(|_| Replica::start(&toolsure, &server.url, &keys));
    let mut replicas = replicas.collect::<Result<Vec<_>, _>>()?;
    let envoy = Envoy::start(&folder, &replicas)?;
    let load = Load::new(envoy.address, SESSIONS)?;
    let mut tally = Tally::default();

    same_listing(&replicas, &load, &mut tally);
    load.run(calls, CLIENTS, &mut tally, |_| ());
    let quiet = taken(&load)?;
    tally.claim(quiet.is_empty(), || {
        format!("calls were repeated without a reason: {}", counted(&quiet))
    });
    let shares: Vec<u64> = replicas.iter().map(Replica::messages).collect();
    println!("{calls} calls, messages by replica: {shares:?}");
    tally.claim(shares.iter().all(|share| *share > calls / 6), || {
        format!("the balancer did not take the replicas in turn: {shares:?}")
    });

    let killed = during(&load, calls, &mut tally, || match replicas.first_mut() {
        Some(first) => first.kill(),
        None => Ok(()),
    })?;
    println!("{calls} calls, one replica killed: {}", counted(&killed));
    tally.claim(killed.len() <= CLIENTS, || {
        format!(
            "more calls were lost than were under way: {}",
            counted(&killed)
        )
    });

    let ended = during(&load, calls, &mut tally, || match replicas.get(1) {
        Some(second) => second.terminate(),
        None => Ok(()),
    })?;
    println!("{calls} calls, one replica ended: {}", counted(&ended));
    tally.claim(ended.len() <= CLIENTS, || {
        format!(
            "more calls were refused by a replica that was asked to end than were on their way: {}",
            counted(&ended)
        )
    });
    let well = replicas.get_mut(1).map(Replica::ended_well).transpose()?;
    tally.claim(well == Some(true), || {
        "a replica that was asked to end did not end well".to_owned()
    });

    rotated(&mut replicas, &keys, &load, &mut tally)?;
    for session in load.sessions() {
        let closed = load::close(envoy.address, session);
        tally.claim(closed.is_ok_and(|status| status < 300), || {
            "a session could not be ended".to_owned()
        });
        let more = load::goes_on(envoy.address, session);
        tally.claim(more == Ok(false), || {
            format!("a session that was ended goes on: {more:?}")
        });
    }
    println!(
        "tried again by the balancer: {}",
        envoy.counter("cluster.guard.upstream_rq_retry")
    );
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// Replaces the keys of the remaining replica. Sessions sealed with the old key continue as long as
/// that key is in the file.
fn rotated(
    replicas: &mut [Replica],
    keys: &Path,
    load: &Load,
    tally: &mut Tally,
) -> Result<(), String> {
    let Some(last) = replicas.last_mut() else {
        return Ok(());
    };
    let session = load::open(last.address)?;
    for (text, wanted) in [(NEXT_AND_OLD, 200), (NEXT, 404), (NEXT_AND_OLD, 200)] {
        std::fs::write(keys, text).map_err(|e| format!("{}: {e}", keys.display()))?;
        last.reload()?;
        for session in load.sessions().iter().chain([&session]) {
            let status = load::status(last.address, session);
            tally.claim(status == Ok(wanted), || {
                format!("with other keys: {status:?}, not {wanted}")
            });
        }
    }
    Ok(())
}

/// All replicas have the same listing, in both eras, and in a session that another replica opened.
fn same_listing(replicas: &[Replica], load: &Load, tally: &mut Tally) {
    let session = load.sessions().first().map(String::as_str);
    for session in [session, None] {
        let lists = replicas
            .iter()
            .map(|replica| load::listing(replica.address, session));
        let lists: Result<Vec<_>, _> = lists.collect();
        tally.claim(
            lists.as_ref().is_ok_and(|lists| {
                let first = lists.first();
                lists.iter().all(|list| {
                    Some(list) == first && list.as_array().is_some_and(|tools| tools.len() > 3)
                })
            }),
            || format!("the replicas do not list the same: {lists:?}"),
        );
    }
}

/// Runs clients, and does something to a replica meanwhile. Returns the answers that were repeated.
fn during(
    load: &Load,
    calls: u64,
    tally: &mut Tally,
    something: impl FnOnce() -> Result<(), String>,
) -> Result<Vec<String>, String> {
    let begun = load.begun();
    let done = load.run(calls, CLIENTS, tally, |load| {
        while load.begun() < begun + calls / 3 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let done = something();
        if done.is_err() {
            load.stop();
        }
        done
    });
    done?;
    taken(load)
}

/// The number of repeated answers, in total and of each kind.
fn counted(repeated: &[String]) -> String {
    let mut kinds = std::collections::BTreeMap::new();
    for one in repeated {
        *kinds.entry(one).or_insert(0_u64) += 1;
    }
    format!("{} repeated {kinds:?}", repeated.len())
}

fn taken(load: &Load) -> Result<Vec<String>, String> {
    let mut repeated = load.repeated.lock().map_err(|e| e.to_string())?;
    Ok(std::mem::take(&mut repeated))
}

/// The calls in each of the three rounds.
const CALLS: u64 = 1_200;
const CLIENTS: usize = 16;
const SESSIONS: usize = 24;
const KEYS: &str = "# seals\na key of these replicas, 32 bytes or more\n";
const NEXT_AND_OLD: &str =
    "the key that comes after that one, once\na key of these replicas, 32 bytes or more\n";
const NEXT: &str = "the key that comes after that one, once\n";
