//! The messages that handlers send themselves, in the form of the client's version: tool results inside
//! `sampling/createMessage` and `notifications/tasks`, and a transport that projects both on their way.
#![expect(
    deprecated,
    reason = "clients of older versions are asked so as long as rmcp has the request"
)]

use std::future::Future;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, CreateMessageRequestParams, JsonRpcMessage, ProtocolVersion,
    ServerJsonRpcMessage, ServerNotification, ServerRequest, ServerResult, TaskPayload,
    TaskStatusNotificationParams,
};
use rmcp::transport::{IntoTransport, Transport};
use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::era::Era;

use super::{ServerEvent, ServerLayer};
use crate::era;

/// A transport for rmcp's server, below a handler of the same layer. Made by
/// [`ServerLayer::transport`].
pub struct CheckedServerTransport<T> {
    layer: ServerLayer,
    inner: T,
    /// The version that the server's answer to `initialize` names.
    version: Option<ProtocolVersion>,
}

impl ServerLayer {
    /// Wraps a server's transport, so that what handlers send through rmcp's `Peer` is checked and
    /// projected without a call of [`sampling`](Self::sampling) or [`task_status`](Self::task_status):
    /// the tool results in `sampling/createMessage`, and those in `notifications/tasks`. A message that
    /// the client's version cannot express is not sent: `create_message` returns the error.
    ///
    /// ```no_run
    /// use rmcp::{ServerHandler, ServiceExt as _};
    /// use toolsure_rmcp::{ServerLayer, ServerLines};
    ///
    /// struct Weather;
    /// impl ServerHandler for Weather {}
    ///
    /// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    /// let layer = ServerLayer::new();
    /// let pipes = layer.transport(ServerLines::new(tokio::io::stdin(), tokio::io::stdout()));
    /// layer.wrap(Weather).serve(pipes).await?.waiting().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn transport<T, E, A>(
        &self,
        transport: T,
    ) -> CheckedServerTransport<impl Transport<RoleServer, Error = E> + use<T, E, A>>
    where
        T: IntoTransport<RoleServer, E, A>,
        E: std::error::Error + Send + Sync + 'static,
    {
        CheckedServerTransport {
            layer: self.clone(),
            inner: transport.into_transport(),
            version: None,
        }
    }

    /// Projects a `sampling/createMessage` for a client of this version. If the version cannot
    /// express the structured content of a `tool_result` block, it is changed as in the result of a
    /// call.
    ///
    /// A handler sends requests itself, without the layer, and [`transport`](Self::transport) projects
    /// them on their way. Over HTTP a handler keeps a clone of the layer and sends the result of this
    /// method:
    ///
    /// ```
    /// # use rmcp::{ErrorData, RoleServer, model::CreateMessageRequestParams, service::RequestContext};
    /// # use toolsure_rmcp::ServerLayer;
    /// # #[expect(deprecated, reason = "sampling is for clients of older versions")]
    /// async fn ask(
    ///     layer: &ServerLayer,
    ///     params: CreateMessageRequestParams,
    ///     context: &RequestContext<RoleServer>,
    /// ) -> Result<(), ErrorData> {
    ///     let params = layer.sampling(params, context.protocol_version().as_ref())?;
    ///     let _answer = context.peer.create_message(params).await;
    ///     Ok(())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// This version cannot express a message.
    pub fn sampling(
        &self,
        params: CreateMessageRequestParams,
        version: Option<&ProtocolVersion>,
    ) -> Result<CreateMessageRequestParams, rmcp::ErrorData> {
        let reader = era::of_version(version);
        let failed = |why: String| {
            rmcp::ErrorData::internal_error(
                format!("sampling messages cannot be projected: {why}"),
                None,
            )
        };
        let text = serde_json::to_vec(&params).map_err(|error| failed(error.to_string()))?;
        let document = OwnedDocument::read(text, &ReadLimits::default())
            .map_err(|error| failed(error.to_string()))?;
        let projected = self
            .checks
            .projection(reader)
            .sampling(document.document().root());
        if projected.lost.is_empty() {
            return Ok(params);
        }
        for lost in &projected.lost {
            self.checks.emit_event(&ServerEvent::Lost {
                reader,
                tool: "sampling/createMessage",
                lost,
            });
        }
        serde_json::from_str(&projected.text).map_err(|error| failed(error.to_string()))
    }

    /// Checks the result in a `notifications/tasks`, and projects it as in the answer to a call.
    /// The notification is unchanged if it has no result, or if this layer has not seen its task.
    ///
    /// A handler sends notifications itself, without the layer, and [`transport`](Self::transport)
    /// checks them on their way. Over HTTP a handler keeps a clone of the layer and sends the result of
    /// this method.
    ///
    /// ```
    /// use rmcp::model::{
    ///     DetailedTask, ServerNotification, TaskStatusNotification, TaskStatusNotificationParams,
    /// };
    /// use rmcp::service::{Peer, ServiceError};
    /// use rmcp::RoleServer;
    /// use toolsure_rmcp::ServerLayer;
    ///
    /// async fn report(
    ///     layer: &ServerLayer,
    ///     task: DetailedTask,
    ///     client: &Peer<RoleServer>,
    /// ) -> Result<(), ServiceError> {
    ///     let status = layer.task_status(TaskStatusNotificationParams::new(task));
    ///     let status = TaskStatusNotification::new(status);
    ///     let status = ServerNotification::TaskStatusNotification(status);
    ///     client.send_notification(status).await
    /// }
    /// ```
    #[must_use]
    pub fn task_status(
        &self,
        mut status: TaskStatusNotificationParams,
    ) -> TaskStatusNotificationParams {
        let contract = self.checks.tasks().tool(&status.task.task.task_id).cloned();
        if let (TaskPayload::Completed { result }, Some(contract)) =
            (&mut status.task.payload, contract)
        {
            // Only in this era do notifications have results.
            self.checks.emit_task(&contract, result, Era::V2026_07_28);
        }
        status
    }
}

impl<T: Transport<RoleServer>> CheckedServerTransport<T> {
    /// The message in the form of the client's version.
    fn projected(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, UnsentMessage<T::Error>> {
        match message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(agreed) = &response.result {
                    self.version = Some(agreed.protocol_version.clone());
                }
                Ok(JsonRpcMessage::Response(response))
            }
            JsonRpcMessage::Request(mut asked) => {
                if let ServerRequest::CreateMessageRequest(request) = &mut asked.request {
                    let params = request.params.clone();
                    let projected = self.layer.sampling(params, self.version.as_ref());
                    request.params = projected
                        .map_err(|error| UnsentMessage::Unexpressed(error.message.into_owned()))?;
                }
                Ok(JsonRpcMessage::Request(asked))
            }
            JsonRpcMessage::Notification(mut told) => {
                if let ServerNotification::TaskStatusNotification(status) = &mut told.notification {
                    status.params = self.layer.task_status(status.params.clone());
                }
                Ok(JsonRpcMessage::Notification(told))
            }
            other => Ok(other),
        }
    }
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UnsentMessage<E> {
    /// The client's version cannot express it.
    #[error("{0}")]
    Unexpressed(String),
    /// The transport below failed.
    #[error(transparent)]
    Transport(E),
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for CheckedServerTransport<T> {
    type Error = UnsentMessage<T::Error>;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let sent = self
            .projected(message)
            .map(|message| self.inner.send(message));
        async move { sent?.await.map_err(UnsentMessage::Transport) }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.inner.receive().await
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let closed = self.inner.close().await;
        closed.map_err(UnsentMessage::Transport)
    }
}

impl<T> std::fmt::Debug for CheckedServerTransport<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedServerTransport")
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}
