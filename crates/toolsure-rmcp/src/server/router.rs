//! Checks each route of a `ToolRouter`.

use std::fmt;
use std::sync::Arc;

use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
use rmcp::handler::server::tool::ToolCallContext;
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::Era;
use toolsure_mcp::publish::RefusedTool;

use super::ServerLayer;
use super::call::CheckedByHandlerLayer;
use crate::era;

impl ServerLayer {
    /// Wraps each route, and removes the routes that can never work. Returns the reasons in the
    /// order of the names; the observer gets them, too.
    ///
    /// Arguments are checked before a handler runs and results after it, and results get their text
    /// block. A router does not answer `tools/list`, so only [`wrap`](Self::wrap) can project lists
    /// and results for clients of older versions. With both, each call is checked once.
    ///
    /// ```
    /// use rmcp::handler::server::router::tool::ToolRouter;
    /// use rmcp::handler::server::wrapper::Json;
    /// use rmcp::{tool, tool_router};
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// struct Weather;
    ///
    /// #[tool_router]
    /// impl Weather {
    ///     #[tool(description = "degrees Celsius")]
    ///     fn now(&self) -> Json<i32> {
    ///         Json(20)
    ///     }
    /// }
    ///
    /// let layer = ServerLayer::new();
    /// let (router, refused): (ToolRouter<Weather>, _) = layer.router(Weather::tool_router());
    /// assert!(refused.is_empty());
    /// assert!(router.has_route("now"));
    /// ```
    #[must_use]
    pub fn router<S: Send + Sync + 'static>(
        &self,
        mut router: ToolRouter<S>,
    ) -> (ToolRouter<S>, Vec<Arc<RefusedTool>>) {
        let mut refused = Vec::new();
        router
            .map
            .retain(|_, route| match self.checks.contract(&route.attr) {
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
        let (checks, call) = (self.checks.clone(), Arc::clone(&route.call));
        ToolRoute::new_dyn(
            route.attr.clone(),
            move |mut context: ToolCallContext<'_, S>| {
                let (checks, call) = (checks.clone(), Arc::clone(&call));
                let contract = Arc::clone(&contract);
                Box::pin(async move {
                    if context
                        .request_context
                        .extensions
                        .get::<CheckedByHandlerLayer>()
                        .is_some()
                    {
                        return call(context).await;
                    }
                    let era = era::of_version(context.request_context.protocol_version().as_ref());
                    if let Err(answer) = checks.admit(&contract, &mut context.arguments, era) {
                        return *answer;
                    }
                    let response = call(context).await?;
                    Ok(checks.emit(&contract, response, Era::V2026_07_28))
                })
            },
        )
    }
}

/// Adds [`checked`](Self::checked) to rmcp's router: `Self::tool_router().checked()`.
pub trait ToolRouterExt: Sized {
    /// Wraps each route with the default options. Routes that can never work are
    /// removed and logged as errors.
    ///
    /// ```
    /// use rmcp::handler::server::router::tool::ToolRouter;
    /// use rmcp::handler::server::wrapper::Json;
    /// use rmcp::{tool, tool_router};
    /// use toolsure_rmcp::ToolRouterExt as _;
    ///
    /// struct Weather;
    ///
    /// #[tool_router]
    /// impl Weather {
    ///     #[tool(description = "degrees Celsius")]
    ///     fn now(&self) -> Json<i32> {
    ///         Json(20)
    ///     }
    /// }
    ///
    /// let router: ToolRouter<Weather> = Weather::tool_router().checked();
    /// assert!(router.has_route("now"));
    /// ```
    #[must_use]
    fn checked(self) -> Self;

    /// Like [`checked`](Self::checked), but a route that can never work is an error.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use rmcp::handler::server::router::tool::{ToolRoute, ToolRouter};
    /// use rmcp::model::{CallToolResult, JsonObject, Tool};
    /// use toolsure_rmcp::ToolRouterExt as _;
    ///
    /// struct Weather;
    ///
    /// // Its input schema has no `"type": "object"`, so no client would accept it.
    /// let never = Tool::new("never", "", Arc::new(JsonObject::new()));
    /// let route = ToolRoute::new(never, || async { CallToolResult::success(Vec::new()) });
    /// let router = ToolRouter::<Weather>::new().with_route(route);
    /// let why = router.try_checked().err().map(|why| why.to_string());
    /// assert!(why.is_some_and(|why| why.contains("never")));
    /// ```
    ///
    /// # Errors
    ///
    /// All routes that can never work, each with its reason.
    fn try_checked(self) -> Result<Self, RefusedTools>;
}

impl<S: Send + Sync + 'static> ToolRouterExt for ToolRouter<S> {
    fn checked(self) -> Self {
        ServerLayer::new().router(self).0
    }

    fn try_checked(self) -> Result<Self, RefusedTools> {
        match ServerLayer::new().router(self) {
            (router, refused) if refused.is_empty() => Ok(router),
            (_, refused) => Err(RefusedTools { refused }),
        }
    }
}

/// Tools of a router that can never work.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTools {
    /// Each tool with its reason, by name. At least one.
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
