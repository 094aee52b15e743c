//! Tools for a model provider or a client that supports only parts of JSON Schema, and its calls mapped back.

use std::sync::Arc;

use toolsure_analysis::project::{Limits, Projected, Projector, ProviderForm, Relation, Step};
use toolsure_analysis::readers::{PROJECTED_FOR, Reader, reader};
use toolsure_json::{OwnedDocument, ReadError, ReadLimits, quote};
use toolsure_mcp::catalog::{Listing, ToolSet};
use toolsure_mcp::check::{Checker, Decision, Refusal};
use toolsure_mcp::contract::{Isolated, SchemaStore, ToolContract};
use toolsure_mcp::provider::{MappedCall, ProviderTools};
use toolsure_schema::{Compiler, Strictness};

use crate::contract::{NEWEST, doubles_hold, write};
use crate::listing::{NoReport, SHOWN, Tools, options_of};
use crate::write::Object;

/// The tools of a listing as one provider gets them, and the way back.
#[derive(Debug)]
pub struct Projection {
    tools: ProviderTools,
    /// The index in the listing of each tool that was projected, or could not be.
    indices: Vec<usize>,
    /// The tools that have no contract.
    isolated: Vec<Isolated>,
    form: Option<ProviderForm>,
    strict: bool,
    reader: &'static Reader,
    checker: Checker,
    limits: ReadLimits,
}

impl Projection {
    /// Projects a listing. The option `for` names the reader; `form`, `server`, `recursion` and `open` are those of
    /// `toolsure project`; the others are those of a validator.
    ///
    /// # Errors
    ///
    /// The listing or an option cannot be read.
    pub fn read(listing: &[u8], options: &[u8]) -> Result<Self, NoReport> {
        let options = options_of(options, &[FOR, FORM, SERVER, RECURSION, OPEN])?;
        let name = options.own_text(FOR).map_err(NoReport::Option)?;
        let known = name.filter(|name| PROJECTED_FOR.contains(name));
        let Some(reader) = known.and_then(reader) else {
            let names = PROJECTED_FOR.join(", ");
            let found = name.map_or_else(String::new, |name| {
                format!(", not `{}`", quote(name, SHOWN))
            });
            return Err(NoReport::Option(format!(
                "`{FOR}` must be one of {names}{found}"
            )));
        };
        let form = match options.own_text(FORM).map_err(NoReport::Option)? {
            None => None,
            Some(name) => Some(named_form(name).map_err(NoReport::Option)?),
        };
        let mut limits = Limits::default();
        if let Some(times) = options.own(RECURSION) {
            let read = times
                .raw()
                .parse()
                .ok()
                .filter(|times| *times <= MOST_RECURSION);
            let refused = || format!("`{RECURSION}` must be a number from 0 to {MOST_RECURSION}");
            limits.recursion = read.ok_or_else(refused).map_err(NoReport::Option)?;
        }
        let mut projector = Projector::new(reader)
            .limits(limits)
            .open(options.own_flag(OPEN).map_err(NoReport::Option)?);
        if let Some(server) = options.own_text(SERVER).map_err(NoReport::Option)? {
            projector = projector.server(server);
        }
        if let Some(compiler) = options.given_compiler() {
            projector = projector.compiler(compiler);
        }
        let instance = options.compiler().bounds().instance;
        let (tools, count) = tools_of(listing, options.given_compiler())?;
        let isolated = tools.isolated().to_vec();
        let is_isolated = |index: &usize| isolated.iter().any(|one| one.index == *index);
        Ok(Self {
            tools: ProviderTools::new(&tools, &projector),
            indices: (0..count).filter(|index| !is_isolated(index)).collect(),
            isolated,
            form,
            strict: projector.is_strict(),
            reader,
            checker: Checker::new().limits(instance),
            limits: instance,
        })
    }

    /// The limits on the arguments of a call.
    #[must_use]
    pub fn limits(&self) -> &ReadLimits {
        &self.limits
    }

    /// Writes the report: `for`; `tools`, each with its relation and the steps; and `definitions`, the tools as
    /// they are published, in the form that was asked for.
    pub fn write(&self, out: &mut String) {
        let mut object = Object::new(out);
        object.text("for", self.reader.name);
        let index = |place: usize| self.indices.get(place).copied().unwrap_or(place);
        let mut tools: Vec<(usize, Shown<'_>)> = Vec::new();
        for tool in self.tools.projected() {
            tools.push((index(tool.index), Shown::Projected(tool)));
        }
        for tool in self.tools.refused() {
            let refused = Shown::Refused(tool.name.as_deref(), tool.reason.to_string());
            tools.push((index(tool.index), refused));
        }
        for tool in &self.isolated {
            let refused = Shown::Refused(tool.name.as_deref(), tool.reason.to_string());
            tools.push((tool.index, refused));
        }
        tools.sort_by_key(|(index, _)| *index);
        object.array("tools", tools, |out, (index, tool)| tool.write(out, index));
        let texts = self.tools.projected().map(|tool| tool.text.as_str());
        object.member("definitions", |out| match self.form {
            Some(form) => out.push_str(&form.write(texts, self.strict)),
            None => crate::write::array(out, texts, String::push_str),
        });
    }

    /// Maps a call of a published tool to one of the original tool, and checks it.
    ///
    /// # Errors
    ///
    /// The arguments are not JSON, or are over a limit.
    pub fn call(&mut self, published: &str, arguments: &[u8]) -> Result<MappedCall, ReadError> {
        let arguments = OwnedDocument::read(arguments, &self.limits)?;
        let root = arguments.document().root();
        Ok(self.tools.call(&mut self.checker, published, Some(root)))
    }

    /// The tool that a call was mapped to.
    #[must_use]
    pub fn tool(&self, published: &str) -> Option<&Arc<ToolContract>> {
        self.tools.tool(published)
    }
}

/// Writes a call that was mapped back: the name, the arguments and the decision. Arguments that `JSON.parse` would
/// read as other ones than were checked are refused.
pub fn write_call(out: &mut String, call: &MappedCall) {
    let mut object = Object::new(out);
    object.text("name", &call.name);
    object.member("arguments", |out| out.push_str(&call.arguments));
    object.member("decision", |out| match &call.decision {
        Decision::Pass(_) if !doubles_hold(call.arguments.as_bytes()) => {
            let text = format!(
                "tool `{}`: the arguments have a number that a double does not hold",
                quote(&call.name, SHOWN)
            );
            let refusal = Refusal::of_arguments(&call.name, text);
            write(out, &Decision::Refuse(Box::new(refusal)), NEWEST);
        }
        decision => write(out, decision, NEWEST),
    });
}

/// The tools of a listing with their contracts, and how many it has.
fn tools_of(listing: &[u8], compiler: Option<Compiler>) -> Result<(ToolSet, usize), NoReport> {
    let texts = Tools::read(listing)?;
    let texts: Vec<&str> = texts.texts().collect();
    let page = format!("{{\"tools\":[{}]}}", texts.join(","));
    let compiler = compiler.unwrap_or_else(|| Compiler::new().strictness(Strictness::Lenient));
    let store = SchemaStore::with(compiler, SchemaStore::BYTES);
    let mut tools = ToolSet::new();
    let page = Listing::read(page).map_err(|why| NoReport::Option(why.to_string()))?;
    let added = tools.add(&page, &store);
    added.map_err(|why| NoReport::Option(why.to_string()))?;
    Ok((tools, texts.len()))
}

fn named_form(name: &str) -> Result<ProviderForm, String> {
    let mut forms = ProviderForm::ALL.iter().copied();
    forms.find(|form| form.name() == name).ok_or_else(|| {
        let names: Vec<&str> = ProviderForm::ALL.iter().map(|form| form.name()).collect();
        format!(
            "`{FORM}` must be one of {}, not `{}`",
            names.join(", "),
            quote(name, SHOWN)
        )
    })
}

/// A tool of the report.
enum Shown<'p> {
    Projected(&'p Projected),
    /// Its name, and why it is left out.
    Refused(Option<&'p str>, String),
}

impl Shown<'_> {
    fn write(self, out: &mut String, index: usize) {
        let mut object = Object::new(out);
        object.number("index", index);
        let tool = match self {
            Self::Projected(tool) => tool,
            Self::Refused(name, reason) => {
                object.nullable("name", name);
                object.text("refused", &reason);
                return;
            }
        };
        let relation = &tool.input.relation;
        object.text("name", &tool.name);
        object.text("published", &tool.published);
        object.text("relation", relation.name());
        for (name, witness) in [
            ("wider", relation.wider()),
            ("narrower", relation.narrower()),
        ] {
            if let Some(witness) = witness {
                object.member(name, |out| out.push_str(witness));
            }
        }
        if let Relation::Undecided { why, .. } = relation {
            object.text("why", why);
        }
        object.array("steps", tool.steps.iter().chain(&tool.input.steps), step);
        object.number("moreSteps", tool.input.more_steps);
    }
}

fn step(out: &mut String, step: &Step) {
    let mut object = Object::new(out);
    object.text("kind", step.kind.name());
    object.text("pointer", &step.pointer);
    object.text("detail", &step.detail);
    object.text("what", step.kind.what());
    object.text("why", step.kind.why());
}

const FOR: &str = "for";
const FORM: &str = "form";
const SERVER: &str = "server";
const RECURSION: &str = "recursion";
const OPEN: &str = "open";
/// Levels of recursion that may be asked for.
const MOST_RECURSION: usize = 16;
