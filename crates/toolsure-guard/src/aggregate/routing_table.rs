//! The aggregated servers, and which of them a name, a URI or a task belongs to.

use std::collections::VecDeque;

use super::known::{Known, Subject};
use super::route::{Abilities, AggregatorError, Member, Refused, Route, is_short, routes};

/// The routes to all servers, and what is known of what each of them owns.
#[derive(Debug)]
pub(super) struct RoutingTable {
    pub(super) routes: Vec<Route>,
    pub(super) known: Known,
}

impl RoutingTable {
    /// The routes to these servers; at most `known` owners of each kind are remembered.
    pub(super) fn new(members: Vec<Member>, known: usize) -> Result<Self, AggregatorError> {
        Ok(Self {
            routes: routes(members)?,
            known: Known::new(known),
        })
    }

    /// Why a client of the era cannot ask a server; `None` if it can.
    pub(super) fn absence(&self, route: usize, modern: bool) -> Option<String> {
        self.routes.get(route)?.absence(modern)
    }

    /// A server's refusal, for an error that says why the server cannot be asked.
    pub(super) fn refused(&self, route: usize) -> Option<Refused> {
        self.routes.get(route)?.refused().cloned()
    }

    /// The name of a server, as texts show it.
    pub(super) fn shown(&self, route: usize) -> String {
        let route = self.routes.get(route);
        route.map_or_else(String::new, Route::shown)
    }

    /// The server whose prefix a name begins with, and the rest of the name.
    pub(super) fn by_prefix(&self, name: &str) -> Option<(usize, String)> {
        let split = |prefix: &str| name.strip_prefix(prefix).map(str::to_owned);
        let mut owners = self.routes.iter().enumerate();
        let found = owners.find_map(|(at, route)| Some((at, split(&route.prefix)?)));
        // A name that is too long is not in any list either.
        found.filter(|_| is_short(name))
    }

    /// The servers that may own something, the likely owner first.
    pub(super) fn may_own(&self, subject: Subject, name: &str, modern: bool) -> VecDeque<usize> {
        let likely = self.known.likely(subject, name);
        let may = |route: &usize| {
            let has = self.routes.get(*route).is_some_and(|route| {
                let kind = |it: Abilities| subject == Subject::Task || it.resources;
                route.may(modern, kind)
            });
            has && self.absence(*route, modern).is_none()
        };
        let others = (0..self.routes.len()).filter(|route| Some(*route) != likely);
        likely.into_iter().chain(others).filter(may).collect()
    }
}
