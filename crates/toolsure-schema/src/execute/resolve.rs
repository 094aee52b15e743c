//! Resolves what an object must match by looking ahead in the JSON text.
//!
//! A subschema with unions and references may need more than one walk over an object. If the value
//! of one member leaves a single branch of each union, that member is looked up ahead of time,
//! subschema by subschema in the order in which the machine evaluates them. The result is a list of
//! walks that must all match; they run side by side over the text in one pass.
//! [`Traits::lookahead`](crate::plan::Traits) tells for which nodes this is possible.
//!
//! The price is the machine's, so the part of it that depends on the number of members is paid
//! after the object: for each [`Walk`] and each [`Search`].

use toolsure_json::{Kind, MemberAhead, NameEnds, Node as _};

use super::lookahead::{Lookahead, NextObject, Search, Walk};
use super::pass::Pass;
use crate::int::to_usize;
use crate::plan::{Candidate, Names, NodeIx, Op, Rule, Run, Select, Union};
use crate::price;

/// The names of a table that were searched for in an object.
#[derive(Debug)]
struct FoundNames<'p> {
    names: &'p Names,
    /// The names that were searched for, as bits.
    known: u64,
    /// The names that are present, as bits.
    present: u64,
}

impl<'p, 's> Pass<'p, '_, '_, 's> {
    /// Passes the next object, which must match a node. Returns whether it could do so; if not, the
    /// position does not change.
    #[inline(never)]
    pub(super) fn resolved(&mut self, ix: NodeIx) -> Option<bool> {
        let (fuel, depth) = (self.machine.fuel, self.machine.depth);
        let start = self.stream.at();
        let (walks, searches) = (self.lookahead.walks.len(), self.lookahead.searches.len());
        self.lookahead.known.clear();
        self.lookahead.left = MOST;
        let found = self.node(ix);
        let first = self.lookahead.floor_of(start);
        if found.is_none() {
            (self.machine.fuel, self.machine.depth) = (fuel, depth);
        } else {
            let known = first..self.lookahead.members.len();
            self.side_by_side(walks, searches, &known)?;
        }
        self.lookahead.walks.truncate(walks);
        self.lookahead.searches.truncate(searches);
        self.lookahead.forget(first);
        Some(found.is_some())
    }

    /// Records the walks that a node needs; `None` if it may need more than walks.
    fn node(&mut self, ix: NodeIx) -> Option<()> {
        self.pay(price::VISIT)?;
        let node = self.machine.plan.node(ix);
        if !node.types.has_kind(Kind::Object) {
            return None;
        }
        if node.traits.types_only {
            return Some(());
        }
        self.lookahead.left = self.lookahead.left.checked_sub(1)?;
        if node.traits.memo {
            self.pay(price::RECALL)?;
            if self.lookahead.known.contains(&ix) {
                return Some(());
            }
            self.pay(price::MEMO)?;
            self.lookahead.known.push(ix);
        }
        if !node.traits.lookahead || self.machine.depth >= self.machine.allowance.depth {
            return None;
        }
        self.machine.depth += 1;
        let plan = self.machine.plan;
        if node.has(Run::Object.bit()) {
            self.lookahead.walks.push(Walk {
                object: plan.objects.get(to_usize(node.object))?,
                depth: self.machine.depth,
                met: 0,
            });
        }
        // The run is kept but not executed if the node's types say the same.
        if node.has(Run::Any.bit()) {
            for op in plan.run_of(node, Run::Any)? {
                match *op {
                    Op::Apply(target) => self.node(target)?,
                    Op::AllOf(union) => self.all(plan.unions.get(to_usize(union))?)?,
                    Op::AnyOf(union) => self.branch(plan.unions.get(to_usize(union))?, true)?,
                    Op::OneOf(union) => self.branch(plan.unions.get(to_usize(union))?, false)?,
                    Op::Leaf(_)
                    | Op::Array(_)
                    | Op::Object(_)
                    | Op::Not(_)
                    | Op::If(_)
                    | Op::UnevaluatedItems(_)
                    | Op::UnevaluatedProperties(_) => return None,
                }
            }
        }
        self.machine.depth -= 1;
        Some(())
    }

    /// Records the walks for the branches of conditions, all of which the object must match.
    fn all(&mut self, union: &'p Union) -> Option<()> {
        let select = union.select.as_ref()?;
        let list = self.list(select)?;
        let mut names = self.names(select, list)?;
        for branch in list {
            if self.is_left(&mut names, *branch)? {
                self.node(branch.node)?;
            }
        }
        Some(())
    }

    /// The only one of some branches that values of a kind can match. `first` is whether the
    /// machine stops at the first branch that matches.
    pub(super) fn only(&mut self, branches: &[NodeIx], kind: Kind, first: bool) -> Option<NodeIx> {
        let mut chosen = None;
        for branch in branches {
            if !self.machine.plan.node(*branch).types.has_kind(kind) {
                self.pay(u64::from(!first || chosen.is_none()))?;
            } else if chosen.replace(*branch).is_some() {
                return None;
            }
        }
        chosen
    }

    /// Records the walks for the one branch of a union that the object must match; `first` tells
    /// whether the machine stops at the first branch that matches.
    fn branch(&mut self, union: &'p Union, first: bool) -> Option<()> {
        let Some(select) = &union.select else {
            let (plan, branches) = (self.machine.plan, &union.branches);
            let is_possible = |ix: &NodeIx| plan.node(*ix).types.has_kind(Kind::Object);
            let likely = branches.iter().position(is_possible).filter(|_| first);
            let end = likely.map_or(branches.len(), |at| at + 1);
            let only = self.only(branches.get(..end)?, Kind::Object, first)?;
            return self.node(only);
        };
        let mut chosen = None;
        let list = self.list(select)?;
        let mut names = self.names(select, list)?;
        for branch in list {
            if self.is_left(&mut names, *branch)? && chosen.replace(branch.node).is_some() {
                return None;
            }
            if first && chosen.is_some() {
                // Try the first branch that the members do not rule out.
                break;
            }
        }
        self.node(chosen?)
    }

    /// The branches that remain for the value of a member of the object.
    fn list(&mut self, select: &'p Select) -> Option<&'p [Candidate]> {
        self.lookahead.left = self.lookahead.left.checked_sub(1)?;
        self.pay(price::SELECT)?;
        Some(match &select.key {
            None => &select.all,
            Some(key) => {
                let name = key.name.known_name(0)?;
                self.lookahead.searches.push(Search::Member(name));
                match self.member_ahead(name)? {
                    None => &key.absent,
                    Some(member) => match self.stream.kind_of(&member)? {
                        Kind::Array | Kind::Object => &key.unlike,
                        _ => {
                            let scalar = self.stream.scalar_of(&member)?;
                            self.machine.spend_constant(scalar).continue_value()?;
                            key.branches(scalar)
                        }
                    },
                }
            }
        })
    }

    /// The names to search for, given the remaining branches; pays for the work of
    /// [`Machine::present`](super::Machine::present) and for the rules.
    fn names(&mut self, select: &'p Select, list: &[Candidate]) -> Option<Option<FoundNames<'p>>> {
        let Some(names) = select.names_for(list) else {
            return Some(None);
        };
        self.pay(price::rules(list.len()))?;
        let table = &names.table;
        let mut found = FoundNames {
            names,
            known: 0,
            present: 0,
        };
        if table.are_sought() {
            self.pay(price::SELECT)?;
            let names = table.names().map(Search::Member);
            self.lookahead.searches.extend(names);
            return Some(Some(found));
        }
        self.lookahead.searches.push(Search::Names);
        self.member_where(|_| false)?;
        found.known = u64::MAX;
        let members = self.lookahead.members.iter();
        for member in members.skip(self.lookahead.next.floor) {
            let name = member.key();
            let bit = table.find(name, |ends: NameEnds| ends.hash(name));
            found.present |= bit.copied().unwrap_or(0);
        }
        Some(Some(found))
    }

    /// Whether a branch remains, given the names of the next object.
    fn is_left(&mut self, found: &mut Option<FoundNames<'p>>, branch: Candidate) -> Option<bool> {
        let Some(found) = found else {
            return Some(true);
        };
        let rules = found.names.rules_of(branch)?;
        for rule in rules {
            if self.keeps(found, *rule)? {
                return Some(true);
            }
        }
        Some(rules.is_empty())
    }

    /// Whether the next object satisfies a rule. Searches for each name once.
    fn keeps(&mut self, found: &mut FoundNames<'p>, rule: Rule) -> Option<bool> {
        let table = &found.names.table;
        for (bit, name) in table.data().zip(table.names()) {
            let asked = (rule.required | rule.forbidden) & !found.known;
            if asked == 0 {
                break;
            }
            if asked & bit == 0 {
                continue;
            }
            let is_there = self.member_ahead(name)?.is_some();
            found.known |= bit;
            if is_there {
                found.present |= bit;
            }
            let broken = if is_there {
                rule.forbidden
            } else {
                rule.required
            };
            if broken & bit != 0 {
                return Some(false);
            }
        }
        Some(rule.admits(found.present))
    }

    /// The string under a name in the next object, if it is a string that needs no decoding.
    pub(super) fn text_ahead(&mut self, name: &str) -> Option<&'s str> {
        let member = self.member_ahead(name)??;
        let scalar = self.stream.scalar_of(&member)?;
        (scalar.kind() == Kind::String).then(|| scalar.string())
    }

    /// The member of the next object with the given name.
    fn member_ahead(&mut self, name: &str) -> Option<Option<MemberAhead<'s>>> {
        self.member_where(|member| member.key() == name.as_bytes())
    }

    /// The first member of the next object that satisfies a predicate.
    fn member_where(
        &mut self,
        is: impl Fn(&MemberAhead<'s>) -> bool,
    ) -> Option<Option<MemberAhead<'s>>> {
        let start = self.stream.at();
        let Lookahead { members, next, .. } = &mut self.lookahead;
        if next.start != start || next.rest.is_none() {
            *next = NextObject {
                start,
                floor: members.len(),
                rest: Some(self.stream.members_ahead(INSIDE)?),
            };
        }
        let mut known = members.iter().skip(next.floor);
        if let Some(known) = known.find(|member| is(member)) {
            return Some(Some(*known));
        }
        let rest = next.rest.as_mut()?;
        let from = rest.at();
        let found = loop {
            if members.len() - next.floor >= MOST_MEMBERS {
                return None;
            }
            let Some(member) = rest.next()? else {
                break None;
            };
            members.push(member);
            if is(&member) {
                break Some(member);
            }
        };
        let bytes = rest.at() - from;
        self.spend_ahead(bytes)?;
        Some(found)
    }

    /// Counts bytes that are read one more time than the others.
    pub(super) fn spend_ahead(&mut self, bytes: usize) -> Option<()> {
        self.lookahead.bytes += bytes;
        (self.lookahead.bytes <= AHEAD * self.stream.source().len()).then_some(())
    }
}

/// Maximum number of nodes and unions resolved for one object: each is a walk over its members that
/// is paid for only afterwards.
const MOST: usize = 32;
/// Maximum number of bytes read ahead inside the members: reading more would cost as much as
/// reading the object onto the tape.
const INSIDE: usize = 128;
/// Maximum number of members of one object that are read ahead.
const MOST_MEMBERS: usize = 64;
/// Maximum number of bytes read ahead, as a multiple of the text's length: nested objects could be
/// read ahead once for each level.
const AHEAD: usize = 4;
