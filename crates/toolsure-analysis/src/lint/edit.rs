//! Edits of a tool's text that keep it valid JSON.

use std::ops::Range;

use toolsure_json::{Key as _, Node as _, View};

use super::finding::Edit;
use super::tool::span;

/// The edit that removes a member from an object, with its comma.
pub(super) fn remove_member(object: View<'_>, name: &str) -> Option<Edit> {
    let members: Vec<(Range<usize>, Range<usize>, &str)> = object
        .members()
        .map(|(key, value)| (span(key.view()), span(value), key.text()))
        .collect();
    let at = members.iter().position(|(_, _, text)| *text == name)?;
    let (key, value, _) = members.get(at)?;
    let span = match (members.get(at.saturating_add(1)), at.checked_sub(1)) {
        (Some((next, _, _)), _) => key.start..next.start,
        (None, Some(before)) => members.get(before)?.1.end..value.end,
        (None, None) => key.start..value.end,
    };
    Some(Edit {
        span,
        text: String::new(),
    })
}

/// The edit that renames the member with this key.
pub(super) fn rename(key: View<'_>, new: &str) -> Option<Edit> {
    Some(Edit {
        span: span(key),
        text: format!("\"{new}\""),
    })
}

/// The edit that renames a member.
pub(super) fn rename_member(object: View<'_>, name: &str, new: &str) -> Option<Edit> {
    rename(object.member(name)?.name()?, new)
}
