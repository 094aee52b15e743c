//! What a compiled schema weighs in memory, estimated from its text.

use std::collections::BTreeSet;

use toolgate_json::{Document, Key as _, Kind, Node as _, NodeId};
use toolgate_pattern::{Limits, Pattern};

/// Bytes that a compiled schema may hold, with the automata that its patterns
/// build when they are first matched. An estimate from above: over the schemas
/// of real servers it is 1.6 to 3.3 times what the allocator says.
pub(super) fn of_schema(document: Document<'_>) -> usize {
    let tape = document.len() * NODE;
    let text = document.source().len() * TEXT;
    BASE + tape + text + patterns(document)
}

/// The estimated size of all distinct patterns. Data that merely looks like a
/// pattern counts too.
fn patterns(document: Document<'_>) -> usize {
    if !document.source().contains("\"pattern") && !document.source().contains("\\u") {
        return 0;
    }
    let mut texts = BTreeSet::new();
    for index in 0..document.len() {
        let view = document.view(NodeId::from_index(index));
        let Some(name) = view.name().map(toolgate_json::Node::string) else {
            continue;
        };
        if name == "pattern" && view.kind() == Kind::String {
            texts.insert(view.string());
        } else if name == "patternProperties" {
            texts.extend(view.members().map(|(key, _)| key.text()));
        }
    }
    let limits = Limits::default();
    let sizes = texts
        .into_iter()
        .filter_map(|text| Pattern::new(text, &limits).ok());
    sizes.map(|pattern| pattern.size()).sum()
}

/// What any schema takes.
const BASE: usize = 4 << 10;
/// What a value or key of the schema becomes in tape and plan.
const NODE: usize = 160;
/// Copies of the text that are kept, in full or in part.
const TEXT: usize = 2;
