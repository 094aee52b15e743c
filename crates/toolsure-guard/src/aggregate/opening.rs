//! Merges what all servers answer when a client opens: to `initialize` and to `server/discover`.

use toolsure_json::{Kind, Node as _, View, json_string, push_json_string, quote};
use toolsure_mcp::era::Era;

use super::fan_out::{FanOut, Part, refuses_discovery};
use super::merge::{DEPTH, changing, freshness, grouped, merged};
use super::route::Route;
use crate::implementation::TOOLSURE;
use crate::reading::OwnedReading;

/// The merged answer to `initialize`, and the version in it.
pub(super) fn merged_opening(routes: &[Route], fan_out: &FanOut) -> (Option<Era>, String) {
    let answers = fan_out.answers();
    let roots = roots(&answers);
    let version = roots
        .iter()
        .filter_map(|(_, root)| text_of(*root, "protocolVersion"));
    // Versions are dates and sort as strings: all servers can speak the oldest one.
    let version = version.min().unwrap_or_default();
    let mut out = String::from(r#"{"protocolVersion":"#);
    push_json_string(&mut out, version);
    out.push_str(",\"capabilities\":");
    out.push_str(&capabilities(&roots, roots.len() < routes.len()));
    out.push_str(",\"serverInfo\":");
    out.push_str(TOOLSURE);
    push_instructions(&mut out, routes, &roots);
    out.push('}');
    (Era::from_version(version), out)
}

/// Why `server/discover` is answered by an error: a server says that it does not know the method. A
/// client of both eras then opens a session that all servers can serve. A server that is down, hangs or
/// sends an invalid answer does not count.
pub(super) fn who_refuses_discovery(routes: &[Route], fan_out: &FanOut) -> Option<String> {
    let mut both = routes.iter().zip(fan_out.parts());
    let refuses = |part: &Part| matches!(part, Part::Failed(code, _) if refuses_discovery(*code));
    let (route, _) = both.find(|(route, part)| route.gone.is_none() && refuses(part))?;
    Some(format!(
        "`{}` does not know `server/discover`",
        route.shown()
    ))
}

/// The merged answer to `server/discover`.
pub(super) fn merged_discovery(routes: &[Route], fan_out: &FanOut) -> String {
    let answers = fan_out.answers();
    let roots = roots(&answers);
    let listed = |root: View<'_>| -> Vec<String> {
        let versions = root.member("supportedVersions");
        let versions = versions.into_iter().flat_map(|versions| versions.items());
        versions
            .map(|version| version.string().to_owned())
            .collect()
    };
    let mut versions = roots.iter().map(|(_, root)| listed(*root));
    let mut common = versions.next().unwrap_or_default();
    for other in versions {
        common.retain(|version| other.contains(version));
    }
    let common: Vec<String> = common.iter().map(|version| json_string(version)).collect();
    let mut out = format!(
        r#"{{"resultType":"complete","supportedVersions":[{}],"capabilities":"#,
        common.join(",")
    );
    out.push_str(&capabilities(&roots, roots.len() < routes.len()));
    push_instructions(&mut out, routes, &roots);
    let fresh = freshness(roots.iter().map(|(_, root)| *root), false);
    out.push_str(&format!(
        r#",{fresh},"_meta":{{"io.modelcontextprotocol/serverInfo":{TOOLSURE}}}}}"#
    ));
    out
}

/// The union of the servers' capabilities. Lists can change, since servers come and go.
fn capabilities(roots: &[(usize, View<'_>)], some_missing: bool) -> String {
    let all = roots
        .iter()
        .filter_map(|(_, root)| root.member("capabilities"));
    let all: Vec<View<'_>> = all.filter(|it| it.kind() == Kind::Object).collect();
    let mut members: Vec<String> = Vec::new();
    for (name, of) in grouped(&all) {
        let value = match name {
            "tools" | "prompts" | "resources" => changing(&of),
            _ => merged(&of, DEPTH),
        };
        members.push(format!("{}:{value}", json_string(name)));
    }
    if some_missing && !all.iter().any(|one| one.member("tools").is_some()) {
        members.push(r#""tools":{"listChanged":true}"#.to_owned());
    }
    format!("{{{}}}", members.join(","))
}

/// The instructions of each server, under its name.
fn push_instructions(out: &mut String, routes: &[Route], roots: &[(usize, View<'_>)]) {
    let mut parts = Vec::new();
    for (route, root) in roots {
        let (Some(route), Some(text)) = (routes.get(*route), text_of(*root, "instructions")) else {
            continue;
        };
        parts.push(format!(
            "# {} (names begin with {})\n\n{text}",
            route.name, route.prefix
        ));
    }
    if !parts.is_empty() {
        out.push_str(",\"instructions\":");
        push_json_string(out, &parts.join("\n\n"));
    }
}

/// Why the result of `initialize` opens no session.
pub(super) fn unusable_opening(result: View<'_>) -> Option<String> {
    let Some(version) = text_of(result, "protocolVersion") else {
        return Some("its answer to `initialize` names no `protocolVersion`".to_owned());
    };
    let known = Era::from_version(version).is_some_and(Era::has_sessions);
    (!known).then(|| {
        let shown = quote(version, 60);
        format!("it answers `initialize` with the protocol version `{shown}`")
    })
}

fn roots(answers: &[(usize, OwnedReading)]) -> Vec<(usize, View<'_>)> {
    let answers = answers.iter();
    answers
        .map(|(route, answer)| (*route, answer.root()))
        .collect()
}

fn text_of<'a>(object: View<'a>, name: &str) -> Option<&'a str> {
    let member = object.member(name)?;
    (member.kind() == Kind::String).then(|| member.string())
}
