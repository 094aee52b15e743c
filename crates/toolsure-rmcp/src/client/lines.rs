//! JSON-RPC over lines: a server's standard output and input, or any pair of byte streams.

use std::collections::HashMap;
use std::future::Future;
use std::io;

use rmcp::RoleClient;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite};
use toolsure_mcp::era::Era;

use super::decode::{self, Asked};
use crate::line::{Line, LineReader, LineWriter};

/// A transport for rmcp's client that reads each answer as the result of its request. An unreadable
/// answer becomes an error for its request; a line that is not a message is skipped. Made by
/// [`ClientLayer::lines`](super::ClientLayer::lines).
pub struct Lines<R, W> {
    read: LineReader<R>,
    write: LineWriter<W>,
    asked: HashMap<RequestId, Asked>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// The maximum length of a line: 64 MiB. A longer line is skipped, and its request is answered
    /// with an error if its id is in the first 64 MiB.
    pub const LINE: usize = crate::line::LINE;

    pub(super) fn new(read: R, write: W) -> Self {
        Self {
            read: LineReader::new(read),
            write: LineWriter::new(write),
            asked: HashMap::new(),
        }
    }

    /// Forgets the request that a message answers.
    fn answered(&mut self, message: &ServerJsonRpcMessage) {
        let id = match message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if let Some(id) = id {
            self.asked.remove(id);
        }
    }
}

impl<R, W> Transport<RoleClient> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), io::Error>> + Send + 'static {
        match &message {
            JsonRpcMessage::Request(request) => {
                let asked = match &request.request {
                    ClientRequest::ListToolsRequest(_) => Some(Asked::List),
                    ClientRequest::CallToolRequest(call) => {
                        // The transport above has put it there.
                        let era = call.extensions.get::<Era>().copied();
                        Some(Asked::Call(era.unwrap_or(Era::NEWEST_WITH_SESSIONS)))
                    }
                    _ => None,
                };
                if let Some(asked) = asked {
                    self.asked.insert(request.id.clone(), asked);
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.asked.remove(id);
                }
            }
            _ => {}
        }
        self.write.send(message)
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            let message = match self.read.next().await {
                Line::Whole(line) => decode::message(line, |id| self.asked.get(id).copied()),
                Line::Over(start) => decode::lost(&start, "the line is over 64 MiB"),
                Line::End => return None,
            };
            if let Some(message) = message {
                self.answered(&message);
                return Some(message);
            }
        }
    }

    async fn close(&mut self) -> Result<(), io::Error> {
        self.write.close().await
    }
}

impl<R, W> std::fmt::Debug for Lines<R, W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Lines")
            .field("asked", &self.asked.len())
            .finish_non_exhaustive()
    }
}
