//! Changes for machines: one JSON document.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 1,                        // the process's exit code
//!   "class": "breaking",              // the worst: "breaking" | "unknown" | "warning" | "compatible"; null if nothing changed
//!   "old": "a.json", "new": "b.json", "same": 12,
//!   "known": 0,                       // changes that are not shown, because the baseline has them
//!   "faults": [],                     // why servers could not be compared, in words
//!   "configuration": [],              // what is wrong with ignores and the baseline, as `lint` has it
//!   "tools": [{
//!     "server": null,                   // its name, if several servers are compared
//!     "name": "find", "class": "breaking",
//!     "changes": [{
//!       "class": "breaking",
//!       "kind": "schema-narrowed",    // what happened, by a stable name
//!       "category": "schema",         // "tool" | "schema" | "consent" | "words" | "other"
//!       "side": "input",              // "tool" | "input" | "output"
//!       "aspect": "contract",         // or "words": descriptions, titles, defaults, hints
//!       "place": "/filter/*/name",    // in the values; * is any item or undeclared member
//!       "file": "b.json", "line": 3, "column": 14,   // in the newer listing, or where a tool that it has not was; null if unknown
//!       "message": "…",
//!       "witness": {"q": 1},          // a value that proves it; absent if there is none
//!       "before": "…", "after": "…",  // the texts of a change of wording, else null
//!       "words": [{"same": "a "}, {"removed": "b"}, {"added": "c"}]   // the same word by word, or null
//!     }]
//!   }]
//! }
//! ```
//!
//! A version may get new members, but its names do not change.

use serde_json::{Value, json};
use toolsure_analysis::diff::{Aspect, Change, Class, Piece, word_diff};
use toolsure_json::LineColumn;

use super::sides::Sides;
use crate::exit::Exit;
use crate::policy::{Remark, Remarks};
use crate::render::json::harmless;

/// Renders the pairs of listings as one document; `quiet` omits compatible changes.
pub(crate) fn render(
    all: &[Sides],
    faults: &[String],
    remarks: &Remarks,
    exit: Exit,
    quiet: bool,
) -> String {
    let is_shown = move |class: Class| !(quiet && class == Class::Compatible);
    let class = all.iter().filter_map(|sides| sides.report.class()).max();
    let same: usize = all.iter().map(|sides| sides.report.same).sum();
    let first = all.first();
    let tools = all.iter().flat_map(|sides| {
        let tools = sides.report.tools.iter();
        let tools = tools.filter(move |tool| is_shown(tool.class()));
        tools.map(move |tool| {
            let changes = tool.changes.iter();
            let changes = changes.filter(|one| is_shown(one.class));
            let changes = changes.map(|one| change(one, sides.place(tool, one)));
            json!({
                "server": sides.server,
                "name": tool.name,
                "class": tool.class().to_string(),
                "changes": changes.collect::<Vec<_>>(),
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
        "known": remarks.known,
        "configuration": remarks.all.iter().map(Remark::json).collect::<Vec<_>>(),
        "tools": tools.collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

fn change(change: &Change, place: Option<(&str, Option<LineColumn>)>) -> Value {
    let at = place.and_then(|(_, at)| at);
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
    let mut object = json!({
        "class": change.class.to_string(),
        "kind": change.kind.name(),
        "category": change.kind.category().name(),
        "side": change.side.to_string(),
        "aspect": if change.aspect == Aspect::Words { "words" } else { "contract" },
        "place": change.place,
        "file": place.map(|(file, _)| file),
        "line": at.map(|at| at.line),
        "column": at.map(|at| at.column),
        "message": change.message,
        "before": change.before,
        "after": change.after,
        "words": words,
    });
    if let Some((witness, members)) = witness.zip(object.as_object_mut()) {
        members.insert("witness".to_owned(), witness);
    }
    object
}
