//! Holds the plan of a compiled schema. All schemas that only ask for the same types share one
//! plan.

use std::ops::Deref;
use std::sync::OnceLock;

use super::{Inspection, NodeIx, NodeSummary, Plan};
use crate::int::to_usize;
use crate::model::TypeSet;

/// A finished plan.
#[derive(Debug)]
pub(crate) enum PlanHandle {
    Own(Box<Plan>),
    Shared(&'static Plan),
}

impl PlanHandle {
    /// Holds a plan, or the shared one if that says the same.
    pub(crate) fn new(plan: Plan) -> Self {
        if plan.start.inspection == Inspection::Type {
            let types = plan.start.types;
            if let Some(shared) = OF_TYPES.get(to_usize(types.number())) {
                return Self::Shared(shared.get_or_init(|| of_types(types)));
            }
        }
        Self::Own(Box::new(plan))
    }

    /// The approximate size in bytes.
    pub(crate) fn memory(&self) -> usize {
        match self {
            Self::Own(plan) => size_of::<Plan>() + plan.memory(),
            Self::Shared(_) => 0,
        }
    }
}

impl Deref for PlanHandle {
    type Target = Plan;

    #[inline]
    fn deref(&self) -> &Plan {
        match self {
            Self::Own(plan) => plan,
            Self::Shared(plan) => plan,
        }
    }
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
