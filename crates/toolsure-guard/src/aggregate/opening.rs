//! Opens sessions: with all servers at first, with one of them late or again, and merges the result
//! that the client sees.

use std::time::Duration;

use toolsure_json::{Kind, Node as _, View, json_string, push_json_string, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use super::Aggregator;
use super::fan_out::{FanOut, Part, refuses_discovery};
use super::merge::{DEPTH, changing, freshness, grouped, merged};
use super::pending::{Role, Sending};
use super::route::{Abilities, Route, Session};
use crate::connection::ConnectionId;
use crate::effect::Effect;
use crate::implementation::TOOLSURE;
use crate::message::Renamed;
use crate::reading::OwnedReading;

impl Aggregator {
    /// Opens a session with one server, with the parameters with which the client opened its own.
    pub(super) fn open(&mut self, member: usize) {
        self.replay(member, self.initialize.clone(), Role::Open);
        if let Some(route) = self.routes.get_mut(member) {
            let pause = match route.session {
                Session::Refused { pause, .. } => pause,
                _ => FIRST,
            };
            route.session = Session::Opening { pause };
        }
    }

    /// Retries the sessions that were refused, if their pause is over.
    pub(super) fn open_again(&mut self, now: Duration) {
        for route in 0..self.routes.len() {
            let due = self.routes.get(route).and_then(Route::retry_at);
            if due.is_some_and(|due| due <= now) {
                self.open(route);
            }
        }
    }

    pub(super) fn is_opening(&self, route: usize) -> bool {
        let session = self.routes.get(route).map(|route| &route.session);
        matches!(session, Some(Session::Opening { .. }))
    }

    /// Handles an answer to the client's own `initialize`; `late` if the client already has its answer.
    pub(super) fn opened_in_part(
        &mut self,
        route: usize,
        answer: Result<&&str, &(i64, String)>,
        late: bool,
        now: Duration,
    ) {
        let result = answer.map(|text| OwnedReading::read(*text));
        let abilities = match &result {
            Ok(Ok(result)) => Ok(abilities(result.root())),
            Ok(Err(error)) => Err(error.to_string()),
            Err((_, why)) => Err(why.clone()),
        };
        self.settle(route, abilities, late, now);
    }

    /// Handles an answer to an `initialize` of our own.
    pub(super) fn opened(&mut self, route: usize, answer: Result<View<'_>, String>, now: Duration) {
        let answer = answer.and_then(|result| match unusable_opening(result) {
            Some(why) => Err(why),
            None => Ok(abilities(result)),
        });
        self.settle(route, answer, true, now);
    }

    fn settle(
        &mut self,
        route: usize,
        answer: Result<Abilities, String>,
        late: bool,
        now: Duration,
    ) {
        let Some(own) = self
            .routes
            .get_mut(route)
            .filter(|route| route.gone.is_none())
        else {
            return;
        };
        let pause = match own.session {
            Session::Opening { pause } => pause,
            _ => FIRST,
        };
        match answer {
            Ok(abilities) => {
                own.session = Session::Open(abilities);
                if late {
                    self.tell_version(route);
                    self.come_in(route, abilities);
                }
            }
            Err(why) => {
                let shown = quote(&why, 200).to_string();
                own.session = Session::Refused {
                    why: shown.clone(),
                    retry_at: now.saturating_add(pause),
                    pause: pause.saturating_mul(2).min(LONGEST),
                };
                self.note(route, "server-refused", shown);
            }
        }
    }

    /// Handles the opening of a server that the client had to do without so far.
    fn come_in(&mut self, route: usize, abilities: Abilities) {
        self.note(route, "server-here", "it is open again");
        if !self.initialized {
            return;
        }
        let ready = write::notification("notifications/initialized", None);
        self.tell_server(route, ready);
        if abilities.logging {
            self.replay(route, self.level.clone(), Role::Quiet);
        }
        self.changed(abilities);
    }

    fn replay(&mut self, route: usize, text: Option<String>, role: Role) {
        let Some(text) = text else { return };
        self.reread((&text, None), |it, whole, request| {
            let sending = Sending {
                route,
                role,
                renamed: Renamed::default(),
            };
            it.send(whole, request, sending);
        });
    }

    /// Tells every server's stage the version of the client's session.
    pub(super) fn agree(&mut self, version: Option<Era>) {
        self.version = version;
        for route in 0..self.routes.len() {
            self.tell_version(route);
        }
    }

    fn tell_version(&mut self, route: usize) {
        if let Some(version) = self.version {
            let connection = ConnectionId::new(route);
            self.out.push(Effect::ClientVersion(connection, version));
        }
    }

    /// The merged answer to `initialize`, and the version in it.
    pub(super) fn merged_opening(&self, fan_out: &FanOut) -> (Option<Era>, String) {
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
        out.push_str(&self.capabilities(&roots, roots.len() < self.routes.len()));
        out.push_str(",\"serverInfo\":");
        out.push_str(TOOLSURE);
        self.push_instructions(&mut out, &roots);
        out.push('}');
        (Era::from_version(version), out)
    }

    /// Why `server/discover` is answered by an error: a server says that it does not know the method. A
    /// client of both eras then opens a session that all servers can serve. A server that is down, hangs or
    /// sends an invalid answer does not count.
    pub(super) fn who_refuses_discovery(&self, fan_out: &FanOut) -> Option<String> {
        let mut both = self.routes.iter().zip(fan_out.parts());
        let refuses =
            |part: &Part| matches!(part, Part::Failed(code, _) if refuses_discovery(*code));
        let (route, _) = both.find(|(route, part)| route.gone.is_none() && refuses(part))?;
        Some(format!(
            "`{}` does not know `server/discover`",
            route.shown()
        ))
    }

    /// The merged answer to `server/discover`.
    pub(super) fn merged_discovery(&self, fan_out: &FanOut) -> String {
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
        out.push_str(&self.capabilities(&roots, roots.len() < self.routes.len()));
        self.push_instructions(&mut out, &roots);
        let fresh = freshness(roots.iter().map(|(_, root)| *root), false);
        out.push_str(&format!(
            r#",{fresh},"_meta":{{"io.modelcontextprotocol/serverInfo":{TOOLSURE}}}}}"#
        ));
        out
    }

    /// The union of the servers' capabilities. Lists can change, since servers come and go.
    fn capabilities(&self, roots: &[(usize, View<'_>)], some_missing: bool) -> String {
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
    fn push_instructions(&self, out: &mut String, roots: &[(usize, View<'_>)]) {
        let mut parts = Vec::new();
        for (route, root) in roots {
            let (Some(route), Some(text)) =
                (self.routes.get(*route), text_of(*root, "instructions"))
            else {
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

fn abilities(result: View<'_>) -> Abilities {
    Abilities::of(result.member("capabilities"))
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

pub(super) const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
