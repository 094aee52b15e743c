//! One class for each distinct spelling: `\p{L}` written a thousand times is built once.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use crate::ast::{Ast, ClassId};
use crate::context::Flags;
use crate::error::PatternError;
use crate::set::CodeSet;

/// The classes of one pattern by their text and the flags in effect.
#[derive(Debug, Default)]
pub(crate) struct Interner<'t> {
    known: BTreeMap<(&'t str, Flags), ClassId>,
}

impl<'t> Interner<'t> {
    /// The class with this spelling, if it has occurred before.
    pub(crate) fn find(&self, text: &'t str, flags: Flags) -> Option<ClassId> {
        self.known.get(&(text, flags)).copied()
    }

    /// The class with this spelling; `build` makes its set the first time.
    pub(crate) fn intern(
        &mut self,
        ast: &mut Ast,
        text: &'t str,
        flags: Flags,
        build: impl FnOnce() -> Result<CodeSet, PatternError>,
    ) -> Result<ClassId, PatternError> {
        match self.known.entry((text, flags)) {
            Entry::Occupied(known) => Ok(*known.get()),
            Entry::Vacant(place) => Ok(*place.insert(ast.add_class(build()?.freeze()))),
        }
    }
}
