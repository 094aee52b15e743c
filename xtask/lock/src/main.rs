//! `cargo lock`: makes cargo's lock files from `dependencies.lock`, and the other way round.
//!
//! Cargo's own lock file repeats the registry's address in every entry, so it is not committed. The
//! committed file has one line for each package from the registry: name, version and checksum. From
//! it, this program writes a lock file without edges, lets cargo add them, and compares. Cargo
//! keeps every version that it finds in the file, and refuses a version with another checksum.
//!
//! ```text
//! cargo lock           make Cargo.lock for each workspace; an error if a package is missing, or is another one
//! cargo lock --write   write dependencies.lock from the Cargo.lock files as they are
//! ```

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The workspaces, as the folders of their manifests.
const WORKSPACES: [&str; 3] = [".", "bindings/python", "bindings/js"];
/// The committed file.
const COMMITTED: &str = "dependencies.lock";
/// Its first lines.
const HEAD: &str = "\
# Every package that the workspaces take from the registry: name, version, checksum (SHA-256).
# `cargo lock` makes Cargo.lock from it; `cargo lock --write` writes it from Cargo.lock.
";

/// A package from the registry.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    checksum: String,
}

type Outcome<T> = Result<T, String>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => make(),
        ["--write"] => write(),
        _ => Err("usage: cargo lock [--write]".to_owned()),
    };
    match done {
        Ok(report) => {
            println!("{report}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("error: {reason}");
            ExitCode::from(2)
        }
    }
}

fn make() -> Outcome<String> {
    let root = root()?;
    let locked = committed(&root)?;
    let source = source(&root)?;
    let mut report = Vec::new();
    for workspace in present(&root) {
        let path = workspace.join("Cargo.lock");
        store(&path, &edgeless(&locked, &source))?;
        // Adds the edges. It reads the index alone; `cargo metadata` would download every package.
        cargo(&workspace, &["update", "--workspace", "--quiet"])?;
        let made = packages(&read(&path)?).into_iter().collect::<BTreeSet<_>>();
        let strange: Vec<String> = made.difference(&locked).map(shown).collect();
        if !strange.is_empty() {
            return Err(format!(
                "{}: not in {COMMITTED}: {}; `cargo lock --write` adds what Cargo.lock has",
                path.display(),
                strange.join(", ")
            ));
        }
        report.push(format!(
            "{}: {} packages as locked",
            path.display(),
            made.len()
        ));
    }
    Ok(report.join("\n"))
}

fn write() -> Outcome<String> {
    let root = root()?;
    let mut all = BTreeSet::new();
    for workspace in present(&root) {
        let path = workspace.join("Cargo.lock");
        if !path.exists() {
            cargo(&workspace, &["generate-lockfile"])?;
        }
        all.extend(packages(&read(&path)?));
    }
    let mut text = HEAD.to_owned();
    for package in &all {
        text.push_str(&format!(
            "{} {} {}\n",
            package.name, package.version, package.checksum
        ));
    }
    store(&root.join(COMMITTED), &text)?;
    Ok(format!("{COMMITTED}: {} packages", all.len()))
}

/// The repository: the folder above this program's own.
fn root() -> Outcome<PathBuf> {
    // Not the folder at build time: the repository may have moved since.
    let own = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("run it as `cargo lock`")?;
    let root = Path::new(&own).parent().and_then(Path::parent);
    root.map(Path::to_path_buf)
        .ok_or_else(|| "the repository has no root".to_owned())
}

fn present(root: &Path) -> Vec<PathBuf> {
    let folders = WORKSPACES.iter().map(|folder| root.join(folder));
    folders
        .filter(|folder| folder.join("Cargo.toml").exists())
        .collect()
}

fn committed(root: &Path) -> Outcome<BTreeSet<Package>> {
    let text = read(&root.join(COMMITTED))?;
    let lines = text.lines().enumerate();
    let wanted = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    wanted
        .map(
            |(at, line)| match line.split(' ').collect::<Vec<_>>().as_slice() {
                [name, version, checksum] if checksum.len() == 64 => Ok(Package {
                    name: (*name).to_owned(),
                    version: (*version).to_owned(),
                    checksum: (*checksum).to_owned(),
                }),
                _ => Err(format!(
                    "{COMMITTED}:{}: expected a name, a version and a checksum",
                    at + 1
                )),
            },
        )
        .collect()
}

/// How cargo writes the registry: taken from its own lock file, so the repository has no address.
fn source(root: &Path) -> Outcome<String> {
    let path = root.join("Cargo.lock");
    let found = |text: &str| {
        let mut lines = text.lines();
        lines.find_map(|line| {
            line.strip_prefix("source = \"registry+")
                .map(|_| line.to_owned())
        })
    };
    if let Some(line) = read(&path).ok().and_then(|text| found(&text)) {
        return Ok(line);
    }
    cargo(root, &["generate-lockfile", "--quiet"])?;
    found(&read(&path)?).ok_or_else(|| format!("{}: no package of a registry", path.display()))
}

/// A lock file with versions and checksums, but without dependencies.
fn edgeless(packages: &BTreeSet<Package>, source: &str) -> String {
    let mut text = "version = 4\n".to_owned();
    for Package {
        name,
        version,
        checksum,
    } in packages
    {
        text.push_str(&format!(
            "\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}\nchecksum = \"{checksum}\"\n"
        ));
    }
    text
}

/// The packages of a lock file that have a checksum, which are those from the registry.
fn packages(lock: &str) -> Vec<Package> {
    let entries = lock.split("[[package]]");
    let value = |entry: &str, name: &str| {
        let mut lines = entry.lines();
        let found = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""))?;
        found.strip_suffix('"').map(str::to_owned)
    };
    let package = |entry: &str| {
        Some(Package {
            name: value(entry, "name")?,
            version: value(entry, "version")?,
            checksum: value(entry, "checksum")?,
        })
    };
    entries.filter_map(package).collect()
}

fn shown(package: &Package) -> String {
    format!("{} {}", package.name, package.version)
}

fn cargo(workspace: &Path, arguments: &[&str]) -> Outcome<()> {
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(program)
        .args(arguments)
        .current_dir(workspace)
        .output();
    let output = output.map_err(|error| format!("cargo does not start: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(format!(
        "cargo {} in {}: {words}",
        arguments.join(" "),
        workspace.display()
    ))
}

fn read(path: &Path) -> Outcome<String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn store(path: &Path, text: &str) -> Outcome<()> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}
