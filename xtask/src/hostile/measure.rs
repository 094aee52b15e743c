//! Runs one pair in one way in a fresh process of this program, with a limit on the elapsed time.

use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;
use toolsure_testkit::hostile::{End, Pair};

/// A way into the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The library over bytes.
    Bytes,
    /// The library over a parsed `serde_json::Value`.
    Value,
    /// The command line with the schema alone.
    CommandCompile,
    /// The command line with schema and instance.
    CommandCheck,
}

impl Way {
    /// All ways; the command's compile comes before its check.
    pub(crate) const ALL: [Self; 4] = [
        Self::Bytes,
        Self::Value,
        Self::CommandCompile,
        Self::CommandCheck,
    ];

    /// The name in tables and on the probe's command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Value => "value",
            Self::CommandCompile => "command-compile",
            Self::CommandCheck => "command-check",
        }
    }

    /// The way with this name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|way| way.name() == name)
    }
}

/// The cost of a run. Parts that a way does not have are 0.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// CPU time of compiling the schema, in microseconds.
    pub(crate) compile_micros: u64,
    /// CPU time of the validation, in microseconds.
    pub(crate) check_micros: u64,
    /// Peak memory of compiling the schema, in KiB.
    pub(crate) compile_kib: u64,
    /// Peak memory of the validation, in KiB.
    pub(crate) check_kib: u64,
}

impl Cost {
    /// The smaller value of each part of two runs.
    pub(crate) fn min(self, other: Self) -> Self {
        Self {
            compile_micros: self.compile_micros.min(other.compile_micros),
            check_micros: self.check_micros.min(other.check_micros),
            compile_kib: self.compile_kib.min(other.compile_kib),
            check_kib: self.check_kib.min(other.check_kib),
        }
    }

    /// The larger of the two times.
    pub(crate) fn micros(&self) -> u64 {
        self.compile_micros.max(self.check_micros)
    }

    /// The larger of the two peaks.
    pub(crate) fn kib(&self) -> u64 {
        self.compile_kib.max(self.check_kib)
    }
}

/// Runs the probe on one pair and reads its report.
///
/// # Errors
///
/// One line if the probe cannot be started.
pub(crate) fn measure(pair: &Pair, way: Way, toolsure: &Path) -> Result<(End, Cost), String> {
    let own = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    let child = Command::new(&own)
        .arg("hostile-probe")
        .arg(way.name())
        .arg(&pair.schema)
        .arg(&pair.instance)
        .arg(if pair.formats {
            "formats"
        } else {
            "annotations"
        })
        .arg(toolsure)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| format!("`{}`: {e}", own.display()))?;
    Ok(match finish(child) {
        Ok(report) => parse_report(&report),
        Err(reason) => (End::Broken(reason), Cost::default()),
    })
}

/// Waits for the probe within the time limit, and returns its output.
fn finish(mut child: Child) -> Result<String, String> {
    let (mut output, mut errors) = (child.stdout.take(), child.stderr.take());
    // why: the child would block on a full pipe.
    let reader = thread::spawn(move || read(output.as_mut()));
    let error_reader = thread::spawn(move || read(errors.as_mut()));
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if started.elapsed() < WALL => thread::sleep(POLL),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("still running after {} s", WALL.as_secs()));
            }
            Err(error) => return Err(format!("cannot wait for the probe: {error}")),
        }
    };
    let report = reader.join().unwrap_or_default();
    let errors = error_reader.join().unwrap_or_default();
    if status.success() {
        Ok(report)
    } else {
        let shown: String = errors.chars().take(200).collect();
        Err(format!("the process died ({status}): {}", shown.trim()))
    }
}

fn read(source: Option<&mut impl Read>) -> String {
    let mut text = String::new();
    if let Some(source) = source {
        let _ = source.take(SAID).read_to_string(&mut text);
    }
    text
}

/// Parses the line that the probe printed.
fn parse_report(report: &str) -> (End, Cost) {
    let Ok(report) = serde_json::from_str::<Value>(report) else {
        return (
            End::Broken(format!("the probe report `{report}`")),
            Cost::default(),
        );
    };
    let number = |key: &str| report.get(key).and_then(Value::as_u64).unwrap_or_default();
    let reason = report
        .get("reason")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let end = match report.get("end").and_then(Value::as_str) {
        Some("valid") => End::Verdict(true),
        Some("invalid") => End::Verdict(false),
        Some("undecided") => End::Undecided,
        Some("refused") => End::Refused(reason.to_owned()),
        _ => End::Broken(reason.to_owned()),
    };
    let cost = Cost {
        compile_micros: number("compile_micros"),
        check_micros: number("check_micros"),
        compile_kib: number("compile_kib"),
        check_kib: number("check_kib"),
    };
    (end, cost)
}

/// Longer than any allowed run takes on a busy machine.
const WALL: Duration = Duration::from_secs(10);
/// The interval for checking a running probe.
const POLL: Duration = Duration::from_millis(2);
/// The maximum number of bytes of a probe's output that are read.
const SAID: u64 = 64 * 1024;
