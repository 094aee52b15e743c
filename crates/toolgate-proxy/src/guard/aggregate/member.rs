//! One of several upstreams.

use std::sync::Arc;

use toolgate_guard::Guard;

use crate::guard::clock::Clock;
use crate::guard::event::Observer;
use crate::guard::options::Upstream;

/// One of several upstreams, with all that it would have alone.
pub struct AggregateMember {
    /// The upstream's name.
    pub name: String,
    /// What its tools' and prompts' names begin with for clients.
    pub prefix: String,
    /// The server. A child that ends by itself is started again as its restart allows, and once
    /// more after each window of that; never if it allows none.
    pub upstream: Upstream,
    /// Its policy, which sees its tools under their own names.
    pub guard: Guard,
    /// Is told what happens to it.
    pub observer: Arc<dyn Observer>,
    /// What its times are counted from: the same in everything that works on `guard`.
    pub clock: Clock,
}

impl std::fmt::Debug for AggregateMember {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AggregateMember")
            .field("name", &self.name)
            .field("prefix", &self.prefix)
            .field("upstream", &self.upstream)
            .finish_non_exhaustive()
    }
}
