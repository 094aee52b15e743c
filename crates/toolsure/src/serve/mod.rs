//! Servers of ours: the demonstration server and replayed recordings, on standard input and output or over Streamable HTTP, in
//! every protocol version.

mod envelope;
mod http;
mod server;
mod stdio;

use std::net::SocketAddr;

use clap::Args;
use tokio::runtime::Builder;

use crate::exit::{Exit, Failure};
use crate::term::Term;
pub(crate) use envelope::Fault;
use server::Server;
pub(crate) use server::{Called, Dispatch, Served};

/// Where a server listens.
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// Serve Streamable HTTP at `http://ADDR/mcp`, for example 127.0.0.1:8931; port 0 selects a free port
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,

    /// Allow an address that other machines can reach
    #[arg(long, requires = "http")]
    allow_remote: bool,
}

/// Serves until the input ends or a signal stops it.
pub(crate) fn run(served: Box<dyn Served>, args: &ServeArgs, term: &Term) -> Result<Exit, Failure> {
    if let Some(addr) = args.http
        && !addr.ip().is_loopback()
        && !args.allow_remote
    {
        return Err(
            Failure::usage(format!("`{addr}` can be reached by other machines"))
                .with_help("add `--allow-remote` if that is meant"),
        );
    }
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| failed("set up input and output", &error))?;
    let server = Server(served);
    let served = runtime.block_on(async {
        match args.http {
            Some(addr) => http::serve(server, addr, args.allow_remote, term).await,
            None => stdio::serve(&server).await,
        }
    });
    // A read of standard input cannot be cancelled; the process ends without waiting for it.
    runtime.shutdown_background();
    served
        .map(|()| Exit::Ok)
        .map_err(|error| failed("serve", &error))
}

fn failed(what: &str, error: &std::io::Error) -> Failure {
    Failure::usage(format!("cannot {what}: {error}"))
}
