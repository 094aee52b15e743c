//! Accepted sockets: how a client that has vanished is noticed, and what one too many is told.

use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;

/// Makes the system close a connection whose client has vanished without a word: a silent one is
/// probed, and one that does not acknowledge what was sent is given up.
///
/// A system that does not have one of the settings goes without it.
pub(super) fn watch(stream: &TcpStream, silence: Duration, unacknowledged: Duration) {
    let _only_slower = stream.set_nodelay(true);
    let socket = SockRef::from(stream);
    let probes = TcpKeepalive::new()
        .with_time(silence)
        .with_interval(silence);
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
    let probes = probes.with_retries(PROBES);
    let _only_later = socket.set_tcp_keepalive(&probes);
    #[cfg(target_os = "linux")]
    let _only_later = socket.set_tcp_user_timeout(Some(unacknowledged));
}

/// Answers a connection with 503, without looking at its request: `body` is a JSON-RPC error. Ends
/// when the client has closed the connection.
pub(super) async fn turn_away(mut stream: impl AsyncRead + AsyncWrite + Unpin, body: String) {
    let answer = format!(
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut request = [0; 4 << 10];
    // If a connection is closed with bytes unread, its client may lose the answer.
    let _broken = stream.read(&mut request).await;
    if stream.write_all(answer.as_bytes()).await.is_ok() && stream.shutdown().await.is_ok() {
        while stream.read(&mut request).await.is_ok_and(|read| read > 0) {}
    }
}

/// How many probes a client may leave unanswered.
#[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
const PROBES: u32 = 3;
