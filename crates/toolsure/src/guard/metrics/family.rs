//! One metric with its labels, and its form in Prometheus's text format.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A metric: for each combination of label values, a number or a distribution.
///
/// At most [`SERIES`] combinations have a series of their own. All others are counted together
/// under `otel_metric_overflow="true"`, so that names chosen by others cannot fill the memory.
pub(super) struct Family {
    name: &'static str,
    help: &'static str,
    kind: Kind,
    labels: &'static [&'static str],
    all: Mutex<All>,
}

struct All {
    /// By the values of the labels, one after the other.
    series: BTreeMap<String, Series>,
    /// The combinations that have no series of their own.
    others: Option<Series>,
    /// Memory for the key that is looked up.
    key: String,
}

/// The type of a metric.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
    Seconds,
}

enum Series {
    Number(i64),
    Seconds {
        /// The number of times in each of [`BOUNDS`], and of longer ones.
        counts: [u64; BOUNDS.len() + 1],
        sum: Duration,
    },
}

impl Family {
    /// A number that only grows.
    pub(super) const fn counter(
        name: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self::new(name, Kind::Counter, labels, help)
    }

    /// A number that grows and shrinks.
    pub(super) const fn gauge(
        name: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self::new(name, Kind::Gauge, labels, help)
    }

    /// A distribution of times.
    pub(super) const fn seconds(
        name: &'static str,
        labels: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self::new(name, Kind::Seconds, labels, help)
    }

    const fn new(
        name: &'static str,
        kind: Kind,
        labels: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self {
            name,
            help,
            kind,
            labels,
            all: Mutex::new(All {
                series: BTreeMap::new(),
                others: None,
                key: String::new(),
            }),
        }
    }

    /// Adds to a counter or a gauge.
    pub(super) fn add(&self, values: &[&str], more: i64) {
        self.with(values, |series| {
            if let Series::Number(number) = series {
                *number = number.saturating_add(more);
            }
        });
    }

    /// Sets a gauge, or a counter that is counted elsewhere.
    pub(super) fn set(&self, values: &[&str], to: i64) {
        self.with(values, |series| {
            if let Series::Number(number) = series {
                *number = to;
            }
        });
    }

    /// Records a time.
    pub(super) fn observe(&self, values: &[&str], time: Duration) {
        self.with(values, |series| {
            if let Series::Seconds { counts, sum } = series {
                let bucket = BOUNDS
                    .iter()
                    .position(|(ms, _)| time <= Duration::from_millis(*ms));
                if let Some(count) = counts.get_mut(bucket.unwrap_or(BOUNDS.len())) {
                    *count = count.saturating_add(1);
                }
                *sum = sum.saturating_add(time);
            }
        });
    }

    fn with(&self, values: &[&str], change: impl FnOnce(&mut Series)) {
        let mut all = self.all();
        let All {
            series,
            others,
            key,
        } = &mut *all;
        write_key(key, values);
        if let Some(known) = series.get_mut(key.as_str()) {
            return change(known);
        }
        let none = match self.kind {
            Kind::Counter | Kind::Gauge => Series::Number(0),
            Kind::Seconds => Series::Seconds {
                counts: [0; BOUNDS.len() + 1],
                sum: Duration::ZERO,
            },
        };
        change(match series.len() < SERIES {
            true => series.entry(key.clone()).or_insert(none),
            false => others.get_or_insert(none),
        });
    }

    /// The labels in text format: `a="x",b="y"`.
    fn shown(&self, key: &str) -> String {
        let mut text = String::new();
        for (label, value) in self.labels.iter().zip(key.split(SEPARATOR)) {
            if !text.is_empty() {
                text.push(',');
            }
            text.push_str(label);
            text.push_str("=\"");
            push_escaped(&mut text, value);
            text.push('"');
        }
        text
    }

    fn all(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the metric; nothing if it has no value yet.
    pub(super) fn write(&self, text: &mut String) {
        let all = self.all();
        if all.series.is_empty() {
            return;
        }
        let (name, help) = (self.name, self.help);
        let kind = match self.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Seconds => "histogram",
        };
        let _infallible = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        let series = all.series.iter();
        let series = series.map(|(key, series)| (self.shown(key), series));
        let others = all
            .others
            .iter()
            .map(|others| (OVERFLOW.to_owned(), others));
        for (labels, series) in series.chain(others) {
            let labels = &labels;
            match series {
                Series::Number(number) => line(text, name, "", labels, "", &number.to_string()),
                Series::Seconds { counts, sum } => {
                    let mut so_far: u64 = 0;
                    let bounds = BOUNDS.iter().map(|(_, shown)| *shown).chain(["+Inf"]);
                    for (count, bound) in counts.iter().zip(bounds) {
                        so_far = so_far.saturating_add(*count);
                        line(text, name, "_bucket", labels, bound, &so_far.to_string());
                    }
                    let seconds = format!("{}.{:09}", sum.as_secs(), sum.subsec_nanos());
                    line(text, name, "_sum", labels, "", &seconds);
                    line(text, name, "_count", labels, "", &so_far.to_string());
                }
            }
        }
    }
}

fn line(text: &mut String, name: &str, ending: &str, labels: &str, bound: &str, value: &str) {
    let bound = match bound {
        "" => String::new(),
        bound => format!("le=\"{bound}\""),
    };
    let comma = if labels.is_empty() || bound.is_empty() {
        ""
    } else {
        ","
    };
    let all = format!("{labels}{comma}{bound}");
    let _infallible = match all.is_empty() {
        true => writeln!(text, "{name}{ending} {value}"),
        false => writeln!(text, "{name}{ending}{{{all}}} {value}"),
    };
}

/// Upper bounds of the buckets, in milliseconds and as text in seconds: those of the OpenTelemetry
/// conventions for MCP, and finer ones below, because the guard itself is fast.
const BOUNDS: [(u64, &str); 17] = [
    (1, "0.001"),
    (2, "0.002"),
    (5, "0.005"),
    (10, "0.01"),
    (20, "0.02"),
    (50, "0.05"),
    (100, "0.1"),
    (200, "0.2"),
    (500, "0.5"),
    (1_000, "1"),
    (2_000, "2"),
    (5_000, "5"),
    (10_000, "10"),
    (30_000, "30"),
    (60_000, "60"),
    (120_000, "120"),
    (300_000, "300"),
];
/// Maximum combinations of label values of one metric.
const SERIES: usize = 2_000;
/// Maximum characters of a label's value; the longest tool name in the protocol has 128.
const VALUE_CHARS: usize = 128;
const OVERFLOW: &str = "otel_metric_overflow=\"true\"";

/// Between the values of a key. In a value it is replaced.
const SEPARATOR: char = '\u{1f}';

fn write_key(key: &mut String, values: &[&str]) {
    key.clear();
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            key.push(SEPARATOR);
        }
        if value.len() <= VALUE_CHARS && !value.contains(SEPARATOR) {
            key.push_str(value);
            continue;
        }
        for c in value.chars().take(VALUE_CHARS) {
            key.push(if c == SEPARATOR {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            });
        }
    }
}

fn push_escaped(key: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            '\\' => key.push_str("\\\\"),
            '"' => key.push_str("\\\""),
            '\n' => key.push_str("\\n"),
            _ => key.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(family: &Family) -> String {
        let mut text = String::new();
        family.write(&mut text);
        text
    }

    #[test]
    fn numbers_and_times_are_written_as_prometheus_reads_them() {
        let family = Family::counter("c_total", &["a", "b"], "counts");
        assert_eq!(text(&family), "");
        family.add(&["x", "y\"\\\n"], 2);
        family.add(&["x", "y\"\\\n"], 3);
        assert_eq!(
            text(&family),
            "# HELP c_total counts\n# TYPE c_total counter\nc_total{a=\"x\",b=\"y\\\"\\\\\\n\"} 5\n"
        );
        let family = Family::gauge("g", &[], "comes and goes");
        family.set(&[], 7);
        family.add(&[], -9);
        assert_eq!(
            text(&family),
            "# HELP g comes and goes\n# TYPE g gauge\ng -2\n"
        );
        let family = Family::seconds("s_seconds", &["a"], "times");
        family.observe(&["x"], Duration::from_millis(1));
        family.observe(&["x"], Duration::from_micros(1_001));
        family.observe(&["x"], Duration::from_secs(1_000));
        let text = text(&family);
        for line in [
            "s_seconds_bucket{a=\"x\",le=\"0.001\"} 1",
            "s_seconds_bucket{a=\"x\",le=\"0.002\"} 2",
            "s_seconds_bucket{a=\"x\",le=\"300\"} 2",
            "s_seconds_bucket{a=\"x\",le=\"+Inf\"} 3",
            "s_seconds_sum{a=\"x\"} 1000.002001000",
            "s_seconds_count{a=\"x\"} 3",
        ] {
            assert!(text.lines().any(|there| there == line), "{line} in\n{text}");
        }
    }

    #[test]
    fn strangers_names_are_bounded_in_number_and_length() {
        let family = Family::counter("c_total", &["tool"], "counts");
        for number in 0..SERIES + 5 {
            family.add(&[&number.to_string()], 1);
        }
        let text = text(&family);
        assert_eq!(text.lines().count(), SERIES + 3);
        assert!(text.contains("c_total{otel_metric_overflow=\"true\"} 5\n"));
        let long = "x".repeat(1_000);
        let mut key = String::new();
        write_key(&mut key, &[&long]);
        assert_eq!(key.len(), VALUE_CHARS);
        write_key(&mut key, &["a\u{1f}b", "c"]);
        assert_eq!(key.split(SEPARATOR).count(), 2);
    }
}
