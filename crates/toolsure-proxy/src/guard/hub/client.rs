//! One client on our standard input and output.
//!
//! ```text
//!   client ─▶ read_client ─▶ hub ─▶ connections ─▶ servers
//!   client ◀── its output ◀─ hub ◀─ connections ◀─ servers
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};
use toolsure_guard::{Context, Hub};

use super::build::Builder;
use super::driver::{Connect, Ending, HubDriver, Receivers};
use crate::fault::Fault;
use crate::guard::context::GuardContext;
use crate::guard::event::{Event, UpstreamState};
use crate::guard::messages::{Client, MessageReader, Received};
use crate::guard::options::GuardOptions;
use crate::guard::running::Exit;

/// Serves a client of lines until it leaves, its server ends for good, or the guard is stopped.
///
/// # Errors
///
/// A [`Fault`] if the hub cannot be built.
pub(in crate::guard) fn run(
    ctx: &Arc<GuardContext>,
    client: Client,
    options: &GuardOptions,
    connect: Connect,
) -> Result<JoinHandle<Exit>, Fault> {
    let context = Context::Session(options.context);
    let most_unread = options.bounds.most_unread(&ctx.guard.policy().limits);
    let mut hub = Hub::new(most_unread);
    let mut builder = Builder::new(&mut hub, &options.caller);
    builder.conversation(None, 0, (Arc::clone(ctx), context), &options.upstream)?;
    let (owners, servers, members) = (builder.owners, builder.servers, builder.members);
    let driver = HubDriver::new(
        (hub, members, most_unread),
        client.to,
        options,
        connect,
        owners,
    );
    let work = Arc::clone(ctx);
    Ok(tokio::spawn(async move {
        let _ending = Ending(Arc::clone(&driver));
        for (server, owner) in servers {
            driver.open(server, owner);
        }
        driver.serve(&work, client.from).await
    }))
}

impl HubDriver {
    async fn serve(self: &Arc<Self>, ctx: &Arc<GuardContext>, from: MessageReader) -> Exit {
        ctx.observe(&Event::Connected);
        let begun = Instant::now();
        let is_direct = self.owner(0).is_some_and(|it| it.upstream.is_server());
        if !is_direct {
            ctx.observe(&Event::Upstream(UpstreamState::Started));
        }
        let mut reading = tokio::spawn(Arc::clone(self).read_client(from));
        let clock = tokio::spawn(Arc::clone(self).keep_time());
        let members = tokio::spawn(Arc::clone(self).watch_members());
        let left = tokio::select! {
            _ = &mut reading => Some(Exit::ClientGone),
            () = self.client.lost() => Some(Exit::ClientGone),
            () = self.finished() => None,
            () = ctx.stopping() => {
                self.hub().stop();
                Some(Exit::Stopped)
            }
        };
        // If the client has closed its side and the guard is stopped as well, open calls are not waited for: SDKs kill the
        // guard 2 s after each step, and it could no longer end its servers.
        let both_ended = async {
            match &left {
                Some(Exit::ClientGone) => ctx.stopping().await,
                Some(Exit::Stopped) => drop((&mut reading).await),
                _ => std::future::pending().await,
            }
            self.is_abandoned.store(true, Ordering::Release);
        };
        let drained = async {
            tokio::select! {
                () = self.idle() => {}
                () = both_ended => {}
                // Nobody is there to read their answers.
                () = self.client.lost() => {}
                () = self.finished() => {}
            }
        };
        let _others_get_an_error = timeout(self.times.drain, drained).await;
        members.abort();
        let finished = self.finished_state().take();
        self.close_all().await;
        let finished = finished.or(self.finished_state().take());
        self.end();
        reading.abort();
        clock.abort();
        // Queued answers are still written, if the client reads them.
        let _reader_is_gone = timeout(self.times.grace, self.client.close()).await;
        if !is_direct {
            let how = match &finished {
                Some(Exit::UpstreamGone(how)) => how,
                _ => "was closed",
            };
            ctx.observe(&Event::Upstream(UpstreamState::Ended { how }));
        }
        let lasted = begun.elapsed();
        ctx.observe(&Event::Disconnected { lasted });
        match (finished, left) {
            // Nothing can have been served.
            (Some(failed @ Exit::Failed(_)), _) => failed,
            (Some(gone), None) => gone,
            (_, left) => left.unwrap_or(Exit::ClientGone),
        }
    }

    /// Reads the client until it leaves.
    async fn read_client(self: Arc<Self>, mut messages: MessageReader) {
        loop {
            let receivers = match messages.next().await {
                Received::Message(message) => self.from_client(message),
                Received::TooLong(found) => self.oversize(None, &found),
                // A client reports none.
                Received::Tools(_) => continue,
                Received::End => return,
            };
            self.sent(receivers).await;
            // Calls that find no room to wait stay with the client.
            self.room().await;
        }
    }

    /// Waits until the receivers of a client's message have taken it.
    async fn sent(&self, mut receivers: Receivers) {
        if self.members.is_some() {
            Self::start_sending(&mut receivers);
            if receivers.client {
                self.client_flushed().await;
            }
            return self.wait_for_slow_servers().await;
        }
        // At the same time, so that a slow reader does not hold up the other one.
        let servers = async {
            for (_, connection) in receivers.servers {
                if !Arc::clone(&connection).try_flush() {
                    connection.flush().await;
                }
            }
        };
        tokio::join!(servers, self.client_flushed());
    }
}
