//! Finds the server that owns a URI or a task: from listings, or by asking one server after the other.

use std::collections::VecDeque;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::{INTERNAL_ERROR, Request};

use super::Aggregator;
use super::known::Subject;
use super::owner_search::{OwnerSearch, SearchError};
use super::pending::{Role, Sending};
use super::route::Abilities;
use crate::fault::Act;
use crate::message::{Message, Renamed, kept};
use crate::renumber::RequestOrigin;

impl Aggregator {
    /// Sends a request to the server that owns the URI or task.
    pub(super) fn route_by_owner(
        &mut self,
        whole: &Message,
        request: &Request<'_>,
        name: Option<View<'_>>,
        subject: Subject,
        modern: bool,
    ) {
        let Some(name) = name.filter(|name| name.kind() == Kind::String) else {
            let why = "the `uri` or `taskId` must be a string";
            return self.refuse(request, Act::ClientSentBadParams, why);
        };
        let name = name.string();
        if let Some(route) = self.known.owner(subject, name) {
            if let Some(why) = self.absence(route, modern) {
                return self.refuse_absent(request, route, &why);
            }
            return self.forward(route, whole, request, Renamed::default());
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
        let own = whole.text().get(span.start..span.end).unwrap_or_default();
        if let Err(why) = self.may_keep(own.len()) {
            return self.refuse(request, Act::GuardOverloaded, &why);
        }
        let client = RequestOrigin::of(request).from(whole);
        let search = OwnerSearch::new(client, subject, name.to_owned(), own.to_owned(), rest);
        let number = self.number();
        self.owner_searches.insert(number, search);
        self.search_next(number);
    }

    /// Whether one more request of this many bytes may be kept.
    fn may_keep(&self, bytes: usize) -> Result<(), String> {
        let (most, allowed) = (self.bounds.parked, self.bounds.parked_bytes);
        let searches = self.owner_searches.values();
        let kept = searches.map(|search| search.text.len()).sum::<usize>();
        if self.owner_searches.len() >= most {
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

    /// Handles an error of a server, which is therefore not the owner.
    pub(super) fn not_owner(&mut self, number: i64, answer: String) {
        let http = self.refusal.clone();
        if let Some(search) = self.owner_searches.get_mut(&number) {
            search.keep_error(SearchError { answer, http });
            self.search_next(number);
        }
    }

    fn search_next(&mut self, number: i64) {
        let Some(search) = self.owner_searches.get_mut(&number) else {
            return;
        };
        let Some(route) = search.next_route() else {
            return self.no_owner(number);
        };
        let (text, peer) = (search.text.clone(), search.client.peer.clone());
        self.reread((&text, peer), |it, whole, request| {
            let sending = Sending {
                route,
                role: Role::Search(number),
                renamed: Renamed::default(),
            };
            it.send(whole, request, sending);
        });
    }

    /// Answers a request that no server owns.
    fn no_owner(&mut self, number: i64) {
        let Some(search) = self.owner_searches.remove(&number) else {
            return;
        };
        let (client, error) = search.into_error();
        let Some(error) = error else {
            let why = "no server is available that could have it";
            let answer = Act::ServerGone.error(&client.id, INTERNAL_ERROR, why);
            return self.send_to_client(answer);
        };
        // It was parsed when it arrived.
        let answer = kept(error.answer.as_bytes());
        if let Ok(document) = answer.document() {
            let start = self.out.len();
            self.pass_on(&answer, document.root(), &client);
            self.out.carry(error.http.as_ref(), start);
            // The server that answered last may have refused; the client gets the first refusal.
            self.refusal = None;
        }
    }
}
