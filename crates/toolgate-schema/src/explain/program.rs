//! The plain program: one step for each keyword, as the schema has them, each with its place.

use std::collections::HashMap;

use toolgate_json::{Key as _, Kind, Node as _, NodeId};

use super::names::FEW_NAMES;
use crate::dialect::Keyword;
use crate::int::to_u32;
use crate::outline::{DocId, Outline, SubId};
use crate::plan::{NameTable, Slots};

/// A schema to be evaluated keyword by keyword, with tables of the names that are looked up
/// in it. It is made once for each schema, on the first demand.
#[derive(Debug)]
pub(crate) struct Program {
    outline: Outline,
    /// The names of each subschema's `properties`, unless they are very few.
    properties: Box<[Option<NameTable<u32>>]>,
    /// The strings of enumerations of many, by their value.
    enums: HashMap<(DocId, NodeId), NameTable<u32>>,
}

impl Program {
    /// The plain program of an outline.
    pub(crate) fn new(outline: Outline) -> Self {
        let properties = outline.subs.iter().map(|sub| {
            let entry = outline.entry(*sub, Keyword::Properties)?;
            let view = outline.view(sub.doc, entry.value)?;
            let names = || view.members().map(|(key, _)| key.text());
            (view.len() > VERY_FEW).then(|| NameTable::new(names().zip(0..)))
        });
        let properties = properties.collect();
        let enums = outline.subs.iter().filter_map(|sub| {
            let entry = outline.entry(*sub, Keyword::Enum)?;
            let view = outline.view(sub.doc, entry.value)?;
            if view.len() <= FEW_NAMES {
                return None;
            }
            let mut slots = Slots::default();
            for item in view.items().filter(|item| item.kind() == Kind::String) {
                slots.slot(item.string());
            }
            Some(((sub.doc, entry.value), slots.finish(to_u32).0))
        });
        let enums = enums.collect();
        Self {
            outline,
            properties,
            enums,
        }
    }

    /// The schema.
    pub(crate) fn outline(&self) -> &Outline {
        &self.outline
    }

    /// The table of the names in the `properties` of a subschema, if there is one.
    pub(super) fn properties(&self, sub: SubId) -> Option<&NameTable<u32>> {
        self.properties.get(sub.index())?.as_ref()
    }

    /// The table of the strings in an enumeration, if there is one.
    pub(super) fn members(&self, doc: DocId, value: NodeId) -> Option<&NameTable<u32>> {
        self.enums.get(&(doc, value))
    }
}

/// Up to so many names are as quickly found where they stand.
const VERY_FEW: usize = 2;
