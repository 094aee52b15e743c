//! The listings that commands work on: of a running server, of a file, or of the servers that a
//! configuration names.

mod config;
mod file;
mod listed;
mod live;
pub(crate) mod save;
pub(crate) mod saved;
mod target;

use toolsure_proxy::FaultKind;

use crate::compilers::Compilers;
use crate::exit::{Exit, Failure};
use crate::term::Term;
pub(crate) use config::expand_with as expand;
pub(crate) use file::SourceFile;
pub(crate) use listed::{ANY as UNLIMITED, ListedTool, Listing, PageText, ServerFacts};
pub(crate) use live::{Peer, options as live_options};
pub(crate) use target::{Skipped, Source, Sources, TargetArgs, sources};

/// Reads the listings that the command line names, and fetches the documents that they refer to.
pub(crate) fn all(
    target: &TargetArgs,
    compilers: &Compilers,
    term: &Term,
) -> Result<Vec<Listing>, Failure> {
    all_and_skipped(target, compilers, term).map(|(listings, _)| listings)
}

/// A listing, and those for other clients if they were asked for.
pub(crate) type WithOthers = (Listing, Vec<Listing>);

/// The same, with the other lists of each server, and with what it lists for other clients.
pub(crate) fn all_lists(
    target: &TargetArgs,
    compilers: &Compilers,
    term: &Term,
) -> Result<(Vec<WithOthers>, Vec<Skipped>), Failure> {
    let Sources { sources, skipped } = sources(target, term)?;
    let mut listings = Vec::new();
    for source in sources {
        let all = source.read_for_all(target, term)?;
        for listing in std::iter::once(&all.0).chain(&all.1) {
            compilers.for_tools(listing.texts(), term);
        }
        listings.push(all);
    }
    Ok((listings, skipped))
}

/// The listings of tools, and the servers of configurations that were left out.
pub(crate) fn all_and_skipped(
    target: &TargetArgs,
    compilers: &Compilers,
    term: &Term,
) -> Result<(Vec<Listing>, Vec<Skipped>), Failure> {
    let Sources { sources, skipped } = sources(target, term)?;
    let mut listings = Vec::new();
    for source in sources {
        let listing = source.read(target, false, term)?;
        compilers.for_tools(listing.texts(), term);
        listings.push(listing);
    }
    Ok((listings, skipped))
}

/// The exit code of a kind of fault.
pub(crate) fn exit_of(kind: FaultKind) -> Exit {
    match kind {
        FaultKind::Config => Exit::Usage,
        FaultKind::Auth(_) => Exit::Auth,
        _ => Exit::Unreachable,
    }
}
