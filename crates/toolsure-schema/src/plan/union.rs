//! Subschemas that are applied to one value together, and the parts of an object that select which
//! of them to evaluate: the value of one member, and which names are present.

use std::slice;

use toolsure_json::{Kind, Node};

use super::{NameTable, NodeIx};
use crate::model::TypeSet;

/// The operands of an `anyOf` or `oneOf`, or adjacent conditions.
#[derive(Debug)]
pub(crate) struct Union {
    /// All subschemas that are applied to some value.
    pub(crate) branches: Box<[NodeIx]>,
    /// How an object selects branches, if it can.
    pub(crate) select: Option<Box<Select>>,
}

impl Union {
    /// The branches that remain for a value that is not an object.
    #[inline]
    pub(crate) fn of_others(&self) -> &[NodeIx] {
        let select = self.select.as_ref();
        let others = select.and_then(|select| select.others.as_ref());
        others.unwrap_or(&self.branches)
    }

    /// The lists of branches that remain for objects, before names are checked.
    pub(super) fn choices(&self) -> impl Iterator<Item = Left<'_>> {
        let all = self.select.is_none().then(|| Left::all(&self.branches));
        let chosen = self.select.iter().flat_map(|select| select.choices());
        all.into_iter()
            .chain(chosen.map(|list| Left::chosen(list, None)))
    }
}

/// Decides branches before they are evaluated. For `anyOf` and `oneOf`, the omitted branches do not
/// match. For conditions, the test is decided, and the remaining branches are the subschemas that
/// follow from it.
#[derive(Debug)]
pub(crate) struct Select {
    /// The member whose value selects, if there is one.
    pub(crate) key: Option<Key>,
    /// The branches that remain for objects if no member selects.
    pub(crate) all: Box<[Candidate]>,
    /// The names whose presence or absence rules out branches.
    pub(crate) names: Option<Names>,
    /// The branches applied to values that are not objects, if not all are.
    pub(crate) others: Option<Box<[NodeIx]>>,
}

/// A branch that may remain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub(crate) node: NodeIx,
    /// The range of its rules in [`Names`]; an object must satisfy one of them. If the range is
    /// empty, every object keeps the branch.
    pub(crate) rules: (u16, u16),
}

/// The member whose value selects, and the branches that remain for each value.
#[derive(Debug)]
pub(crate) struct Key {
    /// The member's name, the only one in its table.
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
    /// The branches left by an object that lacks the member.
    pub(crate) absent: Box<[Candidate]>,
}

/// Names, each with its bit in the rules.
#[derive(Debug)]
pub(crate) struct Names {
    pub(crate) table: NameTable<u64>,
    pub(crate) rules: Box<[Rule]>,
    /// Some branches depend on names alone, so the rules decide them.
    pub(crate) decide: bool,
}

/// A constant by which a member selects branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Constant<'p> {
    Text(&'p str),
    Integer(i64),
    Null,
    True,
    False,
}

impl Constant<'_> {
    /// Whether one of some types admits it.
    pub(crate) fn is_of(self, types: TypeSet) -> bool {
        types.intersects(match self {
            Self::Text(_) => TypeSet::STRING,
            Self::Integer(_) => TypeSet::INTEGER,
            Self::Null => TypeSet::NULL,
            Self::True | Self::False => TypeSet::BOOLEAN,
        })
    }
}

/// Names that must be present and names that must be absent, as bits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) required: u64,
    pub(crate) forbidden: u64,
}

impl Rule {
    /// Whether an object with the names in `present` satisfies it.
    #[inline]
    pub(crate) const fn admits(self, present: u64) -> bool {
        present & self.required == self.required && present & self.forbidden == 0
    }
}

impl Select {
    /// The names to search for, given the remaining branches.
    #[inline]
    pub(crate) fn names_for(&self, list: &[Candidate]) -> Option<&Names> {
        let names = self.names.as_ref();
        names.filter(|names| list.len() > usize::from(!names.decide))
    }

    /// Whether at most one branch is evaluated for each object.
    pub(crate) fn is_exclusive(&self) -> bool {
        self.choices().all(|list| list.len() < 2)
    }

    pub(crate) fn choices(&self) -> impl Iterator<Item = &[Candidate]> {
        let all = self.key.is_none().then_some(&*self.all);
        let keyed = self.key.iter().flat_map(Key::choices);
        all.into_iter().chain(keyed)
    }
}

impl Key {
    /// The branches that remain for a value of the member.
    #[inline]
    pub(crate) fn branches<'i, N: Node<'i>>(&self, member: N) -> &[Candidate] {
        let constant = match member.kind() {
            Kind::String => Constant::Text(member.string()),
            Kind::Number => match member.number().as_i64() {
                Some(integer) => Constant::Integer(integer),
                None => return &self.unlike,
            },
            Kind::Null => Constant::Null,
            Kind::Boolean if member.boolean() => Constant::True,
            Kind::Boolean => Constant::False,
            Kind::Array | Kind::Object => return &self.unlike,
        };
        self.row(constant)
    }

    /// The branches that remain for a constant.
    #[inline]
    pub(crate) fn row(&self, constant: Constant<'_>) -> &[Candidate] {
        let [null, yes, no] = &self.words;
        let known = match constant {
            Constant::Text(text) => self.strings.find_text(text).map(|list| &**list),
            Constant::Integer(integer) => {
                let integers = &self.integers;
                let known = integers.binary_search_by_key(&integer, |(one, _)| *one);
                let row = known.ok().and_then(|at| integers.get(at));
                row.map(|(_, list)| &**list)
            }
            Constant::Null => null.as_deref(),
            Constant::True => yes.as_deref(),
            Constant::False => no.as_deref(),
        };
        known.unwrap_or(&self.rest)
    }

    /// The constants that have a row of their own.
    pub(crate) fn constants(&self) -> impl Iterator<Item = Constant<'_>> {
        let words = [Constant::Null, Constant::True, Constant::False];
        let words = self.words.iter().zip(words);
        let words = words.filter_map(|(list, word)| list.is_some().then_some(word));
        let integers = self.integers.iter();
        let integers = integers.map(|(integer, _)| Constant::Integer(*integer));
        let strings = self.strings.names().map(Constant::Text);
        strings.chain(integers).chain(words)
    }

    pub(crate) fn choices(&self) -> impl Iterator<Item = &[Candidate]> {
        let integers = self.integers.iter().map(|(_, list)| list);
        let words = self.words.iter().flatten();
        let rest = [&self.rest, &self.unlike, &self.absent];
        let lists = self.strings.data().chain(integers).chain(words).chain(rest);
        lists.map(|list| &**list)
    }
}

/// The branches of a union that remain for a value.
#[derive(Debug, Clone)]
pub(crate) enum Left<'p> {
    All(slice::Iter<'p, NodeIx>),
    /// Those whose rules the names of an object satisfy.
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

    /// `names` holds the names that were found in the object.
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
    /// The rules of a branch, one of which an object must satisfy; `None` if they are missing.
    #[inline]
    pub(crate) fn rules_of(&self, branch: Candidate) -> Option<&[Rule]> {
        let (start, end) = branch.rules;
        self.rules.get(usize::from(start)..usize::from(end))
    }

    /// The node of a branch, if an object with the names in `present` satisfies one of its rules.
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
