//! Merges two schemas for one value into one object, if that is possible.

use std::collections::HashMap;

use toolsure_syntax::{Keyword, Vocabulary};

use super::task::Task;

/// A member of a schema that is being assembled.
#[derive(Clone)]
pub(super) struct Member {
    /// The keyword.
    pub(super) name: String,
    /// The key as it will be written, including its quotes.
    pub(super) key: String,
    /// The value, piece by piece.
    pub(super) value: Vec<Task>,
    /// The value's text, if it contains no schema.
    pub(super) literal: Option<String>,
    /// How many items the value has, if it is an array.
    pub(super) items: Option<usize>,
}

/// Inserts the members of `target` at index `at`, if the merged schema means the same as both schemas
/// apart. Otherwise changes nothing and returns `false`.
///
/// Takes one look-up for each member.
pub(super) fn merge(own: &mut Vec<Member>, at: usize, target: &[Member]) -> bool {
    let by_name: HashMap<&str, &Member> = own.iter().map(|m| (m.name.as_str(), m)).collect();
    if !can_merge(own, &by_name, target) {
        return false;
    }
    let news: Vec<Member> = target
        .iter()
        .filter(|theirs| !by_name.contains_key(theirs.name.as_str()))
        .cloned()
        .collect();
    let at = at.min(own.len());
    own.splice(at..at, news);
    true
}

fn can_merge(own: &[Member], by_name: &HashMap<&str, &Member>, target: &[Member]) -> bool {
    if own.iter().all(|member| is_silent(&member.name)) {
        return true;
    }
    let mut groups = [false; GROUPS];
    for group in own.iter().filter_map(|member| group(&member.name)) {
        if let Some(taken) = groups.get_mut(group) {
            *taken = true;
        }
    }
    target.iter().all(|theirs| {
        // The target must determine on its own what it has evaluated.
        let alone = theirs.name.starts_with("unevaluated");
        let read_by_others = group(&theirs.name).and_then(|group| groups.get(group).copied());
        let same = by_name
            .get(theirs.name.as_str())
            .is_none_or(|ours| ours.literal.is_some() && ours.literal == theirs.literal);
        is_silent(&theirs.name) || (!alone && read_by_others != Some(true) && same)
    })
}

/// Whether a keyword asserts nothing about the value.
pub(super) fn is_silent(name: &str) -> bool {
    let Some(keyword) = Keyword::from_name(name) else {
        return false;
    };
    let (_, _, vocabulary) = keyword.home();
    vocabulary == Vocabulary::MetaData
        || matches!(
            keyword,
            Keyword::Comment | Keyword::Schema | Keyword::Id | Keyword::Vocabulary
        )
}

/// Keywords of one object that depend on each other.
fn group(name: &str) -> Option<usize> {
    Some(match name {
        "properties" | "patternProperties" | "additionalProperties" => 0,
        "prefixItems" | "items" | "additionalItems" => 1,
        "contains" | "minContains" | "maxContains" => 2,
        "if" | "then" | "else" => 3,
        "contentEncoding" | "contentMediaType" | "contentSchema" => 4,
        _ => return None,
    })
}

/// The number of groups.
const GROUPS: usize = 5;
