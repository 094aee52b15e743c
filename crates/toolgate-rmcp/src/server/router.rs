//! The gate of a `ToolRouter`: each route checked on its own.

use std::fmt;
use std::sync::Arc;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use toolgate_mcp::contract::ToolContract;
use toolgate_mcp::era::Era;
use toolgate_mcp::publish::RefusedTool;

use super::ServerGate;
use super::call::CheckedByOuterGate;
use crate::era;

impl ServerGate {
    /// Puts the gate in front of each route, and takes out the routes that can
    /// never work: their reasons come beside, in the order of their names, and
    /// are told to the observer.
    ///
    /// Arguments are checked before a handler runs, results after it, and
    /// results get their text. What readers of old eras need, a list with other
    /// schemas and results to match, only [`wrap`](Self::wrap) can give: the
    /// list is not the router's. Both together check each call once.
    #[must_use]
    pub fn router<S: Send + Sync + 'static>(
        &self,
        mut router: ToolRouter<S>,
    ) -> (ToolRouter<S>, Vec<Arc<RefusedTool>>) {
        let mut refused = Vec::new();
        router
            .map
            .retain(|_, route| match self.contract(&route.attr) {
                Ok(contract) => {
                    *route = self.route(route, contract);
                    true
                }
                Err(why) => {
                    refused.push(why);
                    false
                }
            });
        refused.sort_by(|a, b| a.name.cmp(&b.name));
        (router, refused)
    }

    fn route<S: Send + Sync + 'static>(
        &self,
        route: &ToolRoute<S>,
        contract: Arc<ToolContract>,
    ) -> ToolRoute<S> {
        let (gate, call) = (self.clone(), Arc::clone(&route.call));
        ToolRoute::new_dyn(
            route.attr.clone(),
            move |mut context: ToolCallContext<'_, S>| {
                let (gate, call) = (gate.clone(), Arc::clone(&call));
                let contract = Arc::clone(&contract);
                Box::pin(async move {
                    if context
                        .request_context
                        .extensions
                        .get::<CheckedByOuterGate>()
                        .is_some()
                    {
                        return call(context).await;
                    }
                    let era = era::of_version(context.request_context.protocol_version().as_ref());
                    if let Err(answer) = gate.admit(&contract, &mut context.arguments, era) {
                        return *answer;
                    }
                    let response = call(context).await?;
                    Ok(gate.emit(&contract, response, Era::V2026_07_28))
                })
            },
        )
    }
}

/// A router in one more word: `Self::tool_router().gated()`.
pub trait GateRouter: Sized {
    /// A gate of its own with default options in front of each route. Routes
    /// that can never work are taken out and logged as errors.
    #[must_use]
    fn gated(self) -> Self;

    /// The same, but one route that can never work is an error.
    ///
    /// # Errors
    ///
    /// All routes that can never work, each with its reason.
    fn try_gated(self) -> Result<Self, RefusedTools>;
}

impl<S: Send + Sync + 'static> GateRouter for ToolRouter<S> {
    fn gated(self) -> Self {
        ServerGate::new().router(self).0
    }

    fn try_gated(self) -> Result<Self, RefusedTools> {
        match ServerGate::new().router(self) {
            (router, refused) if refused.is_empty() => Ok(router),
            (_, refused) => Err(RefusedTools { refused }),
        }
    }
}

/// Tools of a router that can never work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTools {
    /// Each with its reason, by name; at least one.
    pub refused: Vec<Arc<RefusedTool>>,
}

impl fmt::Display for RefusedTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, why) in self.refused.iter().enumerate() {
            let comma = if index == 0 { "" } else { "; " };
            write!(f, "{comma}{why}")?;
        }
        Ok(())
    }
}

impl std::error::Error for RefusedTools {}
