//! The connection to a process on its standard input and output.
//!
//! When the process ends, its open requests are answered with an error, and it is started again if
//! that is allowed; a legacy session is then opened again with the client's messages. A process that
//! ends at the client's `server/discover` is always started again, and gets the client's
//! `initialize` if that is unanswered.

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{Notify, watch};
use tokio::time::timeout;
use toolsure_guard::{IdKey, Message, NodeId, Purpose, Side};

use crate::guard::bounds::Restart;
use crate::guard::child::{Child, Restarts, Source, read_until_closed};
use crate::guard::context::GuardContext;
use crate::guard::hub::{Connected, Connection, HubDriver, Receivers};
use crate::guard::in_process::Caller;
use crate::guard::messages::{MessageWriter, Received, start_to_flush};
use crate::probe::{Probe, unknown_method};
use crate::stdio::Launch;

/// The connection to a process.
pub(super) struct ToChild {
    ctx: Arc<GuardContext>,
    server: NodeId,
    input: Mutex<Input>,
    opening: Mutex<Opening>,
    closing: watch::Sender<bool>,
}

/// The input of the process.
enum Input {
    /// The first process is being started; it gets these messages.
    Starting(Vec<Message>),
    /// The input, and the signal to give the process up.
    Open(Arc<MessageWriter>, Arc<Notify>),
    /// Between two processes, or after the last. The hub holds the client's messages back.
    None,
}

/// What the client has sent to open a session.
#[derive(Default)]
struct Opening {
    /// The messages that opened a legacy session: the request with its id, and the notification.
    initialize: Option<(IdKey, Vec<u8>)>,
    initialized: Option<Vec<u8>>,
    /// The client's first `server/discover`.
    probe: Probe<IdKey>,
    /// The client's `initialize`, as long as it is unanswered and follows an unanswered probe.
    unanswered: Option<Vec<u8>>,
}

impl ToChild {
    /// Starts the process, in the task that is returned.
    pub(super) fn start(
        driver: &Arc<HubDriver>,
        server: NodeId,
        ctx: Arc<GuardContext>,
        (launch, caller): (Launch, Caller),
        restart: Restart,
    ) -> Connected {
        let connection = Arc::new(Self {
            ctx,
            server,
            input: Mutex::new(Input::Starting(Vec::new())),
            opening: Mutex::default(),
            closing: watch::Sender::new(false),
        });
        let (running, driver) = (Arc::clone(&connection), Arc::clone(driver));
        let source = Source::Launch(launch);
        let task = async move {
            running
                .run(&driver, (source, caller), Restarts::new(restart))
                .await;
        };
        Connected {
            connection,
            task: Box::pin(task),
        }
    }

    async fn run(
        &self,
        driver: &Arc<HubDriver>,
        (source, caller): (Source, Caller),
        mut restarts: Restarts,
    ) {
        loop {
            let (mut child, input) = match Child::start(&self.ctx, &source, &caller) {
                Ok(started) => started,
                Err(fault) => {
                    let receivers = driver.unusable(self.server, fault);
                    return self.pass_on(driver, receivers).await;
                }
            };
            let given_up = Arc::new(Notify::new());
            let linger = child.linger();
            let reading = async {
                tokio::select! {
                    () = self.read(driver, &mut child, (&input, &given_up)) => false,
                    () = given_up.notified() => true,
                }
            };
            let (was_given_up, until) = read_until_closed(
                reading,
                self.closed(),
                (&input, self.ctx.times.grace),
                // The driver has waited for open requests.
                || match driver.is_abandoned.load(Ordering::Acquire) {
                    true => std::time::Duration::ZERO,
                    false => linger.idle,
                },
            )
            .await;
            let is_closing = was_given_up.is_none();
            let is_given_up = was_given_up.unwrap_or(false);
            // From here on the hub holds messages back, so that none is pushed without an input.
            let receivers = driver.hold(self.server);
            *self.input() = Input::None;
            self.pass_on(driver, receivers).await;
            let mut how = child.end(until).await;
            if is_given_up {
                how = "it takes no messages".to_owned();
            }
            let probe = self.opening().probe.ended_process();
            let probe = probe.filter(|_| !is_closing);
            if let Some(id) = &probe {
                let answer = unknown_method(&id.raw());
                let receivers = driver.from_server(self.server, answer.into());
                self.pass_on(driver, receivers).await;
                if self.opening().unanswered.is_some() {
                    continue;
                }
            }
            let pause = match probe {
                _ if is_closing || is_given_up => None,
                Some(_) => Some(std::time::Duration::ZERO),
                None => restarts.next(),
            };
            let receivers = match pause {
                Some(_) => driver.fail_requests(self.server, &how),
                None => driver.gone(self.server, &how),
            };
            self.pass_on(driver, receivers).await;
            let Some(pause) = pause else { return };
            tokio::select! {
                () = tokio::time::sleep(pause) => driver.renew(self.server),
                () = self.closed() => return,
            }
        }
    }

    /// Waits until the connection is to end.
    async fn closed(&self) {
        let mut closing = self.closing.subscribe();
        // `self` owns the sender, so only the value can end the wait.
        let _always_ok = closing.wait_for(|closing| *closing).await;
    }

    /// Sends results after the end of a process. A client that does not read must not keep the process from
    /// being ended.
    async fn pass_on(&self, driver: &HubDriver, receivers: Receivers) {
        let _slow_reader = timeout(self.ctx.times.grace, driver.pass_on(receivers)).await;
    }

    /// Reads the process until its output ends.
    async fn read(
        &self,
        driver: &Arc<HubDriver>,
        child: &mut Child,
        (input, given_up): (&Arc<MessageWriter>, &Arc<Notify>),
    ) {
        let is_first = matches!(*self.input(), Input::Starting(_));
        if !is_first && !self.reopen_session(driver, child, input).await {
            return;
        }
        // The new process gets it before anything that the client sends from now on.
        if let Some(initialize) = self.opening().unanswered.take() {
            input.push(initialize);
        }
        {
            let mut state = self.input();
            if let Input::Starting(first) = &mut *state {
                for message in first.drain(..) {
                    self.opening().remember(&message);
                    input.push(message);
                }
            }
            *state = Input::Open(Arc::clone(input), Arc::clone(given_up));
        }
        // It may read nothing before its own messages are read.
        start_to_flush(input);
        let receivers = driver.ready(self.server);
        driver.pass_on(receivers).await;
        loop {
            let receivers = match child.next(|| !driver.is_idle(self.server)).await {
                Received::Message(message) => {
                    let message = self.ctx.guard.read(message);
                    self.opening().hear(&message);
                    driver.from_server(self.server, message)
                }
                // A process reports none.
                Received::Tools(_) => continue,
                Received::TooLong(found) => driver.oversize(Some(self.server), &found),
                Received::End => return,
            };
            driver.pass_on(receivers).await;
        }
    }

    /// Opens a legacy session with a new process, with the messages that the client sent to the
    /// first. They pass through the conversation; the client does not see the answers.
    async fn reopen_session(
        &self,
        driver: &Arc<HubDriver>,
        child: &mut Child,
        input: &MessageWriter,
    ) -> bool {
        let (initialize, initialized) = {
            let opening = self.opening();
            (opening.initialize.clone(), opening.initialized.clone())
        };
        let (Some((id, request)), Some(notification)) = (initialize, initialized) else {
            return true;
        };
        let handle_unseen = |from: Side, message: Message| {
            for message in driver.handle_unseen(self.server, from, message) {
                input.push(message);
            }
        };
        let handshake = async {
            handle_unseen(Side::Client, request.into());
            input.flush().await.ok()?;
            loop {
                match child.next(|| true).await {
                    Received::Message(message) => {
                        let message = self.ctx.guard.read(message);
                        let is_answer = message.envelope().answers(&id);
                        handle_unseen(Side::Server, message);
                        if is_answer {
                            break;
                        }
                    }
                    Received::TooLong(_) | Received::Tools(_) => {}
                    Received::End => return None,
                }
            }
            handle_unseen(Side::Client, notification.into());
            input.flush().await.ok()
        };
        matches!(
            timeout(self.ctx.times.notify, handshake).await,
            Ok(Some(()))
        )
    }

    fn open_input(&self) -> Option<Arc<MessageWriter>> {
        match &*self.input() {
            Input::Open(input, _) => Some(Arc::clone(input)),
            Input::Starting(_) | Input::None => None,
        }
    }

    fn input(&self) -> MutexGuard<'_, Input> {
        self.input.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn opening(&self) -> MutexGuard<'_, Opening> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Connection for ToChild {
    fn push(&self, message: Message) {
        match &mut *self.input() {
            Input::Starting(first) => first.push(message),
            Input::Open(input, _) => {
                self.opening().remember(&message);
                input.push(message);
            }
            // The conversation knows that the process is gone, and has answered all requests.
            Input::None => self.ctx.note(
                "undeliverable",
                "a message arrived while there was no server process",
            ),
        }
    }

    /// On stdio a cancellation is a message; there is no stream to close.
    fn abandon(&self, _: &IdKey) {}

    fn try_flush(self: Arc<Self>) -> bool {
        self.open_input().is_none_or(|input| input.try_flush())
    }

    fn flush(self: Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(async move {
            if let Some(input) = self.open_input() {
                // A write error shows up where the output is read.
                let _child_is_gone = input.flush().await;
            }
        })
    }

    fn waiting_bytes(&self) -> usize {
        self.open_input().map_or(0, |input| input.waiting_bytes())
    }

    fn close(&self) {
        self.closing.send_replace(true);
    }

    fn give_up(&self) {
        if let Input::Open(_, given_up) = &*self.input() {
            given_up.notify_one();
        }
    }
}

impl Opening {
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
