//! The operator's policy, as plain data.

#[macro_use]
mod words;
mod access;
mod caller_rule;
mod drift;
mod error;
mod limits;
mod mode;
mod recording;
mod rule;
mod rule_usage;
mod secret_places;
pub mod settings;
mod shown;
mod terms;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub(crate) use access::readings;

pub use crate::lock::ChangeClass;
pub use crate::text::name_matches;
pub use caller_rule::{Access, AllowList, CallerRule, Hints};
pub use drift::{ChangeMode, Changes, Drift, DriftMode};
pub use error::PolicyError;
pub use limits::Limits;
pub use mode::{
    BadResult, BadTools, LongResults, Mode, Output, Project, Repair, ResultMembers, TextBlocks,
    UnknownTool, WideNumbers,
};
pub use recording::{Recorded, Recording};
pub use rule::{Rate, ToolRule};
pub use rule_usage::RuleUsage;
pub(crate) use terms::Terms;
pub use toolsure_analysis::project::{Limits as ProjectionLimits, Projector};
pub use toolsure_analysis::readers::{Reader, reader};
use toolsure_mcp::argument::ArgumentSchema;
pub use toolsure_mcp::check::OnUndecided;
pub use toolsure_mcp::clients::CostlySchemas;
use toolsure_mcp::contract::SchemaPart;
pub use toolsure_mcp::project::LegacyValues;
use toolsure_schema::{Compiler, Formats, Strictness};
pub use words::Words;

/// All settings of the guard. By default nothing passes that breaks a contract, and nothing changes
/// that keeps it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Policy {
    /// For violations of listed tools. Default `Enforce`.
    pub listing: Mode,
    /// For violations of arguments. Default `Enforce`.
    pub arguments: Mode,
    /// For violations of results. Default `Enforce`.
    pub results: Mode,
    /// What `listing` enforces. Default `FilterOut`.
    pub bad_tools: BadTools,
    /// What `results` enforces. Default `Replace`.
    pub bad_result: BadResult,
    /// What `results` does about text that is not there. Default `Repair`.
    pub text_blocks: TextBlocks,
    /// How a call of a tool that is not listed, or hidden, is answered. Default `Error`.
    pub unknown_tool: UnknownTool,
    /// What `results` does about members that clients cannot read. Default `Repair`. Lists other than
    /// that of tools are repaired under `listing` and `bad_tools`.
    pub result_members: ResultMembers,
    /// What `results` does about results without the structured content that the output schema requires.
    /// Default `Enforce`.
    pub output: Output,
    /// For schemas of forms (client/elicitation) that the protocol does not allow. Default `Enforce`.
    pub elicitation: Mode,
    /// For numbers in arguments and results that a double cannot hold. Default `Refuse`.
    pub wide_numbers: WideNumbers,
    /// For checks that end without an answer. Default `Refuse`.
    pub on_undecided: OnUndecided,
    /// For calls when the list of tools cannot be had. Default `Refuse`.
    pub on_unlisted: OnUndecided,
    /// Which calls are repaired. Default [`Repair::Certain`].
    pub repair: Repair,
    /// Whether schemas are listed without references
    /// ([`toolsure_analysis::inline`]). Default `false`.
    pub inline_refs: bool,
    /// For which provider or client tools are rewritten ([`toolsure_mcp::provider`]): its listing
    /// has their projections, and calls are mapped back before they are checked. A tool that
    /// cannot be projected is one with a violation, under `listing`. Default: none.
    pub project_for: Option<Arc<Projector>>,
    /// How schemas are listed whose check may cost clients much; calls and
    /// results are always checked by the original. Default `Simplify`.
    pub costly_schemas: CostlySchemas,
    /// How output is rewritten for readers that know objects only. Default `Wrap`.
    pub project: Project,
    /// What becomes of values that are not objects, from a legacy server to a legacy client.
    /// Default `Enforce`.
    pub legacy_values: LegacyValues,
    /// What an aggregator in front of this guard puts before the names of the server's tools. Texts for clients
    /// have it, records do not. Default: nothing.
    pub name_prefix: Arc<str>,
    /// Whether the server is modern even if the client is not, because there is a translator
    /// between this guard and the server. Default `false`.
    pub translated_from_modern: bool,
    /// Pinned tools. Default: none.
    pub drift: Drift,
    /// Whether argument schemas that servers list ([`toolsure_mcp::argument::LISTED`]) are held
    /// besides input schemas. Default `false`.
    pub listed_argument_schemas: bool,
    /// How schemas are compiled: dialect, leniency, registered documents, limits. A guard keeps
    /// the compiler of its first policy. What it says of formats does not count. Default: lenient.
    pub compiler: Compiler,
    /// What `format` does in arguments. Default `Annotate`.
    pub formats: Formats,
    /// What `format` does in results. Default `Annotate`.
    pub result_formats: Formats,
    /// The maximum bytes of a result; 0 is no bound, the default. A tool whose `_meta` has a larger
    /// `anthropic/maxResultSizeChars` may have that many characters, unless a rule bounds it.
    pub max_result_bytes: usize,
    /// What happens to longer results. Default `Cut`.
    pub long_results: LongResults,
    /// How often each tool may be called in one scope. Default: without bound.
    pub rate: Option<Rate>,
    /// How often each tool may be called in all scopes of an upstream together, so that a caller with
    /// many identities has no more. Default: without bound.
    pub tool_rate: Option<Rate>,
    /// How often the tools of an upstream may be called in all its scopes together. Default: without
    /// bound.
    pub total_rate: Option<Rate>,
    /// How often the client at one network address may call tools, whoever it says it is
    /// ([`Peer::address`](crate::Peer::address); of an IPv6 address the first 64 bits count). A client
    /// without an address is not counted. Default: without bound.
    pub address_rate: Option<Rate>,
    /// What holds for some tools; of two rules for one tool the later counts,
    /// member by member.
    pub tools: Vec<ToolRule>,
    /// What callers may use whose identity the transport has verified
    /// ([`Peer::verified`](crate::Peer::verified)). Without a rule, everybody may use everything. Default: none.
    pub callers: Vec<Arc<CallerRule>>,
    /// For a guard in front of others that have rules for callers: it lets in the callers that one of these
    /// rules is for. Default: none, so that `callers` decides who is let in.
    pub admission: Vec<Arc<CallerRule>>,
    /// Finds those of the rules that no listed tool is under; a record names each, once. Default: none.
    pub rule_usage: Option<Arc<RuleUsage>>,
    /// Whether verdicts that find nothing wrong are recorded too. Default `true`.
    pub record_passes: bool,
    /// What records have of arguments and results. Default: nothing.
    pub recording: Recording,
    /// How long a list of tools whose `ttlMs` is over may still admit calls.
    /// A refusal is always confirmed by a fresh list. Default 60 s.
    pub stale_for: Duration,
    /// How long a request may go without an answer or progress. Default 300 s.
    pub request_timeout: Option<Duration>,
    /// How long the guard waits for a page of tools that it asked for itself.
    /// Default 30 s.
    pub list_timeout: Duration,
    /// What a conversation may take.
    pub limits: Limits,
}

impl Policy {
    /// The default policy.
    #[must_use]
    pub fn new() -> Self {
        Self {
            listing: Mode::Enforce,
            arguments: Mode::Enforce,
            results: Mode::Enforce,
            bad_tools: BadTools::FilterOut,
            bad_result: BadResult::Replace,
            text_blocks: TextBlocks::Repair,
            unknown_tool: UnknownTool::Error,
            result_members: ResultMembers::Repair,
            output: Output::Enforce,
            elicitation: Mode::Enforce,
            wide_numbers: WideNumbers::Refuse,
            on_undecided: OnUndecided::Refuse,
            on_unlisted: OnUndecided::Refuse,
            repair: Repair::Certain,
            inline_refs: false,
            project_for: None,
            costly_schemas: CostlySchemas::Simplify,
            project: Project::Wrap,
            legacy_values: LegacyValues::Enforce,
            name_prefix: Arc::from(""),
            translated_from_modern: false,
            drift: Drift::default(),
            listed_argument_schemas: false,
            // why: a tool that works without the guard works with it, its schemas' slips left out.
            compiler: Compiler::new().strictness(Strictness::Lenient),
            // why: servers accept and return what the formats that they publish do not allow.
            formats: Formats::Annotate,
            result_formats: Formats::Annotate,
            max_result_bytes: 0,
            long_results: LongResults::default(),
            rate: None,
            tool_rate: None,
            total_rate: None,
            address_rate: None,
            tools: Vec::new(),
            callers: Vec::new(),
            admission: Vec::new(),
            rule_usage: None,
            record_passes: true,
            recording: Recording::default(),
            // why: long enough that a server with `ttlMs: 0` is not asked for
            // its tools before every call, short enough that a removed tool is
            // soon gone.
            stale_for: Duration::from_secs(60),
            // why: longer than any tool that reports no progress should take.
            request_timeout: Some(Duration::from_secs(300)),
            list_timeout: Duration::from_secs(30),
            limits: Limits::default(),
        }
    }

    /// A policy that checks nothing and has no timeouts, with the same limits: for a connection whose
    /// messages another conversation checks.
    #[must_use]
    pub fn without_filters(&self) -> Self {
        Self {
            listing: Mode::Off,
            arguments: Mode::Off,
            results: Mode::Off,
            elicitation: Mode::Off,
            bad_tools: BadTools::Pass,
            on_undecided: OnUndecided::Pass,
            on_unlisted: OnUndecided::Pass,
            project: Project::Off,
            record_passes: false,
            request_timeout: None,
            list_timeout: self.list_timeout,
            limits: self.limits,
            ..Self::new()
        }
    }

    /// Whether calls of a tool with these terms are counted.
    pub(crate) fn counts_calls(&self, terms: &Terms) -> bool {
        [
            terms.rate,
            self.tool_rate,
            self.total_rate,
            self.address_rate,
        ]
        .iter()
        .any(Option::is_some)
    }

    /// The settings for one tool.
    pub(crate) fn terms(&self, tool: &str) -> Terms {
        let mut terms = Terms {
            listing: self.listing,
            arguments: self.arguments,
            results: self.results,
            bad_result: self.bad_result,
            output: self.output,
            repair: self.repair,
            formats: self.formats,
            result_formats: self.result_formats,
            max_result_bytes: self.max_result_bytes,
            long_results: self.long_results,
            is_own_bound: false,
            rate: self.rate,
            argument_schema_only: false,
            hidden: false,
        };
        for rule in self.tools.iter().filter(|rule| rule.applies(tool)) {
            terms.apply(rule);
        }
        terms
    }

    /// The name by which the client knows a tool; `None` if that is its `own`. `called` is the name in the
    /// message that reached this guard.
    pub(crate) fn clients_name(&self, called: &str, own: &str) -> Option<String> {
        let differs = !self.name_prefix.is_empty() || called != own;
        differs.then(|| format!("{}{called}", self.name_prefix))
    }

    /// The argument schema that the operator gave a tool.
    pub(crate) fn argument_schema(&self, tool: &str) -> Option<&ArgumentSchema> {
        let rules = self.tools.iter().rev();
        let mut given = rules.filter_map(|rule| {
            let schema = rule.argument_schema.as_ref()?;
            rule.applies(tool).then_some(schema)
        });
        given.next().map(|schema| &**schema)
    }

    /// The JSON Schema in place of a tool's input schema, if the operator's argument schema replaces it.
    pub(crate) fn replaced_input(&self, tool: &str) -> Option<String> {
        if !self.terms(tool).argument_schema_only {
            return None;
        }
        self.argument_schema(tool)
            .map(ArgumentSchema::to_json_schema)
    }

    /// Whether the output schema of a tool is hidden.
    pub(crate) fn hides_output(&self, tool: &str) -> bool {
        self.terms(tool).output == Output::Hide
    }

    /// How `format` is handled in a schema of a tool.
    pub(crate) fn formats_in(&self, tool: &str, part: SchemaPart) -> Formats {
        let terms = self.terms(tool);
        match part {
            SchemaPart::Input => terms.formats,
            SchemaPart::Output => terms.result_formats,
        }
    }

    /// Checks the policy for invalid values.
    ///
    /// # Errors
    ///
    /// The first invalid value.
    pub fn check(&self) -> Result<(), PolicyError> {
        let rates = [
            ("rate", &self.rate),
            ("tool_rate", &self.tool_rate),
            ("total_rate", &self.total_rate),
            ("address_rate", &self.address_rate),
        ];
        for (member, rate) in rates {
            rate.iter().try_for_each(|rate| rate.check(member))?;
        }
        for (index, rule) in self.tools.iter().enumerate() {
            rule.check(index)?;
            let of_tools = self.terms(&rule.name);
            if rule.argument_schema.is_some() && of_tools.arguments == Mode::Off {
                return Err(PolicyError::new(
                    format!("tools[{index}].argument_schema"),
                    "has no effect, because arguments are not checked: set `arguments` of the rule to \
                     \"enforce\" or \"audit\"",
                ));
            }
            if of_tools.argument_schema_only && self.argument_schema(&rule.name).is_none() {
                return Err(PolicyError::new(
                    format!("tools[{index}].argument_schema_only"),
                    "needs an argument schema for the same tools",
                ));
            }
        }
        for (index, rule) in self.callers.iter().enumerate() {
            rule.check(index)?;
        }
        self.recording.check()?;
        self.limits.check()
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self::new()
    }
}

/// A policy with its number.
#[derive(Debug)]
pub(crate) struct Rules {
    pub(crate) policy: Policy,
    /// The number of the policy: results that were found under another policy must be computed again.
    pub(crate) generation: u64,
    /// Whether [`Policy::rule_usage`] has counted this server's list.
    usage_counted: AtomicBool,
}

impl Rules {
    pub(crate) fn new(policy: Policy, generation: u64) -> Self {
        Self {
            policy,
            generation,
            usage_counted: AtomicBool::new(false),
        }
    }

    /// The rules that match no tool, to be recorded now that there is a complete list.
    pub(crate) fn idle(&self, has_tool: impl Fn(&ToolRule) -> bool) -> Vec<&ToolRule> {
        match &self.policy.rule_usage {
            Some(usage) if !self.usage_counted.swap(true, Ordering::Relaxed) => {
                usage.listed(&self.policy.tools, has_tool)
            }
            _ => Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests;
