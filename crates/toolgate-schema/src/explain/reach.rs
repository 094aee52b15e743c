//! Which subschemas lead where, as far as an explanation must know.

use crate::dialect::Keyword;
use crate::outline::{Outline, SubId};

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
            outline.each_applied(entry, |next| meet(next, &mut waiting));
        }
    }
    let mut shared: Box<[bool]> = met.iter().map(|times| *times > 1).collect();
    let several = shared.iter().enumerate().filter(|(_, shared)| **shared);
    waiting.extend(several.map(|(at, _)| SubId::new(at)));
    while let Some(id) = waiting.pop() {
        for entry in outline.entries(outline.sub(id)) {
            outline.each_applied(entry, |next| {
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
