//! Servers of an aggregator that are added, that are gone and come back, or that do not read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::Instant;
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

    /// Waits while more than one message waits for a server, in one task for all that call this.
    pub(super) async fn watch_slow_servers(&self) {
        let is_needed = || !self.is_leaving() && !self.slow_servers().is_empty();
        let is_watched = &self.is_watched;
        while !is_watched.load(Ordering::Acquire)
            && is_needed()
            && !is_watched.swap(true, Ordering::AcqRel)
        {
            let watching = Watching(is_watched);
            self.wait_for_slow_servers().await;
            // A server may have fallen behind in the meantime.
            drop(watching);
        }
    }

    /// Waits while more than one message waits for a server. One that does not read in time is given up, so
    /// that it does not hold up the others.
    pub(super) async fn wait_for_slow_servers(&self) {
        let Some(members) = &self.members else { return };
        let patience = members.aggregate.times.notify;
        let mut behind: BTreeMap<NodeId, (Instant, Arc<dyn Connection>)> = BTreeMap::new();
        let mut given_up = BTreeSet::new();
        loop {
            let now = Instant::now();
            behind.retain(|server, (until, connection)| {
                let is_over = *until <= now;
                if is_over {
                    connection.give_up();
                    given_up.insert(*server);
                }
                !is_over
            });
            let mut slow = self.slow_servers();
            slow.retain(|(server, _)| !given_up.contains(server));
            behind.retain(|server, _| slow.iter().any(|(it, _)| it == server));
            for (server, connection) in slow {
                behind.entry(server).or_insert_with(|| {
                    tokio::spawn(Arc::clone(&connection).flush());
                    (now + patience, connection)
                });
            }
            let Some(next) = behind.values().map(|(until, _)| *until).min() else {
                return;
            };
            tokio::time::sleep_until(next.min(now + LOOK_AGAIN)).await;
        }
    }

    /// The servers for which more than one message waits, in their connection or before it.
    fn slow_servers(&self) -> Vec<(NodeId, Arc<dyn Connection>)> {
        let Some(members) = &self.members else {
            return Vec::new();
        };
        let most = members.aggregate.bounds.message_bytes;
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
    }
}

/// Another task may watch the servers when this one ends or is dropped.
struct Watching<'w>(&'w AtomicBool);

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Release);
    }
}

/// How often to look whether a slow server has taken its messages.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
