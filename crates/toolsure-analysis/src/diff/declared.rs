//! The members that the objects of a schema declare, for each location.
//!
//! Callers send the members that they were told of. So for inputs, a member that no keyword names is taken
//! as absent, unless a keyword explicitly allows others. The schemas that may apply to the same value form
//! a group: branches of a union count, whether they hold or not, and a schema that several locations refer
//! to joins their groups. That can only declare more members, so more values are compared than needed,
//! never fewer.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use toolsure_json::View;

use super::lookup::Lookup;

/// The groups of one document.
#[derive(Default)]
pub(super) struct Declared<'a> {
    /// The group that each schema belongs to, by the schema's id.
    pub(super) group_of: HashMap<usize, usize>,
    groups: Vec<Group<'a>>,
    /// The index of the root's group.
    pub(super) root: usize,
}

/// The schemas that apply to one location, as far as members are concerned.
#[derive(Debug, Default)]
pub(super) struct Group<'a> {
    /// The group that this one was merged into.
    joined: Option<usize>,
    /// How many groups were merged into this one.
    size: usize,
    /// The named members, with the groups of their schemas; `None` if a member is only required.
    pub(super) names: BTreeMap<&'a str, Option<usize>>,
    pub(super) patterns: BTreeSet<&'a str>,
    /// The group of the members that are not named.
    pub(super) others: Option<usize>,
    pub(super) items: Option<usize>,
    /// Whether a keyword says that there may be other members, or a reference cannot be resolved.
    pub(super) open: bool,
    /// Whether that is more than `true`, which does not say which members these are.
    pub(super) says_which: bool,
    /// Names that no keyword has and that are taken as absent, although the object is open.
    pub(super) absent: HashSet<&'a str>,
    /// Whether a keyword names members, or this is the group of the root.
    pub(super) names_members: bool,
    /// Whether a keyword applies to members without naming them.
    pub(super) speaks_of_members: bool,
}

impl<'a> Declared<'a> {
    /// The group of a schema.
    pub(super) fn group(&self, schema: View<'_>) -> Option<&Group<'a>> {
        let at = self.group_of.get(&schema.id().index())?;
        self.at(*at)
    }

    /// A group by its index.
    pub(super) fn at(&self, group: usize) -> Option<&Group<'a>> {
        self.groups.get(self.find(group))
    }

    /// The index that all indexes of a merged group lead to.
    pub(super) fn find(&self, mut group: usize) -> usize {
        // A group is merged into one that is at least as large, so the path is short.
        while let Some(next) = self.groups.get(group).and_then(|one| one.joined) {
            group = next;
        }
        group
    }

    /// A member may also match a pattern, so that schemas of two groups apply to it.
    pub(super) fn open_below_patterns(&mut self) {
        let mut below = Vec::new();
        for group in self.groups.iter().filter(|group| group.joined.is_none()) {
            if group.others.is_some() {
                below.extend(group.names.values().flatten().copied());
                below.extend(group.others);
            }
        }
        for child in below {
            self.edit(child, Group::open);
        }
    }

    /// Members that another document names by a pattern or a schema are sent here, too.
    pub(super) fn sends_as(&mut self, other: &Self) {
        let roots = (self.find(self.root), other.find(other.root));
        let mut seen = HashSet::from([roots]);
        let mut todo = vec![roots];
        while let Some((own, others)) = todo.pop() {
            let Some(known) = other.at(others) else {
                continue;
            };
            self.edit(own, |group| {
                group.patterns.extend(&known.patterns);
                if known.open && known.says_which && known.others.is_some() {
                    group.open();
                }
            });
            let Some(group) = self.at(own) else {
                continue;
            };
            let named = group.names.iter().filter_map(|(name, child)| {
                let same = known.names.get(name).copied().flatten()?;
                Some(((*child)?, same))
            });
            let pairs = named.chain(group.items.zip(known.items));
            let pairs = pairs.map(|(one, same)| (self.find(one), other.find(same)));
            todo.extend(pairs.filter(|pair| seen.len() < MOST_PAIRS && seen.insert(*pair)));
        }
    }

    pub(super) fn new_group(&mut self) -> usize {
        self.groups.push(Group::default());
        self.groups.len().saturating_sub(1)
    }

    pub(super) fn edit(&mut self, group: usize, edit: impl FnOnce(&mut Group<'a>)) {
        let at = self.find(group);
        if let Some(group) = self.groups.get_mut(at) {
            edit(group);
        }
    }

    pub(super) fn member(&mut self, group: usize, name: &'a str) -> usize {
        let known = self.at(group).and_then(|group| *group.names.get(name)?);
        known.unwrap_or_else(|| {
            let child = self.new_group();
            self.edit(group, |group| {
                group.names.insert(name, Some(child));
            });
            child
        })
    }

    pub(super) fn others(&mut self, group: usize) -> usize {
        let known = self.at(group).and_then(|group| group.others);
        known.unwrap_or_else(|| {
            let child = self.new_group();
            self.edit(group, |group| group.others = Some(child));
            child
        })
    }

    pub(super) fn items(&mut self, group: usize) -> usize {
        let known = self.at(group).and_then(|group| group.items);
        known.unwrap_or_else(|| {
            let child = self.new_group();
            self.edit(group, |group| group.items = Some(child));
            child
        })
    }

    /// Merges two groups, and the groups of their members with the same name.
    pub(super) fn join(&mut self, one: usize, other: usize) {
        let mut todo = vec![(one, other)];
        while let Some((one, other)) = todo.pop() {
            let (one, other) = (self.find(one), self.find(other));
            if one == other {
                continue;
            }
            let weight = |group: usize| {
                let group = self.groups.get(group);
                group.map_or(0, |group| group.size.saturating_add(group.names.len()))
            };
            let (into, from) = match weight(one) < weight(other) {
                true => (other, one),
                false => (one, other),
            };
            let Some(gone) = self.groups.get_mut(from) else {
                continue;
            };
            let gone = std::mem::replace(
                gone,
                Group {
                    joined: Some(into),
                    ..Group::default()
                },
            );
            let Some(kept) = self.groups.get_mut(into) else {
                continue;
            };
            for (name, child) in gone.names {
                let known = kept.names.entry(name).or_default();
                match (*known, child) {
                    (Some(known), Some(child)) => todo.push((known, child)),
                    (None, child) => *known = child,
                    (Some(_), None) => {}
                }
            }
            kept.patterns.extend(gone.patterns);
            for (known, child) in [
                (&mut kept.others, gone.others),
                (&mut kept.items, gone.items),
            ] {
                match (*known, child) {
                    (Some(known), Some(child)) => todo.push((known, child)),
                    (None, child) => *known = child,
                    (Some(_), None) => {}
                }
            }
            kept.size = kept.size.saturating_add(gone.size).saturating_add(1);
            kept.open |= gone.open;
            kept.says_which |= gone.says_which;
            kept.names_members |= gone.names_members;
            kept.speaks_of_members |= gone.speaks_of_members;
        }
    }
}

impl<'a> Group<'a> {
    /// Notes that there may be other members, of which something is said.
    pub(super) fn open(&mut self) {
        self.open = true;
        self.says_which = true;
    }

    /// Whether a member of this name, which another schema has, is new: no keyword names it, and if there
    /// may be others, none says which.
    pub(super) fn is_new(&self, lookup: &Lookup<'a>, name: &str) -> bool {
        let unnamed = !self.names.contains_key(name) && !self.may_match(lookup, name);
        let names_some = self.names_members && !self.names.is_empty();
        unnamed && (self.is_closed() || self.open && names_some && !self.says_which)
    }

    /// Whether members that no keyword names are taken as absent.
    pub(super) fn is_closed(&self) -> bool {
        let says_something = !self.names.is_empty() || !self.speaks_of_members;
        self.names_members && !self.open && (says_something || !self.patterns.is_empty())
    }

    /// Whether a member with this name may be present; `true` if unknown.
    pub(super) fn may_have(&self, lookup: &Lookup<'a>, name: &str) -> bool {
        let known = || self.names.contains_key(name) || self.may_match(lookup, name);
        !self.absent.contains(name) && (!self.is_closed() || known())
    }

    /// Whether a pattern may match this name.
    pub(super) fn may_match(&self, lookup: &Lookup<'a>, name: &str) -> bool {
        let matches = |pattern: &&'a str| lookup.matches(pattern, name) != Some(false);
        self.patterns.iter().any(matches)
    }

    /// The maximum number of members of a closed object.
    pub(super) fn most(&self) -> Option<usize> {
        (self.is_closed() && self.patterns.is_empty()).then_some(self.names.len())
    }
}

/// Pairs of groups that are compared.
const MOST_PAIRS: usize = 20_000;
