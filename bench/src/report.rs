//! The table of ratios, and the figures as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::measure::Row;
use crate::work::Task;

/// What is compared: (heading, ours, theirs). A ratio below 1 means that ours is faster.
const RATIOS: [(&str, Task, Task); 13] = [
    ("bytes/js", Task::BytesOurs, Task::BytesJsonschema),
    ("bytes/boon", Task::BytesOurs, Task::BytesBoon),
    ("value/js", Task::ValueOurs, Task::ValueJsonschema),
    ("value/boon", Task::ValueOurs, Task::ValueBoon),
    ("tape/js", Task::TapeOurs, Task::ValueJsonschema),
    (
        "bad.b/js",
        Task::InvalidBytesOurs,
        Task::InvalidBytesJsonschema,
    ),
    ("bad.v/js", Task::InvalidOurs, Task::InvalidJsonschema),
    ("errors/js", Task::ErrorsOurs, Task::ErrorsJsonschema),
    ("comp/js", Task::CompileOurs, Task::CompileJsonschema),
    ("comp/boon", Task::CompileOurs, Task::CompileBoon),
    ("bytes/walk", Task::BytesOurs, Task::Walk),
    ("tape/walk", Task::Tape, Task::Walk),
    ("js/walk", Task::BytesJsonschema, Task::Walk),
];

/// A line per set, then the geometric means.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = String::new();
    let _ = write!(
        text,
        "{:<28} {:>6} {:>9} {:>9} {:>9}",
        "set", "n", "bytes ns", "value ns", "comp µs"
    );
    for (heading, _, _) in RATIOS {
        let _ = write!(text, " {heading:>10}");
    }
    text.push('\n');
    for row in rows {
        let nanos = |task| {
            row.minimum(task)
                .map_or("-".to_owned(), |nanos| format!("{nanos:.0}"))
        };
        let compile = row
            .minimum(Task::CompileOurs)
            .map_or("-".to_owned(), |nanos| format!("{:.1}", nanos / 1000.0));
        let _ = write!(
            text,
            "{:<28} {:>6} {:>9} {:>9} {compile:>9}",
            row.name,
            row.instances,
            nanos(Task::BytesOurs),
            nanos(Task::ValueOurs)
        );
        for (_, ours, theirs) in RATIOS {
            let _ = write!(text, " {:>10}", shown(ratio(row, ours, theirs)));
        }
        text.push('\n');
    }
    for origin in ["synthetic", "bench", "corpus", ""] {
        let chosen: Vec<&Row> = rows
            .iter()
            .filter(|row| origin.is_empty() || row.origin == origin)
            .collect();
        if chosen.is_empty() {
            continue;
        }
        let name = if origin.is_empty() { "all" } else { origin };
        let _ = write!(
            text,
            "{:<28} {:>6} {:>9} {:>9} {:>9}",
            format!("geometric mean, {name}"),
            chosen.len(),
            "",
            "",
            ""
        );
        for (_, ours, theirs) in RATIOS {
            let ratios = chosen.iter().filter_map(|row| ratio(row, ours, theirs));
            let _ = write!(text, " {:>10}", shown(geometric_mean(ratios)));
        }
        text.push('\n');
    }
    text.push_str(&ajv_table(rows));
    text.push_str(LEGEND);
    text
}

/// Everything measured, in nanoseconds per schema or instance.
pub(crate) fn json(rows: &[Row]) -> String {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            let figures: serde_json::Map<String, Value> = row
                .figures
                .iter()
                .filter_map(|(task, figure)| {
                    let figure = (*figure)?;
                    let value = json!({"minimum": figure.minimum, "median": figure.median});
                    Some((task.name().to_owned(), value))
                })
                .collect();
            let ajv = row
                .ajv
                .map(|ajv| json!({"compile": ajv.compile, "bytes": ajv.bytes, "value": ajv.value}));
            json!({
                "set": row.name, "origin": row.origin, "instances": row.instances,
                "nanoseconds": figures, "ajv": ajv,
            })
        })
        .collect();
    let mut text = serde_json::to_string_pretty(&rows).unwrap_or_default();
    text.push('\n');
    text
}

fn ajv_table(rows: &[Row]) -> String {
    let mut text = String::new();
    let mut ratios: [Vec<f64>; 3] = Default::default();
    for row in rows {
        let Some(ajv) = row.ajv else { continue };
        let pairs = [
            (Task::CompileOurs, ajv.compile),
            (Task::BytesOurs, ajv.bytes),
            (Task::ValueOurs, ajv.value),
        ];
        for ((task, theirs), list) in pairs.into_iter().zip(&mut ratios) {
            list.extend(row.minimum(task).map(|ours| ours / theirs));
        }
    }
    let [compile, bytes, value] = ratios.map(|list| geometric_mean(list.into_iter()));
    if bytes.is_some() {
        let _ = writeln!(
            text,
            "ajv (Node): ours/ajv, geometric means: compile {}, bytes {}, value {}",
            shown(compile),
            shown(bytes),
            shown(value)
        );
    }
    text
}

fn ratio(row: &Row, ours: Task, theirs: Task) -> Option<f64> {
    Some(row.minimum(ours)? / row.minimum(theirs)?)
}

fn geometric_mean(ratios: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut count) = (0.0, 0_u32);
    for ratio in ratios {
        sum += ratio.ln();
        count += 1;
    }
    (count > 0).then(|| (sum / f64::from(count)).exp())
}

fn shown(ratio: Option<f64>) -> String {
    ratio.map_or("-".to_owned(), |ratio| format!("{ratio:.3}"))
}

const LEGEND: &str = "
ratios of minima, ours/theirs, below 1 = ours is faster. bytes: text to verdict (theirs with
serde_json::from_slice); value: verdict on a parsed Value; tape: ours on a tape it read before, theirs
on a Value; bad: invalid instances, b from bytes, v parsed; errors: parsed, all collected; comp: compile; walk: serde_json::IgnoredAny;
tape/walk: our reader alone; js/walk: jsonschema's bytes to verdict.
";
