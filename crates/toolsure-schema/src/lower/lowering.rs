//! Lowers subschemas one by one: each becomes a node for every dynamic scope in which it is used.

use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};
use toolsure_syntax::LimitName;

use super::asserts::asserts;
use super::builder::NodeBuilder;
use super::scope::{ScopeId, Scopes};
use crate::dialect::{AppliesTo, Keyword};
use crate::error::{CompileError, CompileErrorKind};
use crate::int::to_u32;
use crate::limits::Limits;
use crate::model::{
    Dangling, Entry, Form, Model, ReferenceId, Shape, Subschema, SubschemaId, TypeSet,
};
use crate::plan::{Literal, NONE, NodeIx, Op, Plan, PlanNode, Run, Traits};

/// The work of lowering one model.
pub(super) struct Lowering<'o> {
    pub(super) model: &'o Model,
    pub(super) limits: &'o Limits,
    pub(super) scopes: Scopes<'o>,
    /// Subschemas whose evaluated members a dynamic `unevaluated*` needs.
    pub(super) tracked: Vec<bool>,
    /// Whether to lower to the plain program: each keyword on its own.
    pub(super) plain: bool,
    /// For a part of a schema, the most members of an object in the instance.
    pub(super) widest: Option<usize>,
    pub(super) plan: Plan,
    /// The subschema of each node, recorded if dynamic references may form cycles.
    pub(super) origins: Vec<SubschemaId>,
    /// The node of each subschema in the empty dynamic scope.
    pub(super) node_of: Vec<Option<NodeIx>>,
    /// The same for the other dynamic scopes.
    pub(super) scoped: HashMap<(SubschemaId, ScopeId), NodeIx>,
    /// Reusable memory for the operations of the next node.
    pub(super) spare_ops: Vec<(Run, Op)>,
    /// The class of each subschema, once it was computed.
    pub(super) classes: Vec<Option<Class>>,
    /// The number of names, enum members and analysis steps, which also cost memory and time.
    pub(super) table_rows: usize,
    /// Branches that are evaluated again to find what they evaluated.
    pub(super) revisited: HashSet<NodeIx>,
    pub(super) waiting: Vec<(SubschemaId, ScopeId, NodeIx)>,
}

/// What a subschema can be reduced to.
#[derive(Clone, Copy)]
pub(super) enum Class {
    /// It only asks for types, accepts everything, or accepts nothing.
    Types(TypeSet),
    /// It is only a reference.
    Refers(ReferenceId),
    /// It only applies one other subschema.
    Applies(SubschemaId),
    /// Anything else.
    Asserts,
}

impl<'o> Lowering<'o> {
    /// No nodes yet, only the tables that operations refer to.
    pub(super) fn new(model: &'o Model, limits: &'o Limits) -> Self {
        Self {
            model,
            limits,
            scopes: Scopes::new(model),
            tracked: Vec::new(),
            plain: false,
            widest: None,
            plan: Plan {
                nodes: Vec::with_capacity(model.subs.len() / SUBSCHEMAS_PER_NODE + 1),
                patterns: model.patterns.iter().cloned().collect(),
                docs: model.docs.iter().map(|doc| doc.text.clone()).collect(),
                ops: Vec::with_capacity(OPS_ROOM),
                ..Plan::default()
            },
            origins: Vec::new(),
            node_of: vec![None; model.subs.len()],
            scoped: HashMap::new(),
            spare_ops: Vec::with_capacity(OPS_ROOM),
            classes: vec![None; model.subs.len()],
            table_rows: 0,
            revisited: HashSet::new(),
            waiting: Vec::with_capacity(WAITING),
        }
    }
}

impl Lowering<'_> {
    /// The node of a subschema as used in a dynamic scope.
    pub(super) fn node(&mut self, id: SubschemaId, scope: ScopeId) -> Result<NodeIx, CompileError> {
        let (id, scope) = if self.plain {
            if self.model.sub(id)?.shape == Shape::UNDECODED {
                return Ok(NodeIx::NOWHERE);
            }
            (id, scope)
        } else {
            let (id, scope, class) = self.skip_references(id, scope)?;
            if let Class::Types(types) = class {
                return Ok(NodeIx::of_types(types));
            }
            (id, scope)
        };
        if let Some(ix) = self.known(id, scope) {
            return Ok(ix);
        }
        let ix = self.new_node(id)?;
        self.waiting.push((id, scope, ix));
        match (scope, self.node_of.get_mut(id.index())) {
            (ScopeId::EMPTY, Some(slot)) => *slot = Some(ix),
            _ => drop(self.scoped.insert((id, scope), ix)),
        }
        Ok(ix)
    }

    /// The node of a subschema in a dynamic scope, if it exists already.
    pub(super) fn known(&self, id: SubschemaId, scope: ScopeId) -> Option<NodeIx> {
        match scope {
            ScopeId::EMPTY => self.node_of.get(id.index()).copied().flatten(),
            _ => self.scoped.get(&(id, scope)).copied(),
        }
    }

    /// A new node that accepts everything so far.
    pub(super) fn new_node(&mut self, id: SubschemaId) -> Result<NodeIx, CompileError> {
        self.check_size(id)?;
        let ix = NodeIx::new(self.plan.nodes.len());
        self.plan.nodes.push(PlanNode::of_types(TypeSet::ALL));
        if self.model.scope_names > 0 {
            self.origins.push(id);
        }
        Ok(ix)
    }

    /// A subschema's child in the same dynamic scope, or the one it enters.
    pub(super) fn child(
        &mut self,
        id: SubschemaId,
        scope: ScopeId,
    ) -> Result<NodeIx, CompileError> {
        let scope = self.scopes.enter(scope, self.model.sub(id)?.resource)?;
        self.node(id, scope)
    }

    /// Follows subschemas that do nothing but apply one other subschema.
    pub(super) fn skip_references(
        &mut self,
        mut id: SubschemaId,
        mut scope: ScopeId,
    ) -> Result<(SubschemaId, ScopeId, Class), CompileError> {
        for _ in 0..=self.model.subs.len() {
            self.table_rows += 1;
            id = match self.class(id)? {
                Class::Refers(target) => self.scopes.follow(scope, self.model.target(target)?)?,
                Class::Applies(one) => one,
                class => return Ok((id, scope, class)),
            };
            scope = self.scopes.enter(scope, self.model.sub(id)?.resource)?;
        }
        Err(self.cyclic(id))
    }

    /// The class of a subschema.
    pub(super) fn class(&mut self, id: SubschemaId) -> Result<Class, Dangling> {
        if let Some(Some(known)) = self.classes.get(id.index()) {
            return Ok(*known);
        }
        let sub = self.model.sub(id)?;
        let entries = self.model.entries(sub)?;
        let mut asserting = entries.iter().filter(|entry| asserts(entries, entry));
        let class = match (sub.shape, asserting.next(), asserting.next()) {
            (Shape::Always(false), _, _) => Class::Types(TypeSet::NONE),
            (Shape::Always(true), _, _) | (_, None, _) => Class::Types(TypeSet::ALL),
            (_, Some(only), None) => match (&only.form, only.keyword) {
                (Form::Types(types), _) => Class::Types(*types),
                (Form::Reference(target), _) => Class::Refers(*target),
                (Form::List(list), Keyword::AllOf | Keyword::AnyOf | Keyword::OneOf) => {
                    match **list {
                        [one] => Class::Applies(one),
                        _ => Class::Asserts,
                    }
                }
                _ => Class::Asserts,
            },
            _ => Class::Asserts,
        };
        if let Some(slot) = self.classes.get_mut(id.index()) {
            *slot = Some(class);
        }
        Ok(class)
    }

    /// Fails if the plan exceeds its size limit.
    pub(super) fn check_size(&self, id: SubschemaId) -> Result<(), CompileError> {
        let tables = self.scopes.bindings() + self.table_rows;
        if self.plan.nodes.len() + tables / ROWS_PER_NODE < self.limits.plan_nodes {
            return Ok(());
        }
        Err(self.too_large(id, self.limits.plan_nodes))
    }

    /// The error for a model that contradicts itself at a subschema: its document is missing, or a
    /// keyword has an impossible form.
    pub(super) fn internal_error(&self, id: SubschemaId) -> CompileError {
        CompileError::new(CompileErrorKind::Internal, self.model.location(id))
    }

    pub(super) fn too_large(&self, id: SubschemaId, allowed: usize) -> CompileError {
        CompileError::limit_reached(LimitName::PlanNodes, allowed, self.model.location(id))
    }

    /// Lowers the keywords of one node to operations.
    pub(super) fn build(
        &mut self,
        id: SubschemaId,
        scope: ScopeId,
        ix: NodeIx,
    ) -> Result<(), CompileError> {
        let model = self.model;
        let sub = model.sub(id)?;
        let entries = model.entries(sub)?;
        let mut builder = NodeBuilder::with_memory(std::mem::take(&mut self.spare_ops));
        self.table_rows += entries.len() / ROWS_PER_NODE;
        for entry in entries {
            self.value_keyword(id, sub, scope, entry, &mut builder)?;
        }
        self.object(id, sub, scope, entries, &mut builder)?;
        self.array(id, sub, scope, entries, &mut builder)?;
        self.unevaluated(id, sub, scope, &mut builder)?;
        self.check_ops(id, &builder)?;
        let node = self.pack(builder);
        // A node without changes accepts everything.
        *self.plan.nodes.get_mut(ix.index()).ok_or(Dangling)? = node;
        Ok(())
    }

    /// Adds the operation of a keyword that concerns the value as a whole, whatever its type.
    /// [`object`](Self::object) and [`array`](Self::array) add the others.
    pub(super) fn value_keyword(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        scope: ScopeId,
        entry: &Entry,
        builder: &mut NodeBuilder,
    ) -> Result<(), CompileError> {
        let entries = self.model.entries(sub)?;
        let done = match entry.keyword.applies_to() {
            AppliesTo::Arrays | AppliesTo::Objects => true,
            AppliesTo::Any | AppliesTo::Numbers | AppliesTo::Strings => {
                self.leaf(id, sub, entry, builder)?
                    || self.in_place(entries, scope, entry, builder)?
                    || !asserts(entries, entry)
            }
        };
        match done {
            true => Ok(()),
            false => Err(self.internal_error(id)),
        }
    }

    /// Fails if a node has more operations than can be counted.
    pub(super) fn check_ops(
        &self,
        id: SubschemaId,
        builder: &NodeBuilder,
    ) -> Result<(), CompileError> {
        if builder.ops.len() >= PlanNode::MOST_OPS {
            return Err(self.too_large(id, PlanNode::MOST_OPS));
        }
        Ok(())
    }

    /// A node with the operations that were added, sorted by run.
    pub(super) fn pack(&mut self, mut builder: NodeBuilder) -> PlanNode {
        let first = self.plan.ops.len();
        let mut ends = [0; Run::COUNT];
        let (mut present, mut object, mut array) = (0, NONE, NONE);
        builder.ops.sort_by_key(|(run, _)| run.position());
        for (count, (run, op)) in (1..).zip(builder.ops.drain(..)) {
            match (run, op) {
                (Run::Object, Op::Object(index)) if object == NONE => object = index,
                (Run::Array, Op::Array(index)) if array == NONE => array = index,
                _ => {}
            }
            present |= run.bit();
            if let Some(end) = ends.get_mut(run.position()) {
                *end = count;
            }
            self.plan.ops.push(op);
        }
        // A run without operations ends where the one before it does.
        let mut before = 0;
        for end in &mut ends {
            before = before.max(*end);
            *end = before;
        }
        self.spare_ops = builder.ops;
        let types_only = before == 0;
        PlanNode {
            types: builder.types.unwrap_or(TypeSet::ALL),
            traits: Traits {
                types_only,
                leaf: types_only,
                memo: false,
                lookahead: false,
            },
            present,
            object,
            array,
            start: to_u32(first),
            ends,
        }
    }

    pub(super) fn literal(&self, sub: Subschema, entry: &Entry) -> Literal {
        Literal {
            doc: to_u32(sub.doc.index()),
            node: entry.value,
        }
    }

    /// Whether the members and items that `id` evaluates must stay visible to an `unevaluated*`
    /// keyword.
    pub(super) fn is_tracked(&self, id: SubschemaId) -> Result<bool, Dangling> {
        if self.plain {
            return Ok(true);
        }
        self.tracked.get(id.index()).copied().ok_or(Dangling)
    }
}

/// This many table rows count as one node.
const ROWS_PER_NODE: usize = 16;
/// The approximate number of subschemas for each node: most only ask for a type.
const SUBSCHEMAS_PER_NODE: usize = 3;
/// Initial capacity for nodes that wait to be lowered, and for the operations of one node.
const WAITING: usize = 8;
const OPS_ROOM: usize = 16;
