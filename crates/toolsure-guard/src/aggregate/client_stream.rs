//! A stream of changes: what the client asked for, and what each server grants.

use std::time::Duration;

use toolsure_json::{Kind, Node as _, View};
use toolsure_mcp::message::Edits;

use super::merge::{DEPTH, merged};
use crate::pause::Pause;
use crate::reading::OwnedReading;
use crate::renumber::RequestOrigin;

/// One stream of the client.
#[derive(Debug)]
pub(super) struct ClientStream {
    pub(super) client: RequestOrigin,
    /// The request, sent again to servers that come back.
    text: String,
    /// By server.
    servers: Vec<ServerStream>,
    /// What was granted, each as JSON text.
    granted: Vec<String>,
    /// When the stream is acknowledged with what is granted so far; `None` once it is acknowledged.
    deadline: Option<Duration>,
}

/// The stream of one server.
#[derive(Debug, Clone, Copy)]
struct ServerStream {
    state: StreamState,
    /// When the server is asked again.
    again: Option<Duration>,
    pause: Pause,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamState {
    Asked,
    Open {
        since: Duration,
    },
    /// The server ended the stream or refused to open it.
    Ended,
    /// The stream was lost, or has not been requested yet.
    Waiting,
}

impl ServerStream {
    fn new() -> Self {
        Self {
            state: StreamState::Waiting,
            again: None,
            pause: Pause::default(),
        }
    }
}

impl ClientStream {
    /// A stream that no server was asked for yet. `text` is the request.
    pub(super) fn new(
        client: RequestOrigin,
        text: String,
        servers: usize,
        deadline: Duration,
    ) -> Self {
        Self {
            client,
            text,
            servers: vec![ServerStream::new(); servers],
            granted: Vec::new(),
            deadline: Some(deadline),
        }
    }

    /// The request.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Adds a new server, which was not asked yet.
    pub(super) fn add_server(&mut self) {
        self.servers.push(ServerStream::new());
    }

    pub(super) fn set(&mut self, route: usize, to: StreamState) {
        if let Some(stream) = self.servers.get_mut(route) {
            stream.state = to;
            stream.again = None;
        }
    }

    /// Ends the stream of one server. The server is asked again after a pause, unless it refused. Returns whether the
    /// stream was open.
    pub(super) fn end(&mut self, route: usize, to: StreamState, now: Duration) -> bool {
        let Some(stream) = self.servers.get_mut(route) else {
            return false;
        };
        let since = match stream.state {
            StreamState::Open { since } => Some(since),
            _ => None,
        };
        if since.is_some_and(|since| stream.pause.is_over(since, now)) {
            stream.pause = Pause::default();
        }
        let again = since.is_some() || to == StreamState::Waiting;
        stream.again = again.then(|| stream.pause.next(now));
        stream.state = to;
        since.is_some()
    }

    /// Whether a server was asked and has not answered.
    pub(super) fn is_asked(&self, route: usize) -> bool {
        let stream = self.servers.get(route);
        stream.is_some_and(|stream| stream.state == StreamState::Asked)
    }

    /// The servers to be asked again now.
    pub(super) fn due(&self, now: Duration) -> Vec<usize> {
        let servers = self.servers.iter().enumerate();
        let due = servers.filter(|(_, stream)| stream.again.is_some_and(|again| again <= now));
        due.map(|(route, _)| route).collect()
    }

    /// Whether a server has to be asked when it comes back.
    pub(super) fn awaits(&self, route: usize) -> bool {
        self.servers
            .get(route)
            .is_some_and(|stream| stream.state == StreamState::Waiting)
    }

    /// Whether every server that was asked has answered.
    pub(super) fn is_answered(&self) -> bool {
        let mut servers = self.servers.iter();
        servers.all(|stream| stream.state != StreamState::Asked)
    }

    /// Whether all servers have ended their streams.
    pub(super) fn is_ended(&self) -> bool {
        let mut servers = self.servers.iter();
        servers.all(|stream| stream.state == StreamState::Ended)
    }

    /// When the stream is acknowledged with what is granted so far; `None` once it is acknowledged.
    pub(super) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// When the next server is asked again.
    pub(super) fn next_again(&self) -> Option<Duration> {
        self.servers.iter().filter_map(|stream| stream.again).min()
    }

    pub(super) fn is_acknowledged(&self) -> bool {
        self.deadline.is_none()
    }

    /// Marks the stream as acknowledged. Returns whether it was not acknowledged before.
    pub(super) fn acknowledge(&mut self) -> bool {
        self.deadline.take().is_some()
    }

    /// Adds what a server grants.
    pub(super) fn grant(&mut self, granted: View<'_>) {
        self.granted.push(granted.raw().to_owned());
    }

    /// What any server grants, and changes of lists, since servers come and go.
    pub(super) fn granted(&self) -> String {
        let lists = self.wanted_lists().into_iter();
        let lists = lists.map(|(wanted, _)| format!(r#""{wanted}":true"#));
        let lists = format!("{{{}}}", lists.collect::<Vec<_>>().join(","));
        let granted = self.granted.iter().cloned().chain([lists]);
        let granted: Vec<OwnedReading> = granted
            .filter_map(|text| OwnedReading::read(text).ok())
            .collect();
        let views: Vec<View<'_>> = granted.iter().map(|it| it.root()).collect();
        merged_grants(&views)
    }

    /// The lists whose changes the request asks for, with the names of their notifications.
    pub(super) fn wanted_lists(&self) -> Vec<(&'static str, &'static str)> {
        let Ok(request) = OwnedReading::read(self.text.as_str()) else {
            return Vec::new();
        };
        let root = request.root();
        let params = root.member("params");
        let wanted = params.and_then(|params| params.member("notifications"));
        let is_wanted = |name: &str| {
            let member = wanted.and_then(|wanted| wanted.member(name));
            member.is_some_and(|it| it.kind() == Kind::Boolean && it.boolean())
        };
        let kinds = LISTS.into_iter().filter(|(name, _)| is_wanted(name));
        kinds.collect()
    }
}

/// What several servers grant: lists of URIs are joined.
fn merged_grants(all: &[View<'_>]) -> String {
    let uris = all.iter();
    let uris = uris.filter_map(|one| one.member("resourceSubscriptions"));
    let uris: Vec<&str> = uris.flat_map(|uris| uris.items()).map(View::raw).collect();
    let rest = all.iter().map(|one| {
        let mut edits = Edits::new();
        edits.remove_member(*one, "resourceSubscriptions");
        edits.apply(one.document().source())
    });
    let rest: Vec<OwnedReading> = rest
        .filter_map(|text| OwnedReading::read(text).ok())
        .collect();
    let views: Vec<View<'_>> = rest.iter().map(|it| it.root()).collect();
    let all = merged(&views, DEPTH);
    if uris.is_empty() {
        return all;
    }
    let uris = format!(r#""resourceSubscriptions":[{}]"#, uris.join(","));
    match all.strip_prefix('{') {
        Some("}") => format!("{{{uris}}}"),
        Some(rest) => format!("{{{uris},{rest}"),
        None => all,
    }
}

/// The members of a request that ask for changes of lists, and the names of the lists in notifications.
const LISTS: [(&str, &str); 3] = [
    ("toolsListChanged", "tools"),
    ("promptsListChanged", "prompts"),
    ("resourcesListChanged", "resources"),
];
