//! The plain program: one step for each keyword, as the schema has them, each with its place.

use toolgate_json::{Key as _, Node as _};

use crate::dialect::Keyword;
use crate::outline::{Outline, SubId};
use crate::plan::{Assertions, NameTable};

/// A schema to be evaluated keyword by keyword: its model, the operations of its assertions,
/// and tables of the names that are looked up in it. It is made once for each schema, on the
/// first demand.
#[derive(Debug)]
pub(crate) struct Program {
    outline: Outline,
    assertions: Assertions,
    /// The names of each subschema's `properties`, unless they are very few.
    properties: Box<[Option<NameTable<u32>>]>,
}

impl Program {
    /// The plain program of an outline, with the operations of its assertions.
    pub(crate) fn new(outline: Outline, assertions: Assertions) -> Self {
        let properties = outline.subs.iter().map(|sub| {
            let entry = outline.entry(*sub, Keyword::Properties).ok()??;
            let view = outline.view(sub.doc, entry.value)?;
            let names = || view.members().map(|(key, _)| key.text());
            (view.len() > VERY_FEW).then(|| NameTable::new(names().zip(0..)))
        });
        Self {
            properties: properties.collect(),
            outline,
            assertions,
        }
    }

    /// The schema.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The operations of its assertions.
    pub(super) fn assertions(&self) -> &Assertions {
        &self.assertions
    }

    /// The table of the names in the `properties` of a subschema, if there is one.
    pub(super) fn properties(&self, sub: SubId) -> Option<&NameTable<u32>> {
        self.properties.get(sub.index())?.as_ref()
    }
}

/// Up to so many names are as quickly found where they stand.
const VERY_FEW: usize = 2;
