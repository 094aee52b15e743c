//! One rate for all guards, and guards without their store.

use serde_json::Value;
use toolsure_testkit::tally::Tally;

use super::scene::Scene;
use super::watch::{exchanged, metric, page, until, updates_metric};
use crate::replicas::guards::Replica;
use crate::replicas::load::{self, Load};

/// One token for each call of the burst, and no more for an hour.
const SLOW: [&str; 3] = ["rate.calls=1", "rate.per=1h", "rate.burst=12"];
const BURST: usize = 12;

/// A caller's burst is shared by all guards. Another caller, and each session, has a burst of its
/// own.
pub(super) fn one_rate(scene: &Scene, tally: &mut Tally) -> Result<(), String> {
    let guards = three(scene, &SLOW)?;
    let [first, second, third] = &guards;
    let session = load::open(first.address)?;
    let callers: [(&str, &[(&str, &str)]); 3] = [
        ("anonymous", &[]),
        ("with a token", &[("Authorization", TOKEN_HEADER)]),
        ("in a session", &[("Mcp-Session-Id", &session)]),
    ];
    for (who, headers) in callers {
        let before = metric(first, &updates_metric("rate"));
        let passed = all_at_once(first, headers);
        tally.claim(passed == Ok(BURST), || {
            format!("{who}: the first guard let {passed:?} calls pass, not {BURST}")
        });
        // Includes the last call: an update may have been written while the calls came in.
        let key = key_of(scene, before, first)?;
        until("the store has all of them", || is_full(scene, &key))?;
        for guard in [second, third] {
            let before = metric(guard, &updates_metric("rate"));
            let alone = passes(guard, headers);
            tally.claim(alone == Ok(true), || {
                format!(
                    "{who}: a guard that knew nothing of others did not decide alone: {alone:?}"
                )
            });
            exchanged(guard, "rate", before)?;
            let more = passes(guard, headers);
            tally.claim(more == Ok(false), || {
                format!("{who}: after what all let through, one more: {more:?}")
            });
        }
        scene.store.ask(&["DEL", &key])?;
    }
    Ok(())
}

/// A malformed bucket counts as empty, and is counted as malformed.
pub(super) fn garbled(scene: &Scene, tally: &mut Tally) -> Result<(), String> {
    let guard = scene.guard(&SLOW)?;
    passes(&guard, &[])?;
    let key = key_of(scene, 0, &guard)?;
    let far = "9".repeat(40);
    let odd: [&[&str]; 5] = [
        &["SET", &key, "\u{1f4a5} no number"],
        &["SET", &key, &far],
        &["SET", &key, "nan"],
        &["SET", &key, "-1"],
        &[
            "EVAL",
            "redis.call('DEL', KEYS[1]) return redis.call('LPUSH', KEYS[1], 'x')",
            "1",
            &key,
        ],
    ];
    for (index, command) in (1_u64..).zip(odd) {
        scene.store.ask(command)?;
        let passed = passes(&guard, &[]);
        tally.claim(passed == Ok(true), || format!("{command:?}: {passed:?}"));
        until("an odd value was not counted", || {
            metric(&guard, "toolsure_guard_store_garbled_total{what=\"rate\"}") >= index
        })?;
    }
    let ready = page(&guard, "/healthz").unwrap_or_default();
    tally.claim(ready.contains("store: ready"), || {
        format!("an odd value made the store unfit: {ready}")
    });
    scene.store.ask(&["DEL", &key])?;
    Ok(())
}

/// Without the store a guard continues alone, reports it, and later writes its calls to the store.
pub(super) fn told_later(scene: &mut Scene, tally: &mut Tally) -> Result<(), String> {
    let guards = three(scene, &SLOW)?;
    let [first, second, _] = &guards;
    scene.store.kill();
    for guard in &guards {
        until("the guard says that the store is gone", || is_alone(guard))?;
    }
    let passed = all_at_once(first, &[]);
    tally.claim(passed == Ok(BURST), || {
        format!("without the store {passed:?} calls passed, not {BURST}")
    });
    let ready = page(first, "/readyz");
    tally.claim(ready.is_some(), || {
        "a guard without its store is not ready".to_owned()
    });
    scene.store.again()?;
    for guard in &guards {
        until("the guard finds the store again", || !is_alone(guard))?;
    }
    let key = key_of(scene, 0, first)?;
    until(
        "the store does not know what was let through without it",
        || is_full(scene, &key),
    )?;
    let before = metric(second, &updates_metric("rate"));
    let one = passes(second, &[]);
    exchanged(second, "rate", before)?;
    let more = passes(second, &[]);
    tally.claim(one == Ok(true) && more == Ok(false), || {
        format!("what was let through without the store did not count: {one:?} {more:?}")
    });
    scene.store.ask(&["DEL", &key])?;
    Ok(())
}

/// Clients call all the time while the store is killed and comes back. Each call gets its answer.
pub(super) fn under_load(scene: &mut Scene, calls: u64, tally: &mut Tally) -> Result<(), String> {
    let fast = ["rate.calls=1000000", "rate.per=1s", "rate.burst=1000000"];
    let guards = three(scene, &fast)?;
    let loads = guards.each_ref().map(|guard| Load::new(guard.address, 4));
    let loads: Vec<Load> = loads.into_iter().collect::<Result<_, _>>()?;
    let store = &mut scene.store;
    let done = std::thread::scope(|scope| {
        let others: Vec<_> = loads
            .iter()
            .skip(1)
            .map(|load| {
                scope.spawn(|| {
                    let mut tally = Tally::default();
                    load.run(calls, CLIENTS, &mut tally, |_| ());
                    tally
                })
            })
            .collect();
        let done = match loads.first() {
            Some(load) => load.run(calls, CLIENTS, tally, |load| {
                let begun = || load.begun();
                until("a third of the calls", || begun() >= calls / 3)?;
                store.kill();
                for guard in &guards {
                    until("the guard says that the store is gone", || is_alone(guard))?;
                }
                store.again()
            }),
            None => Ok(()),
        };
        for other in others {
            match other.join() {
                Ok(own) => tally.add(own),
                Err(_) => tally.fail("a client panicked".to_owned()),
            }
        }
        done
    });
    done?;
    for (guard, load) in guards.iter().zip(&loads) {
        until("the guard finds the store again", || !is_alone(guard))?;
        let before = metric(guard, &updates_metric("rate"));
        load.run(8, 1, tally, |_| ());
        exchanged(guard, "rate", before)?;
        let lost = metric(guard, "toolsure_guard_store_losses_total");
        tally.claim(lost == 1, || {
            format!("the store was lost {lost} times, not once")
        });
        let repeated = load.repeated.lock().map_err(|e| e.to_string())?;
        tally.claim(repeated.is_empty(), || {
            format!("calls were repeated: {repeated:?}")
        });
    }
    println!("{} calls, the store killed and back", 3 * calls);
    Ok(())
}

fn three(scene: &Scene, settings: &[&str]) -> Result<[Replica; 3], String> {
    let guards = [
        scene.guard(settings)?,
        scene.guard(settings)?,
        scene.guard(settings)?,
    ];
    for guard in &guards {
        until("the guard finds the store", || !is_alone(guard))?;
    }
    Ok(guards)
}

/// Whether a guard reports that it has no store.
fn is_alone(guard: &Replica) -> bool {
    !page(guard, "/healthz").is_some_and(|health| health.contains("store: ready"))
}

/// Makes twice as many calls as the burst, and returns how many pass.
fn all_at_once(guard: &Replica, headers: &[(&str, &str)]) -> Result<usize, String> {
    let mut passed = 0;
    for _ in 0..2 * BURST {
        passed += usize::from(passes(guard, headers)?);
    }
    Ok(passed)
}

/// Whether a call passes; false if the rate limit refuses it.
fn passes(guard: &Replica, headers: &[(&str, &str)]) -> Result<bool, String> {
    let reply = load::weather_as(guard.address, headers)?;
    let message = reply.message();
    let text = message
        .pointer("/result/content/0/text")
        .and_then(Value::as_str);
    match text {
        Some(text) if text.contains("it may be called") => Ok(false),
        Some(_) if message.pointer("/result/structuredContent").is_some() => Ok(true),
        _ => Err(format!("{} {}", reply.status, reply.body)),
    }
}

/// The key of the only bucket in the store, once the guard has written it.
fn key_of(scene: &Scene, before: u64, guard: &Replica) -> Result<String, String> {
    exchanged(guard, "rate", before)?;
    let keys = scene.store.ask(&["KEYS", "toolsure:1:rate:*"])?;
    match keys.as_slice() {
        [key] if key.ends_with(":get-weather") => Ok(key.clone()),
        other => Err(format!("not one bucket is in the store: {other:?}")),
    }
}

/// Whether the bucket contains all calls of the burst: it then expires as many hours later.
fn is_full(scene: &Scene, key: &str) -> bool {
    let left = scene.store.ask(&["PTTL", key]).unwrap_or_default();
    let left = left.first().and_then(|left| left.parse::<usize>().ok());
    left.is_some_and(|left| left > (BURST - 1) * 3_600_000)
}

pub(super) const TOKEN: &str = "a-token-of-one-caller";
const TOKEN_HEADER: &str = "Bearer a-token-of-one-caller";
const CLIENTS: usize = 4;
