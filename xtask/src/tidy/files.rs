//! Checks every Rust file: its first line, its size, and leftovers.

use std::path::{Path, PathBuf};

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use super::source;

/// Checks every Rust file of the workspace.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    for path in sources(workspace)? {
        let text = place::text(&path)?;
        let shown = path.strip_prefix(workspace).unwrap_or(&path).display();
        let test = path
            .components()
            .any(|part| part.as_os_str() == "tests" || part.as_os_str() == "tests.rs");
        for fault in faults(&text, test) {
            tally.fail(format!("{shown}: {fault}"));
        }
        tally.record(Ok(()));
    }
    Ok(())
}

/// Every Rust file of the project's own crates.
fn sources(workspace: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    for folder in ["crates", "bindings", "testkit", "xtask", "bench", "fuzz"] {
        let folder = workspace.join(folder);
        if folder.is_dir() {
            found.extend(place::files(&folder, "rs")?);
        }
    }
    found.retain(|path| !path.components().any(|part| part.as_os_str() == "target"));
    Ok(found)
}

fn faults(text: &str, test: bool) -> Vec<String> {
    let mut found = Vec::new();
    let first = text.lines().find(|line| !line.starts_with("#!["));
    if !first.is_some_and(|line| line.starts_with("//! ")) {
        found.push("does not open with `//!`".to_owned());
    }
    let code = source::code_part(text);
    let lines = code.lines().count();
    if !test && lines > LINES {
        found.push(format!("has {lines} lines of code, allowed are {LINES}"));
    }
    for (number, line) in text.lines().enumerate() {
        for left in LEFTOVERS {
            if line.contains(left) {
                found.push(format!("line {} has `{left}`", number + 1));
            }
        }
    }
    let glob = |line: &&str| {
        let line = line.trim();
        line.starts_with("use ") && line.ends_with("::*;") && !line.contains("prelude::")
    };
    if let Some(line) = code.lines().find(glob).filter(|_| !test) {
        found.push(format!("imports everything: `{}`", line.trim()));
    }
    found
}

/// The maximum number of lines of code in one file, without tests.
const LINES: usize = 500;

/// Texts that no file may contain. They are split so that this file does not contain them.
const LEFTOVERS: [&str; 6] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("dbg", "!("),
    concat!("#[al", "low("),
    concat!("#![al", "low("),
    concat!("unimple", "mented!("),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_found() {
        assert!(faults("//! What it is for.\nuse std::fmt;\n", false).is_empty());
        assert_eq!(faults("use std::fmt;\n", false).len(), 1);
        assert_eq!(
            faults(&format!("//! A.\n{}", "\n".repeat(LINES)), false).len(),
            1
        );
        assert_eq!(faults("//! A.\nuse crate::x::*;\n", false).len(), 1);
        assert!(
            faults(
                "//! A.\n#[cfg(test)]\nmod tests {\n    use super::*;\n}\n",
                false
            )
            .is_empty()
        );
        let left = format!("//! A.\n// {} later\n", LEFTOVERS[0]);
        assert_eq!(faults(&left, true).len(), 1);
    }
}
