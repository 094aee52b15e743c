//! The plans of schemas that only ask for types, which all schemas that ask for the same ones share.

use std::sync::OnceLock;

use super::{Inspection, NodeIx, NodeSummary, Plan};
use crate::int::to_usize;
use crate::model::TypeSet;

/// The shared plan that says the same as a finished plan, if there is one.
pub(crate) fn shared(plan: &Plan) -> Option<&'static Plan> {
    if plan.start.inspection != Inspection::Type {
        return None;
    }
    let types = plan.start.types;
    let shared = OF_TYPES.get(to_usize(types.number()))?;
    Some(shared.get_or_init(|| of_types(types)))
}

/// The plan of a schema that only asks for types.
fn of_types(types: TypeSet) -> Plan {
    let root = NodeIx::of_types(types);
    Plan {
        root,
        start: NodeSummary {
            node: root,
            types,
            ..NodeSummary::TRUE
        },
        ..Plan::default()
    }
}

/// The shared plans, by their types.
static OF_TYPES: [OnceLock<Plan>; TypeSet::COUNT] = [const { OnceLock::new() }; TypeSet::COUNT];
