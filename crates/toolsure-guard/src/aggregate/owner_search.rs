//! Searches for the server that owns a URI or a task, by asking one server after the other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use toolsure_mcp::message::INTERNAL_ERROR;

use super::known::Subject;
use super::outbox::{Outbox, reread};
use super::pending::{Role, Sending};
use crate::fault::Act;
use crate::id::IdKey;
use crate::message::{HttpRefusal, Renamed, kept};
use crate::renumber::RequestOrigin;

/// A request whose owner is not known: it goes to one server after the other.
#[derive(Debug)]
pub(super) struct OwnerSearch {
    pub(super) client: RequestOrigin,
    pub(super) subject: Subject,
    /// The URI or the id of the task.
    pub(super) name: String,
    /// The request.
    text: String,
    /// The servers to ask next.
    rest: VecDeque<usize>,
    /// The first error, which becomes the answer if no server is the owner.
    error: Option<SearchError>,
}

/// An answer of a server that is not the owner, and how it refused the request over HTTP.
#[derive(Debug)]
struct SearchError {
    answer: String,
    http: Option<Arc<HttpRefusal>>,
}

impl OwnerSearch {
    /// A search among these servers, in this order.
    pub(super) fn new(
        client: RequestOrigin,
        subject: Subject,
        name: String,
        text: String,
        rest: VecDeque<usize>,
    ) -> Self {
        Self {
            client,
            subject,
            name,
            text,
            rest,
            error: None,
        }
    }
}

/// The searches that go on, by number.
#[derive(Debug)]
pub(super) struct OwnerSearches {
    searches: HashMap<i64, OwnerSearch>,
    /// The maximum number of searches.
    most: usize,
    /// The maximum bytes of their requests.
    most_bytes: usize,
}

impl OwnerSearches {
    pub(super) fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            searches: HashMap::new(),
            most,
            most_bytes,
        }
    }

    /// Whether one more request of this many bytes may be kept.
    pub(super) fn may_keep(&self, bytes: usize) -> Result<(), String> {
        let (most, allowed) = (self.most, self.most_bytes);
        let searches = self.searches.values();
        let kept = searches.map(|search| search.text.len()).sum::<usize>();
        if self.searches.len() >= most {
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

    /// Starts a search.
    pub(super) fn begin(&mut self, search: OwnerSearch, out: &mut Outbox) {
        let number = out.number();
        self.searches.insert(number, search);
        self.ask_next(number, out);
    }

    /// The request of a search.
    pub(super) fn client(&self, number: i64) -> Option<&RequestOrigin> {
        self.searches.get(&number).map(|search| &search.client)
    }

    /// Ends a search, because the owner is found.
    pub(super) fn found(&mut self, number: i64) -> Option<OwnerSearch> {
        self.searches.remove(&number)
    }

    /// Forgets the searches for a request that the client has cancelled.
    pub(super) fn cancel(&mut self, key: &IdKey) {
        self.searches.retain(|_, it| it.client.key != *key);
    }

    /// Handles an error of a server, which is therefore not the owner.
    pub(super) fn not_owner(&mut self, number: i64, answer: String, out: &mut Outbox) {
        let http = out.refusal.clone();
        if let Some(search) = self.searches.get_mut(&number) {
            search.error.get_or_insert(SearchError { answer, http });
            self.ask_next(number, out);
        }
    }

    fn ask_next(&mut self, number: i64, out: &mut Outbox) {
        let Some(search) = self.searches.get_mut(&number) else {
            return;
        };
        let Some(route) = search.rest.pop_front() else {
            return self.no_owner(number, out);
        };
        let (text, peer) = (search.text.clone(), search.client.peer.clone());
        reread((&text, peer), |whole, request| {
            let sending = Sending {
                route,
                role: Role::Search(number),
                renamed: Renamed::default(),
            };
            out.send(whole, request, sending);
        });
    }

    /// Answers a request that no server owns.
    fn no_owner(&mut self, number: i64, out: &mut Outbox) {
        let Some(search) = self.searches.remove(&number) else {
            return;
        };
        let client = search.client;
        let Some(error) = search.error else {
            let why = "no server is available that could have it";
            let answer = Act::ServerGone.error(&client.id, INTERNAL_ERROR, why);
            return out.send_to_client(answer);
        };
        // It was parsed when it arrived.
        let answer = kept(error.answer.as_bytes());
        if let Ok(document) = answer.document() {
            let start = out.effects.len();
            out.pass_on(&answer, document.root(), &client);
            out.effects.carry(error.http.as_ref(), start);
            // The server that answered last may have refused; the client gets the first refusal.
            out.refusal = None;
        }
    }
}
