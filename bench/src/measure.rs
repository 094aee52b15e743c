//! Takes every figure of a set: all tasks in turn, pass after pass.

use std::time::{Duration, Instant};

use crate::sets::Set;
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
    /// Per task, what one schema or instance takes; absent where the task cannot run.
    pub(crate) figures: Vec<(Task, Option<Figure>)>,
    /// `ajv` through Node, where it was asked for.
    pub(crate) ajv: Option<Ajv>,
}

/// Nanoseconds for one schema or instance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figure {
    /// The least over the passes.
    pub(crate) minimum: f64,
    /// The middle one.
    pub(crate) median: f64,
}

/// What `ajv` takes, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ajv {
    /// One schema.
    pub(crate) compile: f64,
    /// `JSON.parse` and the verdict, one instance.
    pub(crate) bytes: f64,
    /// The verdict alone, one instance.
    pub(crate) value: f64,
}

impl Row {
    /// The least time of a task.
    pub(crate) fn minimum(&self, task: Task) -> Option<f64> {
        self.figures
            .iter()
            .find(|(other, _)| *other == task)
            .and_then(|(_, figure)| figure.map(|figure| figure.minimum))
    }
}

/// Measures every task on a set.
///
/// Each pass runs every task for at least a few milliseconds before the next
/// pass begins, so that what disturbs the machine for a while disturbs them all.
///
/// # Errors
///
/// One line if the set cannot be prepared.
pub(crate) fn measure(set: &Set, passes: usize) -> Result<Row, String> {
    let mut prepared = Prepared::new(set)?;
    let mut samples: Vec<(Task, Vec<f64>)> = Task::ALL.map(|task| (task, Vec::new())).into();
    for _ in 0..passes {
        for (task, taken) in &mut samples {
            if let Some(nanos) = sample(&mut prepared, *task) {
                taken.push(nanos);
            }
        }
    }
    Ok(Row {
        name: set.name.clone(),
        origin: set.origin,
        instances: set.instances(),
        figures: samples
            .into_iter()
            .map(|(task, taken)| (task, figure(taken)))
            .collect(),
        ajv: None,
    })
}

/// Nanoseconds per unit of one task, over at least [`LEAST`].
fn sample(prepared: &mut Prepared<'_>, task: Task) -> Option<f64> {
    let units = u32::try_from(prepared.units(task))
        .ok()
        .filter(|units| *units > 0)?;
    let mut runs = 0_u32;
    let started = Instant::now();
    loop {
        prepared.run(task);
        runs += 1;
        let elapsed = started.elapsed();
        if elapsed >= LEAST {
            return Some(elapsed.as_secs_f64() * 1e9 / f64::from(units) / f64::from(runs));
        }
    }
}

fn figure(mut taken: Vec<f64>) -> Option<Figure> {
    taken.sort_by(f64::total_cmp);
    Some(Figure {
        minimum: *taken.first()?,
        median: *taken.get(taken.len() / 2)?,
    })
}

/// Long enough that the clock's own cost is nothing.
const LEAST: Duration = Duration::from_millis(4);
