//! Which node of the plan each subschema became, for whoever explains.

use super::scope::ScopeId;
use super::{Class, Lowering, drafted};
use crate::limits::Limits;
use crate::outline::{Outline, SubId};
use crate::plan::{NodeIx, Plan};

/// Which node each subschema of an outline became in the plan that was made of it, or of
/// another outline of the same text; of a subschema that no node was needed for nothing.
/// Nothing at all where one may have become several, each in another dynamic scope.
pub(crate) fn nodes_of(
    outline: &Outline,
    limits: &Limits,
    plan: &Plan,
) -> Option<Box<[Option<NodeIx>]>> {
    let mut work = drafted(outline, limits).ok()?;
    let scope = work
        .scopes
        .enter(ScopeId::EMPTY, outline.sub(outline.root).resource);
    let one_scope = work.scopes.is_only(scope);
    if !one_scope || work.plan.nodes.len() > plan.nodes.len() {
        return None;
    }
    let subs = (0..outline.subs.len()).map(SubId::new);
    Some(subs.map(|id| work.node_made(id, scope)).collect())
}

impl Lowering<'_> {
    /// The node that a subschema became in a dynamic scope, if it did.
    fn node_made(&mut self, id: SubId, scope: ScopeId) -> Option<NodeIx> {
        let (id, scope, class) = self.skip_references(id, scope).ok()?;
        match class {
            Class::Types(types) => Some(NodeIx::plain(types)),
            _ => self.known(id, scope),
        }
    }
}
