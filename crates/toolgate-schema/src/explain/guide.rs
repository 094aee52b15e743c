//! Verdicts from the plan, for subschemas of which nothing else is asked.

use std::collections::HashMap;
use std::ops::ControlFlow;

use toolgate_json::{Key as _, Kind, Node, NodeId};

use super::names::FEW_NAMES;
use super::reach;
use super::{Flow, Purse, Stop};
use crate::dialect::Keyword;
use crate::execute::{Allowance, Exhausted, Judge, Scratch, Suspect};
use crate::int::to_u32;
use crate::outline::{DocId, Outline, SubId};
use crate::plan::{NameTable, NodeIx, Plan, Slots, Target};

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
    /// Which subschemas several ways may lead to at one place of an instance.
    shared: Box<[bool]>,
    /// Whether the plan can say of every subschema all that is asked of it: nobody asks what
    /// other subschemas evaluated.
    suffices: bool,
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
            shared: reach::shared(outline),
            suffices: !reach::asks_what_was_evaluated(outline),
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

    /// Whether every question can be asked of the plan.
    pub(super) fn suffices(&self) -> bool {
        self.index.suffices
    }

    /// Whether several ways may lead to a subschema at one place of an instance.
    pub(super) fn is_shared(&self, sub: SubId) -> bool {
        self.index.shared.get(sub.index()).copied().unwrap_or(true)
    }

    /// Whether a subschema became a node. One beside a type or a constant that leaves none
    /// of the values that it looks at did not.
    pub(super) fn knows(&self, sub: SubId) -> bool {
        self.node(sub).is_some()
    }

    fn node(&self, sub: SubId) -> Option<NodeIx> {
        self.index.nodes.get(sub.index()).copied().flatten()
    }

    /// Whether a value matches what a survey left open.
    pub(super) fn further(
        &mut self,
        target: &'o Target,
        value: N,
        purse: &mut Purse,
    ) -> Flow<bool> {
        purse.lend(|fuel| self.judge.further(target, value, fuel))
    }

    /// The first item that does not match a subschema, with its place among those that are
    /// left; nothing at all if the plan cannot say so.
    pub(super) fn first_failing(
        &mut self,
        sub: SubId,
        items: &mut N::Items,
        purse: &mut Purse,
    ) -> Flow<Option<Option<(usize, N)>>> {
        let Some(node) = self.node(sub) else {
            return ControlFlow::Continue(None);
        };
        let found = purse.lend(|fuel| self.judge.first_failing(node, items, fuel))?;
        ControlFlow::Continue(Some(found))
    }

    /// Shows every member of an object that may fail the object keywords of a subschema, and
    /// answers whether those that it requires are there, if the plan can say so.
    pub(super) fn survey(
        &mut self,
        sub: SubId,
        value: N,
        purse: &mut Purse,
        show: impl FnMut(Suspect<'o, N::Key, N>),
    ) -> Flow<Option<bool>> {
        let Some(node) = self.node(sub) else {
            return ControlFlow::Continue(None);
        };
        purse.lend(|fuel| self.judge.survey(node, value, fuel, show))
    }

    /// Whether a value matches a subschema, if the plan can say so.
    pub(super) fn verdict(
        &mut self,
        sub: SubId,
        value: N,
        purse: &mut Purse,
    ) -> Flow<Option<bool>> {
        let Some(node) = self.node(sub) else {
            return ControlFlow::Continue(None);
        };
        let answer = purse.lend(|fuel| self.judge.verdict(node, value, fuel));
        answer.map_continue(Some)
    }
}

impl Purse {
    /// Lets the plan's machine, whose units are smaller, spend what is left.
    fn lend<T>(&mut self, spend: impl FnOnce(&mut u64) -> ControlFlow<Exhausted, T>) -> Flow<T> {
        let mut fuel = self.left.saturating_mul(PLAIN_UNIT);
        let answer = spend(&mut fuel);
        self.left = fuel / PLAIN_UNIT;
        answer.map_break(Stop::Exhausted)
    }
}

/// Up to so many names are as quickly found where they stand.
const VERY_FEW: usize = 2;
/// What a unit of fuel costs in a plain evaluation, in units of a check.
pub(crate) const PLAIN_UNIT: u64 = 4;
