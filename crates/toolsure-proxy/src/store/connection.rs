//! A connection to a store, with a limit on the size of answers.
//!
//! The codec of the `redis` crate buffers an answer until it is complete, whatever length it
//! announces. So the stream below it counts the bytes since the last request, and the task that
//! reads them ends with the connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ConnectionAddr, ConnectionInfo, ErrorKind, RedisError};
use rustls::pki_types::ServerName;
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

/// An open connection. Dropping it stops all reading.
pub(super) struct Connection {
    pub(super) commands: MultiplexedConnection,
    driver: JoinHandle<()>,
}

impl Connection {
    /// Connects and logs in. `patience` is the timeout for that, and for each answer.
    pub(super) async fn open(
        info: &ConnectionInfo,
        patience: Duration,
    ) -> Result<Self, RedisError> {
        let opening = async {
            match info.addr() {
                ConnectionAddr::Tcp(host, port) => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    Self::over(stream, info, patience).await
                }
                ConnectionAddr::TcpTls {
                    host,
                    port,
                    insecure: false,
                    ..
                } => {
                    let stream = TcpStream::connect((host.as_str(), *port)).await?;
                    let stream = encrypted(stream, host, authorities()?).await?;
                    Self::over(stream, info, patience).await
                }
                _ => Err(unusable(
                    "a store is reached over TCP, or TLS with certificates",
                )),
            }
        };
        match timeout(patience, opening).await {
            Ok(opened) => opened,
            Err(elapsed) => Err(io::Error::from(elapsed).into()),
        }
    }

    async fn over(
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        info: &ConnectionInfo,
        patience: Duration,
    ) -> Result<Self, RedisError> {
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(patience));
        let settings = info.redis_settings();
        let bounded = Bounded { stream, read: 0 };
        let made = MultiplexedConnection::new_with_config(settings, bounded, config);
        let (commands, driver) = made.await?;
        Ok(Self {
            commands,
            driver: tokio::spawn(driver),
        })
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Otherwise the task would keep waiting for the answer to the last request.
        self.driver.abort();
    }
}

/// The platform's trust store, read again for each connection.
fn authorities() -> Result<RootCertStore, RedisError> {
    let found = rustls_native_certs::load_native_certs();
    let mut authorities = RootCertStore::empty();
    let _counts = authorities.add_parsable_certificates(found.certs);
    match found.errors.first() {
        Some(error) if authorities.is_empty() => Err(unusable(&format!(
            "the certificate authorities of the platform cannot be read: {error}"
        ))),
        _ => Ok(authorities),
    }
}

async fn encrypted(
    stream: TcpStream,
    host: &str,
    authorities: RootCertStore,
) -> Result<impl AsyncRead + AsyncWrite + Unpin + Send + 'static, RedisError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable(&error.to_string()))?
        .with_root_certificates(authorities)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| unusable("the store's host is not a name that a certificate can have"))?;
    let connector = TlsConnector::from(Arc::new(config));
    Ok(connector.connect(name, stream).await?)
}

fn unusable(why: &str) -> RedisError {
    let kind = ErrorKind::InvalidClientConfig;
    RedisError::from((kind, "the store cannot be used", why.to_owned()))
}

/// A stream from which at most [`MOST`] bytes are read after each write.
struct Bounded<S> {
    stream: S,
    /// Bytes read since the last write.
    read: usize,
}

impl<S: AsyncRead + Unpin> AsyncRead for Bounded<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let more = buffer.filled().len().saturating_sub(before);
        self.read = self.read.saturating_add(more);
        Poll::Ready(match self.read > MOST {
            true => Err(io::Error::other(format!(
                "an answer of the store has more than {} MiB",
                MOST >> 20
            ))),
            false => Ok(()),
        })
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Bounded<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = ready!(Pin::new(&mut self.stream).poll_write(context, bytes));
        self.read = 0;
        Poll::Ready(written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// Maximum bytes of all answers to one write. The longest answer of our scripts is under 1 MiB.
const MOST: usize = 16 << 20;

#[cfg(test)]
mod tests {
    use redis::IntoConnectionInfo as _;
    use rustls::ServerConfig;
    use rustls::pki_types::PrivateKeyDer;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    /// Answers the client's setup commands, then answers `PING` with `length` bytes. Returns how
    /// many bytes it could send.
    async fn store(mut stream: impl AsyncRead + AsyncWrite + Unpin, length: usize) -> usize {
        let mut asked = [0_u8; 4_096];
        let mut answer = b"+OK\r\n".to_vec();
        loop {
            let count = stream.read(&mut asked).await.unwrap_or(0);
            if count == 0 {
                return 0;
            }
            let asked = String::from_utf8_lossy(&asked[..count]).to_ascii_uppercase();
            if asked.contains("PING") {
                break;
            }
            stream.write_all(&answer).await.unwrap();
        }
        answer = format!("${length}\r\n").into_bytes();
        stream.write_all(&answer).await.unwrap();
        let (block, mut sent) = (vec![b'x'; 1 << 16], 0);
        while sent < length {
            let block = &block[..block.len().min(length - sent)];
            if stream.write_all(block).await.is_err() {
                return sent;
            }
            sent += block.len();
        }
        let _closed_maybe = stream.write_all(b"\r\n").await;
        sent
    }

    async fn listen(scheme: &str) -> (TcpListener, ConnectionInfo) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let url = format!("{scheme}://{address}/0");
        let info = url.as_str().into_connection_info().unwrap();
        // Guards do not send the name of the library either.
        let settings = info.redis_settings().clone().set_skip_set_lib_name();
        (listener, info.set_redis_settings(settings))
    }

    async fn ping(connection: &mut Connection) -> Result<usize, String> {
        let asked = redis::cmd("PING");
        let answer: Result<Vec<u8>, _> = asked.query_async(&mut connection.commands).await;
        answer.map(|it| it.len()).map_err(|why| why.to_string())
    }

    #[tokio::test]
    async fn an_answer_ends_at_its_bound() {
        let whole = MOST - "$16777216\r\n\r\n".len();
        for (length, fits) in [
            (5, true),
            (whole, true),
            (whole + 1, false),
            (2_000_000_000, false),
        ] {
            let (listener, info) = listen("redis").await;
            let server = tokio::spawn(async move {
                let (stream, _) = listener.accept().await.unwrap();
                store(stream, length).await
            });
            let mut connection = Connection::open(&info, PATIENCE).await.unwrap();
            let answer = ping(&mut connection).await;
            match fits {
                true => assert_eq!(answer, Ok(length)),
                false => {
                    let why = answer.unwrap_err();
                    assert!(
                        why.contains("an answer of the store has more than 16 MiB"),
                        "{why}"
                    );
                }
            }
            drop(connection);
            let sent = server.await.unwrap();
            assert!(sent <= 2 * MOST, "{sent}");
        }
    }

    #[tokio::test]
    async fn nothing_is_read_for_a_connection_that_is_gone() {
        let (listener, info) = listen("redis").await;
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut asked = [0_u8; 4_096];
            loop {
                match stream.read(&mut asked).await {
                    Ok(0) | Err(_) => return,
                    Ok(count) if asked[..count].windows(4).any(|it| it == b"PING") => {}
                    Ok(_) => stream.write_all(b"+OK\r\n").await.unwrap(),
                }
            }
        });
        let patience = Duration::from_millis(300);
        let mut connection = Connection::open(&info, patience).await.unwrap();
        assert!(ping(&mut connection).await.is_err());
        drop(connection);
        // The server sees the end although the client was waiting for an answer.
        timeout(PATIENCE, server).await.unwrap().unwrap();
    }

    #[tokio::test]
    async fn a_certificate_must_be_of_the_host_and_of_an_authority() {
        let certified = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        let certificate = certified.cert.der().clone();
        let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let mut trusted = RootCertStore::empty();
        trusted.add(certificate).unwrap();
        for (host, authorities, good) in [
            ("127.0.0.1", trusted.clone(), true),
            ("localhost", trusted, false),
            ("127.0.0.1", RootCertStore::empty(), false),
        ] {
            let (listener, info) = listen("rediss").await;
            let address = listener.local_addr().unwrap();
            let acceptor = acceptor.clone();
            let server = tokio::spawn(async move {
                let (stream, _) = listener.accept().await.unwrap();
                match acceptor.accept(stream).await {
                    Ok(stream) => store(stream, 5).await,
                    Err(_) => 0,
                }
            });
            let stream = TcpStream::connect(address).await.unwrap();
            let opened = match encrypted(stream, host, authorities).await {
                Ok(stream) => Connection::over(stream, &info, PATIENCE).await,
                Err(why) => Err(why),
            };
            match opened {
                Ok(mut connection) if good => assert_eq!(ping(&mut connection).await, Ok(5)),
                Err(why) if !good => assert!(why.to_string().contains("certificate"), "{why}"),
                other => panic!("{host}: {:?}", other.err()),
            }
            server.abort();
        }
        // The platform's authorities do not include it.
        let (listener, info) = listen("rediss").await;
        let server = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let _refused = acceptor.accept(stream).await;
        });
        assert!(Connection::open(&info, PATIENCE).await.is_err());
        server.await.unwrap();
    }
}
