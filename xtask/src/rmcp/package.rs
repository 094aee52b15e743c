//! Packages that are written to a folder and built there.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs cargo in a folder, with one build directory for all folders. Returns whether it succeeded.
pub(super) fn cargo<S: AsRef<OsStr>>(
    folder: &Path,
    scratch: &Path,
    arguments: impl IntoIterator<Item = S>,
) -> Result<bool, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .args(arguments)
        .arg("--manifest-path")
        .arg(folder.join("Cargo.toml"))
        .env("CARGO_TARGET_DIR", scratch.join("build"))
        .status();
    status
        .map(|status| status.success())
        .map_err(|e| format!("cargo: {e}"))
}

/// Writes a file, and its folder if there is none.
pub(super) fn write(path: &Path, text: &str) -> Result<(), String> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
