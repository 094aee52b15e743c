//! The report for machines: one JSON document.
//!
//! ```text
//! {
//!   "version": 1,
//!   "exit": 6,                       // the process's exit code
//!   "known": 0,                      // findings that are not shown, because the baseline has them
//!   "configuration": [{              // what is wrong with ignores and the baseline
//!     "code": "unused-ignore", "message": "…", "file": "toolsure.toml", "line": 3
//!   }],
//!   "skipped": [{                    // servers of a configuration that were not opened
//!     "server": "old", "reason": "is disabled (`\"disabled\": true`)", "file": "mcp.json", "line": 9
//!   }],
//!   "save": {                        // null without `--save`
//!     "file": "servers.json",        // null if no server returned a listing, so nothing was written
//!     "missing": ["github"]          // servers that returned none
//!   },
//!   "reports": [{                    // one per server or file
//!     "target": "npx -y some-server",
//!     "server": {                    // null if unknown
//!       "name": "some", "version": "1.0", "era": "legacy", "protocolVersion": "2025-11-25"
//!     },
//!     "tools": [{
//!       "name": "echo",              // null if it has none
//!       "verdict": "ok",             // "ok" | "warned" | "refused"
//!       "inputBytes": 312,           // null if absent
//!       "outputBytes": null,
//!       "digest": "sha256:…",        // of the definition; null if it has no canonical form
//!       "findings": []               // as in the report of `lint`
//!     }],
//!     "findings": [],                // on the listing and its pages
//!     "digest": "sha256:…",          // of all tools; null if the listing is not complete
//!     "summary": { "tools": 1, "ok": 1, "warned": 0, "refused": 0 },
//!     "notes": ["…"],
//!     "fault": null                  // or { "kind", "by", "phase", "message", "help", "stderr" }
//!   }]
//! }
//! ```
//!
//! A version may get new members, but its names and codes do not change. Messages are escaped for
//! people. `name` and `server` are as the server wrote them, with characters that act on a terminal
//! written as `\u` escapes.

use serde_json::{Value, json};
use toolsure_proxy::{Fault, FaultKind, Party};

use super::verdict::{Judged, Verdict, Verdicts};
use crate::exit::Exit;
use crate::findings::Page;
use crate::findings::json::finding;
use crate::listing::save::Written;
use crate::listing::{ListedTool, Skipped};
use crate::policy::{Remark, Remarks};
use crate::render::json::harmless;

/// The servers and files of a run.
pub(crate) struct Servers<'a> {
    pub(crate) pages: &'a [Page],
    pub(crate) skipped: &'a [Skipped],
    /// For `--save`: what was written.
    pub(crate) saved: Option<&'a Written>,
}

/// Renders all reports as one document; `quiet` omits tools without a finding.
pub(crate) fn render(servers: &Servers<'_>, remarks: &Remarks, exit: Exit, quiet: bool) -> String {
    let document = json!({
        "version": VERSION,
        "exit": exit.code(),
        "known": remarks.known,
        "configuration": remarks.all.iter().map(Remark::json).collect::<Vec<_>>(),
        "skipped": servers.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "save": servers.saved.map(|saved| json!({
            "file": saved.file,
            "missing": saved.missing,
        })),
        "reports": servers.pages.iter().map(|one| report(one, quiet)).collect::<Vec<_>>(),
    });
    let mut text = harmless(&format!("{document:#}"));
    text.push('\n');
    text
}

fn skipped(skipped: &Skipped) -> Value {
    let (file, line) = &skipped.named_at;
    json!({
        "server": skipped.server,
        "reason": skipped.reason,
        "file": file,
        "line": line,
    })
}

fn report(page: &Page, quiet: bool) -> Value {
    let Verdicts {
        tools,
        others,
        tally,
    } = Verdicts::of(page);
    let listing = &page.listing;
    let tools = listing.tools.iter().zip(&tools);
    let tools = tools.filter(|(_, judged)| !(quiet && judged.verdict == Verdict::Ok));
    json!({
        "target": listing.target,
        "server": listing.server.as_ref().map(|server| json!({
            "name": server.name,
            "version": server.version,
            "era": server.era(),
            "protocolVersion": server.protocol,
        })),
        "tools": tools.map(|(one, judged)| tool(page, one, judged)).collect::<Vec<_>>(),
        "findings": others.iter().map(|one| finding(page, one)).collect::<Vec<_>>(),
        "digest": listing.digest().map(|digest| digest.to_string()),
        "summary": {
            "tools": listing.tools.len(),
            "ok": tally.ok,
            "warned": tally.warned,
            "refused": tally.refused,
        },
        "notes": listing.notes,
        "fault": listing.fault.as_ref().map(fault),
    })
}

fn tool(page: &Page, tool: &ListedTool, judged: &Judged<'_>) -> Value {
    let verdict = match judged.verdict {
        Verdict::Ok => "ok",
        Verdict::Warned => "warned",
        Verdict::Refused => "refused",
    };
    json!({
        "name": tool.name,
        "verdict": verdict,
        "inputBytes": tool.input,
        "outputBytes": tool.output,
        "digest": tool.digest().map(|digest| digest.to_string()),
        "findings": judged.findings.iter().map(|one| finding(page, one)).collect::<Vec<_>>(),
    })
}

fn fault(fault: &Fault) -> Value {
    let by = match fault.by() {
        Party::Operator => "operator",
        Party::Server => "server",
        Party::Network => "network",
    };
    json!({
        "kind": kind(fault.kind()),
        "by": by,
        "phase": fault.phase().to_string(),
        "message": fault.to_string(),
        "help": fault.help(),
        "stderr": fault.stderr(),
    })
}

fn kind(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Config => "config",
        FaultKind::Spawn => "spawn",
        FaultKind::Exited => "exited",
        FaultKind::Timeout => "timeout",
        FaultKind::Protocol | FaultKind::RepeatedCursor => "protocol",
        FaultKind::TooLarge => "too-large",
        FaultKind::Status(_) => "http-status",
        FaultKind::Auth(_) => "auth",
        FaultKind::Unreachable => "unreachable",
        FaultKind::Redirect => "redirect",
        FaultKind::Refused(_) => "refused",
        FaultKind::Version => "version",
        _ => "other",
    }
}

/// The version of the document's format.
const VERSION: u32 = 1;
