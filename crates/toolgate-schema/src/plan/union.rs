//! Subschemas that are applied to one value together, and the member that tells
//! which of them are worth a look.

use super::{NAME, NameTable, NodeIx, ROW};

/// The operands of an `anyOf` or `oneOf`, or conditions beside each other.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) branches: Box<[NodeIx]>,
    /// How an object chooses among them, if it can.
    pub(crate) select: Option<Box<Select>>,
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
    /// The branches left by every other string.
    pub(crate) others: Box<[NodeIx]>,
    /// The branches left by a member that is no string.
    pub(crate) unlike: Box<[NodeIx]>,
    /// The branches left by an object without the member.
    pub(crate) absent: Box<[NodeIx]>,
}

impl Select {
    /// Bytes of its tables, about.
    pub(super) fn memory(&self) -> usize {
        let names = self.values.names().chain(self.name.names());
        let lists = self.values.data().map(|list| ROW + size_of_val(&**list));
        let rest = [&self.others, &self.unlike, &self.absent];
        names.map(|name| NAME + name.len()).sum::<usize>()
            + lists.sum::<usize>()
            + rest.map(|list| size_of_val(&**list)).iter().sum::<usize>()
    }
}
