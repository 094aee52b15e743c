//! What went wrong in a conversation, and who has to act.

use std::fmt;

use toolsure_json::{json_string, quote};
use toolsure_mcp::era::Era;
use toolsure_mcp::message::{
    HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
    PARSE_ERROR, write,
};

/// Who must act to remove the cause of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Party {
    /// The author of the client, or its model.
    Client,
    /// The author of the server.
    Server,
    /// The guard reached one of its limits.
    Guard,
    /// The author of the policy, which forbids it.
    Policy,
}

impl Party {
    /// The name of the party: `client`, `server`, `guard` or `policy`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Server => "server",
            Self::Guard => "guard",
            Self::Policy => "policy",
        }
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What went wrong, with a stable code and a party to blame.
///
/// The codes of faults of one call or one result are those of [`toolsure_mcp::check::Fault`]; all
/// others are here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Act {
    /// The client sent something that is not JSON.
    ClientSentNoJson,
    /// The client sent JSON that is not a JSON-RPC message.
    ClientSentNoMessage,
    /// The client sent a method that does not fit its message: a request's method without an id, a
    /// notification's method with one, or one that only resembles a method of the protocol.
    ClientSentUnfitMethod,
    /// The client sent parameters that do not say what the request is about.
    ClientSentBadParams,
    /// The client calls a tool that is not there, or not for it.
    UnknownTool,
    /// The client wants a prompt that is not there, or not for it.
    UnknownPrompt,
    /// The client wants a resource that is not there, or not for it.
    UnknownResource,
    /// The client sent a method that is not known, or not for it.
    UnknownMethod,
    /// The client answered a request that the server did not send.
    ClientAnsweredUnasked,
    /// The client sent a message above the size limit.
    ClientSentTooMuch,
    /// The client used the id of a request that is still open.
    ClientReusedId,
    /// The client has more open requests than the limit.
    ClientAskedTooMuch,
    /// The client declares an unknown protocol version.
    ClientDeclaredUnknownVersion,
    /// The client closed the stream of a request.
    ClientLeft,
    /// The client sent a batch in an era that has none.
    ClientSentBatch,
    /// The client sent a second `initialize`, or one in a batch.
    ClientSentUnfitInitialize,
    /// The client's HTTP headers contradict its message.
    ClientSentOtherHeaders,
    /// The client does not read the answer that it asked for.
    ClientReadsTooSlowly,
    /// The server wrote something that is not a JSON-RPC message at all.
    ServerMadeNoise,
    /// The server sent a method that does not fit its message.
    ServerSentUnfitMethod,
    /// The server answered with something that cannot be read.
    ServerAnsweredNoJson,
    /// The server answered with JSON that is not a JSON-RPC answer.
    ServerAnsweredNoMessage,
    /// The server answered with a message above the size limit.
    ServerAnsweredTooMuch,
    /// The server answered with an error that is not a valid JSON-RPC error.
    ServerAnsweredBadError,
    /// The server answered under an id of another type: `"4"` for `4`.
    ServerAnsweredOtherId,
    /// The server's result has structured content that is not an object, and no text block for readers that
    /// only know objects (SEP-2106).
    ResultWithoutText,
    /// The server's result has no `content`, which typed readers need.
    ResultWithoutContent,
    /// The server's result has structured content that is not an object, although the output schema only
    /// allows objects, and so does the protocol of both sides.
    ResultNotObject,
    /// The same if no output schema applies: the value is left out, the text stays.
    ResultValueLeftOut,
    /// The server's result has members or blocks that the protocol does not allow as they are.
    ResultMemberMalformed,
    /// The result is longer than the policy allows.
    ResultTooLong,
    /// The arguments have a number that a double cannot hold.
    ArgumentsBeyondDouble,
    /// The result has a number that a double cannot hold.
    ResultBeyondDouble,
    /// The text of a result became its structured content, which the output schema requires.
    ResultTextLifted,
    /// The structured content of an error does not match the output schema, and the client would report
    /// that instead of the error: the value is left out, the text stays.
    ErrorValueLeftOut,
    /// A list other than that of tools has entries or members that the protocol does not allow as they are.
    ListEntryMalformed,
    /// The server answered a request that was not sent, or answered it twice.
    ServerAnsweredUnasked,
    /// The server answered a request that another process of the guard sent, so the result cannot be
    /// checked.
    AnsweredElsewhere,
    /// The server used the id of a request that is still open.
    ServerReusedId,
    /// The server sent a request to a client whose era has no such requests.
    ServerAskedModernClient,
    /// The server asks for a form with a schema that the protocol does not allow.
    ServerAskedBadForm,
    /// The server has more open requests than the limit.
    ServerAskedTooMuch,
    /// The server sent a batch in an era that has none; it was split into messages.
    ServerSentBatch,
    /// The server is gone, or one request to it failed.
    ServerGone,
    /// The server did not answer in time.
    ServerSilent,
    /// The server's list of tools cannot be obtained or read.
    ServerUnlisted,
    /// The server listed a malformed tool.
    ServerListedBadTool,
    /// The server listed a tool whose schemas do not compile.
    ServerListedUncompilableTool,
    /// The server listed a member that the protocol does not allow as it is; it was left out.
    ServerListedBadMember,
    /// The server listed an output schema that the guard or popular clients cannot compile;
    /// it was left out.
    OutputSchemaRemoved,
    /// A schema of a tool is listed in a form that more clients accept.
    SchemaSimplified,
    /// A part of a tool's definition was left out or rewritten because the client's protocol version
    /// cannot express it.
    ToolPartNotListed,
    /// A tool's input schema is, or looks like, an argument schema.
    InputIsArgumentSchema,
    /// A tool is listed in the form for the provider that the policy names.
    ToolProjected,
    /// A tool cannot be rewritten into the form for the provider that the policy names.
    ToolNotProjected,
    /// The server changed a tool's schemas after they were pinned.
    ServerChangedContract,
    /// The server changed a tool's description of itself after it was pinned.
    ServerChangedDescription,
    /// The server offers a tool that did not exist when its tools were pinned.
    ServerAddedTool,
    /// The server no longer offers a tool that was pinned.
    ServerRemovedTool,
    /// The server changed or added an entry of another list than that of tools, or its instructions, after
    /// they were pinned.
    ServerChangedEntry,
    /// Something is held until somebody approves what changed in it.
    ApprovalNeeded,
    /// A guard found that the tool changed after it was pinned, and all guards that share state with it
    /// have quarantined the tool.
    ToolQuarantined,
    /// The result belongs to a task whose start was not seen here.
    TaskUnknown,
    /// The policy hides the tool.
    ToolHidden,
    /// The caller may not use it.
    NotAllowed,
    /// The tool is called more often than the policy allows.
    ToolCalledTooOften,
    /// The policy has a rule that matches no tool of the server.
    RuleWithoutTool,
    /// Too many calls are parked until the list of tools arrives.
    GuardOverloaded,
    /// The guard is shutting down.
    GuardStopping,
}

impl Act {
    /// The stable code for machines and logs.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.facts().0
    }

    /// Who has to act.
    #[must_use]
    pub fn by(self) -> Party {
        self.facts().1
    }

    /// The JSON-RPC code of the error for the sender of a request that is refused because of this.
    pub(crate) fn rpc_code(self) -> i64 {
        match self {
            Self::ClientSentNoJson | Self::ServerAnsweredNoJson => PARSE_ERROR,
            Self::ClientSentNoMessage
            | Self::ClientSentUnfitMethod
            | Self::ClientSentTooMuch
            | Self::ClientReusedId
            | Self::ClientSentBatch
            | Self::ClientSentUnfitInitialize
            | Self::ServerSentUnfitMethod
            | Self::ServerAnsweredNoMessage
            | Self::ServerAnsweredTooMuch => INVALID_REQUEST,
            Self::ClientSentOtherHeaders => HEADER_MISMATCH,
            Self::UnknownMethod => METHOD_NOT_FOUND,
            Self::UnknownTool
            | Self::UnknownPrompt
            | Self::UnknownResource
            | Self::ClientSentBadParams => INVALID_PARAMS,
            _ => INTERNAL_ERROR,
        }
    }

    /// A JSON-RPC error with this code in its data. `id` is JSON text.
    pub(crate) fn error(self, id: &str, code: i64, text: &str) -> String {
        error(id, code, text, self.code())
    }

    fn facts(self) -> (&'static str, Party) {
        use Party::{Client, Guard, Policy, Server};
        match self {
            Self::ClientSentNoJson => ("client-json", Client),
            Self::ClientSentNoMessage => ("client-message", Client),
            Self::ClientSentUnfitMethod => ("client-method", Client),
            Self::ClientSentBadParams => ("client-params", Client),
            Self::UnknownTool => ("tool-unknown", Client),
            Self::UnknownPrompt => ("prompt-unknown", Client),
            Self::UnknownResource => ("resource-unknown", Client),
            Self::UnknownMethod => ("method-unknown", Client),
            Self::ClientAnsweredUnasked => ("client-answer-unasked", Client),
            Self::ClientSentTooMuch => ("client-message-bytes", Client),
            Self::ClientReusedId => ("client-id-reused", Client),
            Self::ClientAskedTooMuch => ("client-requests", Client),
            Self::ClientDeclaredUnknownVersion => ("client-version", Client),
            Self::ClientLeft => ("client-left", Client),
            Self::ClientSentBatch => ("client-batch", Client),
            Self::ClientSentUnfitInitialize => ("client-initialize", Client),
            Self::ClientSentOtherHeaders => ("client-headers", Client),
            Self::ClientReadsTooSlowly => ("client-slow", Client),
            Self::ServerMadeNoise => ("server-noise", Server),
            Self::ServerSentUnfitMethod => ("server-method", Server),
            Self::ServerAnsweredNoJson => ("server-json", Server),
            Self::ServerAnsweredNoMessage => ("server-message", Server),
            Self::ServerAnsweredTooMuch => ("server-message-bytes", Server),
            Self::ServerAnsweredBadError => ("server-error", Server),
            Self::ServerAnsweredOtherId => ("server-id-type", Server),
            Self::ResultWithoutText => ("result-without-text", Server),
            Self::ResultWithoutContent => ("result-without-content", Server),
            Self::ResultNotObject => ("result-not-object", Server),
            Self::ResultValueLeftOut => ("result-value-left-out", Server),
            Self::ResultMemberMalformed => ("result-member-malformed", Server),
            Self::ResultTooLong => ("result-too-long", Policy),
            Self::ArgumentsBeyondDouble => ("arguments-number-range", Client),
            Self::ResultBeyondDouble => ("result-number-range", Server),
            Self::ResultTextLifted => ("result-text-lifted", Server),
            Self::ErrorValueLeftOut => ("result-error-value-left-out", Server),
            Self::ListEntryMalformed => ("list-entry-malformed", Server),
            Self::ServerAnsweredUnasked => ("server-answer-unasked", Server),
            Self::AnsweredElsewhere => ("answer-elsewhere", Guard),
            Self::ServerReusedId => ("server-id-reused", Server),
            Self::ServerAskedModernClient => ("server-request-modern", Server),
            Self::ServerAskedBadForm => ("server-form", Server),
            Self::ServerAskedTooMuch => ("server-requests", Server),
            Self::ServerSentBatch => ("server-batch", Server),
            Self::ServerGone => ("server-gone", Server),
            Self::ServerSilent => ("server-timeout", Server),
            Self::ServerUnlisted => ("tools-unlisted", Server),
            Self::ServerListedBadTool => ("tool-malformed", Server),
            Self::ServerListedUncompilableTool => ("tool-uncompilable", Server),
            Self::ServerListedBadMember => ("tool-member-malformed", Server),
            Self::OutputSchemaRemoved => ("tool-output-schema-removed", Server),
            Self::SchemaSimplified => ("tool-schema-simplified", Server),
            Self::ToolPartNotListed => ("tool-part-not-listed", Client),
            Self::InputIsArgumentSchema => ("argument-schema", Server),
            Self::ToolProjected => ("tool-projected", Policy),
            Self::ToolNotProjected => ("tool-not-projected", Policy),
            Self::ServerChangedContract => ("tool-contract-changed", Server),
            Self::ServerChangedDescription => ("tool-description-changed", Server),
            Self::ServerAddedTool => ("tool-not-pinned", Server),
            Self::ServerChangedEntry => ("list-entry-changed", Server),
            Self::ApprovalNeeded => ("approval-needed", Policy),
            Self::ServerRemovedTool => ("tool-removed", Server),
            Self::ToolQuarantined => ("tool-quarantined", Server),
            Self::TaskUnknown => ("task-unknown", Guard),
            Self::ToolHidden => ("tool-hidden", Policy),
            Self::NotAllowed => ("caller-not-allowed", Policy),
            Self::ToolCalledTooOften => ("tool-rate", Policy),
            Self::RuleWithoutTool => ("rule-without-tool", Policy),
            Self::GuardOverloaded => ("guard-overloaded", Guard),
            Self::GuardStopping => ("guard-stopping", Guard),
        }
    }
}

/// A JSON-RPC error of the guard, with a stable code in its data. `id` is JSON text.
pub(crate) fn error(id: &str, code: i64, text: &str, stable: &str) -> String {
    let data = format!(r#"{{"code":"{stable}"}}"#);
    write::error(id, code, text, Some(&data))
}

/// The members of the data of an `UNSUPPORTED_VERSION` error, as JSON text.
pub(crate) fn unsupported_version(requested: &str) -> String {
    let eras = Era::ALL.iter().filter(|era| era.declares_version());
    let supported: Vec<String> = eras.map(|era| format!("\"{era}\"")).collect();
    let requested = json_string(&quote(requested, VERSION).to_string());
    format!(
        r#""requested":{requested},"supported":[{}]"#,
        supported.join(",")
    )
}

/// Maximum characters of a version that an error repeats.
const VERSION: usize = 64;

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The string literals of a source file that look like codes, such as `server-gone`.
    fn codes(source: &str) -> impl Iterator<Item = &str> {
        let parties = [
            "arguments",
            "client",
            "guard",
            "request",
            "result",
            "server",
            "translate",
        ];
        source.split('"').filter(move |text| {
            let word =
                |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
            let begins = text
                .split_once('-')
                .is_some_and(|(party, _)| parties.contains(&party));
            begins && text.split('-').all(word)
        })
    }

    fn sources(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, found);
            } else {
                found.push(std::fs::read_to_string(&path).unwrap());
            }
        }
    }

    /// Wherever a code is written: the tables of faults, the translators, the transports.
    #[test]
    fn the_page_of_the_audit_log_has_every_code() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let page = std::fs::read_to_string(root.join("docs/guard/audit.md")).unwrap();
        let mut texts = Vec::new();
        for folder in [
            "toolsure-guard/src",
            "toolsure-proxy/src",
            "toolsure-mcp/src/check",
        ] {
            sources(&root.join("crates").join(folder), &mut texts);
        }
        let mut number = 0;
        for code in texts.iter().flat_map(|text| codes(text)) {
            number += 1;
            assert!(page.contains(&format!("`{code}`")), "{code} is missing");
        }
        assert!(number > 60, "{number} codes");
        let acts = include_str!("fault.rs")
            .lines()
            .filter(|line| line.contains("=> (\""));
        for act in acts {
            let code = act.split('"').nth(1).unwrap();
            assert!(page.contains(&format!("`{code}`")), "{code} is missing");
        }
    }
}
