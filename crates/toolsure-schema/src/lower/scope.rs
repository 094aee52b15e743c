//! Dynamic scopes at compile time.
//!
//! The only part of its dynamic scope that a dynamic reference sees is which resource first bound
//! each name. That is a short vector with few distinct values, so each value gets a number, and
//! subschemas are compiled once for each number.

use foldhash::{HashMap, HashMapExt as _};

use crate::int::{to_u32, to_usize};
use crate::model::{Dangling, Model, ReferenceTarget, ResourceId, ScopeName, SubschemaId};

/// A dynamic scope: the binding of each name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(u32);

impl ScopeId {
    /// No name is bound.
    pub(super) const EMPTY: Self = Self(0);
}

type Bindings = Box<[Option<SubschemaId>]>;

/// Every dynamic scope seen so far.
pub(super) struct Scopes<'o> {
    model: &'o Model,
    scopes: Vec<Bindings>,
    ids: HashMap<Bindings, ScopeId>,
    entered: HashMap<(ScopeId, ResourceId), ScopeId>,
}

impl<'o> Scopes<'o> {
    pub(super) fn new(model: &'o Model) -> Self {
        let mut scopes = Self {
            model,
            ids: HashMap::new(),
            scopes: Vec::new(),
            entered: HashMap::new(),
        };
        if model.scope_names > 0 {
            let empty: Bindings = vec![None; model.scope_names].into();
            scopes.ids.insert(empty.clone(), ScopeId::EMPTY);
            scopes.scopes.push(empty);
        }
        scopes
    }

    /// The scope after entering a resource: names that are still unbound get its binding.
    pub(super) fn enter(
        &mut self,
        scope: ScopeId,
        resource: ResourceId,
    ) -> Result<ScopeId, Dangling> {
        if self.model.scope_names == 0 {
            return Ok(scope);
        }
        if let Some(known) = self.entered.get(&(scope, resource)) {
            return Ok(*known);
        }
        let outer = self.scopes.get(to_usize(scope.0)).ok_or(Dangling)?;
        let mut bound = outer.clone();
        let entered = self.model.resources.get(resource.index());
        for (name, sub) in &entered.ok_or(Dangling)?.scope {
            let slot = bound.get_mut(name.index()).ok_or(Dangling)?;
            slot.get_or_insert(*sub);
        }
        let next = ScopeId(to_u32(self.scopes.len()));
        let scopes = &mut self.scopes;
        let id = *self.ids.entry(bound).or_insert_with_key(|bound| {
            scopes.push(bound.clone());
            next
        });
        self.entered.insert((scope, resource), id);
        Ok(id)
    }

    /// The number of bindings in all scopes so far.
    pub(super) fn bindings(&self) -> usize {
        self.scopes.len().saturating_mul(self.model.scope_names)
    }

    /// The binding of a name.
    pub(super) fn bound(
        &self,
        scope: ScopeId,
        name: ScopeName,
    ) -> Result<Option<SubschemaId>, Dangling> {
        let bindings = self.scopes.get(to_usize(scope.0)).ok_or(Dangling)?;
        bindings.get(name.index()).copied().ok_or(Dangling)
    }
}

impl Scopes<'_> {
    /// The subschema that a reference leads to in a dynamic scope.
    pub(super) fn follow(
        &self,
        scope: ScopeId,
        target: ReferenceTarget,
    ) -> Result<SubschemaId, Dangling> {
        match target {
            ReferenceTarget::Static(sub) => Ok(sub),
            ReferenceTarget::Dynamic { initial, name } => {
                Ok(self.bound(scope, name)?.unwrap_or(initial))
            }
        }
    }
}
