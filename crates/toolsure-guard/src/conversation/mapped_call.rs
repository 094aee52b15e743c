//! Maps calls of tools in the form for a provider to calls of the server's tools.

use std::sync::Arc;

use toolsure_analysis::project::MappedArguments;
use toolsure_json::{OwnedDocument, ReadError, quote};
use toolsure_mcp::contract::ToolContract;
use toolsure_mcp::message::ToolCall;

use crate::filter::Violation;
use crate::policy::{Mode, Rules};
use crate::record::Record;
use crate::scope::Tools;

/// A call of a projected tool, mapped back.
pub(super) struct MappedCall {
    contract: Arc<ToolContract>,
    /// Or the reason why they cannot be mapped.
    arguments: Result<Arguments, String>,
}

/// The arguments of a mapped call.
enum Arguments {
    AsSent,
    Mapped {
        document: OwnedDocument,
        /// What was converted, and where.
        conversions: Vec<String>,
    },
}

impl MappedCall {
    /// Maps a call to the call of the server's tool. `None` if no mapping is needed: the policy projects
    /// nothing, or the name is not published, or nothing in the call changes. A hidden tool is not
    /// published.
    pub(super) fn of(rules: &Rules, tools: &Tools, sent: &ToolCall<'_>) -> Option<Self> {
        let page = tools.published(rules, sent.name)?;
        let tool = page.published(sent.name)?;
        let contract = Arc::clone(tool.contract());
        if rules.policy.terms(contract.name()).hidden {
            return None;
        }
        let arguments = match tool.map_back(sent.arguments) {
            Ok(None) => Ok(Arguments::AsSent),
            Ok(Some(mapped)) => {
                let conversions = told(&mapped);
                OwnedDocument::read(mapped.text, &rules.policy.limits.read())
                    .map(|document| Arguments::Mapped {
                        document,
                        conversions,
                    })
                    .map_err(|error| unreadable(&error))
            }
            Err(why) => Err(format!(
                "the arguments cannot be mapped to those of the tool: {why}"
            )),
        };
        if matches!(arguments, Ok(Arguments::AsSent)) && contract.name() == sent.name {
            return None;
        }
        Some(Self {
            contract,
            arguments,
        })
    }

    /// The call with the name and the arguments of the server's tool.
    pub(super) fn call<'c>(&'c self, sent: ToolCall<'c>) -> ToolCall<'c> {
        let mut call = sent;
        call.name = self.contract.name();
        if let Ok(Arguments::Mapped { document, .. }) = &self.arguments {
            call.arguments = Some(document.document().root());
        }
        call
    }

    /// Maps other arguments in the same way.
    pub(super) fn map(rules: &Rules, tools: &Tools, name: &str, arguments: &str) -> Option<String> {
        let page = tools.published(rules, name)?;
        let tool = page.published(name)?;
        let document = OwnedDocument::read(arguments, &rules.policy.limits.read()).ok()?;
        let mapped = tool.map_back(Some(document.document().root()));
        mapped
            .ok()
            .map(|mapped| mapped.map_or_else(|| arguments.to_owned(), |mapped| mapped.text))
    }

    /// What was converted in the arguments, and where.
    pub(super) fn conversions(&self) -> &[String] {
        match &self.arguments {
            Ok(Arguments::Mapped { conversions, .. }) => conversions,
            Ok(Arguments::AsSent) | Err(_) => &[],
        }
    }

    /// The mapped arguments, if they differ from the arguments that were sent.
    pub(super) fn arguments(&self) -> Option<&str> {
        match &self.arguments {
            Ok(Arguments::Mapped { document, .. }) => Some(document.document().root().raw()),
            Ok(Arguments::AsSent) | Err(_) => None,
        }
    }

    /// Why the call cannot be mapped, if so. Nothing can be passed on then, so every policy refuses it.
    pub(super) fn refused(&self) -> Option<Violation> {
        let text = self.arguments.as_ref().err()?.clone();
        Some(Violation::malformed(Mode::Enforce, text))
    }
}

/// Whether the form of the tool that a client knows by this name lacks the annotations of arguments
/// that headers repeat.
pub(super) fn hides_headers(rules: &Rules, tools: &Tools, name: &str) -> bool {
    let page = tools.published(rules, name);
    let tool = page.as_ref().and_then(|page| page.published(name));
    tool.is_some_and(|tool| !tool.has_header_annotations())
}

/// The first conversions, for a record.
fn told(mapped: &MappedArguments) -> Vec<String> {
    let first = mapped.conversions.iter().take(Record::PLACES);
    let one = |pointer: &str, kind: &str| format!("{}: {kind}", quote(pointer, POINTER));
    first
        .map(|conversion| one(&conversion.pointer, conversion.kind.name()))
        .collect()
}

/// The maximum number of characters of a pointer in a record.
const POINTER: usize = 200;

fn unreadable(error: &ReadError) -> String {
    format!("the arguments, mapped to those of the tool, cannot be read: {error}")
}
