//! The approximate memory of a plan.

use super::{Plan, Select};

impl Plan {
    /// The approximate size of its tables in bytes; data that a row owns is estimated.
    pub(crate) fn memory(&self) -> usize {
        let names = self.objects.iter().map(|object| {
            let slots = object
                .names
                .names()
                .map(|name| NAME + name.len())
                .sum::<usize>();
            slots + size_of_val(&*object.patterns) + size_of_val(&*object.dependents)
        });
        let members = self.enums.iter().map(|members| {
            let strings = members.strings.names().map(|name| NAME + name.len());
            strings.sum::<usize>()
                + size_of_val(&*members.integers)
                + size_of_val(&*members.compound)
        });
        let unions = self.unions.iter().map(|union| {
            let select = union.select.as_ref();
            ROW + size_of_val(&*union.branches) + select.map_or(0, |select| select.memory())
        });
        let arrays = self.arrays.iter().map(|array| size_of_val(&*array.prefix));
        let patterns = self.patterns.iter().map(|pattern| pattern.size());
        let docs = self.docs.iter().map(|doc| {
            let document = doc.document();
            document.len() * NODE + document.source().len()
        });
        let below = names
            .chain(members)
            .chain(unions)
            .chain(arrays)
            .chain(patterns)
            .chain(docs);
        let rows = [
            size_of_val(&*self.nodes),
            size_of_val(&*self.ops),
            size_of_val(&*self.objects),
            size_of_val(&*self.arrays),
            size_of_val(&*self.conditions),
            size_of_val(&*self.enums),
            size_of_val(&*self.numbers),
            size_of_val(&*self.literals),
            size_of_val(&*self.by_kind),
        ];
        below.sum::<usize>() + rows.into_iter().sum::<usize>()
    }
}

impl Select {
    /// The approximate size of its tables in bytes.
    fn memory(&self) -> usize {
        let lists = self.choices().map(|list| ROW + size_of_val(list));
        let keys = self.key.iter().flat_map(|key| key.strings.names());
        let names = self.names.iter().flat_map(|names| names.table.names());
        let rules = self
            .names
            .as_ref()
            .map_or(0, |one| size_of_val(&*one.rules));
        let names = keys.chain(names).map(|name| NAME + name.len());
        names.sum::<usize>() + lists.sum::<usize>() + rules
    }
}

/// Memory of a name in a table in addition to its text: its row, its slot, and its position in the
/// lookup.
const NAME: usize = 80;
/// Memory of a list in addition to its members.
const ROW: usize = 32;
/// Memory of a value in a document.
const NODE: usize = 32;
