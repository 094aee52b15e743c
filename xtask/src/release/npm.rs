//! The npm packages: the command, and the validator as WebAssembly.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::artefact::Artefact;
use super::program::{DEMO, Outcome, expect_exit, run_to_end};
use super::release_build::ReleaseBuild;
use super::wheels;

/// The command: the launcher, the package for this platform, and a package with both.
pub(super) const COMMAND: Artefact = Artefact {
    name: "npm-command",
    absent: |_| None,
    build: command,
    smoke: try_command,
    most: 20_000_000,
};

/// The validator.
pub(super) const VALIDATOR: Artefact = Artefact {
    name: "npm-validator",
    absent: |release| run_to_end(build_script(release).arg("--check-tools")).err(),
    build: validator,
    smoke: try_validator,
    most: 1_500_000,
};

/// Node's name for this platform.
fn platform() -> Outcome<String> {
    let system = match std::env::consts::OS {
        "linux" => "linux",
        "macos" => "darwin",
        "windows" => "win32",
        other => return Err(format!("there is no package for {other}")),
    };
    let processor = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("there is no package for {other}")),
    };
    Ok(format!("{system}-{processor}"))
}

fn command(release: &ReleaseBuild, out: &Path) -> Outcome<Vec<PathBuf>> {
    // The program from the wheel, which requires only an old glibc.
    let built = release.shared().join(wheels::COMMAND.name).join("out");
    let mut wheels = files(&built, ".whl").unwrap_or_default();
    if wheels.is_empty() {
        let folder = release.fresh(&format!("{}/out", wheels::COMMAND.name))?;
        wheels = (wheels::COMMAND.build)(release, &folder)?;
    }
    let unpacked = release.fresh("npm-command/wheel")?;
    let mut unzip = Command::new("python3");
    unzip.args(["-m", "zipfile", "--extract"]).args(&wheels);
    run_to_end(unzip.arg(&unpacked))?;
    let mut found = Command::new("find");
    found
        .arg(&unpacked)
        .args(["-path", "*.data/scripts/toolsure*"]);
    let found = run_to_end(&mut found)?;
    let program = String::from_utf8_lossy(&found.stdout).trim().to_owned();
    let mut build = Command::new("node");
    build.arg(release.root().join("bindings/npm/build.mjs"));
    build.args(["--binary", &program, "--target", &platform()?]);
    run_to_end(build.arg("--out").arg(out))?;
    files(out, ".tgz")
}

fn try_command(_: &ReleaseBuild, packages: &[PathBuf], folder: &Path) -> Outcome<()> {
    let platform = platform()?;
    let (code, text) = DEMO;
    let npm = |program: &str| {
        let mut command = Command::new(program);
        command.current_dir(folder);
        command.env("npm_config_cache", folder.join("cache"));
        command.env_remove("TOOLSURE_BINARY");
        command
    };
    let bundled = |path: &&PathBuf| {
        path.to_string_lossy()
            .ends_with(&format!("-{platform}.tgz"))
    };
    let whole = packages.iter().find(bundled).ok_or("no bundled package")?;
    let mut npx = npm("npx");
    npx.arg("--yes").arg(format!("file:{}", whole.display()));
    expect_exit(npx.args(["check", "--demo"]), code, text)?;
    let mut install = npm("npm");
    install.args([
        "install",
        "--silent",
        "--offline",
        "--no-audit",
        "--no-fund",
        "--prefix",
    ]);
    install.arg(folder.join("apart"));
    run_to_end(install.args(packages.iter().filter(|path| !bundled(path))))?;
    let program = folder.join("apart/node_modules/.bin/toolsure");
    expect_exit(
        npm(&program.to_string_lossy()).args(["check", "--demo"]),
        code,
        text,
    )
}

fn build_script(release: &ReleaseBuild) -> Command {
    let mut script = release.builder(release.root().join("bindings/js/build.sh"), "bindings/js");
    script.env_remove("CARGO_ENCODED_RUSTFLAGS");
    script.env("TOOLSURE_WASM_TARGET", release.shared().join("target/wasm"));
    script
}

fn validator(release: &ReleaseBuild, out: &Path) -> Outcome<Vec<PathBuf>> {
    run_to_end(&mut build_script(release))?;
    let dist = release.root().join("bindings/js/dist");
    for built in files(&dist, ".tgz")? {
        let name = built.file_name().unwrap_or_default();
        let copied = std::fs::copy(&built, out.join(name));
        copied.map_err(|e| format!("{}: {e}", built.display()))?;
    }
    files(out, ".tgz")
}

fn try_validator(_: &ReleaseBuild, packages: &[PathBuf], folder: &Path) -> Outcome<()> {
    let mut install = Command::new("npm");
    install.args([
        "install",
        "--silent",
        "--offline",
        "--no-audit",
        "--no-fund",
        "--prefix",
    ]);
    install.env("npm_config_cache", folder.join("cache"));
    run_to_end(install.arg(folder).args(packages))?;
    for program in [SMOKE_MODULE, SMOKE_COMMON] {
        let kind = if program == SMOKE_MODULE {
            "module"
        } else {
            "commonjs"
        };
        let mut node = Command::new("node");
        node.current_dir(folder).arg(format!("--input-type={kind}"));
        expect_exit(node.args(["--eval", program]), 0, "valid invalid")?;
    }
    Ok(())
}

/// The files in a folder whose names end with `end`, sorted.
fn files(folder: &Path, end: &str) -> Outcome<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect();
    found.sort();
    Ok(found)
}

const SMOKE_MODULE: &str = "import { Validator, lint } from '@toolsure/validator'; import * as lean from '@toolsure/validator/lean'; \
    lint([]); console.log(new Validator({ type: 'string' }).validate('x').verdict, \
    new lean.Validator({ type: 'string' }).validateText('5').verdict);";
const SMOKE_COMMON: &str = "const { Validator } = require('@toolsure/validator'); const v = new Validator({ type: 'string' }); \
    console.log(v.validate('x').verdict, v.validateText('5').verdict);";
