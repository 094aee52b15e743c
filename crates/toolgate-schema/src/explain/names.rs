//! Finding names: of an object's members, and of a keyword's.

use std::ops::ControlFlow;
use std::rc::Rc;

use foldhash::{HashMap, HashMapExt as _};
use toolgate_json::{Key as _, Kind, Node, NodeId, View};

use super::Flow;
use super::machine::Machine;
use crate::int::{to_u32, units};
use crate::outline::{DocId, Entry, SubId};
use crate::plan::NameTable;

/// The members of one object by name, each with its place.
type Members<'i, N> = Rc<HashMap<&'i str, (u32, N)>>;

/// The names that a keyword mentions, each with its place.
#[derive(Debug, Clone)]
pub(super) enum Names<'o> {
    /// Few are searched one by one, where they stand.
    Few(View<'o>),
    /// Many have a table that was made before,
    Indexed(&'o NameTable<u32>),
    /// or one that this evaluation makes.
    Many(Rc<HashMap<&'o str, u32>>),
}

impl Names<'_> {
    /// The place of a name.
    pub(super) fn place(&self, name: &str) -> Option<u32> {
        match self {
            Self::Few(view) => {
                let mut members = view.members();
                let mut items = view.items();
                let place = match view.kind() {
                    Kind::Object => members.position(|(key, _)| key.text() == name),
                    _ => items.position(|one| one.kind() == Kind::String && one.string() == name),
                };
                place.map(to_u32)
            }
            Self::Indexed(table) => table.find_text(name).copied(),
            Self::Many(names) => names.get(name).copied(),
        }
    }
}

/// Tables of names, made when they are first needed.
pub(super) struct Tables<'o, 'i, N> {
    members: HashMap<usize, Members<'i, N>>,
    names: HashMap<(DocId, NodeId), Rc<HashMap<&'o str, u32>>>,
}

impl<N> Default for Tables<'_, '_, N> {
    fn default() -> Self {
        Self {
            members: HashMap::new(),
            names: HashMap::new(),
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
        match self.program.properties(id) {
            Some(table) => ControlFlow::Continue(Names::Indexed(table)),
            None => self.names(doc, entry),
        }
    }

    /// The member names (or the strings) of a keyword's value.
    pub(super) fn names(&mut self, doc: DocId, entry: &Entry) -> Flow<Names<'o>> {
        let outline: &'o crate::outline::Outline = self.outline;
        if let Some(view) = outline.view(doc, entry.value)
            && view.len() <= FEW_NAMES
        {
            self.purse.pay(1)?;
            return ControlFlow::Continue(Names::Few(view));
        }
        if let Some(table) = self.program.members(doc, entry.value) {
            return ControlFlow::Continue(Names::Indexed(table));
        }
        if let Some(names) = self.tables.names.get(&(doc, entry.value)) {
            return ControlFlow::Continue(Names::Many(Rc::clone(names)));
        }
        let mut names = HashMap::new();
        if let Some(view) = outline.view(doc, entry.value) {
            self.purse.pay(units(view.len()))?;
            for (at, (key, _)) in view.members().enumerate() {
                names.entry(key.text()).or_insert(to_u32(at));
            }
            for (at, item) in view.items().enumerate() {
                if item.kind() == Kind::String {
                    names.entry(item.string()).or_insert(to_u32(at));
                }
            }
        }
        let names = Rc::new(names);
        self.tables
            .names
            .insert((doc, entry.value), Rc::clone(&names));
        ControlFlow::Continue(Names::Many(names))
    }

    /// A text of the schema: a name, or a string.
    pub(super) fn text(&self, doc: DocId, node: NodeId) -> &'o str {
        let outline: &'o crate::outline::Outline = self.outline;
        outline.view(doc, node).map_or("", Node::string)
    }
}

/// Up to this many names are searched one by one.
pub(super) const FEW_NAMES: usize = 12;
/// Objects up to this size are searched member by member.
const FEW: usize = 8;
