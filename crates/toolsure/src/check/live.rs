//! Checks a running server: opens a session, lists the tools, closes the session, judges the tools.

use std::time::Duration;

use tokio::runtime::Builder;
use toolsure_proxy::{
    Deadlines, Fault, HttpTarget, Launch, Listing, Notes, Options, ServerInfo, Session,
};

use super::report::{Report, ServerFacts, remarks};
use crate::compilers::Compilers;
use crate::exit::{Exit, Failure};
use crate::interrupt::{ExitOnInterrupt, interrupted};
use crate::term::Term;

/// How to reach a server.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// A process to start.
    Child(Launch),
    /// A running server.
    Http(HttpTarget),
}

/// Checks one server with these options. A server's fault is in the report; an error is our own.
pub(crate) fn check(
    target: String,
    peer: Peer,
    options: Options,
    compilers: &Compilers,
    term: &Term,
) -> Result<Report, Failure> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure {
            exit: Exit::Usage,
            message: format!("cannot set up input and output: {error}"),
            help: None,
        })?;
    let listed = runtime.block_on(async {
        let waiting = format!("waiting for {target} …");
        tokio::select! {
            // In this order, an interrupt is already handled when the progress line appears.
            biased;
            // Dropping the other branch drops the session, which kills a child and its group.
            () = interrupted() => Err(Failure { exit: Exit::Interrupted, message: "interrupted".to_owned(), help: None }),
            listed = async {
                term.progress(&waiting);
                list(peer, options).await
            } => Ok(listed),
        }
    })?;
    Ok(match listed {
        Err(fault) => Report::failed(target, fault),
        Ok(listed) => {
            let _interruptible = ExitOnInterrupt::new(term);
            let mut report = Report::on(target, listed.listing.tools, compilers, term);
            report.server = Some(ServerFacts::from(&listed.server));
            report.notes = remarks(&listed.notes);
            report
        }
    })
}

struct Listed {
    server: ServerInfo,
    listing: Listing,
    notes: Notes,
}

async fn list(peer: Peer, options: Options) -> Result<Listed, Fault> {
    let mut session = match peer {
        Peer::Child(launch) => Session::stdio(launch, options).await?,
        Peer::Http(target) => Session::http(target, options).await?,
    };
    let listing = session.list_tools().await;
    let listed = listing.map(|listing| Listed {
        server: session.server().clone(),
        listing,
        notes: session.notes().clone(),
    });
    session.close().await;
    listed
}

/// Options for a server that gets this much time in all; `probe` is whether it is asked for its version.
pub(crate) fn options(timeout: Duration, probe: bool) -> Options {
    let defaults = Deadlines::default();
    let deadlines = Deadlines {
        overall: timeout,
        request: defaults.request.min(timeout),
        // Leaves time for `initialize` after an unanswered probe if the timeout is short.
        probe: defaults.probe.min(timeout / 3),
        ..defaults
    };
    Options {
        deadlines,
        probe,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..Options::default()
    }
}
