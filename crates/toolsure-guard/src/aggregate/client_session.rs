//! The session of a client, which each server has one of its own for: opened with all servers at first, and with
//! one of them late or again.

use std::time::Duration;

use toolsure_json::{Node as _, View, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::write;

use super::opening::unusable_opening;
use super::outbox::{Outbox, reread};
use super::pending::{Role, Sending};
use super::route::{Abilities, Route, Session};
use crate::connection::ConnectionId;
use crate::effect::Effect;
use crate::message::Renamed;
use crate::pause::Pause;
use crate::reading::OwnedReading;

/// How the client opened its session, in the eras that have sessions.
#[derive(Debug, Default)]
pub(super) struct ClientSession {
    /// The client's `initialize`, as received.
    initialize: Option<String>,
    /// Whether the client has said that it is ready.
    initialized: bool,
    /// The version of the client's session, once it is negotiated.
    version: Option<Era>,
    /// The client's last `logging/setLevel`.
    level: Option<String>,
}

impl ClientSession {
    /// Begins a session with this `initialize`, which goes to all servers.
    pub(super) fn begin(&mut self, initialize: String, routes: &mut [Route]) {
        *self = Self {
            initialize: Some(initialize),
            ..Self::default()
        };
        for route in routes {
            route.session = Session::Opening {
                pause: Pause::default(),
            };
        }
    }

    /// Whether the client has begun a session.
    pub(super) fn is_begun(&self) -> bool {
        self.initialize.is_some()
    }

    /// Notes that the client has said that it is ready.
    pub(super) fn ready(&mut self) {
        self.initialized = true;
    }

    /// Keeps the client's `logging/setLevel`.
    pub(super) fn set_level(&mut self, level: String) {
        self.level = Some(level);
    }

    /// Opens a session with one server, with the parameters with which the client opened its own.
    pub(super) fn open(&self, member: usize, routes: &mut [Route], out: &mut Outbox) {
        replay(member, self.initialize.as_deref(), Role::Open, out);
        if let Some(route) = routes.get_mut(member) {
            let pause = match route.session {
                Session::Refused { pause, .. } => pause,
                _ => Pause::default(),
            };
            route.session = Session::Opening { pause };
        }
    }

    /// Retries the sessions that were refused, if their pause is over.
    pub(super) fn open_again(&self, now: Duration, routes: &mut [Route], out: &mut Outbox) {
        for route in 0..routes.len() {
            let due = routes.get(route).and_then(Route::retry_at);
            if due.is_some_and(|due| due <= now) {
                self.open(route, routes, out);
            }
        }
    }

    /// Handles an answer to the client's own `initialize`; `late` if the client already has its answer.
    pub(super) fn opened_in_part(
        &self,
        route: usize,
        answer: Result<&&str, &(i64, String)>,
        late: bool,
        now: Duration,
        routes: &mut [Route],
        out: &mut Outbox,
    ) {
        let result = answer.map(|text| OwnedReading::read(*text));
        let abilities = match &result {
            Ok(Ok(result)) => Ok(abilities(result.root())),
            Ok(Err(error)) => Err(error.to_string()),
            Err((_, why)) => Err(why.clone()),
        };
        self.settle(route, abilities, late, now, routes, out);
    }

    /// Handles an answer to an `initialize` of our own.
    pub(super) fn opened(
        &self,
        route: usize,
        answer: Result<View<'_>, String>,
        now: Duration,
        routes: &mut [Route],
        out: &mut Outbox,
    ) {
        let answer = answer.and_then(|result| match unusable_opening(result) {
            Some(why) => Err(why),
            None => Ok(abilities(result)),
        });
        self.settle(route, answer, true, now, routes, out);
    }

    fn settle(
        &self,
        route: usize,
        answer: Result<Abilities, String>,
        late: bool,
        now: Duration,
        routes: &mut [Route],
        out: &mut Outbox,
    ) {
        let Some(own) = routes.get_mut(route).filter(|route| route.gone.is_none()) else {
            return;
        };
        let mut pause = match own.session {
            Session::Opening { pause } => pause,
            _ => Pause::default(),
        };
        match answer {
            Ok(abilities) => {
                own.session = Session::Open(abilities);
                if late {
                    self.tell_version(route, out);
                    self.come_in(route, abilities, out);
                }
            }
            Err(why) => {
                let shown = quote(&why, 200).to_string();
                own.session = Session::Refused {
                    why: shown.clone(),
                    retry_at: pause.next(now),
                    pause,
                };
                out.note(route, "server-refused", shown);
            }
        }
    }

    /// Handles the opening of a server that the client had to do without so far.
    fn come_in(&self, route: usize, abilities: Abilities, out: &mut Outbox) {
        out.note(route, "server-here", "it is open again");
        if !self.initialized {
            return;
        }
        let ready = write::notification("notifications/initialized", None);
        out.tell_server(route, ready);
        if abilities.logging {
            replay(route, self.level.as_deref(), Role::Quiet, out);
        }
        self.changed(abilities, out);
    }

    /// Tells every server's stage the version of the client's session.
    pub(super) fn agree(&mut self, version: Option<Era>, servers: usize, out: &mut Outbox) {
        self.version = version;
        for route in 0..servers {
            self.tell_version(route, out);
        }
    }

    fn tell_version(&self, route: usize, out: &mut Outbox) {
        if let Some(version) = self.version {
            let connection = ConnectionId::new(route);
            out.effects.push(Effect::ClientVersion(connection, version));
        }
    }

    /// Notifies the client that lists with a part of the server have changed.
    pub(super) fn changed(&self, abilities: Abilities, out: &mut Outbox) {
        let kinds = [
            (abilities.tools, "tools"),
            (abilities.prompts, "prompts"),
            (abilities.resources, "resources"),
        ];
        if self.initialized {
            for (_, kind) in kinds.into_iter().filter(|(has, _)| *has) {
                let method = format!("notifications/{kind}/list_changed");
                out.send_to_client(write::notification(&method, None));
            }
        }
    }
}

/// Sends a kept message of the client to a server.
fn replay(route: usize, text: Option<&str>, role: Role, out: &mut Outbox) {
    let Some(text) = text else { return };
    reread((text, None), |whole, request| {
        let sending = Sending {
            route,
            role,
            renamed: Renamed::default(),
        };
        out.send(whole, request, sending);
    });
}

fn abilities(result: View<'_>) -> Abilities {
    Abilities::of(result.member("capabilities"))
}
