//! The tables of ratios, and the figures as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::growth::{Grown, Point};
use crate::measure::Row;

/// A comparison and its goal.
struct Ratio {
    heading: &'static str,
    ours: &'static str,
    theirs: &'static str,
    /// The geometric mean that is asked for, at most.
    goal: Option<f64>,
}

const fn ratio(
    heading: &'static str,
    ours: &'static str,
    theirs: &'static str,
    goal: Option<f64>,
) -> Ratio {
    Ratio {
        heading,
        ours,
        theirs,
        goal,
    }
}

/// Every comparison; a ratio below 1 means that ours is faster.
const RATIOS: [Ratio; 24] = [
    ratio("bytes/js", "bytes/ours", "bytes/jsonschema", Some(0.25)),
    ratio("bytes/boon", "bytes/ours", "bytes/boon", None),
    ratio("bytes/ajv", "bytes/ours", "bytes/ajv", Some(0.2)),
    ratio("bytes/walk", "bytes/ours", "walk/serde_json", Some(1.8)),
    ratio("bytes/sonic", "bytes/ours", "walk/sonic-rs", None),
    ratio("bytes/simd", "bytes/ours", "parse/simd-json", None),
    ratio("value/js", "value/ours", "value/jsonschema", Some(0.5)),
    ratio("value/boon", "value/ours", "value/boon", Some(1.0)),
    ratio("value/ajv", "value/ours", "value/ajv", None),
    ratio("value/blaze", "value/ours", "value/blaze", Some(1.0)),
    ratio("tape/blaze", "tape/ours", "value/blaze", Some(1.0)),
    ratio(
        "bad.b/js",
        "invalid-bytes/ours",
        "invalid-bytes/jsonschema",
        None,
    ),
    ratio(
        "bad.v/js",
        "invalid-value/ours",
        "invalid-value/jsonschema",
        None,
    ),
    ratio("bad/good", "invalid-value/ours", "value/ours", Some(1.0)),
    ratio("first/bad", "first/ours", "invalid-value/ours", Some(3.0)),
    ratio("first/js", "first/ours", "first/jsonschema", None),
    ratio("all/js", "errors/ours", "errors/jsonschema", Some(1.0)),
    ratio("texts/js", "texts/ours", "texts/jsonschema", None),
    ratio("all/boon", "errors/ours", "errors/boon", None),
    ratio("comp/js", "compile/ours", "compile/jsonschema", Some(0.2)),
    ratio("comp/boon", "compile/ours", "compile/boon", None),
    ratio("comp/ajv", "compile/ours", "compile/ajv", None),
    ratio("read/walk", "parse/ours", "walk/serde_json", None),
    ratio("js/walk", "bytes/jsonschema", "walk/serde_json", None),
];

impl Ratio {
    /// The ratio of least times in one set.
    fn of(&self, row: &Row) -> Option<f64> {
        Some(row.minimum(self.ours)? / row.minimum(self.theirs)?)
    }

    fn of_medians(&self, row: &Row) -> Option<f64> {
        let median = |name| row.figures.get(name).map(|figure| figure.median);
        Some(median(self.ours)? / median(self.theirs)?)
    }

    /// The set in which ours does worst.
    fn worst<'r>(&self, rows: &[&'r Row]) -> Option<(f64, &'r str)> {
        rows.iter()
            .filter_map(|row| Some((self.of(row)?, row.name.as_str())))
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
    }
}

/// A line per set, then per comparison the means and the worst set.
pub(crate) fn table(rows: &[Row]) -> String {
    let mut text = format!(
        "{:<24} {:>6} {:>8} {:>8} {:>8}",
        "set", "n", "bytes ns", "value ns", "comp µs"
    );
    for ratio in &RATIOS {
        let _ = write!(text, " {:>11}", ratio.heading);
    }
    text.push('\n');
    for row in rows {
        let nanos = |name, by: f64| {
            let nanos = row.minimum(name);
            nanos.map_or("-".to_owned(), |nanos| format!("{:.1}", nanos / by))
        };
        let _ = write!(
            text,
            "{:<24} {:>6} {:>8} {:>8} {:>8}",
            row.name,
            row.instances,
            nanos("bytes/ours", 1.0),
            nanos("value/ours", 1.0),
            nanos("compile/ours", 1e3)
        );
        for ratio in &RATIOS {
            let _ = write!(text, " {:>11}", shown(ratio.of(row)));
        }
        text.push('\n');
    }
    let _ = writeln!(
        text,
        "\n{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}  worst set",
        "mean of", "synthetic", "bench", "corpus", "all", "medians", "goal"
    );
    for ratio in &RATIOS {
        let mean = |origin: &str| {
            let chosen = rows.iter().filter(|row| row.origin == origin);
            shown(geometric_mean(chosen.filter_map(|row| ratio.of(row))))
        };
        let all: Vec<&Row> = rows.iter().collect();
        let worst = ratio.worst(&all);
        let _ = writeln!(
            text,
            "{:<12} {:>9} {:>9} {:>9} {:>9} {:>9} {:>7}  {}",
            ratio.heading,
            mean("synthetic"),
            mean("bench"),
            mean("corpus"),
            shown(geometric_mean(rows.iter().filter_map(|row| ratio.of(row)))),
            shown(geometric_mean(
                rows.iter().filter_map(|row| ratio.of_medians(row))
            )),
            ratio.goal.map_or("-".to_owned(), |goal| format!("{goal}")),
            worst.map_or("-".to_owned(), |(most, set)| format!("{most:.3} {set}")),
        );
    }
    text.push_str(LEGEND);
    text
}

/// Everything measured, in nanoseconds per schema or instance, and the means.
pub(crate) fn json(rows: &[Row]) -> String {
    let sets: Vec<Value> = rows
        .iter()
        .map(|row| {
            let figures: BTreeMap<&str, Value> = row
                .figures
                .iter()
                .map(|(name, figure)| {
                    let value = json!({"minimum": figure.minimum, "median": figure.median});
                    (*name, value)
                })
                .collect();
            json!({
                "set": row.name, "origin": row.origin, "instances": row.instances,
                "nanoseconds": figures,
            })
        })
        .collect();
    let all: Vec<&Row> = rows.iter().collect();
    let ratios: BTreeMap<&str, Value> = RATIOS
        .iter()
        .filter_map(|ratio| {
            let mean = geometric_mean(rows.iter().filter_map(|row| ratio.of(row)))?;
            let medians = geometric_mean(rows.iter().filter_map(|row| ratio.of_medians(row)))?;
            let (most, worst) = ratio.worst(&all)?;
            let value = json!({
                "ours": ratio.ours, "theirs": ratio.theirs, "goal": ratio.goal,
                "mean": mean, "mean_of_medians": medians, "worst": most, "worst_set": worst,
            });
            Some((ratio.heading, value))
        })
        .collect();
    written(&json!({"sets": sets, "ratios": ratios}))
}

/// A line for each size.
pub(crate) fn growth_table(grown: &Grown) -> String {
    let mut text = String::new();
    for (what, unit, points) in [
        ("instance", "bytes", &grown.instances),
        ("schema", "subschemas", &grown.schemas),
    ] {
        let _ = writeln!(text, "{what}: µs at each size");
        for point in points {
            let _ = write!(text, "{:>10} {unit}", point.size);
            for (name, nanos) in &point.nanos {
                let _ = write!(text, "  {name} {:.2}", nanos / 1e3);
            }
            text.push('\n');
        }
    }
    text
}

/// The same as JSON, in nanoseconds.
pub(crate) fn growth_json(grown: &Grown) -> String {
    let points = |points: &[Point]| -> Vec<Value> {
        points
            .iter()
            .map(|point| {
                let nanos: BTreeMap<&str, f64> = point.nanos.iter().copied().collect();
                json!({"size": point.size, "nanoseconds": nanos})
            })
            .collect()
    };
    written(&json!({
        "instance": points(&grown.instances), "schema": points(&grown.schemas),
    }))
}

fn written(value: &Value) -> String {
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
    text
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
Ratios of least times (one column: of medians), ours/theirs; below 1 ours is faster. js: jsonschema.
bytes: text to verdict (Rust peers with serde_json::from_slice, ajv with JSON.parse); walk: the same text
through serde_json::from_slice::<IgnoredAny>; sonic: the same with sonic-rs; simd: simd-json to its tape;
value: the verdict on a parsed Value (ajv, blaze: their own); tape: ours on what it read before;
bad: invalid instances, b from bytes, v parsed; first: up to the first error; all: every error;
comp: compile. Blaze's package measures the verdict alone.
";
