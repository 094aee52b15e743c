//! Which subschemas lead where, as far as an explanation must know.

use crate::dialect::Keyword;
use crate::outline::{Dependency, Entry, Form, Outline, SubId};

/// Which subschemas several ways may lead to at one place of an instance: those that are
/// applied in more than one place of the schema, and all that these apply.
pub(super) fn shared(outline: &Outline) -> Box<[bool]> {
    if outline.scope_names > 0 {
        // Where a dynamic reference leads is not known yet.
        return vec![true; outline.subs.len()].into();
    }
    let mut met = vec![0_u8; outline.subs.len()];
    let mut waiting = Vec::new();
    let mut meet = |id: SubId, waiting: &mut Vec<SubId>| {
        if let Some(met) = met.get_mut(id.index()) {
            if *met == 0 {
                waiting.push(id);
            }
            *met = met.saturating_add(1);
        }
    };
    meet(outline.root, &mut waiting);
    while let Some(id) = waiting.pop() {
        for entry in outline.entries(outline.sub(id)) {
            each_applied(outline, entry, |next| meet(next, &mut waiting));
        }
    }
    let mut shared: Box<[bool]> = met.iter().map(|times| *times > 1).collect();
    let several = shared.iter().enumerate().filter(|(_, shared)| **shared);
    waiting.extend(several.map(|(at, _)| SubId::new(at)));
    while let Some(id) = waiting.pop() {
        for entry in outline.entries(outline.sub(id)) {
            each_applied(outline, entry, |next| {
                if let Some(mark) = shared.get_mut(next.index())
                    && !std::mem::replace(mark, true)
                {
                    waiting.push(next);
                }
            });
        }
    }
    shared
}

/// Whether some keyword asks what other subschemas have evaluated. With no other applied to
/// the same value, `unevaluatedProperties` is but another `additionalProperties`.
pub(super) fn asks_what_was_evaluated(outline: &Outline) -> bool {
    outline.subs.iter().any(|sub| {
        let asks = |keyword| outline.entry(*sub, keyword).is_some();
        asks(Keyword::UnevaluatedItems)
            || (asks(Keyword::UnevaluatedProperties) && !outline.in_place(*sub).is_empty())
    })
}

/// The subschemas that a keyword applies to anything.
fn each_applied(outline: &Outline, entry: &Entry, mut meet: impl FnMut(SubId)) {
    match &entry.form {
        _ if !applies(entry) => {}
        Form::One(one) => meet(*one),
        Form::List(list) => list.iter().copied().for_each(meet),
        Form::Map(map) => map.iter().for_each(|(_, one)| meet(*one)),
        Form::Patterns(patterns) => patterns.iter().for_each(|(_, _, one)| meet(*one)),
        Form::Dependencies(map) => {
            for (_, dependency) in map {
                if let Dependency::Schema(one) = dependency {
                    meet(*one);
                }
            }
        }
        Form::Reference(reference) => meet(outline.target(*reference).initial()),
        _ => {}
    }
}

/// Whether a keyword says anything about an instance; definitions and annotations do not.
pub(super) fn applies(entry: &Entry) -> bool {
    !matches!(
        entry.keyword,
        Keyword::Defs | Keyword::Definitions | Keyword::ContentSchema
    ) && !matches!(entry.form, Form::Annotation)
}
