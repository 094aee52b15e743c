//! A hub behind the conversations of clients over HTTP.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;
use toolsure_guard::{Hub, Message};

use super::build::Builder;
use super::driver::{Connect, Ending, HubDriver};
use crate::fault::Fault;
use crate::guard::context::GuardContext;
use crate::guard::in_process::{Caller, InProcessPeer};
use crate::guard::messages::{MessageWriter, Receiver, message_channel};
use crate::guard::options::GuardOptions;
use crate::guard::running::Exit;
use crate::guard::upstream::Upstream;

/// Opens a hub for a session, or for all clients with one authorization. Their conversations have locks of
/// their own, so what the hub has for them is queued, and a task takes it to them.
pub(in crate::guard) fn open(
    (options, front): (&GuardOptions, &Arc<GuardContext>),
    connect: Connect,
    caller: &Caller,
) -> Result<InProcessPeer, Fault> {
    let most_unread = options.bounds.most_unread(&front.guard.policy().limits);
    let mut hub = Hub::new(most_unread);
    let mut builder = Builder::new(&mut hub, caller);
    builder.front = Some(Arc::clone(front));
    builder.behind(None, 0, &options.upstream)?;
    let (owners, servers, members) = (builder.owners, builder.servers, builder.members);
    let (output, from) = message_channel();
    let mut options = options.clone();
    options.caller = caller.clone();
    let client = MessageWriter::Memory(output);
    let driver = HubDriver::new(
        (hub, members, most_unread),
        client,
        &options,
        connect,
        owners,
    );
    for (server, owner) in servers {
        driver.open(server, owner);
    }
    let peer = Arc::new(HubPeer {
        driver: Arc::clone(&driver),
        closed: Notify::new(),
    });
    let task = Task(tokio::spawn(Arc::clone(&peer).run()));
    Ok(InProcessPeer {
        name: name(&options),
        from,
        to: MessageWriter::Hub(peer),
        ended: Box::pin(task.ended()),
    })
}

fn name(options: &GuardOptions) -> String {
    match &options.upstream {
        Upstream::Several(_) => "several servers".to_owned(),
        _ => options.name.clone(),
    }
}

/// The clients' end of a hub.
pub(in crate::guard) struct HubPeer {
    driver: Arc<HubDriver>,
    /// Signalled when no client is left.
    closed: Notify,
}

impl HubPeer {
    /// Runs until no client or no server is left. Dropping the future ends all connections at once.
    async fn run(self: Arc<Self>) -> String {
        let driver = &self.driver;
        let _ending = Ending(Arc::clone(driver));
        let mut clock = JoinSet::new();
        clock.spawn(Arc::clone(driver).keep_time());
        let mut members = JoinSet::new();
        members.spawn(Arc::clone(driver).watch_members());
        let how = tokio::select! {
            () = self.closed.notified() => {
                if driver.members.is_some() {
                    let _others_get_an_error =
                        timeout(driver.times.drain, driver.servers_idle()).await;
                }
                "was closed".to_owned()
            }
            () = driver.finished() => match driver.finished_state().take() {
                Some(Exit::UpstreamGone(how)) => format!("has ended: {how}"),
                _ => "has failed".to_owned(),
            },
        };
        drop(members);
        driver.close_all().await;
        driver.end();
        drop(clock);
        driver.client.close().await;
        how
    }
}

impl Receiver for HubPeer {
    fn take(&self, message: Message) {
        let mut receivers = self.driver.from_client(message);
        HubDriver::start_sending(&mut receivers);
    }

    fn flush(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.driver.watch_slow_servers())
    }

    fn close(&self) {
        self.closed.notify_one();
    }
}

/// The task of a hub. Dropping this aborts it.
struct Task(JoinHandle<String>);

impl Task {
    async fn ended(mut self) -> String {
        let ended = (&mut self.0).await;
        ended.unwrap_or_else(|_| "has failed".to_owned())
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        self.0.abort();
    }
}
