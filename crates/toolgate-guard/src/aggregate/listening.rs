//! Streams of changes: what the client asked for, and what each server grants.

use std::time::Duration;

use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::message::Edits;

use super::merge::{DEPTH, merged};
use crate::reading::OwnedReading;
use crate::renumber::RequestOrigin;

/// One stream of the client.
#[derive(Debug)]
pub(super) struct Listening {
    pub(super) client: RequestOrigin,
    /// The request, sent again to servers that come back.
    pub(super) text: String,
    /// By server.
    pub(super) streams: Vec<Stream>,
    /// What was granted, each as JSON text.
    pub(super) granted: Vec<String>,
    /// When the stream is acknowledged with what is granted so far; `None` once it is acknowledged.
    pub(super) deadline: Option<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Asked,
    Open,
    /// The server ended the stream or refused to open it.
    Ended,
    /// The server is down; it is asked when it comes back.
    Waiting,
}

/// The lists whose changes a request asks for, with the names of their notifications.
pub(super) fn wanted_lists(text: &str) -> Vec<(&'static str, &'static str)> {
    let Ok(request) = OwnedReading::read(text) else {
        return Vec::new();
    };
    let root = request.root();
    let params = root.member("params");
    let wanted = params.and_then(|params| params.member("notifications"));
    let is_wanted = |name: &str| {
        let member = wanted.and_then(|wanted| wanted.member(name));
        member.is_some_and(|it| it.kind() == Kind::Boolean && it.boolean())
    };
    let kinds = LISTS.into_iter().filter(|(name, _)| is_wanted(name));
    kinds.collect()
}

/// What several servers grant: lists of URIs are joined.
pub(super) fn merged_grants(all: &[View<'_>]) -> String {
    let uris = all.iter();
    let uris = uris.filter_map(|one| one.member("resourceSubscriptions"));
    let uris: Vec<&str> = uris.flat_map(|uris| uris.items()).map(View::raw).collect();
    let rest = all.iter().map(|one| {
        let mut edits = Edits::new();
        edits.remove_member(*one, "resourceSubscriptions");
        edits.apply(one.document().source())
    });
    let rest: Vec<OwnedReading> = rest
        .filter_map(|text| OwnedReading::read(text).ok())
        .collect();
    let views: Vec<View<'_>> = rest.iter().map(|it| it.root()).collect();
    let all = merged(&views, DEPTH);
    if uris.is_empty() {
        return all;
    }
    let uris = format!(r#""resourceSubscriptions":[{}]"#, uris.join(","));
    match all.strip_prefix('{') {
        Some("}") => format!("{{{uris}}}"),
        Some(rest) => format!("{{{uris},{rest}"),
        None => all,
    }
}

const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "tools"),
    ("promptsListChanged", "prompts"),
    ("resourcesListChanged", "resources"),
];
