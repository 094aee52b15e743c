//! Lint: reports what is legal but harmful, and what is not legal, each under a stable code.
//!
//! A [`Linter`] reads the tools of a listing as text and returns [`Finding`]s with locations and possible
//! edits. It does no I/O and never calls a tool. Each [`Rule`] is one function over a tool, a subschema or
//! the listing; [`RULES`] is the table of them, and every rule has a page under `rules`. Parsing is bounded
//! by the limits of `toolsure-json`, the walk by the compiler's limits for a schema, and the report by 300
//! findings of each rule for a tool and 1,000 for a listing; the engine's own limits bound the rest.

mod check;
mod edit;
mod finding;
mod out;
mod page;
mod profile;
mod references;
mod rule;
mod rules;
mod severity;
mod subschema;
mod table;
mod tool;
mod unused;

use std::sync::{Arc, OnceLock};

use toolsure_json::{Kind, Node as _, ReadError, ReadErrorKind};
use toolsure_schema::Compiler;

use crate::engine::Engine;
use crate::readers::Reader;
pub use finding::{Edit, Finding, Fix, Safety, Unkept, apply};
pub use page::ListPage;
pub use profile::{PROFILES, Profile, profile};
pub use rule::Rule;
pub use severity::Severity;
pub use table::{RULES, rule};

use check::Check;
use out::{About, Level, Most, Out, Plan};
use page::Page;
use rules::{Facts, Listing};
use table::CHECKS;
use tool::{Place, Tool};

/// Lints listings with one set of options.
///
/// ```
/// use toolsure_analysis::lint::Linter;
///
/// let tool = r#"{"name": "find", "description": "Finds pages", "inputSchema": {"type": "object",
///     "properties": {"query": {"type": "string", "minLenght": 3, "description": "words"}}}}"#;
/// let report = Linter::new().lint([tool]);
/// assert_eq!(report.findings[0].rule.code, "TL032");
/// assert_eq!(report.findings[0].pointer, "/inputSchema/properties/query/minLenght");
/// assert_eq!(report.findings[0].help.as_deref(), Some("did you mean `minLength`?"));
/// ```
#[derive(Debug, Clone)]
pub struct Linter {
    /// Whether the rules that are on by default are turned on.
    default: bool,
    profiles: Vec<&'static Profile>,
    /// Readers that are not in the table.
    others: Vec<&'static Reader>,
    server: Option<String>,
    most: Most,
    changes: Vec<(&'static str, Option<Severity>)>,
    engine: Engine,
    /// What follows from the options, made when it is first needed.
    plan: OnceLock<Arc<Plan>>,
}

/// The result of linting a listing.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Report {
    /// The findings: the worst first, mistakes before what is only missing, then by rule and in listing
    /// order.
    pub findings: Vec<Finding>,
    /// Findings beyond the limits, which are only counted, so that nothing passes because there were too many
    /// to keep.
    pub unkept: Vec<Unkept>,
    /// The estimated number of tokens that a model sees of each tool; see rule TL014.
    pub tokens: Vec<usize>,
}

impl Report {
    /// The number of findings beyond the limits.
    #[must_use]
    pub fn more(&self) -> usize {
        self.unkept.iter().map(|unkept| unkept.count).sum()
    }

    /// The worst severity of the findings on each of this many tools, those beyond the limits included.
    ///
    /// ```
    /// use toolsure_analysis::lint::{Linter, Severity};
    ///
    /// let report = Linter::admission().lint([r#"{"name": "a", "inputSchema": {"type": "object"}}"#, r#"{"name": "b"}"#]);
    /// assert_eq!(report.worst_of_tools(2), [None, Some(Severity::Error)]);
    /// ```
    #[must_use]
    pub fn worst_of_tools(&self, tools: usize) -> Vec<Option<Severity>> {
        let mut worst_of = vec![None; tools];
        let unkept = self.unkept.iter().map(|it| (it.tool, it.severity));
        let kept = self.findings.iter().map(|it| (it.tool, it.severity));
        for (tool, severity) in unkept.chain(kept) {
            if let Some(worst) = tool.and_then(|tool| worst_of.get_mut(tool)) {
                *worst = Some(severity).max(*worst);
            }
        }
        worst_of
    }
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
            default: true,
            profiles: Vec::new(),
            others: Vec::new(),
            server: None,
            most: Most::USUAL,
            changes: Vec::new(),
            engine: Engine::default(),
            plan: OnceLock::new(),
        }
    }

    /// A linter with only the rules of one profile: whether its readers accept a listing.
    ///
    /// ```
    /// use toolsure_analysis::lint::{Linter, profile};
    ///
    /// // Says nothing about the missing description.
    /// let tool = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// assert!(Linter::only(profile("gemini").unwrap()).lint([tool]).findings.is_empty());
    /// ```
    #[must_use]
    pub fn only(profile: &'static Profile) -> Self {
        Self {
            default: false,
            ..Self::new().profile(profile)
        }
    }

    /// A linter with only the rules that decide whether a tool can be used: its form, its name, and whether
    /// its schemas compile. Keeps up to 20 findings of a rule for each tool, however many tools there are.
    ///
    /// ```
    /// use toolsure_analysis::lint::{Linter, Severity};
    ///
    /// let good = r#"{"name": "find", "inputSchema": {"type": "object"}}"#;
    /// let bad = r##"{"name": "drop", "inputSchema": {"type": "object", "$ref": "#/$defs/a"}}"##;
    /// let report = Linter::admission().lint([good, bad]);
    /// assert_eq!((report.findings[0].tool, report.findings[0].severity), (Some(1), Severity::Error));
    /// assert_eq!(report.findings[0].rule.name, "unresolved-ref");
    /// ```
    #[must_use]
    pub fn admission() -> Self {
        let rules = RULES.iter().filter(|rule| rule.is_admission());
        Self {
            default: false,
            most: Most::OF_EACH_TOOL,
            changes: rules.map(|rule| (rule.code, Some(rule.severity))).collect(),
            ..Self::new()
        }
    }

    /// Turns on the rules of a profile too, and turns off those whose advice its readers reject.
    ///
    /// ```
    /// use toolsure_analysis::lint::{Linter, profile};
    ///
    /// let tool = r#"{"name": "find", "description": "Finds", "inputSchema": {"type": "object",
    ///     "properties": {"n": {"type": "integer", "exclusiveMinimum": 0, "description": "how many"}}}}"#;
    /// assert!(Linter::new().lint([tool]).findings.is_empty());
    /// let report = Linter::new().profile(profile("gemini").unwrap()).lint([tool]);
    /// assert_eq!(report.findings[0].rule.name, "provider-keyword");
    /// ```
    #[must_use]
    pub fn profile(mut self, profile: &'static Profile) -> Self {
        self.profiles.push(profile);
        self.changed()
    }

    /// Lints for a reader that is not in the table too.
    #[cfg(test)]
    fn reader(mut self, reader: &'static Reader) -> Self {
        self.others.push(reader);
        self.changed()
    }

    /// Sets the name by which clients know the server, for readers that put it before the names of tools.
    /// By default it is unknown and counts as one character.
    ///
    /// ```
    /// use toolsure_analysis::lint::{Linter, profile};
    ///
    /// let tool = r#"{"name": "find_all_of_the_pages_of_a_notebook", "inputSchema": {"type": "object"}}"#;
    /// let cursor = Linter::only(profile("cursor").unwrap());
    /// assert!(cursor.clone().lint([tool]).findings.is_empty());
    /// let report = cursor.server("a-server-with-a-very-long-name").lint([tool]);
    /// assert_eq!(report.findings.len(), 1);
    /// ```
    #[must_use]
    pub fn server(mut self, name: impl Into<String>) -> Self {
        self.server = Some(name.into());
        self.changed()
    }

    /// Turns a rule off.
    #[must_use]
    pub fn allow(mut self, rule: &'static Rule) -> Self {
        self.changes.push((rule.code, None));
        self.changed()
    }

    /// Turns a rule on and makes its findings errors.
    #[must_use]
    pub fn deny(mut self, rule: &'static Rule) -> Self {
        self.changes.push((rule.code, Some(Severity::Error)));
        self.changed()
    }

    /// Turns a rule on and gives its findings this severity; `None` turns it off.
    ///
    /// ```
    /// use toolsure_analysis::lint::{Linter, Severity, rule};
    ///
    /// let tool = r#"{"name": "find", "inputSchema": {"type": "object", "properties": {}}}"#;
    /// let missing = rule("no-description").unwrap();
    /// let severity = |linter: Linter| linter.lint([tool]).findings.first().map(|first| first.severity);
    /// assert_eq!(severity(Linter::new()), Some(Severity::Warning));
    /// assert_eq!(severity(Linter::new().deny(missing)), Some(Severity::Error));
    /// assert_eq!(severity(Linter::new().level(missing, Some(Severity::Note))), Some(Severity::Note));
    /// assert_eq!(severity(Linter::new().allow(missing)), None);
    /// ```
    #[must_use]
    pub fn level(mut self, rule: &'static Rule, severity: Option<Severity>) -> Self {
        self.changes.push((rule.code, severity));
        self.changed()
    }

    /// Compiles schemas as this compiler does: with its limits, documents, dialects and formats. By default
    /// formats are asserted. A keyword that its dialect forbids is always ignored and reported.
    ///
    /// ```
    /// use toolsure_analysis::{Compiler, lint::Linter};
    ///
    /// let tool = r##"{"name": "find", "description": "Finds", "inputSchema": {"type": "object",
    ///     "properties": {"at": {"$ref": "https://example.com/at.json", "description": "where"}}}}"##;
    /// assert_eq!(Linter::new().lint([tool]).findings.len(), 1);
    /// let compiler = Compiler::new().register("https://example.com/at.json", br#"{"type": "string"}"#)?;
    /// assert!(Linter::new().compiler(compiler).lint([tool]).findings.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn compiler(mut self, compiler: Compiler) -> Self {
        self.engine = Engine::new(compiler);
        self
    }

    /// Lints the tools of one listing, each given as its JSON text.
    #[must_use]
    pub fn lint<'t>(&self, tools: impl IntoIterator<Item = &'t str>) -> Report {
        self.lint_with_pages(tools, &[])
    }

    /// Lints the tools of one listing and the pages in which they came, and pages of other lists: what beside
    /// the tools readers do not take.
    #[must_use]
    pub fn lint_with_pages<'t>(
        &self,
        tools: impl IntoIterator<Item = &'t str>,
        pages: &[ListPage<'_>],
    ) -> Report {
        let plan = self.plan.get_or_init(|| Arc::new(self.new_plan()));
        let mut out = Out::new(plan);
        let mut listing = Listing { tools: Vec::new() };
        for (index, text) in tools.into_iter().enumerate() {
            out.turn_to(About::Tool(index));
            listing.tools.push(lint_tool(text, &self.engine, &mut out));
        }
        for (index, page) in pages.iter().enumerate() {
            out.turn_to(About::Page(index));
            lint_page(page, &mut out);
        }
        out.turn_to(About::Listing);
        for (index, check) in CHECKS.iter().enumerate() {
            match check {
                Check::Whole(check) if out.take_up(index) => check(&listing, &mut out),
                _ => {}
            }
        }
        let (mut findings, unkept) = out.finish();
        findings.sort_by_key(|finding| {
            let code = finding.rule.code;
            let order = (LAST.contains(&code), code, finding.tool);
            (std::cmp::Reverse(finding.severity), order)
        });
        Report {
            findings,
            unkept,
            tokens: listing.tools.iter().map(|tool| tool.tokens).collect(),
        }
    }

    /// The linter after a change of its options.
    fn changed(mut self) -> Self {
        self.plan = OnceLock::new();
        self
    }

    fn new_plan(&self) -> Plan {
        let others: Vec<_> = self.others.iter().flat_map(|one| one.chain()).collect();
        let asked: Vec<&'static str> = {
            let readers = self.profiles.iter().flat_map(|profile| profile.readers());
            let readers = readers.chain(others.iter().copied());
            readers.map(|reader| reader.name).collect()
        };
        let level = |rule: &Rule| {
            let mut changes = self.changes.iter().rev();
            if let Some((_, level)) = changes.find(|(code, _)| *code == rule.code) {
                let is_chosen = true;
                return level.map(|severity| Level {
                    severity,
                    is_chosen,
                });
            }
            let mut profiles = self.profiles.iter();
            let has = profiles.any(|profile| profile.has(rule)) || rule.breaks_one_of(&others);
            let mut profiles = self.profiles.iter();
            let refused = profiles.any(|profile| profile.refuses_advice(rule));
            let on = has || (self.default && rule.on_by_default && !refused);
            on.then_some(Level {
                severity: rule.severity,
                is_chosen: false,
            })
        };
        let facts = |rule: &Rule| {
            // A rule that no profile turned on applies for all readers that care about it.
            let all: Vec<_> = rule.facts().chain(rule.facts_of(&others)).collect();
            let mut own = all.clone();
            own.retain(|(reader, _)| asked.contains(&reader.name));
            if own.is_empty() || rule.is_admission() {
                all
            } else {
                own
            }
        };
        Plan {
            rules: &RULES,
            first: &RULES[0],
            levels: RULES.iter().map(level).collect(),
            facts: RULES.iter().map(facts).collect(),
            asked,
            server: self.server.clone(),
            most: self.most,
        }
    }
}

fn lint_tool(text: &str, engine: &Engine, out: &mut Out<'_>) -> Facts {
    let (document, duplicate) = match tool::read(text) {
        Ok(read) => read,
        Err(error) => {
            let place = Place {
                pointer: String::new(),
                span: error.at()..error.at(),
            };
            out.find_as("TL001", place, format!("the tool cannot be read: {error}"));
            return Facts {
                name: None,
                tokens: 0,
                optional: 0,
                unions: 0,
                silent: None,
            };
        }
    };
    if let Some(error) = &duplicate {
        duplicate_key(error, out);
    }
    let tool = Tool::new(document.document(), duplicate.is_some(), engine);
    for (index, check) in CHECKS.iter().enumerate() {
        match check {
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
    let (optional, unions) = rules::budget::parameters(&tool);
    Facts {
        name: name.map(|name| (name.string().to_owned(), tool::span(name))),
        tokens: rules::size::tokens(&tool),
        optional,
        unions,
        silent: rules::tool_object::silent_parameters(&tool),
    }
}

fn lint_page(page: &ListPage<'_>, out: &mut Out<'_>) {
    let Some(document) = page::read(page.text) else {
        return;
    };
    let page = Page {
        method: page.method,
        root: document.document().root(),
        is_cached: page.is_cached,
    };
    for (index, check) in CHECKS.iter().enumerate() {
        match check {
            Check::Page(check) if out.take_up(index) => check(&page, out),
            _ => {}
        }
    }
}

/// TL004: no object has two members with the same name.
fn duplicate_key(error: &ReadError, out: &mut Out<'_>) {
    if error.kind() == ReadErrorKind::DuplicateKey {
        let place = Place {
            pointer: String::new(),
            span: error.at()..error.at().saturating_add(1),
        };
        out.find_as("TL004", place, error.to_string())
            .help("readers disagree on which of the two counts; remove one");
    }
}

/// Rules that are reported after others of the same severity: what is missing or large.
const LAST: [&str; 4] = ["TL006", "TL007", "TL014", "TL015"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Projector;
    use crate::readers::{
        Consequence, Evidence, Fact, Kind, Limit, NameRule, Shape, SourcedFact, State,
    };

    const fn fact(fact: Fact, consequence: Consequence) -> SourcedFact {
        SourcedFact {
            fact,
            evidence: Evidence::Tried,
            source: "this test",
            month: "2026-11",
            consequence,
        }
    }

    /// A reader that is in no table.
    static ROW: Reader = Reader {
        name: "of-this-test",
        shown: "the reader of this test",
        kind: Kind::Client,
        versions: "1",
        is_current: true,
        about: "A client",
        parents: &["rmcp"],
        own: &[
            fact(Fact::Limit(Limit::Tools(1)), Consequence::ServerRefused),
            fact(Fact::NoRecursion, Consequence::MeaningLost),
            fact(
                Fact::ToolName(NameRule {
                    longest: 16,
                    letter_first: true,
                    others: "_",
                }),
                Consequence::ToolLost,
            ),
            fact(
                Fact::Member(Shape::Tool, &["title"], State::OtherType),
                Consequence::Style,
            ),
        ],
    };

    /// A reader is one row: its facts turn the rules on, give the severity, its name is in the help, and a
    /// projection for it has what can be rewritten.
    #[test]
    fn a_reader_is_one_row() {
        let tools = [
            r##"{"name": "list_of_everything", "title": 5, "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#"}}}}"##,
            r#"{"name": "get", "inputSchema": {"type": "object", "properties": {}}}"#,
        ];
        let linter = Linter {
            default: false,
            ..Linter::new()
        };
        assert!(linter.lint(tools).findings.is_empty());
        let linter = linter.reader(&ROW);
        let report = linter.lint(tools);
        let found = report.findings.iter().map(|one| {
            let help = one.help.as_deref().unwrap_or_default();
            assert!(help.contains("the reader of this test"), "{help}");
            let own = one.readers.iter().any(|reader| reader.name == ROW.name);
            assert!(own, "{}", one.message);
            (one.rule.name, one.severity)
        });
        let expected = [
            ("malformed-member", Severity::Error),
            ("provider-name", Severity::Error),
            ("tool-count", Severity::Error),
            ("recursive-schema", Severity::Warning),
        ];
        assert_eq!(found.collect::<Vec<_>>(), expected);
        let projection = Projector::new(&ROW).project(tools);
        let projected: Vec<&str> = projection.projected().map(|tool| &*tool.text).collect();
        let report = linter.lint(projected);
        let left: Vec<&str> = report.findings.iter().map(|one| one.rule.name).collect();
        assert_eq!(left, ["malformed-member", "tool-count"]);
    }
}
