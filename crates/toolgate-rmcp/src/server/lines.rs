//! A server's transport by lines that answers what rmcp's would drop, misread
//! or take for another call.

use std::future::Future;
use std::io;

use futures::future::{BoxFuture, FutureExt as _};
use rmcp::RoleServer;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use toolgate_json::{OwnedDocument, ReadLimits};
use toolgate_mcp::message::{INVALID_PARAMS, INVALID_REQUEST, Message, PARSE_ERROR, ToolCall};

use crate::line::{Line, LineReader, LineWriter};
use crate::recover;

/// A transport for rmcp's server over a pair of byte streams.
///
/// rmcp's own drops a line that `serde_json` refuses, and its sender waits for
/// ever; of duplicate keys it believes the last, and `"arguments": null` it
/// takes for none. Here such a request gets its error: -32700 if it cannot be
/// read, -32602 if it is no tool call.
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

/// What becomes of a line.
enum Taken {
    Message(Box<ClientJsonRpcMessage>),
    Answer(RequestId, ErrorData),
    Nothing,
}

fn taken(line: &[u8]) -> Taken {
    let document = match OwnedDocument::read(line, &ReadLimits::default()) {
        Ok(document) => document,
        Err(error) => return unreadable(line, &error.to_string()),
    };
    if let Ok(Message::Request(request)) = Message::decode(document.document().root())
        && request.method == "tools/call"
        && let Err(why) = ToolCall::decode(request.params)
        && let Ok(id) = serde_json::from_str(request.id.raw())
    {
        return Taken::Answer(id, error(INVALID_PARAMS, why.to_string()));
    }
    match serde_json::from_slice(line) {
        Ok(message) => Taken::Message(Box::new(message)),
        // JSON to us and not to serde_json: too deep, or a number too large.
        Err(why) if why.is_syntax() || why.is_eof() => unreadable(line, &why.to_string()),
        Err(why) => answer(line, error(INVALID_REQUEST, why.to_string())),
    }
}

fn unreadable(line: &[u8], why: &str) -> Taken {
    answer(line, error(PARSE_ERROR, why.to_owned()))
}

/// An error for whoever waits; nothing if nobody can be told to.
fn answer(line: &[u8], error: ErrorData) -> Taken {
    match recover::request(line) {
        Some(id) => Taken::Answer(id, error),
        None => {
            tracing::debug!("not a request: {}", error.message);
            Taken::Nothing
        }
    }
}

fn error(code: i64, text: String) -> ErrorData {
    let code = i32::try_from(code).map_or(ErrorCode::INVALID_REQUEST, ErrorCode);
    ErrorData::new(code, text, None)
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
            let taken = match self.read.next().await {
                Line::Whole(line) => taken(&line),
                Line::Over(start) => unreadable(&start, "the line is over 64 MiB"),
                Line::End => return None,
            };
            match taken {
                Taken::Message(message) => return Some(*message),
                Taken::Nothing => {}
                Taken::Answer(id, error) => {
                    let error = ServerJsonRpcMessage::error(error, Some(id));
                    self.answering = Some(self.write.send(error).boxed());
                }
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
