//! The dynamic scope, as it is while an instance is evaluated.
//!
//! The scope is the list of resources that were entered on the way, outermost
//! first, less those that bind no name which is not bound already: the
//! outermost binding wins, so these can never be seen.

use foldhash::HashMap;

use crate::int::{to_u32, to_usize, units};
use crate::outline::{Outline, ResourceId, ScopeName, SubId};

/// A dynamic scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

impl ScopeId {
    /// Nothing was entered.
    pub(super) const EMPTY: Self = Self(0);
}

/// The last resource entered, and the scope it was entered from.
#[derive(Debug, Clone, Copy)]
struct Entered {
    from: ScopeId,
    resource: ResourceId,
    /// How many resources the scope has.
    length: u64,
}

/// Every scope met so far.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// Scope `n + 1` at place `n`.
    entered: Vec<Entered>,
    known: HashMap<(ScopeId, ResourceId), ScopeId>,
}

impl Scopes {
    /// The scope inside a resource. Also answers the work it took.
    pub(super) fn enter(
        &mut self,
        outline: &Outline,
        scope: ScopeId,
        resource: ResourceId,
    ) -> (ScopeId, u64) {
        let offered = outline
            .resources
            .get(resource.index())
            .map_or(&[][..], |resource| &resource.scope);
        if offered.is_empty() {
            return (scope, 0);
        }
        if let Some(known) = self.known.get(&(scope, resource)) {
            return (*known, 0);
        }
        let length = self.length(scope);
        let work = (length + 1).saturating_mul(units(offered.len()));
        let adds = offered
            .iter()
            .any(|(name, _)| self.bound(outline, scope, *name).is_none());
        let inside = if adds {
            self.entered.push(Entered {
                from: scope,
                resource,
                length: length + 1,
            });
            ScopeId(to_u32(self.entered.len()))
        } else {
            scope
        };
        self.known.insert((scope, resource), inside);
        (inside, work)
    }

    /// What the outermost resource that binds a name binds it to.
    pub(super) fn bound(
        &self,
        outline: &Outline,
        mut scope: ScopeId,
        name: ScopeName,
    ) -> Option<SubId> {
        let mut outermost = None;
        while let Some(entered) = self.entered(scope) {
            let offered = outline.resources.get(entered.resource.index());
            let binding = offered.and_then(|resource| {
                resource
                    .scope
                    .iter()
                    .find(|(offered, _)| *offered == name)
                    .map(|(_, sub)| *sub)
            });
            outermost = binding.or(outermost);
            scope = entered.from;
        }
        outermost
    }

    /// How many resources a scope has.
    pub(super) fn length(&self, scope: ScopeId) -> u64 {
        self.entered(scope).map_or(0, |entered| entered.length)
    }

    fn entered(&self, scope: ScopeId) -> Option<Entered> {
        let place = to_usize(scope.0).checked_sub(1)?;
        self.entered.get(place).copied()
    }
}
