//! Finding names: of an object's members, of `properties`, and those that `required` misses.

use std::ops::ControlFlow;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use toolgate_json::{Key as _, Node, NodeId, View};

use super::machine::Machine;
use super::program::Program;
use super::{Flow, broken};
use crate::int::{to_u32, to_usize, units};
use crate::outline::{DocId, Entry, Outline, SubId};
use crate::plan::NameTable;

/// The members of one object by name, each with its place.
type Members<'i, N> = Rc<HashMap<&'i str, (u32, N)>>;

/// The names of a `properties` keyword, each with its place.
#[derive(Debug, Clone, Copy)]
pub(super) enum Names<'o> {
    /// Few are searched one by one, where they stand.
    Few(View<'o>),
    /// Many have a table.
    Indexed(&'o NameTable<u32>),
}

impl Names<'_> {
    /// The place of a name.
    pub(super) fn place(&self, name: &str) -> Option<u32> {
        match self {
            Self::Few(view) => {
                let place = view.members().position(|(key, _)| key.text() == name);
                place.map(to_u32)
            }
            Self::Indexed(table) => table.find_text(name).copied(),
        }
    }
}

/// Tables of the members of objects, made when they are first needed.
pub(super) struct Tables<'i, N> {
    members: HashMap<usize, Members<'i, N>>,
}

impl<N> Default for Tables<'_, N> {
    fn default() -> Self {
        Self {
            members: HashMap::new(),
        }
    }
}

impl<'o, 'i, N: Node<'i>> Machine<'o, 'i, N> {
    /// A member of an object.
    pub(super) fn member(&mut self, object: N, name: &str) -> Flow<Option<N>> {
        if N::SORTED {
            self.purse.pay(1)?;
            return ControlFlow::Continue(object.member(name));
        }
        let found = self.placed_member(object, name)?;
        ControlFlow::Continue(found.map(|(_, value)| value))
    }

    /// A member of an object and its place.
    pub(super) fn placed_member(&mut self, object: N, name: &str) -> Flow<Option<(u32, N)>> {
        self.purse.pay(1)?;
        if object.len() <= FEW {
            let found = object
                .members()
                .enumerate()
                .find(|(_, (key, _))| key.text() == name);
            return ControlFlow::Continue(found.map(|(at, (_, value))| (to_u32(at), value)));
        }
        if let Some(table) = self.tables.members.get(&object.identity()) {
            return ControlFlow::Continue(table.get(name).copied());
        }
        self.purse.pay(units(object.len()))?;
        let mut table = HashMap::with_capacity(object.len());
        let members = object.members().enumerate();
        table.extend(members.map(|(at, (key, value))| (key.text(), (to_u32(at), value))));
        let table: Members<'i, N> = Rc::new(table);
        let found = table.get(name).copied();
        self.tables.members.insert(object.identity(), table);
        ControlFlow::Continue(found)
    }

    /// The names of a subschema's `properties`.
    pub(super) fn properties(&mut self, id: SubId, doc: DocId, entry: &Entry) -> Flow<Names<'o>> {
        if let Some(table) = self.program.properties(id) {
            return ControlFlow::Continue(Names::Indexed(table));
        }
        let outline: &'o Outline = self.outline;
        match outline.view(doc, entry.value) {
            Some(view) => ControlFlow::Continue(Names::Few(view)),
            None => broken(),
        }
    }

    /// The names of a `required` keyword that an object lacks, in the order of the schema.
    pub(super) fn lacking(&mut self, entry: usize, object: N) -> Flow<Vec<&'o str>> {
        let program: &'o Program = self.program;
        let Some(table) = program.assertions().names(entry) else {
            return broken();
        };
        self.purse.pay(units(table.len() + object.len()))?;
        let mut there = vec![false; table.len()];
        for (key, _) in object.members() {
            let slot = table.find(key.bytes(), |ends| key.hash_of(ends));
            if let Some(mark) = slot.and_then(|slot| there.get_mut(to_usize(slot.bit))) {
                *mark = true;
            }
        }
        let names = table.names().zip(table.data()).zip(there);
        let lacking = names.filter(|((_, slot), there)| slot.required && !there);
        let mut lacking: Vec<_> = lacking
            .map(|((name, slot), _)| (slot.order, name))
            .collect();
        lacking.sort_unstable_by_key(|(order, _)| *order);
        ControlFlow::Continue(lacking.into_iter().map(|(_, name)| name).collect())
    }

    /// A text of the schema: a name, or a string.
    pub(super) fn text(&self, doc: DocId, node: NodeId) -> &'o str {
        let outline: &'o Outline = self.outline;
        outline.view(doc, node).map_or("", Node::string)
    }

    /// A name of the schema that decides what is evaluated.
    pub(super) fn name_of(&self, doc: DocId, node: NodeId) -> Flow<&'o str> {
        let outline: &'o Outline = self.outline;
        match outline.view(doc, node) {
            Some(view) => ControlFlow::Continue(view.string()),
            None => broken(),
        }
    }
}

/// Objects up to this size are searched member by member.
const FEW: usize = 8;
