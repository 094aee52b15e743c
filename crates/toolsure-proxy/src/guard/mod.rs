//! The guard's transports: listeners for clients, upstreams, and the tasks between them.
//!
//! [`toolsure_guard`] makes all decisions; this module moves bytes. `hub` drives the hub between a client
//! and its servers, `connect` has the connections to servers, and `http_server` serves clients over
//! HTTP.

mod alarm;
mod auth;
mod bearer;
mod bounds;
mod child;
mod clock;
mod connect;
mod context;
mod counted_output;
mod event;
mod http_exchange;
mod http_server;
mod hub;
mod identity;
mod in_process;
mod mailbox;
mod messages;
mod options;
mod refusal;
mod relist;
mod reply;
mod request_permit;
mod response_step;
mod running;
mod session_driver;
mod session_id_rewriter;
mod session_router;
mod shared_child;
mod tickets;
mod trace_headers;
mod translated;
mod unattached;
mod upstream;
mod upstream_request;

use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::Url;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;
use toolsure_guard::Guard;

pub use crate::message_memory::MessageMemory;
pub use auth::{Authentication, Authenticator, TokenIssuer};
pub use bounds::{Bounds, Restart, Times};
pub use clock::Clock;
pub use event::{Event, Observer, Unobserved, UpstreamState};
pub use in_process::Caller;
pub use options::{GuardOptions, HttpListener, Listener};
pub use running::{Exit, Running};
pub use tickets::{SessionKeys, Sessions};
pub use upstream::{Aggregate, AggregateMember, Translated, Upstream};

use crate::fault::{Fault, FaultKind, Party, Phase};
use crate::http::Endpoint;
use crate::standard;
use crate::web::{Admission, Closing, Server, ServerLimits};
pub use crate::web::{ClientAuthorities, ServerCertificate};
use child::Source;
use connect::endpoint;
use context::GuardContext;
pub use http_server::limit_of;
use http_server::{
    HttpServer, ProcessPool, ProtectedResource, TrustedProxies, UpstreamPool, Whose,
};
use in_process::{InProcessPeer, InProcessUpstream};
use messages::{Client, MessageReader, MessageWriter};
use options::public_url;
use tickets::TicketIssuer;

/// Starts a guard on the current runtime.
///
/// # Errors
///
/// A [`Fault`] if the address cannot be bound, or TLS or the HTTP client cannot be set up. A child
/// that cannot be started is reported by [`Running::finished`], or in the answer to the request
/// that needed it.
pub async fn serve(
    options: GuardOptions,
    guard: Guard,
    observer: Arc<dyn Observer>,
) -> Result<Running, Fault> {
    match options.listener.clone() {
        Listener::Stdio => serve_client(
            standard::input(),
            standard::output(),
            options,
            guard,
            observer,
        ),
        Listener::Http(listener) => serve_http(&listener, options, guard, observer).await,
    }
}

async fn serve_http(
    listener: &HttpListener,
    options: GuardOptions,
    guard: Guard,
    observer: Arc<dyn Observer>,
) -> Result<Running, Fault> {
    let ctx = GuardContext::of(&options, guard, observer);
    let tls = listener.tls.as_ref();
    let clients = listener.client_authorities.as_ref();
    let tls = tls.map(|it| it.acceptor(clients)).transpose()?;
    let authenticator = listener.authenticator.clone();
    let Bounds {
        connections,
        head_bytes,
        ..
    } = options.bounds;
    let Times {
        head,
        reuse,
        write,
        keepalive,
        ..
    } = options.times;
    let limits = ServerLimits {
        connections,
        head_bytes,
        head,
        reuse,
        write,
        keepalive,
    };
    let cannot = |error| cannot_bind(listener.address, &error);
    let server = Server::bind(listener.address, tls, limits)
        .await
        .map_err(cannot)?;
    let address = server.address().map_err(cannot)?;
    let public = listener.public_url.as_deref().map(public_url).transpose()?;
    let whose = match (&authenticator, options.upstream.protected_resource()) {
        // Its issuer may change.
        (Some(authenticator), _) => Some(Whose::Issuer(authenticator.clone())),
        (None, None) => None,
        (None, Some(target)) => Some(Whose::Server(Arc::new(Endpoint::new(target)?))),
    };
    let protected = whose.map(|whose| ProtectedResource::new(whose, public.clone(), listener));
    let paths = protected.as_ref().map(ProtectedResource::paths);
    let mut hosts = hosts(listener, address);
    hosts.extend(public.as_ref().and_then(Url::host_str).map(str::to_owned));
    let admission = Admission {
        path: listener.path.clone(),
        metadata_paths: paths.unwrap_or_default(),
        hosts,
        origins: listener.origins.clone(),
        head_bytes,
    };
    if address.ip().is_unspecified() && listener.hosts.is_empty() && public.is_none() {
        let detail = format!(
            "it listens on every address, but only requests with `Host: {}` are accepted: list the names that clients use in `listen.hosts`",
            address.ip()
        );
        ctx.note("hosts-not-set", &detail);
    }
    let upstream_pool =
        match options.upstream.clone() {
            Upstream::Http(target) => UpstreamPool::Endpoint(endpoint(target, &ctx)?),
            Upstream::Child { launch, restart } => UpstreamPool::Children(Box::new(
                ProcessPool::new(Source::Launch(launch), restart, &options.bounds),
            )),
            Upstream::Several(_) | Upstream::Translated(_) => {
                let in_process =
                    Source::InProcess(Arc::new(HubUpstream(options.clone(), Arc::clone(&ctx))));
                UpstreamPool::Children(Box::new(ProcessPool::new(
                    in_process,
                    Restart::default(),
                    &options.bounds,
                )))
            }
        };
    let tickets = TicketIssuer::new(options.sessions, &ctx.name, ctx.replica);
    let http_server = HttpServer::new(
        Arc::clone(&ctx),
        (admission, TrustedProxies::read(&listener.trusted_proxies)?),
        upstream_pool,
        tickets,
        (protected, authenticator),
    );
    Ok(Running {
        task: tokio::spawn(attend(Arc::clone(&ctx), server, http_server)),
        ctx,
        address: Some(address),
    })
}

/// Serves until the guard is stopped, and then until open requests are answered.
async fn attend(ctx: Arc<GuardContext>, server: Server, http_server: Arc<HttpServer>) -> Exit {
    let closing = Arc::new(Closing::new(false));
    let closed = Arc::clone(&closing);
    let service = Arc::clone(&http_server);
    let mut serving = tokio::spawn(async move { server.serve(service, &closed).await });
    let care = tokio::spawn(Arc::clone(&http_server).maintain_sessions());
    ctx.stopping().await;
    http_server.stop_sessions();
    closing.send_replace(true);
    if timeout(ctx.times.drain, &mut serving).await.is_err() {
        ctx.expire();
        if timeout(ctx.times.grace, &mut serving).await.is_err() {
            serving.abort();
        }
    }
    http_server.close().await;
    care.abort();
    Exit::Stopped
}

/// The host names that requests may be for.
fn hosts(listener: &HttpListener, bound: SocketAddr) -> Vec<String> {
    let mut hosts: Vec<String> = listener
        .hosts
        .iter()
        .map(|host| host.to_ascii_lowercase())
        .collect();
    let ip = bound.ip();
    hosts.push(match ip {
        std::net::IpAddr::V4(ip) => ip.to_string(),
        std::net::IpAddr::V6(ip) => format!("[{ip}]"),
    });
    if ip.is_loopback() {
        hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
    }
    hosts
}

fn cannot_bind(address: SocketAddr, error: &std::io::Error) -> Fault {
    Fault::new(
        Party::Operator,
        FaultKind::Config,
        Phase::Start,
        format!("cannot listen on `{address}`: {error}"),
    )
}

/// Starts a guard for one client on streams of lines, whatever listener the options name.
///
/// # Errors
///
/// As [`serve`].
pub fn serve_client<R, W>(
    from: R,
    to: W,
    options: GuardOptions,
    guard: Guard,
    observer: Arc<dyn Observer>,
) -> Result<Running, Fault>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let client = Client {
        from: MessageReader::lines(from, options.bounds.message_bytes),
        to: MessageWriter::lines(to),
    };
    let ctx = GuardContext::of(&options, guard, observer);
    let task = hub::run(&ctx, client, &options, connect::connect)?;
    Ok(Running {
        ctx,
        address: None,
        task,
    })
}

/// A hub with several servers, or with a translator, in place of one server.
struct HubUpstream(GuardOptions, Arc<GuardContext>);

impl InProcessUpstream for HubUpstream {
    fn open(&self, caller: &Caller) -> Result<InProcessPeer, Fault> {
        hub::open((&self.0, &self.1), connect::connect, caller)
    }

    fn moves(&self) -> bool {
        self.0.upstream.moves()
    }
}
