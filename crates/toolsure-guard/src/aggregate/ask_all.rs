//! Asks all servers, waits for their answers, and answers the client with what they say together.

use std::time::Duration;

use toolsure_json::Node as _;
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{INTERNAL_ERROR, METHOD_NOT_FOUND, Request, write};

use super::Aggregator;
use super::client::empty;
use super::fan_out::{FanOut, FanOutKind, ListOf, Part, refuses_discovery};
use super::lists::{cursors, merged_list};
use super::opening::{merged_discovery, merged_opening, unusable_opening, who_refuses_discovery};
use super::pending::{Role, Sending, Sent};
use super::route::{Abilities, Route};
use crate::fault::Act;
use crate::message::{Message, Renamed};
use crate::reading::OwnedReading;

impl Aggregator {
    /// Asks all servers that may have something to return.
    pub(super) fn fan_out(
        &mut self,
        kind: FanOutKind,
        whole: &Message,
        request: &Request<'_>,
        now: Duration,
    ) {
        let cursors = match kind {
            FanOutKind::List(_) => match cursors(request.params, self.table.routes.len()) {
                Ok(cursors) => cursors,
                Err(why) => return self.out.refuse(request, Act::ClientSentBadParams, why),
            },
            _ => None,
        };
        let number = self.out.number();
        let mut fan_out = FanOut::new(request, kind, now);
        fan_out.first = cursors.is_none();
        let modern = fan_out.modern;
        for route in 0..self.table.routes.len() {
            let mut renamed = Renamed::default();
            if let Some((view, cursors)) = &cursors {
                match cursors.get(route) {
                    Some(Some(cursor)) => renamed = Renamed::value(*view, cursor.clone()),
                    _ => {
                        fan_out.add(Part::None);
                        continue;
                    }
                }
            }
            let has = |it: Abilities| match kind {
                FanOutKind::List(ListOf::Tools) => it.tools,
                FanOutKind::List(ListOf::Prompts) => it.prompts,
                FanOutKind::List(ListOf::Resources | ListOf::Templates) => it.resources,
                FanOutKind::Level => it.logging,
                FanOutKind::List(ListOf::Tasks) | FanOutKind::Initialize | FanOutKind::Discover => {
                    true
                }
            };
            let opening = kind == FanOutKind::Initialize;
            let absence = self.table.absence(route, modern || opening);
            let part = match absence {
                Some(why) => Part::Failed(INTERNAL_ERROR, why),
                None if !self
                    .table
                    .routes
                    .get(route)
                    .is_some_and(|route| route.may(modern || opening, has)) =>
                {
                    Part::None
                }
                None => {
                    let sending = Sending {
                        route,
                        role: Role::Part(number),
                        renamed,
                    };
                    self.out.send(whole, request, sending);
                    Part::Awaited
                }
            };
            fan_out.add(part);
        }
        fan_out.wait(self.bounds.patience);
        let complete = fan_out.is_complete();
        self.fan_outs.insert(number, fan_out);
        if complete {
            return self.finish(number);
        }
        self.hurry(number);
    }

    /// Shortens the wait if the only servers left are those that were silent the last time, so that a
    /// server that hangs does not delay every list of the others.
    fn hurry(&mut self, number: i64) {
        let Some(fan_out) = self.fan_outs.get_mut(&number) else {
            return;
        };
        let mut both = self.table.routes.iter().zip(fan_out.parts());
        if both.all(|(route, part)| route.silent || !matches!(part, Part::Awaited)) {
            fan_out.hurry();
        }
    }

    /// Takes one server's answer to a fan-out.
    pub(super) fn fan_out_answer(
        &mut self,
        number: i64,
        route: usize,
        answer: Result<&str, (i64, String)>,
        now: Duration,
    ) {
        let kind = self.fan_outs.get(&number).map(|it| it.kind);
        // A result without the expected members is an error.
        let answer = answer.and_then(|result| match kind.and_then(|it| unusable(it, result)) {
            Some(why) => Err(why),
            None => Ok(result),
        });
        let opening = kind.map(|it| it == FanOutKind::Initialize);
        let routes = &mut self.table.routes;
        if opening.unwrap_or_else(|| routes.get(route).is_some_and(Route::is_opening)) {
            let (answer, late) = (answer.as_ref(), opening.is_none());
            self.session
                .opened_in_part(route, answer, late, now, routes, &mut self.out);
        }
        let Some(fan_out) = self.fan_outs.get_mut(&number) else {
            return;
        };
        let refuses = answer
            .as_ref()
            .is_err_and(|(code, _)| refuses_discovery(*code));
        let part = match answer {
            Ok(result) => Part::Answer(result.to_owned()),
            Err((code, why)) => Part::Failed(code, why),
        };
        fan_out.set_part(route, part);
        let gone = self
            .table
            .routes
            .get(route)
            .is_some_and(|route| route.gone.is_some());
        let decided = fan_out.kind == FanOutKind::Discover && refuses && !gone;
        if decided || fan_out.is_complete() {
            return self.finish(number);
        }
        self.hurry(number);
    }

    /// Gives up waiting, and leaves out the servers that have not answered.
    pub(super) fn give_up(&mut self, number: i64) {
        let Some(fan_out) = self.fan_outs.get_mut(&number) else {
            return;
        };
        for (at, route) in self.table.routes.iter_mut().enumerate() {
            if matches!(fan_out.parts().get(at), Some(Part::Awaited)) {
                route.silent = true;
                let part = Part::Failed(INTERNAL_ERROR, "no answer in time".to_owned());
                fan_out.set_part(at, part);
            }
        }
        self.finish(number);
    }

    /// Merges the collected answers into one.
    fn finish(&mut self, number: i64) {
        let Some(fan_out) = self.fan_outs.remove(&number) else {
            return;
        };
        self.take_back(number, &fan_out);
        let failed = fan_out.parts().iter().enumerate();
        let failed = failed.filter_map(|(route, part)| match part {
            // A server without such a list does not count as missing.
            Part::Failed(METHOD_NOT_FOUND, _) if fan_out.kind != FanOutKind::Initialize => None,
            Part::Failed(_, why) => Some((route, why.clone())),
            _ => None,
        });
        let failed: Vec<(usize, String)> = failed.collect();
        for (route, why) in &failed {
            let what = format!("left out of an answer: {}", toolsure_json::quote(why, 200));
            self.out.note(*route, "left-out", what);
        }
        let answered = |part: &Part| matches!(part, Part::Answer(_));
        let nothing = !failed.is_empty() && !fan_out.parts().iter().any(answered);
        let unknown = match fan_out.kind {
            FanOutKind::Discover => who_refuses_discovery(&self.table.routes, &fan_out),
            _ => None,
        };
        let result = match fan_out.kind {
            FanOutKind::Discover if unknown.is_some() => {
                Err((METHOD_NOT_FOUND, unknown.unwrap_or_default()))
            }
            _ if nothing => Err((INTERNAL_ERROR, self.all_failed(&failed))),
            FanOutKind::Initialize => {
                let (version, answer) = merged_opening(&self.table.routes, &fan_out);
                let servers = self.table.routes.len();
                self.session.agree(version, servers, &mut self.out);
                Ok(answer)
            }
            FanOutKind::Discover => Ok(merged_discovery(&self.table.routes, &fan_out)),
            FanOutKind::List(of) => {
                let (table, out) = (&mut self.table, &mut self.out);
                Ok(merged_list(of, &fan_out, table, out))
            }
            FanOutKind::Level => {
                return self
                    .out
                    .send_to_client(empty(&fan_out.client.id, fan_out.modern));
            }
        };
        let id = &fan_out.client.id;
        match result {
            Ok(result) => {
                self.out.send_to_client(write::result(id, &result));
            }
            Err((code, why)) => {
                let refused = fan_out.refused.filter(|_| nothing);
                let act = match code {
                    METHOD_NOT_FOUND => Act::UnknownMethod,
                    _ => Act::ServerGone,
                };
                self.out.send_refusal(id, (act, code), &why, refused);
            }
        }
    }

    /// Cancels requests that are still open, except the opening of a session.
    fn take_back(&mut self, number: i64, fan_out: &FanOut) {
        if fan_out.kind == FanOutKind::Initialize {
            return;
        }
        let is_part = |sent: &Sent| matches!(sent.role, Role::Part(it) if it == number);
        for (own, sent) in self.out.sent.end_all(is_part) {
            self.out
                .tell_server(sent.route, write::cancellation(&own.to_string(), None));
        }
    }

    fn all_failed(&self, failed: &[(usize, String)]) -> String {
        let each = failed.iter().map(|(route, why)| {
            let own = format!("`{}`", self.table.shown(*route));
            if why.starts_with(&own) {
                why.clone()
            } else {
                format!("{own}: {why}")
            }
        });
        let each: Vec<String> = each.collect();
        format!("no server has answered: {}", each.join("; "))
    }
}

/// Why a result cannot be merged with others: it lacks the member that was asked for.
fn unusable(kind: FanOutKind, result: &str) -> Option<(i64, String)> {
    let broken = |why: &str| Some((INTERNAL_ERROR, why.to_owned()));
    let Ok(result) = OwnedReading::read(result) else {
        return broken("its answer cannot be read");
    };
    let root = result.root();
    match kind {
        FanOutKind::Initialize => unusable_opening(root).and_then(|why| broken(&why)),
        FanOutKind::Discover => {
            let versions = root.member("supportedVersions");
            let versions = versions.filter(|it| it.kind() == toolsure_json::Kind::Array);
            let Some(versions) = versions else {
                return broken("its answer to `server/discover` has no `supportedVersions`");
            };
            let eras = versions.items().map(|it| Era::from_version(it.string()));
            let eras: Vec<Era> = eras.flatten().collect();
            if eras.iter().any(|era| era.declares_version()) {
                None
            } else if eras.is_empty() {
                broken("its answer to `server/discover` names no version that is known here")
            } else {
                let why = "it must be opened with `initialize`".to_owned();
                Some((METHOD_NOT_FOUND, why))
            }
        }
        FanOutKind::List(of) => {
            let (member, _) = of.members();
            let listed = root.member(member);
            let is_list = listed.is_some_and(|it| it.kind() == toolsure_json::Kind::Array);
            (!is_list).then(|| (INTERNAL_ERROR, format!("its answer has no list `{member}`")))
        }
        FanOutKind::Level => None,
    }
}
