//! Verdicts of single subschemas, one question after the other about one instance.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::{Allowance, Exhausted, Machine, Scratch, Stop};
use crate::plan::{NodeIx, Plan};

/// A machine that is asked more than once. What it remembers of the instance's values
/// holds for all questions.
pub(crate) struct Judge<'p, 'w, N>(Machine<'p, 'w, N>);

impl<'p, 'w, 'i, N: Node<'i>> Judge<'p, 'w, N> {
    /// A judge of the values of one instance; of `allowance` only the depth is its own.
    pub(crate) fn new(plan: &'p Plan, allowance: Allowance, scratch: &'w mut Scratch) -> Self {
        Self(Machine::new(plan, allowance, scratch))
    }

    /// Whether a value of the instance matches a subschema. Takes the work from `fuel`.
    /// After a bound was reached it must not be asked again.
    pub(crate) fn verdict(
        &mut self,
        node: NodeIx,
        value: N,
        fuel: &mut u64,
    ) -> ControlFlow<Exhausted, bool> {
        let machine = &mut self.0;
        machine.fuel = *fuel;
        let answer = machine.evaluate(node, value);
        *fuel = machine.fuel;
        answer.map_break(|stop| match stop {
            Stop::Fuel => Exhausted::Fuel {
                allowed: machine.allowance.fuel,
            },
            Stop::Depth => Exhausted::Depth {
                allowed: machine.allowance.depth,
            },
        })
    }
}
