//! Checks which crates may depend on which, and which modules may import which.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use super::source;

/// The content of `layers.toml`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layers {
    /// The crates, from top to bottom.
    pub(super) crates: Vec<String>,
    #[serde(rename = "no-io")]
    pub(super) no_io: NoIo,
    /// By crate and module: the modules that it may import.
    #[serde(default)]
    pub(super) modules: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// By crate and package: the modules that may name it.
    #[serde(default)]
    pub(super) packages: BTreeMap<String, BTreeMap<String, Vec<String>>>,
    /// By crate and import (`"one -> other"`): why it may close a cycle.
    #[serde(default)]
    pub(super) cycles: BTreeMap<String, BTreeMap<String, String>>,
    /// By crate and import of a file (`"plan/names -> plan/slots"`): why it may close a cycle.
    #[serde(default, rename = "file-cycles")]
    pub(super) file_cycles: BTreeMap<String, BTreeMap<String, String>>,
}

/// Crates that do no I/O.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NoIo {
    pub(super) crates: Vec<String>,
    /// Packages that must not be in their dependency trees.
    pub(super) forbidden: Vec<String>,
}

impl Layers {
    pub(super) fn read(workspace: &Path) -> Result<Self, String> {
        let text = place::text(&workspace.join("layers.toml"))?;
        toml::from_str(&text).map_err(|e| format!("layers.toml: {e}"))
    }
}

/// For each top-level module of a crate, the modules and packages that it names.
pub(crate) type Imports = BTreeMap<String, BTreeSet<String>>;

/// Checks the order of the crates, the restricted modules and packages, and that no modules of a
/// crate form a cycle.
pub(crate) fn check(workspace: &Path, layers: &Layers, tally: &mut Tally) -> Result<(), String> {
    check_crates(workspace, layers, tally)?;
    for name in &layers.crates {
        let imports = imports(workspace, name)?;
        check_modules(name, layers, &imports, tally);
        check_packages(name, layers, &imports, tally);
        check_cycles(name, layers, imports, tally);
    }
    let sections = [
        ("modules", layers.modules.keys().collect::<Vec<_>>()),
        ("packages", layers.packages.keys().collect()),
        ("cycles", layers.cycles.keys().collect()),
        ("file-cycles", layers.file_cycles.keys().collect()),
    ];
    for (section, names) in sections {
        for name in names {
            if !layers.crates.contains(name) {
                tally.fail(format!(
                    "layers.toml: `{section}.{name}`: there is no such crate"
                ));
            }
        }
    }
    Ok(())
}

/// What each module of a crate imports, one line per module.
pub(crate) fn listing(workspace: &Path, name: &str) -> Result<String, String> {
    Ok(list(imports(workspace, name)?))
}

/// One line for each key.
pub(crate) fn list(imports: Imports) -> String {
    let line = |(module, names): (String, BTreeSet<String>)| {
        let names: Vec<String> = names.into_iter().collect();
        format!("{module}: {}\n", names.join(", "))
    };
    imports.into_iter().map(line).collect()
}

/// Checks that each crate depends only on crates after it in the list, and that all are listed.
fn check_crates(workspace: &Path, layers: &Layers, tally: &mut Tally) -> Result<(), String> {
    let folder = workspace.join("crates");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries {
        let name = entry.map_err(|e| e.to_string())?.file_name();
        let name = name.to_string_lossy();
        if !layers.crates.iter().any(|known| *known == name) {
            tally.fail(format!("layers.toml: `crates` lacks `{name}`"));
        }
    }
    for (at, name) in layers.crates.iter().enumerate() {
        for package in packages(&folder.join(name))? {
            let package = package.replace('_', "-");
            let place = layers.crates.iter().position(|other| *other == package);
            tally.record(match place {
                Some(place) if place <= at => Err(format!(
                    "`{name}` depends on `{package}`, which is above it in layers.toml"
                )),
                _ => Ok(()),
            });
        }
    }
    Ok(())
}

fn check_modules(name: &str, layers: &Layers, imports: &Imports, tally: &mut Tally) {
    for (module, allowed) in layers.modules.get(name).into_iter().flatten() {
        let Some(names) = imports.get(module) else {
            tally.fail(format!("layers.toml: `{name}` has no module `{module}`"));
            continue;
        };
        let own = names.iter().filter(|other| imports.contains_key(*other));
        let own: BTreeSet<&String> = own.collect();
        for other in &own {
            tally.record(if allowed.contains(*other) {
                Ok(())
            } else {
                Err(format!(
                    "`{name}`: `{module}` imports `{other}`, which layers.toml does not allow it"
                ))
            });
        }
        for other in allowed {
            if !own.contains(other) {
                tally.fail(format!(
                    "layers.toml: `{name}`: `{module}` does not import `{other}`"
                ));
            }
        }
    }
}

fn check_packages(name: &str, layers: &Layers, imports: &Imports, tally: &mut Tally) {
    for (package, allowed) in layers.packages.get(name).into_iter().flatten() {
        for (module, names) in imports {
            tally.record(match (names.contains(package), allowed.contains(module)) {
                (true, false) => Err(format!(
                    "`{name}`: `{module}` names `{package}`, which only {} may (layers.toml)",
                    allowed.join(", ")
                )),
                (false, true) => Err(format!(
                    "layers.toml: `{name}`: `{module}` does not name `{package}`"
                )),
                _ => Ok(()),
            });
        }
    }
}

/// Checks that no cycle remains without the imports listed in `cycles`.
fn check_cycles(name: &str, layers: &Layers, imports: Imports, tally: &mut Tally) {
    let mut imports = imports;
    for (import, reason) in layers.cycles.get(name).into_iter().flatten() {
        let known = import.split_once(" -> ").is_some_and(|(module, other)| {
            let names = imports.get_mut(module);
            names.is_some_and(|names| names.remove(other))
        });
        if !known || reason.is_empty() {
            tally.fail(format!(
                "layers.toml: `{name}`: `{import}` is not an import, or has no reason"
            ));
        }
    }
    tally.record(match cycle(&imports) {
        None => Ok(()),
        Some(cycle) => Err(format!(
            "`{name}`: modules import each other: {}",
            cycle.join(" -> ")
        )),
    });
}

fn imports(workspace: &Path, name: &str) -> Result<Imports, String> {
    let mut imports = Imports::new();
    for Named { module, names } in files(&workspace.join("crates").join(name))? {
        imports.entry(module).or_default().extend(names);
    }
    Ok(imports)
}

/// A file of a crate, and the modules and packages that its code names.
struct Named {
    module: String,
    names: BTreeSet<String>,
}

/// All files of a crate except its root, which declares all modules.
fn files(folder: &Path) -> Result<Vec<Named>, String> {
    let packages = packages(folder)?;
    let sources = folder.join("src");
    let mut found = Vec::new();
    for path in place::files(&sources, "rs")? {
        let inside = path.strip_prefix(&sources).unwrap_or(&path);
        let modules = modules(inside);
        let Some(module) = modules.first() else {
            continue;
        };
        let mut names = BTreeSet::new();
        if !modules.iter().any(|module| module == "tests") {
            let text = place::text(&path)?;
            let code = source::without_comments(source::code_part(&text));
            names.extend(source::modules_named(&code, modules.len()));
            names.extend(
                packages
                    .iter()
                    .filter(|package| source::names_package(&code, package))
                    .cloned(),
            );
            names.remove(module);
        }
        found.push(Named {
            module: module.clone(),
            names,
        });
    }
    Ok(found)
}

/// The packages in a crate's manifest, spelled as in paths.
fn packages(folder: &Path) -> Result<Vec<String>, String> {
    let path = folder.join("Cargo.toml");
    let manifest: toml::Table =
        toml::from_str(&place::text(&path)?).map_err(|e| format!("{}: {e}", path.display()))?;
    let dependencies = manifest
        .get("dependencies")
        .and_then(|table| table.as_table());
    let names = dependencies.into_iter().flatten();
    Ok(names.map(|(name, _)| name.replace('-', "_")).collect())
}

/// The modules that lead to a file: `execute/leaf.rs` is `execute::leaf`.
pub(crate) fn modules(inside: &Path) -> Vec<String> {
    let mut names: Vec<String> = inside
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    if names
        .last()
        .is_some_and(|name| name == "mod" || name == "lib" || name == "main")
    {
        names.pop();
    }
    names
}

/// Modules that import each other in a cycle, if there are any.
pub(crate) fn cycle(imports: &Imports) -> Option<Vec<String>> {
    let mut open: BTreeMap<&str, BTreeSet<&str>> = imports
        .iter()
        .map(|(module, names)| {
            let own = names.iter().filter(|name| imports.contains_key(*name));
            (module.as_str(), own.map(String::as_str).collect())
        })
        .collect();
    loop {
        let done = open
            .iter()
            .find_map(|(module, names)| names.is_empty().then_some(*module));
        match done {
            Some(module) => {
                open.remove(module);
                for names in open.values_mut() {
                    names.remove(module);
                }
            }
            None if open.is_empty() => return None,
            None => break,
        }
    }
    // Each remaining module imports another one: follow imports until a module occurs again.
    let mut walked: Vec<String> = Vec::new();
    let mut here = *open.keys().next()?;
    while !walked.iter().any(|module| module == here) {
        walked.push(here.to_owned());
        here = open.get(here)?.iter().next()?;
    }
    let start = walked.iter().position(|module| module == here)?;
    walked.push(here.to_owned());
    Some(walked.split_off(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn imports(list: &[(&str, &[&str])]) -> Imports {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        list.iter()
            .map(|(module, names)| ((*module).to_owned(), owned(names)))
            .collect()
    }

    #[test]
    fn a_cycle_is_named() {
        assert_eq!(cycle(&imports(&[("a", &["b"]), ("b", &[])])), None);
        let cycle = cycle(&imports(&[
            ("x", &["a"]),
            ("a", &["b"]),
            ("b", &["c"]),
            ("c", &["a"]),
        ]));
        assert_eq!(cycle.unwrap(), ["a", "b", "c", "a"]);
    }

    #[test]
    fn each_rule_is_checked() {
        let layers: Layers = toml::from_str(
            r#"
            crates = ["a"]
            no-io = { crates = [], forbidden = [] }
            modules.a = { plan = ["int"] }
            packages.a = { serde_json = ["value"] }
            cycles.a = { "set -> fold" = "folding makes sets" }
            "#,
        )
        .unwrap();
        let good = imports(&[
            ("plan", &["int"]),
            ("int", &[]),
            ("value", &["serde_json"]),
            ("set", &["fold"]),
            ("fold", &["set"]),
        ]);
        let failed = |imports: &Imports| {
            let mut tally = Tally::default();
            check_modules("a", &layers, imports, &mut tally);
            check_packages("a", &layers, imports, &mut tally);
            check_cycles("a", &layers, imports.clone(), &mut tally);
            tally.failed
        };
        assert_eq!(failed(&good), 0);
        for (module, name, faults) in [
            ("plan", "value", 1),
            ("int", "serde_json", 1),
            ("int", "plan", 1),
            ("fold", "int", 0),
        ] {
            let mut bad = good.clone();
            bad.get_mut(module).unwrap().insert(name.to_owned());
            assert_eq!(failed(&bad), faults, "{module} -> {name}");
        }
        let mut idle = good;
        idle.get_mut("plan").unwrap().clear();
        assert_eq!(failed(&idle), 1);
    }

    #[test]
    fn a_file_is_a_path_of_modules() {
        assert_eq!(modules(Path::new("execute/leaf.rs")), ["execute", "leaf"]);
        assert_eq!(modules(Path::new("execute/mod.rs")), ["execute"]);
        assert!(modules(Path::new("lib.rs")).is_empty());
    }
}
