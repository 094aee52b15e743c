//! A server's transport by lines that answers what rmcp's would drop, misread
//! or take for another call.

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
/// rmcp's own drops a line that `serde_json` refuses, and its sender waits for
/// ever; of duplicate keys it believes the last, and `"arguments": null` it
/// takes for none. Here such a request gets its error: -32700 if it cannot be
/// read, -32602 if it is not a tool call, -32600 if it is not a request. The error has
/// no `id` if the request has none that can be used (`null`, `1.5`, a list of
/// requests) or if its id cannot be found. Broken notifications, broken answers
/// and lines that begin with neither `{` nor `[` are logged and not answered.
///
/// ```no_run
/// use rmcp::{ServerHandler, ServiceExt as _};
/// use toolgate_rmcp::{GateServer as _, ServerLines};
///
/// struct Weather;
/// impl ServerHandler for Weather {}
///
/// # async fn serve() -> Result<(), Box<dyn std::error::Error>> {
/// let pipes = ServerLines::new(tokio::io::stdin(), tokio::io::stdout());
/// Weather.gated().serve(pipes).await?.waiting().await?;
/// # Ok(())
/// # }
/// ```
pub struct ServerLines<R, W> {
    read: LineReader<R>,
    write: LineWriter<W>,
    /// An answer of the transport's own, on its way.
    answering: Option<BoxFuture<'static, io::Result<()>>>,
}

impl<R, W> ServerLines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Bytes of one line: 64 MiB. A longer one is skipped, and its request gets
    /// an error if its id stands within them.
    pub const LINE: usize = crate::line::LINE;

    /// A transport that reads requests from one stream and answers on another.
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
            // Kept here and not in this future, which may be given up halfway.
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
