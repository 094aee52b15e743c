//! Servers of an aggregator that are added, that are gone and come back, or that do not read.

use std::sync::Arc;
use std::time::Duration;

use toolsure_guard::NodeId;

use super::build::Builder;
use super::driver::{Connection, HubDriver, Receivers};
use super::members::Members;
use crate::fault::Fault;
use crate::guard::event::{Event, UpstreamState};
use crate::guard::upstream::{AggregateMember, Upstream};

impl HubDriver {
    async fn restart_member(self: Arc<Self>, at: usize, why: &str) {
        let Some(members) = &self.members else { return };
        let Some(member) = members.member(at) else {
            return;
        };
        let observer = &member.observer;
        observer.observe(&Event::Upstream(UpstreamState::Gone { how: why }));
        let pause = members.pause(at);
        if pause.is_none() {
            observer.observe(&Event::Note {
                what: "server-not-restarted",
                detail: why,
            });
        }
        let paused = async {
            match pause {
                Some(pause) => tokio::time::sleep(pause).await,
                None => std::future::pending().await,
            }
        };
        let mut leaving = self.leaving.subscribe();
        tokio::select! {
            _ = leaving.wait_for(|leaving| *leaving) => {
                return observer.observe(&Event::Upstream(UpstreamState::Here));
            }
            () = paused => {}
        }
        let receivers = self.start_member(members, at, &member, false);
        self.pass_on_in_background(receivers);
        if matches!(member.upstream, Upstream::Http(_)) {
            // A process, and a translated server, are observed when they start.
            observer.observe(&Event::Upstream(UpstreamState::Here));
        }
    }

    /// Adds the nodes of a server, and tells the aggregator of it. `is_new` says that it was added.
    fn start_member(
        self: &Arc<Self>,
        members: &Members,
        at: usize,
        member: &AggregateMember,
        is_new: bool,
    ) -> Receivers {
        let aggregator = members.aggregator;
        self.turn(|hub, now| {
            let mut builder = Builder::new(hub, &self.caller);
            let built: Result<(), Fault> = builder.member(members, at, member);
            let (owners, servers) = (builder.owners, builder.servers);
            self.add_owners(owners);
            for (server, owner) in servers {
                self.open(server, owner);
            }
            let mut out = match is_new {
                true => hub.add_member(aggregator, member.named(), now),
                false => hub.member_here(aggregator, at, now),
            };
            if let Err(fault) = built {
                out.extend(hub.member_gone(aggregator, at, &fault.to_string(), now));
            }
            out
        })
    }

    /// Adds the servers that are added to the aggregate while the hub runs, and brings back those that are
    /// gone.
    pub(super) async fn watch_members(self: Arc<Self>) {
        let Some(members) = &self.members else {
            return std::future::pending().await;
        };
        let mut news = members.news();
        loop {
            let changed = async {
                match &mut news {
                    Some(news) => news.changed().await.is_ok(),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                gone = members.next_gone() => {
                    for (at, why) in gone {
                        let driver = Arc::clone(&self);
                        let back = async move { driver.restart_member(at, &why).await };
                        self.connections().tasks.spawn(back);
                    }
                }
                more = changed => match &mut news {
                    Some(news) if more => {
                        let all = news.borrow_and_update().clone();
                        self.add_members(members, all);
                    }
                    // There will be no more.
                    _ => news = None,
                },
            }
        }
    }

    fn add_members(self: &Arc<Self>, members: &Members, all: Vec<Arc<AggregateMember>>) {
        let present = members.count();
        for (at, member) in all.into_iter().enumerate().skip(present) {
            members.add(Arc::clone(&member));
            let receivers = self.start_member(members, at, &member, true);
            self.pass_on_in_background(receivers);
        }
    }

    /// Waits while more than one message waits for a server. One that does not read in time is given up, so
    /// that it does not hold up the others.
    pub(super) async fn wait_for_slow_servers(&self) {
        let Some(members) = &self.members else { return };
        let most = members.aggregate.bounds.message_bytes;
        let patience = members.aggregate.times.notify;
        let slow: Vec<_> = {
            let hub = self.hub();
            let connections = self.connections();
            let waits = |server: NodeId, connection: &Arc<dyn Connection>| {
                let held = hub.waiting_bytes(server);
                held.saturating_add(connection.waiting_bytes()) > most
            };
            let open = connections.open.iter();
            let slow = open.filter(|(server, connection)| waits(**server, connection));
            slow.map(|(server, connection)| (*server, Arc::clone(connection)))
                .collect()
        };
        for (server, connection) in slow {
            tokio::spawn(Arc::clone(&connection).flush());
            let waits = || {
                let held = self.hub().waiting_bytes(server);
                held.saturating_add(connection.waiting_bytes()) > most
            };
            let taken = async {
                while waits() {
                    tokio::time::sleep(LOOK_AGAIN).await;
                }
            };
            if tokio::time::timeout(patience, taken).await.is_err() {
                connection.give_up();
            }
        }
    }
}

/// How often to look whether a slow server has taken its messages.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
