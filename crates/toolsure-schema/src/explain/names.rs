//! Finds names: members of an object, and names that `required` misses.

use std::ops::ControlFlow;

use foldhash::{HashMap, HashMapExt as _};
use smallvec::SmallVec;
use toolsure_json::{Key as _, Node, NodeId};

use super::context::Context;
use super::flow::{Flow, internal_error};
use super::program::Program;
use crate::int::{to_usize, units};
use crate::model::{DocumentId, Model};
use crate::plan::Op;

impl<'o, 'i, N: Node<'i>> Context<'o, 'i, N> {
    /// A member of an object.
    pub(super) fn member(&mut self, object: N, name: &str) -> Flow<Option<N>> {
        self.pay(1)?;
        if N::SORTED {
            return ControlFlow::Continue(object.member(name));
        }
        if object.len() <= FEW {
            let found = object.members().find(|(key, _)| key.text() == name);
            return ControlFlow::Continue(found.map(|(_, value)| value));
        }
        if let Some(table) = self.tables.members.get(&object.identity()) {
            return ControlFlow::Continue(table.get(name).copied());
        }
        self.pay(units(object.len()))?;
        let mut table = HashMap::with_capacity(object.len());
        table.extend(object.members().map(|(key, value)| (key.text(), value)));
        let found = table.get(name).copied();
        self.tables.members.insert(object.identity(), table);
        ControlFlow::Continue(found)
    }

    /// The names in a `required` keyword that an object lacks, in schema order, with their positions.
    pub(super) fn lacking(&mut self, required: Op, object: N) -> Flow<Lacking<'o>> {
        let program: &'o Program = self.program;
        let Op::Object(index) = required else {
            return internal_error();
        };
        let Some(plan) = program.plain().plan.objects.get(to_usize(index)) else {
            return internal_error();
        };
        let table = &plan.names;
        self.pay(units(table.len() + object.len()))?;
        let mut there: SmallVec<[bool; SOME]> = SmallVec::from_elem(false, table.len());
        for (key, _) in object.members() {
            let slot = table.find(key.bytes(), |ends| key.hash_of(ends));
            if let Some(mark) = slot.and_then(|slot| there.get_mut(to_usize(slot.bit))) {
                *mark = true;
            }
        }
        let names = table.names().zip(table.data()).zip(there);
        let lacking = names.filter(|((_, slot), there)| slot.required && !there);
        let mut lacking: Lacking<'o> = lacking
            .map(|((name, slot), _)| (slot.order, name))
            .collect();
        lacking.sort_unstable_by_key(|(order, _)| *order);
        ControlFlow::Continue(lacking)
    }

    /// A string in the schema: a name or a value.
    #[inline]
    pub(super) fn text(&self, doc: DocumentId, node: NodeId) -> Flow<&'o str> {
        let model: &'o Model = self.model;
        match model.view(doc, node) {
            Some(text) => ControlFlow::Continue(text.string()),
            None => internal_error(),
        }
    }
}

/// Names, with their positions in the schema.
pub(super) type Lacking<'o> = SmallVec<[(u32, &'o str); FEW]>;

/// Objects up to this size are searched member by member.
const FEW: usize = 8;
/// Most tables have at most this many names.
const SOME: usize = 32;
