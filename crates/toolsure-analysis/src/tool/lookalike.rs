//! Names of members that some readers take for another one.

/// The members that decide how a tool is called.
pub const CONTRACT: [&str; 3] = ["name", "inputSchema", "outputSchema"];

/// The first of `names` that `member` differs from only in case; `None` if it is one of them. Readers that
/// ignore case, such as those in Go, would take it for that member.
///
/// ```
/// use toolsure_analysis::tool::{CONTRACT, lookalike};
///
/// assert_eq!(lookalike("InputSchema", &CONTRACT), Some("inputSchema"));
/// assert_eq!(lookalike("inputSchema", &CONTRACT), None);
/// ```
#[must_use]
pub fn lookalike(member: &str, names: &[&'static str]) -> Option<&'static str> {
    let long = names.iter().map(|name| name.len()).max().unwrap_or(0);
    // Letters of other scripts that fold to ASCII letters have at most 3 bytes.
    if member.len() > 3 * long || names.contains(&member) {
        return None;
    }
    let alike = |name: &&&str| case_folded(name).eq(case_folded(member));
    names.iter().find(alike).copied()
}

/// A name in the case that all of its forms share: `K`, `k` and the Kelvin sign are equal.
fn case_folded(name: &str) -> impl Iterator<Item = char> {
    name.chars()
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_differ_by_case_are_alike() {
        let names = &["id", "task", "params", "isError"];
        for (member, expected) in [
            ("id", None),
            ("ID", Some("id")),
            ("Params", Some("params")),
            ("param\u{17f}", Some("params")),
            ("tas\u{212a}", Some("task")),
            ("tasks", None),
            ("isError", None),
            ("IsError", Some("isError")),
            ("iserror", Some("isError")),
            ("i\u{17f}Error", Some("isError")),
            ("isErrors", None),
            ("", None),
        ] {
            assert_eq!(lookalike(member, names), expected, "{member}");
        }
    }
}
