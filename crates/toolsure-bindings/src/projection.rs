//! Tools for a model provider or a client that supports only parts of JSON Schema, and its calls mapped back.

use toolsure_analysis::project::{
    Limits, Projected, Projector, ProviderForm, RefusedTool, Relation, Step,
};
use toolsure_analysis::readers::{PROJECTED_FOR, Reader, reader};
use toolsure_json::{OwnedDocument, ReadError, ReadLimits, quote};
use toolsure_mcp::catalog::{Listing, ToolSet};
use toolsure_mcp::check::Checker;
use toolsure_mcp::contract::SchemaStore;
use toolsure_mcp::provider::ProviderTools;
use toolsure_schema::{Compiler, Strictness};

use crate::contract::{NEWEST, write};
use crate::listing::{NoReport, SHOWN, Tools, options_of};
use crate::write::Object;

/// The tools of a listing as one provider gets them, and the way back.
#[derive(Debug)]
pub struct Projection {
    tools: ProviderTools,
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
        let tools = tools_of(listing, options.given_compiler())?;
        Ok(Self {
            tools: ProviderTools::new(&tools, &projector),
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
        let mut tools: Vec<Result<&Projected, &RefusedTool>> =
            self.tools.projected().map(Ok).collect();
        tools.extend(self.tools.refused().iter().map(Err));
        tools.sort_by_key(|tool| match tool {
            Ok(tool) => tool.index,
            Err(tool) => tool.index,
        });
        object.array("tools", tools, |out, tool| match tool {
            Ok(tool) => projected(out, tool),
            Err(tool) => {
                let mut object = Object::new(out);
                object.number("index", tool.index);
                object.nullable("name", tool.name.as_deref());
                object.text("refused", &tool.reason.to_string());
            }
        });
        let texts = self.tools.projected().map(|tool| tool.text.as_str());
        object.member("definitions", |out| match self.form {
            Some(form) => out.push_str(&form.write(texts, self.strict)),
            None => crate::write::array(out, texts, String::push_str),
        });
    }

    /// Maps a call of a published tool to one of the original tool, checks it, and writes the name, the arguments
    /// and the decision.
    ///
    /// # Errors
    ///
    /// The arguments are not JSON, or are over a limit.
    pub fn call(
        &mut self,
        out: &mut String,
        published: &str,
        arguments: &[u8],
    ) -> Result<(), ReadError> {
        let arguments = OwnedDocument::read(arguments, &self.limits)?;
        let root = arguments.document().root();
        let call = self.tools.call(&mut self.checker, published, Some(root));
        let mut object = Object::new(out);
        object.text("name", &call.name);
        object.member("arguments", |out| out.push_str(&call.arguments));
        object.member("decision", |out| write(out, &call.decision, NEWEST));
        Ok(())
    }
}

/// The tools of a listing, with their contracts.
fn tools_of(listing: &[u8], compiler: Option<Compiler>) -> Result<ToolSet, NoReport> {
    let texts = Tools::read(listing)?;
    let texts: Vec<&str> = texts.texts().collect();
    let page = format!("{{\"tools\":[{}]}}", texts.join(","));
    let compiler = compiler.unwrap_or_else(|| Compiler::new().strictness(Strictness::Lenient));
    let store = SchemaStore::with(compiler, SchemaStore::BYTES);
    let mut tools = ToolSet::new();
    let page = Listing::read(page).map_err(|why| NoReport::Option(why.to_string()))?;
    let added = tools.add(&page, &store);
    added.map_err(|why| NoReport::Option(why.to_string()))?;
    Ok(tools)
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

fn projected(out: &mut String, tool: &Projected) {
    let relation = &tool.input.relation;
    let mut object = Object::new(out);
    object.number("index", tool.index);
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
