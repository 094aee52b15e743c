//! References within a schema.

use toolsure_json::{Kind, Node as _, View};
use toolsure_syntax::Parser;
use toolsure_syntax::reference::{Fragment, Identity, Target};

use super::abilities::Abilities;
use super::limits::read_own;
use super::report::{Refusal, StepKind};
use super::rewrite::{Effect, Log};
use super::tree::Json;
use crate::inline::{InlineLimits, Why, inline_view};

/// The schema as a tree, with references replaced if they must be.
pub(super) fn resolved(
    abilities: &Abilities,
    parser: &Parser,
    original: View<'_>,
    log: &mut Log,
    pointer: &str,
) -> Result<Json, Refusal> {
    let keeps = abilities.takes("$ref")
        && abilities.recursion
        && abilities.reference_siblings
        && !(abilities.plain_root && original.member("$ref").is_some());
    if !may_refer(original) || (keeps && is_plain(parser, original)) {
        return Ok(Json::of(original));
    }
    let (tree, replaced) = inlined(parser, original)?;
    if replaced > 0 {
        let detail = match replaced {
            1 => "1 reference".to_owned(),
            many => format!("{many} references"),
        };
        log.step(StepKind::Inline, Effect::Same, pointer, &detail);
    }
    Ok(tree)
}

/// The schema as a tree whose references are JSON Pointers into it; others are replaced by their targets.
pub(super) fn plain_references(parser: &Parser, original: View<'_>) -> Result<Json, Refusal> {
    if !may_refer(original) || is_plain(parser, original) {
        return Ok(Json::of(original));
    }
    inlined(parser, original).map(|(tree, _)| tree)
}

/// The schema as a tree with its references replaced by their targets, except recursive ones, and how many
/// were.
pub(super) fn inlined(parser: &Parser, original: View<'_>) -> Result<(Json, usize), Refusal> {
    let inlined = inline_view(original, parser, &InlineLimits::default());
    if let Some(why) = inlined.untouched {
        return Err(Refusal::Reference(format!(
            "the references cannot be replaced: {why}"
        )));
    }
    let lost = |why| matches!(why, Why::External | Why::Unresolved);
    if let Some(kept) = inlined.kept.iter().find(|kept| lost(kept.why)) {
        return Err(Refusal::Reference(kept.to_string()));
    }
    let document = read_own(&inlined.text)?;
    Ok((Json::of(document.document().root()), inlined.replaced))
}

/// Whether a schema may have references; `true` if its text only looks like it.
fn may_refer(schema: View<'_>) -> bool {
    let names = ["$ref", "$dynamicRef", "$recursiveRef"];
    names.iter().any(|name| schema.raw().contains(name)) || schema.raw().contains("\\u")
}

/// Whether all references are JSON pointers into the schema, and no id or anchor names a part of it.
fn is_plain(parser: &Parser, schema: View<'_>) -> bool {
    let mut resources = parser.resources(schema);
    let mut position = 0;
    // Resolving a reference may find more schemas.
    while let Some(schema) = resources.schema(position) {
        let Some(dialect) = resources.dialect(position) else {
            return false;
        };
        let identity = Identity::of(schema, dialect);
        let has_name = identity.uri.is_some() || identity.anchors().next().is_some();
        let is_dynamic = |name| schema.member(name).is_some();
        if has_name || ["$dynamicRef", "$recursiveRef"].into_iter().any(is_dynamic) {
            return false;
        }
        let reference = schema.member("$ref").filter(|r| r.kind() == Kind::String);
        if let Some(reference) = reference
            && !matches!(
                resources.resolve(schema, reference.string()),
                Target::Schema(_)
            )
        {
            return false;
        }
        position += 1;
    }
    true
}

/// The target of a reference within the same schema.
pub(super) fn follow<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    match Fragment::parse(reference.strip_prefix('#')?)? {
        Fragment::Root => Some(root),
        Fragment::Anchor(_) => None,
        Fragment::Pointer(pointer) => {
            toolsure_json::pointer::tokens(&pointer).try_fold(root, |at, token| match at {
                Json::Object(members) => members.get(&token),
                Json::Array(items) => items.get(toolsure_json::pointer::index(&token)?),
                _ => None,
            })
        }
    }
}

/// Whether a schema contains a reference. Data that looks like one counts too.
pub(super) fn has_reference(json: &Json) -> bool {
    match json {
        Json::Object(members) => members.list.iter().any(|(name, value)| {
            name == "$ref" && value.as_text().is_some() || has_reference(value)
        }),
        Json::Array(items) => items.iter().any(has_reference),
        _ => false,
    }
}
