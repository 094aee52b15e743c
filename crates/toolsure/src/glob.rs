//! Patterns of names and paths: `*` and `?` within one part of a path, `**` for any parts.

use std::path::{Path, PathBuf};

use toolsure_guard::policy::name_matches;
use toolsure_json::quote;

use crate::exit::Failure;

/// The files that an argument stands for if it is a folder or a pattern; `None` if it names one
/// file, or standard input.
pub(crate) fn expand(
    word: &str,
    wanted: impl Fn(&Path) -> bool,
) -> Result<Option<Vec<PathBuf>>, Failure> {
    let path = Path::new(word);
    if path.is_dir() || (!path.exists() && is_pattern(word)) {
        let word = word.strip_suffix('/').unwrap_or(word);
        return files(word, wanted).map(Some).map_err(Failure::usage);
    }
    Ok(None)
}

/// Whether a command-line argument is a pattern.
fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?'])
}

/// The files below a folder, or those that match a path pattern, sorted by path. Skips
/// `node_modules`, `target` and hidden folders other than `.vscode`, unless the pattern names them,
/// and does not follow links to folders.
fn files(word: &str, wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, String> {
    let parts: Vec<&str> = word.split('/').collect();
    let fixed = parts.iter().take_while(|part| !is_pattern(part)).count();
    let (folder, patterns) = match is_pattern(word) {
        false => (word.to_owned(), vec!["**", "*"]),
        true => {
            let (fixed, patterns) = parts.split_at(fixed.min(parts.len()));
            (fixed.join("/"), patterns.to_vec())
        }
    };
    let folder = match (folder.as_str(), word.starts_with('/')) {
        ("", true) => PathBuf::from("/"),
        ("", false) => PathBuf::from("."),
        (folder, _) => PathBuf::from(folder),
    };
    let mut found = Vec::new();
    let mut todo = vec![(folder.clone(), Vec::new())];
    while let Some((folder, parts)) = todo.pop() {
        let entries = std::fs::read_dir(&folder).map_err(|error| {
            let name = folder.display().to_string();
            format!("cannot read the folder `{}`: {error}", quote(&name, 200))
        })?;
        for entry in entries.filter_map(Result::ok) {
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            let mut parts = parts.clone();
            parts.push(name.clone());
            let left_out = name.starts_with('.') || LEFT_OUT.contains(&name.as_str());
            let named = patterns.contains(&name.as_str()) || word.split('/').any(|one| one == name);
            if kind.is_dir() {
                if (!left_out || named || name == ".vscode") && parts.len() < DEEPEST {
                    todo.push((entry.path(), parts));
                }
            } else if path_matches(&patterns, &parts) && wanted(&entry.path()) {
                if found.len() >= MOST_FILES {
                    let word = quote(word, 200);
                    return Err(format!("`{word}` matches more than {MOST_FILES} files"));
                }
                let path = entry.path();
                let short = path.strip_prefix("./").map(Path::to_owned);
                found.push(short.unwrap_or(path));
            }
        }
    }
    found.sort();
    Ok(found)
}

fn path_matches(patterns: &[&str], parts: &[String]) -> bool {
    // For each way to match the parts so far, the number of patterns that it uses.
    let mut states = vec![0_usize];
    let skip = |states: &mut Vec<usize>| {
        let mut index = 0;
        while let Some(state) = states.get(index).copied() {
            let next = state.saturating_add(1);
            if patterns.get(state) == Some(&"**") && !states.contains(&next) {
                states.push(next);
            }
            index = index.saturating_add(1);
        }
    };
    skip(&mut states);
    for part in parts {
        let mut next = Vec::new();
        for state in states {
            match patterns.get(state) {
                Some(&"**") => next.push(state),
                Some(pattern) if name_matches(pattern, part) => next.push(state.saturating_add(1)),
                _ => {}
            }
        }
        next.dedup();
        skip(&mut next);
        states = next;
    }
    states.contains(&patterns.len())
}

const LEFT_OUT: [&str; 2] = ["node_modules", "target"];
const MOST_FILES: usize = 10_000;
const DEEPEST: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_stars_stand_for_any_folders() {
        for (pattern, path, fits) in [
            ("**/*", "a", true),
            ("**/*.json", "a/b/c.json", true),
            ("*.json", "a/c.json", false),
            ("a/**/c", "a/c", true),
            ("a/**/c", "b/c", false),
        ] {
            let patterns: Vec<&str> = pattern.split('/').collect();
            let parts: Vec<String> = path.split('/').map(str::to_owned).collect();
            assert_eq!(path_matches(&patterns, &parts), fits, "{pattern} {path}");
        }
    }
}
