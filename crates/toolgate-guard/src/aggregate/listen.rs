//! Change subscriptions (2026-07-28, `subscriptions/listen`): one stream for the client, and one with
//! each server while that server is up.

use std::time::Duration;

use toolgate_json::{Node as _, View};
use toolgate_mcp::message::{Edits, Notification, Request};

use super::known::Subject;
use super::listening::{Listening, Stream, merged_grants, wanted_lists};
use super::pending::Role;
use super::{Aggregator, spliced};
use crate::reading::OwnedReading;
use crate::renumber::RequestOrigin;
use crate::subscription::{acknowledgement, list_changed, subscription};

impl Aggregator {
    pub(super) fn listen(&mut self, text: &str, request: &Request<'_>, now: Duration) {
        let number = self.number();
        let span = request.view.span();
        let listening = Listening {
            client: RequestOrigin::of(request),
            text: text
                .get(span.start..span.end)
                .unwrap_or_default()
                .to_owned(),
            streams: vec![Stream::Waiting; self.routes.len()],
            granted: Vec::new(),
            deadline: Some(now.saturating_add(self.bounds.patience)),
        };
        self.listenings.insert(number, listening);
        for route in 0..self.routes.len() {
            if self.absence(route, true).is_none() {
                self.listen_to(number, route, text, request);
            }
        }
        self.acknowledge_if_known(number);
    }

    fn listen_to(&mut self, number: i64, route: usize, text: &str, request: &Request<'_>) {
        let mut edits = Edits::new();
        let wanted = request
            .params
            .and_then(|params| params.member("notifications"));
        if let Some(uris) = wanted.and_then(|wanted| wanted.member("resourceSubscriptions")) {
            let foreign = |uri: &View<'_>| {
                let owner = self.known.owner(Subject::Uri, uri.string());
                owner.is_some_and(|owner| owner != route)
            };
            let own = uris.items().filter(|uri| !foreign(uri)).map(View::raw);
            let own: Vec<&str> = own.collect();
            if own.len() < uris.len() {
                edits.replace(uris, format!("[{}]", own.join(",")));
            }
        }
        self.send(route, text, request, edits, Role::Listen(number));
        self.set_stream(number, route, Stream::Asked);
    }

    /// Handles a notification of a stream; `of` is the stream's number as the server knows it.
    pub(super) fn heard(
        &mut self,
        route: usize,
        of: i64,
        text: &str,
        note: &Notification<'_>,
        subscription: View<'_>,
    ) {
        let sent = self.sent.get(&of).filter(|sent| sent.route == route);
        let Some(Role::Listen(number)) = sent.map(|sent| &sent.role) else {
            return;
        };
        let number = *number;
        if note.method == "notifications/subscriptions/acknowledged" {
            let granted = note
                .params
                .and_then(|params| params.member("notifications"));
            let Some(listening) = self.listenings.get_mut(&number) else {
                return;
            };
            let late = listening.deadline.is_none();
            listening
                .granted
                .extend(granted.map(|it| it.raw().to_owned()));
            self.set_stream(number, route, Stream::Open);
            if late {
                // A server that arrives late has lists that the client does not know.
                return self.lists_changed(number);
            }
            return self.acknowledge_if_known(number);
        }
        self.acknowledge(number);
        if let Some(listening) = self.listenings.get(&number) {
            let mut edits = Edits::new();
            edits.replace(subscription, listening.client.id.clone());
            self.send_to_client(spliced(&edits, text, note.view));
        }
    }

    /// Handles a server's answer, which ends its stream. The last server's answer ends the client's stream.
    pub(super) fn listened(&mut self, number: i64, route: usize, text: &str, message: View<'_>) {
        self.set_stream(number, route, Stream::Ended);
        let Some(listening) = self.listenings.get(&number) else {
            return;
        };
        if listening
            .streams
            .iter()
            .any(|stream| *stream != Stream::Ended)
        {
            return self.acknowledge_if_known(number);
        }
        if let Some(listening) = self.listenings.remove(&number) {
            let of = subscription(message.member("result"));
            self.pass_on(text, message, &listening.client, of);
        }
    }

    /// Handles the loss of a server, which ends its stream.
    pub(super) fn stream_gone(&mut self, number: i64, route: usize) {
        self.set_stream(number, route, Stream::Waiting);
        if self
            .listenings
            .get(&number)
            .is_some_and(|it| it.deadline.is_none())
        {
            self.lists_changed(number);
        } else {
            self.acknowledge_if_known(number);
        }
    }

    /// Opens the streams again with a server that came back.
    pub(super) fn listen_again(&mut self, route: usize) {
        let waiting = self.listenings.iter();
        let waiting = waiting.filter(|(_, it)| it.streams.get(route) == Some(&Stream::Waiting));
        let mut waiting: Vec<(i64, String)> = waiting
            .map(|(number, listening)| (*number, listening.text.clone()))
            .collect();
        waiting.sort_unstable();
        for (number, text) in waiting {
            self.reread(&text, |it, request| {
                it.listen_to(number, route, &text, request)
            });
        }
    }

    /// Acknowledges the streams that have waited long enough for their servers.
    pub(super) fn acknowledge_late(&mut self, now: Duration) {
        let due = self.listenings.iter();
        let due = due.filter(|(_, it)| it.deadline.is_some_and(|deadline| deadline <= now));
        let due: Vec<i64> = due.map(|(number, _)| *number).collect();
        for number in due {
            self.acknowledge(number);
        }
    }

    fn acknowledge_if_known(&mut self, number: i64) {
        let known = self.listenings.get(&number).is_some_and(|listening| {
            let mut streams = listening.streams.iter();
            streams.all(|stream| *stream != Stream::Asked)
        });
        if known {
            self.acknowledge(number);
        }
    }

    /// Sends the first message of the client's stream. It grants what any server grants, and changes of
    /// lists, since servers come and go.
    fn acknowledge(&mut self, number: i64) {
        let Some(listening) = self.listenings.get_mut(&number) else {
            return;
        };
        if listening.deadline.take().is_none() {
            return;
        }
        let id = listening.client.id.clone();
        let lists = wanted_lists(&listening.text).into_iter();
        let lists = lists.map(|(wanted, _)| format!(r#""{wanted}":true"#));
        let lists = format!("{{{}}}", lists.collect::<Vec<_>>().join(","));
        let granted = listening.granted.iter().cloned().chain([lists]);
        let granted: Vec<OwnedReading> = granted
            .filter_map(|text| OwnedReading::read(text).ok())
            .collect();
        let views: Vec<View<'_>> = granted.iter().map(|it| it.root()).collect();
        let granted = merged_grants(&views);
        self.send_to_client(acknowledgement(&id, &granted));
    }

    /// Notifies one stream that its lists have changed.
    fn lists_changed(&mut self, number: i64) {
        let Some(listening) = self.listenings.get(&number) else {
            return;
        };
        let id = listening.client.id.clone();
        for (_, kind) in wanted_lists(&listening.text) {
            let method = format!("notifications/{kind}/list_changed");
            self.send_to_client(list_changed(&id, &method));
        }
    }

    fn set_stream(&mut self, number: i64, route: usize, to: Stream) {
        if let Some(listening) = self.listenings.get_mut(&number)
            && let Some(stream) = listening.streams.get_mut(route)
        {
            *stream = to;
        }
    }
}
