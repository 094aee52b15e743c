//! Moves the values that a plan compares with into one document, so that a compiled schema need not
//! keep the documents it was made from.

use thin_vec::ThinVec;
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};

use crate::plan::{Literal, NumberLiteral, Plan};

/// Moves every literal of a plan into one document, an array of them.
///
/// # Errors
///
/// A literal is not where the plan says.
pub(super) fn gather(plan: &mut Plan) -> Result<(), DanglingIndex> {
    let mut text = String::new();
    for literal in places(plan) {
        let view = plan.literal(*literal).ok_or(DanglingIndex)?;
        text.push(if text.is_empty() { '[' } else { ',' });
        text.push_str(view.raw());
    }
    if text.is_empty() {
        plan.docs = ThinVec::default();
        return Ok(());
    }
    text.push(']');
    // They have been read before: only depth, size and count could be larger.
    let limits = ReadLimits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        ..ReadLimits::default()
    };
    let document = OwnedDocument::read(text, &limits).map_err(|_| DanglingIndex)?;
    let items: Vec<_> = document
        .document()
        .root()
        .items()
        .map(|item| item.id())
        .collect();
    for (literal, node) in places_mut(plan).zip(items) {
        *literal = Literal { doc: 0, node };
    }
    plan.docs = std::iter::once(document).collect();
    Ok(())
}

fn places(plan: &Plan) -> impl Iterator<Item = &Literal> {
    let enums = plan.enums.iter();
    let members = enums.flat_map(|members| {
        let compound = members.compound.iter().map(|(_, literal)| literal);
        members.numbers.iter().chain(compound)
    });
    let numbers = plan.numbers.iter().filter_map(|number| match number {
        NumberLiteral::Integer(_) => None,
        NumberLiteral::Other(literal) => Some(literal),
    });
    plan.literals.iter().chain(numbers).chain(members)
}

/// The mutable literals, in the same order.
fn places_mut(plan: &mut Plan) -> impl Iterator<Item = &mut Literal> {
    let members = plan.enums.iter_mut().flat_map(|members| {
        let compound = members.compound.iter_mut().map(|(_, literal)| literal);
        members.numbers.iter_mut().chain(compound)
    });
    let numbers = plan.numbers.iter_mut().filter_map(|number| match number {
        NumberLiteral::Integer(_) => None,
        NumberLiteral::Other(literal) => Some(literal),
    });
    plan.literals.iter_mut().chain(numbers).chain(members)
}

/// An index leads to no row: the plan contradicts itself.
#[derive(Debug, Clone, Copy)]
pub(super) struct DanglingIndex;
