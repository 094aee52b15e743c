//! Subschemas that are applied to one value together, and what of an object tells which of
//! them are worth a look: the value of one member, and the names that are there.

use std::slice;

use toolgate_json::{Kind, Node};

use super::{NAME, NameTable, NodeIx, ROW};

/// The operands of an `anyOf` or `oneOf`, or conditions beside each other.
#[derive(Debug)]
pub(crate) struct Union {
    /// All subschemas that some value is applied to.
    pub(crate) branches: Box<[NodeIx]>,
    /// How an object chooses among them, if it can.
    pub(crate) select: Option<Box<Select>>,
}

impl Union {
    /// The branches that a value of a kind other than object leaves.
    #[inline]
    pub(crate) fn of_others(&self) -> &[NodeIx] {
        let select = self.select.as_ref();
        let others = select.and_then(|select| select.others.as_ref());
        others.unwrap_or(&self.branches)
    }

    /// The lists of branches that objects leave, before a look at their names.
    pub(super) fn choices(&self) -> impl Iterator<Item = Left<'_>> {
        let all = self.select.is_none().then(|| Left::all(&self.branches));
        let chosen = self.select.iter().flat_map(|select| select.choices());
        all.into_iter()
            .chain(chosen.map(|list| Left::chosen(list, None)))
    }
}

/// What decides branches before they are evaluated: for `anyOf` and `oneOf` those that are
/// left out do not match; of conditions the test is decided, so that what is left are the
/// subschemas that follow from it.
#[derive(Debug)]
pub(crate) struct Select {
    /// The member whose value chooses, if there is one.
    pub(crate) key: Option<Key>,
    /// The branches that objects leave where no member chooses.
    pub(crate) all: Box<[Candidate]>,
    /// The names that rule out branches by being there or not being there.
    pub(crate) names: Option<Names>,
    /// What is applied to values that are not objects, if that is not every branch.
    pub(crate) others: Option<Box<[NodeIx]>>,
}

/// A branch that may be left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) node: NodeIx,
    /// Its rules among those of [`Names`], of which an object must keep one: where they start
    /// and end. Without a rule every object keeps them.
    pub(crate) rules: (u16, u16),
}

/// The member whose value chooses, and the branches that each value leaves.
#[derive(Debug)]
pub(crate) struct Key {
    /// The member's name, alone in its table.
    pub(crate) name: NameTable,
    /// The strings that some branch asks for.
    pub(crate) strings: NameTable<Box<[Candidate]>>,
    /// The integers that some branch asks for, sorted.
    pub(crate) integers: Box<[(i64, Box<[Candidate]>)]>,
    /// The same for `null`, `true` and `false`, if some branch asks for them.
    pub(crate) words: [Option<Box<[Candidate]>>; 3],
    /// The branches left by every other string, integer and word.
    pub(crate) rest: Box<[Candidate]>,
    /// The branches left by arrays, objects and other numbers.
    pub(crate) unlike: Box<[Candidate]>,
    /// The branches left by an object without the member.
    pub(crate) absent: Box<[Candidate]>,
}

/// Names, each with its bit in the rules.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) table: NameTable<u64>,
    pub(crate) rules: Box<[Rule]>,
    /// Some branches ask for nothing but names, so that the rules decide them.
    pub(crate) decide: bool,
}

/// Which names must be there and which must not, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) required: u64,
    pub(crate) forbidden: u64,
}

impl Rule {
    /// Whether an object with some names keeps it.
    #[inline]
    pub(crate) const fn admits(self, present: u64) -> bool {
        present & self.required == self.required && present & self.forbidden == 0
    }
}

impl Select {
    /// The names to look for, given the branches that are left.
    #[inline]
    pub(crate) fn names_for(&self, list: &[Candidate]) -> Option<&Names> {
        let names = self.names.as_ref();
        names.filter(|names| list.len() > usize::from(!names.decide))
    }

    /// Whether every object is looked at by one branch at most.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.choices().all(|list| list.len() < 2)
    }

    pub(crate) fn choices(&self) -> impl Iterator<Item = &[Candidate]> {
        let all = self.key.is_none().then_some(&*self.all);
        let keyed = self.key.iter().flat_map(Key::choices);
        all.into_iter().chain(keyed)
    }

    /// Bytes of its tables, about.
    pub(super) fn memory(&self) -> usize {
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

impl Key {
    /// The branches that a value of the member leaves.
    #[inline]
    pub(crate) fn branches<'i, N: Node<'i>>(&self, member: N) -> &[Candidate] {
        let word = |at: usize| self.words.get(at).and_then(Option::as_deref);
        let known = match member.kind() {
            Kind::String => self.strings.find_text(member.string()).map(|list| &**list),
            Kind::Number => match member.number().as_i64() {
                Some(integer) => self.by_integer(integer),
                None => Some(&*self.unlike),
            },
            Kind::Null => word(0),
            Kind::Boolean => word(if member.boolean() { 1 } else { 2 }),
            Kind::Array | Kind::Object => Some(&*self.unlike),
        };
        known.unwrap_or(&self.rest)
    }

    pub(crate) fn by_integer(&self, integer: i64) -> Option<&[Candidate]> {
        let known = self
            .integers
            .binary_search_by_key(&integer, |(one, _)| *one);
        let row = known.ok().and_then(|at| self.integers.get(at));
        row.map(|(_, branches)| &**branches)
    }

    pub(crate) fn choices(&self) -> impl Iterator<Item = &[Candidate]> {
        let integers = self.integers.iter().map(|(_, list)| list);
        let words = self.words.iter().flatten();
        let rest = [&self.rest, &self.unlike, &self.absent];
        let lists = self.strings.data().chain(integers).chain(words).chain(rest);
        lists.map(|list| &**list)
    }
}

/// The branches of a union that a value leaves.
#[derive(Debug, Clone)]
pub(crate) enum Left<'p> {
    All(slice::Iter<'p, NodeIx>),
    /// Those whose rules the names of an object keep.
    Chosen {
        list: slice::Iter<'p, Candidate>,
        names: Option<(&'p Names, u64)>,
    },
}

impl<'p> Left<'p> {
    #[inline]
    pub(crate) fn all(branches: &'p [NodeIx]) -> Self {
        Self::All(branches.iter())
    }

    /// `names` has the names of the object that were found.
    #[inline]
    pub(crate) fn chosen(list: &'p [Candidate], names: Option<(&'p Names, u64)>) -> Self {
        let list = list.iter();
        Self::Chosen { list, names }
    }
}

impl Iterator for Left<'_> {
    type Item = NodeIx;

    #[inline]
    fn next(&mut self) -> Option<NodeIx> {
        match self {
            Self::All(nodes) => nodes.next().copied(),
            Self::Chosen { list, names: None } => list.next().map(|one| one.node),
            Self::Chosen {
                list,
                names: Some((names, present)),
            } => list.find_map(|one| names.left(*one, *present)),
        }
    }
}

impl Names {
    /// The rules of a branch of which an object must keep one, if they are there.
    #[inline]
    pub(crate) fn rules_of(&self, branch: Candidate) -> Option<&[Rule]> {
        let (start, end) = branch.rules;
        self.rules.get(usize::from(start)..usize::from(end))
    }

    /// A branch's node, if an object with some names keeps one of its rules.
    #[inline]
    fn left(&self, branch: Candidate, present: u64) -> Option<NodeIx> {
        match self.rules_of(branch) {
            Some(rules) => {
                let kept = rules.is_empty() || rules.iter().any(|rule| rule.admits(present));
                kept.then_some(branch.node)
            }
            None => Some(NodeIx::NOWHERE),
        }
    }
}
