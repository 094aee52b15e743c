//! Lint: what is legal but hurts, and what is not legal, each under a stable code.
//!
//! A [`Linter`] reads the tools of a listing as text and answers with
//! [`Finding`]s, places and possible edits included. It does no I/O and never
//! calls a tool. Each [`Rule`] is one function over a tool, a subschema or the
//! listing; [`RULES`] is the table of them, and every rule has a page under
//! `rules`. Reading is bounded by the limits of `toolgate-json`, the walk by
//! 20,000 subschemas of a schema, what is reported by 300 findings for each rule
//! and tool; the engine's own limits bound the rest.

mod edit;
mod finding;
mod out;
mod rule;
mod rules;
mod tool;

use toolgate_json::{DuplicateKeys, Kind, Node as _, OwnedDocument, ReadErrorKind, ReadLimits};
use toolgate_schema::Compiler;

use crate::engine::Engine;
pub use finding::{Edit, Finding, Fix, Safety, Severity, apply};
pub use rule::{RULES, Rule, rule};

use out::Out;
use rule::{Check, Profiles};
use rules::{Facts, Listing};
use tool::{Place, Tool};

/// Readers beyond the default ones, whose rules are on when they are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Profile {
    /// OpenAI's function calling and its strict mode.
    Openai,
    /// Anthropic's tool use and its strict mode.
    Anthropic,
    /// Clients and SDKs of 2025 and earlier.
    Legacy,
    /// Everything that could be said better.
    Strict,
}

/// Lints listings under one set of options.
///
/// ```
/// use toolgate_analysis::lint::Linter;
///
/// let tool = r#"{"name": "find", "description": "Finds pages", "inputSchema": {"type": "object",
///     "properties": {"query": {"type": "string", "minLenght": 3, "description": "words"}}}}"#;
/// let report = Linter::new().lint([tool]);
/// assert_eq!(report.findings[0].rule.code, "TG032");
/// assert_eq!(report.findings[0].pointer, "/inputSchema/properties/query/minLenght");
/// assert_eq!(report.findings[0].help.as_deref(), Some("did you mean `minLength`?"));
/// ```
#[derive(Debug, Clone)]
pub struct Linter {
    profiles: Profiles,
    changes: Vec<(&'static str, Option<Severity>)>,
    engine: Engine,
}

/// What a linter has to say.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Report {
    /// The findings: the worst first, mistakes before what is only missing, then by
    /// rule and in the order of the listing.
    pub findings: Vec<Finding>,
    /// Findings beyond the bounds, which are only counted.
    pub more: usize,
    /// Estimated tokens of what a model is shown of each tool; see rule TG014.
    pub tokens: Vec<usize>,
}

impl Default for Linter {
    fn default() -> Self {
        Self::new()
    }
}

impl Linter {
    /// A linter with the rules that are on by default.
    #[must_use]
    pub fn new() -> Self {
        Self {
            profiles: Profiles::DEFAULT,
            changes: Vec::new(),
            engine: Engine::default(),
        }
    }

    /// Turns on the rules of a profile too.
    #[must_use]
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profiles = self.profiles.with(match profile {
            Profile::Openai => Profiles::OPENAI,
            Profile::Anthropic => Profiles::ANTHROPIC,
            Profile::Legacy => Profiles::LEGACY,
            Profile::Strict => Profiles::STRICT,
        });
        self
    }

    /// Turns a rule off.
    #[must_use]
    pub fn allow(mut self, rule: &'static Rule) -> Self {
        self.changes.push((rule.code, None));
        self
    }

    /// Turns a rule on and makes its findings errors.
    #[must_use]
    pub fn deny(mut self, rule: &'static Rule) -> Self {
        self.changes.push((rule.code, Some(Severity::Error)));
        self
    }

    /// Has schemas compiled as this compiler does: its limits, documents, dialects and formats. By
    /// default formats are asserted. A keyword that its dialect forbids is always left out and told.
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.engine = Engine::new(compiler);
        self
    }

    /// Lints the tools of one listing, each given as its JSON text.
    #[must_use]
    pub fn lint<'t>(&self, tools: impl IntoIterator<Item = &'t str>) -> Report {
        let levels = self.levels();
        let mut out = Out::new(&levels);
        let mut listing = Listing { tools: Vec::new() };
        for (index, text) in tools.into_iter().enumerate() {
            out.turn_to(Some(index));
            listing.tools.push(lint_tool(text, &self.engine, &mut out));
        }
        out.turn_to(None);
        for (index, rule) in RULES.iter().enumerate() {
            match rule.check {
                Check::Whole(check) if out.take_up(index) => check(&listing, &mut out),
                _ => {}
            }
        }
        let (mut findings, more) = out.finish();
        findings.sort_by_key(|finding| {
            let code = finding.rule.code;
            let order = (LAST.contains(&code), code, finding.tool);
            (std::cmp::Reverse(finding.severity), order)
        });
        Report {
            findings,
            more,
            tokens: listing.tools.iter().map(|tool| tool.tokens).collect(),
        }
    }

    fn levels(&self) -> Vec<Option<Severity>> {
        let level = |rule: &Rule| {
            let changed = self
                .changes
                .iter()
                .rev()
                .find(|(code, _)| *code == rule.code);
            match changed {
                Some((_, level)) => *level,
                None => rule.on.meets(self.profiles).then_some(rule.severity),
            }
        };
        RULES.iter().map(level).collect()
    }
}

fn lint_tool(text: &str, engine: &Engine, out: &mut Out<'_>) -> Facts {
    let document = match tool::read(text) {
        Ok(document) => document,
        Err(error) => {
            let place = Place {
                pointer: String::new(),
                span: error.at()..error.at(),
            };
            out.find_as("TG001", place, format!("the tool cannot be read: {error}"));
            return Facts {
                name: None,
                tokens: 0,
            };
        }
    };
    let ambiguous = duplicate_keys(text, out);
    let tool = Tool::new(document.document(), ambiguous, engine);
    for (index, rule) in RULES.iter().enumerate() {
        match rule.check {
            Check::Engine(check) => {
                out.take_up(index);
                check(&tool, out);
            }
            Check::One(check) if out.take_up(index) => check(&tool, out),
            Check::Each(check) if out.take_up(index) => {
                for sub in &tool.subs {
                    check(&tool, sub, out);
                }
            }
            _ => {}
        }
    }
    let name = tool
        .root
        .member("name")
        .filter(|name| name.kind() == Kind::String);
    Facts {
        name: name.map(|name| (name.string().to_owned(), tool::span(name))),
        tokens: rules::size::tokens(&tool),
    }
}

/// TG004: no object has two members of one name.
fn duplicate_keys(text: &str, out: &mut Out<'_>) -> bool {
    let limits = ReadLimits {
        depth: 512,
        duplicate_keys: DuplicateKeys::Refuse,
        ..ReadLimits::default()
    };
    let Err(error) = OwnedDocument::read(text.as_bytes(), &limits) else {
        return false;
    };
    if error.kind() == ReadErrorKind::DuplicateKey {
        let place = Place {
            pointer: String::new(),
            span: error.at()..error.at().saturating_add(1),
        };
        out.find_as("TG004", place, error.to_string())
            .help("readers disagree on which of the two counts; remove one");
    }
    true
}

/// What is said after mistakes of the same severity: what is missing or large.
const LAST: [&str; 4] = ["TG006", "TG007", "TG014", "TG015"];
