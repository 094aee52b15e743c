//! Changes for machines: one JSON document.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 1,                        // the process's exit code
//!   "class": "breaking",              // the worst: "breaking" | "unknown" | "warning" | "compatible"; null if nothing changed
//!   "old": "a.json", "new": "b.json", "same": 12,
//!   "faults": [],                     // why servers could not be compared, in words
//!   "configuration": [],              // what is wrong with ignores and the baseline, as `lint` has it
//!   "tools": [{
//!     "server": null,                   // its name, if several servers are compared
//!     "name": "find", "class": "breaking",
//!     "changes": [{
//!       "class": "breaking",
//!       "kind": "schema-narrowed",    // what happened, by a stable name
//!       "side": "input",              // "tool" | "input" | "output"
//!       "aspect": "contract",         // or "words": descriptions, titles, defaults, hints
//!       "place": "/filter/*/name",    // in the values; * is any item or undeclared member
//!       "message": "…",
//!       "witness": {"q": 1},          // a value that proves it, or null
//!       "before": "…", "after": "…",  // the texts of a change of wording, else null
//!       "words": [{"same": "a "}, {"removed": "b"}, {"added": "c"}]   // the same word by word, or null
//!     }]
//!   }]
//! }
//! ```
//!
//! A version may get new members, but its names do not change.

use serde_json::{Value, json};
use toolsure_analysis::diff::{Aspect, Change, Piece, word_diff};

use super::sides::Sides;
use crate::exit::Exit;
use crate::policy::Remark;
use crate::render::json::harmless;

/// Renders the pairs of listings as one document.
pub(crate) fn render(all: &[Sides], faults: &[String], remarks: &[Remark], exit: Exit) -> String {
    let class = all.iter().filter_map(|sides| sides.report.class()).max();
    let same: usize = all.iter().map(|sides| sides.report.same).sum();
    let first = all.first();
    let tools = all.iter().flat_map(|sides| {
        let tools = sides.report.tools.iter();
        tools.map(|tool| {
            json!({
                "server": sides.server,
                "name": tool.name,
                "class": tool.class().to_string(),
                "changes": tool.changes.iter().map(change).collect::<Vec<_>>(),
            })
        })
    });
    let document = json!({
        "version": 1,
        "exit": exit.code(),
        "class": class.map(|class| class.to_string()),
        "old": first.map(|sides| &sides.old),
        "new": first.map(|sides| &sides.new),
        "same": same,
        "faults": faults,
        "configuration": remarks.iter().map(Remark::json).collect::<Vec<_>>(),
        "tools": tools.collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

fn change(change: &Change) -> Value {
    let witness = change.witness.as_deref().map(|text| {
        // JSON text that this parser refuses becomes a string.
        serde_json::from_str(text).unwrap_or_else(|_| Value::from(text))
    });
    let words = change.before.as_deref().zip(change.after.as_deref());
    let words = words.map(|(before, after)| {
        let pieces = word_diff(before, after).into_iter();
        let pieces = pieces.map(|piece| match piece {
            Piece::Same(text) => json!({"same": text}),
            Piece::Removed(text) => json!({"removed": text}),
            Piece::Added(text) => json!({"added": text}),
        });
        pieces.collect::<Vec<_>>()
    });
    json!({
        "class": change.class.to_string(),
        "kind": change.kind.name(),
        "side": change.side.to_string(),
        "aspect": if change.aspect == Aspect::Words { "words" } else { "contract" },
        "place": change.place,
        "message": change.message,
        "witness": witness,
        "before": change.before,
        "after": change.after,
        "words": words,
    })
}
