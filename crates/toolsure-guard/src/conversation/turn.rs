//! The context in which one event is handled.

use std::time::Duration;

use toolsure_json::{Node as _, ReadLimits};
use toolsure_mcp::catalog::Listing;
use toolsure_mcp::era::Era;

use crate::policy::{Policy, Rules};
use crate::reading::time_to_live;
use crate::scope::ListedPage;

/// The context in which one event is handled.
pub(super) struct Turn<'t> {
    pub(super) rules: &'t Rules,
    limits: ReadLimits,
    pub(super) now: Duration,
    /// How long the message's result may be cached, if its protocol version cannot say that.
    pub(super) ttl: Option<Duration>,
}

impl<'t> Turn<'t> {
    pub(super) fn new(rules: &'t Rules, now: Duration) -> Self {
        let limits = rules.policy.limits.read();
        Self {
            rules,
            limits,
            now,
            ttl: None,
        }
    }

    pub(super) fn policy(&self) -> &'t Policy {
        &self.rules.policy
    }

    /// The limits within which messages are read.
    pub(super) fn limits(&self) -> &ReadLimits {
        &self.limits
    }

    /// The limits within which pages of tools are read: deeper than messages, so that the depth of one
    /// tool's schema is reported as that tool's fault when the schema is compiled.
    pub(super) fn listing_limits(&self) -> ReadLimits {
        let limits = &self.policy().limits;
        ReadLimits {
            bytes: limits.message_bytes,
            depth: limits.depth.max(DEPTH),
            nodes: limits.nodes,
            ..ReadLimits::default()
        }
    }

    /// The parts of a page of tools that a scope caches. `changes` is the number of changes of the tools
    /// when the page was asked for.
    pub(super) fn listed_page<'l>(
        &self,
        listing: &'l Listing,
        cursor: Option<&'l str>,
        era: Era,
        changes: u64,
    ) -> ListedPage<'l> {
        let result = listing.result();
        let ttl = match era.has_cacheable_lists() {
            true => Some(time_to_live(result)),
            false => self.ttl,
        };
        let scope = result
            .member("cacheScope")
            .map_or("", |scope| scope.string());
        ListedPage {
            listing,
            cursor,
            ttl,
            public: era.has_cacheable_lists() && scope == "public",
            asked: changes,
            now: self.now,
        }
    }
}

/// The depth to which the catalog reads definitions.
const DEPTH: usize = 16_384;
