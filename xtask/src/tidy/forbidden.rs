//! Checks that forbidden packages are not in a crate's dependency tree.

use toolsure_testkit::tally::Tally;

use super::layers::Layers;
use crate::build;

/// Asks `cargo tree` for all packages that a crate without I/O can depend on, and looks for
/// forbidden ones.
pub(crate) fn check(layers: &Layers, tally: &mut Tally) -> Result<(), String> {
    for name in &layers.no_io.crates {
        check_tree(name, &tree(name)?, layers, tally);
    }
    Ok(())
}

fn check_tree(name: &str, tree: &str, layers: &Layers, tally: &mut Tally) {
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
    use toolsure_testkit::place;

    /// The engine, and all that decides without I/O, can reach no HTTP client and no socket. The
    /// crates that have them show that they would be seen.
    #[test]
    fn no_http_client_is_reachable_from_the_engine() {
        let mut layers = Layers::read(place::workspace()).unwrap();
        for name in [
            "json", "pattern", "syntax", "schema", "mcp", "analysis", "guard",
        ] {
            let name = format!("toolsure-{name}");
            assert!(layers.no_io.crates.contains(&name), "{name}");
        }
        let mut tally = Tally::default();
        check(&layers, &mut tally).unwrap();
        assert_eq!(tally.failed, 0, "{}", tally.details());
        let checks = layers.no_io.crates.len() * layers.no_io.forbidden.len();
        assert_eq!(tally.passed, u64::try_from(checks).unwrap());

        layers.no_io.crates = vec!["toolsure-fetch".to_owned()];
        let mut tally = Tally::default();
        check(&layers, &mut tally).unwrap();
        for client in ["reqwest", "hyper", "rustls", "tokio", "socket2"] {
            let said = format!("`toolsure-fetch` depends on `{client}");
            assert!(tally.details().contains(&said), "{}", tally.details());
        }
        for client in ["ureq", "curl-sys", "native-tls", "async-std", "mio"] {
            let mut tally = Tally::default();
            let tree = format!("toolsure-schema v0.1.0\n{client} v1.0.0\n");
            check_tree("toolsure-schema", &tree, &layers, &mut tally);
            assert_eq!(tally.failed, 1, "{client}");
        }
    }

    #[test]
    fn a_name_may_be_a_beginning() {
        assert!(matches("async-*", "async-io"));
        assert!(matches("tokio", "tokio"));
        assert!(!matches("tokio", "tokio-util"));
    }
}
