//! Resolves `unevaluated*` at compile time where possible.
//!
//! The set of members that other keywords evaluate depends on the instance only because of
//! conditional applicators (`anyOf`, `oneOf`, `if`, `dependentSchemas`) and `contains`. Without
//! these the evaluated names are fixed, and the keyword becomes a walk like `additionalProperties`
//! over a merged set.

use std::collections::HashSet;

use toolsure_json::{Node as _, NodeId};

use super::asserts::asserts;
use super::builder::NodeBuilder;
use super::lowering::Lowering;
use super::scope::ScopeId;

use crate::dialect::{Dialect, Keyword};
use crate::error::CompileError;
use crate::model::{
    Dangling, DocumentId, Entry, Form, Model, PatternId, Shape, Subschema, SubschemaId,
};
use crate::plan::{ArrayPlan, NodeIx, NodeSummary, ObjectPlan, Op, Run, Slot, Slots};

impl Lowering<'_> {
    /// Adds the `unevaluated*` keywords that [`is_own`] did not resolve.
    pub(super) fn unevaluated(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        scope: ScopeId,
        builder: &mut NodeBuilder,
    ) -> Result<(), CompileError> {
        for keyword in [Keyword::UnevaluatedProperties, Keyword::UnevaluatedItems] {
            let Some(Form::One(one)) = self.model.entry(sub, keyword)?.map(|entry| &entry.form)
            else {
                continue;
            };
            if is_own(self.model, id, keyword)? {
                continue;
            }
            let schema = self.child(*one, scope)?;
            if let Some(seen) = self.statically_evaluated(id, scope, keyword)? {
                if seen.all {
                    continue;
                }
                if keyword == Keyword::UnevaluatedProperties {
                    let plan = seen.object(self.model, schema)?;
                    self.push_object(plan, Run::Tail, builder);
                } else {
                    let plan = ArrayPlan {
                        max: usize::MAX,
                        prefix: vec![NodeSummary::TRUE; seen.items].into(),
                        rest: Some(NodeSummary::open(schema)),
                        ..ArrayPlan::default()
                    };
                    self.push_array(plan, Run::Tail, builder);
                }
                continue;
            }
            self.revisit(id, scope)?;
            builder.push(
                Run::Tail,
                if keyword == Keyword::UnevaluatedProperties {
                    Op::UnevaluatedProperties(schema)
                } else {
                    Op::UnevaluatedItems(schema)
                },
            );
        }
        Ok(())
    }

    /// Adds the operation of an `unevaluated*` keyword of the plain program.
    pub(super) fn unevaluated_plainly(
        &mut self,
        id: SubschemaId,
        scope: ScopeId,
        entry: &Entry,
        builder: &mut NodeBuilder,
    ) -> Result<(), CompileError> {
        let op = match (&entry.form, entry.keyword) {
            (Form::One(one), Keyword::UnevaluatedProperties) => {
                Op::UnevaluatedProperties(self.child(*one, scope)?)
            }
            (Form::One(one), Keyword::UnevaluatedItems) => {
                Op::UnevaluatedItems(self.child(*one, scope)?)
            }
            (Form::Annotation, _) => return Ok(()),
            _ => return Err(self.internal_error(id)),
        };
        builder.push(Run::Tail, op);
        Ok(())
    }

    /// The members or items that are evaluated for every instance, or `None` if that depends on the
    /// instance.
    fn statically_evaluated(
        &mut self,
        id: SubschemaId,
        scope: ScopeId,
        keyword: Keyword,
    ) -> Result<Option<StaticallyEvaluated>, Dangling> {
        let mut seen = StaticallyEvaluated::default();
        let mut visited = HashSet::from([(id, scope)]);
        let mut waiting = vec![(id, scope)];
        while let Some((at, scope)) = waiting.pop() {
            let sub = self.model.sub(at)?;
            let entries = self.model.entries(sub)?;
            self.table_rows += 1 + entries.len();
            for entry in entries {
                match (&entry.form, entry.keyword) {
                    (Form::Reference(target), _) => {
                        let to = self.scopes.follow(scope, self.model.target(*target)?)?;
                        let scope = self.scopes.enter(scope, self.model.sub(to)?.resource)?;
                        if visited.insert((to, scope)) {
                            waiting.push((to, scope));
                        }
                    }
                    (Form::List(list), Keyword::AllOf) => {
                        for to in list {
                            let scope = self.scopes.enter(scope, self.model.sub(*to)?.resource)?;
                            if visited.insert((*to, scope)) {
                                waiting.push((*to, scope));
                            }
                        }
                    }
                    (
                        _,
                        Keyword::AnyOf
                        | Keyword::OneOf
                        | Keyword::If
                        | Keyword::DependentSchemas
                        | Keyword::Dependencies,
                    ) => return Ok(None),
                    (_, Keyword::Contains)
                        if keyword == Keyword::UnevaluatedItems
                            && sub.rules.dialect == Dialect::Draft202012 =>
                    {
                        return Ok(None);
                    }
                    (_, Keyword::UnevaluatedProperties | Keyword::UnevaluatedItems) if at == id => {
                    }
                    _ if asserts(entries, entry) => {
                        seen.add(sub, entry, keyword);
                    }
                    _ => {}
                }
            }
        }
        Ok(Some(seen))
    }

    /// Marks the conditional branches that a dynamic `unevaluated*` at `id` evaluates a second
    /// time, so that their verdicts are kept.
    fn revisit(&mut self, id: SubschemaId, scope: ScopeId) -> Result<(), CompileError> {
        let mut visited = HashSet::from([(id, scope)]);
        let mut waiting = vec![(id, scope)];
        while let Some((at, scope)) = waiting.pop() {
            let sub = self.model.sub(at)?;
            let entries = self.model.entries(sub)?;
            self.table_rows += 1 + entries.len();
            let mut next = Vec::new();
            for target in entries.iter().filter_map(Entry::reference) {
                next.push(self.scopes.follow(scope, self.model.target(target)?)?);
            }
            next.extend(self.model.in_place(sub)?);
            for to in next {
                let scope = self.scopes.enter(scope, self.model.sub(to)?.resource)?;
                if visited.insert((to, scope)) {
                    let ix = self.node(to, scope)?;
                    self.revisited.insert(ix);
                    waiting.push((to, scope));
                }
            }
        }
        Ok(())
    }
}

/// Members or items that keywords evaluate for every instance.
#[derive(Default)]
struct StaticallyEvaluated {
    all: bool,
    names: Vec<(DocumentId, NodeId)>,
    patterns: Vec<PatternId>,
    items: usize,
}

impl StaticallyEvaluated {
    fn add(&mut self, sub: Subschema, entry: &Entry, keyword: Keyword) {
        let properties = keyword == Keyword::UnevaluatedProperties;
        match (&entry.form, entry.keyword) {
            (Form::Map(map), Keyword::Properties) if properties => {
                self.names
                    .extend(map.iter().map(|(key, _)| (sub.doc, *key)));
            }
            (Form::Patterns(patterns), _) if properties => {
                self.patterns
                    .extend(patterns.iter().map(|(_, pattern, _)| *pattern));
            }
            (Form::One(_), Keyword::AdditionalProperties | Keyword::UnevaluatedProperties)
                if properties =>
            {
                self.all = true
            }
            (Form::List(list), Keyword::PrefixItems | Keyword::Items) if !properties => {
                self.items = self.items.max(list.len());
            }
            (
                Form::One(_),
                Keyword::Items | Keyword::AdditionalItems | Keyword::UnevaluatedItems,
            ) if !properties => self.all = true,
            _ => {}
        }
    }

    /// A walk that accepts the evaluated names and matches the remaining members against `schema`.
    fn object(mut self, model: &Model, schema: NodeIx) -> Result<ObjectPlan, Dangling> {
        let mut names = Slots::default();
        for (doc, key) in &self.names {
            let name = model.view(*doc, *key).ok_or(Dangling)?.string();
            names.slot(name, |_| EVALUATED);
        }
        self.patterns.sort_unstable();
        self.patterns.dedup();
        Ok(ObjectPlan {
            names: names.finish(),
            patterns: self
                .patterns
                .into_iter()
                .map(|p| (p, NodeSummary::TRUE))
                .collect(),
            additional: Some(NodeSummary::open(schema)),
            max: usize::MAX,
            ..ObjectPlan::default()
        })
    }
}

/// Whether only keywords of the same subschema can evaluate something for an `unevaluated*`
/// keyword.
pub(super) fn is_own(model: &Model, id: SubschemaId, keyword: Keyword) -> Result<bool, Dangling> {
    let sub = model.sub(id)?;
    let applied = model.in_place(sub)?;
    let not = model.entry(sub, Keyword::Not)?.map(|entry| &entry.form);
    // `not` never evaluates anything.
    let others = applied
        .iter()
        .any(|to| !matches!(not, Some(Form::One(one)) if one == to));
    let contains = keyword == Keyword::UnevaluatedItems
        && sub.rules.dialect == Dialect::Draft202012
        && model.entry(sub, Keyword::Contains)?.is_some();
    Ok(!others && !contains)
}

fn is_unevaluated(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::UnevaluatedProperties | Keyword::UnevaluatedItems
    )
}

/// For each subschema, whether a dynamic `unevaluated*` may need what it evaluated; empty if there
/// is none.
pub(super) fn tracked(model: &Model) -> Result<Vec<bool>, Dangling> {
    if !model
        .entries
        .iter()
        .any(|entry| is_unevaluated(entry.keyword))
    {
        return Ok(vec![false; model.subs.len()]);
    }
    let mut tracked = vec![false; model.subs.len()];
    let mut waiting = Vec::new();
    for (index, sub) in model.subs.iter().enumerate() {
        if !matches!(sub.shape, Shape::Entries { .. }) {
            continue;
        }
        let id = SubschemaId::new(index);
        for keyword in [Keyword::UnevaluatedProperties, Keyword::UnevaluatedItems] {
            if model.entry(*sub, keyword)?.is_some() && !is_own(model, id, keyword)? {
                waiting.push(id);
            }
        }
    }
    if !waiting.is_empty() && model.scope_names > 0 {
        // A dynamic reference may lead to any subschema that a resource binds.
        waiting.extend(
            model
                .resources
                .iter()
                .flat_map(|r| r.scope.iter().map(|(_, sub)| *sub)),
        );
    }
    while let Some(id) = waiting.pop() {
        let mark = tracked.get_mut(id.index()).ok_or(Dangling)?;
        if !std::mem::replace(mark, true) {
            waiting.extend(model.in_place(model.sub(id)?)?);
        }
    }
    Ok(tracked)
}

const EVALUATED: Slot = Slot {
    target: NodeSummary::TRUE,
    order: 0,
    bit: 0,
    clear: false,
    declared: true,
    required: false,
};
