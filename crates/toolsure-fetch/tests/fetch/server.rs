//! A TLS server on 127.0.0.1 with raw HTTP answers, and a resolver that leads to it.

use std::collections::HashMap;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use toolsure_fetch::{Addresses, Dangerous, Fetcher, Host, Resolve, Resolving};

/// The server's answer for one path.
#[derive(Clone)]
pub(crate) enum Reply {
    /// A JSON document.
    Json(String),
    /// A head and a body, sent unchanged.
    Raw(Vec<u8>),
    /// Chunks without an end.
    Endless,
    /// A byte from time to time.
    Slow,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) port: u16,
    pub(crate) pem: String,
    /// The host and path of each request.
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server for these hosts; `replies` are by path.
    pub(crate) async fn start(hosts: &[&str], replies: &[(&str, Reply)]) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let key = KeyPair::generate().unwrap();
        let names: Vec<String> = hosts.iter().map(|host| (*host).to_owned()).collect();
        let own = CertificateParams::new(names).unwrap();
        let own = own.signed_by(&key, &authority).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![own.der().clone()],
                PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
            )
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let replies: HashMap<String, Reply> = replies
            .iter()
            .map(|(path, reply)| ((*path).to_owned(), reply.clone()))
            .collect();
        let (log, replies) = (Arc::clone(&seen), Arc::new(replies));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, log, replies) =
                    (acceptor.clone(), Arc::clone(&log), Arc::clone(&replies));
                tokio::spawn(async move {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        let _gone = serve(stream, port, &log, &replies).await;
                    }
                });
            }
        });
        Self {
            port,
            pem: authority.pem(),
            seen,
        }
    }

    /// A fetcher for these hosts at this server's port, which resolves them to this machine.
    pub(crate) fn fetcher(&self, hosts: &[&str]) -> Fetcher {
        let hosts = hosts
            .iter()
            .map(|host| Host::parse(&format!("{host}:{}", self.port)).unwrap());
        Fetcher::new(hosts)
            .authority(self.pem.as_bytes())
            .unwrap()
            .dangerous(Dangerous::new(
                Arc::new(Names::to(Ipv4Addr::LOCALHOST.into())),
                Arc::new(Only(Ipv4Addr::LOCALHOST.into())),
            ))
    }

    pub(crate) fn uri(&self, host: &str, path: &str) -> String {
        format!("https://{host}:{}{path}", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

async fn serve(
    mut stream: tokio_rustls::server::TlsStream<tokio::net::TcpStream>,
    port: u16,
    log: &Mutex<Vec<String>>,
    replies: &HashMap<String, Reply>,
) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    assert!(head.contains("accept-encoding: identity"), "{head}");
    assert!(!head.contains("referer"), "{head}");
    let path = head.split(' ').nth(1).unwrap().to_owned();
    let host = head
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap()
        .to_owned();
    log.lock().unwrap().push(format!("{host}{path}"));
    match replies.get(&path) {
        None => {
            stream
                .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
                .await?;
        }
        Some(Reply::Json(text)) => {
            let text = text.replace("PORT", &port.to_string());
            let length = text.len();
            let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{text}");
            stream.write_all(answer.as_bytes()).await?;
        }
        Some(Reply::Raw(bytes)) => {
            let text = bytes.clone();
            match String::from_utf8(text) {
                Ok(text) => {
                    let text = text.replace("PORT", &port.to_string());
                    stream.write_all(text.as_bytes()).await?;
                }
                Err(_) => stream.write_all(bytes).await?,
            }
        }
        Some(Reply::Endless) => {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                .await?;
            loop {
                stream
                    .write_all(format!("1000\r\n{}\r\n", " ".repeat(0x1000)).as_bytes())
                    .await?;
            }
        }
        Some(Reply::Slow) => {
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
                .await?;
            stream.flush().await?;
            loop {
                stream.write_all(b"1\r\n \r\n").await?;
                stream.flush().await?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    }
    stream.flush().await?;
    stream.shutdown().await
}

/// A resolver that returns one list of addresses per query. The last list is repeated.
pub(crate) struct Names(Mutex<Vec<Vec<IpAddr>>>);

impl Names {
    pub(crate) fn to(address: IpAddr) -> Self {
        Self::of(vec![vec![address]])
    }

    pub(crate) fn of(answers: Vec<Vec<IpAddr>>) -> Self {
        Self(Mutex::new(answers))
    }
}

impl Resolve for Names {
    fn resolve<'r>(&'r self, _host: &'r str, port: u16) -> Resolving<'r> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 {
            answers.remove(0)
        } else {
            answers.first().cloned().unwrap_or_default()
        };
        let answer = answer
            .into_iter()
            .map(|address| SocketAddr::new(address, port))
            .collect();
        Box::pin(async move { Ok(answer) })
    }
}

/// Allows connections to one address only.
pub(crate) struct Only(pub(crate) IpAddr);

impl Addresses for Only {
    fn allows(&self, address: IpAddr) -> bool {
        address == self.0
    }
}

/// The check that programs use.
pub(crate) struct Public;

impl Addresses for Public {
    fn allows(&self, address: IpAddr) -> bool {
        toolsure_fetch::is_public(address)
    }
}
