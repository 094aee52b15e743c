//! A client for a server without TLS, proxy and credentials, which costs less than the one that
//! supports them.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, HeaderMap, HeaderValue, USER_AGENT};
use hyper::{Method, Request, Response, Uri};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::proxy::matcher::Matcher;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;

use super::client::{AGENT, BoxError, CONNECT, Failure};

/// A client; its connections are kept for later requests, and shared by clones.
#[derive(Clone)]
pub(super) struct PlainClient {
    client: Client<Connector, Full<Bytes>>,
    url: Url,
    /// `url`, which is not read again for each request.
    uri: Uri,
}

impl PlainClient {
    /// A client for the origin of a URL; `None` if the URL needs another one.
    pub(super) fn to(url: &Url) -> Option<Self> {
        let is_plain = url.scheme() == "http" && url.username().is_empty();
        let uri: Uri = url.as_str().parse().ok()?;
        let is_direct = Matcher::from_system().intercept(&uri).is_none();
        if !is_plain || url.password().is_some() || !is_direct {
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
        let client = Client::builder(TokioExecutor::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(LONGEST_IDLE)
            .build(Connector(connector));
        let url = url.clone();
        Some(Self { client, url, uri })
    }

    /// Sends a request to a URL of the origin. If a kept connection does not take it, because the
    /// server has closed the connection, the request is sent on another.
    pub(super) async fn send(
        &self,
        method: Method,
        url: &Url,
        mut headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, Failure> {
        for (name, value) in [(USER_AGENT, AGENT), (ACCEPT, "*/*")] {
            let given = headers.entry(name);
            given.or_insert(HeaderValue::from_static(value));
        }
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = match *url == self.url {
            true => self.uri.clone(),
            false => url.as_str().parse().map_err(Failure::unreachable)?,
        };
        *request.headers_mut() = headers;
        Ok(self.client.request(request).await?)
    }
}

/// Limits the time that looking up a name and connecting take together.
#[derive(Clone)]
struct Connector(HttpConnector);

impl Service<Uri> for Connector {
    type Response = TokioIo<TcpStream>;
    type Error = BoxError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, BoxError>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.0.poll_ready(context).map_err(BoxError::from)
    }

    fn call(&mut self, origin: Uri) -> Self::Future {
        let connected = timeout(CONNECT, self.0.call(origin));
        Box::pin(async { Ok(connected.await.map_err(|_| "operation timed out")??) })
    }
}

/// How long a connection may be idle until it is not used any more. It is closed at the latest after
/// twice that time.
const LONGEST_IDLE: Duration = Duration::from_secs(90);
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
    use tokio::time::sleep;

    use super::super::response::Response;
    use super::*;

    /// A server that answers each request with the next of `answers`, and closes the connection
    /// after those that are `true`. Sends the number of each connection that has ended.
    async fn server(
        answers: &'static [(&'static str, bool)],
    ) -> (PlainClient, Url, mpsc::UnboundedReceiver<usize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/mcp?a=b#c", listener.local_addr().unwrap());
        let host = format!("\r\nhost: {}\r\n", listener.local_addr().unwrap());
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
                    assert!(request.contains(&host), "{request}");
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
        (PlainClient::to(&url).unwrap(), url, all_ended)
    }

    async fn sent(client: &PlainClient, url: &Url) -> Response {
        let body = Bytes::from_static(b"{}");
        let sent = client.send(Method::POST, url, HeaderMap::new(), body);
        sent.await.unwrap().into()
    }

    async fn asked(client: &PlainClient, url: &Url) -> String {
        let mut response = sent(client, url).await;
        let mut text = String::new();
        while let Some(chunk) = response.chunk().await.unwrap() {
            text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
        // The connection returns to the pool in a task of its own.
        sleep(Duration::from_millis(20)).await;
        text
    }

    #[tokio::test]
    async fn a_connection_is_used_until_the_server_closes_it() {
        let (client, url, mut ended) = server(&[
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
            assert_eq!(asked(&client, &url).await, expected);
        }
        assert_eq!(ended.recv().await, Some(1));
        assert_eq!(asked(&client, &url).await, "4");
        assert_eq!(ended.recv().await, Some(2));
        assert_eq!(asked(&client, &url).await, "5");
        assert!(ended.try_recv().is_err());
        drop(client);
        assert_eq!(ended.recv().await, Some(3));
    }

    #[tokio::test]
    async fn a_request_that_the_server_may_have_read_is_not_sent_again() {
        let (client, url, mut ended) = server(&[
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", false),
            ("", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n2", false),
        ])
        .await;
        assert_eq!(asked(&client, &url).await, "1");
        let lost = client.send(Method::POST, &url, HeaderMap::new(), Bytes::new());
        assert!(!lost.await.unwrap_err().is_connect);
        assert_eq!(ended.recv().await, Some(1));
        assert_eq!(asked(&client, &url).await, "2");
    }

    #[tokio::test]
    async fn a_request_that_nobody_waits_for_ends_its_connection() {
        let (client, url, mut ended) = server(&[("", false)]).await;
        let unanswered = client.send(Method::POST, &url, HeaderMap::new(), Bytes::new());
        let unanswered = timeout(Duration::from_millis(50), unanswered);
        assert!(unanswered.await.is_err());
        assert_eq!(ended.recv().await, Some(1));
    }

    #[tokio::test]
    async fn a_body_that_nobody_reads_ends_its_connection() {
        let (client, url, mut ended) =
            server(&[("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1", false)]).await;
        let mut response = sent(&client, &url).await;
        assert_eq!(response.status().as_u16(), 200);
        let chunk = response.chunk().await.unwrap();
        assert_eq!(chunk.as_deref(), Some(b"1".as_slice()));
        drop(response);
        assert_eq!(ended.recv().await, Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn connections_that_are_not_used_are_closed() {
        let (client, url, mut ended) =
            server(&[("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1", false)]).await;
        assert_eq!(asked(&client, &url).await, "1");
        sleep(LONGEST_IDLE.mul_f32(0.9)).await;
        assert!(ended.try_recv().is_err());
        sleep(LONGEST_IDLE.mul_f32(1.2)).await;
        assert_eq!(ended.recv().await, Some(1));
    }

    #[tokio::test]
    async fn what_needs_more_than_a_connection_is_left_to_the_library() {
        let to = |url: &str| PlainClient::to(&Url::parse(url).unwrap());
        for url in [
            "https://127.0.0.1/",
            "http://u@127.0.0.1/",
            "http://:p@127.0.0.1/",
        ] {
            assert!(to(url).is_none(), "{url}");
        }
        assert!(to("http://[::1]/").is_some());
    }
}
