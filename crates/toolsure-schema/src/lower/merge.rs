//! Merges several walks over the members of an object, or the items of an array, into one that asks
//! of each child what all of them ask.

use super::pairs::Pairs;
use crate::int::{to_u32, to_usize};
use crate::plan::{ArrayPlan, Dependent, NodeIx, NodeSummary, ObjectPlan, Plan, Slot, Slots};

/// Whether walks over members can be merged: only one of them has patterns, and if there are
/// others, all of them allow any member that they do not cover.
pub(super) fn objects_agree(plan: &Plan, parts: &[usize]) -> bool {
    let parts = parts.iter().filter_map(|at| plan.objects.get(*at));
    let mut by_pattern = parts.clone().filter(|object| !object.patterns.is_empty());
    match (by_pattern.next(), by_pattern.next()) {
        (None, _) => true,
        (Some(_), None) => parts.clone().count() == 1 || parts.clone().all(ObjectPlan::is_open),
        _ => false,
    }
}

/// Whether walks over items can be merged.
pub(super) fn arrays_agree(plan: &Plan, parts: &[usize]) -> bool {
    let parts = parts.iter().filter_map(|at| plan.arrays.get(*at));
    parts.filter(|array| array.contains.is_some()).count() < 2
}

/// The index of a walk over members that replaces several.
pub(super) fn objects(pairs: &mut Pairs<'_>, parts: &[usize]) -> u32 {
    let taken = parts.iter().map(|at| {
        let place = pairs.plan.objects.get_mut(*at);
        (*at, place.map(std::mem::take).unwrap_or_default())
    });
    let taken: Vec<(usize, ObjectPlan)> = taken.collect();
    let merged = merged_object(pairs, &taken);
    for (at, object) in taken {
        if let Some(place) = pairs.plan.objects.get_mut(at) {
            *place = object;
        }
    }
    let index = to_u32(pairs.plan.objects.len());
    pairs.plan.objects.push(merged);
    index
}

fn merged_object(pairs: &mut Pairs<'_>, parts: &[(usize, ObjectPlan)]) -> ObjectPlan {
    let mut names = Slots::default();
    let mut merged = ObjectPlan {
        max: usize::MAX,
        ..ObjectPlan::default()
    };
    let mut dependents = Vec::new();
    for (_, part) in parts {
        let mut slots: Vec<(&str, &Slot)> = part.names.names().zip(part.names.data()).collect();
        slots.sort_by_key(|(_, slot)| slot.order);
        for (name, _) in slots {
            names.slot(name, |order| merged_slot(pairs, parts, name, order));
        }
        merged.min = merged.min.max(part.min);
        merged.max = merged.max.min(part.max);
        merged.additional = both_of(pairs, merged.additional, part.additional);
        merged.property_names = match (merged.property_names, part.property_names) {
            (Some(one), Some(other)) => Some(pairs.both(one, other)),
            (one, other) => one.or(other),
        };
        if !part.patterns.is_empty() {
            merged.patterns = part.patterns.clone();
        }
        let mut place = |slot: &u32| names.slot(part.names.name(to_usize(*slot)), Slot::at);
        for dependent in &part.dependents {
            dependents.push(Dependent {
                trigger: place(&dependent.trigger),
                required: dependent.required.iter().map(&mut place).collect(),
                schema: dependent.schema,
            });
        }
    }
    merged.names = names.finish();
    let places = match dependents.is_empty() {
        true => Vec::new(),
        false => merged.names.places(),
    };
    for dependent in &mut dependents {
        let slots = dependent
            .required
            .iter_mut()
            .chain([&mut dependent.trigger]);
        for slot in slots {
            *slot = places.get(to_usize(*slot)).copied().unwrap_or(*slot);
        }
    }
    merged.dependents = dependents.into();
    merged.bound();
    merged
}

/// What all parts ask of the member with a given name.
fn merged_slot(
    pairs: &mut Pairs<'_>,
    parts: &[(usize, ObjectPlan)],
    name: &str,
    order: u32,
) -> Slot {
    let mut merged = Slot::at(order);
    let mut node = NodeIx::TRUE;
    for (_, part) in parts {
        let slot = part.names.find_text(name);
        merged.required |= slot.is_some_and(|slot| slot.required);
        let asked = match slot.filter(|slot| slot.declared) {
            Some(slot) => {
                merged.declared = true;
                Some(slot.target)
            }
            None => part.additional,
        };
        node = pairs.both(node, asked.map_or(NodeIx::TRUE, |target| target.node));
    }
    if merged.declared {
        merged.target = NodeSummary::open(node);
    }
    merged
}

/// The index of a walk over items that replaces several.
pub(super) fn arrays(pairs: &mut Pairs<'_>, parts: &[usize]) -> u32 {
    let mut merged = ArrayPlan {
        max: usize::MAX,
        ..ArrayPlan::default()
    };
    for at in parts {
        let Some(part) = pairs.plan.arrays.get_mut(*at) else {
            continue;
        };
        let part = std::mem::take(part);
        merged.min = merged.min.max(part.min);
        merged.max = merged.max.min(part.max);
        merged.unique |= part.unique;
        merged.contains = merged.contains.or(part.contains);
        let length = merged.prefix.len().max(part.prefix.len());
        let prefix = (0..length).map(|at| {
            let one = merged.prefix.get(at).copied().or(merged.rest);
            let other = part.prefix.get(at).copied().or(part.rest);
            both_of(pairs, one, other).unwrap_or_default()
        });
        merged.prefix = prefix.collect();
        merged.rest = both_of(pairs, merged.rest, part.rest);
        if let Some(place) = pairs.plan.arrays.get_mut(*at) {
            *place = part;
        }
    }
    let index = to_u32(pairs.plan.arrays.len());
    pairs.plan.arrays.push(merged);
    index
}

/// The subschema for two subschemas that both must match; either may be absent.
fn both_of(
    pairs: &mut Pairs<'_>,
    one: Option<NodeSummary>,
    other: Option<NodeSummary>,
) -> Option<NodeSummary> {
    match (one, other) {
        (Some(one), Some(other)) => Some(NodeSummary::open(pairs.both(one.node, other.node))),
        (one, other) => one.or(other),
    }
}
