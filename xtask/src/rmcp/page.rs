//! The programs of `docs/rmcp.md`, each built outside the workspace with only the dependencies in
//! the manifest above it.

use std::fs;
use std::path::Path;

use toolsure_testkit::tally::Tally;

use super::package::{cargo, write};

/// The path of the adapter in the page's manifests: a clone beside the program.
const CLONE: &str = "../toolsure/";

/// The minimum number of programs on the page.
const PROGRAMS: usize = 4;

/// A program of the page.
struct Program {
    /// The part of its `Cargo.toml` after `[package]`.
    manifest: String,
    source: String,
}

/// Builds each program with a minor version of rmcp.
pub(super) fn check(
    repository: &Path,
    scratch: &Path,
    minor: &str,
    tally: &mut Tally,
) -> Result<(), String> {
    let page = repository.join("docs/rmcp.md");
    let text = fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
    let programs = programs(&text);
    let found = programs.len();
    let enough = found >= PROGRAMS;
    tally.record(enough.then_some(()).ok_or_else(|| {
        format!("only {found} programs of docs/rmcp.md have a manifest above them")
    }));
    for (index, program) in programs.iter().enumerate() {
        let folder = scratch.join("page").join(index.to_string());
        let clone = format!("{}/", repository.display());
        let manifest = format!(
            "[package]\nname = \"page-{index}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n{}",
            program.manifest.replace(CLONE, &clone)
        );
        write(&folder.join("Cargo.toml"), &manifest)?;
        write(&folder.join("src/main.rs"), &program.source)?;
        let passed = cargo(&folder, scratch, ["check"])?;
        tally.record(
            passed
                .then_some(())
                .ok_or_else(|| format!("program {} of docs/rmcp.md with rmcp {minor}", index + 1)),
        );
    }
    println!("docs/rmcp.md: {} programs", programs.len());
    Ok(())
}

/// Each Rust block with a `main` that follows a manifest, with the last manifest before it.
fn programs(page: &str) -> Vec<Program> {
    let mut programs = Vec::new();
    let mut manifest: Option<String> = None;
    let mut block: Option<(&str, String)> = None;
    for line in page.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some((language, String::new())),
            (None, None) => {}
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (Some((language, text)), Some(_)) => {
                let is_rust = language.starts_with("rust");
                if *language == "toml" && text.contains("[dependencies]") {
                    manifest = Some(std::mem::take(text));
                } else if is_rust && text.contains("fn main()") {
                    let manifest = manifest.take();
                    programs.extend(manifest.map(|manifest| Program {
                        manifest,
                        source: std::mem::take(text),
                    }));
                }
                block = None;
            }
        }
    }
    programs
}
