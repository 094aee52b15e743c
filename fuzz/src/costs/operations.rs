//! The entry points: what is made ready, and what is measured.

use std::time::Duration;

use toolsure_analysis::diff::Differ;
use toolsure_analysis::inline::{InlineLimits, inline};
use toolsure_analysis::lint::{Linter, PROFILES};
use toolsure_analysis::project::Projector;
use toolsure_analysis::readers::reader;
use toolsure_guard::{
    Context, Conversation, Effect, Guard, Link, Lock, Policy, Recovery, Report, ScopeKey, Side,
};
use toolsure_json::{Node as _, OwnedDocument, ReadLimits};
use toolsure_mcp::argument::ArgumentSchema;
use toolsure_mcp::catalog::{Listing, ToolSet};
use toolsure_mcp::clients::{CostlySchemas, sanitize, simplify};
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::era::Era;
use toolsure_mcp::project::Projection;
use toolsure_mcp::repair::{Outcome, RepairLimits, repair};
use toolsure_pattern::{Hazard, Limits, Pattern};
use toolsure_schema::{Compiler, Formats, OutputFormat, Parser, Schema, Workspace};

use super::texts::Texts;

/// An entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// `OwnedDocument::read`
    Read,
    /// `Pattern::new`, and a match with what it must not match
    Pattern,
    /// `Compiler::compile`
    Compile,
    /// `Compiler::assert_safe`
    AssertSafe,
    /// `Schema::check` of text, formats asserted
    Check,
    /// `Schema::check` of a `serde_json` value
    CheckValue,
    /// `Schema::explain`, and its summary
    Explain,
    /// `Schema::output`
    Output(OutputFormat),
    /// `Schema::annotations`
    Annotations,
    /// `Linter::lint` of one tool or a listing, with every profile
    Lint,
    /// `Differ::diff`
    Diff,
    /// `inline`
    Inline,
    /// `Projector::project` for the reader of this name
    Project(&'static str),
    /// `repair`
    Repair,
    /// `ArgumentSchema::read`, and its JSON Schema
    ArgumentRead,
    /// `ArgumentSchema::check_bytes`
    ArgumentCheck,
    /// `Listing::read`, `ToolSet::add`
    Load,
    /// `ToolSet::uncompilable`: every schema of a listing is compiled
    CompileAll,
    /// `Projection::list` for a client of 2025-11-25
    ProjectList,
    /// `sanitize` and `simplify`
    Clients,
    /// `Lock::read`
    Lock,
    /// A listing through the guard
    GuardList,
    /// A client's message through the guard
    GuardMessage,
    /// A server's answer through the guard
    GuardAnswer,
    /// `Recovery`: the id of a message that is not read
    Recover,
}

impl Operation {
    /// The name in tables.
    #[must_use]
    pub fn name(self) -> String {
        match self {
            Self::Output(format) => format!("output {}", format.name()),
            Self::Project(reader) => format!("project for {reader}"),
            other => {
                let mut name = String::new();
                for letter in format!("{other:?}").chars() {
                    if letter.is_uppercase() && !name.is_empty() {
                        name.push(' ');
                    }
                    name.extend(letter.to_lowercase());
                }
                name
            }
        }
    }

    /// Runs the entry point.
    pub fn run(self, prepared: &mut Prepared) -> Ran {
        let Prepared {
            texts,
            schema,
            workspace,
            value,
            argument,
            listing,
            guard,
        } = prepared;
        let instance = texts.second.as_bytes();
        let output = match self {
            Self::Read => {
                let read = OwnedDocument::read(&*texts.first, &ReadLimits::default());
                usize::from(read.is_ok())
            }
            Self::Pattern => pattern(&texts.first),
            Self::Compile => usize::from(compiler().compile(texts.first.as_bytes()).is_ok()),
            Self::AssertSafe => usize::from(compiler().assert_safe(texts.first.as_bytes()).is_ok()),
            Self::Check
            | Self::CheckValue
            | Self::Explain
            | Self::Output(_)
            | Self::Annotations => {
                let Some(schema) = schema else {
                    return Ran::default();
                };
                match self {
                    Self::Explain => {
                        let report = schema.explain(workspace, instance);
                        report.map_or(0, |report| {
                            let summary = report.summary();
                            summary.lines().map(str::len).sum()
                        })
                    }
                    Self::Output(format) => {
                        let output = schema.output(workspace, instance, format);
                        output.map_or(0, |text| text.len())
                    }
                    Self::Annotations => {
                        usize::from(schema.annotations(workspace, instance).is_ok())
                    }
                    Self::CheckValue => {
                        let verdict = value.as_ref().map(|value| schema.check(workspace, value));
                        usize::from(verdict.is_some_and(|verdict| verdict.is_valid()))
                    }
                    _ => usize::from(schema.check(workspace, instance).is_ok()),
                }
            }
            Self::Lint => lint(&texts.first),
            Self::Diff => {
                let (old, new) = (tools(&texts.first), tools(&texts.second));
                let report = Differ::new().diff(words(&old), words(&new));
                let changes = report.tools.iter().flat_map(|tool| &tool.changes);
                changes.map(|change| change.message.len()).sum()
            }
            Self::Inline => {
                let inlined = inline(
                    texts.first.as_bytes(),
                    &Parser::default(),
                    &InlineLimits::default(),
                );
                inlined.map_or(0, |inlined| inlined.text.len())
            }
            Self::Project(name) => {
                let tools = tools(&texts.first);
                let made = reader(name).map(|it| Projector::new(it).project(words(&tools)));
                made.map_or(0, |projection| projection.listing().len())
            }
            Self::Repair => {
                let Some(schema) = schema else {
                    return Ran::default();
                };
                match repair(schema, instance, &RepairLimits::default()) {
                    Ok(Outcome::Repaired(repaired)) => repaired.text.len(),
                    _ => 0,
                }
            }
            Self::ArgumentRead => match ArgumentSchema::read(texts.first.as_bytes()) {
                Ok(schema) => schema.to_json_schema().len(),
                Err(error) => error.to_string().len(),
            },
            Self::ArgumentCheck => {
                let answer = argument.as_ref().map(|schema| schema.check_bytes(instance));
                usize::from(answer.is_some())
            }
            Self::Load => load(&texts.first).map_or(0, |tools| tools.len()),
            Self::CompileAll => load(&texts.first).map_or(0, |tools| tools.uncompilable().count()),
            Self::ProjectList => listing.as_ref().map_or(0, |listing| {
                Projection::to(Era::V2025_11_25).list(listing).text.len()
            }),
            Self::Clients => listing.as_ref().map_or(0, clients),
            Self::Lock => {
                Lock::read(texts.first.as_bytes(), None).map_or(0, |lock| lock.tools().len())
            }
            Self::GuardList => guard.as_mut().map_or(0, |guard| guard.list(&texts.first)),
            Self::GuardMessage => guard
                .as_mut()
                .map_or(0, |guard| guard.say(Side::Client, texts.first.as_bytes())),
            Self::GuardAnswer => guard
                .as_mut()
                .map_or(0, |guard| guard.answer(&texts.second, &texts.first)),
            Self::Recover => {
                let mut recovery = Recovery::new();
                recovery.feed(texts.first.as_bytes());
                drop(recovery.finish());
                0
            }
        };
        Ran {
            fuel: workspace.fuel_used(),
            output,
        }
    }

    /// Whether the first text is a schema that is compiled beforehand.
    fn checks(self) -> bool {
        matches!(
            self,
            Self::Check
                | Self::CheckValue
                | Self::Explain
                | Self::Output(_)
                | Self::Annotations
                | Self::Repair
        )
    }
}

/// What one run says of itself.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Ran {
    /// Fuel of a check.
    pub fuel: u64,
    /// Bytes of text, or a count.
    pub output: usize,
}

/// What an entry point needs before it is measured.
#[derive(Debug)]
pub struct Prepared {
    texts: Texts,
    schema: Option<Schema>,
    workspace: Workspace,
    value: Option<serde_json::Value>,
    argument: Option<ArgumentSchema>,
    listing: Option<Listing>,
    guard: Option<Guarded>,
}

impl Prepared {
    /// Makes ready what is not measured.
    #[must_use]
    pub fn new(operation: Operation, texts: Texts) -> Self {
        let first = texts.first.as_bytes();
        let listed = matches!(operation, Operation::ProjectList | Operation::Clients);
        let guarded = matches!(
            operation,
            Operation::GuardList | Operation::GuardMessage | Operation::GuardAnswer
        );
        let argument = operation == Operation::ArgumentCheck;
        Self {
            schema: match operation.checks() {
                true => compiler().compile(first).ok(),
                false => None,
            },
            workspace: Workspace::new(),
            value: match operation == Operation::CheckValue {
                true => serde_json::from_str(&texts.second).ok(),
                false => None,
            },
            argument: match argument {
                true => ArgumentSchema::read(first).ok(),
                false => None,
            },
            listing: match listed {
                true => Listing::read(first).ok(),
                false => None,
            },
            guard: guarded.then(Guarded::new).flatten(),
            texts,
        }
    }

    /// Bytes of the input.
    #[must_use]
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is no input.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// A guard before a server, whose client waits for a listing.
#[derive(Debug)]
struct Guarded {
    conversation: Conversation,
    asked: u64,
}

impl Guarded {
    fn new() -> Option<Self> {
        let guard = Guard::new(Policy::new()).ok()?;
        let scope = guard.scope(&ScopeKey {
            upstream: "one".into(),
            context: Context::Session(1),
        });
        let conversation = Conversation::new(&guard, scope, Link::default());
        let mut guarded = Self {
            conversation,
            asked: 0,
        };
        guarded.list(r#"{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{}}}]}"#);
        Some(guarded)
    }

    /// Asks for a listing and lets the server answer with this one; the bytes that leave.
    fn list(&mut self, listing: &str) -> usize {
        self.answer(r#""method":"tools/list""#, listing)
    }

    /// Asks for something, given as the members of the request, and lets the server answer with a
    /// result; the bytes that leave.
    fn answer(&mut self, request: &str, result: &str) -> usize {
        self.asked = self.asked.saturating_add(1);
        let id = self.asked;
        let ask = format!(r#"{{"jsonrpc":"2.0","id":{id},{request}}}"#);
        self.say(Side::Client, ask.as_bytes());
        let answer = format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
        self.say(Side::Server, answer.as_bytes())
    }

    fn say(&mut self, side: Side, message: &[u8]) -> usize {
        let effects = self.conversation.on_message(side, message, Duration::ZERO);
        let mut bytes = 0_usize;
        for effect in effects {
            bytes = bytes.saturating_add(match effect {
                Effect::Send { message, .. } => message.bytes().len(),
                Effect::Report(Report::Decision(record)) => record.to_json().len(),
                _ => 0,
            });
        }
        bytes
    }
}

fn compiler() -> Compiler {
    Compiler::new().formats(Formats::Assert)
}

fn pattern(text: &str) -> usize {
    let Ok(pattern) = Pattern::new(text, &Limits::default()) else {
        return 0;
    };
    let mut fuel = 10_000_000;
    let found = pattern.matches("word1word2word3x", &mut fuel);
    usize::from(found == Some(true) || pattern.hazard() == Hazard::None)
}

/// The texts of a listing's tools, or of one tool with this schema.
fn tools(text: &str) -> Vec<String> {
    if !text.starts_with(r#"{"tools""#) {
        let head = r#"{"name":"find_items","description":"Finds items.","inputSchema":"#;
        return vec![format!("{head}{text}}}")];
    }
    let Ok(document) = OwnedDocument::read(text, &ReadLimits::default()) else {
        return Vec::new();
    };
    let root = document.document().root();
    let tools = root
        .member("tools")
        .into_iter()
        .flat_map(|tools| tools.items());
    tools.map(|tool| tool.raw().to_owned()).collect()
}

fn words(tools: &[String]) -> impl Iterator<Item = &str> {
    tools.iter().map(String::as_str)
}

fn lint(text: &str) -> usize {
    let mut linter = Linter::new();
    for profile in PROFILES {
        linter = linter.profile(profile);
    }
    let tools = tools(text);
    let report = linter.lint(words(&tools));
    report
        .findings
        .iter()
        .map(|finding| finding.message.len())
        .sum()
}

fn load(text: &str) -> Option<ToolSet> {
    let listing = Listing::read(text).ok()?;
    let mut tools = ToolSet::new();
    tools.add(&listing, &SchemaStore::new()).ok()?;
    Some(tools)
}

fn clients(listing: &Listing) -> usize {
    let store = SchemaStore::new();
    let clean = sanitize(listing, &store, true, |_| true);
    let simple = simplify(listing, &store, CostlySchemas::Simplify, |_| true);
    usize::from(clean.is_ok_and(|made| made.is_some()))
        .saturating_add(usize::from(simple.is_ok_and(|made| made.is_some())))
}
