//! Takes every figure of a set: all tasks in turn, pass after pass.

use std::collections::BTreeMap;
use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

use toolsure_bench::workload::Set;

use crate::work::{Prepared, Task};

/// The figures of one set.
#[derive(Debug)]
pub(crate) struct Row {
    /// The set's name.
    pub(crate) name: String,
    /// Where the set comes from.
    pub(crate) origin: &'static str,
    /// How many valid instances it has.
    pub(crate) instances: usize,
    /// What one schema or instance takes, by operation and engine (`bytes/ours`);
    /// absent where that cannot be done.
    pub(crate) figures: BTreeMap<&'static str, Figure>,
}

/// Nanoseconds for one schema or instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// The least over the passes.
    pub(crate) minimum: f64,
    /// The middle one.
    pub(crate) median: f64,
}

impl Row {
    /// The least time of a figure.
    pub(crate) fn minimum(&self, name: &str) -> Option<f64> {
        self.figures.get(name).map(|figure| figure.minimum)
    }

    /// Adds the figures of a peer, or says why there are none.
    pub(crate) fn add(&mut self, found: Result<Vec<(&'static str, Figure)>, String>) {
        match found {
            Ok(found) => self.figures.extend(found),
            Err(why) => eprintln!("  {why}"),
        }
    }
}

/// Measures every task on a set.
///
/// Each pass runs every task for at least a few milliseconds before the next
/// pass begins, so that what disturbs the machine for a while disturbs them all.
/// The clock is the thread's CPU time: waiting for a core costs nothing.
///
/// # Errors
///
/// One line if the set cannot be prepared or there is no such clock.
pub(crate) fn measure(set: &Set, passes: usize) -> Result<Row, String> {
    let mut prepared = Prepared::new(set)?;
    let mut samples = Vec::new();
    for task in Task::ALL {
        samples.push(Samples {
            runs: calibrated(&mut prepared, task)?,
            task,
            taken: Vec::new(),
        });
    }
    for _ in 0..passes {
        for Samples { task, runs, taken } in &mut samples {
            let units = f64::from(u32::try_from(prepared.units(*task)).unwrap_or(0));
            if units > 0.0 {
                let nanos = nanos_of(&mut prepared, *task, *runs)?;
                taken.push(nanos / units / f64::from(*runs));
            }
        }
    }
    Ok(Row {
        name: set.name.clone(),
        origin: set.origin,
        instances: set.instances(),
        figures: samples
            .into_iter()
            .filter_map(|samples| Some((samples.task.name(), figure(samples.taken)?)))
            .collect(),
    })
}

/// What has been taken of one task.
struct Samples {
    task: Task,
    runs: u32,
    taken: Vec<f64>,
}

/// How often a task must run to take at least [`LEAST`] nanoseconds.
fn calibrated(prepared: &mut Prepared<'_>, task: Task) -> Result<u32, String> {
    let mut runs = 1;
    while prepared.units(task) > 0 && nanos_of(prepared, task, runs)? < LEAST && runs < MOST {
        runs *= 2;
    }
    Ok(runs)
}

fn nanos_of(prepared: &mut Prepared<'_>, task: Task, runs: u32) -> Result<f64, String> {
    // Whoever comes first would fetch the instances into the caches for all others.
    prepared.run(task);
    let started = thread_time()?;
    for _ in 0..runs {
        prepared.run(task);
    }
    let taken = thread_time()?.saturating_sub(started);
    Ok(taken.as_secs_f64() * 1e9)
}

/// What this thread has used of a core.
///
/// # Errors
///
/// One line if there is no such clock.
pub(crate) fn thread_time() -> Result<Duration, String> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(Duration::from)
        .map_err(|e| format!("the thread's clock: {e}"))
}

/// Least and middle of what was taken; nothing of nothing.
pub(crate) fn figure(mut taken: Vec<f64>) -> Option<Figure> {
    taken.sort_by(f64::total_cmp);
    Some(Figure {
        minimum: *taken.first()?,
        median: *taken.get(taken.len() / 2)?,
    })
}

/// Nanoseconds; long enough that the clock's own cost is nothing.
const LEAST: f64 = 4e6;
/// The most runs of a task in one pass.
const MOST: u32 = 1 << 20;
