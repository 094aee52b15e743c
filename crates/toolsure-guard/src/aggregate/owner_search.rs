//! A search for the server that owns a URI or a task.

use std::collections::VecDeque;
use std::sync::Arc;

use super::known::Subject;
use crate::message::HttpRefusal;
use crate::renumber::RequestOrigin;

/// A request whose owner is not known: it goes to one server after the other.
#[derive(Debug)]
pub(super) struct OwnerSearch {
    pub(super) client: RequestOrigin,
    pub(super) subject: Subject,
    /// The URI or the id of the task.
    pub(super) name: String,
    /// The request.
    pub(super) text: String,
    /// The servers to ask next.
    rest: VecDeque<usize>,
    /// The first error, which becomes the answer if no server is the owner.
    error: Option<SearchError>,
}

/// An answer of a server that is not the owner, and how it refused the request over HTTP.
#[derive(Debug)]
pub(super) struct SearchError {
    pub(super) answer: String,
    pub(super) http: Option<Arc<HttpRefusal>>,
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

    /// The server to ask next; `None` if all have been asked.
    pub(super) fn next_route(&mut self) -> Option<usize> {
        self.rest.pop_front()
    }

    /// Keeps the error of a server that is not the owner, if it is the first one.
    pub(super) fn keep_error(&mut self, error: SearchError) {
        self.error.get_or_insert(error);
    }

    /// The first error, and whose request it answers.
    pub(super) fn into_error(self) -> (RequestOrigin, Option<SearchError>) {
        (self.client, self.error)
    }
}
