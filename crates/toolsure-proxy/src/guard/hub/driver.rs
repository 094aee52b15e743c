//! The driver: what all tasks of a hub share.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use smallvec::SmallVec;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use toolsure_guard::{Hub, IdKey, Message, NodeId};

use super::members::Members;
use crate::fault::Fault;
use crate::guard::alarm::Alarm;
use crate::guard::bounds::Times;
use crate::guard::clock::Clock;
use crate::guard::context::GuardContext;
use crate::guard::in_process::Caller;
use crate::guard::messages::MessageWriter;
use crate::guard::options::GuardOptions;
use crate::guard::running::Exit;
use crate::guard::upstream::Upstream;

/// Drives one hub.
pub(in crate::guard) struct HubDriver {
    hub: Mutex<Hub>,
    /// By the numbers that the hub has for them.
    pub(super) owners: RwLock<BTreeMap<usize, Arc<Owner>>>,
    pub(super) client: MessageWriter,
    pub(super) caller: Caller,
    pub(super) clock: Clock,
    pub(super) times: Times,
    pub(super) connections: Mutex<Connections>,
    pub(super) connect: Connect,
    /// The servers that an aggregator presents as one, if there is one.
    pub(super) members: Option<Members>,
    /// The maximum bytes that wait in the connection to a server; what comes then is refused.
    pub(super) most_unread: usize,
    /// Whether a task watches servers that are behind.
    pub(super) is_watched: AtomicBool,
    /// Whether the client has closed its side, and the guard is stopped as well.
    pub(in crate::guard) is_abandoned: AtomicBool,
    pub(super) alarm: Alarm,
    /// How many conversations get news of a new policy.
    pub(super) list_changed_count: AtomicUsize,
    pub(super) idle: Notify,
    /// Whether a task waits in [`HubDriver::room`].
    pub(super) is_awaited: AtomicBool,
    pub(super) roomy: Notify,
    /// Whether the client has left, or the guard ends.
    pub(super) leaving: watch::Sender<bool>,
    /// Why nothing serves the client any more.
    pub(super) finished: Mutex<Option<Exit>>,
    pub(super) has_finished: Notify,
}

/// Whom nodes of a hub work for: a policy with its observer, and the server of its connections.
pub(in crate::guard) struct Owner {
    pub(in crate::guard) ctx: Arc<GuardContext>,
    pub(in crate::guard) upstream: Upstream,
}

/// Starts the connection to a server of an owner, in a task.
pub(in crate::guard) type Connect =
    fn(&Arc<HubDriver>, NodeId, &Owner, &Caller) -> Result<Connected, Fault>;

/// A connection that was started, and the task that runs it.
pub(in crate::guard) struct Connected {
    pub(in crate::guard) connection: Arc<dyn Connection>,
    pub(in crate::guard) task: Pin<Box<dyn Future<Output = ()> + Send>>,
}

/// The connection to one server.
pub(in crate::guard) trait Connection: Send + Sync {
    /// Queues a message for the server. Called under the lock of the hub.
    fn push(&self, message: Message);

    /// Closes the stream of a request.
    fn abandon(&self, id: &IdKey);

    /// Sends what is queued as far as that needs no waiting; `false` if something is left.
    fn try_flush(self: Arc<Self>) -> bool;

    /// Sends what is queued.
    fn flush(self: Arc<Self>) -> Pin<Box<dyn Future<Output = ()> + Send>>;

    /// The bytes that are queued.
    fn waiting_bytes(&self) -> usize;

    /// Begins to end the connection; its task ends then.
    fn close(&self);

    /// Gives up a server that takes no messages.
    fn give_up(&self);
}

#[derive(Default)]
pub(super) struct Connections {
    pub(super) open: BTreeMap<NodeId, Arc<dyn Connection>>,
    /// One task for each connection that is open or about to end.
    pub(super) tasks: JoinSet<()>,
}

/// Who has new messages queued.
#[derive(Default)]
pub(in crate::guard) struct Receivers {
    pub(super) client: bool,
    pub(super) servers: SmallVec<[(NodeId, Arc<dyn Connection>); 2]>,
}

impl HubDriver {
    /// A driver whose connections are not open yet.
    pub(super) fn new(
        (hub, members, most_unread): (Hub, Option<Members>, usize),
        client: MessageWriter,
        options: &GuardOptions,
        connect: Connect,
        owners: BTreeMap<usize, Arc<Owner>>,
    ) -> Arc<Self> {
        // All that uses the guards of the servers has their clock.
        let clock = members.as_ref().map(|members| members.aggregate.clock);
        Arc::new(Self {
            hub: Mutex::new(hub),
            owners: RwLock::new(owners),
            client,
            caller: options.caller.clone(),
            clock: clock.unwrap_or(options.clock),
            times: options.times,
            connections: Mutex::default(),
            connect,
            members,
            most_unread,
            is_abandoned: AtomicBool::default(),
            is_watched: AtomicBool::new(false),
            alarm: Alarm::default(),
            list_changed_count: AtomicUsize::new(0),
            idle: Notify::new(),
            is_awaited: AtomicBool::new(false),
            roomy: Notify::new(),
            leaving: watch::Sender::new(false),
            finished: Mutex::new(None),
            has_finished: Notify::new(),
        })
    }

    pub(super) fn hub(&self) -> MutexGuard<'_, Hub> {
        self.hub.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn connections(&self) -> MutexGuard<'_, Connections> {
        self.connections
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn owner(&self, number: usize) -> Option<Arc<Owner>> {
        let owners = self.owners.read().unwrap_or_else(PoisonError::into_inner);
        owners.get(&number).cloned()
    }

    pub(super) fn add_owners(&self, more: BTreeMap<usize, Arc<Owner>>) {
        let mut owners = self.owners.write().unwrap_or_else(PoisonError::into_inner);
        owners.extend(more);
    }

    /// The connection to a server, while it is open.
    pub(super) fn connection(&self, server: NodeId) -> Option<Arc<dyn Connection>> {
        self.connections().open.get(&server).cloned()
    }

    pub(super) fn is_leaving(&self) -> bool {
        *self.leaving.borrow()
    }

    /// Asks all connections to end, and waits until they have.
    pub(super) async fn close_all(&self) {
        self.leaving.send_replace(true);
        for connection in self.connections().open.values() {
            connection.close();
        }
        loop {
            // The lock is not held meanwhile: a connection that ends needs it.
            let mut tasks = std::mem::take(&mut self.connections().tasks);
            if tasks.is_empty() {
                return;
            }
            while tasks.join_next().await.is_some() {}
        }
    }
}

/// Ends the connections of a driver whose task was dropped.
pub(super) struct Ending(pub(super) Arc<HubDriver>);

impl Drop for Ending {
    fn drop(&mut self) {
        let mut connections = self.0.connections();
        connections.tasks.abort_all();
        connections.open.clear();
    }
}
