//! The values of `requestState`, and the requests that may continue a parked call.

use std::collections::HashMap;
use std::hash::BuildHasher as _;
use std::ops::ControlFlow;

use foldhash::fast::RandomState;
use sha2::{Digest as _, Sha256};
use toolsure_json::{Node as _, Unmetered, View};
use toolsure_mcp::message::Request;

use crate::connection::ConnectionId;
use crate::text::hex;

/// A hash of the parts that a request and its continuation must have in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repeated(u64);

/// The values of `requestState`: unguessable names of parked calls.
#[derive(Debug)]
pub(super) struct Handles {
    seed: [u8; 32],
    made: u64,
    parked: HashMap<String, (ConnectionId, i64)>,
    /// Hashes requests, for [`Repeated`].
    hasher: RandomState,
}

impl Handles {
    pub(super) fn new(seed: [u8; 32]) -> Self {
        Self {
            seed,
            made: 0,
            parked: HashMap::new(),
            hasher: RandomState::default(),
        }
    }

    /// A keyed hash of the method, the name and the arguments. It protects no secret: a client that finds
    /// two requests with the same hash only confuses its own calls.
    pub(super) fn repeated(&self, request: &Request<'_>) -> Repeated {
        let member = |name| request.params.and_then(|params| params.member(name));
        // Values that are equal count as the same, however they are written.
        let said = ["name", "uri", "arguments"].map(|name| member(name).map(value_hash));
        Repeated(self.hasher.hash_one((request.method, said)))
    }

    /// The call that a handle names.
    pub(super) fn call(&self, handle: &str) -> Option<(ConnectionId, i64)> {
        self.parked.get(handle).copied()
    }

    /// The number of parked calls.
    pub(super) fn len(&self) -> usize {
        self.parked.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.parked.is_empty()
    }

    /// Removes a handle: it names no call any more.
    pub(super) fn remove(&mut self, handle: &str) {
        self.parked.remove(handle);
    }

    /// A new handle for a call. It cannot be guessed.
    pub(super) fn make(&mut self, connection: ConnectionId, number: i64) -> String {
        self.made += 1;
        let mut hash = Sha256::new();
        hash.update(self.seed);
        hash.update(self.made.to_le_bytes());
        let digest: [u8; 32] = hash.finalize().into();
        let handle = hex(&digest);
        self.parked.insert(handle.clone(), (connection, number));
        handle
    }
}

fn value_hash(value: View<'_>) -> u64 {
    match toolsure_json::hash_value(value, &mut Unmetered) {
        ControlFlow::Continue(hash) => hash,
        ControlFlow::Break(never) => match never {},
    }
}
