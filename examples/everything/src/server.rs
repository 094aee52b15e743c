//! The fixture server: the handler of one connection or one request.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, PoisonError};

use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities,
    CompleteRequestParams, CompleteResult, CompletionInfo, ContentBlock, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult,
    Reference, RequestStateCodec, ServerCapabilities, ServerConfig, SetLevelRequestParams,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use tokio::sync::{Mutex, broadcast};

use crate::ask::{Ask, Reply, Turn};
use crate::material::{Act, Material, ToolEntry};

/// What all connections share.
#[derive(Debug)]
struct Shared {
    material: Material,
    seals: RequestStateCodec,
    announcements: broadcast::Sender<Announcement>,
}

/// A list that may have changed.
#[derive(Debug, Clone, Copy)]
enum Announcement {
    Tools,
    Prompts,
}

/// What one legacy session has asked for.
#[derive(Debug)]
struct Session {
    level: LoggingLevel,
    subscribed: BTreeSet<String>,
}

/// The handler. Clones are new connections to the same server.
#[derive(Debug)]
pub struct Everything {
    shared: Arc<Shared>,
    session: Mutex<Session>,
    listeners: std::sync::Mutex<VecDeque<broadcast::Receiver<Announcement>>>,
}

impl Everything {
    /// A server with its own key for sealed states.
    ///
    /// # Errors
    ///
    /// If the files of this crate are not readable as what they should be, or the key of
    /// the seals is too short.
    pub fn new(key: &[u8]) -> Result<Self, Box<dyn std::error::Error + Send + Sync>> {
        let (announcements, _) = broadcast::channel(16);
        Ok(Self::on(Arc::new(Shared {
            material: Material::read()?,
            seals: RequestStateCodec::try_new(key)?,
            announcements,
        })))
    }

    fn on(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            session: Mutex::new(Session {
                level: LoggingLevel::Debug,
                subscribed: BTreeSet::new(),
            }),
            listeners: std::sync::Mutex::default(),
        }
    }

    /// Receivers of the subscriptions that were accepted and are not listening yet.
    fn listeners(&self) -> std::sync::MutexGuard<'_, VecDeque<broadcast::Receiver<Announcement>>> {
        let listeners = self.listeners.lock();
        listeners.unwrap_or_else(PoisonError::into_inner)
    }

    fn entry(&self, name: &str) -> Option<&ToolEntry> {
        let mut tools = self.shared.material.tools.iter();
        tools.find(|entry| entry.tool.name == name)
    }

    async fn act(
        &self,
        act: Act,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        match act {
            Act::Progress => report_progress(context).await?,
            Act::Log => self.log(context).await?,
            Act::NeedSampling => need_sampling(context)?,
            Act::AnnounceTools => self.announce(Announcement::Tools, context).await?,
            Act::AnnouncePrompts => self.announce(Announcement::Prompts, context).await?,
            Act::EchoSchema => {
                let schema = request
                    .arguments
                    .as_ref()
                    .and_then(|given| given.get("schema"));
                return Ok(CallToolResult::structured(
                    schema.cloned().unwrap_or_default(),
                ));
            }
        }
        Ok(CallToolResult::success(vec![ContentBlock::text("Done.")]))
    }

    /// Three messages to clients that want them: in the modern era those that named a
    /// level in this request, in the legacy era all whose level is low enough.
    async fn log(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let wanted = if is_modern(context) {
            context.meta.log_level()
        } else {
            Some(self.session.lock().await.level)
        };
        if wanted.is_none_or(|wanted| severity(LoggingLevel::Info) < severity(wanted)) {
            return Ok(());
        }
        for text in ["started", "working", "done"] {
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into())
                .with_logger("everything");
            context
                .peer
                .notify_logging_message(message)
                .await
                .map_err(internal)?;
        }
        Ok(())
    }

    // why: the lists never change; the announcement is only a hint to read them again,
    // and a call may not change them in the modern era.
    async fn announce(
        &self,
        announcement: Announcement,
        context: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(context) {
            // Nobody listens: that is not an error.
            let _listeners = self.shared.announcements.send(announcement);
            return Ok(());
        }
        match announcement {
            Announcement::Tools => context.peer.notify_tool_list_changed().await,
            Announcement::Prompts => context.peer.notify_prompt_list_changed().await,
        }
        .map_err(internal)
    }

    /// Asks what `ask` says; the outer result is an error, the inner a question.
    async fn questions(
        &self,
        ask: &Ask,
        turn: Turn<'_>,
        context: &RequestContext<RoleServer>,
    ) -> Result<Reply, ErrorData> {
        if is_modern(context) {
            ask.next(&turn, &self.shared.seals)
        } else {
            ask.all(&turn, &context.peer).await.map(Reply::Done)
        }
    }
}

impl Clone for Everything {
    fn clone(&self) -> Self {
        Self::on(Arc::clone(&self.shared))
    }
}

impl ServerHandler for Everything {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("everything", env!("CARGO_PKG_VERSION")))
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.shared.material.tools.iter();
        Ok(ListToolsResult::with_all_items(
            tools.map(|entry| entry.tool.clone()).collect(),
        ))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.entry(name).map(|entry| entry.tool.clone())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(entry) = self.entry(&request.name) else {
            let message = format!("Unknown tool: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        if let Some(ask) = &entry.ask {
            let turn = Turn {
                name: &request.name,
                arguments: &request.arguments.clone().unwrap_or_default(),
                responses: request.input_responses.as_ref(),
                state: request.request_state.as_deref(),
                capabilities: &context.client_capabilities().unwrap_or_default(),
            };
            return Ok(match self.questions(ask, turn, &context).await? {
                Reply::More(questions) => questions.into(),
                Reply::Done(answers) => {
                    let text = serde_json::to_string(&answers).map_err(internal)?;
                    CallToolResult::success(vec![ContentBlock::text(text)]).into()
                }
            });
        }
        match entry.act {
            Some(act) => self.act(act, &request, &context).await.map(Into::into),
            None => Ok(entry.answer.clone().unwrap_or_default().into()),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = self.shared.material.prompts.iter();
        Ok(ListPromptsResult::with_all_items(
            prompts.map(|entry| entry.prompt.clone()).collect(),
        ))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut prompts = self.shared.material.prompts.iter();
        let Some(entry) = prompts.find(|entry| entry.prompt.name == request.name) else {
            let message = format!("Unknown prompt: {}", request.name);
            return Err(ErrorData::invalid_params(message, None));
        };
        let arguments = request.arguments.clone().unwrap_or_default();
        if let Some(ask) = &entry.ask {
            let turn = Turn {
                name: &request.name,
                arguments: &arguments,
                responses: request.input_responses.as_ref(),
                state: request.request_state.as_deref(),
                capabilities: &context.client_capabilities().unwrap_or_default(),
            };
            if let Reply::More(questions) = self.questions(ask, turn, &context).await? {
                return Ok(questions.into());
            }
        }
        Ok(GetPromptResult::new(entry.messages(&arguments)?).into())
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.shared.material.resources.resources.clone();
        Ok(ListResourcesResult::with_all_items(resources))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = self.shared.material.resources.templates.clone();
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match self.shared.material.resources.at(&request.uri) {
            Some(contents) => Ok(ReadResourceResult::new(vec![contents]).into()),
            None => Err(ErrorData::resource_not_found(
                format!("Resource not found: {}", request.uri),
                Some(serde_json::json!({ "uri": request.uri })),
            )),
        }
    }

    /// Completes a prompt's argument by the names of the prompts, a template's by its records.
    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let material = &self.shared.material;
        let known: Vec<String> = match &request.r#ref {
            Reference::Prompt(_) => {
                let prompts = material.prompts.iter();
                prompts.map(|entry| entry.prompt.name.clone()).collect()
            }
            _ => ["1", "2", "3"].map(str::to_owned).to_vec(),
        };
        let begun = &request.argument.value;
        let values = known
            .into_iter()
            .filter(|name| name.starts_with(begun))
            .collect();
        Ok(CompleteResult::new(
            CompletionInfo::new(values).map_err(internal)?,
        ))
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<
                rmcp::model::SetLevelRequestMethod,
            >());
        }
        self.session.lock().await.level = request.level;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.lock().await.subscribed.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.session.lock().await.subscribed.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        // why: the acknowledgement goes out before `listen` is called, and a client may cause an
        // announcement as soon as it has it.
        let listener = self.shared.announcements.subscribe();
        self.listeners().push_back(listener);
        Some(requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let first = self.listeners().pop_front();
        let mut announcements = first.unwrap_or_else(|| self.shared.announcements.subscribe());
        loop {
            let announcement = tokio::select! {
                () = subscription.cancelled() => return Ok(()),
                received = announcements.recv() => received,
            };
            let accepted = subscription.accepted();
            let sent = match announcement {
                Ok(Announcement::Tools) if accepted.tools_list_changed == Some(true) => {
                    subscription.sink().notify_tool_list_changed().await
                }
                Ok(Announcement::Prompts) if accepted.prompts_list_changed == Some(true) => {
                    subscription.sink().notify_prompt_list_changed().await
                }
                Err(broadcast::error::RecvError::Closed) => return Ok(()),
                Ok(_) | Err(broadcast::error::RecvError::Lagged(_)) => Ok(()),
            };
            sent.map_err(internal)?;
        }
    }
}

async fn report_progress(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let Some(token) = context.meta.get_progress_token() else {
        return Ok(());
    };
    for done in [0.0, 50.0, 100.0] {
        let progress = ProgressNotificationParam::new(token.clone(), done).with_total(100.0);
        context
            .peer
            .notify_progress(progress)
            .await
            .map_err(internal)?;
    }
    Ok(())
}

fn need_sampling(context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
    let declared = context.client_capabilities().unwrap_or_default();
    if declared.sampling.is_some() {
        return Ok(());
    }
    let needed = ClientCapabilities::builder().enable_sampling().build();
    Err(ErrorData::missing_required_client_capability(needed))
}

fn is_modern(context: &RequestContext<RoleServer>) -> bool {
    context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// The place of a level, from the least to the most severe.
fn severity(level: LoggingLevel) -> u8 {
    match level {
        LoggingLevel::Debug => 0,
        LoggingLevel::Info => 1,
        LoggingLevel::Notice => 2,
        LoggingLevel::Warning => 3,
        LoggingLevel::Error => 4,
        LoggingLevel::Critical => 5,
        LoggingLevel::Alert => 6,
        LoggingLevel::Emergency => 7,
    }
}

fn internal(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
