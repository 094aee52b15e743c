//! Checks that the public types of the crates that nobody outside this project depends on are used by its other crates.

use std::collections::BTreeSet;
use std::path::Path;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

use super::source;
use crate::api;

/// Looks for public types that the code of no other crate leads to.
pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    for name in CRATES {
        let own = workspace.join("crates").join(name);
        let listing = api::listing(&own)?;
        let code = code_of_others(workspace, &own, &name.replace('-', "_"))?;
        let mut unused = unused(&listing, &words(&code).collect());
        unused.retain(|one| !FOR_TESTS.contains(&one.as_str()));
        for one in unused {
            tally.fail(format!(
                "`{name}`: the public type `{one}` is used by no other crate that ships"
            ));
        }
        tally.record(Ok(()));
    }
    Ok(())
}

/// The code of the other crates that ship, without comments and tests, of the files that name the crate.
fn code_of_others(workspace: &Path, own: &Path, name: &str) -> Result<String, String> {
    let mut code = String::new();
    for folder in ["crates", "bindings"] {
        for path in place::files(&workspace.join(folder), "rs")? {
            let within = |name| path.components().any(|part| part.as_os_str() == name);
            let left_out = ["tests", "tests.rs", "target"].into_iter().any(within);
            if within("src") && !left_out && !path.starts_with(own) {
                let text = place::text(&path)?;
                let text = source::without_comments(source::code_part(&text));
                if source::names_package(&text, name) {
                    code.push_str(&text);
                }
            }
        }
    }
    Ok(code)
}

/// The types of a listing as `api` makes it that are neither named among `used` nor lead there from one that is:
/// by a public field, a signature or a bound. An `impl` of a trait leads nowhere.
fn unused(listing: &str, used: &BTreeSet<&str>) -> Vec<String> {
    let items: Vec<(&str, &str)> = listing.lines().filter_map(item).collect();
    let is_type = |line: &&str| TYPES.iter().any(|kind| line.starts_with(kind));
    let types: BTreeSet<&str> = listing
        .lines()
        .filter(is_type)
        .filter_map(|line| item(line)?.0.rsplit("::").next())
        .collect();
    let mut reached: BTreeSet<&str> = used.clone();
    loop {
        let owned = items.iter().filter(|(owner, _)| {
            // A field or a variant belongs to the type that its path passes through, not to a module.
            let mut names = owner.rsplit("::").enumerate();
            names.any(|(nth, name)| (nth == 0 || types.contains(name)) && reached.contains(name))
        });
        let more: Vec<&str> = owned
            .flat_map(|(_, text)| words(text))
            .filter(|word| types.contains(word) && !reached.contains(word))
            .collect();
        if more.is_empty() {
            break;
        }
        reached.extend(more);
    }
    types
        .difference(&reached)
        .map(|&name| name.to_owned())
        .collect()
}

/// The path of what a line of a listing belongs to, and the line's text.
fn item(line: &str) -> Option<(&str, &str)> {
    let (kind, rest) = line.split_once(' ')?;
    if matches!(kind, "impl" | "use" | "mod") {
        return None;
    }
    // A signature may begin with `async`, `const` or `unsafe`.
    let rest = rest.strip_prefix("fn ").unwrap_or(rest);
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let path = rest.get(..end.unwrap_or(rest.len()))?;
    Some((path.trim_end_matches(':'), line))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_')
}

/// The crates that are made for the command only.
const CRATES: [&str; 2] = ["toolsure-guard", "toolsure-proxy"];
/// Without an observer, which tests, examples and fuzz targets do not need, a guard cannot be served.
const FOR_TESTS: [&str; 1] = ["Unobserved"];
const TYPES: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];

#[cfg(test)]
mod tests {
    use super::*;

    const LISTING: &str = "\
enum Word: Debug
field Sentence.words: Vec<Word>
fn book::read<R: book::Reader>(from: R) -> Result<Sentence, Torn>
impl Quiet for Sentence (Sentence)
in Lonely: fn friend(&self) -> Friend
in Sentence: fn first(&self) -> Option<Letter<'_>>
struct Friend
struct Letter<'a>
struct Lonely
struct Sentence: Debug
struct Torn
trait Quiet
trait book::Reader
";

    #[test]
    fn a_type_that_nothing_leads_to_is_found() {
        let unused = |code| unused(LISTING, &words(code).collect());
        let found = ["Friend", "Lonely", "Quiet"];
        assert_eq!(unused("let sentence = book::read(file)?;"), found);
        assert_eq!(unused("use book::{Lonely, Quiet, read};"), [""; 0]);
        assert_eq!(
            unused("let sentence: Sentence;"),
            ["Friend", "Lonely", "Quiet", "Reader", "Torn"]
        );
    }
}
