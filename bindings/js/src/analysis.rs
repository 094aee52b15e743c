//! What is found in listings, instances of schemas, and tools for providers.

use toolsure_bindings::generate::NoInstances;
use toolsure_bindings::listing::NoReport;
use toolsure_bindings::projection::{Projection, write_call};

use crate::{MADE, MISUSED, REFUSED, State, VALID, unread};

/// Why nothing was made, which is written as JSON.
pub(crate) trait Reason {
    fn write(&self, out: &mut String);
}

impl Reason for NoReport {
    fn write(&self, out: &mut String) {
        self.write(out);
    }
}

impl Reason for NoInstances {
    fn write(&self, out: &mut String) {
        self.write(out);
    }
}

/// Writes what `make` makes of texts, or why it made nothing.
pub(crate) fn report_of<const N: usize, E: Reason>(
    state: &mut State,
    lengths: [usize; N],
    make: impl FnOnce([&[u8]; N]) -> Result<String, E>,
) -> u32 {
    let Some(made) = state.texts(lengths).map(make) else {
        return MISUSED;
    };
    state.output.clear();
    match made {
        Ok(made) => {
            state.output = made;
            MADE
        }
        Err(why) => {
            why.write(&mut state.output);
            REFUSED
        }
    }
}

pub(crate) fn project(state: &mut State, listing: usize, options: usize) -> u32 {
    let Some([listing, options]) = state.texts([listing, options]) else {
        return REFUSED;
    };
    let made = Projection::read(listing, options);
    state.output.clear();
    match made {
        Ok(projection) => {
            projection.write(&mut state.output);
            state.projections.insert(projection)
        }
        Err(why) => {
            why.write(&mut state.output);
            REFUSED
        }
    }
}

pub(crate) fn map_call(state: &mut State, projection: u32, name: usize, arguments: usize) -> u32 {
    let texts = state.input.split_at_checked(name);
    let texts = texts.and_then(|(name, rest)| Some((name, rest.get(..arguments)?)));
    let (Some((name, arguments)), Some(projection)) =
        (texts, state.projections.get_mut(projection))
    else {
        return MISUSED;
    };
    let name = String::from_utf8_lossy(name);
    state.output.clear();
    match projection.call(&name, arguments) {
        Ok(call) => {
            write_call(&mut state.output, &call);
            VALID
        }
        Err(error) => unread(&mut state.output, &error),
    }
}
