//! Checks that every link of a page to a file of this repository leads to one, and to a heading where it names one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use toolsure_testkit::place;
use toolsure_testkit::tally::Tally;

pub(crate) fn check(workspace: &Path, tally: &mut Tally) -> Result<(), String> {
    let mut anchors: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for inner in pages(workspace)? {
        let page = workspace.join(&inner);
        let text = place::text(&page)?;
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let file = match path {
                "" => page.clone(),
                path => page.parent().unwrap_or(workspace).join(path),
            };
            let is_page = file.extension().is_some_and(|end| end == "md") && file.is_file();
            if is_page && !anchor.is_empty() && !anchors.contains_key(&file) {
                anchors.insert(file.clone(), headings(&place::text(&file)?));
            }
            let is_there = match anchors.get(&file) {
                Some(known) if is_page && !anchor.is_empty() => {
                    known.iter().any(|heading| heading == anchor)
                }
                _ => file.exists(),
            };
            tally.record(match is_there {
                true => Ok(()),
                false => Err(format!("{inner}: `{link}` leads nowhere")),
            });
        }
    }
    Ok(())
}

/// The pages that git knows, or would add.
fn pages(workspace: &Path) -> Result<Vec<String>, String> {
    let mut git = Command::new("git");
    git.current_dir(workspace);
    git.args([
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "*.md",
    ]);
    let output = git
        .output()
        .map_err(|error| format!("git ls-files: {error}"))?;
    let names = String::from_utf8_lossy(&output.stdout);
    let names = names
        .split('\0')
        .filter(|name| workspace.join(name).is_file());
    let names: Vec<String> = names.map(str::to_owned).collect();
    match names.is_empty() {
        true => Err("git ls-files names no page".to_owned()),
        false => Ok(names),
    }
}

/// The targets of links within the repository, outside of code.
fn links(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in prose(text) {
        // What stands between backticks is code.
        for part in line.split('`').step_by(2) {
            found.extend(part.split("](").skip(1).filter_map(|rest| {
                let (target, _) = rest.split_once(')')?;
                let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
                (!is_elsewhere && !target.contains(' ')).then_some(target)
            }));
        }
    }
    found
}

/// The anchors of a page's headings, as GitHub makes them.
fn headings(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in prose(text) {
        let words = line.trim_start_matches('#');
        if words.len() == line.len() || !words.starts_with(' ') {
            continue;
        }
        let kept = words.trim().chars().filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
            _ => None,
        });
        let anchor: String = kept.collect();
        let before = found.iter().filter(|known| {
            let rest = known.strip_prefix(anchor.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty()
                    || rest
                        .strip_prefix('-')
                        .is_some_and(|number| number.parse::<u32>().is_ok())
            })
        });
        match before.count() {
            0 => found.push(anchor),
            number => found.push(format!("{anchor}-{number}")),
        }
    }
    found
}

/// The lines outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_outside_of_code() {
        let text =
            "[a](b.md) `[c](d.md)` [`e`](f.md#g) [h](https://x.y)\n```\n[i](j.md)\n```\n[k](#l)";
        assert_eq!(links(text), ["b.md", "f.md#g", "#l"]);
    }

    #[test]
    fn headings_have_the_anchors_of_github() {
        let text = "# Who waits?\n## `a_b` and C\n```\n# no\n```\n## Who waits?\n#no";
        assert_eq!(headings(text), ["who-waits", "a_b-and-c", "who-waits-1"]);
    }
}
