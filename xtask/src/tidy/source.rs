//! A Rust file for tidy: its code without tests and comments, and the paths in that code.

/// The part of a file before the first unindented `#[cfg(test)]`.
pub(crate) fn code_part(text: &str) -> &str {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test,") {
            return text.get(..at).unwrap_or(text);
        }
        at += line.len();
    }
    text
}

/// Code without comments, so that prose does not count as names.
pub(crate) fn without_comments(code: &str) -> String {
    let mut kept = String::new();
    for line in code.lines() {
        let line = match line.split_once("//") {
            // why: the slashes of `"https://…"` are not a comment; a quote comes before them.
            Some((before, _)) if !before.contains('"') => before,
            _ => line,
        };
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

/// The names directly below the crate's root in the paths of `code`: those after `crate::`, and
/// those after `depth` times `super::`.
pub(crate) fn modules_named(code: &str, depth: usize) -> Vec<String> {
    let mut found = names_after(code, "crate::");
    if depth > 0 {
        found.extend(names_after(code, &"super::".repeat(depth)));
    }
    found.sort();
    found.dedup();
    found
}

/// Whether a path in `code` begins with `name::`.
pub(crate) fn names_package(code: &str, name: &str) -> bool {
    let path = format!("{name}::");
    code.match_indices(&path)
        .any(|(at, _)| begins_path(code.get(..at).unwrap_or_default()))
}

/// Every name after `prefix`, or every first name in a `{…}` group after it.
fn names_after(code: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        if !begins_path(code.get(..at).unwrap_or_default()) {
            continue;
        }
        let rest = code.get(at + prefix.len()..).unwrap_or_default();
        match rest.strip_prefix('{') {
            Some(group) => found.extend(group_names(group)),
            None => found.push(identifier(rest)),
        }
    }
    // why: `super::super::x` also matches the shorter prefix, and `super` is not a name.
    found.retain(|name| !name.is_empty() && name != "super");
    found
}

/// The first names of the group's members, up to the closing brace.
fn group_names(group: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut expected = true;
    for (at, character) in group.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => expected = true,
            _ if expected && is_name(character) => {
                found.push(identifier(group.get(at..).unwrap_or_default()));
                expected = false;
            }
            _ => {}
        }
    }
    found
}

fn begins_path(before: &str) -> bool {
    !before.ends_with(|character| is_name(character) || character == ':' || character == '$')
}

fn identifier(text: &str) -> String {
    text.chars()
        .take_while(|character| is_name(*character))
        .collect()
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_single_paths_are_named() {
        let code = "use crate::plan::Op;\nuse crate::{int, limits::{A, B},\n  error};\nlet x = crate::json::y();";
        assert_eq!(
            modules_named(code, 1),
            ["error", "int", "json", "limits", "plan"]
        );
    }

    #[test]
    fn only_enough_supers_leave_the_module() {
        let code = "use super::frame; use super::super::plan::Op;";
        assert_eq!(modules_named(code, 2), ["plan"]);
        assert_eq!(modules_named("use super::plan;", 1), ["plan"]);
        assert!(modules_named("use super::frame;", 2).is_empty());
    }

    #[test]
    fn tests_and_comments_do_not_count() {
        let text = "use a;\n// crate::b\n#[cfg(test)]\nmod tests { use crate::c; }\n";
        assert!(modules_named(&without_comments(code_part(text)), 1).is_empty());
        assert!(names_package(
            "let x = serde_json::from_str();",
            "serde_json"
        ));
        assert!(!names_package(
            "let x = my_serde_json::from_str();",
            "serde_json"
        ));
    }
}
