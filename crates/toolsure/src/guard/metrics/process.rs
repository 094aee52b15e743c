//! Metrics of the process, named as by Prometheus's client libraries; from `/proc`, on Linux only.

use std::fmt::Write as _;
use std::fs;

/// Writes what can be read; on systems without `/proc`, nothing.
pub(super) fn write(text: &mut String) {
    let mut gauge = |name: &str, help: &str, value: Option<u64>| {
        if let Some(value) = value {
            let _infallible = writeln!(
                text,
                "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}"
            );
        }
    };
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = |name: &str| {
        status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
    };
    let kilobytes = |name: &str| {
        let number = line(name)?
            .trim()
            .strip_suffix(" kB")?
            .parse::<u64>()
            .ok()?;
        number.checked_mul(1024)
    };
    gauge(
        "process_resident_memory_bytes",
        "Resident memory, in bytes.",
        kilobytes("VmRSS"),
    );
    gauge(
        "process_virtual_memory_bytes",
        "Virtual memory, in bytes.",
        kilobytes("VmSize"),
    );
    let threads = line("Threads").and_then(|number| number.trim().parse().ok());
    gauge("process_threads", "Number of threads.", threads);
    let files = fs::read_dir("/proc/self/fd").ok();
    let files = files.and_then(|files| u64::try_from(files.count()).ok());
    gauge(
        "process_open_fds",
        "Number of open file descriptors.",
        files,
    );
}
