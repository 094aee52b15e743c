//! Finds the server that owns a URI or a task: from listings, or by asking one server after the other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use toolgate_json::{Kind, Node as _, View};
use toolgate_mcp::message::{Edits, Message, Request};

use super::{Aggregator, INTERNAL_ERROR, INVALID_PARAMS, Role};
use crate::effect::HttpRefusal;
use crate::reading::OwnedReading;
use crate::renumber::RequestOrigin;
use crate::text;

/// The kind of thing that is searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Uri,
    Template,
    Task,
}

/// A request that goes to one server after the other.
#[derive(Debug)]
pub(super) struct RouteSearch {
    pub(super) client: RequestOrigin,
    pub(super) subject: Subject,
    pub(super) name: String,
    text: String,
    /// The servers to ask next.
    rest: VecDeque<usize>,
    /// The first error, which becomes the answer if no server has it.
    error: Option<(String, Option<Arc<HttpRefusal>>)>,
}

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
                let kind = |it: super::route::Abilities| subject == Subject::Task || it.resources;
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
            let answer = text::error_answer(&search.client.id, INTERNAL_ERROR, why, None);
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

    /// Parses a kept request again.
    pub(super) fn reread(&mut self, text: &str, with: impl FnOnce(&mut Self, &Request<'_>)) {
        let Ok(kept) = OwnedReading::read(text) else {
            return;
        };
        if let Ok(Message::Request(request)) = Message::decode(kept.root()) {
            with(self, &request);
        }
    }
}

/// Which server owns what, as far as it is known; bounded.
#[derive(Debug)]
pub(super) struct Known {
    most: usize,
    uris: HashMap<String, usize>,
    /// Owners by complete template.
    templates: HashMap<String, usize>,
    tasks: HashMap<String, usize>,
    /// Tasks in order of creation; the oldest are forgotten first.
    order: VecDeque<String>,
}

impl Known {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            uris: HashMap::new(),
            templates: HashMap::new(),
            tasks: HashMap::new(),
            order: VecDeque::new(),
        }
    }

    /// Remembers the owner of something. `Err` is another server that already owns it.
    pub(super) fn learn(
        &mut self,
        subject: Subject,
        name: &str,
        route: usize,
    ) -> Result<(), usize> {
        let table = match subject {
            Subject::Uri => &mut self.uris,
            Subject::Template => &mut self.templates,
            Subject::Task => &mut self.tasks,
        };
        if let Some(owner) = table.get(name) {
            return if *owner == route { Ok(()) } else { Err(*owner) };
        }
        if name.len() > LONGEST {
            return Ok(());
        }
        if table.len() >= self.most {
            if subject != Subject::Task {
                return Ok(());
            }
            while table.len() >= self.most {
                let Some(oldest) = self.order.pop_front() else {
                    return Ok(());
                };
                table.remove(&oldest);
            }
        }
        table.insert(name.to_owned(), route);
        if subject == Subject::Task {
            self.order.push_back(name.to_owned());
        }
        Ok(())
    }

    /// The owner, if it is known for certain.
    pub(super) fn owner(&self, subject: Subject, name: &str) -> Option<usize> {
        match subject {
            Subject::Task => self.tasks.get(name).copied(),
            Subject::Uri | Subject::Template => {
                let own = self.uris.get(name).or_else(|| self.templates.get(name));
                own.copied()
            }
        }
    }

    /// The server whose template has the longest common prefix with a URI.
    fn likely(&self, subject: Subject, name: &str) -> Option<usize> {
        if subject == Subject::Task {
            return None;
        }
        let fitting = self.templates.iter().filter_map(|(template, route)| {
            let fixed = template.split('{').next().unwrap_or_default();
            (!fixed.is_empty() && name.starts_with(fixed)).then_some((fixed.len(), *route))
        });
        // The longest prefix wins; among equals the first server, independent of the order of the table.
        let best = fitting.max_by_key(|(length, route)| (*length, std::cmp::Reverse(*route)));
        best.map(|(_, route)| route)
    }

    /// Forgets what the server listed before, because the first page of the list is read again.
    pub(super) fn renew(&mut self, subject: Subject, route: usize) {
        match subject {
            Subject::Uri => self.uris.retain(|_, owner| *owner != route),
            Subject::Template => self.templates.retain(|_, owner| *owner != route),
            Subject::Task => {}
        }
    }

    /// Forgets everything that a server owned.
    pub(super) fn forget(&mut self, route: usize) {
        self.uris.retain(|_, owner| *owner != route);
        self.templates.retain(|_, owner| *owner != route);
        self.tasks.retain(|_, owner| *owner != route);
        let tasks = &self.tasks;
        self.order.retain(|task| tasks.contains_key(task));
    }
}

/// Maximum bytes of a name that is remembered.
const LONGEST: usize = 2_048;
