//! `cargo xtask soak`: the guard under mixed traffic for a given time: what it loses and keeps.
//!
//! Four guards, each in its own process: over HTTP in front of three servers (two URLs and a
//! program) and of one, and on stdio in front of the three, for a client of each era. Ten of 16
//! calls are valid; the others violate the schema, are harmful or are not calls. Meanwhile settings
//! are reloaded, servers and the store are killed and restarted, and clients come and go.
//!
//! `--minutes N` (10) or `--seconds N` sets the time under load, after an uncounted warm-up. Then a
//! fifth guard has clients that vanish, do not read or open too much, and servers that die, for a
//! tenth of the time and at least two rounds (`--only network` for this alone). `--defaults` only
//! measures how long a guard with the default times takes to notice such clients and servers.

pub(crate) mod calls;
mod clients;
mod latency;
mod lines;
mod network;
mod scene;

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use toolsure_testkit::tally::Tally;

use crate::arguments::Arguments;
use clients::{Counts, Disturbances, Load, MIXED};
use scene::{Held, Scene, held};

/// For each phase, the number of HTTP clients, and of concurrent calls on each stdio guard.
const PHASES: [(usize, usize); 4] = [(1, 1), (16, 8), (64, 32), (256, 64)];

/// Runs the soak test and returns how many of its claims failed.
///
/// # Errors
///
/// One line if something cannot be built or started.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    if arguments.option("defaults").is_some() {
        return network::defaults();
    }
    let minutes = arguments.number("minutes")?.map(|minutes| minutes * 60);
    let seconds = arguments.number("seconds")?.or(minutes).unwrap_or(600);
    let half = Duration::from_secs(seconds.max(8)) / 2;
    let tally = match arguments.option("only") {
        Some("network") => network::run(half / 5)?,
        Some(other) => return Err(format!("--only takes `network`, not `{other}`")),
        None => {
            let mut tally = load(half)?;
            tally.add(network::run(half / 5)?);
            tally
        }
    };
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// Runs the load: an uncounted warm-up, and twice this time.
fn load(half: Duration) -> Result<Tally, String> {
    let mut scene = Scene::start()?;
    if let Err(why) = &scene.store {
        println!("without a store: {why}");
    }
    let guards = scene.guards();
    let mut soak = Soak::default();
    // Allocates now what is allocated once, such as pools and buffers for the maximum number of
    // clients. The calls count, but their times do not.
    soak.load(&mut scene, (half / 4).max(START), &PHASES)?;
    soak.times.clear();
    let mut looks = vec![held(&guards, REST)];
    for _ in 0..2 {
        soak.load(&mut scene, half, &PHASES)?;
        looks.push(held(&guards, REST));
    }
    soak.print(&guards, &looks);
    let mut tally = soak.judge(&guards, &looks, half);
    for lines in std::mem::take(&mut scene.lines) {
        tally.record(lines.end());
    }
    for guard in [&mut scene.aggregate, &mut scene.direct] {
        guard.terminate()?;
        let well = guard.ended_well()?;
        tally.record(
            well.then_some(())
                .ok_or_else(|| "a guard did not end in good order".to_owned()),
        );
    }
    Ok(tally)
}

#[derive(Default)]
struct Soak {
    all: Counts,
    /// Times by number of clients, and whether over HTTP or stdio.
    times: BTreeMap<(usize, bool), latency::Latency>,
    disturbed: BTreeMap<&'static str, u64>,
    turn: usize,
    disturbances: Disturbances,
    ids: AtomicU64,
}

impl Soak {
    /// Runs all phases, one after the other, within this time.
    fn load(
        &mut self,
        scene: &mut Scene,
        time: Duration,
        phases: &[(usize, usize)],
    ) -> Result<(), String> {
        let share = time / u32::try_from(phases.len()).unwrap_or(1).max(1);
        for (clients, at_once) in phases {
            self.phase(scene, share, *clients, *at_once)?;
        }
        Ok(())
    }

    fn phase(
        &mut self,
        scene: &mut Scene,
        time: Duration,
        clients: usize,
        at_once: usize,
    ) -> Result<(), String> {
        let (aggregate, direct) = (scene.aggregate.address, scene.direct.address);
        let until = Instant::now() + time;
        let (lines, mut controls) = scene.split();
        let Self {
            disturbances, ids, ..
        } = self;
        let (disturbances, ids) = (&*disturbances, &*ids);
        let load = Load {
            aggregate,
            direct,
            goes_on: &|| Instant::now() < until,
            kinds: &MIXED,
            repeats: false,
            disturbances,
            ids,
        };
        let mut turn = self.turn;
        let mut done = Vec::new();
        let (http, stdio, controlled) = std::thread::scope(|scope| {
            let http = scope.spawn(|| load.run(clients));
            let stdio: Vec<_> = lines
                .iter_mut()
                .map(|lines| scope.spawn(|| lines.run(until, at_once, disturbances, ids)))
                .collect();
            // With a gap at the end: a late disturbance would extend into the next phase.
            let gap = (time / 6).min(MOST_GAP);
            let controlled = loop {
                if Instant::now() + gap + gap > until {
                    break Ok(());
                }
                std::thread::sleep(gap);
                match controls.disturb(turn, disturbances) {
                    Ok(name) => done.push(name),
                    Err(error) => break Err(error),
                }
                turn += 1;
            };
            let stdio: Vec<_> = stdio.into_iter().map(|one| one.join()).collect();
            (http.join(), stdio, controlled)
        });
        self.turn = turn;
        for name in done {
            *self.disturbed.entry(name).or_default() += 1;
        }
        controlled?;
        let panicked = |_| "a client panicked".to_owned();
        self.count(http.map_err(panicked)?, (clients, true));
        for one in stdio {
            self.count(one.map_err(panicked)?, (at_once, false));
        }
        Ok(())
    }

    fn count(&mut self, counts: Counts, kind: (usize, bool)) {
        self.times.entry(kind).or_default().add(&counts.latency);
        self.all.add(counts);
    }

    fn print(&self, guards: &[(&'static str, u32)], looks: &[Vec<Held>]) {
        let all = &self.all;
        println!(
            "{} calls, {} sessions opened; {} answers lost, {} given twice, {} not right; {} errors while a server was away",
            all.calls, all.sessions, all.lost, all.twice, all.wrong, all.excused
        );
        for (what, count) in &self.disturbed {
            println!("{count} times: {what}");
        }
        println!("\n| guard | | begin | middle | end |\n|---|---|---|---|---|");
        for (index, (name, _)) in guards.iter().enumerate() {
            let row = |what: &str, of: fn(&Held) -> u64| {
                let cells = looks.iter().filter_map(|look| look.get(index));
                let cells: Vec<String> = cells.map(|held| of(held).to_string()).collect();
                println!("| {name} | {what} | {} |", cells.join(" | "));
            };
            row("resident KiB", |held| held.kib);
            row("descriptors", |held| held.descriptors);
            row("child processes", |held| held.children);
        }
        println!("\n| at once | over | p50 | p99 | p99.9 | slowest |\n|---|---|---|---|---|---|");
        for ((clients, http), times) in &self.times {
            let over = if *http { "HTTP" } else { "stdio" };
            let [half, most, all, slowest] = [500, 990, 999, 1000]
                .map(|share| format!("{:.1} ms", times.within(share).as_secs_f64() * 1e3));
            println!("| {clients} | {over} | {half} | {most} | {all} | {slowest} |");
        }
        println!();
    }

    fn judge(&self, guards: &[(&'static str, u32)], looks: &[Vec<Held>], half: Duration) -> Tally {
        let mut tally = Tally::default();
        let all = &self.all;
        for (what, count) in [
            ("answers lost", all.lost),
            ("answers given twice", all.twice),
            ("answers not right", all.wrong),
        ] {
            tally.record(match count {
                0 => Ok(()),
                count => Err(format!("{count} {what}: {}", all.words.join("; "))),
            });
        }
        for (index, (name, _)) in guards.iter().enumerate() {
            let look = |nth: usize| looks.get(nth).and_then(|look| look.get(index)).copied();
            let [begin, middle, end] = [0, 1, 2].map(|nth| look(nth).unwrap_or_default());
            tally.record(match grows(begin.kib, middle.kib, end.kib, half) {
                false => Ok(()),
                true => Err(format!("{name}: memory grows")),
            });
            let most = begin.descriptors + BY_CHANCE;
            tally.record((end.descriptors <= most).then_some(()).ok_or_else(|| {
                format!(
                    "{name}: {} descriptors, {} at the start",
                    end.descriptors, begin.descriptors
                )
            }));
            tally.record(
                (end.children <= begin.children)
                    .then_some(())
                    .ok_or_else(|| {
                        format!(
                            "{name}: {} child processes, {} at the start",
                            end.children, begin.children
                        )
                    }),
            );
        }
        tally
    }
}

/// Whether memory grew a lot, or in both halves of a long run. In a short run the second means
/// nothing, because the allocator still takes some memory for itself.
fn grows(begin: u64, middle: u64, end: u64, half: Duration) -> bool {
    let beyond = |before: u64, after: u64, percent: u64, kib: u64| {
        after > before + before * percent / 100 + kib
    };
    beyond(begin, end, 20, 8 << 10)
        || (half >= LONG && beyond(begin, middle, 4, 2 << 10) && beyond(middle, end, 4, 2 << 10))
}

/// Descriptors that may be added: guards keep connections for the next calls, in varying number.
const BY_CHANCE: u64 = 128;
/// The shortest half of a run that shows a slow growth of memory.
const LONG: Duration = Duration::from_secs(120);
/// The shortest warm-up after which memory no longer grows.
const START: Duration = Duration::from_secs(24);
/// The time for guards to end what clients left open.
const REST: Duration = Duration::from_secs(3);
/// The maximum time between two disturbances.
const MOST_GAP: Duration = Duration::from_secs(4);

#[cfg(test)]
mod tests {
    use super::{LONG, grows};

    #[test]
    fn memory_that_goes_up_in_both_halves_grows() {
        let mib = |count: u64| count << 10;
        for half in [LONG, LONG / 8] {
            assert!(!grows(mib(60), mib(66), mib(66), half));
            assert!(!grows(mib(60), mib(58), mib(62), half));
            assert!(grows(mib(60), mib(60), mib(81), half));
            assert_eq!(grows(mib(60), mib(65), mib(70), half), half == LONG);
        }
    }
}
