//! The decisions of a proxy between an MCP client and a server. Messages in, effects out, no I/O.
//!
//! A [`Conversation`] takes the bytes that one side sends and returns [`Effects`]: the messages to
//! send, and to which side. It filters: malformed tools are removed from listings, arguments are
//! checked before the server sees them, and results before the client does. Messages that no
//! filter changes are sent as they came, byte for byte. A [`Policy`] sets what happens to a
//! violation, a [`Record`] logs what happened, and [`Act`] names each violation and who must act.
//!
//! A [`translate::Translator`] connects a client to a server that speaks another protocol version.
//! An [`Aggregator`] presents several servers as one. All three take a [`Message`] and return
//! [`Effects`]. A [`Hub`] holds those that stand between one client and its servers, and passes
//! messages and events between them.
//!
//! The replicas of a guard may [`Share`] call counts, pins and quarantined tools.
//!
//! The crate has no socket, clock, file or runtime. `toolsure-proxy` has them, feeds conversations
//! and carries out their effects.

#![forbid(unsafe_code)]
#![deny(clippy::exhaustive_enums, clippy::exhaustive_structs)]

mod aggregate;
mod caller;
mod connection;
mod conversation;
mod effect;
mod envelope;
mod error_reply;
mod exchanges;
mod fault;
mod filter;
mod guard;
mod hub;
mod id;
mod implementation;
mod lock;
mod message;
mod pause;
pub mod policy;
mod rate;
mod reading;
mod record;
mod renumber;
mod scope;
mod share;
mod side;
mod status;
mod subject;
mod subscription;
mod text;
mod trace;
pub mod translate;
mod unparsable;
mod uri_template;

pub use aggregate::{Aggregator, AggregatorError, AggregatorLimits, Member, default_prefix};
pub use caller::VerifiedCaller;
pub use connection::{Connection, ConnectionId};
pub use conversation::{Carrier, Conversation, Link};
pub use effect::{Effect, Effects, Report, ToolsEvent};
pub use envelope::{Envelope, MessageKind};
pub use exchanges::Exchanges;
pub use fault::{Act, Party};
pub use guard::Guard;
pub use hub::{Begin, Hub, HubEffect, HubEffects, NodeId};
pub use id::IdKey;
pub use lock::{
    Digest, INSTRUCTIONS, LEGACY, LEGACY_TOOLS, LIMITS as COMPARISON_LIMITS, Lock, LockError,
    MayChange, MayChangeError, Pin, PinnedList, entry_as_tool, has_approved_list,
    instructions_as_tool,
};
pub use message::{HttpRefusal, Message, Purpose};
pub use policy::{Policy, PolicyError};
pub use reading::{OwnedReading, read_message, replace_lone_surrogates};
pub use record::{About, Action, Filter, Peer, Record};
pub use renumber::{RequestOrigin, number_of};
pub use scope::{Context, Scope, ScopeKey};
pub use share::{
    Charge, Identity, MAX_UPDATES, NEXT, PinReport, QuarantineUpdate, Share, ShareTerms,
    StoreUpdates,
};
pub use side::Side;
pub use status::{OlderTools, ToolState, ToolStatus, ToolsStatus};
pub use subscription::{end_of_subscription, subscription};
pub use text::{hex, one_line};
pub use trace::{Begun, End, Outcome, Trace, TraceContext, Tracer, Verdict};
pub use unparsable::{Recovered, Recovery};
