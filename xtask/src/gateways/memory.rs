//! What a gateway's processes hold in memory.

use std::collections::HashMap;
use std::process::Child;

/// MiB of a process and of those it started, without the server behind it: the memory of their own, and
/// their share of what they have in common.
pub(super) fn of(child: &Child) -> f64 {
    let kib: f64 = family(child.id()).into_iter().filter_map(share).sum();
    kib / 1024.0
}

/// A process, and behind it all that it started and that these started.
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

/// KiB of a process that are in memory; none if it has ended.
pub(crate) fn resident(process: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    field(&text, "VmRSS:")?.parse().ok()
}

/// The parent of each process there is.
fn parents() -> HashMap<u32, u32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let parent = |process: u32| {
        let text = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
        Some((process, field(&text, "PPid:")?.parse().ok()?))
    };
    processes.filter_map(parent).collect()
}

/// KiB of one process; none of the server, or of one that has ended.
fn share(process: u32) -> Option<f64> {
    let command = std::fs::read_to_string(format!("/proc/{process}/cmdline")).ok()?;
    // The server's own program, but not a gateway or shell that has its name as an argument.
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
