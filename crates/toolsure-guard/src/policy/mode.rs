//! The choices of a policy: how violations, bad tools and bad results are handled, and how results are
//! completed and rewritten for their readers.

use super::words::Words;

/// How violations are handled: for each direction, and for each tool by [`ToolRule`](super::ToolRule).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a violation is stopped, recorded, or not looked for"
)]
pub enum Mode {
    /// The message does not pass.
    #[default]
    Enforce,
    /// The message passes, and a record reports the violation.
    Audit,
    /// Nothing is checked.
    Off,
}

/// How a malformed tool is handled, or a tool whose schemas do not compile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the tool goes, or the server, or nothing"
)]
pub enum BadTools {
    /// It is left out of the list; the other tools stay.
    #[default]
    FilterOut,
    /// The whole list is answered with an error, and none of its tools can be called.
    RejectServer,
    /// It stays in the list; calls of it fail.
    Pass,
}

/// How a result is handled that breaks its tool's contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the result, its structured part, or nothing of it goes"
)]
pub enum BadResult {
    /// It is replaced by a result with `isError: true` that says what is wrong.
    #[default]
    Replace,
    /// `content` stays, `structuredContent` is removed, `isError` becomes `true`, and `_meta` says what is
    /// wrong.
    DropStructured,
    /// Everything stays, and `_meta` says what is wrong.
    Flag,
}

/// How a call of a tool that is not listed, or hidden, is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "servers answer in these two ways")]
pub enum UnknownTool {
    /// With the JSON-RPC error -32602, as the protocol says (server/tools, error handling).
    Error,
    /// With a result that has `isError`, as several SDKs do: a model reads it.
    Result,
}

/// How a result is handled that has no text that every reader can read: structured content that is not
/// an object without a text block beside it (SEP-2106 asks servers for one), or no `content` at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the text can be added, asked for, or not be there"
)]
pub enum TextBlocks {
    /// The text is added, and a record reports it.
    #[default]
    Repair,
    /// It is handled like any bad result.
    Refuse,
    /// It passes, and a record reports it.
    Report,
}

/// Which calls are repaired whose arguments do not match the input schema
/// ([`toolsure_mcp::repair`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a call can be repaired, be repaired if that is certain, or be refused"
)]
pub enum Repair {
    /// Strings are read as the JSON that they contain, if that is the only way to make the call valid
    /// with so few changes ([`RepairLimits::only_certain`](toolsure_mcp::repair::RepairLimits)). Servers
    /// in Python do the same themselves.
    #[default]
    Certain,
    /// Also, `null` for an optional member is left out and a missing default is filled in; of several ways,
    /// the first is taken.
    All,
    /// None: the model gets the text that says what is wrong.
    Off,
}

/// How a result is handled in which members, or blocks of `content`, are not what the protocol allows,
/// so that clients reject the whole result or wait for it until their timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "such members can be repaired, be a reason to refuse, or stay"
)]
pub enum ResultMembers {
    /// Optional members are left out, required ones that have one possible value are added, and a block
    /// that no client reads becomes a text block. A record says what was changed.
    #[default]
    Repair,
    /// It is handled like any bad result; the result of another method becomes an error.
    Refuse,
    /// It passes, unless a check fails for another reason.
    Pass,
}

/// How the results of a tool are handled that declares an output schema, but answers with text only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the schema can be held, be held to the text, or not be there"
)]
pub enum Output {
    /// A result without structured content is a bad result (2025-06-18, server/tools, "Output Schema":
    /// servers must provide structured results).
    #[default]
    Enforce,
    /// If the only text block is JSON that the schema accepts, it also becomes the structured content, and
    /// a record reports it. Any other result is handled as with `Enforce`.
    Lift,
    /// The output schema is left out of listings, and results are not checked against it.
    Hide,
}

/// How a result is handled that is longer than [`Policy::max_result_bytes`](super::Policy::max_result_bytes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a part of it can pass, or nothing of it"
)]
pub enum LongResults {
    /// The first blocks of `content` stay, each whole, as long as they fit, and a text block says what is
    /// left out. A result of which no block fits, or whose structured content does not fit, is refused.
    #[default]
    Cut,
    /// It is replaced by a result with `isError: true` that says how long it is.
    Refuse,
}

/// How a call or a result is handled with a number that a double cannot hold (`1e400`): the schema's verdict
/// is exact, but most programs read infinity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::exhaustive_enums, reason = "it is refused or not")]
pub enum WideNumbers {
    /// The call is refused, and the result is a bad result.
    #[default]
    Refuse,
    /// It passes.
    Pass,
}

/// How output that older readers cannot read is rewritten for them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::exhaustive_enums,
    reason = "output is sent as it is, in another form, or not at all"
)]
pub enum Project {
    /// Schema and value are wrapped in the member `result` of an object.
    #[default]
    Wrap,
    /// Schema and value are left out; the text stays.
    Drop,
    /// It stays as the server sent it.
    Off,
}

words! {
    Mode { Enforce = "enforce", Audit = "audit", Off = "off" }
    BadTools { FilterOut = "filter-out", RejectServer = "reject-server", Pass = "pass" }
    BadResult { Replace = "replace", DropStructured = "drop-structured", Flag = "flag" }
    UnknownTool { Error = "error", Result = "result" }
    TextBlocks { Repair = "repair", Refuse = "refuse", Report = "report" }
    ResultMembers { Repair = "repair", Refuse = "refuse", Pass = "pass" }
    Output { Enforce = "enforce", Lift = "lift", Hide = "hide" }
    LongResults { Cut = "cut", Refuse = "refuse" }
    WideNumbers { Refuse = "refuse", Pass = "pass" }
    Project { Wrap = "wrap", Drop = "drop", Off = "off" }
}

/// `true` is `all`, and `false` is `off`.
impl Words for Repair {
    const WORDS: &'static [&'static str] = &["certain", "all", "off"];
    const ALL: &'static [Self] = &[Self::Certain, Self::All, Self::Off];

    fn of(word: &str) -> Option<Self> {
        Some(match word {
            "certain" => Self::Certain,
            "all" | "true" => Self::All,
            "off" | "false" => Self::Off,
            _ => return None,
        })
    }
}
