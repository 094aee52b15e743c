//! Builds what the runners need.

use std::path::PathBuf;
use std::process::Command;

/// The directory of this build: `target/debug`, `target/release` or the like.
///
/// # Errors
///
/// One line if this program does not know its own path.
pub(crate) fn profile_directory() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|e| format!("this program's path: {e}"))?;
    own.parent()
        .map(PathBuf::from)
        .ok_or_else(|| "this program has no directory".to_owned())
}

/// The target directory of this build.
///
/// # Errors
///
/// As [`profile_directory`].
pub(crate) fn target() -> Result<PathBuf, String> {
    let profile = profile_directory()?;
    Ok(profile.parent().map(PathBuf::from).unwrap_or(profile))
}

/// Builds the command line in this program's profile (test or release), and returns its path.
///
/// # Errors
///
/// One line if it cannot be built.
pub(crate) fn toolsure() -> Result<PathBuf, String> {
    binary("toolsure")
}

/// Builds one binary of the workspace that is only for tests, like [`toolsure`].
///
/// # Errors
///
/// One line if it cannot be built.
pub(crate) fn binary(name: &str) -> Result<PathBuf, String> {
    // why: a single package, or only binaries, would select other features of their dependencies
    // than the tests do, and half of the tree would be built a second time.
    built(name, &["--workspace", "--bin", name, "--example", LOAD])
}

/// Builds the example with a fast server for measurements, and returns its path.
///
/// # Errors
///
/// One line if it cannot be built.
pub(crate) fn quick_server() -> Result<PathBuf, String> {
    built(
        &format!("examples/{LOAD}"),
        &["--workspace", "--example", LOAD],
    )
}

const LOAD: &str = "guard_load";

/// Runs `cargo build` and returns the path of the result.
fn built(path: &str, what: &[&str]) -> Result<PathBuf, String> {
    let profile = profile_directory()?;
    let mut cargo = cargo();
    cargo.args(["build", "--quiet"]).args(what);
    cargo.arg("--target-dir").arg(target()?);
    // why: `cargo test` builds into `target/debug`, and the runners measure and test that build.
    let release = profile.ends_with("release");
    cargo.args(["--profile", if release { "release" } else { "test" }]);
    let status = cargo.status().map_err(|e| format!("cargo build: {e}"))?;
    if status.success() {
        Ok(profile.join(path))
    } else {
        Err(format!("cargo build {}: {status}", what.join(" ")))
    }
}

/// Builds a package with one binary of the same name, always optimised, and returns its path.
///
/// # Errors
///
/// One line if it cannot be built.
pub(crate) fn release(package: &str) -> Result<PathBuf, String> {
    let target = target()?;
    let status = cargo()
        .args(["build", "--quiet", "--release", "--package", package])
        .arg("--target-dir")
        .arg(&target)
        .status()
        .map_err(|e| format!("cargo build: {e}"))?;
    if status.success() {
        Ok(target.join("release").join(package))
    } else {
        Err(format!("cargo build --package {package}: {status}"))
    }
}

/// The `cargo` that runs this program, in the workspace's root.
pub(crate) fn cargo() -> Command {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(toolsure_testkit::place::workspace());
    // why: some build scripts run again when these change (ring's does). Everything that depends on
    // them would be rebuilt here, and again in the next build without xtask.
    for (name, _) in std::env::vars_os() {
        let is_of_a_package = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if is_of_a_package {
            command.env_remove(name);
        }
    }
    command
}
