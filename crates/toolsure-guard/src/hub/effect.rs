//! What a hub asks its transport to do.

use smallvec::SmallVec;

use super::node::NodeId;
use crate::effect::{Report, ToolsEvent};
use crate::id::IdKey;
use crate::message::Message;
use crate::side::Side;

/// One thing to do for a hub. Effects are carried out in the order they were made.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "who carries effects out must carry out every kind of them"
)]
pub enum HubEffect {
    /// Send a message to the client.
    ToClient(Message),
    /// Send a message to a server.
    ToServer(NodeId, Message),
    /// Close the stream of a request at a modern HTTP server, which cancels it
    /// (2026-07-28, basic/patterns/cancellation).
    Abandon(NodeId, IdKey),
    /// Connect to a server of this owner. Messages for it may follow at once; the transport can
    /// [hold](super::Hub::hold) them back.
    Open(NodeId, usize),
    /// Close the connection to a server. It is unknown to the hub already.
    Close(NodeId),
    /// Nothing serves the client any more, for this reason.
    Finish(String),
    /// One of several servers is gone, for this reason. [`Hub::member_here`](super::Hub::member_here) brings
    /// it back.
    MemberGone(usize, String),
    /// Tell whoever is in front of the hub what happened to its server's tools.
    Tools(ToolsEvent),
    /// A conversation of this owner has received a message of so many bytes.
    Received(usize, Side, usize),
    /// Report something to this owner.
    Report(usize, Report),
}

/// The effects of one message or event. Most messages lead to one or two.
pub type HubEffects = SmallVec<[HubEffect; 3]>;
