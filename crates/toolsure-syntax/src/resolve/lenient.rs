//! How leaving out a keyword affects the keywords above it (lenient parsing).
//!
//! A subschema with a keyword left out accepts more than its author meant. Lenient parsing promises
//! to accept at least what the author's schema accepts, so keywords that may accept less because of
//! it are left out or replaced as well ([`loosening`](crate::loosening)). `unevaluatedProperties`
//! and `unevaluatedItems` are left out if they would have read the annotations of a keyword that
//! was left out.

use std::collections::HashSet;

use crate::build::LeftOut;
use crate::dialect::{Keyword, Vocabulary};
use crate::error::{CompileError, CompileErrorKind, describe};
use crate::loosening::{Consequence, Parents, UNEVALUATED, consequence};
use crate::model::{Dangling, Entry, Model, ScopeName, Shape, SubschemaId};
use crate::options::Warning;
use toolsure_json::int::{to_u32, to_usize};

/// Leaves out keywords that would accept less than the author's schema, with a warning for each.
///
/// # Errors
///
/// `Internal`: the model contradicts itself.
pub(super) fn leave_out_above(model: &mut Model, left_out: &[LeftOut]) -> Result<(), CompileError> {
    for one in left_out {
        model.sub(one.sub)?;
    }
    let of_whole_or = |one: &LeftOut, test: fn(Keyword) -> bool| one.keyword.is_none_or(test);
    let checked = left_out.iter().filter(|one| of_whole_or(one, is_checked));
    let checked: Vec<Node> = checked.map(|one| Node::Sub(one.sub)).collect();
    if checked.is_empty() {
        return Ok(());
    }
    let accepts_more = parents(model, |_| true)?.above(checked);
    let mut evaluates_less: Vec<Node> = left_out
        .iter()
        .filter(|one| of_whole_or(one, evaluates))
        .map(|one| Node::Sub(one.sub))
        .collect();
    let consequences = consequences(model, &accepts_more, &mut evaluates_less)?;
    let evaluates_less = parents(model, passes_annotations)?.above(evaluates_less);
    apply(model, consequences, &evaluates_less)
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
    ) || passes_annotations(keyword)
}

/// Whether a keyword applies subschemas to the same instance, so that their annotations count.
fn passes_annotations(keyword: Keyword) -> bool {
    keyword.is_in_place() && keyword != Keyword::Not
}

/// A subschema, or a name that stands between the dynamic references that look it up and the
/// subschemas to which it may be bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Node {
    Sub(SubschemaId),
    Name(ScopeName),
}

/// The schemas that apply each subschema with a keyword that `follows` accepts.
fn parents(model: &Model, follows: impl Fn(Keyword) -> bool) -> Result<Parents<Node>, Dangling> {
    let mut parents = Parents::default();
    for (name, sub) in model.bound() {
        parents.add(Node::Sub(sub), Node::Name(name));
    }
    for at in 0..model.subs.len() {
        let id = SubschemaId::new(at);
        let parent = Node::Sub(id);
        for entry in model.entries(model.sub(id)?)? {
            if follows(entry.keyword) {
                model.each_applied(entry, |child| parents.add(Node::Sub(child), parent))?;
                if let Some(name) = model.looked_up(entry)? {
                    parents.add(Node::Name(name), parent);
                }
            }
        }
    }
    Ok(parents)
}

/// What happens to each of [`Model::entries`]. Adds to `evaluates_less` the subschemas that
/// evaluate less because of it.
fn consequences(
    model: &Model,
    accepts_more: &HashSet<Node>,
    evaluates_less: &mut Vec<Node>,
) -> Result<Vec<Consequence>, Dangling> {
    let mut consequences = vec![Consequence::Stays; model.entries.len()];
    for at in 0..model.subs.len() {
        let id = SubschemaId::new(at);
        let sub = model.sub(id)?;
        let Shape::Entries { start, .. } = sub.shape else {
            continue;
        };
        let entries = model.entries(sub)?;
        let has = |keyword| Entry::find(entries, keyword).is_some();
        for (entry, place) in entries.iter().zip(to_usize(start)..) {
            let mut affected = false;
            model.each_applied(entry, |child| {
                affected |= accepts_more.contains(&Node::Sub(child))
            })?;
            if !affected {
                continue;
            }
            let what = consequence(entry.keyword, has);
            if matches!(what, Consequence::LeftOut { .. }) && evaluates(entry.keyword) {
                evaluates_less.push(Node::Sub(id));
            }
            *consequences.get_mut(place).ok_or(Dangling)? = what;
        }
    }
    Ok(consequences)
}

/// Rewrites the table of keywords.
fn apply(
    model: &mut Model,
    consequences: Vec<Consequence>,
    evaluates_less: &HashSet<Node>,
) -> Result<(), CompileError> {
    let errors = model.warnings.iter().map(Warning::error);
    let mut said: HashSet<(String, String)> = errors
        .map(|error| (error.document().to_owned(), error.pointer().to_owned()))
        .collect();
    let mut warnings = Vec::new();
    let mut kept = Vec::with_capacity(model.entries.len());
    let mut old: Vec<_> = std::mem::take(&mut model.entries)
        .into_iter()
        .zip(consequences)
        .map(Some)
        .collect();
    for at in 0..model.subs.len() {
        let id = SubschemaId::new(at);
        let sub = model.sub(id)?;
        let Shape::Entries { start, end } = sub.shape else {
            continue;
        };
        let first = to_u32(kept.len());
        let run = to_usize(start)..to_usize(end);
        for slot in old.get_mut(run).ok_or(Dangling)? {
            let (mut entry, what) = slot.take().ok_or(Dangling)?;
            let unevaluated =
                UNEVALUATED.contains(&entry.keyword) && evaluates_less.contains(&Node::Sub(id));
            if what != Consequence::Stays || unevaluated {
                let value = model.view(sub.doc, entry.value).ok_or(Dangling)?;
                let expected = match (unevaluated, what) {
                    (true, _) => EXPECTED_EVALUATED,
                    (_, Consequence::AnyOf) => EXPECTED_ONE_OF,
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
            if what == Consequence::AnyOf {
                entry.keyword = Keyword::AnyOf;
            }
            if !matches!(what, Consequence::LeftOut { .. }) && !unevaluated {
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
