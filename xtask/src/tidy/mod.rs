//! `cargo xtask tidy`: what the compiler and clippy do not hold for us.
//!
//! `rooms.toml` lists, for each crate, its rooms (the modules at its root), the
//! rooms and packages each may name, and the packages that must not be anywhere
//! in the crate's dependency tree. The rooms must form no ring. Every file must
//! open with `//!`, keep its code within 500 lines, and hold no leftovers.
//! `--rooms CRATE` prints the doors that a crate's code uses, for `rooms.toml`.

mod doors;
mod files;
mod readme;
mod seeds;
mod source;
mod walls;
mod words;

use std::collections::BTreeMap;

use serde_json::Value;
use toolgate_testkit::place;
use toolgate_testkit::tally::Tally;

use crate::arguments::Arguments;

/// Runs every check and returns how many failed.
pub(crate) fn run(arguments: &Arguments) -> Result<u64, String> {
    if let Some(name) = arguments.option("rooms") {
        let houses = houses()?;
        let house = houses
            .get(name)
            .ok_or_else(|| format!("rooms.toml has no crate `{name}`"))?;
        print!("{}", doors::listing(place::workspace(), house)?);
        return Ok(0);
    }
    let mut tally = Tally::default();
    files::check(place::workspace(), &mut tally)?;
    for (name, house) in houses()? {
        doors::check(place::workspace(), &name, &house, &mut tally)?;
        walls::check(&name, &house, &mut tally)?;
    }
    readme::check(place::workspace(), &mut tally)?;
    seeds::check(place::workspace(), &mut tally)?;
    words::check(place::workspace(), &mut tally)?;
    print!("{}", tally.details());
    println!("{}", tally.line());
    Ok(tally.failed)
}

/// One crate of `rooms.toml`.
#[derive(Debug, Default)]
pub(crate) struct House {
    /// The folder of the crate, from the workspace's root.
    folder: String,
    /// Packages that must not be in its dependency tree.
    walls: Vec<String>,
    /// For each room what it may name.
    rooms: BTreeMap<String, Vec<String>>,
    /// The doors that still close a ring, as (room, other), each with its reason.
    rings: Vec<(String, String)>,
}

fn houses() -> Result<BTreeMap<String, House>, String> {
    let text = place::text(&place::workspace().join("rooms.toml"))?;
    let table: Value = toml::from_str(&text).map_err(|e| format!("rooms.toml: {e}"))?;
    let mut houses = BTreeMap::new();
    for (name, entry) in table.as_object().into_iter().flatten() {
        let folder = entry.get("folder").and_then(Value::as_str);
        let rooms = entry.get("rooms").and_then(Value::as_object);
        houses.insert(
            name.clone(),
            House {
                folder: folder
                    .ok_or_else(|| format!("rooms.toml: `{name}` has no folder"))?
                    .to_owned(),
                walls: words(entry.get("walls")),
                rings: rings(name, entry.get("rings"))?,
                rooms: rooms
                    .into_iter()
                    .flatten()
                    .map(|(room, doors)| (room.clone(), words(Some(doors))))
                    .collect(),
            },
        );
    }
    Ok(houses)
}

/// `"room -> other" = "reason"`, where the reason must say something.
fn rings(name: &str, table: Option<&Value>) -> Result<Vec<(String, String)>, String> {
    let table = table.and_then(Value::as_object);
    table
        .into_iter()
        .flatten()
        .map(|(door, reason)| match door.split_once(" -> ") {
            Some((room, other)) if reason.as_str().is_some_and(|reason| !reason.is_empty()) => {
                Ok((room.to_owned(), other.to_owned()))
            }
            _ => Err(format!(
                "rooms.toml: `{name}`: `{door}` is no door with a reason"
            )),
        })
        .collect()
}

fn words(list: Option<&Value>) -> Vec<String> {
    let items = list.and_then(Value::as_array);
    items
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect()
}
