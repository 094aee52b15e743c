//! Checks that every test and file in `docs/seeds.md` exists.

use std::path::Path;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

/// Looks for the names in the last column of the tables.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    let text = place::text(&workspace.join("docs/seeds.md"))?;
    let mut sources = String::new();
    for folder in ["crates", "testkit", "xtask"] {
        for file in place::files(&workspace.join(folder), "rs")? {
            sources.push_str(&place::text(&file)?);
        }
    }
    for name in names(&text) {
        let is_there = match name.contains('/') {
            true => workspace.join(name).exists(),
            false => sources.contains(&format!("fn {name}(")),
        };
        tally.record(match is_there {
            true => Ok(()),
            false => Err(format!("docs/seeds.md names `{name}`, which is not there")),
        });
    }
    Ok(())
}

/// The texts between backticks in the last column.
fn names(text: &str) -> Vec<&str> {
    let rows = text
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |"));
    let columns = rows.filter_map(|row| row.rsplit(" | ").next());
    columns
        .flat_map(|column| column.split('`').skip(1).step_by(2))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn the_last_column_names_tests() {
        let text = "| requirement | where | tests |\n|---|---|---|\n| a `x` | `b` | `c`, `d/e.json` |\n| f | g | `h` |\n";
        assert_eq!(names(text), ["c", "d/e.json", "h"]);
    }
}
