//! Verdicts of single subschemas, one question after the other about one instance.

use std::ops::ControlFlow;

use toolgate_json::Node;

use super::survey::Suspect;
use super::{Allowance, Answer, Exhausted, Machine, Scratch};
use crate::plan::{Lost, NodeIx, Plan, Target};

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
        self.ask(fuel, |machine| machine.evaluate(node, value))
    }

    /// The same for a member that a survey left open.
    pub(crate) fn further(
        &mut self,
        target: &'p Target,
        value: N,
        fuel: &mut u64,
    ) -> ControlFlow<Exhausted, bool> {
        self.ask(fuel, |machine| machine.further(target, value))
    }

    /// The first of the items that does not match a subschema, with its place among them.
    pub(crate) fn first_failing(
        &mut self,
        node: NodeIx,
        items: &mut impl Iterator<Item = N>,
        fuel: &mut u64,
    ) -> ControlFlow<Exhausted, Option<(usize, N)>> {
        let mut found = None;
        self.ask(fuel, |machine| {
            for (place, item) in items.enumerate() {
                if !machine.evaluate(node, item)? {
                    found = Some((place, item));
                    break;
                }
            }
            ControlFlow::Continue(true)
        })?;
        ControlFlow::Continue(found)
    }

    /// Shows every member of an object that may fail the object keywords of a subschema, and
    /// answers whether those that it requires are there. Nothing if its node has no such
    /// keywords.
    pub(crate) fn survey(
        &mut self,
        node: NodeIx,
        value: N,
        fuel: &mut u64,
        show: impl FnMut(Suspect<'p, N::Key, N>),
    ) -> ControlFlow<Exhausted, Option<bool>> {
        let plan = self.0.plan;
        let object = match plan.own_object(node) {
            Ok(Some(object)) => object,
            Ok(None) => return ControlFlow::Continue(None),
            Err(Lost) => return ControlFlow::Break(Exhausted::Internal),
        };
        let answer = self.ask(fuel, |machine| machine.survey(object, value, show));
        answer.map_continue(Some)
    }

    fn ask(
        &mut self,
        fuel: &mut u64,
        question: impl FnOnce(&mut Machine<'p, 'w, N>) -> Answer,
    ) -> ControlFlow<Exhausted, bool> {
        let machine = &mut self.0;
        machine.fuel = *fuel;
        let answer = question(machine);
        *fuel = machine.fuel;
        answer.map_break(|stop| stop.exhausted(machine.allowance))
    }
}
