//! A server's transport through which the messages that handlers send themselves get the form of the
//! client's version.

use std::future::Future;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, ProtocolVersion, ServerJsonRpcMessage,
    ServerNotification, ServerRequest, ServerResult,
};
use rmcp::transport::{IntoTransport, Transport};

use super::ServerLayer;

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
