//! Merges what several servers say into one.

use toolsure_json::{Kind, Node as _, View, json_string};
use toolsure_mcp::message::Edits;

use crate::message::Message;

/// Groups the members of objects by name, in the order of their first occurrence.
pub(super) fn grouped<'a>(objects: &[View<'a>]) -> Vec<(&'a str, Vec<View<'a>>)> {
    let mut groups: Vec<(&str, Vec<View<'_>>)> = Vec::new();
    for object in objects {
        for (key, value) in object.members() {
            let name = toolsure_json::Key::text(key);
            match groups.iter_mut().find(|(own, _)| *own == name) {
                Some((_, values)) => values.push(value),
                None => groups.push((name, vec![value])),
            }
        }
    }
    groups
}

/// Merges several values into one: objects member by member; booleans are true if one is true; for
/// other values the first one counts.
pub(super) fn merged(values: &[View<'_>], depth: usize) -> String {
    let Some(first) = values.first() else {
        return "{}".to_owned();
    };
    let all = |kind: Kind| values.iter().all(|value| value.kind() == kind);
    if all(Kind::Object) && depth > 0 {
        let members = grouped(values).into_iter();
        let members = members.map(|(name, of)| {
            format!(
                "{}:{}",
                json_string(name),
                merged(&of, depth.saturating_sub(1))
            )
        });
        return format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    }
    if all(Kind::Boolean) {
        return values.iter().any(|value| value.boolean()).to_string();
    }
    first.raw().to_owned()
}

pub(super) fn changing(values: &[View<'_>]) -> String {
    let mut members = vec![r#""listChanged":true"#.to_owned()];
    for (name, of) in grouped(values) {
        if name != "listChanged" {
            members.push(format!("{}:{}", json_string(name), merged(&of, DEPTH)));
        }
    }
    format!("{{{}}}", members.join(","))
}

/// How long a merged answer may be cached (2026-07-28, server/utilities/caching): as long as its
/// shortest-lived part, and only a moment if a part is missing. It is private, because a part may be
/// private and all pages of a list must agree.
pub(super) fn freshness<'a>(parts: impl Iterator<Item = View<'a>>, some_missing: bool) -> String {
    let each = parts.map(|part| {
        let ttl = part
            .member("ttlMs")
            .filter(|ttl| ttl.kind() == Kind::Number);
        ttl.and_then(|ttl| ttl.number().as_i64())
            .unwrap_or(0)
            .max(0)
    });
    let shortest = each.min().unwrap_or(0);
    let ttl = if some_missing {
        shortest.min(MOMENT_MS)
    } else {
        shortest
    };
    format!(r#""ttlMs":{ttl},"cacheScope":"private""#)
}

/// The text of one message of a line, or of a part of it.
pub(super) fn message_text<'m>(whole: &'m Message, message: View<'_>) -> &'m str {
    let span = message.span();
    whole.text().get(span.start..span.end).unwrap_or_default()
}

/// One message of a line with its edits applied. A message of a batch is sent alone.
pub(super) fn spliced(edits: &Edits, whole: &Message, message: View<'_>) -> String {
    let span = message.span();
    edits.apply_within(whole.text(), span.start, span.end)
}

/// How deep the declarations of several servers are merged.
pub(super) const DEPTH: usize = 8;
const MOMENT_MS: i64 = 1_000;
