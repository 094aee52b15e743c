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
    let files = files(&workspace.join(&house.folder))?;
    for Named { file, room, names } in &files {
        let Some(doors) = house.rooms.get(room) else {
            tally.fail(format!(
                "rooms.toml: `{name}` has no room `{room}` ({file})"
            ));
            continue;
        };
        for other in names {
            tally.record(if doors.contains(other) {
                Ok(())
            } else {
                Err(format!(
                    "`{name}`: {file} names `{other}`, which `{room}` may not (rooms.toml)"
                ))
            });
        }
    }
    for (room, doors) in &house.rooms {
        let inside: Vec<&Named> = files.iter().filter(|file| file.room == *room).collect();
        tally.record(if inside.is_empty() {
            Err(format!(
                "rooms.toml: `{name}` lists `{room}`, which is not there"
            ))
        } else {
            Ok(())
        });
        for door in doors {
            if !inside.iter().any(|file| file.names.contains(door)) {
                tally.fail(format!(
                    "rooms.toml: `{name}`: nobody uses `{room} -> {door}`"
                ));
            }
        }
    }
    check_rings(name, house, tally);
    Ok(())
}

/// The rooms of a crate as its code has them, in the form of `rooms.toml`.
pub(crate) fn listing(workspace: &Path, house: &House) -> Result<String, String> {
    let mut rooms: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for Named { room, names, .. } in files(&workspace.join(&house.folder))? {
        rooms.entry(room).or_default().extend(names);
    }
    Ok(rooms
        .into_iter()
        .map(|(room, doors)| {
            let doors: Vec<String> = doors.iter().map(|door| format!("\"{door}\"")).collect();
            format!("{room} = [{}]\n", doors.join(", "))
        })
        .collect())
}

/// The rings that are left when the doors of `rings` are shut.
fn check_rings(name: &str, house: &House, tally: &mut Tally) {
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
}

/// A file of a crate and what its code names.
struct Named {
    file: String,
    room: String,
    names: BTreeSet<String>,
}

/// Every file of a crate but its root, which is the front door and names every room.
fn files(folder: &Path) -> Result<Vec<Named>, String> {
    let packages = packages(folder)?;
    let sources = folder.join("src");
    let mut found = Vec::new();
    for path in place::files(&sources, "rs")? {
        let inside = path.strip_prefix(&sources).unwrap_or(&path);
        let modules = modules(inside);
        let Some(room) = modules.first() else {
            continue;
        };
        let mut names = BTreeSet::new();
        if !modules.iter().any(|module| module == "tests") {
            let text = place::text(&path)?;
            let code = source::without_comments(source::code_part(&text));
            names.extend(source::rooms_named(&code, modules.len()));
            names.extend(
                packages
                    .iter()
                    .filter(|package| source::names_package(&code, package))
                    .cloned(),
            );
            names.remove(room);
        }
        found.push(Named {
            file: inside.display().to_string(),
            room: room.clone(),
            names,
        });
    }
    Ok(found)
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
