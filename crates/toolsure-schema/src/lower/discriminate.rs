//! Finds how to tell the branches of a union apart before they are evaluated, so that an object
//! skips the branches it rules out: by a member with a different constant in each branch, also
//! through references, `allOf` and nested unions, and by names that branches require or forbid.

use std::cell::Cell;

use foldhash::{HashMap, HashMapExt as _};

use super::demand::{Demand, Demands};
use crate::int::to_u16;
use crate::plan::{Candidate, Constant, Key, NameTable, Names, NodeIx, Plan, Select};

/// Gives every union its [`Select`], if there is one. `left` is the number of steps left to search
/// for demands.
pub(super) fn discriminate(plan: &mut Plan, left: &Cell<usize>) {
    for index in 0..plan.unions.len() {
        let Some(union) = plan.unions.get(index) else {
            continue;
        };
        let branches: Vec<Branch> = union.branches.iter().map(|ix| (*ix, *ix)).collect();
        let select = select(&Demands::new(plan, left), &branches);
        if let Some(union) = plan.unions.get_mut(index) {
            union.select = select;
        }
    }
}

/// A branch and the node that rules it out by not matching.
pub(super) type Branch = (NodeIx, NodeIx);

/// A branch that no rule can rule out.
pub(super) fn candidate(node: NodeIx) -> Candidate {
    Candidate {
        node,
        rules: (0, 0),
    }
}

/// How objects select among some branches, if that is worth it.
pub(super) fn select(demands: &Demands<'_>, branches: &[Branch]) -> Option<Box<Select>> {
    let objects = branches.iter().copied();
    let objects: Vec<Branch> = objects
        .filter(|(_, test)| demands.admits_objects(*test))
        .collect();
    if objects.len() < 2 {
        return None;
    }
    let without_rules: Vec<Candidate> = objects
        .iter()
        .map(|(branch, _)| candidate(*branch))
        .collect();
    let asked = asked(demands, &objects);
    let key = asked.as_ref().filter(|asked| asked.free == 0);
    let key = key.map(|asked| asked.key(demands, &objects, &without_rules));
    let alone = |(branch, test): &Branch| branch == test && demands.asks_for_names(*branch);
    let is_decided = key
        .as_ref()
        .is_some_and(|key| key.choices().all(|list| list.len() < 2));
    let names = match is_decided && !objects.iter().any(alone) {
        true => None,
        false => names(demands, &objects),
    };
    let (key, all, names) = match (asked, names) {
        (None, None) => return None,
        (Some(asked), None) => {
            let key = key.unwrap_or_else(|| asked.key(demands, &objects, &without_rules));
            (Some(key), Vec::new(), None)
        }
        (None, Some((candidates, names))) => (None, candidates, Some(names)),
        (Some(asked), Some((candidates, names))) => {
            let key = asked.key(demands, &objects, &candidates);
            (Some(key), Vec::new(), Some(names))
        }
    };
    let all = all.into();
    Some(Box::new(Select {
        key,
        all,
        names,
        others: None,
    }))
}

/// A member to select by, and what each branch requires of it.
struct Asked<'p> {
    name: &'p str,
    demands: Vec<Option<Demand<'p>>>,
    /// How many branches remain for values that no list contains.
    free: usize,
}

/// The best member to select by, if one is worth it.
fn asked<'p>(demands: &Demands<'p>, branches: &[Branch]) -> Option<Asked<'p>> {
    let first = branches.iter().take(BRANCHES_ASKED);
    let mut names = demands.key_names(first.map(|(_, test)| *test), APPLIED);
    names.sort_unstable();
    names.dedup();
    let mut best: Option<(usize, &str)> = None;
    for name in names.into_iter().take(NAMES_ASKED) {
        let asks = |branch: &&Branch| demands.asks(branch.1, name, APPLIED);
        let count = branches.iter().filter(asks).count();
        if count > best.map_or(1, |(most, _)| most) {
            best = Some((count, name));
        }
    }
    let (_, name) = best?;
    let asked = Asked {
        name,
        demands: branches
            .iter()
            .map(|(_, test)| demands.demand(*test, name, APPLIED))
            .collect(),
        free: 0,
    };
    let known = || asked.demands.iter().flatten();
    let values = known().map(|demand| demand.values.len()).sum::<usize>();
    let free = known().filter(|demand| demand.negated).count();
    let free = free + asked.demands.iter().filter(|one| one.is_none()).count();
    let few = values.saturating_mul(free + 1) <= MOST_ROWS;
    let worth = few && known().count() > 1;
    worth.then_some(Asked { free, ..asked })
}

impl<'p> Asked<'p> {
    /// The table of the member. `candidates` are the branches as the table stores them.
    fn key(&self, demands: &Demands<'p>, branches: &[Branch], candidates: &[Candidate]) -> Key {
        let list = |admits: &dyn Fn(usize, &Demand<'p>) -> bool| -> Box<[Candidate]> {
            let each = candidates.iter().zip(&self.demands).enumerate();
            let left = each.filter(|(at, (_, demand))| {
                let demand = demand.as_ref();
                demand.is_none_or(|demand| admits(*at, demand))
            });
            left.map(|(_, (candidate, _))| *candidate).collect()
        };
        let requires = |at: usize| {
            let branch = branches.get(at);
            branch.is_some_and(|(_, test)| demands.requires(*test, self.name, APPLIED))
        };
        Rows::listed(&self.demands, candidates).key(
            self.name,
            list(&|_, demand| demand.admits(None)),
            list(&|_, demand| demand.unlike),
            list(&|at, _| !requires(at)),
        )
    }
}

/// The names that rule out some of the branches, and each branch with its rules.
fn names(demands: &Demands<'_>, branches: &[Branch]) -> Option<(Vec<Candidate>, Names)> {
    if branches.len() > MOST_BRANCHES {
        return None;
    }
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut asked: Vec<&str> = Vec::new();
    for (_, test) in branches {
        let mut own = Vec::new();
        demands.required_names(*test, APPLIED, &mut own);
        own.sort_unstable();
        own.dedup();
        for name in own {
            let count = counts.entry(name).or_insert_with(|| {
                asked.push(name);
                0
            });
            *count += 1;
        }
    }
    // The names that tell most branches apart come first, then schema order.
    asked.sort_by_key(|name| {
        counts
            .get(name)
            .map(|count| count.abs_diff(branches.len() / 2))
    });
    asked.truncate(MOST_NAMES);
    let bits = (0..).map(|bit| 1_u64.checked_shl(bit).unwrap_or(0));
    let table = NameTable::new(asked.into_iter().zip(bits));
    let mut rules = Vec::new();
    let mut decide = false;
    let mut candidates = Vec::new();
    for (branch, test) in branches {
        let own = demands.rules(*test, &table, APPLIED);
        let alone = branch == test
            && demands.names_alone(*branch).is_some_and(|names| {
                let mut names = names.into_iter();
                names.all(|name| table.find_text(name).is_some())
            });
        decide |= alone;
        let start = to_u16(rules.len());
        rules.extend(own);
        candidates.push(Candidate {
            node: if alone { NodeIx::TRUE } else { *branch },
            rules: (start, to_u16(rules.len())),
        });
    }
    let differ = candidates.iter().any(|one| one.rules.0 < one.rules.1);
    differ.then(|| {
        let rules = rules.into();
        let names = Names {
            table,
            rules,
            decide,
        };
        (candidates, names)
    })
}

/// The branches that remain for each value of a member.
pub(super) struct Rows<'p> {
    at: HashMap<Constant<'p>, usize>,
    lists: Vec<(Constant<'p>, Vec<Candidate>)>,
}

impl<'p> Rows<'p> {
    /// An empty row for each value.
    pub(super) fn of(values: impl Iterator<Item = Constant<'p>>) -> Self {
        let mut rows = Self {
            at: HashMap::new(),
            lists: Vec::new(),
        };
        for value in values {
            rows.at.entry(value).or_insert_with(|| {
                rows.lists.push((value, Vec::new()));
                rows.lists.len() - 1
            });
        }
        rows
    }

    /// The rows for what the branches require.
    fn listed(asked: &[Option<Demand<'p>>], candidates: &[Candidate]) -> Self {
        let values = asked.iter().flatten().flat_map(|demand| &demand.values);
        let mut rows = Self::of(values.copied());
        for (candidate, demand) in candidates.iter().zip(asked) {
            match demand {
                // Once for each value. The same node may also be another branch, and `oneOf` counts
                // both.
                Some(demand) if !demand.negated => {
                    rows.each_of(&demand.values, |_, list| list.push(*candidate));
                }
                _ => rows.each(|value, list| {
                    if demand.as_ref().is_none_or(|one| one.admits(Some(value))) {
                        list.push(*candidate);
                    }
                }),
            }
        }
        rows
    }

    /// Calls a function on each row.
    pub(super) fn each(&mut self, mut change: impl FnMut(Constant<'p>, &mut Vec<Candidate>)) {
        for (value, list) in &mut self.lists {
            change(*value, list);
        }
    }

    /// Calls a function on the rows of some values.
    pub(super) fn each_of(
        &mut self,
        values: &[Constant<'p>],
        mut change: impl FnMut(Constant<'p>, &mut Vec<Candidate>),
    ) {
        for value in values {
            let list = self.at.get(value).and_then(|at| self.lists.get_mut(*at));
            if let Some((value, list)) = list {
                change(*value, list);
            }
        }
    }

    /// The table of a member with these rows, and the branches that remain for other strings,
    /// integers and words, for any other value, and without the member.
    pub(super) fn key(
        self,
        name: &str,
        rest: Box<[Candidate]>,
        unlike: Box<[Candidate]>,
        absent: Box<[Candidate]>,
    ) -> Key {
        let mut strings = Vec::new();
        let mut integers: Vec<(i64, Box<[Candidate]>)> = Vec::new();
        let mut words = [None, None, None];
        let [null, yes, no] = &mut words;
        for (value, list) in self.lists {
            let list = list.into_boxed_slice();
            match value {
                Constant::Text(text) => strings.push((text, list)),
                Constant::Integer(integer) => integers.push((integer, list)),
                Constant::Null => *null = Some(list),
                Constant::True => *yes = Some(list),
                Constant::False => *no = Some(list),
            }
        }
        integers.sort_unstable_by_key(|(integer, _)| *integer);
        Key {
            name: NameTable::of([name]),
            strings: NameTable::new(strings),
            integers: integers.into(),
            words,
            rest,
            unlike,
            absent,
        }
    }
}

/// Maximum number of branches searched for names of members to select by.
const BRANCHES_ASKED: usize = 4;
/// Maximum number of names that are tried.
const NAMES_ASKED: usize = 16;
/// Maximum depth of nested applications that are followed.
const APPLIED: u32 = 3;
/// Maximum total length of the lists of branches.
pub(super) const MOST_ROWS: usize = 4096;
/// Unions with more branches are not told apart by names.
const MOST_BRANCHES: usize = 64;
/// Maximum number of names in a table of names to search for.
pub(super) const MOST_NAMES: usize = 16;
