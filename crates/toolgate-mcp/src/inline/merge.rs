//! When two schemas for one value can be one object.

use super::write::Task;

/// A member of a schema that is being put together.
#[derive(Clone)]
pub(super) struct Member {
    /// The keyword.
    pub(super) name: String,
    /// The key as it will be written, quotes included.
    pub(super) key: String,
    /// The value, piece by piece.
    pub(super) value: Vec<Task>,
    /// The value's text, if no schema stands in it.
    pub(super) literal: Option<String>,
    /// How many items the value has, if it is an array.
    pub(super) items: Option<usize>,
}

/// Takes the members of `target` in at index `at`, if both schemas then say
/// what they said apart. Otherwise nothing is changed and the answer is `false`.
pub(super) fn merge(own: &mut Vec<Member>, at: usize, target: &[Member]) -> bool {
    if !can_merge(own, target) {
        return false;
    }
    let news = target
        .iter()
        .filter(|theirs| own.iter().all(|ours| ours.name != theirs.name))
        .cloned()
        .collect::<Vec<_>>();
    let at = at.min(own.len());
    own.splice(at..at, news);
    true
}

fn can_merge(own: &[Member], target: &[Member]) -> bool {
    let mut asserting = own.iter().filter(|member| !is_silent(&member.name));
    if asserting.clone().next().is_none() {
        return true;
    }
    // What the target has evaluated it must find out alone.
    if target.iter().any(|m| m.name.starts_with("unevaluated")) {
        return false;
    }
    let apart = |theirs: &Member| {
        is_silent(&theirs.name)
            || own
                .iter()
                .filter(|ours| ours.name == theirs.name)
                .all(|ours| ours.literal.is_some() && ours.literal == theirs.literal)
    };
    if !target.iter().all(apart) {
        return false;
    }
    asserting.all(|ours| {
        let group = group(&ours.name);
        group.is_none()
            || target
                .iter()
                .all(|theirs| self::group(&theirs.name) != group)
    })
}

/// Whether a keyword says nothing about the value.
pub(super) fn is_silent(name: &str) -> bool {
    matches!(
        name,
        "title"
            | "description"
            | "default"
            | "examples"
            | "deprecated"
            | "readOnly"
            | "writeOnly"
            | "$comment"
            | "$schema"
            | "$id"
            | "$vocabulary"
    )
}

/// Keywords of one object that read each other.
fn group(name: &str) -> Option<u8> {
    Some(match name {
        "properties" | "patternProperties" | "additionalProperties" => 0,
        "prefixItems" | "items" | "additionalItems" => 1,
        "contains" | "minContains" | "maxContains" => 2,
        "if" | "then" | "else" => 3,
        "contentEncoding" | "contentMediaType" | "contentSchema" => 4,
        _ => return None,
    })
}
