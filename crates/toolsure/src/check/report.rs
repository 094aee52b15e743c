//! The result for one server or file: facts, verdicts, and the fault that ended the check, if any.

use std::ops::Range;
use std::sync::Arc;

use toolsure_json::LineColumn;
use toolsure_mcp::era::Era;
use toolsure_proxy::{Fault, FaultKind, Notes, ServerInfo};

use super::excerpt::{self, Excerpt};
use super::tool::{ARGUMENT_SCHEMA, Finding, ToolReport, Verdict, mark_duplicates};
use crate::compilers::Compilers;
use crate::exit::Exit;
use crate::policy::{Decision, Policy, Subject};
use crate::render::{LineIndex, Severity, Source, count};
use crate::term::Term;
use crate::yaml::Original;

/// The result of checking one source.
#[derive(Debug)]
pub(crate) struct Report {
    /// What was checked, as the operator named it; escaped.
    pub(crate) target: String,
    /// What the server says about itself.
    pub(crate) server: Option<ServerFacts>,
    /// One verdict per tool, in the listing's order.
    pub(crate) tools: Vec<ToolReport>,
    /// Remarks on the server's behaviour, one line each; escaped.
    pub(crate) notes: Vec<String>,
    /// Whether the server may have more tools: the file has one page of its listing.
    pub(crate) partial: bool,
    /// Why there are no tools to judge.
    pub(crate) fault: Option<Fault>,
    /// For a file: its name and text, to locate findings in it.
    pub(crate) file: Option<SourceFile>,
    /// The server's name in the file that names it or holds its listing; untrusted, not escaped.
    pub(crate) key: Option<String>,
    /// For a server of a configuration: the file that names it, escaped, and the line.
    pub(crate) named_at: Option<(String, usize)>,
}

/// What a server says about itself; untrusted, not escaped.
#[derive(Clone, Debug)]
pub(crate) struct ServerFacts {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The raw JSON of `serverInfo`.
    pub(crate) raw: Option<String>,
    pub(crate) protocol: String,
}

impl ServerFacts {
    /// The era of the protocol version.
    pub(crate) fn era(&self) -> &'static str {
        match Era::is_modern_version(&self.protocol) {
            true => "modern",
            false => "legacy",
        }
    }
}

/// The file that a listing was read from.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// As the operator named it; escaped.
    pub(crate) name: String,
    pub(crate) text: Arc<[u8]>,
    /// The byte of `text` where each tool's text begins.
    pub(crate) starts: Vec<usize>,
    /// The file that `text` was converted from, if it is not the text itself.
    original: Option<Arc<Original>>,
    /// The byte of the file where its text begins.
    begin: u64,
    lines: Arc<LineIndex>,
}

impl SourceFile {
    pub(crate) fn new(
        name: String,
        text: Vec<u8>,
        original: Option<Original>,
        starts: Vec<usize>,
    ) -> Self {
        let shown = original.as_ref().map_or(&text, |original| &original.text);
        Self {
            lines: Arc::new(LineIndex::new(shown)),
            original: original.map(Arc::new),
            begin: 0,
            name,
            text: text.into(),
            starts,
        }
    }

    /// The same file, whose text begins at this byte.
    pub(crate) fn after(self, begin: u64) -> Self {
        Self { begin, ..self }
    }

    /// The same file for the tools of another listing.
    pub(crate) fn with_starts(&self, starts: Vec<usize>) -> Self {
        Self {
            starts,
            ..self.clone()
        }
    }

    /// The line and column in the file of a byte of the text.
    pub(crate) fn line_column(&self, at: usize) -> LineColumn {
        match &self.original {
            Some(original) => self.lines.find(&original.text, original.place(at)),
            None => self.lines.find(&self.text, at),
        }
    }

    /// The byte of the file that corresponds to a byte of the text.
    pub(crate) fn byte(&self, at: usize) -> u64 {
        let original = self.original.as_ref();
        let at = original.map_or(at, |original| original.place(at));
        self.begin
            .saturating_add(u64::try_from(at).unwrap_or(u64::MAX))
    }

    /// Whether the file is YAML, and the text was converted from it.
    pub(crate) fn is_yaml(&self) -> bool {
        self.original
            .as_ref()
            .is_some_and(|original| original.is_yaml())
    }

    /// The text, for diagnostics.
    pub(crate) fn source(&self) -> Source<'_> {
        Source::new(&self.name, &self.text).of(self.original.as_deref())
    }
}

/// The number of tools of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) ok: usize,
    pub(crate) warned: usize,
    pub(crate) refused: usize,
}

impl Tally {
    /// Counts one more tool.
    pub(crate) fn add(&mut self, verdict: Verdict) {
        let count = match verdict {
            Verdict::Ok => &mut self.ok,
            Verdict::Warned => &mut self.warned,
            Verdict::Refused => &mut self.refused,
        };
        *count = count.saturating_add(1);
    }

    /// The number of tools of a verdict.
    pub(crate) fn of(&self, verdict: Verdict) -> usize {
        match verdict {
            Verdict::Ok => self.ok,
            Verdict::Warned => self.warned,
            Verdict::Refused => self.refused,
        }
    }
}

impl Report {
    /// The name by which a client probably knows the server: the one in the configuration, or else
    /// the server's own; untrusted, not escaped.
    pub(crate) fn server_name(&self) -> Option<&str> {
        let own = || self.server.as_ref().map(|server| server.name.as_str());
        let name = self.key.as_deref().or_else(own);
        name.filter(|name| !name.is_empty())
    }

    /// Judges tools, given as text.
    pub(crate) fn on(
        target: String,
        tools: Vec<String>,
        compilers: &Compilers,
        term: &Term,
    ) -> Self {
        let compiler = compilers.for_tools(&tools, term);
        let mut progress = term.counter("checking tool", tools.len());
        let judged = tools.into_iter().enumerate().map(|(index, text)| {
            progress.at(index);
            ToolReport::judge(text, &compiler)
        });
        let mut tools: Vec<ToolReport> = judged.collect();
        mark_duplicates(&mut tools);
        Self {
            target,
            server: None,
            tools,
            notes: Vec::new(),
            partial: false,
            fault: None,
            file: None,
            key: None,
            named_at: None,
        }
    }

    /// Removes ignored findings, and gives the others the severity that the policy asks for.
    pub(crate) fn filter(&mut self, policy: &mut Policy) {
        for tool in &mut self.tools {
            let name = tool.name.clone();
            tool.findings.retain_mut(|finding| {
                let decision = policy.decide(&Subject {
                    code: finding.code,
                    server: self.key.as_deref(),
                    tool: name.as_deref(),
                    pointer: &finding.pointer_in_tool(),
                    message: &finding.message,
                });
                finding.fatal = match decision {
                    Decision::Ignore => return false,
                    Decision::Keep => finding.fatal,
                    Decision::As(severity) => severity == Severity::Error,
                };
                true
            });
            tool.findings.sort_by_key(|finding| !finding.fatal);
        }
    }

    /// A report on a server that returned no listing.
    pub(crate) fn failed(target: String, fault: Fault) -> Self {
        Self {
            target,
            server: None,
            tools: Vec::new(),
            notes: Vec::new(),
            partial: false,
            fault: Some(fault),
            file: None,
            key: None,
            named_at: None,
        }
    }

    /// The tools that have an argument schema where JSON Schema was expected.
    pub(crate) fn argument_schemas(&self) -> impl Iterator<Item = (&ToolReport, &Finding)> {
        let code = |finding: &&Finding| finding.code == ARGUMENT_SCHEMA;
        let tools = self.tools.iter();
        tools.filter_map(move |tool| Some((tool, tool.findings.iter().find(code)?)))
    }

    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for tool in &self.tools {
            tally.add(tool.verdict());
        }
        tally
    }

    pub(crate) fn exit(&self) -> Exit {
        match &self.fault {
            Some(fault) => exit_of(fault.kind()),
            None if self.tally().refused > 0 => Exit::Schema,
            None => Exit::Ok,
        }
    }

    /// The lines of the file around a place of a tool.
    pub(crate) fn excerpt(&self, tool: usize, span: &Range<usize>) -> Option<Excerpt> {
        let file = self.file.as_ref()?;
        let start = file.starts.get(tool)?;
        // If each tool is on one line, the lines around it belong to other tools.
        let is_one_line = self
            .tools
            .get(tool)
            .is_some_and(|tool| !tool.text.contains('\n'));
        if is_one_line && !file.is_yaml() {
            return None;
        }
        let span = start.saturating_add(span.start)..start.saturating_add(span.end);
        let line = file.line_column(span.start).line;
        match &file.original {
            Some(original) => excerpt::of_file(&original.text, &original.span(&span), line),
            None => excerpt::of_file(&file.text, &span, line),
        }
    }

    /// The line and column of a finding in the file, from 1.
    pub(crate) fn line_column(&self, tool: usize, finding: &Finding) -> Option<(usize, usize)> {
        let file = self.file.as_ref()?;
        let within = finding.span.as_ref().map_or(0, |span| span.start);
        let place = file.line_column(file.starts.get(tool)?.saturating_add(within));
        Some((place.line, place.column))
    }
}

impl From<&ServerInfo> for ServerFacts {
    fn from(info: &ServerInfo) -> Self {
        Self {
            name: info.name.clone(),
            version: info.version.clone(),
            raw: info.raw.clone(),
            protocol: info.era.version().to_owned(),
        }
    }
}

/// The remarks that a session's notes lead to.
pub(crate) fn remarks(notes: &Notes) -> Vec<String> {
    let mut remarks = Vec::new();
    if let Some(first) = &notes.first_noise {
        remarks.push(format!(
            "{} on stdout ignored, not JSON-RPC; first: `{first}`",
            count(notes.noise_lines, "line")
        ));
    }
    if let Some(first) = &notes.first_stray {
        remarks.push(format!(
            "{} to no request of ours; first id: `{first}`",
            count(notes.stray_answers, "answer")
        ));
    }
    if let Some(first) = &notes.first_declined {
        remarks.push(format!(
            "{} from the server declined; first: `{first}`",
            count(notes.declined_requests, "request")
        ));
    }
    if notes.restarted {
        remarks.push(
            "the server did not survive `server/discover` and was started again for `initialize`"
                .to_owned(),
        );
    }
    remarks
}

/// The exit code of a kind of fault.
pub(crate) fn exit_of(kind: FaultKind) -> Exit {
    match kind {
        FaultKind::Config => Exit::Usage,
        FaultKind::Auth(_) => Exit::Auth,
        _ => Exit::Unreachable,
    }
}
