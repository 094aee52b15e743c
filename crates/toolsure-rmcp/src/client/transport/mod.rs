//! A client transport that checks contracts. It is between rmcp's client and another transport, so
//! every message passes through it.
//!
//! ```text
//!  send:     call ── contract known? ── yes ── arguments valid? ── yes ──► sent
//!              │            no                      no ──► answered here
//!              ▼
//!            held ──► own tools/list … ──► checked as above
//!
//!  receive:  page of tools ──► repaired, written down ──► received
//!            result ── valid? ── yes ──► received
//!                        no, and its contract may be old ──► own tools/list … ──► once more
//!                        no ──► an error in its place
//!            HeaderMismatch ──► own tools/list … ──► call sent again, once
//! ```
//!
//! rmcp's loop never sends and receives at the same time, so the state needs no lock. If `send`
//! itself makes an answer, the next `receive` delivers it.

mod incoming;
mod reading;

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use futures::StreamExt as _;
use futures::future::{BoxFuture, FutureExt as _};
use futures::stream::FuturesUnordered;
use rmcp::RoleClient;
use rmcp::model::{
    CallToolRequest, ClientJsonRpcMessage, ClientNotification, ClientRequest, Extensions,
    JsonRpcMessage, ProtocolVersion, RequestId, RequestMetaObject, ServerJsonRpcMessage,
    ServerResult,
};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::time::Sleep;
use toolsure_mcp::catalog::AskedPage;
use toolsure_mcp::check::{Decision, PendingTasks, Refusal};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::era::Era;

use super::known_tools::KnownTools;
use super::{ClientEvent, ClientLayer, OnUnreadList, ToolWatch};
use crate::{convert, era};

/// A transport whose messages a [`ClientLayer`] checks.
pub struct CheckedTransport<T> {
    inner: T,
    layer: ClientLayer,
    book: KnownTools,
    tasks: PendingTasks,
    /// The protocol version that `initialize` negotiated.
    version: Option<ProtocolVersion>,
    /// Requests without an answer yet, by the ids they were sent with.
    pending: HashMap<RequestId, Pending>,
    /// Calls that wait for the list.
    held: Vec<Call>,
    /// Results that violated a contract which may be out of date. They wait for the list.
    doubted: Vec<Doubted>,
    /// Messages for the client.
    ready: VecDeque<ServerJsonRpcMessage>,
    /// Messages of the layer's own that are being sent.
    sending: FuturesUnordered<BoxFuture<'static, Option<Undelivered>>>,
    /// The list that the layer is reading.
    listing: Option<OwnListing>,
    /// The number of the layer's last own request.
    next: u64,
}

/// A request whose answer the layer must see.
enum Pending {
    /// `initialize`.
    Initialize,
    /// A page of tools that the client requested.
    Page {
        cursor: Option<String>,
        asked: AskedPage,
    },
    /// A page of tools that the layer requested.
    OwnPage {
        cursor: Option<String>,
        asked: AskedPage,
        meta: RequestMetaObject,
    },
    /// A call.
    Call {
        /// The client's id of the call.
        id: RequestId,
        tool: Called,
        era: Era,
        meta: RequestMetaObject,
        /// The request, while it may still be sent again.
        again: Option<Box<CallToolRequest>>,
    },
    /// `tasks/get`.
    Task {
        task: String,
        era: Era,
        meta: RequestMetaObject,
    },
}

/// The tool of a call.
enum Called {
    /// Its contract.
    Checked(Arc<ToolContract>),
    /// The name of a tool that is not listed. The call passes unchecked, and so does its result.
    Unlisted(String),
}

/// A list that the layer reads on its own.
struct OwnListing {
    /// The cursors that were followed.
    followed: HashSet<String>,
    /// The deadline for the whole list.
    deadline: Pin<Box<Sleep>>,
}

/// A result that violated the contract of its call.
struct Doubted {
    id: RequestId,
    tool: Arc<ToolContract>,
    era: Era,
    result: Box<ServerResult>,
    why: Box<Refusal>,
}

/// A call before it is sent.
struct Call {
    id: RequestId,
    request: CallToolRequest,
    /// Whether it was sent before, and the server refused its headers.
    is_again: bool,
}

/// A message of the layer's own that could not be sent.
struct Undelivered {
    id: RequestId,
    reason: String,
}

impl<T: Transport<RoleClient>> CheckedTransport<T> {
    /// The maximum number of tasks whose tool is remembered. Beyond it, the oldest is forgotten.
    pub const TASKS: usize = 4_096;

    pub(super) fn new(layer: ClientLayer, inner: T) -> Self {
        Self {
            inner,
            book: KnownTools::new(layer.store.clone()),
            layer,
            tasks: PendingTasks::new(Self::TASKS),
            version: None,
            pending: HashMap::new(),
            held: Vec::new(),
            doubted: Vec::new(),
            ready: VecDeque::new(),
            sending: FuturesUnordered::new(),
            listing: None,
            next: 0,
        }
    }

    /// A handle to the connection's tools, for use after rmcp has taken the transport.
    ///
    /// ```
    /// use toolsure_rmcp::ClientLayer;
    ///
    /// let (near, _far) = tokio::io::duplex(4096);
    /// let (read, write) = tokio::io::split(near);
    /// let transport = ClientLayer::new().lines(read, write);
    /// let tools = transport.tools();
    /// // Here rmcp takes the transport: `().serve(transport)`.
    /// assert!(tools.snapshot().tool("forecast").is_none());
    /// ```
    #[must_use]
    pub fn tools(&self) -> ToolWatch {
        self.book.watch()
    }

    /// The era of a request.
    fn era(&self, extensions: &Extensions) -> Era {
        let own = extensions.get::<RequestMetaObject>();
        let own = own.and_then(RequestMetaObject::protocol_version);
        era::of_version(own.as_ref().or(self.version.as_ref()))
    }

    /// The message to send for a call. `None` if the call waits for the list, or if the layer has
    /// already answered it.
    fn call(&mut self, call: Call) -> Option<ClientJsonRpcMessage> {
        if !self.book.is_fresh() {
            let meta = meta_of(&call.request.extensions);
            self.held.push(call);
            self.read_list(meta);
            return None;
        }
        self.judged(call)
    }

    fn judged(&mut self, call: Call) -> Option<ClientJsonRpcMessage> {
        let Call {
            id,
            mut request,
            is_again,
        } = call;
        let tool = match self.admit(&mut request) {
            Ok(tool) => tool,
            Err(why) => {
                self.layer.emit_event(&ClientEvent::CallRefused(&why));
                let error = convert::client_error(&why, is_again);
                self.ready.push_back(JsonRpcMessage::error(error, Some(id)));
                return None;
            }
        };
        let era = self.era(&request.extensions);
        // For `Lines`, which reads the answer.
        request.extensions.insert(era);
        let sent_as = if is_again { self.own_id() } else { id.clone() };
        let again = (era.is_modern() && !is_again).then(|| Box::new(request.clone()));
        let pending = Pending::Call {
            id,
            tool,
            era,
            meta: meta_of(&request.extensions),
            again,
        };
        self.pending.insert(sent_as.clone(), pending);
        let request = ClientRequest::CallToolRequest(request);
        Some(JsonRpcMessage::request(request, sent_as))
    }

    fn admit(&self, request: &mut CallToolRequest) -> Result<Called, Box<Refusal>> {
        let name = &*request.params.name;
        let tools = self.book.catalog().snapshot();
        let Some(tool) = tools.tool(name) else {
            if let Some(isolated) = tools.isolated_tool(name) {
                return Err(Box::new(Refusal::isolated_tool(isolated)));
            }
            let options = &self.layer.options;
            return match (self.book.unread(), options.on_unread_list) {
                (Some(reason), OnUnreadList::Refuse) => {
                    Err(Box::new(Refusal::unread_list(name, reason)))
                }
                (Some(reason), OnUnreadList::Pass) => {
                    self.layer
                        .emit_event(&ClientEvent::Unchecked { tool: name, reason });
                    Ok(Called::Unlisted(name.to_owned()))
                }
                (None, _) if options.listed_only => Err(Box::new(Refusal::unknown_tool(name))),
                (None, _) => Ok(Called::Unlisted(name.to_owned())),
            };
        };
        let arguments = request.params.arguments.take().map(Value::Object);
        let decision = self
            .layer
            .checkers
            .with(|checker| checker.check_arguments_value(tool, arguments.as_ref()));
        if let Some(Value::Object(object)) = arguments {
            request.params.arguments = Some(object);
        }
        match decision {
            Decision::Refuse(why) => Err(why),
            Decision::Pass(pass) => {
                self.layer.passed(tool, pass.checked);
                Ok(Called::Checked(Arc::clone(tool)))
            }
        }
    }

    fn own_id(&mut self) -> RequestId {
        self.next += 1;
        RequestId::String(format!("{OWN}{}", self.next).into())
    }

    /// Sends a message without waiting. If it cannot be sent, the request `id` fails.
    fn send_own(&mut self, message: ClientJsonRpcMessage, id: RequestId) {
        let sent = self.inner.send(message).map(|sent| match sent {
            Ok(()) => None,
            Err(error) => Some(Undelivered {
                id,
                reason: error.to_string(),
            }),
        });
        self.sending.push(sent.boxed());
    }

    /// Records a message of the client before it is sent. `None` if it must not be sent.
    fn outgoing(&mut self, message: ClientJsonRpcMessage) -> Option<ClientJsonRpcMessage> {
        match message {
            JsonRpcMessage::Request(envelope) => match envelope.request {
                ClientRequest::CallToolRequest(request) => self.call(Call {
                    id: envelope.id,
                    request,
                    is_again: false,
                }),
                request => {
                    self.note(&envelope.id, &request);
                    Some(JsonRpcMessage::request(request, envelope.id))
                }
            },
            JsonRpcMessage::Notification(mut envelope) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &mut envelope.notification
                    && let Some(id) = &mut cancelled.params.request_id
                {
                    *id = self.cancelled(id)?;
                }
                Some(JsonRpcMessage::Notification(envelope))
            }
            answer => Some(answer),
        }
    }

    fn note(&mut self, id: &RequestId, request: &ClientRequest) {
        let pending = match request {
            ClientRequest::InitializeRequest(_) => Pending::Initialize,
            ClientRequest::ListToolsRequest(request) => Pending::Page {
                cursor: request.params.as_ref().and_then(|page| page.cursor.clone()),
                asked: self.book.ask(),
            },
            ClientRequest::GetTaskRequest(request) => Pending::Task {
                task: request.params.task_id.clone(),
                era: self.era(&request.extensions),
                meta: meta_of(&request.extensions),
            },
            _ => return,
        };
        self.pending.insert(id.clone(), pending);
    }

    /// Forgets a request. Returns the id it was sent with; `None` if it was not sent.
    fn cancelled(&mut self, id: &RequestId) -> Option<RequestId> {
        let held = self.held.len();
        self.held.retain(|call| call.id != *id);
        if self.held.len() < held {
            return None;
        }
        self.doubted.retain(|doubted| doubted.id != *id);
        if self.pending.remove(id).is_some() {
            return Some(id.clone());
        }
        let again = self
            .pending
            .iter()
            .find(|(_, pending)| matches!(pending, Pending::Call { id: known, .. } if known == id));
        let sent_as = again.map(|(sent_as, _)| sent_as.clone());
        if let Some(sent_as) = &sent_as {
            self.pending.remove(sent_as);
        }
        Some(sent_as.unwrap_or_else(|| id.clone()))
    }
}

impl<T: Transport<RoleClient>> Transport<RoleClient> for CheckedTransport<T> {
    type Error = T::Error;

    fn send(
        &mut self,
        message: ClientJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        match self.outgoing(message) {
            Some(message) => self.inner.send(message).boxed(),
            None => std::future::ready(Ok(())).boxed(),
        }
    }

    async fn receive(&mut self) -> Option<ServerJsonRpcMessage> {
        loop {
            if let Some(message) = self.ready.pop_front() {
                return Some(message);
            }
            tokio::select! {
                message = self.inner.receive() => {
                    if let Some(message) = self.incoming(message?) {
                        return Some(message);
                    }
                }
                Some(sent) = self.sending.next() => {
                    if let Some(undelivered) = sent {
                        self.undelivered(undelivered);
                    }
                }
                () = late(&mut self.listing) => self.list_is_late(),
            }
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.inner.close().await
    }
}

impl<T> std::fmt::Debug for CheckedTransport<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedTransport")
            .field("tools", &self.book)
            .field("pending", &self.pending.len())
            .field("held", &self.held.len())
            .finish_non_exhaustive()
    }
}

/// The `_meta` of a request, from the place where rmcp keeps it.
fn meta_of(extensions: &Extensions) -> RequestMetaObject {
    let meta = extensions.get::<RequestMetaObject>();
    meta.cloned().unwrap_or_default()
}

/// Completes when the deadline of a list passes; never, if no list is being read.
async fn late(listing: &mut Option<OwnListing>) {
    match listing {
        Some(listing) => listing.deadline.as_mut().await,
        None => std::future::pending().await,
    }
}

/// Whether an id belongs to one of the layer's own requests.
fn is_own(id: &RequestId) -> bool {
    matches!(id, RequestId::String(id) if id.starts_with(OWN))
}

/// The prefix of the ids of the layer's own requests.
const OWN: &str = "toolsure-";
