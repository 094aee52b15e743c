//! The memory use of a gateway's processes.

use std::collections::HashMap;
use std::process::Child;

/// MiB of a process and its descendants, without the server: their own memory, and their share of
/// shared memory.
pub(super) fn of(child: &Child) -> f64 {
    let kib: f64 = family(child.id()).into_iter().filter_map(share).sum();
    kib / 1024.0
}

/// A process, followed by all its descendants.
pub(crate) fn family(process: u32) -> Vec<u32> {
    let parents = parents();
    let mut family = vec![process];
    let mut at = 0;
    while let Some(&parent) = family.get(at) {
        let of_parent = parents.iter().filter(|(_, of)| **of == parent);
        family.extend(of_parent.map(|(process, _)| *process));
        at += 1;
    }
    family
}

/// The resident memory of a process in KiB; `None` if it has ended.
pub(crate) fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    field(&text, "VmRSS:")?.parse().ok()
}

/// The parent of each running process.
fn parents() -> HashMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parent = |process: u32| {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        Some((process, field(&text, "PPid:")?.parse().ok()?))
    };
    processes.filter_map(parent).collect()
}

/// The memory of one process in KiB; `None` for the server, or if it has ended.
fn share(process: u32) -> Option<f64> {
    let command = std::fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
    // The server itself, not a gateway or shell that has the server's name as an argument.
    let program = command.split('\0').next()?;
    if program.ends_with("guard_load") {
        return None;
    }
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    field(&text, "Pss:")?.parse().ok()
}

fn field<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()
}
