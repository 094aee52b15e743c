//! Draws the charts in `docs/` from the benchmark's results.

use serde_json::Value;

use super::chart::{Anchor, Axis, Chart};

/// The time of each set relative to `jsonschema`: bytes to verdict, parsed value, compile.
pub(super) fn sets(report: &Value) -> String {
    let rows = list(report, "sets");
    let height = TOP + ROW * count(rows.len()) + 70.0;
    let mut chart = Chart::new(820.0, height);
    let ratio = |row: &Value, (_, ours, theirs, _): (&str, &str, &str, &str)| {
        Some(minimum(row, ours)? / minimum(row, theirs)?)
    };
    let all: Vec<f64> = rows
        .iter()
        .flat_map(|row| RATIOS.map(|kind| ratio(row, kind)))
        .flatten()
        .collect();
    let axis = Axis::over(all.into_iter(), 210.0, 790.0);
    let bottom = height - 50.0;
    chart.word(
        (20.0, 24.0),
        Anchor::Start,
        "Time as a part of jsonschema's; left of 1 is faster",
    );
    for (at, (name, _, _, color)) in RATIOS.into_iter().enumerate() {
        let x = 210.0 + 190.0 * count(at);
        chart.dot((x, 44.0), color);
        chart.word((x + 10.0, 48.0), Anchor::Start, name);
    }
    for ten in axis.tens() {
        let x = axis.place(ten);
        let style = if (ten - 1.0).abs() < 1e-9 { BAR } else { GRID };
        chart.line((x, TOP - 10.0), (x, bottom), style);
        chart.word((x, bottom + 18.0), Anchor::Middle, &number(ten));
    }
    for (at, row) in rows.iter().enumerate() {
        let y = TOP + ROW * count(at) + ROW / 2.0;
        let name = row.get("set").and_then(Value::as_str).unwrap_or_default();
        chart.word((200.0, y + 4.0), Anchor::End, name);
        for kind in RATIOS {
            if let Some(ratio) = ratio(row, kind) {
                chart.dot((axis.place(ratio), y), kind.3);
            }
        }
    }
    chart.finish("Time of Toolsure as a part of jsonschema's, for each benchmark set")
}

/// Time by size, both on logarithmic axes.
pub(super) fn growth(report: &Value, what: &str) -> String {
    let points = list(report, what);
    let mut chart = Chart::new(820.0, 420.0);
    let size = |point: &Value| point.get("size").and_then(Value::as_f64);
    let x = Axis::over(points.iter().filter_map(size), 70.0, 560.0);
    let mut names: Vec<&String> = Vec::new();
    for point in points {
        let nanos = point.get("nanoseconds").and_then(Value::as_object);
        for name in nanos.into_iter().flat_map(|nanos| nanos.keys()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    let taken = |point: &Value, name: &str| {
        let nanos = point.get("nanoseconds")?.get(name)?.as_f64()?;
        Some(nanos / 1e3)
    };
    let all: Vec<f64> = points
        .iter()
        .flat_map(|point| names.iter().filter_map(|name| taken(point, name)))
        .collect();
    let y = Axis::over(all.into_iter(), 360.0, 50.0);
    for ten in x.tens() {
        chart.line((x.place(ten), 50.0), (x.place(ten), 360.0), GRID);
        chart.word((x.place(ten), 378.0), Anchor::Middle, &number(ten));
    }
    for ten in y.tens() {
        chart.line((70.0, y.place(ten)), (560.0, y.place(ten)), GRID);
        chart.word((62.0, y.place(ten) + 4.0), Anchor::End, &number(ten));
    }
    let unit = if what == "instance" {
        "bytes of the instance"
    } else {
        "subschemas"
    };
    chart.word((315.0, 404.0), Anchor::Middle, unit);
    chart.word((20.0, 28.0), Anchor::Start, "microseconds of CPU");
    for (at, name) in names.iter().enumerate() {
        let color = COLORS.get(at % COLORS.len()).copied().unwrap_or("#000000");
        let line: Vec<(f64, f64)> = points
            .iter()
            .filter_map(|point| Some((x.place(size(point)?), y.place(taken(point, name)?))))
            .collect();
        chart.path(&line, color);
        for place in &line {
            chart.dot(*place, color);
        }
        let beside = 70.0 + 22.0 * count(at);
        chart.dot((585.0, beside), color);
        chart.word((597.0, beside + 4.0), Anchor::Start, name);
    }
    chart.finish(&format!("Time against the number of {unit}"))
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value
        .get(name)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

fn minimum(row: &Value, name: &str) -> Option<f64> {
    row.get("nanoseconds")?.get(name)?.get("minimum")?.as_f64()
}

fn count(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

/// A power of ten, in a few characters.
fn number(ten: f64) -> String {
    if ten >= 1e6 {
        format!("{:.0} M", ten / 1e6)
    } else if ten >= 1e3 {
        format!("{:.0} k", ten / 1e3)
    } else {
        format!("{ten}")
    }
}

/// The ratios that are shown for each set: the name, our figure, the peer's figure, the color.
const RATIOS: [(&str, &str, &str, &str); 3] = [
    (
        "bytes to verdict",
        "bytes/ours",
        "bytes/jsonschema",
        "#0969da",
    ),
    (
        "verdict on a Value",
        "value/ours",
        "value/jsonschema",
        "#bf8700",
    ),
    ("compile", "compile/ours", "compile/jsonschema", "#1a7f37"),
];
const COLORS: [&str; 4] = ["#cf222e", "#0969da", "#1a7f37", "#bf8700"];
const TOP: f64 = 70.0;
const ROW: f64 = 20.0;
const GRID: &str = "stroke=\"#d0d7de\" stroke-width=\"1\"";
const BAR: &str = "stroke=\"#24292f\" stroke-width=\"1.5\"";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn charts_hold_what_was_measured() {
        let figure = |nanos: f64| serde_json::json!({"minimum": nanos, "median": nanos});
        let report = serde_json::json!({"sets": [{"set": "one<two", "nanoseconds": {
            "bytes/ours": figure(10.0), "bytes/jsonschema": figure(100.0)}}]});
        let drawn = sets(&report);
        assert!(
            drawn.contains("one&lt;two") && drawn.contains("#0969da"),
            "{drawn}"
        );
        let report = serde_json::json!({"instance": [
            {"size": 10, "nanoseconds": {"a": 1e3}}, {"size": 100, "nanoseconds": {"a": 1e4}}]});
        let drawn = growth(&report, "instance");
        assert!(
            drawn.contains("polyline points=\"70.0,360.0 560.0,50.0\""),
            "{drawn}"
        );
    }
}
