//! One client on our standard input and output, or in this process, with one child as upstream.
//!
//! Two tasks share the conversation. Each reads a message, passes it to the conversation under its
//! lock, and writes the results before it reads on, so a slow reader slows down its sender:
//!
//! ```text
//!            read_client ──▶ driver ──▶ child's input ──▶ child
//!   client                     │
//!            client output ◀── driver ◀── read_child  ◀── child
//! ```
//!
//! When the child ends, its open requests are answered with an error, and it is started again if
//! that is allowed; a legacy session is then opened again with the client's messages. A child that
//! ends at the client's `server/discover` is always started again, and gets the client's
//! `initialize` if that is unanswered.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use toolsure_guard::{Carrier, Context, IdKey, Message, Purpose, Side, ToolsEvent};

use super::child::{Child, Restarts, Source};
use super::context::GuardContext;
use super::event::Event;
use super::in_process::Caller;
use super::messages::{Client, MessageReader, MessageWriter, Received};
use super::options::Restart;
use super::running::Exit;
use super::session_driver::{Output, SessionDriver, link};
use crate::probe::{Probe, unknown_method};

struct StdioToChild {
    ctx: Arc<GuardContext>,
    driver: SessionDriver,
    client: MessageWriter,
    child_state: watch::Sender<ChildState>,
    /// Whether the reader holds a client's message until the state of the child is known.
    holding: watch::Sender<bool>,
    state: Mutex<State>,
    /// The context in which the state of the server is kept.
    context: Context,
}

/// The state of the child.
enum ChildState {
    /// A child is being started.
    Starting,
    Child(Arc<MessageWriter>),
    /// There is no child and none will be started: the conversation answers by itself.
    Gone,
}

impl ChildState {
    fn input(&self) -> Option<&Arc<MessageWriter>> {
        match self {
            Self::Child(input) => Some(input),
            Self::Starting | Self::Gone => None,
        }
    }
}

#[derive(Default)]
struct State {
    /// The messages that opened a legacy session: the request with its id, and the notification.
    initialize: Option<(IdKey, Vec<u8>)>,
    initialized: Option<Vec<u8>>,
    /// The client's first `server/discover`.
    probe: Probe<IdKey>,
    /// The client's `initialize`, as long as it is unanswered and follows an unanswered probe.
    unanswered: Option<Vec<u8>>,
}

/// Runs until the client leaves, the child ends for good, or the guard is stopped.
pub(super) async fn run(
    ctx: Arc<GuardContext>,
    client: Client,
    source: (Source, Caller),
    restart: Restart,
    context: Context,
) -> Exit {
    let bridge = Arc::new(StdioToChild {
        driver: SessionDriver::new(
            &ctx,
            context.clone(),
            link(Carrier::Stdio, Carrier::Stdio, None),
        ),
        client: client.to,
        child_state: watch::Sender::new(ChildState::Starting),
        holding: watch::Sender::new(false),
        state: Mutex::default(),
        ctx,
        context,
    });
    bridge.driver.count_for(source.1.value().as_ref());
    bridge.ctx.observe(&Event::Connected);
    let begun = Instant::now();
    let reading = tokio::spawn(read_client(Arc::clone(&bridge), client.from));
    let clock = tokio::spawn(keep_time(Arc::clone(&bridge)));
    let exit = bridge.serve(reading, source, Restarts::new(restart)).await;
    clock.abort();
    // Queued answers are still written, if the client reads them.
    let _reader_is_gone = timeout(bridge.ctx.times.grace, bridge.client.close()).await;
    let lasted = begun.elapsed();
    bridge.ctx.observe(&Event::Disconnected { lasted });
    exit
}

impl StdioToChild {
    async fn serve(
        self: &Arc<Self>,
        mut reading: tokio::task::JoinHandle<()>,
        (source, caller): (Source, Caller),
        mut restarts: Restarts,
    ) -> Exit {
        loop {
            let (child, input) = match Child::start(&self.ctx, &source, &caller) {
                Ok(started) => started,
                Err(fault) => {
                    self.fail_open_requests(&fault.to_string()).await;
                    self.stop_reader(&reading).await;
                    return Exit::Failed(fault);
                }
            };
            let mut child_reading =
                tokio::spawn(Arc::clone(self).read_child(child, Arc::clone(&input)));
            let (leaving, child) = tokio::select! {
                child = &mut child_reading => (None, child),
                _ = &mut reading => (Some(Exit::ClientGone), self.leave(&input, child_reading).await),
                () = self.client.lost() => {
                    (Some(Exit::ClientGone), self.leave(&input, child_reading).await)
                }
                () = self.ctx.stopping() => {
                    self.driver.stop();
                    let exit = Some(Exit::Stopped);
                    (exit, self.leave(&input, child_reading).await)
                }
            };
            self.child_state.send_replace(ChildState::Starting);
            // A guard in front of this one must not check calls for the next child against the list of
            // this one.
            self.client.tools_event(ToolsEvent::SessionEnded);
            let grace = self.ctx.times.grace;
            // A task that still writes to the child ends with it.
            drop(input);
            let how = match child {
                Ok(child) => child.end(grace).await,
                Err(_) => "the server".to_owned(),
            };
            let probe = self.state().probe.ended_process();
            let probe = probe.filter(|_| leaving.is_none());
            if let Some(id) = &probe {
                let answer = unknown_method(&id.raw());
                self.driver.take(Side::Server, answer, &mut |output| {
                    self.deliver(output);
                });
                if self.state().unanswered.is_some() {
                    let _client_is_gone = self.client.flush().await;
                    continue;
                }
            }
            self.fail_open_requests(&how).await;
            if let Some(exit) = leaving {
                self.stop_reader(&reading).await;
                return exit;
            }
            if probe.is_none() {
                let Some(pause) = restarts.next() else {
                    self.stop_reader(&reading).await;
                    return Exit::UpstreamGone(how);
                };
                tokio::time::sleep(pause).await;
            }
            let anew = link(Carrier::Stdio, Carrier::Stdio, None);
            self.driver.renew(self.context.clone(), anew);
        }
    }

    /// Waits for open requests, closes the child's input, and waits for the rest of its output.
    async fn leave(
        &self,
        input: &MessageWriter,
        mut child_reading: tokio::task::JoinHandle<Child>,
    ) -> Result<Child, tokio::task::JoinError> {
        let drained = async {
            tokio::select! {
                () = self.driver.idle() => None,
                // Nobody is there to read their answers.
                () = self.client.lost() => None,
                child = &mut child_reading => Some(child),
            }
        };
        if let Ok(Some(child)) = timeout(self.ctx.times.drain, drained).await {
            return child;
        }
        let grace = self.ctx.times.grace;
        let _slow_reader = timeout(grace, input.close()).await;
        match timeout(grace, &mut child_reading).await {
            Ok(child) => child,
            Err(_) => {
                child_reading.abort();
                child_reading.await
            }
        }
    }

    /// Ends the reader; a message that it holds is answered first.
    async fn stop_reader(&self, reading: &tokio::task::JoinHandle<()>) {
        self.child_state.send_replace(ChildState::Gone);
        let mut holding = self.holding.subscribe();
        let _slow_reader = timeout(self.ctx.times.grace, holding.wait_for(|held| !held)).await;
        reading.abort();
    }

    /// Answers open requests with an error.
    async fn fail_open_requests(&self, why: &str) {
        self.driver
            .server_gone(why, &mut |output| self.deliver(output));
        let _reader_is_gone = timeout(self.ctx.times.grace, self.client.flush()).await;
    }

    /// Reads the child until its output ends.
    async fn read_child(self: Arc<Self>, mut child: Child, input: Arc<MessageWriter>) -> Child {
        if !self.reopen_session(&mut child, &input).await {
            return child;
        }
        // The new child gets it before anything that the client sends from now on.
        if let Some(initialize) = self.state().unanswered.take() {
            input.push(initialize);
        }
        let _child_is_gone = input.flush().await;
        // From here on the conversation's messages go to this child.
        self.child_state
            .send_replace(ChildState::Child(Arc::clone(&input)));
        loop {
            let mut answered = false;
            let deliver = &mut |output: Output| {
                answered |= matches!(&output, Output::ToServer(_));
                self.deliver(output);
            };
            match child.next(|| !self.driver.is_idle()).await {
                Received::Message(message) => {
                    let message = self.driver.read(message);
                    self.state().hear(&message);
                    self.driver.take(Side::Server, message, deliver);
                }
                Received::Tools(event) => self.driver.tools_event(event),
                // A server reports none.
                Received::ClientVersion(_) => {}
                Received::TooLong(found) => self.driver.oversize(Side::Server, &found, deliver),
                Received::End => return child,
            }
            if answered {
                // In a task of its own: the child may read nothing before its own messages are
                // read.
                let input = Arc::clone(&input);
                tokio::spawn(async move { input.flush().await });
            }
            let _client_is_gone = self.client.flush().await;
        }
    }

    /// Opens a legacy session with a new child, with the messages that the client sent to the
    /// first. They pass through the conversation; the client does not see the answers.
    async fn reopen_session(&self, child: &mut Child, input: &Arc<MessageWriter>) -> bool {
        let (initialize, initialized) = {
            let state = self.state();
            (state.initialize.clone(), state.initialized.clone())
        };
        let (Some((id, request)), Some(notification)) = (initialize, initialized) else {
            return true;
        };
        let to_server = &mut |output| {
            if let Output::ToServer(message) = output {
                input.push(message);
            }
        };
        let handshake = async {
            self.driver.take(Side::Client, request, to_server);
            input.flush().await.ok()?;
            loop {
                match child.next(|| true).await {
                    Received::Message(message) => {
                        let message = self.driver.read(message);
                        let is_answer = message.envelope().answers(&id);
                        self.driver.take(Side::Server, message, to_server);
                        if is_answer {
                            break;
                        }
                    }
                    Received::TooLong(_) | Received::Tools(_) | Received::ClientVersion(_) => {}
                    Received::End => return None,
                }
            }
            self.driver.take(Side::Client, notification, to_server);
            input.flush().await.ok()
        };
        matches!(
            timeout(self.ctx.times.notify, handshake).await,
            Ok(Some(()))
        )
    }

    fn deliver(&self, output: Output) {
        let message = match output {
            Output::ToClient(message) => return self.client.push(message),
            Output::ToServer(message) => message,
            // On stdio a cancellation is a message; there is no stream to abandon.
            Output::Abandon(_) => return,
        };
        let mut state = self.state();
        state.remember(&message);
        match self.child_state.borrow().input() {
            Some(input) => input.push(message),
            // The conversation knows that the child is gone, and has answered all requests.
            None => self.ctx.note(
                "undeliverable",
                "a message arrived while there was no server process",
            ),
        }
    }

    async fn flush(&self) {
        let input = self.child_state.borrow().input().cloned();
        let to_child = async {
            // A write error shows up where the other end is read.
            if let Some(input) = input {
                let _child_is_gone = input.flush().await;
            }
        };
        // Concurrently, so that a slow reader does not hold up the other one.
        let (_, _client_is_gone) = tokio::join!(to_child, self.client.flush());
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remember(&mut self, message: &Message) {
        if message.purpose != Purpose::Forward {
            return;
        }
        let envelope = message.envelope();
        let bytes = || message.bytes().to_vec();
        match (envelope.method.as_deref(), &envelope.id) {
            (Some("initialize"), Some(id)) => {
                self.initialize = Some((id.clone(), bytes()));
                self.initialized = None;
                self.unanswered = self.probe.is_unanswered().then(bytes);
            }
            (Some("server/discover"), Some(id)) => self.probe.sent(id.clone()),
            (Some("notifications/initialized"), None) => self.initialized = Some(bytes()),
            _ => {}
        }
    }

    /// Takes notice of the server's answers to the requests that opened the connection.
    fn hear(&mut self, message: &Message) {
        if !self.probe.is_unanswered() {
            return;
        }
        let envelope = message.envelope();
        let Some(id) = envelope.id.as_ref().filter(|_| envelope.is_answer()) else {
            return;
        };
        self.probe.answered(id);
        if self
            .initialize
            .as_ref()
            .is_some_and(|(opening, _)| opening == id)
        {
            self.unanswered = None;
        }
    }
}

/// Reads the client until it leaves.
async fn read_client(bridge: Arc<StdioToChild>, mut messages: MessageReader) {
    let mut child_state = bridge.child_state.subscribe();
    loop {
        let received = messages.next().await;
        // Between two children the message waits, and with it the client: nothing else is read.
        bridge.holding.send_replace(true);
        let known =
            child_state.wait_for(|child_state| !matches!(child_state, ChildState::Starting));
        if known.await.is_err() {
            return;
        }
        let deliver = &mut |output| bridge.deliver(output);
        let open = match received {
            Received::Message(message) => {
                bridge.driver.take(Side::Client, message, deliver);
                true
            }
            Received::TooLong(found) => {
                bridge.driver.oversize(Side::Client, &found, deliver);
                true
            }
            Received::ClientVersion(version) => {
                bridge.driver.set_client_version(version);
                true
            }
            // A client reports none.
            Received::Tools(_) => true,
            Received::End => false,
        };
        bridge.flush().await;
        bridge.holding.send_replace(false);
        if !open {
            return;
        }
        // Calls that find no room to wait stay with the client.
        bridge.driver.room().await;
    }
}

async fn keep_time(bridge: Arc<StdioToChild>) {
    loop {
        bridge
            .driver
            .clock(&mut |output| bridge.deliver(output))
            .await;
        // In a task of its own: the clock must keep the next deadline even if a side does not read.
        let flushing = Arc::clone(&bridge);
        tokio::spawn(async move { flushing.flush().await });
    }
}
