//! A fixed amount of work for an instruction counter: no clock, no calibration.

use crate::arguments::Arguments;
use crate::sets;
use crate::work::{Prepared, Task};

/// Runs one phase of one set a fixed number of times; `idle` prepares and does nothing.
///
/// # Errors
///
/// One line if there is no such set or phase.
pub(crate) fn run(set: &str, phase: &str) -> Result<(), String> {
    let arguments = Arguments {
        sets: vec![set.to_owned()],
        ..Arguments::default()
    };
    let chosen = sets::chosen(&arguments)?;
    let set = chosen
        .iter()
        .find(|other| other.name == set)
        .or(chosen.first())
        .ok_or("no set has that name")?;
    let task = match phase {
        "compile" => Task::CompileOurs,
        "bytes" => Task::BytesOurs,
        "value" => Task::ValueOurs,
        "tape" => Task::TapeOurs,
        "idle" => return Prepared::new(set).map(|_| ()),
        other => return Err(format!("there is no phase `{other}`")),
    };
    let mut prepared = Prepared::new(set)?;
    for _ in 0..RUNS {
        prepared.run(task);
    }
    Ok(())
}

/// How often the set is run.
const RUNS: usize = 3;
