//! Checks that forbidden packages are not in a crate's dependency tree.

use toolsure_testkit::tally::Tally;

use super::layers::Layers;
use crate::build;

/// Asks `cargo tree` for all packages that a crate without I/O can depend on, and looks for
/// forbidden ones.
pub(crate) fn check(layers: &Layers, tally: &mut Tally) -> Result<(), String> {
    for name in &layers.no_io.crates {
        let tree = tree(name)?;
        for forbidden in &layers.no_io.forbidden {
            let found = tree
                .lines()
                .filter_map(|line| line.split_whitespace().next())
                .find(|package| matches(forbidden, package));
            tally.record(match found {
                None => Ok(()),
                Some(package) => Err(format!(
                    "`{name}` depends on `{package}`, which layers.toml forbids (`no-io`)"
                )),
            });
        }
    }
    Ok(())
}

fn tree(name: &str) -> Result<String, String> {
    let output = build::cargo()
        .args(["tree", "--package", name])
        .args(["--edges", "normal,build", "--all-features"])
        .args(["--target", "all", "--prefix", "none", "--format", "{p}"])
        // With one feature set for the workspace, the tree would be that of the workspace.
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .output()
        .map_err(|e| format!("cargo tree: {e}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo tree --package {name}: {}", said.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `forbidden` is the name of a package, or a prefix such as `async-*`.
fn matches(forbidden: &str, package: &str) -> bool {
    match forbidden.strip_suffix('*') {
        Some(beginning) => package.starts_with(beginning),
        None => package == forbidden,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_be_a_beginning() {
        assert!(matches("async-*", "async-io"));
        assert!(matches("tokio", "tokio"));
        assert!(!matches("tokio", "tokio-util"));
    }
}
