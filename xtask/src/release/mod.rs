//! `cargo xtask release --dry-run`: builds what users install for this platform, installs it into
//! new environments and tests it. Nothing is uploaded: the release workflow does that.
//!
//! With `--twice`, each artefact is built again in another folder, and the bytes are compared.

mod artefact;
mod npm;
mod program;
mod release_build;
mod wheels;

use std::process::Command;

use toolsure_testkit::place;

use crate::arguments::Arguments;
use crate::build;
use artefact::{Artefact, Row};
use program::run_to_end;
use release_build::ReleaseBuild;

/// Every artefact, in the order of the table.
const ARTEFACTS: &[Artefact] = &[
    wheels::COMMAND,
    wheels::VALIDATOR,
    npm::COMMAND,
    npm::VALIDATOR,
];

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
        match artefact.make(&release, arguments.option("twice").is_some(), &mut rows) {
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
