//! `cargo xtask release --dry-run`: builds what users install for this platform, installs it into
//! new environments and tests it. Nothing is uploaded: the release workflow does that.
//!
//! With `--twice`, each artefact is built again in another folder, and the bytes are compared.

mod npm;
mod wheels;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use toolgate_testkit::place;

use crate::arguments::Arguments;
use crate::build;

/// Something that users install.
pub(crate) struct Artefact {
    /// Its name in the table and for `--only`.
    name: &'static str,
    /// Why it cannot be built here, if it cannot.
    absent: fn(&ReleaseBuild) -> Option<String>,
    /// Builds it into the folder and returns its files.
    build: fn(&ReleaseBuild, &Path) -> Outcome<Vec<PathBuf>>,
    /// Installs the files into an empty folder and tests them.
    smoke: fn(&ReleaseBuild, &[PathBuf], &Path) -> Outcome<()>,
    /// The maximum total size of its files, in bytes.
    most: u64,
}

/// Every artefact, in the order of the table.
const ARTEFACTS: &[Artefact] = &[
    wheels::COMMAND,
    wheels::VALIDATOR,
    npm::COMMAND,
    npm::VALIDATOR,
];

pub(crate) type Outcome<T> = Result<T, String>;

/// The settings of a build.
pub(crate) struct ReleaseBuild {
    /// The repository.
    root: PathBuf,
    /// The working folder, below the target directory.
    folder: PathBuf,
    /// The cargo profile.
    profile: String,
    /// The time of the commit, in seconds. Every file in every artefact gets this time.
    epoch: String,
}

/// One line of the table.
struct Row {
    name: &'static str,
    file: String,
    bytes: u64,
    took: Duration,
    note: String,
}

/// Builds and tests every artefact, and returns how many failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    if arguments.option("dry-run").is_none() {
        return Err(
            "`cargo xtask release --dry-run`: publishing is the release workflow's".to_owned(),
        );
    }
    let root = place::workspace().to_path_buf();
    let folder = build::target()?.join("release-dry-run");
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct"]).current_dir(&root);
    let epoch = String::from_utf8_lossy(&run_to_end(&mut git)?.stdout)
        .trim()
        .to_owned();
    let release = ReleaseBuild {
        root,
        folder,
        profile: arguments.option("profile").unwrap_or("dist").to_owned(),
        epoch,
    };
    run_to_end(build::cargo().arg("lock"))?;
    let (mut rows, mut passed, mut failed) = (Vec::new(), 0_u64, 0_u64);
    for artefact in ARTEFACTS {
        if arguments
            .option("only")
            .is_some_and(|only| only != artefact.name)
        {
            continue;
        }
        if let Some(reason) = (artefact.absent)(&release) {
            println!("skipped: {}: {reason}", artefact.name);
            continue;
        }
        match release.make(artefact, arguments.option("twice").is_some(), &mut rows) {
            Ok(()) => passed += 1,
            Err(reason) => {
                failed += 1;
                println!("failed: {}: {reason}", artefact.name);
            }
        }
    }
    print(&rows);
    println!("{passed} passed, {failed} failed");
    Ok(failed)
}

impl ReleaseBuild {
    fn make(&self, artefact: &Artefact, twice: bool, rows: &mut Vec<Row>) -> Outcome<()> {
        let out = self.fresh(&format!("{}/out", artefact.name))?;
        let begun = Instant::now();
        let files = (artefact.build)(self, &out)?;
        let took = begun.elapsed();
        let mut all = 0;
        for file in &files {
            let bytes = std::fs::metadata(file)
                .map_err(|e| format!("{}: {e}", file.display()))?
                .len();
            all += bytes;
            rows.push(Row {
                name: artefact.name,
                file: file_name(file),
                bytes,
                took,
                note: String::new(),
            });
        }
        if files.is_empty() {
            return Err("nothing was built".to_owned());
        }
        (artefact.smoke)(
            self,
            &files,
            &self.fresh(&format!("{}/fresh", artefact.name))?,
        )?;
        if all > artefact.most {
            return Err(format!(
                "{all} bytes, at most {} are allowed",
                artefact.most
            ));
        }
        if twice {
            self.compare(artefact, &files)?;
            if let Some(row) = rows.last_mut() {
                row.note = "same bytes twice".to_owned();
            }
        }
        Ok(())
    }

    /// Builds an artefact again, in another target directory, and compares the files.
    fn compare(&self, artefact: &Artefact, first: &[PathBuf]) -> Outcome<()> {
        let again = Self {
            folder: self.folder.join("again"),
            root: self.root.clone(),
            profile: self.profile.clone(),
            epoch: self.epoch.clone(),
        };
        let out = again.fresh(&format!("{}/out", artefact.name))?;
        let second = (artefact.build)(&again, &out)?;
        if first.len() != second.len() {
            return Err(format!("{} files, then {}", first.len(), second.len()));
        }
        for (one, other) in first.iter().zip(&second) {
            let bytes =
                |path: &Path| std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()));
            if bytes(one)? != bytes(other)? {
                return Err(format!(
                    "two builds of one commit differ: {} and {}",
                    one.display(),
                    other.display()
                ));
            }
        }
        Ok(())
    }

    /// Creates an empty folder.
    pub(crate) fn fresh(&self, name: &str) -> Outcome<PathBuf> {
        let folder = self.folder.join(name);
        let fail = |e: std::io::Error| format!("{}: {e}", folder.display());
        if folder.exists() {
            std::fs::remove_dir_all(&folder).map_err(fail)?;
        }
        std::fs::create_dir_all(&folder).map_err(fail)?;
        Ok(folder)
    }

    /// A build command in a folder of the repository, with settings for reproducible output.
    pub(crate) fn builder(&self, program: impl AsRef<std::ffi::OsStr>, folder: &str) -> Command {
        let mut command = Command::new(program);
        let target = self.folder.join("target");
        // why: panic messages contain paths of source files, which differ between machines.
        let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
        let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
        let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
        let flags = [
            remap(&target, "/target"),
            remap(&self.root, "/toolgate"),
            remap(&home.unwrap_or_default(), "/cargo"),
        ];
        command
            .current_dir(self.root.join(folder))
            .env("SOURCE_DATE_EPOCH", &self.epoch)
            .env("CARGO_TARGET_DIR", &target)
            .env("CARGO_INCREMENTAL", "0")
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
            // why: a user's build does not have the flags of the caller's checkout.
            .env_remove("RUSTFLAGS");
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if text.starts_with("CARGO_PROFILE_") || text.starts_with("CARGO_PKG_") {
                command.env_remove(&name);
            }
        }
        command
    }

    /// The repository.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder that the builds of this run share.
    pub(crate) fn shared(&self) -> PathBuf {
        self.folder.clone()
    }

    /// The cargo profile.
    pub(crate) fn profile(&self) -> &str {
        &self.profile
    }
}

/// Runs a program to its end. An error contains its output.
pub(crate) fn run_to_end(command: &mut Command) -> Outcome<Output> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(failure(command, &output))
}

/// Runs a program, which must end with the exit code `code` and print `text`.
pub(crate) fn expect_exit(command: &mut Command, code: i32, text: &str) -> Outcome<()> {
    let output = command.output().map_err(|e| format!("{command:?}: {e}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if output.status.code() == Some(code) && printed.contains(text) {
        return Ok(());
    }
    let failure = failure(command, &output);
    Err(format!("expected exit code {code} and `{text}`: {failure}"))
}

fn failure(command: &Command, output: &Output) -> String {
    let words =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    format!("{command:?}: {}\n{}", output.status, words.concat())
}

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn print(rows: &[Row]) {
    let wide = rows.iter().map(|row| row.file.len()).max().unwrap_or(0);
    for row in rows {
        let Row {
            name,
            file,
            bytes,
            took,
            note,
        } = row;
        println!(
            "{name:<14} {file:<wide$} {bytes:>10} bytes, built in {:>4} s  {note}",
            took.as_secs()
        );
    }
}

/// The exit code and the output of `toolgate check --demo`.
pub(crate) const DEMO: (i32, &str) = (6, "5 tools: 3 ok, 2 refused");
