//! A violation: which filter found what, who is to blame, and how the caller is answered.

use toolsure_json::{json_string, quote};
use toolsure_mcp::check::{Fault, Refusal};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{INVALID_PARAMS, write};
use toolsure_schema::{Exhausted, Finding, Report};

use crate::fault::{Act, Party, error};
use crate::lock::Digest;
use crate::policy::Mode;
use crate::record::{Filter, Record};

/// Why a filter stops or reports a call or a result.
#[derive(Debug)]
pub(crate) struct Violation {
    pub(crate) filter: Filter,
    /// Whether it stops the message or is only recorded.
    pub(crate) mode: Mode,
    pub(crate) code: &'static str,
    pub(crate) blame: Party,
    /// Where the value failed, and at which keyword; never values.
    pub(crate) places: Vec<String>,
    /// One line for the log, without values.
    pub(crate) detail: Option<String>,
    /// The digest of the tool's definition, if it was compared with a lock.
    pub(crate) digest: Option<Digest>,
    pub(crate) reply: Reply,
    /// Whether a newer list of tools could change the verdict.
    pub(crate) by_list: bool,
}

/// How the caller is answered.
#[derive(Debug)]
pub(crate) enum Reply {
    /// In the words of the contract layer.
    Refusal(Box<Refusal>),
    /// As a JSON-RPC error.
    Error { code: i64, text: String },
    /// As a result with `isError`, which a model can act on.
    Tool(String),
}

impl Violation {
    pub(crate) fn act(filter: Filter, mode: Mode, act: Act, reply: Reply) -> Self {
        Self {
            filter,
            mode,
            code: act.code(),
            blame: act.by(),
            places: Vec::new(),
            detail: None,
            digest: None,
            reply,
            by_list: false,
        }
    }

    pub(crate) fn refusal(filter: Filter, mode: Mode, refusal: Box<Refusal>) -> Self {
        let blame = match &refusal.fault {
            Fault::UndecidedArguments(_) | Fault::UndecidedResult(_) => Party::Guard,
            Fault::MalformedTool(_) | Fault::Uncompilable(_) => Party::Server,
            fault if fault.is_of_result() => Party::Server,
            _ => Party::Client,
        };
        let detail = match &refusal.fault {
            Fault::Uncompilable(why) => Some(why.to_string()),
            Fault::MalformedTool(isolated) => Some(isolated.reason.to_string()),
            Fault::UndecidedArguments(why) | Fault::UndecidedResult(why) => Some(why.to_string()),
            _ => None,
        };
        Self {
            filter,
            mode,
            code: refusal.fault.code(),
            blame,
            places: refusal.report.as_ref().map(places).unwrap_or_default(),
            detail,
            digest: None,
            reply: Reply::Refusal(refusal),
            by_list: true,
        }
    }

    /// The violation of a call that cannot be read as one.
    pub(crate) fn malformed(mode: Mode, text: String) -> Self {
        let code = INVALID_PARAMS;
        let reply = Reply::Error { code, text };
        let mut violation = Self::act(Filter::Arguments, mode, Act::ClientSentNoMessage, reply);
        violation.code = "call-malformed";
        violation
    }

    /// A check that ended without a verdict, under a policy that lets it pass.
    pub(crate) fn undecided(filter: Filter, code: &'static str, why: Exhausted) -> Self {
        Self {
            filter,
            mode: Mode::Audit,
            code,
            blame: Party::Guard,
            places: Vec::new(),
            detail: Some(why.to_string()),
            digest: None,
            reply: Reply::Tool(String::new()),
            by_list: false,
        }
    }

    /// Names the tool in the text for the client as the client does: it may know the tool by another name
    /// than the server.
    pub(crate) fn name_for_client(&mut self, own: &str, clients: &str) {
        let Some(text) = renamed(self.text(), own, clients) else {
            return;
        };
        match &mut self.reply {
            Reply::Refusal(refusal) => refusal.set_text(text),
            Reply::Error { text: own, .. } | Reply::Tool(own) => *own = text,
        }
    }

    pub(crate) fn text(&self) -> &str {
        match &self.reply {
            Reply::Refusal(refusal) => refusal.text(),
            Reply::Error { text, .. } | Reply::Tool(text) => text,
        }
    }

    /// The code in the answer. What is hidden from a caller is answered as what does not exist.
    fn answered_code(&self) -> &'static str {
        let hidden = [Act::ToolHidden.code(), Act::NotAllowed.code()];
        match hidden.contains(&self.code) {
            true => Act::UnknownTool.code(),
            false => self.code,
        }
    }

    /// The answer to the request, as JSON text, and its code if it is an error.
    pub(crate) fn answer(&self, era: Era, id: &str) -> (String, Option<i64>) {
        match &self.reply {
            Reply::Refusal(refusal) => {
                if refusal.is_result_in(era) {
                    return (refusal.answer(era, id), None);
                }
                let code = refusal.fault.rpc_code();
                (
                    error(id, code, refusal.text(), self.answered_code()),
                    Some(code),
                )
            }
            Reply::Error { code, text } => {
                (error(id, *code, text, self.answered_code()), Some(*code))
            }
            Reply::Tool(text) => (tool_error(era, id, text), None),
        }
    }
}

/// The text with another name of its tool, which it names once, before anything that was sent; `None` if it
/// names none.
fn renamed(text: &str, own: &str, clients: &str) -> Option<String> {
    let forms = [("tool `", "`"), ("unknown tool: ", "")];
    // The texts of `toolsure_mcp` cut long names earlier than those of this crate.
    let mut found = forms
        .iter()
        .flat_map(|form| [(form, SHOWN_NAME), (form, REFUSAL_NAME)]);
    found.find_map(|((before, after), most)| {
        let shown = |name: &str| format!("{before}{}{after}", quote(name, most));
        let own = shown(own);
        text.contains(&own)
            .then(|| text.replacen(&own, &shown(clients), 1))
    })
}

/// Where a value failed its schema, and at which keyword; never the value.
fn places(report: &Report) -> Vec<String> {
    let findings = report.findings.iter().take(Record::PLACES);
    let place = |finding: &Finding| {
        let keywords: Vec<&str> = finding.keyword_location().split('/').collect();
        let at = shown_location(finding.instance_location(), &keywords);
        format!(
            "{} {}",
            quote(&at, SHOWN_LOCATION),
            quote(finding.keyword(), SHOWN_LOCATION)
        )
    };
    findings.map(place).collect()
}

/// The location of a value, with `*` for member names that are not in the schema: the sender of the
/// value chose them, and they may be secret. `keywords` are the segments of the locations of the
/// keywords that check the value.
pub(super) fn shown_location(pointer: &str, keywords: &[&str]) -> String {
    let is_named = |name: &str| keywords.windows(2).any(|pair| pair == ["properties", name]);
    let has_items = keywords.iter().any(|keyword| ITEMS.contains(keyword));
    let is_index = |name: &str| {
        let digits = name.bytes().all(|byte| byte.is_ascii_digit());
        has_items && digits && name.len() <= INDEX_DIGITS
    };
    let mut out = String::new();
    for name in pointer.split('/').skip(1) {
        let shown = is_index(name) || is_named(name);
        out.push('/');
        out.push_str(if shown { name } else { "*" });
    }
    out
}

/// A result with `isError: true`.
pub(crate) fn tool_error(era: Era, id: &str, text: &str) -> String {
    let tag = if era.has_result_types() {
        r#""resultType":"complete","#
    } else {
        ""
    };
    let quoted = json_string(text);
    let result =
        format!(r#"{{{tag}"content":[{{"type":"text","text":{quoted}}}],"isError":true}}"#);
    write::result(id, &result)
}

/// Keywords that lead to the items of an array.
const ITEMS: [&str; 5] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
];
/// Maximum digits of an array index; a longer number is a name.
const INDEX_DIGITS: usize = 6;

/// Maximum characters of the name of a tool or an argument that a text repeats.
pub(crate) const SHOWN_NAME: usize = 128;
/// The same in the texts of [`toolsure_mcp::refusal_text`].
const REFUSAL_NAME: usize = 64;

/// The maximum number of characters of a number in a message.
pub(crate) const SHOWN_NUMBER: usize = 32;
/// Maximum characters of a location that a record repeats.
pub(super) const SHOWN_LOCATION: usize = 128;
