//! The two wheels: the command, and the Python API.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::artefact::Artefact;
use super::program::{DEMO, Outcome, expect_exit, run_to_end};
use super::release_build::ReleaseBuild;

/// The command.
pub(super) const COMMAND: Artefact = Artefact {
    name: "command",
    absent: |_| None,
    build: |release, out| wheel(release, ".", out),
    smoke: try_command,
    most: 6_000_000,
};

/// The Python API.
pub(super) const VALIDATOR: Artefact = Artefact {
    name: "validator",
    absent: |_| None,
    build: |release, out| wheel(release, "bindings/python", out),
    smoke: try_validator,
    most: 2_000_000,
};

/// Tools that build and install wheels: maturin, a C compiler that links an old glibc, uv.
const TOOLS: [&str; 3] = ["maturin==1.16.0", "ziglang==0.17.1", "uv==0.13.9"];

/// Installs [`TOOLS`] and returns the folder of their programs.
fn tools(release: &ReleaseBuild) -> Outcome<PathBuf> {
    let bin = release.shared().join("tools").join("bin");
    if !bin.join("maturin").exists() || !bin.join("uv").exists() {
        let folder = release.fresh("tools")?;
        run_to_end(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
        run_to_end(pip(&folder).args(TOOLS))?;
    }
    Ok(bin)
}

fn pip(environment: &Path) -> Command {
    let mut pip = Command::new(environment.join("bin").join("pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check"]);
    pip
}

fn wheel(release: &ReleaseBuild, folder: &str, out: &Path) -> Outcome<Vec<PathBuf>> {
    let bin = tools(release)?;
    let mut maturin = release.builder(bin.join("maturin"), folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(bin).chain(std::env::split_paths(&path));
    let paths = std::env::join_paths(paths).map_err(|e| format!("PATH: {e}"))?;
    maturin
        .env("PATH", paths)
        .args(["build", "--quiet", "--locked"]);
    maturin.args(["--profile", release.profile(), "--compression-level", "9"]);
    if cfg!(target_os = "linux") {
        maturin.args(["--zig", "--compatibility", "manylinux_2_28"]);
    }
    run_to_end(maturin.arg("--out").arg(out))?;
    let entries = std::fs::read_dir(out).map_err(|e| format!("{}: {e}", out.display()))?;
    Ok(entries.flatten().map(|entry| entry.path()).collect())
}

/// Creates a new environment with only this wheel in it.
fn installed(files: &[PathBuf], folder: &Path) -> Outcome<PathBuf> {
    run_to_end(Command::new("python3").args(["-m", "venv"]).arg(folder))?;
    run_to_end(pip(folder).args(["--no-index", "--no-deps"]).args(files))?;
    Ok(folder.join("bin"))
}

fn try_command(release: &ReleaseBuild, files: &[PathBuf], folder: &Path) -> Outcome<()> {
    let bin = installed(files, &folder.join("venv"))?;
    let (code, text) = DEMO;
    expect_exit(
        Command::new(bin.join("toolsure")).args(["check", "--demo"]),
        code,
        text,
    )?;
    let Some(wheel) = files.first() else {
        return Err("no wheel".to_owned());
    };
    let mut uvx = Command::new(tools(release)?.join("uv"));
    uvx.args(["tool", "run", "--offline", "--no-index", "--from"])
        .arg(wheel);
    uvx.env("UV_CACHE_DIR", folder.join("uv"));
    expect_exit(uvx.args(["toolsure", "check", "--demo"]), code, text)?;
    let sbom = run_to_end(
        Command::new("python3")
            .args(["-m", "zipfile", "--list"])
            .arg(wheel),
    )?;
    if !String::from_utf8_lossy(&sbom.stdout).contains(".cyclonedx.json") {
        return Err("the wheel has no bill of materials".to_owned());
    }
    Ok(())
}

fn try_validator(release: &ReleaseBuild, files: &[PathBuf], folder: &Path) -> Outcome<()> {
    let bin = installed(files, &folder.join("venv"))?;
    let program = release.root().join("bindings/python/tests/smoke.py");
    expect_exit(Command::new(bin.join("python")).arg(program), 0, "all good")
}
