//! The porter: messages between an MCP client and a server in, decisions out, no I/O.
//!
//! A [`Conversation`] takes the bytes that one side sends and says as
//! [`Effects`] what is to be sent to whom. What it need not judge leaves as it
//! came, byte for byte; tools that are none are left out of lists, arguments are
//! checked before the server sees them and results before the client does. A
//! [`Policy`] says what is done with what is wrong, a [`Record`] says what was
//! done, and [`Act`] names what can be wrong and who has to act.
//!
//! A [`translate::Translator`] stands between a client of one era of the protocol
//! and a server of the other.
//!
//! Guards that run beside each other may [`Share`] how often tools were called and
//! what they saw first.
//!
//! The crate has no socket, no clock, no file and no runtime. Whoever has them
//! feeds a conversation and does what it says.

#![forbid(unsafe_code)]

mod conversation;
mod effect;
mod fault;
mod gate;
mod guard;
mod id;
mod junction;
mod knowledge;
mod lock;
pub mod policy;
mod rate;
mod reading;
mod record;
mod recover;
mod share;
mod side;
mod text;
mod trace;
pub mod translate;

pub use conversation::{Carrier, Conversation, Link};
pub use effect::{Effect, Effects, Outgoing, Purpose, Shape};
pub use fault::{Act, Party};
pub use guard::Guard;
pub use id::IdKey;
pub use junction::{Dispatch, Junction, JunctionBounds, JunctionError, Member, default_prefix};
pub use knowledge::{Context, Scope, ScopeKey};
pub use lock::{Digest, Lock, LockError, Pin};
pub use policy::{Policy, PolicyError};
pub use reading::{OwnedReading, read_message, replace_lone_surrogates};
pub use record::{Action, Gate, Peer, Record};
pub use recover::{Recovered, Recovery};
pub use share::{Charge, Claim, Identity, NEXT, POST, Post, SetAside, Share, ShareTerms};
pub use side::Side;
pub use text::one_line;
pub use trace::{Begun, End, Outcome, Trace, TraceContext, Tracer, Verdict};
