//! Peers that are not Rust crates: installed below the target directory, run as programs.

use std::path::PathBuf;
use std::process::Command;

/// A directory of ours for a peer, below the target directory.
///
/// # Errors
///
/// One line if it cannot be made.
pub(crate) fn home(name: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let target = own
        .parent()
        .and_then(|profile| profile.parent())
        .ok_or("this program has no target directory")?;
    let home = target.join(name);
    std::fs::create_dir_all(&home).map_err(|e| format!("`{}`: {e}", home.display()))?;
    Ok(home)
}

/// Runs a program and returns what it wrote to standard output.
///
/// # Errors
///
/// One line if it does not start or fails.
pub(crate) fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("`{name}`: {e}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        Err(format!(
            "`{name}`: {}",
            said.lines().next().unwrap_or("failed")
        ))
    }
}
