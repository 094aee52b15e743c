//! Wraps a `ServerHandler` in a layer.
//!
//! The wrapper forwards every method of the trait, and checks those about tools.
//! `tests/forwarding.rs` compares this file with rmcp's trait.
#![expect(
    deprecated,
    reason = "the legacy methods must reach the handler as long as the trait has them"
)]

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
    CompleteRequestParams, CompleteResult, CustomNotification, CustomRequest, CustomResult,
    DiscoverResult, GetPromptRequestParams, GetPromptResponse, GetSkillRequestParams,
    GetSkillResult, GetTaskParams, GetTaskResult, InitializeRequestParams, InitializeResult,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, ProgressNotificationParam, ProtocolVersion,
    ReadResourceDirectoryRequestParams, ReadResourceDirectoryResult, ReadResourceRequestParams,
    ReadResourceResponse, ServerConfig, SetLevelRequestParams, SubscribeRequestParams,
    SubscriptionFilter, TaskPayload, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use toolsure_mcp::contract::ToolContract;

use super::call::CheckedByHandlerLayer;
use super::{ServerEvent, ServerLayer, malformed, text};
use crate::era;

/// A handler that a [`ServerLayer`] checks. It is a handler itself, for stdio,
/// `StreamableHttpService` or any other transport of rmcp.
#[derive(Debug, Clone)]
pub struct CheckedHandler<H> {
    layer: ServerLayer,
    handler: H,
}

impl ServerLayer {
    /// Wraps a handler.
    ///
    /// ```
    /// use rmcp::ServerHandler;
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// #[derive(Clone)]
    /// struct Weather;
    /// impl ServerHandler for Weather {}
    ///
    /// let layer = ServerLayer::new();
    /// // Over HTTP, rmcp calls such a function for each session.
    /// let new_handler = move || layer.wrap(Weather);
    /// # let _ = new_handler();
    /// ```
    #[must_use]
    pub fn wrap<H: ServerHandler>(&self, handler: H) -> CheckedHandler<H> {
        CheckedHandler {
            layer: self.clone(),
            handler,
        }
    }
}

/// Adds [`checked`](Self::checked) to every handler: `MyServer::new().checked().serve(stdio())`.
pub trait ServerHandlerExt: ServerHandler {
    /// Wraps this handler with a layer of its own that has the default options.
    ///
    /// ```no_run
    /// use rmcp::transport::stdio;
    /// use rmcp::{ServerHandler, ServiceExt as _};
    /// use toolsure_rmcp::ServerHandlerExt as _;
    ///
    /// struct Weather;
    /// impl ServerHandler for Weather {}
    ///
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// Weather.checked().serve(stdio()).await?.waiting().await?;
    /// # Ok(())
    /// # }
    /// ```
    fn checked(self) -> CheckedHandler<Self> {
        ServerLayer::new().wrap(self)
    }
}

impl<H: ServerHandler> ServerHandlerExt for H {}

impl<H: ServerHandler> CheckedHandler<H> {
    /// The layer.
    ///
    /// ```
    /// use rmcp::ServerHandler;
    /// use toolsure_rmcp::ServerHandlerExt as _;
    ///
    /// struct Weather;
    /// impl ServerHandler for Weather {}
    ///
    /// let server = Weather.checked();
    /// // A clone shares contracts and tasks with the layer.
    /// let layer = server.layer().clone();
    /// layer.forget_tools();
    /// ```
    #[must_use]
    pub fn layer(&self) -> &ServerLayer {
        &self.layer
    }

    /// The handler that is checked.
    ///
    /// ```
    /// use rmcp::ServerHandler;
    /// use toolsure_rmcp::ServerHandlerExt as _;
    ///
    /// struct Weather {
    ///     city: String,
    /// }
    /// impl ServerHandler for Weather {}
    ///
    /// let server = Weather { city: "Bonn".to_owned() }.checked();
    /// assert_eq!(server.handler().city, "Bonn");
    /// ```
    #[must_use]
    pub fn handler(&self) -> &H {
        &self.handler
    }

    /// The contract that a call of this name must meet.
    async fn contract_of(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Arc<ToolContract>, ErrorData> {
        let name = &*request.name;
        let known = || self.layer.checks.shared.contracts.last(name);
        let fixed = if self.layer.checks.options.fixed {
            known()
        } else {
            None
        };
        let mut outcome = fixed.or_else(|| {
            let tool = self.handler.get_tool(name)?;
            Some(self.layer.checks.contract(&tool))
        });
        // A handler may not implement `get_tool`; then its last list has the tool.
        if outcome.is_none() {
            outcome = known();
        }
        if outcome.is_none() {
            self.learn(name, context).await?;
            outcome = known();
        }
        match outcome {
            Some(Ok(contract)) => Ok(contract),
            Some(Err(refused)) => Err(ErrorData::invalid_params(refused.to_string(), None)),
            None => Err(self.layer.checks.unknown(request)),
        }
    }

    /// Reads the handler's list until it names this tool.
    async fn learn(
        &self,
        name: &str,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let mut cursors = HashSet::new();
        let mut request = None;
        loop {
            let page = self.handler.list_tools(request, context.clone()).await?;
            for tool in &page.tools {
                // `contract` emits an event if it refuses a tool, and
                // `contract_of` answers the call that asks for it.
                let _ = self.layer.checks.contract(tool);
            }
            if page.tools.iter().any(|tool| tool.name == name) {
                return Ok(());
            }
            match page.next_cursor {
                // A repeated cursor would make the list endless.
                Some(cursor) if cursors.len() < PAGES && cursors.insert(cursor.clone()) => {
                    request = Some(PaginatedRequestParams::default().with_cursor(Some(cursor)));
                }
                _ => return Ok(()),
            }
        }
    }
}

impl<H: ServerHandler> ServerHandler for CheckedHandler<H> {
    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        mut context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let era = era::of_version(context.protocol_version().as_ref());
        let contract = self.contract_of(&request, &context).await?;
        if let Err(answer) = self
            .layer
            .checks
            .admit(&contract, &mut request.arguments, era)
        {
            return *answer;
        }
        context.extensions.insert(CheckedByHandlerLayer);
        let response = self.handler.call_tool(request, context).await?;
        Ok(self.layer.checks.emit(&contract, response, era))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let era = era::of_version(context.protocol_version().as_ref());
        let over_http = context.extensions.get::<http::request::Parts>().is_some();
        let page = self.handler.list_tools(request, context).await?;
        Ok(self.layer.checks.projected_list(page, era, over_http))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.handler.get_tool(name)
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let era = era::of_version(context.protocol_version().as_ref());
        let contract = self.layer.checks.tasks().tool(&request.task_id).cloned();
        let mut answer = self.handler.get_task(request, context).await?;
        if let (TaskPayload::Completed { result }, Some(contract)) =
            (&mut answer.task.payload, contract)
        {
            self.layer.checks.emit_task(&contract, result, era);
        }
        Ok(answer)
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // rmcp passes requests here that it cannot read as one of its types.
        match malformed::of_tools(&request) {
            Some(why) => Err(why),
            None => self.handler.on_custom_request(request, context).await,
        }
    }

    async fn ping(&self, context: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.handler.ping(context).await
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.initialize(request, context).await
    }

    fn negotiate_initialize(
        &self,
        request: &InitializeRequestParams,
    ) -> Result<InitializeResult, ErrorData> {
        self.handler.negotiate_initialize(request)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.handler.supported_protocol_versions()
    }

    async fn discover(
        &self,
        context: RequestContext<RoleServer>,
    ) -> Result<DiscoverResult, ErrorData> {
        self.handler.discover(context).await
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        self.handler.complete(request, context).await
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.set_level(request, context).await
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.handler.get_prompt(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.handler.list_prompts(request, context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.handler.list_resources(request, context).await
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.handler.list_resource_templates(request, context).await
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.handler.read_resource(request, context).await
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        self.handler.accepted_subscription_filter(requested)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.handler.listen(context).await
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.subscribe(request, context).await
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.unsubscribe(request, context).await
    }

    async fn on_cancelled(
        &self,
        notification: CancelledNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_cancelled(notification, context).await;
    }

    async fn on_progress(
        &self,
        notification: ProgressNotificationParam,
        context: NotificationContext<RoleServer>,
    ) {
        self.handler.on_progress(notification, context).await;
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.handler.on_initialized(context).await;
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.handler.on_roots_list_changed(context).await;
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        context: NotificationContext<RoleServer>,
    ) {
        // rmcp passes requests here that have no id.
        if let Some(why) = text::without_id(&notification.method) {
            return self
                .layer
                .checks
                .emit_event(&ServerEvent::MessageRefused(&why));
        }
        let handler = &self.handler;
        handler.on_custom_notification(notification, context).await;
    }

    fn get_info(&self) -> ServerConfig {
        self.handler.get_info()
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.update_task(request, context).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.handler.cancel_task(request, context).await
    }

    async fn list_skills(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        self.handler.list_skills(request, context).await
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        self.handler.get_skill(request, context).await
    }

    async fn read_resource_directory(
        &self,
        request: ReadResourceDirectoryRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceDirectoryResult, ErrorData> {
        self.handler.read_resource_directory(request, context).await
    }
}

/// The maximum number of pages of the handler's own list that the layer reads for one call. A
/// server with more pages needs `get_tool`.
const PAGES: usize = 10_000;
