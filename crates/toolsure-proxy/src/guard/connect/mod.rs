//! The connections of a hub to its servers: a process, or an HTTP endpoint.

mod to_child;
mod to_http;

use std::sync::Arc;

use toolsure_guard::NodeId;

use super::context::GuardContext;
use super::event::{Event, Observer, UpstreamState};
use super::hub::{Connected, HubDriver, Owner};
use super::in_process::Caller;
use super::upstream::Upstream;
use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::http::{Endpoint, HttpTarget, Watcher};
use to_child::ToChild;
use to_http::ToHttp;

/// Starts the connection to a server of an owner.
///
/// # Errors
///
/// A [`Fault`] if the HTTP client cannot be set up, or the owner has more than one server.
pub(super) fn connect(
    driver: &Arc<HubDriver>,
    server: NodeId,
    owner: &Owner,
    caller: &Caller,
) -> Result<Connected, Fault> {
    let ctx = Arc::clone(&owner.ctx);
    match owner.upstream.clone() {
        Upstream::Child { launch, restart } => {
            let launch = (launch, caller.clone());
            Ok(ToChild::start(driver, server, ctx, launch, restart))
        }
        Upstream::Http(target) => {
            let endpoint = endpoint(target, &ctx)?;
            Ok(ToHttp::start(driver, server, ctx, endpoint))
        }
        Upstream::Several(_) | Upstream::Translated(_) => Err(Fault::new(
            Party::Operator,
            FaultKind::Config,
            Phase::Start,
            "a translator has one server behind it",
        )),
    }
}

/// An HTTP upstream that reports to the observer whether it can be reached.
pub(super) fn endpoint(target: HttpTarget, ctx: &GuardContext) -> Result<Arc<Endpoint>, Fault> {
    let watcher = Reach(Arc::clone(&ctx.observer));
    Ok(Arc::new(Endpoint::new(target)?.watched(Arc::new(watcher))))
}

struct Reach(Arc<dyn Observer>);

impl Watcher for Reach {
    fn lost(&self, fault: &Fault) {
        let state = UpstreamState::Failed(fault);
        self.0.observe(&Event::Upstream(state));
    }

    fn reached(&self) {
        self.0.observe(&Event::Upstream(UpstreamState::Here));
    }
}
