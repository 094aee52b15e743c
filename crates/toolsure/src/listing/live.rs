//! Reads the listing of a running server: opens a session, lists the tools, closes the session.

use std::time::Duration;

use tokio::runtime::Builder;
use toolsure_analysis::tool::LISTS;
use toolsure_proxy::{
    Deadlines, Fault, HttpTarget, Launch, Listing as Listed, Notes, Options, ServerInfo, Session,
};

use super::listed::{ListedPage, Listing, PageText, ServerFacts, TOOLS};
use crate::exit::{Exit, Failure};
use crate::interrupt::interrupted;
use crate::render::count;
use crate::term::Term;

/// How to reach a server.
#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// A process to start.
    Child(Launch),
    /// A running server.
    Http(HttpTarget),
}

/// Reads the listing of one server. A server's fault is in the listing; an error is our own.
pub(crate) fn read(
    target: String,
    peer: Peer,
    options: Options,
    all_lists: bool,
    term: &Term,
) -> Result<Listing, Failure> {
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
                list(peer, options, all_lists).await
            } => Ok(listed),
        }
    })?;
    Ok(match listed {
        Err(fault) => Listing::failed(target, fault),
        Ok(opened) => Listing {
            server: Some(ServerFacts::from(&opened.server)),
            notes: remarks(&opened.notes),
            pages: opened.pages,
            fault: opened.fault,
            ..Listing::new(target, opened.listing.tools)
        },
    })
}

struct Opened {
    server: ServerInfo,
    listing: Listed,
    pages: Vec<ListedPage>,
    /// Why another list cannot be read.
    fault: Option<Fault>,
    notes: Notes,
}

async fn list(peer: Peer, options: Options, all_lists: bool) -> Result<Opened, Fault> {
    let mut session = match peer {
        Peer::Child(launch) => Session::stdio(launch, options).await?,
        Peer::Http(target) => Session::http(target, options).await?,
    };
    let listed = match session.list_tools().await {
        Ok(listing) => Ok(open(&mut session, listing, all_lists).await),
        Err(fault) => Err(fault),
    };
    session.close().await;
    listed
}

async fn open(session: &mut Session, mut listing: Listed, all_lists: bool) -> Opened {
    let is_cached = session.server().era.has_cacheable_lists();
    let listed = |method: &str, texts: Vec<String>| {
        let method = method.to_owned();
        texts.into_iter().map(move |text| ListedPage {
            method: method.clone(),
            is_cached,
            text: PageText::Own(text),
        })
    };
    let mut pages: Vec<_> = listed(TOOLS, std::mem::take(&mut listing.pages)).collect();
    let mut fault = None;
    let others = LISTS.iter().filter(|list| list.method.ends_with("/list"));
    for list in others.filter(|_| all_lists) {
        match session.list(list.method).await {
            Ok(texts) => pages.extend(listed(list.method, texts)),
            Err(why) => {
                fault = Some(why);
                break;
            }
        }
    }
    Opened {
        server: session.server().clone(),
        listing,
        pages,
        fault,
        notes: session.notes().clone(),
    }
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

/// The remarks that a session's notes lead to.
fn remarks(notes: &Notes) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(first) = &notes.first_noise {
        remarks.push(format!(
            "{} on stdout ignored, not JSON-RPC; first: `{first}`",
            count(notes.noise_lines, "line")
        ));
    }
    if let Some(first) = &notes.first_stray {
        remarks.push(format!(
            "{} to no request of ours; first id: `{first}`",
            count(notes.stray_answers, "answer")
        ));
    }
    if let Some(first) = &notes.first_declined {
        remarks.push(format!(
            "{} from the server declined; first: `{first}`",
            count(notes.declined_requests, "request")
        ));
    }
    if notes.restarted {
        remarks.push(
            "the server did not survive `server/discover` and was started again for `initialize`"
                .to_owned(),
        );
    }
    remarks
}
