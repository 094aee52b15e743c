//! Connections to an HTTP server without TLS, each driven by the task that uses it.
//!
//! A client library runs each connection in a task of its own, which costs two task wake-ups per
//! call. Here the task of the exchange writes the request and reads the response itself, and keeps
//! the connection for the next request.

use std::error::Error;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker, ready};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1;
use hyper::header::{ACCEPT, HOST, HeaderMap, HeaderValue, USER_AGENT};
use hyper::http::response::Parts;
use hyper::http::uri::InvalidUri;
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::TokioIo;
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};
use tower_service::Service as _;

use super::relay::Relay;

/// Why a request got no response.
#[derive(Debug)]
pub(super) struct Failure {
    /// Whether no connection could be made.
    pub(super) is_connect: bool,
    pub(super) error: BoxError,
}

pub(super) type BoxError = Box<dyn Error + Send + Sync>;

/// A pool of idle connections to one server, which opens new ones as needed.
pub(super) struct Connections {
    url: Url,
    /// The path and query of `url`.
    target: Uri,
    origin: Uri,
    host: HeaderValue,
    connector: HttpConnector,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    /// The most recently used connection is last.
    connections: Vec<Connection>,
    /// Whether a task runs that closes idle connections.
    is_swept: bool,
}

struct Connection {
    sender: http1::SendRequest<Full<Bytes>>,
    /// Boxed, because it is large and moves from task to task.
    stream: Option<Box<http1::Connection<TokioIo<TcpStream>, Full<Bytes>>>>,
    relay: Arc<Relay>,
    used: Instant,
}

/// The body of a response. At its end, its connection returns to the pool; if it is dropped
/// earlier, the connection is closed.
pub(super) struct ConnectionBody {
    incoming: Incoming,
    connection: Option<Connection>,
    connections: Arc<Connections>,
}

impl Connections {
    /// A pool for a URL; `None` if the URL needs more than a plain connection to its host: TLS, a
    /// proxy from the environment, or credentials.
    pub(super) fn to(url: &Url) -> Option<Arc<Self>> {
        let is_plain = url.scheme() == "http" && url.username().is_empty();
        let host = url
            .host_str()
            .filter(|_| is_plain && url.password().is_none())?;
        let authority = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let origin: Uri = format!("http://{authority}/").parse().ok()?;
        if Matcher::from_system().intercept(&origin).is_some() {
            return None;
        }
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.set_connect_timeout(Some(CONNECT));
        connector.set_keepalive(Some(KEEPALIVE));
        connector.set_keepalive_interval(Some(KEEPALIVE));
        connector.set_keepalive_retries(Some(KEEPALIVE_RETRIES));
        #[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
        connector.set_tcp_user_timeout(Some(UNACKNOWLEDGED));
        Some(Arc::new(Self {
            target: target(url).ok()?,
            url: url.clone(),
            origin,
            host: HeaderValue::from_str(&authority).ok()?,
            connector,
            idle: Mutex::default(),
        }))
    }

    /// Sends a request to a URL of this server. If an idle connection does not take it, because the
    /// server has closed the connection, the request is sent on another.
    pub(super) async fn send(
        self: &Arc<Self>,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<(Parts, ConnectionBody), Failure> {
        let target = match *url == self.url {
            true => self.target.clone(),
            false => target(url).map_err(Failure::unreachable)?,
        };
        headers.insert(HOST, self.host.clone());
        for (name, value) in [(USER_AGENT, AGENT), (ACCEPT, "*/*")] {
            let given = headers.entry(name);
            given.or_insert(HeaderValue::from_static(value));
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = target;
        *request.headers_mut() = headers;
        while let Some(connection) = self.kept() {
            match connection.send(request, self).await {
                Ok(answer) => return Ok(answer),
                Err((_, Some(unsent))) => request = unsent,
                Err((error, None)) => return Err(Failure::broken(error)),
            }
        }
        let sent = self.connect().await?.send(request, self).await;
        sent.map_err(|(error, _)| Failure::broken(error))
    }

    async fn connect(&self) -> Result<Connection, Failure> {
        let mut connector = self.connector.clone();
        let connected = timeout(CONNECT, connector.call(self.origin.clone())).await;
        let stream = connected
            .map_err(|_| Failure::unreachable("operation timed out"))?
            .map_err(Failure::unreachable)?;
        let shaken = http1::handshake(stream).await;
        let (sender, stream) = shaken.map_err(Failure::unreachable)?;
        Ok(Connection {
            sender,
            stream: Some(Box::new(stream)),
            relay: Relay::new(),
            used: Instant::now(),
        })
    }

    /// An idle connection that is probably still open.
    fn kept(&self) -> Option<Connection> {
        let mut idle = self.idle();
        loop {
            let mut connection = idle.connections.pop()?;
            if connection.is_usable() {
                return Some(connection);
            }
        }
    }

    fn keep(self: &Arc<Self>, mut connection: Connection) {
        connection.used = Instant::now();
        let mut idle = self.idle();
        idle.connections.push(connection);
        if !std::mem::replace(&mut idle.is_swept, true) {
            tokio::spawn(Sweeper(Arc::downgrade(self)).sweep());
        }
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Closes connections that the server has closed, or that were idle for too long.
struct Sweeper(Weak<Connections>);

impl Sweeper {
    async fn sweep(mut self) {
        loop {
            sleep(ROUND).await;
            let Some(connections) = self.0.upgrade() else {
                return;
            };
            let mut idle = connections.idle();
            idle.connections.retain_mut(Connection::is_usable);
            if idle.connections.is_empty() {
                // Under the lock, so that the next idle connection starts another sweeper.
                idle.is_swept = false;
                self.0 = Weak::new();
                return;
            }
        }
    }
}

impl Drop for Sweeper {
    /// If the task did not finish, lets the next idle connection start another sweeper.
    fn drop(&mut self) {
        if let Some(connections) = self.0.upgrade() {
            connections.idle().is_swept = false;
        }
    }
}

impl Connection {
    /// Whether it is open and was used recently.
    fn is_usable(&mut self) -> bool {
        let mut unwatched = Context::from_waker(Waker::noop());
        self.poll_stream(&mut unwatched);
        self.stream.is_some() && self.sender.is_ready() && self.used.elapsed() < LONGEST_IDLE
    }

    /// Polls the connection, which reads and writes. Drops it at its end, so that a request that
    /// was not sent fails.
    fn poll_stream(&mut self, context: &mut Context<'_>) {
        let stream = self.stream.as_mut();
        if stream.is_some_and(|stream| Pin::new(stream).poll(context).is_ready()) {
            self.stream = None;
        }
    }

    /// Sends a request; returns it if nothing of it was sent.
    async fn send(
        mut self,
        request: Request<Full<Bytes>>,
        connections: &Arc<Connections>,
    ) -> Result<(Parts, ConnectionBody), (hyper::Error, Option<Request<Full<Bytes>>>)> {
        let mut answer = pin!(self.sender.try_send_request(request));
        let relay = Arc::clone(&self.relay);
        let answer = std::future::poll_fn(|context| {
            relay.drive(context, |context| {
                self.poll_stream(context);
                answer.as_mut().poll(context)
            })
        });
        let (head, incoming) = match answer.await {
            Ok(answer) => answer.into_parts(),
            Err(mut error) => {
                let request = error.take_message();
                return Err((error.into_error(), request));
            }
        };
        let mut body = ConnectionBody {
            incoming,
            connection: Some(self),
            connections: Arc::clone(connections),
        };
        if body.incoming.is_end_stream() {
            body.end();
        }
        Ok((head, body))
    }
}

impl ConnectionBody {
    /// The next chunk; `None` at the end. Cancel safe.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, hyper::Error> {
        std::future::poll_fn(|context| self.poll_chunk(context)).await
    }

    fn poll_chunk(
        &mut self,
        context: &mut Context<'_>,
    ) -> Poll<Result<Option<Bytes>, hyper::Error>> {
        loop {
            let frame = match &mut self.connection {
                None => ready!(Pin::new(&mut self.incoming).poll_frame(context)),
                Some(connection) => {
                    let relay = Arc::clone(&connection.relay);
                    ready!(relay.drive(context, |context| {
                        connection.poll_stream(context);
                        Pin::new(&mut self.incoming).poll_frame(context)
                    }))
                }
            };
            match frame {
                None => {
                    self.end();
                    return Poll::Ready(Ok(None));
                }
                Some(Err(error)) => {
                    self.connection = None;
                    return Poll::Ready(Err(error));
                }
                Some(Ok(frame)) => {
                    // Trailers are not passed on.
                    if let Ok(data) = frame.into_data() {
                        return Poll::Ready(Ok(Some(data)));
                    }
                }
            }
        }
    }

    /// Returns the connection to the pool, because the whole body has been read.
    fn end(&mut self) {
        if let Some(mut connection) = self.connection.take() {
            connection.used = Instant::now();
            if connection.is_usable() {
                self.connections.keep(connection);
            }
        }
    }
}

/// The request target of a URL: its path and query.
fn target(url: &Url) -> Result<Uri, InvalidUri> {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()).parse(),
        None => url.path().parse(),
    }
}

impl std::fmt::Debug for ConnectionBody {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ConnectionBody").finish_non_exhaustive()
    }
}

impl Failure {
    fn unreachable(error: impl Into<BoxError>) -> Self {
        Self {
            is_connect: true,
            error: error.into(),
        }
    }

    fn broken(error: hyper::Error) -> Self {
        Self {
            is_connect: false,
            error: error.into(),
        }
    }
}

/// The connect timeout: a host that does not respond in time counts as unreachable.
pub(super) const CONNECT: Duration = Duration::from_secs(10);
pub(super) const AGENT: &str = concat!("toolsure/", env!("CARGO_PKG_VERSION"));
/// How long a connection may be idle before it is closed.
const LONGEST_IDLE: Duration = Duration::from_secs(90);
/// The pause between two sweeps.
const ROUND: Duration = Duration::from_secs(10);
/// TCP keepalive, to detect a server that vanished.
const KEEPALIVE: Duration = Duration::from_secs(15);
const KEEPALIVE_RETRIES: u32 = 3;
#[cfg(any(target_os = "android", target_os = "fuchsia", target_os = "linux"))]
const UNACKNOWLEDGED: Duration = Duration::from_secs(30);

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::sync::mpsc;

    use super::*;

    /// A server that answers each request with the next of `answers`, and closes the connection
    /// after those that are `true`. Sends the number of each connection that has ended.
    async fn server(
        answers: &'static [(&'static str, bool)],
    ) -> (Arc<Connections>, Url, mpsc::UnboundedReceiver<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp?a=b", listener.local_addr().unwrap());
        let (ended, all_ended) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut answers = answers.iter();
            for number in 1.. {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut request = [0; 4_096];
                while let Ok(read @ 1..) = stream.read(&mut request).await {
                    let request = std::str::from_utf8(request.get(..read).unwrap()).unwrap();
                    assert!(
                        request.starts_with("POST /mcp?a=b HTTP/1.1\r\n"),
                        "{request}"
                    );
                    assert!(request.contains("host: 127.0.0.1:"), "{request}");
                    let (answer, closes) = answers.next().unwrap();
                    stream.write_all(answer.as_bytes()).await.unwrap();
                    if *closes {
                        break;
                    }
                }
                drop(stream);
                ended.send(number).unwrap();
            }
        });
        let url = Url::parse(&url).unwrap();
        (Connections::to(&url).unwrap(), url, all_ended)
    }

    async fn asked(connections: &Arc<Connections>, url: &Url) -> String {
        let body = Bytes::from_static(b"{}");
        let sent = connections.send(Method::POST, url, HeaderMap::new(), body);
        let (_, mut body) = sent.await.unwrap();
        let mut text = String::new();
        while let Some(chunk) = body.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        text
    }

    #[tokio::test]
    async fn a_connection_is_used_until_the_server_closes_it() {
        let (connections, url, mut ended) = server(&[
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", false),
            ("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n", false),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n3\r\n0\r\n\r\n",
                true,
            ),
            (
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\n4",
                false,
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n5", false),
        ])
        .await;
        for expected in ["1", "", "3"] {
            assert_eq!(asked(&connections, &url).await, expected);
        }
        assert_eq!(ended.recv().await, Some(1));
        // The end of the connection may not have arrived yet.
        while let Some(connection) = connections.kept() {
            connections.keep(connection);
            sleep(Duration::from_millis(1)).await;
        }
        assert_eq!(asked(&connections, &url).await, "4");
        assert!(connections.idle().connections.is_empty());
        assert_eq!(ended.recv().await, Some(2));
        assert_eq!(asked(&connections, &url).await, "5");
        assert_eq!(connections.idle().connections.len(), 1);
        drop(connections);
        assert_eq!(ended.recv().await, Some(3));
    }

    #[tokio::test]
    async fn a_body_that_nobody_reads_ends_its_connection() {
        let (connections, url, mut ended) =
            server(&[("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1", false)]).await;
        let sent = connections.send(Method::POST, &url, HeaderMap::new(), Bytes::new());
        let (head, mut body) = sent.await.unwrap();
        assert_eq!(head.status.as_u16(), 200);
        assert_eq!(
            body.chunk().await.unwrap().as_deref(),
            Some(b"1".as_slice())
        );
        drop(body);
        assert_eq!(ended.recv().await, Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_are_not_used_are_closed() {
        let (connections, url, mut ended) =
            server(&[("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", false)]).await;
        assert_eq!(asked(&connections, &url).await, "1");
        sleep(LONGEST_IDLE - ROUND).await;
        assert_eq!(connections.idle().connections.len(), 1);
        sleep(2 * ROUND).await;
        assert!(connections.idle().connections.is_empty());
        assert!(!connections.idle().is_swept);
        assert_eq!(ended.recv().await, Some(1));
    }

    #[test]
    fn what_needs_more_than_a_connection_is_left_to_the_library() {
        let to = |url: &str| Connections::to(&Url::parse(url).unwrap());
        for url in [
            "https://127.0.0.1/",
            "http://u@127.0.0.1/",
            "http://:p@127.0.0.1/",
        ] {
            assert!(to(url).is_none(), "{url}");
        }
        assert_eq!(to("http://[::1]/").unwrap().host, "[::1]");
    }
}
