//! A server's transport over lines, which answers requests that rmcp's transport would drop or
//! misread.

use std::future::Future;
use std::io;

use futures::future::{BoxFuture, FutureExt as _};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};

use super::text::{self, Read};
use crate::line::{Line, LineReader, LineWriter};

/// A transport for rmcp's server over a pair of byte streams.
///
/// rmcp's own transport drops a line that `serde_json` refuses, so its sender waits for ever. It
/// takes the last of duplicate keys, and reads `"arguments": null` as absent. This transport
/// answers such a request with an error: -32700 if it cannot be read, -32602 if it is a malformed
/// `tools/call`, -32600 if it is not a request. The error has no `id` if the request has no usable
/// one (`null`, `1.5`, a batch) or if its id cannot be found. Malformed notifications and
/// responses, and lines that begin with neither `{` nor `[`, are logged and not answered. So are
/// messages that have the method of a request and no `id`: no handler gets them.
///
/// ```no_run
/// use rmcp::{ServerHandler, ServiceExt as _};
/// use toolsure_rmcp::{ServerHandlerExt as _, ServerLines};
///
/// struct Weather;
/// impl ServerHandler for Weather {}
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let pipes = ServerLines::new(tokio::io::stdin(), tokio::io::stdout());
/// Weather.checked().serve(pipes).await?.waiting().await?;
/// # Ok(())
/// # }
/// ```
pub struct ServerLines<R, W> {
    read: LineReader<R>,
    write: LineWriter<W>,
    /// An answer of the transport itself that is being written.
    answering: Option<BoxFuture<'static, io::Result<()>>>,
}

impl<R, W> ServerLines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// The maximum length of a line: 64 MiB. A longer line is skipped, and its request is answered
    /// with an error, which has the request's id if that is in the first 64 MiB.
    pub const LINE: usize = crate::line::LINE;

    /// A transport that reads requests from one stream and answers on another.
    ///
    /// ```
    /// use toolsure_rmcp::ServerLines;
    ///
    /// let (near, _far) = tokio::io::duplex(4096);
    /// let (read, write) = tokio::io::split(near);
    /// let transport = ServerLines::new(read, write);
    /// # let _ = transport;
    /// ```
    pub fn new(read: R, write: W) -> Self {
        Self {
            read: LineReader::new(read),
            write: LineWriter::new(write),
            answering: None,
        }
    }
}

impl<R, W> Transport<RoleServer> for ServerLines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            // Kept here and not in this future, which may be dropped before it completes.
            if let Some(answering) = &mut self.answering {
                let answered = answering.await;
                self.answering = None;
                if let Err(error) = answered {
                    tracing::error!("answering a malformed request: {error}");
                    return None;
                }
            }
            let read = match self.read.next().await {
                Line::Whole(line) => text::read(&line),
                Line::Over(start) => text::unreadable(&start, "the line is over 64 MiB"),
                Line::End => return None,
            };
            match read {
                Read::Message(message) => return Some(*message),
                Read::Refused(id, error) => {
                    let error = ServerJsonRpcMessage::error(error, id);
                    self.answering = Some(self.write.send(error).boxed());
                }
                Read::Unanswered(error) => tracing::debug!("not a request: {}", error.message),
                Read::WithoutId(error) => tracing::warn!("message refused: {}", error.message),
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.close().await
    }
}

impl<R, W> std::fmt::Debug for ServerLines<R, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServerLines").finish_non_exhaustive()
    }
}
