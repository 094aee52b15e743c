//! Lowers a resolved model to the optimised program, and to the plain one.
//!
//! Each subschema becomes one node for every dynamic scope in which it is used, so that the
//! executor needs no dynamic scope. References without siblings are skipped, keywords that walk the
//! same members become one walk, also across `allOf` and `$ref`, and `unevaluated*` becomes an
//! ordinary keyword if the schema alone decides what has been evaluated.

mod asserts;
mod builder;
mod collection;
mod conditions;
mod cycle;
mod demand;
mod discriminate;
mod exact;
mod fuse;
mod in_place;
mod leaf;
mod literals;
mod lowering;
mod merge;
mod narrow;
mod pairs;
mod plain;
mod scope;
mod sharing;
mod unevaluated;

use std::borrow::Borrow;
use std::cell::Cell;

use foldhash::HashSet;

use crate::error::{CompileError, CompileErrorKind, Place};
use crate::limits::Limits;
use crate::model::Model;
use crate::plan::{NodeIx, Op, Plan};

use demand::Demands;
use literals::DanglingIndex;
use lowering::Lowering;
pub(crate) use plain::{PartSupport, plain};
use scope::ScopeId;

/// Compiles a model.
///
/// # Errors
///
/// A limit on compiled subschemas is exceeded, or dynamic references form a cycle that applies to
/// the same instance.
pub(crate) fn lower(model: impl Borrow<Model>, limits: &Limits) -> Result<Plan, CompileError> {
    let (mut plan, revisited) = lower_each(model.borrow(), limits)?;
    let has_references = !model.borrow().targets.is_empty();
    // What follows only needs the plan, and the memory of a model that nobody else has.
    drop(model);
    narrow::narrow(&mut plan);
    let left = Cell::new(Demands::steps(&plan));
    discriminate::discriminate(&mut plan, &left);
    conditions::decide(&mut plan, &left);
    let refers = has_references || plan.ops.iter().any(|op| matches!(op, Op::Apply(_)));
    fuse::fuse(&mut plan);
    sharing::mark(&mut plan, &revisited, refers);
    plan.settle();
    plan.find_lookahead();
    literals::gather(&mut plan)
        .map_err(|DanglingIndex| CompileError::new(CompileErrorKind::Internal, Place::default()))?;
    plan.shrink();
    Ok(plan)
}

/// Lowers every node to its operations, before optimisation. Also returns the branches that are
/// evaluated again to find what they evaluated.
fn lower_each(model: &Model, limits: &Limits) -> Result<(Plan, HashSet<NodeIx>), CompileError> {
    let mut work = Lowering::new(model, limits);
    work.tracked = unevaluated::tracked(model)?;
    let start = work
        .scopes
        .enter(ScopeId::EMPTY, model.sub(model.root)?.resource)?;
    work.plan.root = work.node(model.root, start)?;
    while let Some((id, scope, ix)) = work.waiting.pop() {
        work.build(id, scope, ix)?;
        work.check_size(id)?;
    }
    if model.scope_names > 0 {
        work.refuse_cycles()?;
    }
    Ok((work.plan, work.revisited))
}
