//! Gathers the values that a plan compares with into a document of their own, so
//! that a compiled schema need not keep the documents it was made from.

use std::sync::Arc;

use toolgate_json::{Node as _, OwnedDocument, ReadLimits};

use crate::plan::{Literal, Plan};

/// Moves every literal of a plan into one document, an array of them.
pub(super) fn gather(plan: &mut Plan) {
    let mut text = String::from("[");
    for literal in places(plan) {
        let view = plan.literal(*literal);
        if text.len() > 1 {
            text.push(',');
        }
        text.push_str(view.map_or("null", |view| view.raw()));
    }
    if text.len() == 1 {
        plan.docs = Box::default();
        return;
    }
    text.push(']');
    // They were read once already: only depth, size and count could grow.
    let limits = ReadLimits {
        bytes: usize::MAX,
        depth: usize::MAX,
        nodes: usize::MAX,
        digits: usize::MAX,
        ..ReadLimits::default()
    };
    let Ok(document) = OwnedDocument::read(text, &limits) else {
        return;
    };
    let items: Vec<_> = document
        .document()
        .root()
        .items()
        .map(|item| item.id())
        .collect();
    for (literal, node) in places_mut(plan).zip(items) {
        *literal = Literal { doc: 0, node };
    }
    plan.docs = Box::new([Arc::new(document)]);
}

fn places(plan: &Plan) -> impl Iterator<Item = &Literal> {
    let enums = plan.enums.iter();
    let members = enums.flat_map(|members| {
        let compound = members.compound.iter().map(|(_, literal)| literal);
        members.numbers.iter().chain(compound)
    });
    let numbers = plan.numbers.iter().map(|number| &number.literal);
    plan.literals.iter().chain(numbers).chain(members)
}

/// The same, in the same order.
fn places_mut(plan: &mut Plan) -> impl Iterator<Item = &mut Literal> {
    let members = plan.enums.iter_mut().flat_map(|members| {
        let compound = members.compound.iter_mut().map(|(_, literal)| literal);
        members.numbers.iter_mut().chain(compound)
    });
    let numbers = plan.numbers.iter_mut().map(|number| &mut number.literal);
    plan.literals.iter_mut().chain(numbers).chain(members)
}
