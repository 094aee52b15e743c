//! What a test run found.

use toolsure_json::{OwnedDocument, ReadLimits};
use toolsure_mcp::testing::{Code, Severity, TestFinding};
use toolsure_proxy::Fault;

use crate::exit::Exit;
use crate::listing::{ServerFacts, exit_of};
use crate::recording::{CallEnd, MASK, Recording};

/// The result of testing one server.
#[derive(Debug, Default)]
pub(super) struct Report {
    /// The server, as the operator named it; escaped.
    pub(super) target: String,
    pub(super) server: Option<ServerFacts>,
    /// Why no session was opened.
    pub(super) fault: Option<Fault>,
    pub(super) tools: Vec<Tested>,
    /// What is wrong with the server as a whole.
    pub(super) server_findings: Vec<Found>,
    /// What was not done, and why: one line each.
    pub(super) notes: Vec<String>,
    /// Whether a flag names a tool that there is not.
    pub(super) is_misnamed: bool,
    /// The number of calls.
    pub(super) calls: usize,
    pub(super) seed: u64,
    pub(super) recording: Recording,
}

/// One tool.
#[derive(Debug, Default)]
pub(super) struct Tested {
    /// Untrusted, not escaped.
    pub(super) name: String,
    /// Why it was not called.
    pub(super) skipped: Option<String>,
    /// How its calls ended.
    pub(super) calls: Counts,
    pub(super) findings: Vec<Found>,
}

/// How calls ended.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) made: usize,
    pub(super) results: usize,
    /// Error results and JSON-RPC errors.
    pub(super) errors: usize,
}

/// A finding and the call that shows it.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) finding: TestFinding,
    /// The arguments, as JSON text; `None` if it is about no call.
    pub(super) arguments: Option<String>,
    /// What the call was for, in words.
    pub(super) purpose: String,
}

impl Tested {
    /// The worst severity of its findings.
    pub(super) fn worst(&self) -> Option<Severity> {
        let severities = self.findings.iter().map(|one| one.finding.code.severity());
        severities.max()
    }
}

impl Report {
    /// Every finding, with the tool that it is about.
    pub(super) fn all(&self) -> impl Iterator<Item = (Option<&str>, &Found)> {
        let of_tools = self.tools.iter().flat_map(|tool| {
            let name = Some(tool.name.as_str());
            tool.findings.iter().map(move |found| (name, found))
        });
        of_tools.chain(self.server_findings.iter().map(|found| (None, found)))
    }

    /// Hides the values of the operator's headers in what a server says.
    pub(super) fn hide(&mut self, headers: &[String]) {
        let values = headers.iter().filter_map(|header| header.split_once(':'));
        let words = values.flat_map(|(_, value)| value.split_whitespace());
        let secrets: Vec<&str> = words.filter(|word| word.len() >= SHORTEST_SECRET).collect();
        let hide = |text: &mut String| {
            for secret in &secrets {
                if text.contains(secret) {
                    *text = text.replace(secret, MASK);
                }
            }
        };
        self.notes.iter_mut().for_each(hide);
        let of_tools = self.tools.iter_mut().flat_map(|tool| &mut tool.findings);
        for found in of_tools.chain(&mut self.server_findings) {
            hide(&mut found.finding.message);
        }
        for exchange in &mut self.recording.exchanges {
            match &mut exchange.ended {
                CallEnd::Result(text)
                | CallEnd::Unreadable(text)
                | CallEnd::TooLarge(text)
                | CallEnd::Lost(text) => hide(text),
                CallEnd::Error(_, message, data) => {
                    hide(message);
                    data.iter_mut().for_each(hide);
                }
                CallEnd::Silence => {}
            }
        }
    }

    /// Whether any tool was called, or there is none.
    pub(super) fn has_called(&self) -> bool {
        self.tools.is_empty() || self.tools.iter().any(|tool| tool.skipped.is_none())
    }

    /// The number of findings with a severity.
    pub(super) fn count(&self, severity: Severity) -> usize {
        let all = self.all();
        all.filter(|(_, found)| found.finding.code.severity() == severity)
            .count()
    }

    pub(super) fn exit(&self) -> Exit {
        match &self.fault {
            Some(fault) => exit_of(fault.kind()),
            None if self.count(Severity::Error) > 0 => Exit::Invalid,
            // A run that tests nothing must not look like one that found nothing.
            None if self.is_misnamed || !self.has_called() => Exit::Usage,
            None => Exit::Ok,
        }
    }
}

impl Found {
    /// A finding about the server as a whole.
    pub(super) fn of_server(code: Code, message: impl Into<String>) -> Self {
        Self {
            finding: TestFinding::new(code, message),
            arguments: None,
            purpose: String::new(),
        }
    }

    /// How to make the call again; `None` if it is not one call that shows the fault.
    pub(super) fn repeat(&self, tool: Option<&str>) -> Option<String> {
        if self.finding.code == Code::MemberOrder {
            return None;
        }
        let (tool, arguments) = (tool?, self.arguments.as_deref()?);
        let is_readable = OwnedDocument::read(arguments.as_bytes(), &ReadLimits::default()).is_ok();
        (is_readable && arguments.len() <= LONGEST_CALL).then(|| {
            let word = format!("{tool}={arguments}").replace('\'', r"'\''");
            format!("--call '{word}'")
        })
    }
}

/// Characters of a word of a header that may be a secret.
const SHORTEST_SECRET: usize = 6;
/// Bytes of arguments that are shown in a command.
const LONGEST_CALL: usize = 1_000;
