//! The driver of one conversation, shared by the tasks that read and write its messages.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use toolsure_guard::{
    Act, Carrier, Context, Conversation, Effect, Effects, IdKey, Identity, Link, Message, Peer,
    Recovered, Report, ScopeKey, Side, ToolsEvent,
};
use toolsure_mcp::era::Era;

use super::alarm::Alarm;
use super::context::{ClientIdentity, GuardContext};
use super::event::Event;
use super::identity::Identity as Sender;

/// What a transport must do for a conversation.
#[derive(Debug)]
pub(crate) enum Output {
    ToClient(Message),
    ToServer(Message),
    /// Close the upstream stream of this request.
    Abandon(IdKey),
}

/// A conversation behind a lock, with its next deadline.
pub(crate) struct SessionDriver {
    pub(crate) ctx: Arc<GuardContext>,
    conversation: Mutex<Conversation>,
    /// When [`SessionDriver::clock`] wakes next.
    alarm: Alarm,
    /// As [`Conversation::gets_list_changed`].
    gets_list_changed: AtomicBool,
}

impl SessionDriver {
    pub(crate) fn new(ctx: &Arc<GuardContext>, context: Context, link: Link) -> Self {
        Self::of(ctx, begin(ctx, context, link))
    }

    /// A driver for a session that began elsewhere.
    pub(crate) fn adopt(ctx: &Arc<GuardContext>, context: Context, link: Link) -> Self {
        Self::of(ctx, begin(ctx, context, link).adopted())
    }

    fn of(ctx: &Arc<GuardContext>, conversation: Conversation) -> Self {
        let gets_list_changed = conversation.gets_list_changed();
        Self {
            conversation: Mutex::new(conversation),
            ctx: Arc::clone(ctx),
            alarm: Alarm::default(),
            gets_list_changed: AtomicBool::new(gets_list_changed),
        }
    }

    /// Counts the client's calls by its authorization, if it has one: a caller may open many
    /// sessions, and may share a process with others.
    pub(crate) fn count_for(&self, sender: &Sender) {
        let context = sender.counted.clone();
        if context != Context::Anonymous {
            let upstream = Arc::clone(&self.ctx.name);
            self.lock().count_in(ScopeKey { upstream, context });
        }
    }

    /// Sets the identity of all clients in this conversation's scope.
    pub(crate) fn stand_for(&self, identity: &Context) {
        if let Some(who) = shared_identity(identity) {
            self.lock().stand_for(who);
        }
    }

    /// Sets the session id that identifies this conversation's scope: the server's, or else the
    /// client's.
    pub(crate) fn stand_for_session(&self, name: &[u8]) {
        self.lock().stand_for(Identity::Session(name));
    }

    /// Reads a message, unless it is read.
    pub(crate) fn read(&self, message: impl Into<Message>) -> Message {
        self.ctx.guard.read(message)
    }

    /// Handles a message of one side. `deliver` is called under the lock, so that its calls have
    /// the order of the decisions.
    pub(crate) fn take(
        &self,
        from: Side,
        message: impl Into<Message>,
        deliver: &mut dyn FnMut(Output),
    ) {
        let message = self.read(message);
        self.ctx.observe(&Event::Message {
            from,
            bytes: message.bytes().len(),
        });
        let now = self.ctx.now();
        self.run(deliver, |it| it.on_message(from, message, now));
    }

    /// Handles an event of the server's tools.
    pub(crate) fn tools_event(&self, event: ToolsEvent) {
        self.lock().tools_event(event);
    }

    /// Sets the sender of the next messages, for the records.
    pub(crate) fn set_peer(&self, peer: Option<Arc<Peer>>) {
        self.lock().set_peer(peer);
    }

    pub(crate) fn oversize(&self, from: Side, found: &Recovered, deliver: &mut dyn FnMut(Output)) {
        let now = self.ctx.now();
        self.run(deliver, |it| it.oversize(from, found, now));
    }

    pub(crate) fn server_gone(&self, why: &str, deliver: &mut dyn FnMut(Output)) {
        let now = self.ctx.now();
        self.run(deliver, |it| it.server_gone(why, now));
    }

    pub(crate) fn request_failed(&self, id: &IdKey, why: &str, deliver: &mut dyn FnMut(Output)) {
        let now = self.ctx.now();
        self.run(deliver, |it| it.request_failed(id, why, now));
    }

    pub(crate) fn give_up(&self, id: &IdKey, act: Act, why: &str, deliver: &mut dyn FnMut(Output)) {
        let now = self.ctx.now();
        self.run(deliver, |it| it.give_up(id, act, why, now));
    }

    pub(crate) fn client_left(&self, id: &IdKey, deliver: &mut dyn FnMut(Output)) {
        let now = self.ctx.now();
        self.run(deliver, |it| it.client_left(id, now));
    }

    /// Refuses new requests from now on; open ones go on.
    pub(crate) fn stop(&self) {
        self.lock().stop();
    }

    /// The version of the session, once it is negotiated.
    pub(crate) fn era(&self) -> Option<Era> {
        self.lock().era()
    }

    /// Whether a client waits for an answer.
    pub(crate) fn is_awaited(&self) -> bool {
        self.lock().is_awaited()
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.lock().is_idle()
    }

    /// Whether the next call may find no room to wait for the tool list.
    pub(crate) fn is_crowded(&self) -> bool {
        self.lock().is_crowded()
    }

    /// Sleeps until the conversation's next deadline, then calls its timer; or until the policy is
    /// replaced, then tells the client.
    pub(crate) async fn clock(&self, deliver: &mut (dyn FnMut(Output) + Send)) {
        loop {
            tokio::select! {
                passed = self.alarm.passed(self.ctx.clock) => match passed {
                    true => break,
                    false => continue,
                },
                () = self.policy_replaced() => {
                    let now = self.ctx.now();
                    return self.run(deliver, |it| it.policy_replaced(now));
                }
            }
        }
        let now = self.ctx.now();
        self.run(deliver, |it| it.tick(now));
    }

    /// Waits until the client may have to be told that its tools have changed.
    async fn policy_replaced(&self) {
        if !self.gets_list_changed.load(Ordering::Acquire) {
            return std::future::pending().await;
        }
        let replaced = self.ctx.guard.replaced();
        if !self.lock().is_outdated() {
            replaced.await;
        }
    }

    fn run(
        &self,
        deliver: &mut dyn FnMut(Output),
        event: impl FnOnce(&mut Conversation) -> Effects,
    ) {
        let mut conversation = self.lock();
        for effect in event(&mut conversation) {
            self.carry_out(effect, deliver);
        }
        self.settle(&mut conversation);
    }

    fn carry_out(&self, effect: Effect, deliver: &mut dyn FnMut(Output)) {
        match effect {
            Effect::Report(Report::Decision(record)) => self.ctx.observe(&Event::Verdict(&record)),
            Effect::Abandon { id } => deliver(Output::Abandon(id)),
            Effect::Send { to, message } => deliver(match to.side() {
                Side::Client => Output::ToClient(message),
                Side::Server => Output::ToServer(message),
            }),
            Effect::Report(Report::Note { what, detail, .. }) => self.ctx.note(what, &detail),
            // The transport opens and closes the connections of a conversation, which keeps the list of
            // tools itself.
            Effect::Open(_) | Effect::Close(_) | Effect::Finish => {}
            Effect::Tools(_) | Effect::ClientVersion(..) => {}
        }
    }

    /// Wakes the tasks that wait for a change, and sets the next deadline.
    fn settle(&self, conversation: &mut Conversation) {
        let gets_list_changed = conversation.gets_list_changed();
        if self
            .gets_list_changed
            .swap(gets_list_changed, Ordering::AcqRel)
            != gets_list_changed
        {
            self.alarm.look_again();
        }
        if let Some(next) = conversation.next_deadline() {
            self.alarm.set(next);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Conversation> {
        self.conversation
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The identity of a context for guards that share state with this one; `None` for a session.
fn shared_identity(context: &Context) -> Option<Identity<'_>> {
    match context {
        Context::Anonymous => Some(Identity::Anonymous),
        Context::Bearer(digest) => Some(Identity::Authorization(digest)),
        _ => None,
    }
}

pub(super) fn begin(ctx: &GuardContext, context: Context, link: Link) -> Conversation {
    let scope = ctx.guard.scope(&ScopeKey {
        upstream: Arc::clone(&ctx.name),
        context,
    });
    let tracer = ctx.observer.tracer(&link);
    let mut conversation = Conversation::new(&ctx.guard, scope, link).marked(&ctx.mark);
    if let Some(tracer) = tracer {
        conversation.trace(tracer);
    }
    let identity = ctx.identity.as_ref().and_then(|identity| match identity {
        ClientIdentity::Context(context) => shared_identity(context),
        ClientIdentity::Session(name) => Some(Identity::Session(name.as_bytes())),
    });
    if let Some(who) = identity {
        conversation.stand_for(who);
    }
    conversation.set_peer(ctx.peer.clone());
    conversation
}

/// Describes a link for the conversation.
pub(crate) fn link(client: Carrier, server: Carrier, version: Option<&str>) -> Link {
    Link {
        client,
        server,
        version: version.map(str::to_owned),
    }
}
