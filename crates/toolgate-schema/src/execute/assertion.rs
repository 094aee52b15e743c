//! One operation alone, for the plain program.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::name::Name;
use super::{Allowance, Exhausted, Machine, Scratch};
use crate::plan::Assertions;

/// Whether a value satisfies the keyword at that place of the model, by the operation that
/// the optimised plan has for it. Takes the work from `fuel`.
pub(crate) fn assert<'i, N: Node<'i>>(
    assertions: &Assertions,
    entry: usize,
    value: N,
    fuel: &mut u64,
) -> ControlFlow<Exhausted, bool> {
    let Some(node) = assertions.node(entry) else {
        return ControlFlow::Break(Exhausted::Internal);
    };
    let allowance = Allowance {
        fuel: *fuel,
        depth: 1,
    };
    // An assertion applies no other subschema, so that nothing is remembered.
    let mut scratch = Scratch::default();
    let mut machine = Machine::new(&assertions.plan, allowance, &mut scratch);
    let answer = machine.evaluate(node, value);
    *fuel = machine.fuel;
    answer.map_break(|stop| stop.exhausted(allowance))
}

/// The same for the name of a member, as `propertyNames` sees it.
pub(crate) fn assert_name(
    assertions: &Assertions,
    entry: usize,
    name: &str,
    fuel: &mut u64,
) -> ControlFlow<Exhausted, bool> {
    assert(assertions, entry, Name::new(name), fuel)
}
