//! How leaving out a keyword affects the keywords above it (lenient parsing).
//!
//! A subschema with a keyword left out accepts more than its author meant. So do most keywords that
//! apply it. Four do not: `not`, `if`, `oneOf`, and `contains` with a `maxContains`. Lenient
//! parsing promises to accept at least what the author's schema accepts, so these are left out as
//! well, and `oneOf` becomes `anyOf`. `unevaluatedProperties` and `unevaluatedItems` are left out
//! if they would have read the annotations of a keyword that was left out.

use std::collections::HashSet;

use crate::build::{LeftOut, describe};
use crate::dialect::{Keyword, Vocabulary};
use crate::error::{CompileError, CompileErrorKind};
use crate::model::{Dangling, Entry, Model, ReferenceTarget, Shape, SubschemaId};
use crate::options::Warning;
use toolgate_json::int::{to_u32, to_usize};

/// Leaves out keywords that would accept less than the author's schema, with a warning for each.
///
/// # Errors
///
/// `Internal`: the model contradicts itself.
pub(super) fn leave_out_above(model: &mut Model, left_out: &[LeftOut]) -> Result<(), CompileError> {
    let of_whole_or = |one: &LeftOut, test: fn(Keyword) -> bool| one.keyword.is_none_or(test);
    let checked = left_out.iter().filter(|one| of_whole_or(one, is_checked));
    let checked: Vec<SubschemaId> = checked.map(|one| one.sub).collect();
    if checked.is_empty() {
        return Ok(());
    }
    let parents = Parents::of(model)?;
    let accepts_more = parents.above(checked, false)?;
    let mut evaluates_less: Vec<SubschemaId> = left_out
        .iter()
        .filter(|one| of_whole_or(one, evaluates))
        .map(|one| one.sub)
        .collect();
    let fates = fates(model, &accepts_more, &mut evaluates_less)?;
    let evaluates_less = parents.above(evaluates_less, true)?;
    apply(model, fates, &evaluates_less)
}

/// Whether a keyword can cause an instance to be rejected.
fn is_checked(keyword: Keyword) -> bool {
    match keyword.home().2 {
        Vocabulary::Core => matches!(
            keyword,
            Keyword::Ref | Keyword::DynamicRef | Keyword::RecursiveRef
        ),
        Vocabulary::MetaData => false,
        _ => keyword != Keyword::ContentSchema,
    }
}

/// Whether `unevaluatedProperties` or `unevaluatedItems` reads a keyword's annotations (core §11),
/// its own or those of a subschema that it applies in place.
fn evaluates(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::Properties
            | Keyword::PatternProperties
            | Keyword::AdditionalProperties
            | Keyword::PrefixItems
            | Keyword::AdditionalItems
            | Keyword::Contains
    ) || in_place(keyword)
}

/// Whether a keyword applies subschemas to the same instance, so that their annotations count.
fn in_place(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::AllOf
            | Keyword::AnyOf
            | Keyword::OneOf
            | Keyword::If
            | Keyword::Then
            | Keyword::Else
            | Keyword::DependentSchemas
            | Keyword::Dependencies
            | Keyword::Ref
            | Keyword::DynamicRef
            | Keyword::RecursiveRef
    )
}

/// For each subschema, the ones that apply it, and whether they do so in place.
struct Parents(Vec<Vec<(SubschemaId, bool)>>);

impl Parents {
    fn of(model: &Model) -> Result<Self, Dangling> {
        let mut parents = Self(vec![Vec::new(); model.subs.len()]);
        for at in 0..model.subs.len() {
            let parent = SubschemaId::new(at);
            for entry in model.entries(model.sub(parent)?)? {
                let place = in_place(entry.keyword);
                let mut children = Vec::new();
                model.each_applied(entry, |child| children.push(child))?;
                if let Some(reference) = entry.reference()
                    && let ReferenceTarget::Dynamic { name, .. } = model.target(reference)?
                {
                    let bound = model.resources.iter().flat_map(|resource| &resource.scope);
                    let bound = bound.filter(|(other, _)| *other == name);
                    children.extend(bound.map(|(_, child)| *child));
                }
                for child in children {
                    let known = parents.0.get_mut(child.index()).ok_or(Dangling)?;
                    known.push((parent, place));
                }
            }
        }
        Ok(parents)
    }

    /// Marks some subschemas and all that apply them, directly or not; `in_place_only` follows only
    /// keywords that apply subschemas to the same instance.
    fn above(&self, from: Vec<SubschemaId>, in_place_only: bool) -> Result<Vec<bool>, Dangling> {
        let mut marks = vec![false; self.0.len()];
        let mut waiting = from;
        while let Some(id) = waiting.pop() {
            let mark = marks.get_mut(id.index()).ok_or(Dangling)?;
            if std::mem::replace(mark, true) {
                continue;
            }
            let parents = self.0.get(id.index()).into_iter().flatten();
            let followed = parents.filter(|(_, in_place)| *in_place || !in_place_only);
            waiting.extend(followed.map(|(parent, _)| *parent));
        }
        Ok(marks)
    }
}

/// What happens to a keyword whose subschemas accept more than they should.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    LeftOut,
    AnyOf,
}

/// The fate of each of [`Model::entries`]. Adds to `evaluates_less` the subschemas that evaluate
/// less because of it.
fn fates(
    model: &Model,
    accepts_more: &[bool],
    evaluates_less: &mut Vec<SubschemaId>,
) -> Result<Vec<Fate>, Dangling> {
    let mut fates = vec![Fate::Stays; model.entries.len()];
    for at in 0..model.subs.len() {
        let id = SubschemaId::new(at);
        let sub = model.sub(id)?;
        let Shape::Entries { start, .. } = sub.shape else {
            continue;
        };
        let entries = model.entries(sub)?;
        let has = |keyword| Entry::find(entries, keyword).is_some();
        for (entry, place) in entries.iter().zip(to_usize(start)..) {
            let (mut affected, mut unknown) = (false, false);
            model.each_applied(entry, |child| match accepts_more.get(child.index()) {
                Some(more) => affected |= more,
                None => unknown = true,
            })?;
            if unknown {
                return Err(Dangling);
            }
            let fate = match entry.keyword {
                _ if !affected => Fate::Stays,
                Keyword::Not | Keyword::If => Fate::LeftOut,
                Keyword::Contains if has(Keyword::MaxContains) => Fate::LeftOut,
                Keyword::OneOf if has(Keyword::AnyOf) => Fate::LeftOut,
                Keyword::OneOf => Fate::AnyOf,
                _ => Fate::Stays,
            };
            if fate == Fate::LeftOut && evaluates(entry.keyword) {
                evaluates_less.push(id);
            }
            *fates.get_mut(place).ok_or(Dangling)? = fate;
        }
    }
    Ok(fates)
}

/// Rewrites the table of keywords.
fn apply(model: &mut Model, fates: Vec<Fate>, evaluates_less: &[bool]) -> Result<(), CompileError> {
    let errors = model.warnings.iter().map(Warning::error);
    let mut said: HashSet<(String, String)> = errors
        .map(|error| (error.document().to_owned(), error.pointer().to_owned()))
        .collect();
    let mut warnings = Vec::new();
    let mut kept = Vec::with_capacity(model.entries.len());
    let mut old: Vec<_> = std::mem::take(&mut model.entries)
        .into_iter()
        .zip(fates)
        .map(Some)
        .collect();
    for at in 0..model.subs.len() {
        let (Some(sub), Some(less)) = (model.subs.get(at).copied(), evaluates_less.get(at)) else {
            return Err(Dangling.into());
        };
        let Shape::Entries { start, end } = sub.shape else {
            continue;
        };
        let first = to_u32(kept.len());
        let run = to_usize(start)..to_usize(end);
        for slot in old.get_mut(run).ok_or(Dangling)? {
            let (mut entry, fate) = slot.take().ok_or(Dangling)?;
            let unevaluated = matches!(
                entry.keyword,
                Keyword::UnevaluatedProperties | Keyword::UnevaluatedItems
            ) && *less;
            if fate != Fate::Stays || unevaluated {
                let value = model.view(sub.doc, entry.value).ok_or(Dangling)?;
                let expected = match (unevaluated, fate) {
                    (true, _) => EXPECTED_EVALUATED,
                    (_, Fate::AnyOf) => EXPECTED_ONE_OF,
                    _ => EXPECTED_WHOLE,
                };
                let kind = CompileErrorKind::InvalidSchema {
                    keyword: entry.keyword.name().to_owned(),
                    expected: expected.to_owned(),
                    found: describe(value),
                    closest: None,
                };
                let place = model.place(sub.doc, entry.value);
                if said.insert((place.document.clone(), place.pointer.clone())) {
                    warnings.push(Warning::new(CompileError::new(kind, place)));
                }
            }
            if fate == Fate::AnyOf {
                entry.keyword = Keyword::AnyOf;
            }
            if fate != Fate::LeftOut && !unevaluated {
                kept.push(entry);
            }
        }
        model.subs.get_mut(at).ok_or(Dangling)?.shape = Shape::Entries {
            start: first,
            end: to_u32(kept.len()),
        };
    }
    model.entries = kept;
    model.warnings.extend(warnings);
    Ok(())
}

const EXPECTED_WHOLE: &str = "a schema none of whose keywords is ignored";
const EXPECTED_ONE_OF: &str = "schemas none of whose keywords is ignored (it is read as `anyOf`)";
const EXPECTED_EVALUATED: &str = "only beside keywords that are not ignored";
