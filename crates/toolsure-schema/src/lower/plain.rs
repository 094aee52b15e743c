//! Lowers to the plain program, one operation for each keyword. The same code that lowers to the
//! optimised program adds the operations; nothing is merged, fused or omitted.

use super::builder::NodeBuilder;
use super::lowering::Lowering;
use super::scope::ScopeId;
use crate::dialect::{AppliesTo, Keyword};
use crate::error::CompileError;
use crate::int::{to_u32, to_usize};
use crate::limits::Limits;
use crate::model::{Dangling, Entry, Form, Model, Shape, SubschemaId, TypeSet};
use crate::plan::{NodeIx, Op, PlainKeyword, PlainPlan, PlainSubschema, PlanNode, Run};

/// Lowers each keyword of a model to an operation of its own. `widest` is for a part of a schema: the
/// most members of an object in the instance that it explains.
///
/// # Errors
///
/// A document is missing, or there are more than [`TIMES`] as many subschemas as an optimised
/// program may have.
pub(crate) fn plain(
    model: &Model,
    limits: &Limits,
    widest: Option<usize>,
) -> Result<PlainPlan, CompileError> {
    let limits = Limits {
        plan_nodes: limits.plan_nodes.saturating_mul(TIMES),
        ..limits.clone()
    };
    let mut work = Lowering::new(model, &limits);
    (work.plain, work.widest) = (true, widest);
    work.plan.nodes.reserve(model.subs.len());
    work.plan.ops.reserve(model.entries.len());
    let keywords = model.entries.iter().map(|entry| entry.keyword);
    let of_objects = keywords.filter(|keyword| keyword.applies_to() == AppliesTo::Objects);
    work.plan.objects.reserve(of_objects.count());
    let start = work
        .scopes
        .enter(ScopeId::EMPTY, model.sub(model.root)?.resource)?;
    work.plan.root = work.node(model.root, start)?;
    let mut keywords = Vec::with_capacity(model.entries.len());
    let mut subschemas: Vec<PlainSubschema> = Vec::with_capacity(model.subs.len());
    let mut referring = Vec::new();
    while let Some((id, scope, ix)) = work.waiting.pop() {
        let start = to_u32(keywords.len());
        work.keywords(id, scope, ix, &mut keywords)?;
        let end = to_u32(keywords.len());
        let known = subschemas.len().max(work.plan.nodes.len());
        subschemas.resize(known, PlainSubschema { id, start, end });
        *subschemas.get_mut(ix.index()).ok_or(Dangling)? = PlainSubschema { id, start, end };
        // A cycle is refused during evaluation.
        if work.may_refer(id)?
            && let Ok((to, scope, _)) = work.skip_references(id, scope)
            && to != id
        {
            referring.push((ix, work.node(to, scope)?));
        }
    }
    let mut plan = work.plan;
    // A subschema that is only a reference gets the operations of its target.
    for (ix, to) in referring {
        let to = *plan.node(to);
        if let Some(node) = plan.nodes.get_mut(ix.index()) {
            *node = to;
        }
    }
    // Its literals stay in the documents of the model, which is kept alongside.
    plan.settle();
    Ok(PlainPlan {
        plan,
        subschemas: subschemas.into(),
        keywords: keywords.into(),
    })
}

/// Whether parts of a model can be lowered to a plain program: each of them means the same without
/// the rest, and the whole program is within its limit, so that it explains the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PartSupport {
    /// No.
    None,
    /// Yes, and references may lead from one part to another.
    Referring,
    /// Yes, and nothing refers to a definition.
    Apart,
}

impl PartSupport {
    pub(crate) fn of(model: &Model, limits: &Limits) -> Self {
        let ([document], [resource]) = (&*model.docs, &*model.resources) else {
            return Self::None;
        };
        let nodes = document.text.document().len();
        // The names in tables, and the steps of each subschema through references and single branches.
        let rows = nodes.saturating_mul(model.targets.len() + ROWS);
        let most = limits.plan_nodes.saturating_mul(TIMES);
        if !resource.anchors.is_empty()
            || model.scope_names > 0
            || model.patterns.len() > MOST_PATTERNS
            || nodes.saturating_add(rows / 16) >= most
        {
            return Self::None;
        }
        match model.targets.is_empty() {
            true => Self::Apart,
            false => Self::Referring,
        }
    }
}

/// Patterns that parsing a part finds again; any more would be compiled again.
const MOST_PATTERNS: usize = 64;

impl Lowering<'_> {
    /// Whether a subschema has a keyword that applies another one in place.
    fn may_refer(&self, id: SubschemaId) -> Result<bool, Dangling> {
        let mut entries = self.model.entries(self.model.sub(id)?)?.iter();
        Ok(entries.any(|entry| matches!(entry.form, Form::Reference(_) | Form::List(_))))
    }

    /// Lowers the keywords of one node, each to one operation, and records the keywords in
    /// evaluation order.
    fn keywords(
        &mut self,
        id: SubschemaId,
        scope: ScopeId,
        ix: NodeIx,
        keywords: &mut Vec<PlainKeyword>,
    ) -> Result<(), CompileError> {
        let model = self.model;
        let sub = model.sub(id)?;
        let entries = model.entries(sub)?;
        let mut builder = NodeBuilder::with_memory(std::mem::take(&mut self.spare_ops));
        let mut types = match sub.shape {
            Shape::Always(false) => TypeSet::NONE,
            _ => TypeSet::ALL,
        };
        let (mut walks_members, mut walks_items) = (false, false);
        let first = keywords.len();
        let mut rounds = 0;
        let conditional = Entry::find(entries, Keyword::If).is_some();
        for (place, entry) in (0..).zip(entries) {
            if matches!(entry.keyword, Keyword::Then | Keyword::Else) && !conditional {
                continue;
            }
            if let Form::Types(asked) = entry.form {
                types = types.intersection(asked);
                let op = Some(Op::Apply(NodeIx::of_types(asked)));
                keywords.push(PlainKeyword { place, op });
                continue;
            }
            let only = std::slice::from_ref(entry);
            let before = builder.ops.len();
            match (entry.keyword, entry.keyword.applies_to()) {
                (Keyword::UnevaluatedItems | Keyword::UnevaluatedProperties, _) => {
                    self.unevaluated_plainly(id, scope, entry, &mut builder)?;
                }
                (_, AppliesTo::Objects) => self.object(id, sub, scope, only, &mut builder)?,
                (_, AppliesTo::Arrays) => self.array(id, sub, scope, only, &mut builder)?,
                _ => self.value_keyword(id, sub, scope, entry, &mut builder)?,
            }
            let op = match builder.ops.get_mut(before) {
                None => None,
                Some((run, op)) => {
                    // A node has room for one walk over members and one over items; further walks
                    // go into the run for values of any kind.
                    let again = match run {
                        Run::Object => std::mem::replace(&mut walks_members, true),
                        Run::Array => std::mem::replace(&mut walks_items, true),
                        _ => false,
                    };
                    if again {
                        *run = Run::Any;
                    }
                    Some(*op)
                }
            };
            rounds |= round_of(entry.keyword);
            keywords.push(PlainKeyword { place, op });
        }
        if rounds > 0 {
            let round = |keyword: &PlainKeyword| {
                let entry = entries.get(to_usize(keyword.place));
                entry.map_or(0, |entry| round_of(entry.keyword))
            };
            keywords
                .get_mut(first..)
                .ok_or(Dangling)?
                .sort_by_key(round);
        }
        self.check_ops(id, &builder)?;
        let mut node = match builder.ops.is_empty() {
            true => {
                self.spare_ops = builder.ops;
                PlanNode::of_types(types)
            }
            false => {
                builder.types = Some(types);
                self.pack(builder)
            }
        };
        node.traits.leaf = !node.has(Run::FURTHER);
        // An explanation evaluates the levels below each level again.
        node.traits.memo = !node.traits.leaf;
        // A node without changes accepts everything.
        *self.plan.nodes.get_mut(ix.index()).ok_or(Dangling)? = node;
        Ok(())
    }
}

/// Keywords are evaluated in up to three rounds, because some read what others left unevaluated.
fn round_of(keyword: Keyword) -> u8 {
    match keyword {
        Keyword::Then | Keyword::Else | Keyword::MinContains | Keyword::MaxContains => 1,
        Keyword::UnevaluatedItems | Keyword::UnevaluatedProperties => 2,
        _ => 0,
    }
}

/// How many subschemas a plain program may have for each of an optimised one: subschemas that only
/// ask for a type, or are only references, have nodes as well.
const TIMES: usize = 8;
/// The most rows of tables for each value of a schema, apart from references: names of members, and
/// subschemas that nest.
const ROWS: usize = 70;
