//! Finds the server that owns a URI or a task: from listings, or by asking one server after the other.

use std::collections::VecDeque;

use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::message::{Edits, INTERNAL_ERROR, INVALID_PARAMS, Request, write};

use super::Aggregator;
use super::known::Subject;
use super::pending::Role;
use super::route::Abilities;
use super::route_search::RouteSearch;
use crate::reading::OwnedReading;
use crate::renumber::RequestOrigin;

impl Aggregator {
    /// Sends a request to the server that owns the URI or task.
    pub(super) fn route_by_owner(
        &mut self,
        text: &str,
        request: &Request<'_>,
        name: Option<View<'_>>,
        subject: Subject,
        modern: bool,
    ) {
        let Some(name) = name.filter(|name| name.kind() == Kind::String) else {
            let why = "the `uri` or `taskId` must be a string";
            return self.refuse(request, INVALID_PARAMS, why);
        };
        let name = name.string();
        if let Some(route) = self.known.owner(subject, name) {
            if let Some(why) = self.absence(route, modern) {
                return self.refuse_absent(request, route, &why);
            }
            return self.forward(route, text, request, Edits::new());
        }
        let likely = self.known.likely(subject, name);
        let may = |route: &usize| {
            let has = self.routes.get(*route).is_some_and(|route| {
                let kind = |it: Abilities| subject == Subject::Task || it.resources;
                route.may(modern, kind)
            });
            has && self.absence(*route, modern).is_none()
        };
        let others = (0..self.routes.len()).filter(|route| Some(*route) != likely);
        let rest: VecDeque<usize> = likely.into_iter().chain(others).filter(may).collect();
        let span = request.view.span();
        let own = text.get(span.start..span.end).unwrap_or_default();
        if let Err(why) = self.may_keep(own.len()) {
            return self.refuse(request, INTERNAL_ERROR, &why);
        }
        let search = RouteSearch {
            client: RequestOrigin::of(request),
            subject,
            name: name.to_owned(),
            text: own.to_owned(),
            rest,
            error: None,
        };
        let number = self.number();
        self.route_searches.insert(number, search);
        self.ask_next(number);
    }

    /// Whether one more request of this many bytes may be kept.
    fn may_keep(&self, bytes: usize) -> Result<(), String> {
        let (most, allowed) = (self.bounds.parked, self.bounds.parked_bytes);
        let searches = self.route_searches.values();
        let kept = searches.map(|search| search.text.len()).sum::<usize>();
        if self.route_searches.len() >= most {
            return Err(format!(
                "more requests wait than the limit of {most} (parked)"
            ));
        }
        if kept.saturating_add(bytes) > allowed {
            return Err(format!(
                "more bytes wait than the limit of {allowed} (parked_bytes)"
            ));
        }
        Ok(())
    }

    /// Handles an answer that says that the server does not have it.
    pub(super) fn not_here(&mut self, number: i64, answer: String) {
        let refusal = self.refusal.clone();
        if let Some(search) = self.route_searches.get_mut(&number) {
            search.error.get_or_insert((answer, refusal));
            self.ask_next(number);
        }
    }

    fn ask_next(&mut self, number: i64) {
        let Some(search) = self.route_searches.get_mut(&number) else {
            return;
        };
        let Some(route) = search.rest.pop_front() else {
            return self.found_nowhere(number);
        };
        let text = search.text.clone();
        self.reread(&text, |it, request| {
            it.send(route, &text, request, Edits::new(), Role::Search(number));
        });
    }

    fn found_nowhere(&mut self, number: i64) {
        let Some(search) = self.route_searches.remove(&number) else {
            return;
        };
        let Some((error, refusal)) = search.error else {
            let why = "no server is available that could have it";
            let answer = write::error(&search.client.id, INTERNAL_ERROR, why, None);
            return self.send_to_client(answer);
        };
        // It was parsed when it arrived.
        if let Ok(answer) = OwnedReading::read(error.as_str()) {
            let start = self.out.len();
            self.pass_on(&error, answer.root(), &search.client, None);
            self.out.carry(refusal.as_ref(), start);
            // The server that answered last may have refused; the client gets the first refusal.
            self.refusal = None;
        }
    }
}
