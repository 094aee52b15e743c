//! What an object must match, found by looking ahead in the text.
//!
//! A subschema with unions and references asks an object more than one walk can answer.
//! Where the value of one member leaves a single branch of each union, that member is
//! looked up ahead, subschema by subschema as the machine evaluates them. What is left is a
//! list of walks that must all match; they go side by side over the text in one pass.
//! [`Traits::lookahead`](crate::plan::Traits) says for which nodes that can be so.
//!
//! The price is the machine's, so the part of it that depends on how many members there are
//! is settled behind the object: see [`Step`].

use toolgate_json::{Key as _, Kind, Node as _, Scalar};

use super::price_of_text;
use super::stream::Pass;
use crate::int::to_usize;
use crate::plan::{NONE, NodeIx, ObjectPlan, Op, Run, Union};
use crate::price;

/// What looking ahead found.
#[derive(Debug, Default)]
pub(super) struct Lookahead<'p> {
    /// Members of the open objects that were evaluated ahead.
    pub(super) steps: Vec<Step<'p>>,
    /// Nodes that the machine would remember for the innermost object.
    known: Vec<NodeIx>,
    /// How many more nodes and unions may be asked about the innermost object.
    left: usize,
    /// Bytes that were looked at ahead.
    bytes: usize,
}

/// Members of an object that were evaluated ahead.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step<'p> {
    /// A walk that must match, the depth of its subschema, and how many names it
    /// requires were met.
    Walk {
        object: &'p ObjectPlan,
        depth: u32,
        met: u32,
    },
    /// A member that was looked up.
    Search(&'p str),
}

/// A member's value that was looked at ahead.
enum Value<'s> {
    Plain(Scalar<'s>),
    /// An array, an object, or a string with escapes.
    Other(Kind),
}

impl<'p, 's> Pass<'p, '_, '_, 's> {
    /// Passes the object that is next by all that a node asks of it. Says whether it could;
    /// if not, the position does not change.
    #[inline(never)]
    pub(super) fn resolved(&mut self, ix: NodeIx) -> Option<bool> {
        let (fuel, depth) = (self.machine.fuel, self.machine.depth);
        let floor = self.lookahead.steps.len();
        self.lookahead.known.clear();
        self.lookahead.left = MOST;
        let found = self.node(ix);
        if found.is_none() {
            (self.machine.fuel, self.machine.depth) = (fuel, depth);
        } else {
            self.side_by_side(floor)?;
        }
        self.lookahead.steps.truncate(floor);
        Some(found.is_some())
    }

    /// Notes the walks that a node asks for; `None` if it is not sure to come down to them.
    fn node(&mut self, ix: NodeIx) -> Option<()> {
        self.pay(1)?;
        let node = self.machine.plan.node(ix);
        if !node.types.has_kind(Kind::Object) {
            return None;
        }
        if node.traits.plain {
            return Some(());
        }
        self.lookahead.left = self.lookahead.left.checked_sub(1)?;
        if node.traits.memo {
            self.pay(1)?;
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
        if node.object != NONE {
            self.lookahead.steps.push(Step::Walk {
                object: plan.objects.get(to_usize(node.object))?,
                depth: self.machine.depth,
                met: 0,
            });
        }
        // The run is there and not executed where the node's types say the same.
        if node.has(Run::Any.bit()) {
            for op in plan.run_of(node, Run::Any)? {
                match *op {
                    Op::Apply(target) => self.node(target)?,
                    Op::AnyOf(union) => self.branch(plan.unions.get(to_usize(union))?, true)?,
                    Op::OneOf(union) => self.branch(plan.unions.get(to_usize(union))?, false)?,
                    _ => return None,
                }
            }
        }
        self.machine.depth -= 1;
        Some(())
    }

    /// Notes the walks of the one branch for objects that their members leave of a union;
    /// `first` says whether the machine looks at no branch behind one that matches.
    fn branch(&mut self, union: &'p Union, first: bool) -> Option<()> {
        let branches = match &union.select {
            None => &union.branches,
            Some(select) => {
                self.lookahead.left = self.lookahead.left.checked_sub(1)?;
                let name = select.name.known_name(0)?;
                self.lookahead.steps.push(Step::Search(name));
                match self.member_ahead(name)? {
                    None => &select.absent,
                    Some(Value::Plain(scalar)) => {
                        self.pay(price_of_text(scalar.string().len()))?;
                        select.branches(scalar)
                    }
                    Some(Value::Other(Kind::String)) => return None,
                    Some(Value::Other(_)) => &select.unlike,
                }
            }
        };
        let plan = self.machine.plan;
        let mut chosen = None;
        for branch in branches {
            if !plan.node(*branch).types.has_kind(Kind::Object) {
                self.pay(u64::from(!first || chosen.is_none()))?;
            } else if chosen.replace(*branch).is_some() {
                return None;
            }
        }
        self.node(chosen?)
    }

    /// The text that the object that is next has under a name, if it is plain.
    pub(super) fn text_ahead(&mut self, name: &str) -> Option<&'s str> {
        match self.member_ahead(name)?? {
            Value::Plain(scalar) if scalar.kind() == Kind::String => Some(scalar.string()),
            _ => None,
        }
    }

    /// The member with a name of the object that is next. Stands before the object as it
    /// did.
    fn member_ahead(&mut self, name: &str) -> Option<Option<Value<'s>>> {
        let (mark, start) = (self.stream.mark(), self.stream.at());
        let found = self.sought(name);
        let bytes = self.stream.at() - start;
        self.stream.reset(mark);
        self.spend_ahead(bytes)?;
        found
    }

    fn sought(&mut self, name: &str) -> Option<Option<Value<'s>>> {
        let mut more = self.stream.open(Kind::Object)?;
        while more {
            let found = self.stream.key()?.bytes() == name.as_bytes();
            let kind = self.stream.kind()?;
            match self.stream.scalar() {
                Some(scalar) if found => return Some(Some(Value::Plain(scalar))),
                Some(_) => {}
                None if found => return Some(Some(Value::Other(kind))),
                None => self.stream.skip()?,
            }
            more = self.stream.after(Kind::Object)?;
        }
        Some(None)
    }

    /// Counts bytes that are read once more than the others.
    pub(super) fn spend_ahead(&mut self, bytes: usize) -> Option<()> {
        self.lookahead.bytes += bytes;
        (self.lookahead.bytes <= AHEAD * self.stream.source().len()).then_some(())
    }
}

/// So many nodes and unions are asked about one object: each is a walk over its members that
/// is paid for when it is over.
const MOST: usize = 16;
/// The bytes that may be looked at ahead, as a multiple of the text's: objects inside each
/// other could be looked at once for each level.
const AHEAD: usize = 4;
