//! Checks the tests and files that `docs/seeds.md` names: they exist, a name means one test, and
//! each requirement has a test that runs without the data of `../shared`.

use std::collections::BTreeMap;
use std::path::Path;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

/// Looks for the names in the last column of the tables.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    let text = place::text(&workspace.join("docs/seeds.md"))?;
    let mut tests = Tests::new();
    for folder in ["crates", "examples", "testkit", "xtask"] {
        for file in place::files(&workspace.join(folder), "rs")? {
            add_tests(&place::text(&file)?, &mut tests);
        }
    }
    for row in rows(&text) {
        tally.record(judge(row, &tests, |file| workspace.join(file).exists()));
    }
    Ok(())
}

/// By name: for each test of that name, whether it needs data that a plain clone does not have.
type Tests = BTreeMap<String, Vec<bool>>;

/// Checks the last column of a row.
fn judge(row: &str, tests: &Tests, is_file: impl Fn(&str) -> bool) -> Result<(), String> {
    let mut runs_anywhere = false;
    for name in names(row) {
        let fault = match (name.contains('/'), tests.get(name).map(Vec::as_slice)) {
            (true, _) if is_file(name) => {
                // Every dialogue of this folder is a test.
                runs_anywhere |= name.starts_with("crates/toolsure-guard/tests/cases/");
                continue;
            }
            (false, Some([needs_data]))
                if *needs_data == row.contains(&format!("`{name}` (needs data)")) =>
            {
                runs_anywhere |= !needs_data;
                continue;
            }
            (false, Some([needs_data])) => match needs_data {
                true => "which needs data and is not marked with `(needs data)`",
                false => "which is marked with `(needs data)` and is not marked so in its source",
            },
            (false, Some(_)) => "which is the name of several tests",
            _ => "which is not there, or no test",
        };
        return Err(format!("docs/seeds.md names `{name}`, {fault}"));
    }
    match runs_anywhere {
        true => Ok(()),
        false => Err(format!(
            "docs/seeds.md has no test that runs without `../shared` for this row: {row}"
        )),
    }
}

/// The rows of the tables, without their heads.
fn rows(text: &str) -> impl Iterator<Item = &str> {
    let rows = text
        .lines()
        .filter(|line| line.starts_with("| ") && line.ends_with('|'));
    rows.filter(|row| !row.ends_with("| tests |"))
}

/// The texts between backticks in the last column.
fn names(row: &str) -> impl Iterator<Item = &str> {
    let column = row.trim_end_matches('|').rsplit(" | ").next();
    let column = column.unwrap_or_default();
    column.split('`').skip(1).step_by(2)
}

/// Adds the functions with `#[test]` or `#[tokio::test…]`.
fn add_tests(source: &str, tests: &mut Tests) {
    let mut attributes = String::new();
    let mut is_open = false;
    for line in source.lines().map(str::trim) {
        if is_open || line.starts_with("#[") {
            attributes.push_str(line);
            attributes.push('\n');
            is_open = !line.ends_with(']');
        } else if !line.starts_with("//") {
            let function = line.strip_prefix("async ").unwrap_or(line);
            let name = function
                .strip_prefix("fn ")
                .and_then(|rest| rest.split('(').next());
            let is = |beginning: &str| attributes.lines().any(|line| line.starts_with(beginning));
            if let Some(name) = name
                && (is("#[test]") || is("#[tokio::test"))
            {
                let needs_data = is("#[toolsure_needs::needs") || is("#[ignore");
                tests.entry(name.to_owned()).or_default().push(needs_data);
            }
            attributes.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
        #[test]\nfn plain() {\n    fn helper() {}\n}\n\
        #[toolsure_needs::needs(\"suites\")]\n#[test]\nfn with_data() {}\n\
        /// Words.\n#[tokio::test(start_paused = true)]\n#[expect(\n    unused,\n    reason = \"none\"\n)]\nasync fn waits() {}\n\
        #[test]\nfn twice() {}\n#[test]\nfn twice() {}\n";

    #[test]
    fn each_row_names_a_test_that_runs_anywhere() {
        let mut tests = Tests::new();
        add_tests(SOURCE, &mut tests);
        let is_file = |file: &str| file.ends_with("there.txt");
        for (column, fault) in [
            ("`plain`", ""),
            ("`waits`, `with_data` (needs data)", ""),
            ("`crates/toolsure-guard/tests/cases/there.txt`", ""),
            ("`plain`, `testkit/cases/there.txt`", ""),
            ("`with_data` (needs data)", "without `../shared`"),
            ("`plain`, `with_data`", "not marked"),
            ("`plain` (needs data)", "marked with"),
            ("`testkit/cases/there.txt`", "without `../shared`"),
            ("", "without `../shared`"),
            ("`plain`, `twice`", "several tests"),
            ("`plain`, `helper`", "no test"),
            ("`plain`, `testkit/cases/gone.json`", "not there"),
        ] {
            let text = format!(
                "| requirement | where | tests |\n|---|---|---|\n| a `x` | `b` | {column} |\n"
            );
            let rows: Vec<&str> = rows(&text).collect();
            assert_eq!(rows.len(), 1, "{column}");
            match judge(rows[0], &tests, is_file) {
                Ok(()) => assert_eq!(fault, "", "{column}"),
                Err(why) => {
                    assert!(!fault.is_empty() && why.contains(fault), "{column}: {why}");
                }
            }
        }
    }
}
