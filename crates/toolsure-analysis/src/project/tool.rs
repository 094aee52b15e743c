//! Projects one tool and a listing: names, descriptions, and input schemas from start to end.

use std::collections::HashSet;

use toolsure_json::{Kind, Node as _, OwnedDocument, View, json_string, quote};
use toolsure_schema::{Compiler, Schema};
use toolsure_syntax::Dialect;

use super::abilities::Abilities;
use super::attempt::{Attempts, Written};
use super::decide::{self, Known, Sides};
use super::encode::without_nullable;
use super::limits::{Limits, Spent, read_own, tool_limits};
use super::mapping::Mapping;
use super::merge::join;
use super::names::ToolNames;
use super::normalise::normalise;
use super::reference::{has_reference, resolved};
use super::relocate::{refers_elsewhere, relocate};
use super::report::{Refusal, Relation, Step, StepKind};
use super::rewrite::{Effect, Log};
use super::tree::Json;
use super::unreachable::remove_unreachable;
use super::unroll::{Bounds, unroll};
use crate::engine::Engine;
use crate::lint::{Edit, Linter, apply};

/// A projected listing.
///
/// ```
/// use toolsure_analysis::readers::reader;
/// use toolsure_analysis::project::Projector;
///
/// let tools = [r#"{"name": "find", "inputSchema": {"type": "object"}}"#, r#"{"name": "lost"}"#];
/// let projection = Projector::new(reader("anthropic").unwrap()).project(tools);
/// let names: Vec<&str> = projection.projected().map(|tool| tool.name.as_str()).collect();
/// assert_eq!(names, ["find"]);
/// assert!(projection.listing().starts_with(r#"{"tools": [{"name": "find""#));
/// assert_eq!(projection.tools[1].as_ref().unwrap_err().name.as_deref(), Some("lost"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Projection {
    /// The tools in the order of the listing: each projected, or the reason why it cannot be.
    pub tools: Vec<Result<Projected, RefusedTool>>,
}

/// A tool that cannot be projected.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RefusedTool {
    /// Its index in the listing.
    pub index: usize,
    /// Its name, if it has one; not escaped.
    pub name: Option<String>,
    /// The reason.
    pub reason: Refusal,
}

/// A projected tool.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Projected {
    /// Its index in the listing.
    pub index: usize,
    /// The name that the server knows; not escaped.
    pub name: String,
    /// The name that is published: the same, unless the profile does not accept it.
    pub published: String,
    /// The published tool, as JSON text.
    pub text: String,
    /// The changes to its name and its description.
    pub steps: Vec<Step>,
    /// The projected input schema.
    pub input: SchemaProjection,
}

/// A projected input schema.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct SchemaProjection {
    /// The published schema, as JSON text.
    pub text: String,
    /// How it relates to the original.
    pub relation: Relation,
    /// The changes.
    pub steps: Vec<Step>,
    /// The number of steps beyond the limit, which are only counted.
    pub more_steps: usize,
    /// How arguments are mapped.
    pub mapping: Mapping,
}

impl Projection {
    /// The tools that were projected.
    pub fn projected(&self) -> impl Iterator<Item = &Projected> {
        self.tools.iter().filter_map(|tool| tool.as_ref().ok())
    }

    /// The projected listing, as the JSON text of an object with `tools`.
    #[must_use]
    pub fn listing(&self) -> String {
        let texts: Vec<&str> = self.projected().map(|tool| tool.text.as_str()).collect();
        format!("{{\"tools\": [{}]}}", texts.join(",\n"))
    }
}

/// Projects the tools of one listing.
pub(super) struct ListingProjector<'p> {
    pub(super) abilities: Abilities,
    pub(super) engine: &'p Engine,
    pub(super) limits: &'p Limits,
    /// Whether calls may have members that no keyword names.
    pub(super) open: bool,
    /// The rules of the profile, if it has any.
    pub(super) linter: Option<&'p Linter>,
    pub(super) spent: Spent,
}

impl ListingProjector<'_> {
    /// Projects all tools, each given as its JSON text.
    pub(super) fn project(mut self, tools: Vec<&str>) -> Projection {
        let documents: Vec<_> = tools
            .iter()
            .map(|text| OwnedDocument::read(*text, &tool_limits()))
            .collect();
        let name = |document: &OwnedDocument| {
            let name = document.document().root().member("name");
            let name = name.filter(|name| name.kind() == Kind::String);
            name.map(|name| name.string().to_owned())
        };
        let names: Vec<Option<String>> = documents
            .iter()
            .map(|document| document.as_ref().ok().and_then(name))
            .collect();
        let published = ToolNames::new(
            self.abilities.name,
            names.iter().flatten().map(String::as_str),
        );
        let mut all = Vec::new();
        let mut known: HashSet<&str> = HashSet::new();
        for (index, (document, named)) in documents.iter().zip(&names).enumerate() {
            let allowed = self.limits.listing_values;
            let name = named.as_deref().unwrap_or_default();
            let projected = match document {
                Ok(_) if known.contains(name) => Err(Refusal::DuplicateName),
                Ok(_) if self.spent.values >= allowed => Err(Refusal::TooLarge {
                    limit: "listing_values",
                    allowed,
                }),
                Ok(_) if self.spent.work.is_used_up() => Err(self.spent.work.refusal()),
                Ok(document) => {
                    let tool = document.document().root();
                    self.tool(index, tool, &published)
                }
                Err(error) => Err(Refusal::NotATool(error.to_string())),
            };
            if projected.is_ok() {
                known.insert(name);
            }
            all.push(projected.map_err(|reason| RefusedTool {
                index,
                name: named.clone(),
                reason,
            }));
        }
        Projection { tools: all }
    }

    fn tool(
        &mut self,
        index: usize,
        tool: View<'_>,
        names: &ToolNames<'_>,
    ) -> Result<Projected, Refusal> {
        let lacks = |what: &str| Refusal::NotATool(format!("it has no {what}"));
        let name = tool
            .member("name")
            .filter(|name| name.kind() == Kind::String);
        let name = name.ok_or_else(|| lacks("name"))?;
        let input = tool
            .member("inputSchema")
            .filter(|one| one.kind() == Kind::Object);
        let input = input.ok_or_else(|| lacks("input schema that is an object"))?;
        let mut log = Log::new(self.limits);
        let mut edits = Vec::new();
        let mut edit = |view: View<'_>, text: String| {
            let span = view.span();
            let start = tool.span().start;
            let span = span.start.saturating_sub(start)..span.end.saturating_sub(start);
            edits.push(vec![Edit { span, text }]);
        };
        let mut published = name.string().to_owned();
        if let Some(short) = names.published(&published).map_err(Refusal::NameTaken)? {
            published = short;
            edit(name, json_string(&published));
            log.step(StepKind::ShortenName, Effect::Same, "/name", &published);
        }
        let mut schema = self.schema(input, "/inputSchema")?;
        let description = tool
            .member("description")
            .filter(|text| text.kind() == Kind::String);
        if let (Some(text), Some(most)) = (description, self.abilities.description)
            && let Some((kept, rest)) = split(text.string(), most)
        {
            edit(text, json_string(&kept));
            schema.text = with_description(&schema.text, &rest);
            log.step(StepKind::MoveDescription, Effect::Same, "/description", "");
        }
        if schema.text != input.raw() {
            edit(input, schema.text.clone());
        }
        let (text, _) = apply(tool.raw(), &edits);
        Ok(Projected {
            index,
            name: name.string().to_owned(),
            published,
            text,
            steps: log.steps,
            input: schema,
        })
    }

    /// Projects one input schema, given as its JSON text.
    pub(super) fn project_schema(mut self, text: &str) -> Result<SchemaProjection, Refusal> {
        let document = OwnedDocument::read(text, &tool_limits())
            .map_err(|error| Refusal::NotATool(error.to_string()))?;
        let root = document.document().root();
        self.schema(root, "")
    }

    /// Projects a schema. Refused schemas add to `spent`, too.
    fn schema(&mut self, original: View<'_>, pointer: &str) -> Result<SchemaProjection, Refusal> {
        let (abilities, engine, limits) = (&self.abilities, self.engine, self.limits);
        let compiler = engine.compiler();
        let compiled = compiler
            .compile(original.raw().as_bytes())
            .map_err(Refusal::Schema)?;
        let mut log = Log::new(limits);
        let dialect = engine.dialect(original, None);
        let parser = compiler.parser();
        let mut tree = Json::of(original);
        let mut unreachable = remove_unreachable(&mut tree, dialect);
        let live = match unreachable {
            0 => None,
            _ => Some(read_own(&tree.write())?),
        };
        let original = match &live {
            Some(live) => live.document().root(),
            None => original,
        };
        let mut tree = resolved(abilities, parser, original, &mut log, pointer)?;
        let size = tree.size();
        self.spent.values = self.spent.values.saturating_add(size);
        self.spent.work.pay(size, PER_VALUE)?;
        let changed = normalise(&mut tree, dialect);
        unreachable += remove_unreachable(&mut tree, Dialect::Draft202012);
        if unreachable > 0 {
            let detail = match unreachable {
                1 => "1 definition".to_owned(),
                many => format!("{many} definitions"),
            };
            log.step(StepKind::Unreachable, Effect::Same, pointer, &detail);
        }
        if changed {
            log.step(StepKind::Dialect, Effect::Same, pointer, dialect.title());
        }
        if has_reference(&tree) && !(abilities.takes("$ref") && abilities.recursion) {
            let bounds = Bounds {
                recursion: limits.recursion,
                size: limits.values,
                depth: limits.depth,
            };
            let unrolled = unroll(&tree, bounds);
            let written = unrolled
                .as_ref()
                .map_or(bounds.size, |unrolled| unrolled.schema.size());
            self.spent.values = self.spent.values.saturating_add(written);
            self.spent.work.pay(written, PER_VALUE)?;
            let unrolled = unrolled?;
            tree = unrolled.schema;
            for (kind, reference) in unrolled.done {
                let effect = match kind {
                    StepKind::Bound => Effect::Wider,
                    _ => Effect::Same,
                };
                log.step(kind, effect, pointer, &reference);
            }
        }
        if let Some(start) = abilities.references_below {
            // Where references are replaced, definitions that contain themselves may move, too.
            let moved = relocate(&mut tree, start, limits.values)?;
            if moved || refers_elsewhere(Json::of(original), start) {
                remove_unreachable(&mut tree, Dialect::Draft202012);
                self.spent.values = self.spent.values.saturating_add(tree.size());
                log.step(StepKind::Relocate, Effect::Same, pointer, start);
            }
        }
        let declares = original.member("$schema").is_some();
        if declares && !abilities.takes("$schema") {
            log.step(StepKind::LeaveOut, Effect::Same, pointer, "$schema");
        }
        let attempts = Attempts {
            abilities,
            limits,
            linter: self.linter,
            open: self.open,
            pointer,
            declares,
        };
        let Written {
            tree: rewritten_tree,
            published,
            log,
            keeps_all,
            adds_none,
        } = attempts.rewrite(&tree, &log, &mut self.spent)?;
        // With their names.
        let published_values = published.size().saturating_mul(2);
        self.spent.values = self.spent.values.saturating_add(published_values);
        if log.steps.is_empty() && rewritten_tree.equals(&tree) {
            return Ok(SchemaProjection {
                text: original.raw().to_owned(),
                relation: Relation::Equal,
                steps: log.steps,
                more_steps: 0,
                mapping: Mapping::plain(),
            });
        }
        let texts = [
            published.write(),
            rewritten_tree.write(),
            if abilities.nullable {
                without_nullable(&published).write()
            } else {
                published.write()
            },
        ];
        let [text, rewritten, plain] = texts;
        let plain_engine = plain_engine(compiler);
        let published_schema = compile_own(&plain_engine, &plain)?;
        let documents = [read_own(&rewritten)?, read_own(&plain)?];
        let [rewritten, plain] = &documents;
        let travels = |step: &Step| {
            matches!(
                step.kind,
                StepKind::RequireAll
                    | StepKind::Wrap
                    | StepKind::JsonText
                    | StepKind::Entries
                    | StepKind::Words
                    | StepKind::RenameProperty
            )
        };
        let as_it_is = log.more == 0 && !log.steps.iter().any(travels);
        let mapping = Mapping::new(published, as_it_is);
        // What is published is in 2020-12 unless it declares another dialect.
        let same_dialect =
            Dialect::of_schema(original, true, Dialect::Draft202012) == Some(dialect);
        let known = Known {
            keeps_all: keeps_all && same_dialect && compiled.warnings().is_empty(),
            adds_none: adds_none && same_dialect && compiled.warnings().is_empty(),
            all_travel: log.keeps_all,
            none_appear: log.adds_none,
            rules: compiled.warnings().is_empty(),
        };
        let sides = Sides {
            original,
            engine,
            schema: &compiled,
            rewritten: rewritten.document().root(),
            published: plain.document().root(),
            published_schema: &published_schema,
            plain: &plain_engine,
            mapping: &mapping,
            open: self.open,
        };
        let relation = decide::relation(&sides, known, limits, &mut self.spent);
        Ok(SchemaProjection {
            text,
            relation,
            steps: log.steps,
            more_steps: log.more,
            mapping,
        })
    }
}

/// The work to resolve, copy and write a value.
const PER_VALUE: u64 = 20;

/// The operator's compiler for generated schemas, which are in 2020-12.
fn plain_engine(compiler: &Compiler) -> Engine {
    let compiler = compiler.clone().declared_dialect();
    Engine::new(compiler.default_dialect(Dialect::Draft202012))
}

fn compile_own(engine: &Engine, text: &str) -> Result<Schema, Refusal> {
    let compiled = engine.compiler().compile(text.as_bytes());
    compiled.map_err(|error| match error.limit() {
        Some(_) => Refusal::Schema(error),
        None => Refusal::Internal(error.to_string()),
    })
}

/// Splits a text in two, the first of at most `most` characters and cut after a paragraph, a sentence or a
/// word; `None` if it need not be cut.
fn split(text: &str, most: usize) -> Option<(String, String)> {
    let (end, _) = text.char_indices().nth(most)?;
    let hint = " (continued in the input schema)";
    let room = hint.chars().count();
    let end = text
        .char_indices()
        .nth(most.saturating_sub(room))
        .map_or(end, |(at, _)| at);
    let head = text.get(..end)?;
    let half = head.len() / 2;
    let at = ["\n\n", "\n", ". ", " "]
        .iter()
        .filter_map(|mark| head.rfind(mark).map(|at| at + mark.len()))
        .find(|at| *at > half)
        .unwrap_or(end);
    let (first, rest) = (text.get(..at)?, text.get(at..)?);
    Some((format!("{}{hint}", first.trim_end()), rest.to_owned()))
}

/// A schema with a longer description.
fn with_description(schema: &str, more: &str) -> String {
    let Ok(document) = read_own(schema) else {
        return schema.to_owned();
    };
    let mut tree = Json::of(document.document().root());
    if let Json::Object(members) = &mut tree {
        let text = match members.text("description") {
            Some(own) => join(own, more),
            None => more.to_owned(),
        };
        members.set("description", Json::text(text));
    }
    tree.write()
}

/// For messages: the name of a tool, escaped and cut.
impl std::fmt::Display for RefusedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.name {
            Some(name) => write!(f, "tool `{}`: {}", quote(name, 64), self.reason),
            None => write!(f, "tool {}: {}", self.index + 1, self.reason),
        }
    }
}
