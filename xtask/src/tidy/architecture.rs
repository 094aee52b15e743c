//! Checks that every file, folder and module in `ARCHITECTURE.md` exists.

use std::path::{Path, PathBuf};

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

/// Looks for each path and module between backticks.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    let text = place::text(&workspace.join("ARCHITECTURE.md"))?;
    let bases = bases(workspace)?;
    for name in names(&text) {
        let path = path(name);
        let is_there = bases
            .iter()
            .any(|base| base.join(&path).exists() || base.join(format!("{path}.rs")).is_file());
        tally.record(match is_there {
            true => Ok(()),
            false => Err(format!(
                "ARCHITECTURE.md names `{name}`, which is not there"
            )),
        });
    }
    Ok(())
}

/// The folders that a path may start from: the workspace, `crates`, and the sources of each crate.
fn bases(workspace: &Path) -> Result<Vec<PathBuf>, String> {
    let crates = workspace.join("crates");
    let mut bases = vec![workspace.to_owned(), crates.clone()];
    let entries = crates
        .read_dir()
        .map_err(|error| format!("{}: {error}", crates.display()))?;
    for entry in entries {
        let entry = entry.map_err(|error| format!("{}: {error}", crates.display()))?;
        bases.push(entry.path().join("src"));
    }
    Ok(bases)
}

/// The paths and modules between backticks, except in code blocks.
fn names(text: &str) -> Vec<&str> {
    let mut inside = false;
    let prose = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        inside ^= fence;
        !inside && !fence
    });
    prose
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|name| is_path(name) || is_module(name))
        .collect()
}

fn is_path(name: &str) -> bool {
    let endings = [".rs", ".md", ".json", ".toml", ".txt", ".yml", ".yaml"];
    !name.contains(' ') && (name.contains('/') || endings.iter().any(|end| name.ends_with(end)))
}

/// Whether this is a module of one of our crates, such as `toolsure_mcp::message`. Names of types
/// and constants begin with a capital letter.
fn is_module(name: &str) -> bool {
    name.strip_prefix("toolsure_")
        .and_then(|name| name.split_once("::"))
        .is_some_and(|(_, module)| module.starts_with(|c: char| c.is_ascii_lowercase()))
}

/// The path of a name. A file in capital letters is a placeholder: only its folder must exist.
fn path(name: &str) -> String {
    if let Some((package, module)) = name.split_once("::") {
        let module = module.replace("::", "/");
        return format!("{}/src/{module}", package.replace('_', "-"));
    }
    let is_fixed = |part: &&str| {
        let stem = part.split('.').next().unwrap_or_default();
        stem.is_empty() || stem.chars().any(|c| !c.is_ascii_uppercase()) || !part.contains('.')
    };
    let parts: Vec<&str> = name.split('/').collect();
    match parts.split_last() {
        Some((last, folder)) if !folder.is_empty() && !is_fixed(last) => folder.join("/"),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_modules_are_found_in_prose() {
        let text = "`a/b.rs` and `x -> y`, `Era`, `toolsure_mcp::message`, `toolsure_json::Node`\n```\n`c/d`\n```\n`e.toml`\n";
        assert_eq!(names(text), ["a/b.rs", "toolsure_mcp::message", "e.toml"]);
    }

    #[test]
    fn capitals_stand_for_any_name() {
        assert_eq!(path("testkit/cases/KEYWORD.json"), "testkit/cases");
        assert_eq!(path("DESIGN.md"), "DESIGN.md");
        assert_eq!(path("a/b.rs"), "a/b.rs");
        assert_eq!(path("toolsure_mcp::clients"), "toolsure-mcp/src/clients");
    }
}
