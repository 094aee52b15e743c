//! The packages that must not be anywhere in a crate's dependency tree.

use toolgate_testkit::tally::Tally;

use super::House;
use crate::build;

/// Asks `cargo tree` for every package a crate can pull in, and looks for those behind its walls.
pub(crate) fn check(name: &str, house: &House, tally: &mut Tally) -> Result<(), String> {
    if house.walls.is_empty() {
        return Ok(());
    }
    let output = build::cargo()
        .args([
            "tree",
            "--package",
            name,
            "--edges",
            "normal,build",
            "--all-features",
        ])
        .args(["--target", "all", "--prefix", "none", "--format", "{p}"])
        // With one set of features for the workspace the tree would be the workspace's.
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .output()
        .map_err(|e| format!("cargo tree: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo tree --package {name}: {}", said.trim()));
    }
    let tree = String::from_utf8_lossy(&output.stdout);
    for wall in &house.walls {
        let behind = tree
            .lines()
            .filter_map(|line| line.split_whitespace().next())
            .find(|package| matches(wall, package));
        tally.record(match behind {
            None => Ok(()),
            Some(package) => Err(format!("`{name}` pulls in `{package}` (rooms.toml: walls)")),
        });
    }
    Ok(())
}

/// A wall is a package's name, or the beginning of many: `async-*`.
fn matches(wall: &str, package: &str) -> bool {
    match wall.strip_suffix('*') {
        Some(beginning) => package.starts_with(beginning),
        None => package == wall,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_may_be_a_beginning() {
        assert!(matches("async-*", "async-io"));
        assert!(matches("tokio", "tokio"));
        assert!(!matches("tokio", "tokio-util"));
    }
}
