//! The doors between the rooms of a crate.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toolgate_testkit::place;
use toolgate_testkit::tally::Tally;

use super::House;
use super::source;

/// Checks that every room names only what it may, and that the rooms form no ring.
pub(crate) fn check(
    workspace: &Path,
    name: &str,
    house: &House,
    tally: &mut Tally,
) -> Result<(), String> {
    let folder = workspace.join(&house.folder);
    let packages = packages(&folder)?;
    let sources = folder.join("src");
    let mut seen = BTreeSet::new();
    for path in place::files(&sources, "rs")? {
        let inside = path.strip_prefix(&sources).unwrap_or(&path);
        let modules = modules(inside);
        // why: the crate's root is the front door and the table of contents; it names every room.
        let Some(room) = modules.first() else {
            continue;
        };
        seen.insert(room.clone());
        let Some(doors) = house.rooms.get(room) else {
            tally.fail(format!(
                "rooms.toml: `{name}` has no room `{room}` ({})",
                inside.display()
            ));
            continue;
        };
        let text = place::text(&path)?;
        if modules.iter().any(|module| module == "tests") {
            continue;
        }
        let code = source::without_comments(source::code_part(&text));
        let mut named = source::rooms_named(&code, modules.len());
        // why: `crate::Name` is a door into the root, which leads everywhere.
        named.retain(|other| other != room);
        named.extend(
            packages
                .iter()
                .filter(|package| source::names_package(&code, package))
                .cloned(),
        );
        for other in named {
            tally.record(if doors.contains(&other) {
                Ok(())
            } else {
                Err(format!(
                    "`{name}`: {} names `{other}`, which `{room}` may not (rooms.toml)",
                    inside.display()
                ))
            });
        }
    }
    for room in house.rooms.keys() {
        tally.record(if seen.contains(room) {
            Ok(())
        } else {
            Err(format!(
                "rooms.toml: `{name}` lists `{room}`, which is not there"
            ))
        });
    }
    let mut straight = house.rooms.clone();
    for (room, other) in &house.rings {
        let known = straight.get_mut(room).is_some_and(|doors| {
            let before = doors.len();
            doors.retain(|door| door != other);
            doors.len() < before
        });
        if !known {
            tally.fail(format!(
                "rooms.toml: `{name}`: there is no door `{room} -> {other}`"
            ));
        }
    }
    tally.record(match ring(&straight) {
        None => Ok(()),
        Some(ring) => Err(format!(
            "rooms.toml: `{name}` has a ring: {}",
            ring.join(" -> ")
        )),
    });
    Ok(())
}

/// The packages that a crate's manifest names, as paths name them.
fn packages(folder: &Path) -> Result<Vec<String>, String> {
    let text = place::text(&folder.join("Cargo.toml"))?;
    let manifest: serde_json::Value =
        toml::from_str(&text).map_err(|e| format!("{}: {e}", folder.display()))?;
    let dependencies = manifest
        .get("dependencies")
        .and_then(|table| table.as_object());
    Ok(dependencies
        .into_iter()
        .flatten()
        .map(|(name, _)| name.replace('-', "_"))
        .collect())
}

/// The modules that lead to a file: `execute/leaf.rs` is `execute::leaf`.
fn modules(inside: &Path) -> Vec<String> {
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

/// A ring of rooms that may name each other, if there is one.
fn ring(rooms: &BTreeMap<String, Vec<String>>) -> Option<Vec<String>> {
    let mut open: BTreeMap<&str, BTreeSet<&str>> = rooms
        .iter()
        .map(|(room, doors)| {
            let doors = doors.iter().filter(|door| rooms.contains_key(*door));
            (room.as_str(), doors.map(String::as_str).collect())
        })
        .collect();
    loop {
        let closed = open
            .iter()
            .find_map(|(room, doors)| doors.is_empty().then_some(*room));
        match closed {
            Some(room) => {
                open.remove(room);
                for doors in open.values_mut() {
                    doors.remove(room);
                }
            }
            None if open.is_empty() => return None,
            None => break,
        }
    }
    // what is left has a door each: walk until a room comes again
    let mut walked: Vec<String> = Vec::new();
    let mut here = *open.keys().next()?;
    while !walked.iter().any(|room| room == here) {
        walked.push(here.to_owned());
        here = open.get(here)?.iter().next()?;
    }
    let start = walked.iter().position(|room| room == here)?;
    walked.push(here.to_owned());
    Some(walked.split_off(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rooms(doors: &[(&str, &[&str])]) -> BTreeMap<String, Vec<String>> {
        doors
            .iter()
            .map(|(room, doors)| {
                (
                    (*room).to_owned(),
                    doors.iter().map(|door| (*door).to_owned()).collect(),
                )
            })
            .collect()
    }

    #[test]
    fn a_ring_is_named() {
        assert_eq!(ring(&rooms(&[("a", &["b"]), ("b", &[])])), None);
        let ring = ring(&rooms(&[
            ("x", &["a"]),
            ("a", &["b"]),
            ("b", &["c"]),
            ("c", &["a"]),
        ]));
        assert_eq!(ring.unwrap(), ["a", "b", "c", "a"]);
    }

    #[test]
    fn a_file_is_a_path_of_modules() {
        assert_eq!(modules(Path::new("execute/leaf.rs")), ["execute", "leaf"]);
        assert_eq!(modules(Path::new("execute/mod.rs")), ["execute"]);
        assert!(modules(Path::new("lib.rs")).is_empty());
    }
}
