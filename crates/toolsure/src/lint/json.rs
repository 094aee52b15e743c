//! Findings for machines: one JSON document.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 1,                          // the process's exit code
//!   "known": 0,                         // findings that are not shown, because the baseline has them
//!   "configuration": [{                 // what is wrong with ignores and the baseline
//!     "code": "unused-ignore",          // "unused-ignore" | "expired-ignore" | "unused-baseline"
//!     "message": "…", "file": "toolsure.toml", "line": 3   // null for a flag
//!   }],
//!   "reports": [{                       // one per server or file
//!     "target": "listing.json",
//!     "tokens": 1234,                   // estimated, of what a model is shown
//!     "errors": 1, "warnings": 2, "notes": 3,   // all, shown or not
//!     "fault": null,                    // why there is no listing, in words
//!     "findings": [{
//!       "code": "TL032", "name": "misspelt-keyword", "severity": "error",
//!       "tool": "find",                 // null if it is about the listing or a page
//!       "list": null,                   // for a page: the method that asks for it, such as "tools/list"
//!       "pointer": "/inputSchema/…",    // into the tool or the page
//!       "message": "…", "help": "…",    // help may be null
//!       "line": 3, "column": 14, "endLine": 3, "endColumn": 20,   // null for a live server
//!       "start": 120, "end": 131,       // bytes: of the file, or of the tool's text for a live server
//!       "fix": {"safe": true, "edits": [{"start": 120, "end": 131, "text": "…"}]}   // or null
//!     }]
//!   }]
//! }
//! ```
//!
//! A version may get new members, but its names and codes do not change.

use serde_json::{Value, json};

use crate::exit::Exit;
use crate::findings::Page;
use crate::findings::json::finding;
use crate::policy::{Remark, Remarks};
use crate::render::json::harmless;

/// Renders all pages as one document.
pub(crate) fn render(pages: &[Page], remarks: &Remarks, exit: Exit) -> String {
    let document = json!({
        "version": 1,
        "exit": exit.code(),
        "known": remarks.known,
        "configuration": remarks.all.iter().map(Remark::json).collect::<Vec<_>>(),
        "reports": pages.iter().map(page).collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

fn page(page: &Page) -> Value {
    let [errors, warnings, notes] = page.counts;
    json!({
        "target": page.listing.target,
        "tokens": page.tokens,
        "errors": errors,
        "warnings": warnings,
        "notes": notes,
        "fault": page.listing.fault.as_ref().map(ToString::to_string),
        "findings": page.findings.iter().map(|one| finding(page, one)).collect::<Vec<_>>(),
    })
}
