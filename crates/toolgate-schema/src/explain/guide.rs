//! Verdicts from the plan, for subschemas of which nothing else is asked.

use std::collections::HashMap;
use std::ops::ControlFlow;

use toolgate_json::{Key as _, Kind, Node, NodeId};

use super::names::FEW_NAMES;
use super::{Flow, Purse, Stop};
use crate::dialect::Keyword;
use crate::execute::{Allowance, Judge, Scratch};
use crate::int::to_u32;
use crate::outline::{DocId, Outline, SubId};
use crate::plan::{NameTable, NodeIx, Plan, Slots};

/// What is worth keeping of an outline for all explanations: which node of the plan each
/// subschema became, and tables of names.
#[derive(Debug)]
pub(crate) struct Index {
    /// Of a subschema that no node was needed for there is none.
    nodes: Box<[Option<NodeIx>]>,
    /// The names of each subschema's `properties`, unless they are very few.
    properties: Box<[Option<NameTable<u32>>]>,
    /// The strings of enumerations of many, by their value.
    enums: HashMap<(DocId, NodeId), NameTable<u32>>,
}

impl Index {
    /// An index of an outline, with the node of each subschema.
    pub(crate) fn new(outline: &Outline, nodes: Box<[Option<NodeIx>]>) -> Self {
        let properties = outline.subs.iter().map(|sub| {
            let entry = outline.entry(*sub, Keyword::Properties)?;
            let view = outline.view(sub.doc, entry.value)?;
            let names = || view.members().map(|(key, _)| key.text());
            (view.len() > VERY_FEW).then(|| NameTable::new(names().zip(0..)))
        });
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
        Self {
            properties: properties.collect(),
            enums: enums.collect(),
            nodes,
        }
    }
}

/// The plan beside the outline it was made from, for one instance.
pub(crate) struct Guide<'o, N> {
    index: &'o Index,
    judge: Judge<'o, 'o, N>,
}

impl<'o, 'i, N: Node<'i>> Guide<'o, N> {
    /// A guide for one instance.
    pub(crate) fn new(
        index: &'o Index,
        plan: &'o Plan,
        allowance: Allowance,
        scratch: &'o mut Scratch,
    ) -> Self {
        Self {
            index,
            judge: Judge::new(plan, allowance, scratch),
        }
    }

    /// The table of the names in the `properties` of a subschema, if there is one.
    pub(super) fn properties(&self, sub: SubId) -> Option<&'o NameTable<u32>> {
        self.index.properties.get(sub.index())?.as_ref()
    }

    /// The table of the strings in an enumeration, if there is one.
    pub(super) fn members(&self, doc: DocId, value: NodeId) -> Option<&'o NameTable<u32>> {
        self.index.enums.get(&(doc, value))
    }

    /// Whether a value matches a subschema, if the plan can say so.
    pub(super) fn verdict(
        &mut self,
        sub: SubId,
        value: N,
        purse: &mut Purse,
    ) -> Flow<Option<bool>> {
        let Some(node) = self.index.nodes.get(sub.index()).copied().flatten() else {
            return ControlFlow::Continue(None);
        };
        let mut fuel = purse.left.saturating_mul(PLAIN_UNIT);
        let answer = self.judge.verdict(node, value, &mut fuel);
        purse.left = fuel / PLAIN_UNIT;
        answer.map_break(Stop::Exhausted).map_continue(Some)
    }
}

/// Up to so many names are as quickly found where they stand.
const VERY_FEW: usize = 2;
/// What a unit of fuel costs in a plain evaluation, in units of a check.
pub(crate) const PLAIN_UNIT: u64 = 4;
