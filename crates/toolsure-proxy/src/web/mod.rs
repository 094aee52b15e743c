//! The HTTP server: accepts connections within limits and deadlines, passes requests to a service.

mod admit;
mod body;
mod head_timer;
mod late_timeout;
mod socket;
mod tls;
mod write_deadline;

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::CertificateDer;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

pub(crate) use admit::{Admission, Refusal, Wanted, accepts};
pub(crate) use body::{Piece, ResponseBody, TooLarge, read};
pub(crate) use late_timeout::late_timeout;
pub use tls::{ClientAuthorities, ServerCertificate};

use head_timer::HeadTimer;
use write_deadline::WriteDeadline;

/// The limits of a server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ServerLimits {
    pub(crate) connections: usize,
    pub(crate) head_bytes: usize,
    pub(crate) head: Duration,
    pub(crate) reuse: Duration,
    pub(crate) write: Duration,
    pub(crate) keepalive: Duration,
}

/// A server with a bound socket.
pub(crate) struct Server {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    costs: ServerLimits,
}

/// Tells all connections to finish their requests and take no more.
pub(crate) type Closing = watch::Sender<bool>;

impl Server {
    pub(crate) async fn bind(
        address: SocketAddr,
        tls: Option<TlsAcceptor>,
        costs: ServerLimits,
    ) -> io::Result<Self> {
        Ok(Self {
            listener: TcpListener::bind(address).await?,
            tls,
            costs,
        })
    }

    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `closing`, and then until the last connection has ended. In between, new
    /// connections are told that the service stops.
    pub(crate) async fn serve<S>(self, service: Arc<S>, closing: &Closing)
    where
        S: Service,
    {
        let slots = Arc::new(Semaphore::new(self.costs.connections));
        let refusals = Arc::new(Semaphore::new(REFUSALS));
        let (open, mut all_closed) = mpsc::channel::<Infallible>(1);
        let mut stop = closing.subscribe();
        let mut is_full = false;
        loop {
            let stopped = stop.wait_for(|stop| *stop);
            let (stream, from, slot) = tokio::select! {
                _ = stopped => break,
                accepted = accept(&self.listener, &slots, &mut is_full) => accepted,
            };
            let Some(slot) = slot else {
                let body = service.full();
                // Over TLS, the handshake would cost more than the refusal saves.
                if self.tls.is_none() {
                    refuse(&refusals, socket::turn_away(stream, body));
                }
                continue;
            };
            socket::watch(&stream, self.costs.keepalive, self.costs.write);
            let connection = Connection {
                service: Arc::clone(&service),
                tls: self.tls.clone(),
                costs: self.costs,
                closing: closing.subscribe(),
                from,
            };
            let open = open.clone();
            tokio::spawn(async move {
                connection.serve(stream).await;
                drop((slot, open));
            });
        }
        drop(open);
        loop {
            tokio::select! {
                // Nothing is ever sent: it ends when every connection has dropped its end.
                _ = all_closed.recv() => return,
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        let (tls, body) = (self.tls.clone(), service.stopping());
                        refuse(&refusals, async move {
                            match tls {
                                None => socket::turn_away(stream, body).await,
                                Some(tls) => {
                                    if let Ok(stream) = tls.accept(stream).await {
                                        socket::turn_away(stream, body).await;
                                    }
                                }
                            }
                        });
                    }
                    Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
                },
            }
        }
    }
}

/// Refuses a connection in a task of its own, unless too many are being refused.
fn refuse(refusals: &Arc<Semaphore>, refusing: impl Future<Output = ()> + Send + 'static) {
    if let Ok(permit) = Arc::clone(refusals).try_acquire_owned() {
        tokio::spawn(async move {
            let _slow_client = timeout(LINGER, refusing).await;
            drop(permit);
        });
    }
}

/// Answers requests.
pub(crate) trait Service: Send + Sync + 'static {
    /// The state of a client's connection.
    type Connection: Send + Sync + 'static;

    fn connected(&self, from: SocketAddr) -> Self::Connection;
    /// The client has shown this certificate, which is that of one of the authorities for clients.
    fn certified(&self, client: &mut Self::Connection, certificate: &CertificateDer<'_>);
    fn disconnected(&self, after: Duration);
    /// Waits until a connection is to end at once, because its client reads too slowly.
    fn given_up(&self, client: &Self::Connection) -> impl Future<Output = ()> + Send;
    /// A connection is refused, because as many as may be are open; returns what it is told, a
    /// JSON-RPC error.
    fn full(&self) -> String;
    /// A connection is refused, because the service stops; returns what it is told, a JSON-RPC error.
    fn stopping(&self) -> String;
    fn answer(
        self: &Arc<Self>,
        request: Request<Incoming>,
        client: Arc<Self::Connection>,
    ) -> impl Future<Output = Response<ResponseBody>> + Send;
}

/// The next connection, and its slot if there is one.
///
/// If all slots are taken, the connections wait a little in the system's queue, so that a burst of
/// short ones is served in turn. `is_full` says that this was in vain; then they do not wait until a
/// slot comes free.
async fn accept(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    is_full: &mut bool,
) -> (TcpStream, SocketAddr, Option<OwnedSemaphorePermit>) {
    let free = || Arc::clone(slots).try_acquire_owned().ok();
    let mut slot = free();
    if slot.is_none() && !*is_full {
        let next = timeout(BURST, Arc::clone(slots).acquire_owned()).await;
        slot = next.ok().and_then(Result::ok);
    }
    *is_full = slot.is_none();
    loop {
        match listener.accept().await {
            Ok((stream, from)) => return (stream, from, slot.or_else(free)),
            // Out of file descriptors, or the client left at once: pause and go on.
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}

struct Connection<S> {
    service: Arc<S>,
    tls: Option<TlsAcceptor>,
    costs: ServerLimits,
    closing: watch::Receiver<bool>,
    /// The client's address.
    from: SocketAddr,
}

impl<S: Service> Connection<S> {
    async fn serve(self, stream: TcpStream) {
        let begun = tokio::time::Instant::now();
        let mut client = self.service.connected(self.from);
        let service = Arc::clone(&self.service);
        match self.tls.clone() {
            None => self.speak(stream, Arc::new(client)).await,
            Some(tls) => {
                let shaken = timeout(self.costs.head, tls.accept(stream)).await;
                if let Ok(Ok(stream)) = shaken {
                    let (_, session) = stream.get_ref();
                    let certificates = session.peer_certificates();
                    if let Some(own) = certificates.and_then(<[_]>::first) {
                        service.certified(&mut client, own);
                    }
                    self.speak(stream, Arc::new(client)).await;
                }
            }
        }
        service.disconnected(begun.elapsed());
    }

    async fn speak<T: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
        mut self,
        stream: T,
        client: Arc<S::Connection>,
    ) {
        let service = Arc::clone(&self.service);
        let (by, of) = (Arc::clone(&service), Arc::clone(&client));
        let mut given_up = pin!(by.given_up(&of));
        let answer = service_fn(move |request| {
            let (service, client) = (Arc::clone(&service), Arc::clone(&client));
            async move { Ok::<_, Infallible>(service.answer(request, client).await) }
        });
        let heads = HeadTimer::new(self.costs.head, self.costs.reuse);
        let stream = WriteDeadline::new(stream, self.costs.write, heads.clone());
        let stream = TokioIo::new(stream);
        let connection = http1::Builder::new()
            .timer(heads)
            .header_read_timeout(self.costs.head)
            .max_buf_size(self.costs.head_bytes.saturating_add(SMALLEST_BUFFER))
            .serve_connection(stream, answer);
        let mut connection = pin!(connection);
        tokio::select! {
            _client_left_or_broke_http = connection.as_mut() => return,
            () = given_up.as_mut() => return,
            _ = self.closing.wait_for(|closing| *closing) => {}
        }
        connection.as_mut().graceful_shutdown();
        tokio::select! {
            _client_left_or_broke_http = connection => {}
            () = given_up => {}
        }
    }
}

const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// How long connections wait for a slot before they are refused.
const BURST: Duration = Duration::from_secs(1);
/// How long a refused connection may take to read its answer.
const LINGER: Duration = Duration::from_secs(1);
/// How many refused connections are answered at once; further ones are closed without an answer.
const REFUSALS: usize = 64;
/// hyper's minimum buffer size. It is added to the limit, which admission checks exactly.
const SMALLEST_BUFFER: usize = 8 << 10;
