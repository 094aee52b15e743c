//! Builds the nodes of a hub from the options of a guard.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::time::Instant;
use toolsure_guard::translate::Translator;
use toolsure_guard::{
    Begin, Carrier, ConnectionId, Context, Conversation, Guard, Hub, NodeId, ScopeKey,
};

use super::driver::Owner;
use super::members::Members;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::guard::bounds::Restart;
use crate::guard::context::GuardContext;
use crate::guard::event::{Event, UpstreamState};
use crate::guard::in_process::Caller;
use crate::guard::options::{GuardOptions, Listener};
use crate::guard::session_driver::{begin, link};
use crate::guard::upstream::{Aggregate, AggregateMember, Translated, Upstream};

/// Adds nodes to a hub, and notes their owners and the servers to connect to.
pub(super) struct Builder<'b> {
    pub(super) hub: &'b mut Hub,
    pub(super) caller: &'b Caller,
    /// By their numbers.
    pub(super) owners: BTreeMap<usize, Arc<Owner>>,
    pub(super) servers: Vec<(NodeId, usize)>,
    pub(super) members: Option<Members>,
    /// Who observes the conversation in front of the hub, if that is not one of its nodes.
    pub(super) front: Option<Arc<GuardContext>>,
}

/// Where a node is added: behind a connection of another, or first.
type At = Option<(NodeId, ConnectionId)>;

impl<'b> Builder<'b> {
    pub(super) fn new(hub: &'b mut Hub, caller: &'b Caller) -> Self {
        Self {
            hub,
            caller,
            owners: BTreeMap::new(),
            servers: Vec::new(),
            members: None,
            front: None,
        }
    }

    /// Adds a conversation with filters, and what is behind it.
    pub(super) fn conversation(
        &mut self,
        at: At,
        number: usize,
        (ctx, context): (Arc<GuardContext>, Context),
        upstream: &Upstream,
    ) -> Result<(), Fault> {
        let server = carrier(upstream);
        let served = match number {
            // Whoever serves the client observes the first node.
            0 => None,
            _ => Some(Served::begin(&ctx, upstream)),
        };
        let begin = conversation_in(&ctx, (context, served), server, self.caller.clone());
        let node = self.hub.add_conversation(at, number, begin);
        let owner = Owner {
            ctx,
            upstream: upstream.clone(),
        };
        self.owners.insert(number, Arc::new(owner));
        self.behind(Some((node, ConnectionId::ONLY)), number, upstream)
    }

    /// Adds what is behind a conversation of the owner `number`, or without one the first node.
    pub(super) fn behind(
        &mut self,
        at: At,
        number: usize,
        upstream: &Upstream,
    ) -> Result<(), Fault> {
        match upstream {
            Upstream::Child { .. } | Upstream::Http(_) => {
                let node = at.map(|(node, _)| node);
                self.servers.extend(node.map(|node| (node, number)));
                Ok(())
            }
            Upstream::Translated(translated) => self.translator(at, number + 1, translated),
            Upstream::Several(aggregate) => self.aggregator(at, number + 1, aggregate),
        }
    }

    fn translator(
        &mut self,
        at: At,
        number: usize,
        translated: &Arc<Translated>,
    ) -> Result<(), Fault> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed)
            .map_err(|error| cannot(format!("no random numbers are available: {error}")))?;
        let policy = translated.guard.policy();
        let (translate, clients) = (translated.translate, translated.clients);
        let translator = Translator::new(translate, clients, seed, &policy);
        let upstream = on_behalf_of(translated.server.clone(), self.caller);
        let mut options = GuardOptions::new(translated.name.clone(), Listener::Stdio, upstream);
        (options.bounds, options.times) = (translated.bounds, translated.times);
        options.clock = translated.clock;
        options.message_memory = translated.message_memory.clone();
        options.caller = self.caller.clone();
        options.in_front = Some(translated.guard.clone());
        let guard = Guard::new(policy.without_filters());
        let guard = guard.map_err(|error| cannot(error.to_string()))?;
        let ctx = GuardContext::of(&options, guard, Arc::clone(&translated.observer));
        let server = carrier(&options.upstream);
        let begin = connection_of(&ctx, translated.guard.clone(), server);
        self.hub.add_translator(at, number, translator, begin);
        let upstream = options.upstream;
        let owner = Arc::new(Owner { ctx, upstream });
        self.owners.insert(number, owner);
        Ok(())
    }

    fn aggregator(
        &mut self,
        at: At,
        number: usize,
        aggregate: &Arc<Aggregate>,
    ) -> Result<(), Fault> {
        // What the aggregator refuses itself is recorded where the client's messages are.
        let before = number.checked_sub(1).and_then(|it| self.owners.get(&it));
        let ctx = before.map(|owner| Arc::clone(&owner.ctx));
        if let Some(ctx) = ctx.or_else(|| self.front.clone()) {
            let upstream = Upstream::Several(Arc::clone(aggregate));
            let owner = Arc::new(Owner { ctx, upstream });
            self.owners.insert(number, owner);
        }
        let mut news = aggregate.members();
        let present = news.borrow_and_update().clone();
        let aggregator = aggregate.aggregator(&present);
        let aggregator = aggregator.map_err(|error| cannot(error.to_string()))?;
        let node = self.hub.add_aggregator(at, number, aggregator);
        let members = Members::new(node, Arc::clone(aggregate), news);
        for (at, member) in present.iter().enumerate() {
            members.add(Arc::clone(member));
            self.member(&members, at, member)?;
        }
        self.members = Some(members);
        Ok(())
    }

    /// Adds the nodes of an aggregator's server.
    pub(super) fn member(
        &mut self,
        members: &Members,
        at: usize,
        member: &AggregateMember,
    ) -> Result<(), Fault> {
        let upstream = match member.upstream.clone() {
            // The driver restarts it.
            Upstream::Child { launch, .. } => Upstream::Child {
                launch,
                restart: Restart::NEVER,
            },
            upstream => on_behalf_of(upstream, self.caller),
        };
        let mut options = GuardOptions::new(member.name.clone(), Listener::Stdio, upstream);
        let aggregate = &members.aggregate;
        (options.bounds, options.times) = (aggregate.bounds, aggregate.times);
        options.clock = aggregate.clock;
        options.message_memory = aggregate.message_memory.clone();
        options.caller = self.caller.clone();
        let context = Context::Session(aggregate.next_context());
        let (guard, observer) = (member.guard.clone(), Arc::clone(&member.observer));
        let ctx = GuardContext::of(&options, guard, observer);
        let behind = Some((members.aggregator, ConnectionId::new(at)));
        self.conversation(
            behind,
            owner_of_member(at),
            (ctx, context),
            &options.upstream,
        )
    }
}

/// The number of the owner of an aggregator's server; the next is that of its translator. The numbers
/// before are those of the conversation in front and of the aggregator.
pub(super) fn owner_of_member(at: usize) -> usize {
    2 + 2 * at
}

/// Makes the conversations in a context, one after the other. Its scope is forgotten after each.
fn conversation_in(
    ctx: &Arc<GuardContext>,
    (context, served): (Context, Option<Served>),
    server: Carrier,
    caller: Caller,
) -> Begin {
    let upstream = Arc::clone(&ctx.name);
    let scope = ForgottenScope {
        ctx: Arc::clone(ctx),
        key: ScopeKey { upstream, context },
        _served: served,
    };
    Arc::new(move || {
        let ScopeKey { upstream, context } = &scope.key;
        scope.ctx.guard.forget(&scope.key);
        let link = link(Carrier::Stdio, server, None);
        let mut conversation = begin(&scope.ctx, context.clone(), link);
        // A caller may have many connections, and share a process with others.
        let context = caller.counted().clone();
        if context != Context::Anonymous {
            let upstream = Arc::clone(upstream);
            conversation.count_in(ScopeKey { upstream, context });
        }
        conversation
    })
}

struct ForgottenScope {
    ctx: Arc<GuardContext>,
    key: ScopeKey,
    _served: Option<Served>,
}

/// Observes an aggregator's server, for as long as the hub has nodes for it. A process is observed where it is
/// started.
struct Served {
    ctx: Arc<GuardContext>,
    begun: Instant,
    is_translated: bool,
}

impl Served {
    fn begin(ctx: &Arc<GuardContext>, upstream: &Upstream) -> Self {
        let is_translated = !upstream.is_server();
        ctx.observe(&Event::Connected);
        if is_translated {
            ctx.observe(&Event::Upstream(UpstreamState::Started));
        }
        Self {
            ctx: Arc::clone(ctx),
            begun: Instant::now(),
            is_translated,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        if self.is_translated {
            let how = "the translator has ended";
            self.ctx
                .observe(&Event::Upstream(UpstreamState::Ended { how }));
        }
        let lasted = self.begun.elapsed();
        self.ctx.observe(&Event::Disconnected { lasted });
    }
}

impl Drop for ForgottenScope {
    fn drop(&mut self) {
        self.ctx.guard.forget(&self.key);
    }
}

/// Makes the conversations of a translator's connections. Each has a guard of its own, because connections
/// must not share what they learn about the server; it filters nothing.
fn connection_of(ctx: &Arc<GuardContext>, in_front: Guard, server: Carrier) -> Begin {
    let ctx = Arc::clone(ctx);
    Arc::new(move || {
        let own = Guard::new(in_front.policy().without_filters());
        // A policy that is in force is valid.
        let guard = own.unwrap_or_else(|_| ctx.guard.clone());
        let scope = guard.scope(&ScopeKey {
            upstream: Arc::clone(&ctx.name),
            context: Context::Session(0),
        });
        let link = link(Carrier::Stdio, server, None);
        Conversation::new(&guard, scope, link).marked(&ctx.mark)
    })
}

fn carrier(upstream: &Upstream) -> Carrier {
    match upstream {
        Upstream::Http(_) => Carrier::Http,
        _ => Carrier::Stdio,
    }
}

fn on_behalf_of(upstream: Upstream, caller: &Caller) -> Upstream {
    match upstream {
        Upstream::Http(target) => Upstream::Http(target.on_behalf_of(caller.clone())),
        upstream => upstream,
    }
}

/// The fault of a hub that cannot be built.
fn cannot(text: String) -> Fault {
    Fault::new(Party::Operator, FaultKind::Config, Phase::Start, text)
}
