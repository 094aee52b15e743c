//! One client on our standard input and output, one child behind us.
//!
//! Two pumps share the conversation. Each reads a message, lets the conversation decide under its
//! lock, and writes what it decided, so a reader that is slow holds up its own writer and nobody
//! else:
//!
//! ```text
//!            read_client ──▶ porter ──▶ child's input ──▶ child
//!   client                     │
//!            client output ◀── porter ◀── read_child  ◀── child
//! ```
//!
//! When the child ends, its open requests are answered, and it is started again if that is
//! allowed; a legacy server is opened again as the client had opened it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};
use toolgate_guard::{Carrier, Context, IdKey, Purpose, Recovery, Shape, Side};

use super::Exit;
use super::child::{Child, Input, Restarts, Said, Source};
use super::event::Event;
use super::facts::answered;
use super::inner::Caller;
use super::options::Restart;
use super::porter::{House, Order, Parcel, Porter, link};
use crate::outbox::Outbox;
use crate::stdio::{Line, Lines};

/// Reader and writer of the client.
pub(super) struct Client<R, W> {
    pub(super) from: R,
    pub(super) to: W,
}

struct Pair<W> {
    house: Arc<House>,
    porter: Porter,
    client: Outbox<W>,
    behind: watch::Sender<Behind>,
    /// Whether the reader holds a message of the client's until it is known who is behind us.
    holding: watch::Sender<bool>,
    state: Mutex<State>,
    /// What is known of the server is kept under this.
    context: Context,
}

/// Who is behind us.
enum Behind {
    /// A child is on its way.
    Awaited,
    Child(Arc<Input>),
    /// None, and none will come: the conversation answers by itself.
    Gone,
}

impl Behind {
    fn input(&self) -> Option<&Arc<Input>> {
        match self {
            Self::Child(input) => Some(input),
            Self::Awaited | Self::Gone => None,
        }
    }
}

#[derive(Default)]
struct State {
    /// How the client opened a legacy session: its request with the id, and its notification.
    initialize: Option<(IdKey, Vec<u8>)>,
    initialized: Option<Vec<u8>>,
}

/// Runs until the client leaves, the child ends for good, or the guard is stopped.
pub(super) async fn run<R, W>(
    house: Arc<House>,
    client: Client<R, W>,
    source: (Source, Caller),
    restart: Restart,
    context: Context,
) -> Exit
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let pair = Arc::new(Pair {
        porter: Porter::new(
            &house,
            context.clone(),
            link(Carrier::Stdio, Carrier::Stdio, None),
        ),
        client: Outbox::new(client.to),
        behind: watch::Sender::new(Behind::Awaited),
        holding: watch::Sender::new(false),
        state: Mutex::default(),
        house,
        context,
    });
    pair.house.observe(&Event::Connected);
    let begun = Instant::now();
    let lines = Lines::new(client.from, pair.house.bounds.message_bytes);
    let reading = tokio::spawn(read_client(Arc::clone(&pair), lines));
    let clock = tokio::spawn(keep_time(Arc::clone(&pair)));
    let exit = pair.serve(reading, source, Restarts::new(restart)).await;
    clock.abort();
    // What is decided is also told, to a client that takes it.
    let _reader_is_gone = timeout(pair.house.times.grace, pair.client.close()).await;
    let lasted = begun.elapsed();
    pair.house.observe(&Event::Disconnected { lasted });
    exit
}

impl<W: AsyncWrite + Send + Unpin + 'static> Pair<W> {
    async fn serve(
        self: &Arc<Self>,
        mut reading: tokio::task::JoinHandle<()>,
        (source, caller): (Source, Caller),
        mut restarts: Restarts,
    ) -> Exit {
        loop {
            let (child, input) = match Child::start(&self.house, &source, &caller) {
                Ok(started) => started,
                Err(fault) => {
                    self.forsake(&fault.to_string()).await;
                    self.dismiss(&reading).await;
                    return Exit::Failed(fault);
                }
            };
            let mut talking = tokio::spawn(Arc::clone(self).talk(child, Arc::clone(&input)));
            let (leaving, child) = tokio::select! {
                child = &mut talking => (None, child),
                _ = &mut reading => (Some(Exit::ClientGone), self.leave(&input, talking).await),
                () = self.house.stopping() => {
                    self.porter.stop();
                    let exit = Some(Exit::Stopped);
                    (exit, self.leave(&input, talking).await)
                }
            };
            self.behind.send_replace(Behind::Awaited);
            let grace = self.house.times.grace;
            // Whoever writes to a child that does not read is freed by its end, not by patience.
            drop(input);
            let how = match child {
                Ok(child) => child.end(grace).await,
                Err(_) => "the server".to_owned(),
            };
            self.forsake(&how).await;
            if let Some(exit) = leaving {
                self.dismiss(&reading).await;
                return exit;
            }
            let Some(pause) = restarts.next() else {
                self.dismiss(&reading).await;
                return Exit::UpstreamGone(how);
            };
            tokio::time::sleep(pause).await;
            let anew = link(Carrier::Stdio, Carrier::Stdio, None);
            self.porter.renew(self.context.clone(), anew);
        }
    }

    /// Lets open requests be answered, closes the child's input, and waits for what it still says.
    async fn leave(
        &self,
        input: &Input,
        mut talking: tokio::task::JoinHandle<Child>,
    ) -> Result<Child, tokio::task::JoinError> {
        let drained = async {
            tokio::select! {
                () = self.porter.idle() => None,
                child = &mut talking => Some(child),
            }
        };
        if let Ok(Some(child)) = timeout(self.house.times.drain, drained).await {
            return child;
        }
        let grace = self.house.times.grace;
        let _slow_reader = timeout(grace, input.close()).await;
        match timeout(grace, &mut talking).await {
            Ok(child) => child,
            Err(_) => {
                talking.abort();
                talking.await
            }
        }
    }

    /// Ends the reader; a message that it holds is answered first.
    async fn dismiss(&self, reading: &tokio::task::JoinHandle<()>) {
        self.behind.send_replace(Behind::Gone);
        let mut holding = self.holding.subscribe();
        let _slow_reader = timeout(self.house.times.grace, holding.wait_for(|held| !held)).await;
        reading.abort();
    }

    /// Answers what will not be answered any more.
    async fn forsake(&self, why: &str) {
        self.porter
            .server_gone(why, &mut |order| self.deliver(order));
        let _reader_is_gone = timeout(self.house.times.grace, self.client.flush()).await;
    }

    /// Reads the child until it has nothing more to say.
    async fn talk(self: Arc<Self>, mut child: Child, input: Arc<Input>) -> Child {
        if !self.open_again(&mut child, &input).await {
            return child;
        }
        // From here on the conversation's messages go to this child.
        self.behind.send_replace(Behind::Child(Arc::clone(&input)));
        loop {
            match child.listen().await {
                Said::Line(line) => {
                    let deliver = &mut |order| self.deliver(order);
                    self.porter.take(Side::Server, &line, deliver);
                }
                Said::TooLong(found) => {
                    let deliver = &mut |order| self.deliver(order);
                    self.porter.oversize(Side::Server, &found, deliver);
                }
                Said::Nothing => return child,
            }
            self.flush().await;
        }
    }

    /// Opens a legacy session with a new child as the client had opened it with the first. The
    /// conversation hears it all; the client does not hear it again.
    async fn open_again(&self, child: &mut Child, input: &Arc<Input>) -> bool {
        let (initialize, initialized) = {
            let state = self.state();
            (state.initialize.clone(), state.initialized.clone())
        };
        let (Some((id, request)), Some(notification)) = (initialize, initialized) else {
            return true;
        };
        let to_server = &mut |order| {
            if let Order::Send(parcel) = order
                && parcel.to == Side::Server
            {
                input.push(parcel.bytes);
            }
        };
        let handshake = async {
            self.porter.take(Side::Client, &request, to_server);
            input.flush().await.ok()?;
            loop {
                match child.listen().await {
                    Said::Line(line) => {
                        self.porter.take(Side::Server, &line, to_server);
                        if answered(&line).as_ref() == Some(&id) {
                            break;
                        }
                    }
                    Said::TooLong(_) => {}
                    Said::Nothing => return None,
                }
            }
            self.porter.take(Side::Client, &notification, to_server);
            input.flush().await.ok()
        };
        matches!(
            timeout(self.house.times.notify, handshake).await,
            Ok(Some(()))
        )
    }

    fn deliver(&self, order: Order) {
        // On stdio a cancellation is a message; there is no stream to abandon.
        let Order::Send(parcel) = order else { return };
        if parcel.to == Side::Client {
            self.client.push(parcel.bytes);
            return;
        }
        let mut state = self.state();
        state.remember(&parcel);
        match self.behind.borrow().input() {
            Some(input) => input.push(parcel.bytes),
            // Requests have been answered: the conversation knows that the child is gone.
            None => self
                .house
                .note("undeliverable", "a message came while there was no child"),
        }
    }

    async fn flush(&self) {
        let input = self.behind.borrow().input().cloned();
        let to_child = async {
            // A writer that fails shows where its other end is read.
            if let Some(input) = input {
                let _child_is_gone = input.flush().await;
            }
        };
        // Beside each other: one that does not read keeps nothing from the other.
        let (_, _client_is_gone) = tokio::join!(to_child, self.client.flush());
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn remember(&mut self, parcel: &Parcel) {
        if parcel.purpose != Purpose::Forward {
            return;
        }
        match &parcel.shape {
            Shape::Request { id, method } if method == "initialize" => {
                self.initialize = Some((id.clone(), parcel.bytes.clone()));
                self.initialized = None;
            }
            Shape::Notification { method } if method == "notifications/initialized" => {
                self.initialized = Some(parcel.bytes.clone());
            }
            _ => {}
        }
    }
}

/// Reads the client until it leaves.
async fn read_client<R, W>(pair: Arc<Pair<W>>, mut lines: Lines<R>)
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let mut behind = pair.behind.subscribe();
    loop {
        let mut recovery = Recovery::new();
        let line = lines.next_or_skip(|piece| recovery.feed(piece)).await;
        // Between two children a message waits, and with it the client: nobody is there to read it.
        pair.holding.send_replace(true);
        let known = behind.wait_for(|behind| !matches!(behind, Behind::Awaited));
        if known.await.is_err() {
            return;
        }
        let deliver = &mut |order| pair.deliver(order);
        let open = match line {
            Ok(Line::Full(line)) => {
                if !line.trim_ascii().is_empty() {
                    pair.porter.take(Side::Client, &line, deliver);
                }
                true
            }
            Ok(Line::TooLong(_)) => {
                let found = recovery.finish();
                pair.porter.oversize(Side::Client, &found, deliver);
                true
            }
            Ok(Line::End(rest)) => {
                if !rest.trim_ascii().is_empty() {
                    pair.porter.take(Side::Client, &rest, deliver);
                }
                false
            }
            Err(_) => false,
        };
        pair.flush().await;
        pair.holding.send_replace(false);
        if !open {
            return;
        }
        // What finds no place is left with the client.
        pair.porter.room().await;
    }
}

async fn keep_time<W: AsyncWrite + Send + Unpin + 'static>(pair: Arc<Pair<W>>) {
    loop {
        pair.porter.clock(&mut |order| pair.deliver(order)).await;
        // Not by the clock, which has the next deadline to keep when a side does not read.
        let flushing = Arc::clone(&pair);
        tokio::spawn(async move { flushing.flush().await });
    }
}
