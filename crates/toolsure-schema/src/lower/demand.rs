//! Computes what a subschema requires of an object's members, without an instance: that a member
//! has one of some values, and that names are present or absent.
//!
//! All answers are necessary conditions: a subschema may require more than is found here.

use foldhash::{HashSet, HashSetExt as _};
use std::cell::Cell;

use toolsure_json::{Kind, Node as _};

use crate::int::to_usize;
use crate::model::TypeSet;
use crate::plan::{Constant, Leaf, NameTable, NodeIx, ObjectPlan, Op, Plan, PlanNode, Rule, Run};

/// The values that a member may have.
#[derive(Debug, Clone)]
pub(super) struct Demand<'p> {
    /// The values, each once: the allowed ones, or with `negated` the forbidden ones.
    pub(super) values: Vec<Constant<'p>>,
    pub(super) negated: bool,
    /// Whether it may be an array, an object or a number that is not a [`Constant::Integer`].
    pub(super) unlike: bool,
    /// Whether nothing else is required of the member.
    pub(super) exact: bool,
}

impl<'p> Demand<'p> {
    pub(super) fn anything() -> Self {
        Self {
            values: Vec::new(),
            negated: true,
            unlike: true,
            exact: true,
        }
    }

    /// Whether a value may be present; `None` stands for every value outside the list.
    pub(super) fn admits(&self, value: Option<Constant<'p>>) -> bool {
        value.is_some_and(|value| self.values.contains(&value)) != self.negated
    }

    /// The values that either of two demands allows.
    fn or(self, other: Self) -> Self {
        let (ours, theirs) = (&self.values, &other.values);
        let (values, negated) = match (self.negated, other.negated) {
            (false, false) => {
                let new = kept(theirs, |value| !ours.contains(value));
                (ours.iter().copied().chain(new).collect(), false)
            }
            (true, true) => (kept(ours, |value| theirs.contains(value)), true),
            (true, false) => (kept(ours, |value| !theirs.contains(value)), true),
            (false, true) => (kept(theirs, |value| !ours.contains(value)), true),
        };
        Self {
            values,
            negated,
            unlike: self.unlike || other.unlike,
            exact: false,
        }
    }
}

pub(super) fn kept<'p>(
    values: &[Constant<'p>],
    keep: impl Fn(&Constant<'p>) -> bool,
) -> Vec<Constant<'p>> {
    values.iter().copied().filter(keep).collect()
}

/// Finds demands; all searches in a plan share a limited number of steps.
pub(super) struct Demands<'p> {
    pub(super) plan: &'p Plan,
    left: &'p Cell<usize>,
}

impl<'p> Demands<'p> {
    pub(super) fn new(plan: &'p Plan, left: &'p Cell<usize>) -> Self {
        Self { plan, left }
    }

    /// The number of steps for a plan.
    pub(super) fn steps(plan: &Plan) -> usize {
        LEAST_STEPS + plan.nodes.len().saturating_mul(STEPS_PER_NODE)
    }

    /// Counts some steps; returns whether so many were left.
    fn spend(&self, steps: usize) -> bool {
        let left = self.left.get().checked_sub(steps);
        self.left.set(left.unwrap_or(0));
        left.is_some()
    }

    /// Counts a step; returns whether one was left.
    fn step(&self) -> bool {
        self.spend(1)
    }

    /// Whether some object may match a node, by its types.
    pub(super) fn admits_objects(&self, ix: NodeIx) -> bool {
        self.plan.node(ix).types.intersects(TypeSet::OBJECT)
    }

    pub(super) fn object(&self, node: &PlanNode) -> Option<&'p ObjectPlan> {
        self.plan.objects.get(to_usize(node.object))
    }

    /// The nodes that a node applies unconditionally, as far as they are among its first few
    /// operations.
    fn applied(&self, node: &PlanNode) -> impl Iterator<Item = NodeIx> + use<'p> {
        let ops = self.plan.run(node, Run::Any).iter().take(APPLIED_ASKED);
        ops.filter_map(|op| match op {
            Op::Apply(target) => Some(*target),
            _ => None,
        })
    }

    /// The branches that accept objects of the first union of a node, if there are few and at least
    /// one.
    fn union(&self, node: &PlanNode) -> Option<impl Iterator<Item = NodeIx> + use<'p>> {
        let ops = self.plan.run(node, Run::Any).iter().take(APPLIED_ASKED);
        let mut unions = ops.filter_map(|op| match op {
            Op::AnyOf(union) | Op::OneOf(union) => Some(self.plan.branches(*union)),
            _ => None,
        });
        let branches = unions.next()?;
        let plan = self.plan;
        let admits = move |ix: &NodeIx| plan.node(*ix).types.intersects(TypeSet::OBJECT);
        let few = branches.len() <= BRANCHES_FOLLOWED && branches.iter().any(admits);
        few.then(|| branches.iter().copied().filter(admits))
    }

    /// The names of members that some branches, or nodes that they apply, require to have one of some
    /// values.
    pub(super) fn key_names(
        &self,
        branches: impl Iterator<Item = NodeIx>,
        depth: u32,
    ) -> Vec<&'p str> {
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        let mut found = |object: &'p ObjectPlan| {
            let slots = object.names.data().zip(object.names.names());
            let listed =
                slots.filter(|(slot, _)| slot.declared && self.lists_values(slot.target.node));
            names.extend(listed.map(|(_, name)| name));
        };
        for ix in branches {
            self.visit(ix, depth, &mut seen, &mut found);
        }
        names
    }

    /// Calls `found` with the walk of a node, and with those of the nodes that it applies in some or
    /// all cases; `found` may look at every name, so it gets a large walk once. `seen` has those
    /// that it got.
    fn visit(
        &self,
        ix: NodeIx,
        depth: u32,
        seen: &mut HashSet<u32>,
        found: &mut dyn FnMut(&'p ObjectPlan),
    ) {
        if !self.step() {
            return;
        }
        let node = self.plan.node(ix);
        if let Some(object) = self.object(node)
            && (object.names.len() <= FEW_NAMES || seen.insert(node.object))
        {
            if !self.spend(object.names.len() / NAMES_PER_STEP) {
                return;
            }
            found(object);
        }
        let Some(below) = depth.checked_sub(1) else {
            return;
        };
        let branches = self.union(node).into_iter().flatten();
        for target in self.applied(node).chain(branches) {
            self.visit(target, below, seen, found);
        }
    }

    /// Whether a condition holds for the walk of a node, or of one that it applies in all cases.
    fn in_all_cases(&self, ix: NodeIx, depth: u32, holds: &dyn Fn(&ObjectPlan) -> bool) -> bool {
        if !self.step() {
            return false;
        }
        let node = self.plan.node(ix);
        if self.object(node).is_some_and(holds) {
            return true;
        }
        let Some(below) = depth.checked_sub(1) else {
            return false;
        };
        self.applied(node)
            .any(|target| self.in_all_cases(target, below, holds))
            || self.union(node).is_some_and(|mut branches| {
                branches.all(|branch| self.in_all_cases(branch, below, holds))
            })
    }

    /// The values that a node, or one that it applies, allows for a member, which need not be
    /// present.
    pub(super) fn demand(&self, ix: NodeIx, name: &str, depth: u32) -> Option<Demand<'p>> {
        if !self.step() {
            return None;
        }
        let node = self.plan.node(ix);
        let own = self.object(node).and_then(|object| {
            let slot = object.names.find_text(name);
            let slot = slot.filter(|slot| slot.declared)?;
            self.values_of(slot.target.node)
        });
        let below = depth.checked_sub(1);
        own.or_else(|| {
            self.applied(node)
                .find_map(|target| self.demand(target, name, below?))
        })
        .or_else(|| {
            let mut all: Option<Demand<'p>> = None;
            for branch in self.union(node)? {
                let one = self.demand(branch, name, below?)?;
                let joined = match all {
                    None => one,
                    Some(others) => {
                        let pairs = others.values.len().saturating_mul(one.values.len());
                        if !self.spend(pairs / PAIRS_PER_STEP) {
                            return None;
                        }
                        others.or(one)
                    }
                };
                if joined.values.len() > VALUES_ASKED {
                    return None;
                }
                all = Some(joined);
            }
            all
        })
    }

    /// Whether there may be a [`demand`](Self::demand).
    pub(super) fn asks(&self, ix: NodeIx, name: &str, depth: u32) -> bool {
        self.in_all_cases(ix, depth, &|object| {
            let slot = object.names.find_text(name);
            slot.is_some_and(|slot| slot.declared && self.lists_values(slot.target.node))
        })
    }

    /// The values that a node accepts, if it lists the values it accepts or rejects.
    pub(super) fn values_of(&self, ix: NodeIx) -> Option<Demand<'p>> {
        self.values(ix).or_else(|| self.excluded(ix))
    }

    /// Whether there may be [`values_of`](Self::values_of) a node.
    fn lists_values(&self, ix: NodeIx) -> bool {
        let node = self.plan.node(ix);
        node.has(Run::Head.bit()) || matches!(self.plan.all_ops(node), [Op::Not(_)])
    }

    /// The values that a node accepts, if it lists them.
    fn values(&self, ix: NodeIx) -> Option<Demand<'p>> {
        let plan = self.plan;
        let node = plan.node(ix);
        let mut demand = match plan.run(node, Run::Head).first()? {
            Op::Leaf(Leaf::Const(index)) => {
                let literal = plan.literal_at(*index)?;
                let value = match literal.kind() {
                    Kind::String => Constant::Text(literal.string()),
                    Kind::Number => Constant::Integer(literal.number().as_i64()?),
                    Kind::Null => Constant::Null,
                    Kind::Boolean if literal.boolean() => Constant::True,
                    Kind::Boolean => Constant::False,
                    Kind::Array | Kind::Object => return None,
                };
                Demand {
                    values: vec![value],
                    negated: false,
                    unlike: false,
                    exact: true,
                }
            }
            Op::Leaf(Leaf::Enum(index)) => {
                let members = plan.enums.get(to_usize(*index))?;
                let words = [
                    (members.null, Constant::Null),
                    (members.yes, Constant::True),
                    (members.no, Constant::False),
                ];
                let words = words
                    .into_iter()
                    .filter_map(|(is, word)| is.then_some(word));
                let strings = members.strings.names().map(Constant::Text);
                let integers = members.integers.iter().copied().map(Constant::Integer);
                let values = strings.chain(integers).chain(words);
                let unlike = !members.numbers.is_empty() || !members.compound.is_empty();
                Demand {
                    values: values.take(VALUES_ASKED + 1).collect(),
                    negated: false,
                    unlike,
                    exact: !unlike,
                }
            }
            _ => return None,
        };
        if demand.values.len() > VALUES_ASKED {
            return None;
        }
        demand.exact &= plan.all_ops(node).len() == 1 && !node.types.contains(TypeSet::LEXICAL);
        // Integers are sorted, and all other values occur once.
        demand.values.dedup();
        demand.values.retain(|value| value.is_of(node.types));
        Some(demand)
    }

    /// The same for a node that lists the values it rejects.
    fn excluded(&self, ix: NodeIx) -> Option<Demand<'p>> {
        let [Op::Not(target)] = self.plan.all_ops(self.plan.node(ix)) else {
            return None;
        };
        let refused = self.values(*target).filter(|demand| demand.exact)?;
        Some(Demand {
            negated: true,
            unlike: true,
            exact: self.plan.node(ix).types.is_all(),
            ..refused
        })
    }

    /// Whether a node, or one that it applies, requires a member.
    pub(super) fn requires(&self, ix: NodeIx, name: &str, depth: u32) -> bool {
        self.in_all_cases(ix, depth, &|object| {
            let slot = object.names.find_text(name);
            slot.is_some_and(|slot| slot.required)
        })
    }

    /// The names that a node, or one that it applies, requires in all or some cases.
    pub(super) fn required_names(&self, ix: NodeIx, depth: u32, names: &mut Vec<&'p str>) {
        self.visit(ix, depth, &mut HashSet::new(), &mut |object| {
            let slots = object.names.data().zip(object.names.names());
            let required = slots.filter(|(slot, _)| slot.required);
            names.extend(required.map(|(_, name)| name).take(NAMES_OF_ONE));
        });
    }

    /// Rules one of which an object satisfies if it matches a node; empty if one of them is
    /// trivial.
    pub(super) fn rules(&self, ix: NodeIx, table: &NameTable<u64>, depth: u32) -> Vec<Rule> {
        let mut rules = self.rules_below(ix, table, depth);
        if rules.contains(&Rule::default()) {
            rules.clear();
        }
        rules
    }

    fn rules_below(&self, ix: NodeIx, table: &NameTable<u64>, depth: u32) -> Vec<Rule> {
        let node = self.plan.node(ix);
        let mut rules = vec![self.own_rule(node, table)];
        let below = depth.checked_sub(1).filter(|_| self.step());
        let Some(below) = below else {
            return rules;
        };
        for target in self.applied(node) {
            rules = both(rules, &self.rules_below(target, table, below));
        }
        if let Some(branches) = self.union(node) {
            let mut any = Vec::new();
            for branch in branches {
                any.extend(self.rules_below(branch, table, below));
            }
            any.sort_unstable_by_key(|rule: &Rule| (rule.required, rule.forbidden));
            any.dedup();
            rules = both(rules, &any);
        }
        rules
    }

    fn own_rule(&self, node: &PlanNode, table: &NameTable<u64>) -> Rule {
        let mut rule = Rule::default();
        let Some(object) = self.object(node) else {
            return rule;
        };
        let closed =
            object.names_decide() && object.additional.map(|rest| rest.node) == Some(NodeIx::FALSE);
        for (bit, name) in table.data().zip(table.names()) {
            let slot = object.names.find_text(name);
            if slot.is_some_and(|slot| slot.required) {
                rule.required |= bit;
            }
            if closed && !slot.is_some_and(|slot| slot.declared) {
                rule.forbidden |= bit;
            }
        }
        rule
    }
}

/// Rules one of which is satisfied if one rule of each list is.
fn both(rules: Vec<Rule>, others: &[Rule]) -> Vec<Rule> {
    if rules.len().saturating_mul(others.len()) > MOST_RULES {
        return rules;
    }
    let pairs = rules
        .iter()
        .flat_map(|one| others.iter().map(move |other| (one, other)));
    let joined = pairs.map(|(one, other)| Rule {
        required: one.required | other.required,
        forbidden: one.forbidden | other.forbidden,
    });
    joined.collect()
}

/// A walk with more names is searched once for each union.
const FEW_NAMES: usize = 16;
/// How many names, and how many pairs of values, are looked at in one step.
const NAMES_PER_STEP: usize = 8;
const PAIRS_PER_STEP: usize = 8;
/// Number of steps for a plan, and for each of its nodes.
const LEAST_STEPS: usize = 1 << 14;
const STEPS_PER_NODE: usize = 64;
/// A member with more values is not used to select.
const VALUES_ASKED: usize = 64;
/// Maximum number of operations of a node that are searched for the nodes it applies.
const APPLIED_ASKED: usize = 4;
/// A union with more branches is not followed.
const BRANCHES_FOLLOWED: usize = 16;
/// Maximum number of required names considered for one node.
const NAMES_OF_ONE: usize = 16;
/// Maximum number of rules for one branch.
const MOST_RULES: usize = 8;
