//! What went wrong in a conversation, and who has to act.

use std::fmt;

use toolgate_mcp::message::{INVALID_REQUEST, PARSE_ERROR};

use crate::text;

/// Who has to act for a fault to go away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Party {
    /// The author of the client, or its model.
    Client,
    /// The author of the server.
    Server,
    /// The guard reached one of its bounds.
    Guard,
    /// The author of the policy, which forbids it.
    Policy,
}

impl Party {
    /// `client`, `server`, `guard` or `policy`.
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
/// What concerns one call or one result has the codes of
/// [`toolgate_mcp::check::Fault`]; the others are here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Act {
    /// The client sent something that is not JSON.
    ClientSentNoJson,
    /// The client sent JSON that is not a JSON-RPC message.
    ClientSentNoMessage,
    /// The client sent a method that does not fit its message: a request's without an id, a
    /// notification's with one, or one that only looks like a method of the protocol.
    ClientSentUnfitMethod,
    /// The client answered a request that the server did not make.
    ClientAnsweredUnasked,
    /// The client sent a message over the bound.
    ClientSentTooMuch,
    /// The client used the id of a request that is still open.
    ClientReusedId,
    /// The client has more requests open than the bound.
    ClientAskedTooMuch,
    /// The client declares a protocol version that is unknown here.
    ClientDeclaredUnknownVersion,
    /// The client is gone, and what the server asked of it is not answered.
    ClientGone,
    /// The client closed the stream of a request.
    ClientLeft,
    /// The client sent a batch in an era that has none.
    ClientSentBatch,
    /// The client's HTTP headers do not say what its message says.
    ClientSentOtherHeaders,
    /// The client does not read what it asked for.
    ClientReadsTooSlowly,
    /// The server wrote something that is not a JSON-RPC message at all.
    ServerMadeNoise,
    /// The server sent a method that does not fit its message.
    ServerSentUnfitMethod,
    /// The server answered with something that cannot be read.
    ServerAnsweredNoJson,
    /// The server answered with JSON that is not a JSON-RPC answer.
    ServerAnsweredNoMessage,
    /// The server answered with a message over the bound.
    ServerAnsweredTooMuch,
    /// The server answered with an error that is not one of JSON-RPC's.
    ServerAnsweredBadError,
    /// The server answered under an id of another type: `"4"` for `4`.
    ServerAnsweredOtherId,
    /// The server's result has structured content that is not an object, and no text block for
    /// readers who know none (SEP-2106).
    ResultWithoutText,
    /// The server's result has no `content`, which typed readers need.
    ResultWithoutContent,
    /// The server's result has structured content that is not an object, where the output
    /// schema is one of objects, and the protocol of both sides knows nothing else.
    ResultNotObject,
    /// The same where no output schema applies: the value is left out, the text stays.
    ResultValueLeftOut,
    /// The server answered a request that was not made, or answered twice.
    ServerAnsweredUnasked,
    /// The server answered a request that another process of the guard sent, so
    /// that the result can be held to nothing.
    AnsweredElsewhere,
    /// The server used the id of a request that is still open.
    ServerReusedId,
    /// The server asked something of a client whose era has no such requests.
    ServerAskedModernClient,
    /// The server has more requests open than the bound.
    ServerAskedTooMuch,
    /// The server sent a batch in an era that has none; it was taken apart.
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
    /// A tool is listed as the provider takes it that the policy names.
    ToolProjected,
    /// A tool cannot be rewritten so that the provider takes it that the policy names.
    ToolNotProjected,
    /// The server changed a tool's schemas after they were pinned.
    ServerChangedContract,
    /// The server changed what a tool says of itself after it was pinned.
    ServerChangedDescription,
    /// The server offers a tool that was not there when its tools were pinned.
    ServerAddedTool,
    /// The server no longer offers a tool that was pinned.
    ServerRemovedTool,
    /// A guard found the tool changed after it was pinned, and all that share
    /// with it quarantined the tool.
    ToolQuarantined,
    /// The result belongs to a task whose beginning was not seen here.
    TaskUnknown,
    /// The policy hides the tool.
    ToolHidden,
    /// The tool is called more often than the policy allows.
    ToolCalledTooOften,
    /// The policy has a rule for tools that the server does not list.
    RuleWithoutTool,
    /// Too many calls wait for the list of tools.
    GuardOverloaded,
    /// The guard is shutting down.
    GuardStopping,
}

impl Act {
    /// A stable code for machines and logs.
    #[must_use]
    pub fn code(self) -> &'static str {
        self.facts().0
    }

    /// Who has to act.
    #[must_use]
    pub fn by(self) -> Party {
        self.facts().1
    }

    /// The JSON-RPC code of the error for the sender of a request that is not served because of this.
    pub(crate) fn rpc_code(self) -> i64 {
        match self {
            Self::ClientSentNoJson | Self::ServerAnsweredNoJson => PARSE_ERROR,
            Self::ClientSentNoMessage
            | Self::ClientSentUnfitMethod
            | Self::ClientSentTooMuch
            | Self::ClientReusedId
            | Self::ClientSentBatch
            | Self::ServerSentUnfitMethod
            | Self::ServerAnsweredNoMessage
            | Self::ServerAnsweredTooMuch => INVALID_REQUEST,
            Self::ClientSentOtherHeaders => HEADER_MISMATCH,
            _ => INTERNAL_ERROR,
        }
    }

    /// A JSON-RPC error that names this in its data. `id` is JSON text.
    pub(crate) fn error(self, id: &str, code: i64, text: &str) -> String {
        let data = format!(r#"{{"code":"{}"}}"#, self.code());
        text::error_answer(id, code, text, Some(&data))
    }

    fn facts(self) -> (&'static str, Party) {
        use Party::{Client, Guard, Policy, Server};
        match self {
            Self::ClientSentNoJson => ("client-json", Client),
            Self::ClientSentNoMessage => ("client-message", Client),
            Self::ClientSentUnfitMethod => ("client-method", Client),
            Self::ClientAnsweredUnasked => ("client-answer-unasked", Client),
            Self::ClientSentTooMuch => ("client-message-bytes", Client),
            Self::ClientReusedId => ("client-id-reused", Client),
            Self::ClientAskedTooMuch => ("client-requests", Client),
            Self::ClientDeclaredUnknownVersion => ("client-version", Client),
            Self::ClientGone => ("client-gone", Client),
            Self::ClientLeft => ("client-left", Client),
            Self::ClientSentBatch => ("client-batch", Client),
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
            Self::ServerAnsweredUnasked => ("server-answer-unasked", Server),
            Self::AnsweredElsewhere => ("answer-elsewhere", Guard),
            Self::ServerReusedId => ("server-id-reused", Server),
            Self::ServerAskedModernClient => ("server-request-modern", Server),
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
            Self::ToolProjected => ("tool-projected", Policy),
            Self::ToolNotProjected => ("tool-not-projected", Policy),
            Self::ServerChangedContract => ("tool-contract-changed", Server),
            Self::ServerChangedDescription => ("tool-description-changed", Server),
            Self::ServerAddedTool => ("tool-not-pinned", Server),
            Self::ServerRemovedTool => ("tool-removed", Server),
            Self::ToolQuarantined => ("tool-quarantined", Server),
            Self::TaskUnknown => ("task-unknown", Guard),
            Self::ToolHidden => ("tool-hidden", Policy),
            Self::ToolCalledTooOften => ("tool-rate", Policy),
            Self::RuleWithoutTool => ("rule-without-tool", Policy),
            Self::GuardOverloaded => ("guard-overloaded", Guard),
            Self::GuardStopping => ("guard-stopping", Guard),
        }
    }
}

/// JSON-RPC's code for a failure that is not the caller's: no answer, too much.
pub const INTERNAL_ERROR: i64 = -32603;
/// JSON-RPC's code for a method that is not there.
pub const METHOD_NOT_FOUND: i64 = -32601;
/// The protocol's code for headers that do not say what the body says (2026-07-28).
pub const HEADER_MISMATCH: i64 = -32020;
/// The protocol's code for a version that the receiver does not speak (2026-07-28).
pub(crate) const UNSUPPORTED_VERSION: i64 = -32022;

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// The codes that a source file has, as the arms of `code` and `facts` write them.
    fn codes(source: &str) -> impl Iterator<Item = &str> {
        let arms = source.lines().filter_map(|line| line.split_once("=> "));
        let codes = arms.filter_map(|(_, code)| {
            let code = code.trim_start_matches('(').strip_prefix('"')?;
            Some(code.split_once('"')?.0)
        });
        codes.filter(|code| code.contains('-') && !code.contains(' '))
    }

    #[test]
    fn the_page_of_the_audit_log_has_every_code() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let page = read("docs/guard/audit.md");
        let mut number = 0;
        for source in [
            "crates/toolgate-guard/src/fault.rs",
            "crates/toolgate-mcp/src/check/decision.rs",
        ] {
            let source = read(source);
            for code in codes(&source) {
                number += 1;
                assert!(page.contains(&format!("`{code}`")), "{code} is missing");
            }
        }
        assert!(number > 60, "{number} codes");
    }
}
