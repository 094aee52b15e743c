//! Lowers the keywords that walk members or items, merged into one walk each.

use thin_vec::ThinVec;
use toolsure_json::{Document, Node as _, NodeId, View};

use super::asserts::asserts;
use super::builder::NodeBuilder;
use super::lowering::Lowering;
use super::scope::ScopeId;
use super::unevaluated;
use crate::dialect::{AppliesTo, Dialect, Keyword};
use crate::error::CompileError;
use crate::int::{count, to_u32, to_usize};
use crate::model::{
    Dangling, Dependency, Entry, Form, PatternId, Shape, Subschema, SubschemaId, TypeSet,
};
use crate::plan::{
    ArrayPlan, Contains, Dependent, NodeIx, NodeSummary, ObjectPlan, Op, Run, Slot, Slots,
};

impl Lowering<'_> {
    /// Adds one operation for all keywords in the list that inspect an object's members.
    pub(super) fn object(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        scope: ScopeId,
        entries: &[Entry],
        builder: &mut NodeBuilder,
    ) -> Result<(), CompileError> {
        if builder
            .types
            .is_some_and(|types| !types.intersects(TypeSet::OBJECT))
        {
            return Ok(());
        }
        let model = self.model;
        let mut plan = ObjectPlan {
            max: usize::MAX,
            ..ObjectPlan::default()
        };
        let Some(doc) = model.docs.get(sub.doc.index()) else {
            return Err(self.internal_error(id));
        };
        let document = doc.text.document();
        let beside = model.entries(sub)?;
        let few = self.room_for_part(beside);
        // The numbers and the lengths of the names; those of different keywords are mostly the same.
        let room = entries.iter().map(|entry| match &entry.form {
            Form::Map(map) if entry.keyword == Keyword::Properties => {
                few.unwrap_or_else(|| room_for(map, document))
            }
            Form::Literal if entry.keyword == Keyword::Required => {
                let names = document.view(entry.value);
                (names.len(), names.items().map(length).sum())
            }
            Form::One(_) if self.plain && entry.keyword == Keyword::AdditionalProperties => {
                few.unwrap_or_else(|| room_for(declared(beside), document))
            }
            _ => (0, 0),
        });
        let (room, bytes) = room.max().unwrap_or_default();
        let mut names: Slots<Slot> = Slots::with_room(room, bytes);
        let mut dependents: Vec<(u32, Vec<u32>, Option<NodeIx>)> = Vec::new();
        let mut any = false;
        for entry in entries {
            match (&entry.form, entry.keyword) {
                (Form::Map(map), Keyword::Properties) => {
                    for (place, (key, one)) in (0..).zip(map) {
                        if few.is_some() && self.is_undecoded(*one) {
                            plan.is_part = true;
                            continue;
                        }
                        let schema = self.child(*one, scope)?;
                        names.amend(document.view(*key).string(), Slot::at, |slot| {
                            slot.target = NodeSummary::open(schema);
                            slot.declared = true;
                            if few.is_some() {
                                slot.order = place;
                            }
                        });
                    }
                }
                (Form::Literal, Keyword::Required) => {
                    for name in document.view(entry.value).items() {
                        names.amend(name.string(), Slot::at, |slot| slot.required = true);
                    }
                }
                (Form::Patterns(patterns), _) => {
                    let mut found = Vec::with_capacity(patterns.len());
                    for (_, pattern, one) in patterns {
                        found.push((*pattern, NodeSummary::open(self.child(*one, scope)?)));
                    }
                    plan.patterns = found.into();
                }
                (Form::One(one), Keyword::AdditionalProperties) => {
                    plan.additional = Some(NodeSummary::open(self.child(*one, scope)?));
                    if self.plain {
                        for (name, one) in declared(beside) {
                            if few.is_some() && self.is_undecoded(*one) {
                                plan.is_part = true;
                                continue;
                            }
                            let name = document.view(*name).string();
                            names.amend(name, Slot::at, |slot| slot.declared = true);
                        }
                        plan.patterns = patterns(beside);
                    }
                }
                (Form::One(one), Keyword::PropertyNames) => {
                    let schema = self.child(*one, scope)?;
                    plan.property_names = (schema != NodeIx::TRUE).then_some(schema);
                }
                (Form::Count(n), Keyword::MinProperties) => plan.min = count(*n),
                (Form::Count(n), Keyword::MaxProperties) => plan.max = count(*n),
                (Form::Dependencies(map), _) => {
                    for (key, dependency) in map {
                        let trigger = names.slot(document.view(*key).string(), Slot::at);
                        dependents.push(match dependency {
                            Dependency::Schema(one) => {
                                (trigger, Vec::new(), Some(self.child(*one, scope)?))
                            }
                            Dependency::Names(node) => {
                                let required = document.view(*node).items();
                                let required =
                                    required.map(|name| names.slot(name.string(), Slot::at));
                                (trigger, required.collect(), None)
                            }
                        });
                    }
                }
                (Form::Map(map), Keyword::DependentSchemas) => {
                    for (key, one) in map {
                        let trigger = names.slot(document.view(*key).string(), Slot::at);
                        dependents.push((trigger, Vec::new(), Some(self.child(*one, scope)?)));
                    }
                }
                _ if self.is_lowered_elsewhere(sub, entry, AppliesTo::Objects)? => continue,
                _ => return Err(self.internal_error(id)),
            }
            any = true;
        }
        if !self.plain
            && let Some(rest) = self.own_unevaluated(id, sub, Keyword::UnevaluatedProperties)?
            && plan.additional.is_none()
        {
            plan.additional = Some(NodeSummary::open(self.child(rest, scope)?));
            any = true;
        }
        if !any {
            return Ok(());
        }
        // A name that only a dependency mentions has a position as well; otherwise the price of its
        // member would depend on the order of members.
        plan.names = names.finish();
        if plan.is_open() && !self.is_tracked(id)? {
            // They accept what would be accepted without them.
            let asserting = plan.patterns.iter().copied();
            plan.patterns = asserting
                .filter(|(_, one)| one.node != NodeIx::TRUE)
                .collect();
        }
        plan.bound();
        let places = match dependents.is_empty() {
            true => Vec::new(),
            false => plan.names.places(),
        };
        let place = |slot: u32| places.get(to_usize(slot)).copied().unwrap_or(slot);
        plan.dependents = dependents
            .into_iter()
            .map(|(trigger, required, schema)| Dependent {
                trigger: place(trigger),
                required: required.into_iter().map(place).collect(),
                schema,
            })
            .collect();
        if self.is_tracked(id)? || !is_idle(&plan) {
            self.push_object(plan, Run::Object, builder);
        }
        Ok(())
    }

    /// In a part of a schema: room for the names that an object of the instance may have, as their number and
    /// their approximate length. `None` if a smaller table would be walked differently, and so at another price.
    fn room_for_part(&self, beside: &[Entry]) -> Option<(usize, usize)> {
        let widest = self.widest?;
        let is_used = declared(beside).len() > widest
            && Entry::find(beside, Keyword::PatternProperties).is_none();
        is_used.then_some((widest, widest * NAME))
    }

    fn is_undecoded(&self, id: SubschemaId) -> bool {
        let sub = self.model.subs.get(id.index());
        sub.is_some_and(|sub| sub.shape == Shape::UNDECODED)
    }

    pub(super) fn push_object(&mut self, plan: ObjectPlan, run: Run, builder: &mut NodeBuilder) {
        self.table_rows += plan.names.len() + plan.patterns.len();
        let index = to_u32(self.plan.objects.len());
        self.plan.objects.push(plan);
        builder.push(run, Op::Object(index));
    }

    /// Adds one operation for all keywords in the list that inspect an array's items.
    pub(super) fn array(
        &mut self,
        id: SubschemaId,
        sub: Subschema,
        scope: ScopeId,
        entries: &[Entry],
        builder: &mut NodeBuilder,
    ) -> Result<(), CompileError> {
        if builder
            .types
            .is_some_and(|types| !types.intersects(TypeSet::ARRAY))
        {
            return Ok(());
        }
        let model = self.model;
        let mut plan = ArrayPlan {
            max: usize::MAX,
            ..ArrayPlan::default()
        };
        let mut any = false;
        for entry in entries {
            match (&entry.form, entry.keyword) {
                (Form::List(list), Keyword::PrefixItems | Keyword::Items) => {
                    let mut prefix = Vec::with_capacity(list.len());
                    for one in list {
                        prefix.push(NodeSummary::open(self.child(*one, scope)?));
                    }
                    plan.prefix = prefix.into();
                }
                (Form::One(one), Keyword::Items) => {
                    plan.rest = Some(NodeSummary::open(self.child(*one, scope)?));
                    if self.plain {
                        plan.prefix = listed(model.entries(sub)?, Keyword::PrefixItems);
                    }
                }
                (Form::One(one), Keyword::AdditionalItems) => {
                    // Without an array in `items` it has no effect.
                    let tuple = model.entry(sub, Keyword::Items)?;
                    if matches!(
                        tuple,
                        Some(Entry {
                            form: Form::List(_),
                            ..
                        })
                    ) {
                        plan.rest = Some(NodeSummary::open(self.child(*one, scope)?));
                        if self.plain {
                            plan.prefix = listed(model.entries(sub)?, Keyword::Items);
                        }
                    }
                }
                (Form::Count(_), Keyword::MinContains | Keyword::MaxContains) if self.plain => {
                    let contains = model.entry(sub, Keyword::Contains)?;
                    if let Some(Form::One(one)) = contains.map(|entry| &entry.form) {
                        plan.contains = Some(self.contains(sub, entry.keyword, *one, scope)?);
                    }
                }
                (Form::One(one), Keyword::Contains) => {
                    let contains = self.contains(sub, entry.keyword, *one, scope)?;
                    if self.is_tracked(id)? {
                        // It is evaluated again to find which items it evaluated.
                        self.revisited.insert(contains.schema);
                    }
                    plan.contains = Some(contains);
                }
                (Form::Count(n), Keyword::MinItems) => plan.min = count(*n),
                (Form::Count(n), Keyword::MaxItems) => plan.max = count(*n),
                (Form::Flag(true), Keyword::UniqueItems) => plan.unique = true,
                // Handled together with `contains`.
                (Form::Count(_), Keyword::MinContains | Keyword::MaxContains) => continue,
                _ if self.is_lowered_elsewhere(sub, entry, AppliesTo::Arrays)? => continue,
                _ => return Err(self.internal_error(id)),
            }
            any = true;
        }
        if !self.plain
            && let Some(rest) = self.own_unevaluated(id, sub, Keyword::UnevaluatedItems)?
            && plan.rest.is_none()
        {
            plan.rest = Some(NodeSummary::open(self.child(rest, scope)?));
            any = true;
        }
        let idle = plan.min == 0
            && plan.max == usize::MAX
            && plan.prefix.iter().all(|item| item.node == NodeIx::TRUE)
            && plan.rest.is_none_or(|rest| rest.node == NodeIx::TRUE)
            && plan.contains.is_none()
            && !plan.unique;
        if any && (self.is_tracked(id)? || !idle) {
            self.push_array(plan, Run::Array, builder);
        }
        Ok(())
    }

    /// Whether a keyword that is not part of a walk over members or items is lowered elsewhere or
    /// asserts nothing.
    fn is_lowered_elsewhere(
        &self,
        sub: Subschema,
        entry: &Entry,
        walk: AppliesTo,
    ) -> Result<bool, Dangling> {
        let unevaluated = matches!(
            (&entry.form, entry.keyword),
            (
                Form::One(_),
                Keyword::UnevaluatedProperties | Keyword::UnevaluatedItems
            )
        );
        Ok(unevaluated
            || entry.keyword.applies_to() != walk
            || !asserts(self.model.entries(sub)?, entry))
    }

    pub(super) fn push_array(&mut self, plan: ArrayPlan, run: Run, builder: &mut NodeBuilder) {
        self.table_rows += plan.prefix.len();
        let index = to_u32(self.plan.arrays.len());
        self.plan.arrays.push(plan);
        builder.push(run, Op::Array(index));
    }

    /// `contains` with its bounds; in the plain program, the part that one of the three keywords
    /// asks on its own.
    fn contains(
        &mut self,
        sub: Subschema,
        keyword: Keyword,
        one: SubschemaId,
        scope: ScopeId,
    ) -> Result<Contains, CompileError> {
        let beside = self.model.entries(sub)?;
        let bound = |keyword| match Entry::find(beside, keyword) {
            Some(Entry {
                form: Form::Count(n),
                ..
            }) => Some(count(*n)),
            _ => None,
        };
        let mut min = bound(Keyword::MinContains).unwrap_or(1);
        let mut max = bound(Keyword::MaxContains).unwrap_or(usize::MAX);
        let mut evaluates = sub.rules.dialect == Dialect::Draft202012;
        if self.plain {
            (min, max) = match keyword {
                Keyword::MinContains => (min, usize::MAX),
                Keyword::MaxContains => (0, max),
                _ => (min.min(1), usize::MAX),
            };
            evaluates &= keyword == Keyword::Contains;
        }
        let schema = self.child(one, scope)?;
        Ok(Contains {
            schema,
            min,
            max,
            evaluates,
        })
    }

    /// The operand of an `unevaluated*` keyword, if only keywords of the same subschema can
    /// evaluate something for it: it then means the same as `additionalProperties` or `items`.
    fn own_unevaluated(
        &self,
        id: SubschemaId,
        sub: Subschema,
        keyword: Keyword,
    ) -> Result<Option<SubschemaId>, Dangling> {
        Ok(
            match self.model.entry(sub, keyword)?.map(|entry| &entry.form) {
                Some(Form::One(one)) if unevaluated::is_own(self.model, id, keyword)? => Some(*one),
                _ => None,
            },
        )
    }
}

/// The length of a name, at most.
pub(super) fn length(name: View<'_>) -> usize {
    let span = name.span();
    (span.end - span.start).saturating_sub(2)
}

/// The number of names and their length.
fn room_for(names: &[(NodeId, SubschemaId)], document: Document<'_>) -> (usize, usize) {
    let lengths = names.iter().map(|(key, _)| length(document.view(*key)));
    (names.len(), lengths.sum())
}

/// Whether an object operation accepts every object.
fn is_idle(plan: &ObjectPlan) -> bool {
    plan.required == 0
        && plan.min == 0
        && plan.max == usize::MAX
        && plan.dependents.is_empty()
        && plan.property_names.is_none()
        && plan
            .names
            .data()
            .all(|slot| slot.target.node == NodeIx::TRUE)
        && plan
            .patterns
            .iter()
            .all(|(_, one)| one.node == NodeIx::TRUE)
        && plan.additional.is_none_or(|rest| rest.node == NodeIx::TRUE)
}

/// The names in `properties` among some keywords.
fn declared(beside: &[Entry]) -> &[(NodeId, SubschemaId)] {
    let entry = Entry::find(beside, Keyword::Properties);
    match entry.map(|entry| &entry.form) {
        Some(Form::Map(map)) => map,
        _ => &[],
    }
}

/// The patterns in `patternProperties` among some keywords, for a walk that accepts any member that
/// they cover.
fn patterns(beside: &[Entry]) -> ThinVec<(PatternId, NodeSummary)> {
    let entry = Entry::find(beside, Keyword::PatternProperties);
    let patterns = match entry.map(|entry| &entry.form) {
        Some(Form::Patterns(patterns)) => &**patterns,
        _ => &[],
    };
    let patterns = patterns.iter().map(|(_, pattern, _)| *pattern);
    patterns
        .map(|pattern| (pattern, NodeSummary::TRUE))
        .collect()
}

/// The items of a keyword with an array of subschemas, for a walk that accepts any value for them.
fn listed(beside: &[Entry], keyword: Keyword) -> ThinVec<NodeSummary> {
    let entry = Entry::find(beside, keyword);
    let count = match entry.map(|entry| &entry.form) {
        Some(Form::List(list)) => list.len(),
        _ => 0,
    };
    vec![NodeSummary::TRUE; count].into()
}

/// The length of most names.
const NAME: usize = 16;
