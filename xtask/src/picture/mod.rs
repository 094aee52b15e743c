//! `cargo xtask picture`: draws the pictures in `docs` that are made from code or output.
//!
//! `cargo xtask tidy` compares `docs/guard.svg` with what `guard` draws, and `cargo xtask transcripts`
//! compares `docs/check.svg` with what `terminal` draws of the command's output.

pub(crate) mod guard;
pub(crate) mod terminal;

use std::fs;
use std::path::Path;

use toolsure_testkit::place;

use crate::build;

/// Draws all pictures.
///
/// # Errors
///
/// One line if a file cannot be written, or the command of the terminal cannot be run.
pub(crate) fn run() -> Result<u64, String> {
    let pictures = [
        (guard::FILE, guard::picture()),
        (terminal::FILE, terminal::picture(&build::toolsure()?)?),
    ];
    for (file, picture) in pictures {
        let path = place::workspace().join(file);
        fs::write(&path, picture).map_err(|e| format!("{}: {e}", path.display()))?;
        println!("{file} is drawn");
    }
    Ok(0)
}

/// Compares a file with its picture.
///
/// # Errors
///
/// One line if they differ.
pub(crate) fn compare(workspace: &Path, file: &str, picture: &str) -> Result<(), String> {
    // A file that cannot be read is as different as an empty one.
    let found = fs::read_to_string(workspace.join(file)).unwrap_or_default();
    match found == picture {
        true => Ok(()),
        false => Err(format!(
            "{file} is not as it is drawn; run `cargo xtask picture`"
        )),
    }
}
