//! Subschemas that are applied to one value together, and the member that tells
//! which of them are worth a look.

use toolgate_json::{Kind, Node};

use super::{NAME, NameTable, NodeIx, ROW};

/// The operands of an `anyOf` or `oneOf`, or conditions beside each other.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) branches: Box<[NodeIx]>,
    /// How an object chooses among them, if it can.
    pub(crate) select: Option<Box<Select>>,
}

impl Union {
    /// The branches that objects leave, by what chooses among them.
    pub(super) fn choices(&self) -> impl Iterator<Item = &[NodeIx]> {
        let all = self.select.is_none().then_some(&*self.branches);
        let chosen = self.select.iter().flat_map(|select| select.choices());
        all.into_iter().chain(chosen)
    }
}

/// A member whose value decides some branches before they are looked at: for
/// `anyOf` and `oneOf` those that are left out do not match, of conditions the
/// test does not, so that nothing follows.
#[derive(Debug)]
pub(crate) struct Select {
    /// The member's name, alone in its table.
    pub(crate) name: NameTable,
    /// The strings that some branch asks for, with the branches left by each.
    pub(crate) values: NameTable<Box<[NodeIx]>>,
    /// The integers that some branch asks for, sorted, with the branches left by each.
    pub(crate) integers: Box<[(i64, Box<[NodeIx]>)]>,
    /// The branches left by every other string and integer.
    pub(crate) others: Box<[NodeIx]>,
    /// The branches left by a member that is neither.
    pub(crate) unlike: Box<[NodeIx]>,
    /// The branches left by an object without the member.
    pub(crate) absent: Box<[NodeIx]>,
}

impl Select {
    /// The branches that a value of the member leaves.
    #[inline]
    pub(crate) fn branches<'i, N: Node<'i>>(&self, member: N) -> &[NodeIx] {
        match member.kind() {
            Kind::String => {
                let known = self.values.find_text(member.string());
                known.unwrap_or(&self.others)
            }
            Kind::Number => match member.number().as_i64() {
                Some(integer) => self.by_integer(integer),
                None => &self.unlike,
            },
            _ => &self.unlike,
        }
    }

    fn by_integer(&self, integer: i64) -> &[NodeIx] {
        let known = self
            .integers
            .binary_search_by_key(&integer, |(one, _)| *one);
        let row = known.ok().and_then(|at| self.integers.get(at));
        row.map_or(&self.others, |(_, branches)| branches)
    }

    /// Whether every object is looked at by one branch at most.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.choices().all(|list| list.len() < 2)
    }

    /// The branches that each value of the member leaves.
    fn choices(&self) -> impl Iterator<Item = &[NodeIx]> {
        let integers = self.integers.iter().map(|(_, list)| list);
        let rest = [&self.others, &self.unlike, &self.absent];
        let lists = self.values.data().chain(integers).chain(rest);
        lists.map(|list| &**list)
    }

    /// Bytes of its tables, about.
    pub(super) fn memory(&self) -> usize {
        let names = self.values.names().chain(self.name.names());
        let integers = self.integers.iter().map(|(_, list)| list);
        let lists = self.values.data().chain(integers);
        let lists = lists.map(|list| ROW + size_of_val(&**list));
        let rest = [&self.others, &self.unlike, &self.absent];
        names.map(|name| NAME + name.len()).sum::<usize>()
            + lists.sum::<usize>()
            + rest.map(|list| size_of_val(&**list)).iter().sum::<usize>()
    }
}
