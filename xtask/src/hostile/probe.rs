//! Runs in a fresh process: one pair, one way, and one line of JSON as the report.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use toolsure_schema::settings;
use toolsure_testkit::Dialect;
use toolsure_testkit::engine::{Answer, Setup};
use toolsure_testkit::ours;

use super::Way;

/// Runs the pair given on the command line and prints the report.
///
/// # Errors
///
/// One line if the command line does not come from the runner, or a file cannot be read.
pub(crate) fn run(words: &[String]) -> Result<u64, String> {
    let [way, schema, instance, formats, toolsure] = words else {
        return Err("this command is for the hostile runner".to_owned());
    };
    let way = Way::from_name(way).ok_or("no such way")?;
    let formats = formats == "formats";
    let (schema, instance) = (PathBuf::from(schema), PathBuf::from(instance));
    let said = match way {
        Way::Bytes | Way::Value => {
            let read = |path: &Path| std::fs::read(path).map_err(|e| e.to_string());
            let (schema, instance) = (read(&schema)?, read(&instance)?);
            thread::Builder::new()
                .stack_size(STACK)
                .spawn(move || library(way, &schema, &instance, formats))
                .map_err(|e| e.to_string())?
                .join()
                .map_err(|_| "the library panicked")??
        }
        Way::CommandCompile => command(Path::new(toolsure), &schema, None, formats)?,
        Way::CommandCheck => command(Path::new(toolsure), &schema, Some(&instance), formats)?,
    };
    println!("{said}");
    Ok(0)
}

/// Compiles and validates inside this process, and measures each separately.
fn library(way: Way, schema: &[u8], instance: &[u8], formats: bool) -> Result<Value, String> {
    let schema = std::str::from_utf8(schema).map_err(|e| e.to_string())?;
    let setup = Setup {
        formats,
        ..Setup::new(schema, Dialect::Draft202012)
    };
    let meter = Meter::start()?;
    let compiled = ours::compile(&setup);
    let (compile_micros, compile_kib) = meter.stop()?;
    let mut compiled = match compiled {
        Ok(compiled) => compiled,
        Err(refusal) => {
            return Ok(json!({
                "end": "refused", "reason": refusal.to_string(),
                "compile_micros": compile_micros, "compile_kib": compile_kib,
            }));
        }
    };
    let (answer, check_micros, check_kib) = if way == Way::Bytes {
        let meter = Meter::start()?;
        let answer = compiled.check_bytes(instance);
        let (micros, kib) = meter.stop()?;
        (answer, micros, kib)
    } else {
        match ours::parse_any_depth(instance) {
            Err(reason) => (Answer::Unreadable(reason), 0, 0),
            Ok(value) => {
                let meter = Meter::start()?;
                let answer = compiled.check_value(&value);
                let (micros, kib) = meter.stop()?;
                // why: `serde_json` recurses when it drops a value of untrusted depth.
                std::mem::forget(value);
                (answer, micros, kib)
            }
        }
    };
    let (end, reason) = match answer {
        Answer::Valid => ("valid", String::new()),
        Answer::Invalid => ("invalid", String::new()),
        Answer::Undecided => ("undecided", String::new()),
        Answer::Unreadable(reason) => ("refused", reason),
    };
    Ok(json!({
        "end": end, "reason": reason,
        "compile_micros": compile_micros, "compile_kib": compile_kib,
        "check_micros": check_micros, "check_kib": check_kib,
    }))
}

/// Runs `toolsure validate` with a small stack, measured from outside. Its limits are those of the
/// library: by default the command reads files of up to 1 GiB, because they are the operator's own.
fn command(
    toolsure: &Path,
    schema: &Path,
    instance: Option<&Path>,
    formats: bool,
) -> Result<Value, String> {
    let mut shell = Command::new("sh");
    shell
        .arg("-c")
        .arg(format!("ulimit -s {} && exec \"$@\"", COMMAND_STACK / 1024))
        .arg("sh")
        .arg(toolsure)
        .arg("validate")
        .arg("--quiet");
    if formats {
        shell.arg("--assert-formats");
    }
    for setting in settings::ALL {
        if let Some(name) = setting.name().strip_prefix("limits.") {
            shell.arg(format!("--limit={name}={}", setting.default()));
        }
    }
    shell.arg(schema).args(instance);
    let status = shell
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .map_err(|e| format!("`sh`: {e}"))?;
    let (end, reason) = match status.code() {
        Some(0) => ("valid", String::new()),
        Some(1) => ("invalid", String::new()),
        Some(2) => ("refused", "exit 2: unreadable input".to_owned()),
        Some(6) => ("refused", "exit 6: schema refused".to_owned()),
        Some(7) => ("undecided", String::new()),
        _ => ("broken", format!("the command died ({status})")),
    };
    // why: this process had only one child, so the usage of its children is that of the child.
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).map_err(|e| e.to_string())?;
    let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    let kib = usage.max_rss();
    Ok(match instance {
        None => json!({"end": end, "reason": reason, "compile_micros": micros, "compile_kib": kib}),
        Some(_) => json!({"end": end, "reason": reason, "check_micros": micros, "check_kib": kib}),
    })
}

/// CPU time of this thread and peak memory of this process since the start.
struct Meter {
    nanos: i64,
    resident_kib: u64,
}

impl Meter {
    fn start() -> Result<Self, String> {
        // why: 5 resets the peak (proc(5), clear_refs).
        std::fs::write("/proc/self/clear_refs", "5").map_err(|e| format!("clear_refs: {e}"))?;
        Ok(Self {
            resident_kib: status("VmRSS:")?,
            nanos: thread_nanos()?,
        })
    }

    /// CPU time in microseconds, and growth in KiB, since the start.
    fn stop(self) -> Result<(u64, u64), String> {
        let nanos = thread_nanos()? - self.nanos;
        let peak = status("VmHWM:")?;
        let micros = u64::try_from(nanos / 1000).unwrap_or_default();
        Ok((micros, peak.saturating_sub(self.resident_kib)))
    }
}

fn thread_nanos() -> Result<i64, String> {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)
        .map(|time| time.num_nanoseconds())
        .map_err(|e| format!("the thread's clock: {e}"))
}

fn status(field: &str) -> Result<u64, String> {
    let text = std::fs::read_to_string("/proc/self/status").map_err(|e| e.to_string())?;
    text.lines()
        .find_map(|line| line.strip_prefix(field))
        .and_then(|rest| rest.split_whitespace().next())
        .and_then(|number| number.parse().ok())
        .ok_or_else(|| format!("/proc/self/status has no {field}"))
}

/// The stack size that must be enough for the library.
const STACK: usize = 256 * 1024;
/// The same for the command, which tests build unoptimised: its start alone needs up to 384 KiB.
const COMMAND_STACK: usize = 512 * 1024;
