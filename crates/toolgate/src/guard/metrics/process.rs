//! The process itself, as Prometheus's client libraries report it; from `/proc`, so on Linux only.

use std::fmt::Write as _;
use std::fs;

/// Writes what can be read; nothing elsewhere than on Linux.
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
        "Memory in use.",
        kilobytes("VmRSS"),
    );
    gauge(
        "process_virtual_memory_bytes",
        "Memory that is mapped.",
        kilobytes("VmSize"),
    );
    let threads = line("Threads").and_then(|number| number.trim().parse().ok());
    gauge("process_threads", "Threads.", threads);
    let files = fs::read_dir("/proc/self/fd").ok();
    let files = files.and_then(|files| u64::try_from(files.count()).ok());
    gauge("process_open_fds", "Open files and sockets.", files);
}
